// The public functions against figures known from elsewhere, and against the engine's own laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "wattree/wattree.h"

namespace wattree {
namespace {

const std::filesystem::path kData = std::filesystem::path(WATTREE_SOURCE_DIR) / "tests/data";

TEST(PublicTree, HasTheParametersThatThePapersHave) {
  const Result<ModelConfig> bert = bundled_config("bert-base-uncased");
  ASSERT_TRUE(bert.ok());
  PassOptions pass;
  pass.batch = 2;
  pass.seq = 16;
  pass.dtype = "bf16";
  const Result<Tree> tree = build_tree(bert.value(), pass);
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree.value().class_name, "BertModel");
  EXPECT_EQ(tree.value().root().params, 109'482'240);
  EXPECT_EQ(tree.value().root().level, NodeLevel::kModel);
  EXPECT_EQ(tree.value().root().parent, -1);
  EXPECT_EQ(tree.value().batch, 2);
  EXPECT_EQ(tree.value().seq, 16);
  EXPECT_EQ(tree.value().dtype, "bf16");
  EXPECT_EQ(tree.value().attention, "sdpa");
  const auto& nodes = tree.value().nodes;
  const auto query = std::find_if(nodes.begin(), nodes.end(), [](const TreeNode& node) {
    return node.scope == "encoder.layer.0.attention.self.query";
  });
  ASSERT_NE(query, nodes.end());
  EXPECT_EQ(query->type, "Linear");
  EXPECT_EQ(name_of(query->level), "ml");
  EXPECT_EQ(query->shape, (std::vector<std::int64_t>{2, 16, 768}));
  EXPECT_EQ(query->params, 768 * 768 + 768);
  EXPECT_EQ(query->matmul_flops, 2 * 2 * 16 * 768 * 768);
}

TEST(PublicTree, TakesTheTextOfAConfigAndOverrides) {
  const std::string config = R"({"model_type": "gpt2", "n_layer": 2})";
  PassOptions pass;
  const Result<Tree> two = build_tree({"mine", config}, pass);
  pass.set = {{"n_layer", "4"}};
  const Result<Tree> four = build_tree({"mine", config}, pass);
  ASSERT_TRUE(two.ok() && four.ok());
  EXPECT_EQ(two.value().model, "mine");
  const std::int64_t layer = 12 * 768 * 768 + 13 * 768;
  EXPECT_EQ(four.value().root().params - two.value().root().params, 2 * layer);
}

TEST(PublicTree, NamesWhatIsWrongInPlainWords) {
  EXPECT_EQ(bundled_config("bert-base-uncasde").error().code, ErrorCode::kNotFound);
  const Result<Tree> no_json = build_tree({"mine", "{"});
  ASSERT_FALSE(no_json.ok());
  EXPECT_EQ(no_json.error().code, ErrorCode::kInvalidInput);
  PassOptions pass;
  pass.dtype = "fp99";
  const Result<Tree> tree = build_tree(bundled_config("gpt2").value(), pass);
  ASSERT_FALSE(tree.ok());
  EXPECT_NE(tree.error().message.find("fp99"), std::string::npos) << tree.error().message;
  EXPECT_EQ((tree.error().message + tree.error().hint).find('<'), std::string::npos);
}

TEST(PublicTree, ListsWhatIsBundled) {
  const std::vector<std::string> names = bundled_config_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "gpt2"), names.end());
}

