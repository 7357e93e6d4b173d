// Explanations step by step, and sizes swept as a table.
#include "src/api/predict/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/api/predict/predict.h"
#include "src/api/predict/sweep.h"
#include "src/api/predict/test_services.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

Json explained(const std::string& node, const char* execution = "graph") {
  const auto request = explain_request({{"model", "bert-base-uncased"},
                                        {"on", "h200"},
                                        {"dtype", "bf16"},
                                        {"execution", execution},
                                        {"node", node}});
  EXPECT_TRUE(request.ok()) << request.error().message;
  const Result<ExplainAnswer> answer = explain(request.value(), offline_services());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return Json::parse(to_json(answer.value()));
}

void expect_reaches_energy(const Json& answer) {
  double at = 0;
  for (const Json& step : answer.at("waterfall")) {
    EXPECT_NEAR(step.at("from_j").get<double>(), at, 1e-15);
    at += step.at("energy_j").get<double>();
    EXPECT_NEAR(step.at("to_j").get<double>(), at, 1e-15);
  }
  const double energy = answer.at("node").at("energy_j");
  EXPECT_NEAR(at, energy, 1e-9 * energy) << answer.at("node").at("scope");
}

TEST(Waterfall, EndsAtTheNodesEnergy) {
  for (const char* execution : {"graph", "eager"}) {
    for (const char* node : {"", "encoder", "encoder.layer.0", "encoder.layer.3.output.dense",
                             "encoder.layer.0.attention.self", "embeddings.LayerNorm"}) {
      expect_reaches_energy(explained(node, execution));
    }
  }
}

TEST(Waterfall, LayersThatAreAlikeAreOneStep) {
  const Json answer = explained("encoder");
  ASSERT_GE(answer.at("waterfall").size(), 1U);
  const Json& layers = answer.at("waterfall")[0];
  EXPECT_EQ(layers.at("kind"), "children");
  EXPECT_EQ(layers.at("label"), "encoder.layer.0");
  EXPECT_EQ(layers.at("count"), 12);
  EXPECT_EQ(answer.at("children").size(), 12U);
}

TEST(HeatMap, IsTheSweepAsATable) {
  const auto request = sweep_request(
      Json::parse(R"({"model":"bert-tiny","on":"h200","batch":[1,4],"seq":"16:48:16"})"));
  ASSERT_TRUE(request.ok()) << request.error().message;
  const auto answer = sweep(request.value(), offline_services(), [](double) {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Json map = Json::parse(to_json(answer.value())).at("heat_map");
  EXPECT_EQ(map.at("batch_sizes"), Json({1, 4}));
  EXPECT_EQ(map.at("seq_lens"), Json({16, 32, 48}));
  ASSERT_EQ(map.at("energy_per_item_j").size(), 2U);
  ASSERT_EQ(map.at("energy_per_item_j")[1].size(), 3U);
  PredictRequest one;
  one.model.name = "bert-tiny";
  one.predictor.on = "h200";
  one.pass.batch = 4;
  one.pass.seq = 32;
  const double energy = predict(one, offline_services()).value().prediction.root().energy.value / 4;
  EXPECT_NEAR(map.at("energy_per_item_j")[1][1].get<double>(), energy, 1e-15);
  // The least is the least of the table, which need not be the shortest: libraries choose kernels.
  double least = energy;
  for (const Json& row : map.at("energy_per_item_j")) {
    for (const Json& cell : row) least = std::min(least, cell.get<double>());
  }
  const int row = map.at("least").at("batch_size") == 4 ? 1 : 0;
  const int column = map.at("least").at("seq_len").get<int>() / 16 - 1;
  EXPECT_EQ(map.at("energy_per_item_j")[row][column], least);
}

}  // namespace
}  // namespace wattree
