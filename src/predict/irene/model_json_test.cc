#include "src/predict/irene/model_json.h"

#include <gtest/gtest.h>

#include "src/predict/irene/fit.h"
#include "src/predict/irene/test_trees.h"

namespace wattree {
namespace {

std::string written(const IreneModel& model) {
  JsonWriter json(1);
  write_irene(json, model);
  return json.take();
}

IreneModel sample(IreneAggregate aggregate, IreneFeatures features) {
  const std::vector<DatasetTree> trees = sample_trees(1.05);
  return fit_irene(pointers(trees), {.aggregate = aggregate, .features = features, .seed = 9})
      .value()
      .model;
}

TEST(IreneJson, ReadsBackTheSameBits) {
  for (const IreneAggregate aggregate : kIreneAggregates) {
    for (const IreneFeatures features : kIreneFeatureSets) {
      const IreneModel model = sample(aggregate, features);
      const auto read = read_irene(written(model), "m.json");
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(read.value(), model);
    }
  }
}

// The text of a model with one place changed, and what is said about it.
std::string complaint(const std::string& from, const std::string& to) {
  static const std::string text = written(sample(IreneAggregate::kEnd2End, IreneFeatures::kModel));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const auto read = read_irene(std::string(text).replace(at, from.size(), to), "m.json");
  return read.ok() ? "fine" : read.error().message;
}

TEST(IreneJson, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(complaint("\"end2end\"", "\"magic\""),
            "m.json: aggregate must be one of: sum, end2end, stepwise, unstructured");
  EXPECT_EQ(complaint("\"model\"", "\"all\""), "m.json: leaves[0].terms must have 14 elements");
  EXPECT_EQ(complaint("\"tau\": 10", "\"tau\": 0"), "m.json: tau must be above 0");
  EXPECT_EQ(complaint("\"tau\": 10", "\"t\": 10"), "m.json: tau is missing");
  EXPECT_EQ(complaint("\"epochs\": 8", "\"epochs\": 8.5"), "m.json: epochs must be a whole number");
  EXPECT_EQ(complaint("\"seed\": 9", "\"seed\": 18446744073709551615"),
            "m.json: seed is too large");
  EXPECT_EQ(complaint("\"seed\": 9", "\"seed\": null"), "m.json: seed must be a whole number");
  EXPECT_EQ(complaint("\"seed\": 9", "\"seed\": 9, \"extra\": 1"),
            "m.json: extra is no field of this format");
  EXPECT_EQ(complaint("\"Softmax\"", "\"Linear\""), "m.json: leaves[1].type comes twice: Linear");
  EXPECT_EQ(complaint("\"scale\": 1,", "\"scale\": 0,"),
            "m.json: leaves[0].terms[0].scale must be above 0");
  EXPECT_EQ(complaint("\"input_size\"", "\"flops\""),
            "m.json: leaves[0].terms[1].feature must be input_size");
  EXPECT_EQ(complaint("\"weights\": [", "\"weights\": [1, "),
            "m.json: inner.weights must have 84 elements");
  EXPECT_EQ(complaint("\"inner\"", "\"outer\""), "m.json: inner is missing");
}

TEST(IreneJson, RefusesWhatIsNoModel) {
  for (const char* text : {"", "[]", "nonsense", "{}", "{\"tau\": 1e999}", "\"leaves\""}) {
    const auto read = read_irene(text, "m.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().message.rfind("m.json: ", 0), 0U);
    EXPECT_FALSE(read.error().hint.empty());
  }
}

}  // namespace
}  // namespace wattree