TEST(PublicPrediction, AddsUpAtEveryNode) {
  const Result<EnergyPredictor> by = EnergyPredictor::named();
  ASSERT_TRUE(by.ok());
  EXPECT_EQ(by.value().name(), "h200");
  PassOptions pass;
  pass.dtype = "bf16";
  const Result<PredictedTree> predicted =
      predict(bundled_config("bert-tiny").value(), pass, by.value());
  ASSERT_TRUE(predicted.ok());
  const auto& [tree, nodes, memory] = predicted.value();
  ASSERT_EQ(tree.nodes.size(), nodes.size());
  EXPECT_GE(memory.weights, 2 * tree.nodes.back().params);
  EXPECT_EQ(memory.peak, memory.weights + memory.inputs + memory.cache + memory.activations);
  EXPECT_EQ(memory.device, std::int64_t{141} << 30);
  EXPECT_TRUE(memory.fits());
  std::vector<double> sums(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sums[i] += nodes[i].own_energy.value;
    EXPECT_NEAR(sums[i], nodes[i].energy.value.value, 1e-9 * sums.back() + 1e-15);
    EXPECT_LE(nodes[i].energy.low, nodes[i].energy.value);
    EXPECT_GE(nodes[i].energy.high, nodes[i].energy.value);
    EXPECT_EQ(nodes[i].provenance.basis, Basis::kPredicted);
    EXPECT_EQ(nodes[i].provenance.boundary, Boundary::kGpu);
    if (tree.nodes[i].parent >= 0) {
      sums[static_cast<std::size_t>(tree.nodes[i].parent)] += nodes[i].energy.value.value;
    }
  }
  ASSERT_TRUE(predicted.value().root().time);
  EXPECT_EQ(predicted.value().root().share, 1.0);
  // A card of 700 W that is not idle.
  const Watts power = predicted.value().root().energy.value / predicted.value().root().time->value;
  EXPECT_GT(power, Watts(70));
  EXPECT_LT(power, Watts(700));
}

TEST(PublicPrediction, EagerTakesLongerThanAGraph) {
  const EnergyPredictor by = EnergyPredictor::named("h200").value();
  const ModelConfig model = bundled_config("bert-tiny").value();
  PassOptions pass;
  pass.dtype = "bf16";
  const Result<PredictedTree> graph = predict(model, pass, by);
  const Result<PredictedTree> eager = predict(model, pass, by, LaunchMode::kEager);
  ASSERT_TRUE(graph.ok() && eager.ok());
  EXPECT_GT(eager.value().root().time->value, graph.value().root().time->value);
}

TEST(PublicPrediction, ReadsAPredictorFileAndSaysWhatIsAssumed) {
  const Result<EnergyPredictor> file =
      EnergyPredictor::from_file(kData / "predictors/imaginary.json");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file.value().hardware().empty());
  const Result<EnergyPredictor> assumed = EnergyPredictor::named("a100-sxm4-80gb");
  ASSERT_TRUE(assumed.ok());
  PassOptions pass;
  pass.dtype = "bf16";
  const Result<PredictedTree> tree = predict(bundled_config("gpt2").value(), pass, assumed.value());
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree.value().root().provenance.basis, Basis::kAssumed);
  EXPECT_EQ(EnergyPredictor::named("abacus").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(EnergyPredictor::from_file("").error().code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(EnergyPredictor::from_file(kData / "no-such-file.json").ok());
}

TEST(PublicProfile, SumsUpWhatWasPublished) {
  const Result<RunProfile> read = bundled_run_profile("bert-base-v100");
  ASSERT_TRUE(read.ok());
  const RunProfile& run = read.value();
  EXPECT_FALSE(run.name.empty());
  ASSERT_TRUE(run.energy && run.provenance);
  Joules of_components;
  for (const RunComponent& component : run.components) {
    of_components = of_components + component.energy;
  }
  Joules of_epochs;
  for (const RunEpoch& epoch : run.epochs) of_epochs = of_epochs + epoch.energy.value_or(Joules(0));
  EXPECT_NEAR(of_components.value, run.energy->value, 1e-9 * run.energy->value);
  EXPECT_NEAR(of_epochs.value, run.energy->value, 1e-9 * run.energy->value);
  EXPECT_EQ(name_of(run.provenance->basis), "published");
  EXPECT_EQ(bundled_run_profile("nobody's").error().code, ErrorCode::kNotFound);
}

TEST(PublicProfile, ReadsFilesAndKeepsWhatIsAbsentAbsent) {
  EXPECT_FALSE(read_run_profile(kData / "no-such-file.json").ok());
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "profiles")) {
    const Result<RunProfile> run = read_run_profile(entry.path());
    if (!run.ok()) continue;
    ++read;
    const bool has_energy = !run.value().components.empty();
    EXPECT_EQ(run.value().energy.has_value(), has_energy) << entry.path();
    EXPECT_EQ(run.value().provenance.has_value(), has_energy) << entry.path();
  }
  EXPECT_GT(read, 0);
}

TEST(PublicVersion, IsThreeNumbers) {
  EXPECT_EQ(std::count(version().begin(), version().end(), '.'), 2);
}

}  // namespace
}  // namespace wattree
