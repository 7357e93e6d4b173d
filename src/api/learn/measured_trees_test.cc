#include "src/api/learn/measured_trees.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/predict/estimate/explain.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

Services offline() {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.hub.offline = true;
  out.hub.cache.clear();
  out.predictors.clear();
  return out;
}

Json shown(const std::string& text, const PredictorRef& by = {"h200", "", ""}) {
  const Result<MeasuredTreesAnswer> answer = measured_trees({by, text}, offline());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return Json::parse(to_json(answer.value()));
}

Prediction predicted() {
  PassShape pass;
  pass.batch = 2;
  pass.seq = 16;
  pass.dtype = "bf16";
  const Services services = offline();
  Result<OpenedModel> opened = open_model({"bert-tiny"}, pass, services);
  const auto by = find_predictor({"h200", "", ""}, services);
  return std::move(predict(std::move(opened).value().built, by.value())).value();
}

Json node(const char* id, const char* scope, const char* type, const char* kind, double energy) {
  return {{"id", id},
          {"scope", scope},
          {"instance_type", type},
          {"type", kind},
          {"ground_truth_energy", energy},
          {"child_nodes_obj", Json::array()}};
}

// A tree whose whole took a quarter more than predicted, and whose pooler half as much.
Json measured_tree() {
  const Prediction prediction = predicted();
  const auto energy = [&](const char* scope) {
    return prediction.nodes[find_node(prediction.built.tree, scope).value()].energy.value;
  };
  Json root = node("0", "root", "BertModel", "model", 1.25 * energy(""));
  Json pooler = node("1", "root.pooler", "BertPooler", "module", 0.5 * energy("pooler"));
  pooler["child_nodes_obj"] = {
      node("2", "root.pooler.dense", "Linear", "ml", energy("pooler.dense"))};
  root["child_nodes_obj"] = {pooler};
  return {{"model_name", "bert-tiny"},
          {"batch_size", 2},
          {"seq_len", 16},
          {"dtype", "bf16"},
          {"frontend_tree", root}};
}

TEST(MeasuredTrees, StandBesidePredictions) {
  const Json answer = shown(measured_tree().dump() + "\n");
  ASSERT_EQ(answer.at("trees").size(), 1U);
  const Json& tree = answer.at("trees")[0];
  EXPECT_EQ(tree.at("predicted_from"), "config");
  const Json& root = tree.at("tree");
  EXPECT_EQ(root.at("scope"), "");
  EXPECT_NEAR(root.at("error").get<double>(), 1 / 1.25 - 1, 1e-9);
  const Json& pooler = root.at("children")[0];
  EXPECT_NEAR(pooler.at("error").get<double>(), 1, 1e-9);
  EXPECT_NEAR(pooler.at("children")[0].at("error").get<double>(), 0, 1e-9);
  EXPECT_EQ(pooler.at("children")[0].at("class"), "parametric");
  EXPECT_EQ(pooler.at("children")[0].at("inside"), true);
  EXPECT_NEAR(answer.at("errors").at("model").at("mean_error").get<double>(), 0.2, 1e-9);
  EXPECT_NEAR(answer.at("errors").at("module").at("mean_error").get<double>(), 1, 1e-9);
  EXPECT_EQ(answer.at("errors").at("ml").at("nodes"), 1);
}

TEST(MeasuredTrees, LinesArraysAndSpreadTreesAreRead) {
  const Json tree = measured_tree();
  EXPECT_EQ(shown(tree.dump() + "\n" + tree.dump()).at("trees").size(), 2U);
  EXPECT_EQ(shown(Json({tree, tree, tree}).dump()).at("trees").size(), 3U);
  EXPECT_EQ(shown(tree.dump(2)).at("trees").size(), 1U);
}

TEST(MeasuredTrees, OfUnknownModelsAreStillShown) {
  const std::string text = read_file(WATTREE_SOURCE_DIR "/tests/data/learn/toy.jsonl").value();
  const std::string line = text.substr(0, text.find('\n'));
  const Json by_kernels = shown(line).at("trees")[0];
  EXPECT_EQ(by_kernels.at("predicted_from"), "nothing");
  EXPECT_FALSE(by_kernels.at("why_not").get<std::string>().empty());
  EXPECT_GT(by_kernels.at("tree").at("measured_j").get<double>(), 0);
  EXPECT_FALSE(by_kernels.at("tree").contains("energy_j"));
  // A predictor of nodes takes the dataset's own counts.
  const Json by_counts =
      shown(line, {"", WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json", ""})
          .at("trees")[0];
  EXPECT_EQ(by_counts.at("predicted_from"), "dataset");
  EXPECT_GT(by_counts.at("tree").at("energy_j").get<double>(), 0);
}

TEST(MeasuredTrees, BadLinesAreNamed) {
  const auto message = [](const std::string& text) {
    const auto answer = measured_trees({{"h200", "", ""}, text}, offline());
    return answer.ok() ? std::string("none") : answer.error().message;
  };
  EXPECT_NE(message("{").find("the dataset"), std::string::npos) << message("{");
  EXPECT_NE(message("{}").find("tree 1"), std::string::npos) << message("{}");
  EXPECT_NE(message(measured_tree().dump() + "\n{}").find("tree 2"), std::string::npos);
  EXPECT_NE(message("").find("0 trees"), std::string::npos) << message("");
}

}  // namespace
}  // namespace wattree
