#include "src/predict/predictor/predictor_file.h"

#include <gtest/gtest.h>

#include "src/predict/fit/synthetic_trees.h"
#include "src/predict/fit/train.h"

namespace wattree {
namespace {

std::string file_text() {
  const std::vector<DatasetTree> trees = synthetic_trees({"a", "b", "c"});
  const WorkTrees work = work_of(pointers_to(trees));
  return to_json(train_predictor(work, {"test", "a machine", "a meter"}).value().predictor);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const Result<Predictor> predictor = parse_predictor(text, "p.json");
  EXPECT_FALSE(predictor.ok());
  return predictor.ok() ? "" : predictor.error().message;
}

TEST(PredictorFile, ComesBackAsItWasWritten) {
  const std::string text = file_text();
  const Result<Predictor> predictor = parse_predictor(text, "p.json");
  ASSERT_TRUE(predictor.ok()) << predictor.error().message;
  EXPECT_EQ(to_json(predictor.value()), text);
  EXPECT_EQ(predictor.value().hardware, "a machine");
  EXPECT_FALSE(predictor.value().twins.empty());
}

TEST(PredictorFile, RefusesANewerVersion) {
  const Result<Predictor> p =
      parse_predictor(replaced(file_text(), "\"version\": 1", "\"version\": 2"), "p.json");
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(p.error().message.find("version 2"), std::string::npos);
  EXPECT_NE(p.error().hint.find("update"), std::string::npos);
}

TEST(PredictorFile, RefusesAnotherFormatOrKind) {
  EXPECT_NE(error_of(replaced(file_text(), "wattree-predictor", "other")).find("format"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(file_text(), "\"reconciled\"", "\"end2end\"")).find("end2end"),
            std::string::npos);
}

TEST(PredictorFile, RefusesNumbersThatAreNone) {
  const std::string text = file_text();
  EXPECT_NE(error_of(replaced(text, "\"counter_factor\": ", "\"counter_factor\": NaN, \"x\": "))
                .find("not valid JSON"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(text, "\"counter_factor\": ", "\"counter_factor\": null, \"x\": "))
                .find("\"power_law.counter_factor\" is missing"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(text, "\"counter_factor\": ", "\"counter_factor\": 1e300, \"x\": "))
                .find("must be a number from 0"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(text, "\"counter_factor\": ", "\"counter_factor\": -1, \"x\": "))
                .find("must be a number from 0"),
            std::string::npos);
}

TEST(PredictorFile, NamesTheFieldThatIsWrong) {
  const std::string text = file_text();
  EXPECT_NE(
      error_of(replaced(text, "\"arithmetic\"", "\"something\"")).find("kinds.gemm.terms[1].name"),
      std::string::npos);
  EXPECT_NE(
      error_of(replaced(text, "\"boundary\": \"wall\"", "\"boundary\": \"moon\"")).find("moon"),
      std::string::npos);
  EXPECT_NE(error_of(replaced(text, "\"twins\": [", "\"twins\": 5, \"more\": [")).find("twins"),
            std::string::npos);
}

TEST(PredictorFile, RefusesWhatIsNoPredictor) {
  for (const char* text : {"", "[]", "3", "{", "{}", "{\"format\":3}", "null"}) {
    EXPECT_FALSE(parse_predictor(text, "p.json").ok()) << text;
  }
  EXPECT_FALSE(parse_predictor(std::string(100000, '['), "p.json").ok());
}

}  // namespace
}  // namespace wattree
