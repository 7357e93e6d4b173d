#include "src/api/predict/compare_pair.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/predict/predict.h"
#include "src/api/predict/test_services.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

Json compared(const char* body) {
  const Result<ComparePairRequest> request = compare_pair_request(Json::parse(body));
  EXPECT_TRUE(request.ok()) << request.error().message;
  const Result<ComparePairAnswer> answer = compare_pair(request.value(), offline_services());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return Json::parse(to_json(answer.value()));
}

// Parts add up to the wholes, and their differences to the difference.
void expect_whole(const Json& answer) {
  double a = 0;
  double b = 0;
  double difference = 0;
  double share = 0;
  double last = 1e9;
  for (const Json& part : answer.at("parts")) {
    if (!part.at("a").is_null()) a += part.at("a").at("energy_j").get<double>();
    if (!part.at("b").is_null()) b += part.at("b").at("energy_j").get<double>();
    difference += part.at("difference_j").get<double>();
    share += part.at("share_of_difference").get<double>();
    EXPECT_LE(std::abs(part.at("difference_j").get<double>()), last);
    last = std::abs(part.at("difference_j").get<double>());
    EXPECT_EQ(part.contains("ratio"), !part.at("a").is_null() && !part.at("b").is_null());
  }
  EXPECT_NEAR(a, answer.at("a").at("compared_j").get<double>(), 1e-9 * a);
  EXPECT_NEAR(b, answer.at("b").at("compared_j").get<double>(), 1e-9 * b);
  EXPECT_NEAR(difference, answer.at("difference_j").get<double>(), 1e-9 * a);
  EXPECT_NEAR(share, 1, 1e-6);
  EXPECT_NEAR(answer.at("ratio").get<double>(), b / a, 1e-9);
}

TEST(ComparePair, OneFamilyIsAlignedByScope) {
  const Json answer = compared(
      R"({"a":"bert-base-uncased","b":"bert-large-uncased","batch":16,"dtype":"bf16","on":"h200"})");
  EXPECT_EQ(answer.at("aligned_by"), "scope");
  EXPECT_EQ(answer.at("per"), "pass");
  expect_whole(answer);
  EXPECT_EQ(answer.at("headline").get<std::string>().rfind("bert-large-uncased uses ", 0), 0U);
  bool has_dense = false;
  for (const Json& part : answer.at("parts")) {
    has_dense = has_dense || part.at("scope") == "encoder.layer.*.output.dense";
  }
  EXPECT_TRUE(has_dense);
}

TEST(ComparePair, FamiliesAreAlignedByRole) {
  const Json answer =
      compared(R"({"a":"bert-base-uncased","b":"gpt2","batch":16,"dtype":"bf16","on":"h200"})");
  EXPECT_EQ(answer.at("aligned_by"), "role");
  expect_whole(answer);
  for (const Json& part : answer.at("parts")) {
    for (const Json& role : answer.at("a").at("roles")) {
      if (role.at("role") != part.at("role")) continue;
      EXPECT_NEAR(part.at("a").at("energy_j").get<double>(), role.at("energy_j").get<double>(),
                  1e-9);
    }
  }
}

TEST(ComparePair, TheSecondSideIsOverridden) {
  const Json answer = compared(
      R"({"a":"bert-tiny","batch":8,"seq":32,"dtype":"fp32","on":"h200","b.dtype":"bf16",
          "b.batch":16})");
  EXPECT_EQ(answer.at("a").at("dtype"), "fp32");
  EXPECT_EQ(answer.at("b").at("dtype"), "bf16");
  EXPECT_EQ(answer.at("b").at("batch_size"), 16);
  EXPECT_EQ(answer.at("b").at("seq_len"), 32);
  EXPECT_EQ(answer.at("per"), "item");  // Batches differ.
  EXPECT_NEAR(answer.at("b").at("compared_j").get<double>(),
              answer.at("b").at("energy_per_item_j").get<double>(), 1e-12);
  expect_whole(answer);
}

// What both run is wrong by the same in both.
TEST(ComparePair, AlikeModelsAreComparedWell) {
  // They differ in the rows of one table.
  const Json alike = compared(
      R"({"a":"bert-base-uncased","b":"bert-base-cased","on":"h200","batch":16,"dtype":"bf16"})");
  EXPECT_NEAR(alike.at("ratio").get<double>(), 1, 0.005);
  const Json& first = alike.at("a");
  const double half =
      first.at("energy_high_j").get<double>() / first.at("energy_j").get<double>() - 1;
  EXPECT_LT(alike.at("ratio_high").get<double>() - alike.at("ratio_low").get<double>(), half / 10);
  EXPECT_NE(alike.at("headline").get<std::string>().find("as much energy"), std::string::npos);
  const Json same = compared(R"({"a":"bert-tiny","on":"h200"})");
  EXPECT_NEAR(same.at("ratio_high").get<double>(), 1, 1e-7);
}

TEST(ComparePair, NamesWhatIsWrong) {
  const auto field = [](const char* body) {
    const auto request = compare_pair_request(Json::parse(body));
    if (!request.ok()) return request.error().field;
    const auto answer = compare_pair(request.value(), offline_services());
    return answer.ok() ? std::string("none") : answer.error().field;
  };
  EXPECT_EQ(field(R"({"b":"gpt2"})"), "a");
  EXPECT_EQ(field(R"({"a":3})"), "a");
  EXPECT_EQ(field(R"({"a":"gpt2","b":"gpt3"})"), "b");
  EXPECT_EQ(field(R"({"a":"gpt3","b":"gpt2"})"), "a");
  EXPECT_EQ(field(R"({"a":"gpt2","b.bach":2})"), "b.bach");
  EXPECT_EQ(field(R"({"a":"gpt2","bach":2})"), "bach");
  EXPECT_EQ(field(R"({"a":"gpt2","b.batch":0})"), "b.batch");
  EXPECT_EQ(field(R"({"a":{"model_type":"gpt2","n_layer":-1},"b":"gpt2"})"), "a.n_layer");
  EXPECT_EQ(field(R"({"a":"gpt2","b":{"model_type":"abacus"}})"), "b.model_type");
}

}  // namespace
}  // namespace wattree
