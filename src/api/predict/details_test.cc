// What pages are told of every node: folds, classes, features, and measurements of the same work.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/predict/predict.h"
#include "src/api/predict/test_services.h"
#include "src/api/predict/tree.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

Json answer_to(const char* body) {
  const Result<PredictRequest> request = predict_request(Json::parse(body));
  EXPECT_TRUE(request.ok()) << request.error().message;
  const Result<PredictAnswer> answer = predict(request.value(), offline_services());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return Json::parse(to_json(answer.value(), 0));
}

const Json& below(const Json& node, const std::string& scope) {
  for (const Json& child : node.at("children")) {
    if (child.at("scope") == scope) return child;
  }
  ADD_FAILURE() << "no " << scope << " below " << node.at("scope");
  return node;
}

constexpr const char* kBert =
    R"({"model":"bert-base-uncased","batch":16,"seq":128,"dtype":"bf16","on":"h200"})";

// Children and own are the node, also where nodes stand for several.
void expect_sums(const Json& node) {
  double sum = node.at("own_energy_j");
  for (const Json& child : node.at("children")) {
    sum += child.at("energy_j").get<double>();
    expect_sums(child);
  }
  EXPECT_NEAR(sum, node.at("energy_j").get<double>(), 1e-9 * sum) << node.at("scope");
}

std::size_t nodes_of(const Json& node) {
  std::size_t count = 1;
  for (const Json& child : node.at("children")) count += nodes_of(child);
  return count;
}

TEST(Fold, LayersThatAreAlikeAreOneNode) {
  const Json folded = answer_to(kBert).at("tree");
  const Json whole =
      answer_to(
          R"({"model":"bert-base-uncased","batch":16,"seq":128,"dtype":"bf16","on":"h200","fold":"no"})")
          .at("tree");
  const Json& layers = below(below(folded, "encoder"), "encoder.layer.0");
  EXPECT_EQ(layers.at("count"), 12);
  EXPECT_EQ(layers.at("times"), 12);
  EXPECT_EQ(layers.at("last_scope"), "encoder.layer.11");
  const Json& encoder = below(whole, "encoder");
  EXPECT_EQ(encoder.at("children").size(), 12U);
  double energy = 0;
  std::int64_t params = 0;
  for (const Json& layer : encoder.at("children")) {
    energy += layer.at("energy_j").get<double>();
    params += layer.at("params").get<std::int64_t>();
    EXPECT_FALSE(layer.contains("count"));
  }
  EXPECT_NEAR(layers.at("energy_j").get<double>(), energy, 1e-9 * energy);
  EXPECT_EQ(layers.at("params"), params);
  // A part of a layer stands for twelve, though it has no sibling like it.
  const Json& attention = below(layers, "encoder.layer.0.attention");
  EXPECT_EQ(attention.at("times"), 12);
  EXPECT_FALSE(attention.contains("count"));
  expect_sums(folded);
  expect_sums(whole);
  // Eleven of twelve layers are not written out.
  const std::size_t layer = nodes_of(encoder.at("children").front());
  EXPECT_EQ(nodes_of(whole) - nodes_of(folded), 11 * layer);
}

