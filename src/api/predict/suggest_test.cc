#include "src/api/predict/suggest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/predict/predict.h"
#include "src/api/predict/test_services.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

SuggestAnswer suggested(const char* body) {
  const Result<SuggestRequest> request = suggest_request(Json::parse(body));
  EXPECT_TRUE(request.ok()) << request.error().message;
  Result<SuggestAnswer> answer = suggest(request.value(), offline_services());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return std::move(answer).value();
}

const Suggestion* find(const SuggestAnswer& answer, SuggestionKind kind) {
  for (const Suggestion& suggestion : answer.suggestions.savings) {
    if (suggestion.kind == kind) return &suggestion;
  }
  return nullptr;
}

TEST(Suggest, PhrasesSayWhenNothingMayBeSaved) {
  EXPECT_EQ(saving_phrase({0.62, 0.58, 0.66}), "38 % less energy (34 to 42 %)");
  EXPECT_EQ(saving_phrase({0.9, 0.7, 1.1}),
            "10 % less energy, but the interval includes no saving (30 % less to 10 % more)");
}

// Each is what asking again with its change says.
TEST(Suggest, ChangesApply) {
  const Json body = Json::parse(
      R"({"model":"bert-base-uncased","batch":2,"seq":100,"dtype":"fp32","on":"h200",
          "attention":"eager","execution":"eager"})");
  const SuggestAnswer answer = suggested(body.dump().c_str());
  const double now = answer.suggestions.now.root().energy.value / 2;
  ASSERT_FALSE(answer.suggestions.savings.empty());
  double last = 0;
  for (const Suggestion& suggestion : answer.suggestions.savings) {
    Json changed = body;
    for (const auto& [field, value] : suggestion.change) {
      if (value.empty()) {
        changed.erase(field);
      } else if (field == "batch" || field == "seq") {
        changed[field] = std::stoi(value);
      } else {
        changed[field] = value;
      }
    }
    const Result<PredictRequest> request = predict_request(changed);
    ASSERT_TRUE(request.ok()) << request.error().message;
    const Result<PredictAnswer> predicted = predict(request.value(), offline_services());
    ASSERT_TRUE(predicted.ok()) << suggestion.what << ": " << predicted.error().message;
    const Prediction& other = predicted.value().prediction;
    const double per_item = other.root().energy.value / static_cast<double>(other.built.pass.batch);
    EXPECT_NEAR(suggestion.per_item.value, per_item, 1e-9 * per_item) << suggestion.what;
    EXPECT_NEAR(suggestion.ratio.value, per_item / now, 1e-9) << suggestion.what;
    EXPECT_LT(suggestion.ratio.low, suggestion.ratio.value);
    EXPECT_GT(suggestion.ratio.high, suggestion.ratio.value);
    EXPECT_LT(suggestion.ratio.value, 1);
    EXPECT_GE(suggestion.ratio.value, last);  // Largest saving first.
    last = suggestion.ratio.value;
    EXPECT_EQ(suggestion.sentence().find("includes no saving") != std::string::npos,
              suggestion.ratio.high >= 1)
        << suggestion.sentence();
    EXPECT_FALSE(suggestion.caveat.empty());
    EXPECT_TRUE(suggestion.memory.fits());
  }
}

TEST(Suggest, EveryKindIsTried) {
  const SuggestAnswer answer = suggested(
      R"({"model":"bert-base-uncased","seq":100,"dtype":"fp32","on":"h200","execution":"eager",
          "attention":"eager"})");
  for (const SuggestionKind kind : {SuggestionKind::kPrecision, SuggestionKind::kExecution,
                                    SuggestionKind::kBatch, SuggestionKind::kModel}) {
    EXPECT_NE(find(answer, kind), nullptr) << name_of(kind);
  }
  const Suggestion* model = find(answer, SuggestionKind::kModel);
  bool has_distilled = false;
  for (const Suggestion& suggestion : answer.suggestions.savings) {
    has_distilled =
        has_distilled || suggestion.what == "distilbert-base-uncased instead of bert-base-uncased";
  }
  EXPECT_TRUE(has_distilled) << model->what;
  // What was tried and saves nothing is named, and nothing is in both lists.
  for (const SuggestionKind kind : answer.suggestions.no_saving) {
    EXPECT_EQ(find(answer, kind), nullptr);
  }
}

TEST(Suggest, WhatIsBestAlreadyIsNotSuggested) {
  const SuggestAnswer answer =
      suggested(R"({"model":"bert-tiny","batch":1024,"seq":16,"dtype":"bf16","on":"h200"})");
  EXPECT_EQ(find(answer, SuggestionKind::kExecution), nullptr);
  EXPECT_EQ(find(answer, SuggestionKind::kModel), nullptr);  // There is no smaller BERT.
  EXPECT_EQ(find(answer, SuggestionKind::kBatch), nullptr);
}

TEST(Suggest, NamesWhatIsWrong) {
  const auto wrong = suggest_request(Json::parse(R"({"model":"gpt2","bach":2})"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().field, "bach");
}

}  // namespace
}  // namespace wattree