TEST(Fold, RunsOfOneModuleShareTheirParameters) {
  const Json tree = answer_to(R"({"model":"albert-base-v2","seq":16,"on":"h200"})").at("tree");
  const Json& groups = below(below(tree, "encoder"), "encoder.albert_layer_groups.0");
  EXPECT_EQ(groups.at("count"), 12);
  EXPECT_FALSE(groups.contains("last_scope"));
  // 4 · (768² + 768) + 768·3072 + 3072 + 3072·768 + 768 + two norms of 2·768.
  EXPECT_EQ(groups.at("params"), 4 * (768 * 768 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768);
}

TEST(Fold, SumsHoldInEveryFamily) {
  for (const char* name : {"gpt2", "gemma-2-2b", "mixtral-8x7b", "t5-small", "whisper-tiny",
                           "vit-base-patch16-224", "modernbert-base", "deberta-v3-small"}) {
    expect_sums(
        answer_to((R"({"model":")" + std::string(name) + R"(","seq":64,"on":"h200"})").c_str())
            .at("tree"));
  }
}

TEST(Fold, DepthSaysWhatItHides) {
  const Json tree = answer_to(R"({"model":"bert-tiny","seq":8,"on":"h200","depth":1})").at("tree");
  EXPECT_EQ(below(tree, "encoder").at("hidden"), 1);  // Both layers are one.
  EXPECT_TRUE(below(tree, "encoder").at("children").empty());
  EXPECT_FALSE(tree.contains("hidden"));
}

TEST(Details, ClassesAreThoseOfTheFigure) {
  const Json root = answer_to(kBert).at("tree");
  const Json& layer = below(below(root, "encoder"), "encoder.layer.0");
  EXPECT_EQ(layer.at("class"), "module");
  const Json& self =
      below(below(layer, "encoder.layer.0.attention"), "encoder.layer.0.attention.self");
  EXPECT_EQ(below(self, "encoder.layer.0.attention.self.query").at("class"), "parametric");
  EXPECT_EQ(below(layer, "encoder.layer.0.intermediate").at("children").back().at("class"),
            "nonparametric");  // GELU.
  const auto request = tree_request(Json::parse(R"({"model":"bert-tiny"})"));
  const Json plain = Json::parse(to_json(tree(request.value(), offline_services()).value()));
  EXPECT_EQ(plain.at("tree").at("class"), "module");
}

TEST(Details, TwelveFeaturesWithUnits) {
  const Json answer = answer_to(kBert);
  ASSERT_EQ(answer.at("features").size(), 12U);
  const Json& layer = below(below(answer.at("tree"), "encoder"), "encoder.layer.0");
  const Json& dense =
      below(below(layer, "encoder.layer.0.intermediate"), "encoder.layer.0.intermediate.dense");
  const Json& features = dense.at("features");
  EXPECT_EQ(features.size(), 12U);
  EXPECT_EQ(features.at("batch_size"), 16);
  EXPECT_EQ(features.at("seq_len"), 128);
  // Of one execution, in millions: 2048 rows through 768 × 3072, and a bias.
  EXPECT_DOUBLE_EQ(features.at("flops").get<double>(),
                   (2.0 * 2048 * 768 * 3072 + 2048.0 * 3072) / 1e6);
  EXPECT_DOUBLE_EQ(features.at("mem_bytes").get<double>(),
                   2.0 * (2048 * 768 + 768 * 3072 + 3072 + 2048 * 3072) / (1 << 20));
  EXPECT_NEAR(12 * features.at("gpu_energy").get<double>(), dense.at("energy_j").get<double>(),
              1e-12);
  EXPECT_NEAR(12 * features.at("latency").get<double>(), dense.at("time_s").get<double>(), 1e-12);
  for (const Json& feature : answer.at("features")) {
    EXPECT_TRUE(features.contains(feature.at("name"))) << feature;
    EXPECT_FALSE(feature.at("unit").get<std::string>().empty());
    EXPECT_TRUE(!features.at(feature.at("name").get<std::string>()).is_null() ||
                feature.contains("null_means"))
        << feature;
  }
}

TEST(Details, MeasuredPassesStandBesideThePrediction) {
  // data/h200/README.md: this pass took 0.721 to 0.768 J, by card.
  const Json tree = answer_to(kBert).at("tree");
  const double measured = tree.at("measured_j");
  EXPECT_GE(measured, 0.721);
  EXPECT_LE(measured, 0.768);
  EXPECT_GE(tree.at("measured").at("windows"), 1);
  EXPECT_TRUE(tree.at("measured").at("doubts").empty());
  EXPECT_EQ(tree.at("measured").at("basis").at("kind"), "measured");
  EXPECT_EQ(tree.at("features").at("g_clk"), 1980);
  // Every op of this pass was measured by itself.
  const Json& layer = below(below(tree, "encoder"), "encoder.layer.0");
  const Json& dense = below(below(layer, "encoder.layer.0.output"), "encoder.layer.0.output.dense");
  EXPECT_NEAR(dense.at("measured_j").get<double>(), dense.at("energy_j").get<double>(),
              0.2 * dense.at("energy_j").get<double>());
  EXPECT_NEAR(dense.at("measured_j").get<double>(),
              12 * dense.at("measured").at("energy_j").get<double>(), 1e-12);
}

TEST(Details, OtherWorkHasNoMeasurement) {
  for (const char* other : {R"("batch":15,"seq":127,"dtype":"bf16","on":"h200")",
                            R"("batch":16,"seq":128,"dtype":"tf32","on":"h200")",
                            R"("batch":16,"seq":128,"dtype":"bf16","on":"h100-sxm5-80gb")"}) {
    const Json answer =
        answer_to((R"({"model":"bert-base-uncased",)" + std::string(other) + "}").c_str());
    EXPECT_FALSE(answer.at("tree").contains("measured_j")) << other;
    EXPECT_TRUE(answer.at("tree").at("features").at("gpu_util").is_null()) << other;
  }
}

TEST(Details, ThePlainContractHasNone) {
  PredictRequest request;
  request.model.name = "bert-tiny";
  request.predictor.on = "h200";
  const Json answer = Json::parse(to_json(predict(request, offline_services()).value()));
  EXPECT_FALSE(answer.contains("features"));
  for (const char* field : {"class", "features", "times", "measured_j"}) {
    EXPECT_FALSE(answer.at("tree").contains(field)) << field;
  }
}

}  // namespace
}  // namespace wattree
