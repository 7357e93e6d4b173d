// IrEne's published figures, from IrEne's published data: leave-one-model-out over its six models,
// mean over all nodes of a level. Paper: Cao et al., ACL 2021, tables 7 to 9, machine PC1.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "src/measure/dataset/irene_import.h"
#include "src/predict/irene/fit.h"
#include "src/predict/irene/predict.h"

namespace wattree {
namespace {

// Mean absolute errors in percent.
struct Errors {
  double ml = 0;
  double module = 0;
  double model = 0;
  std::map<std::string, double> by_type;  // Of leaves.
};

struct Mean {
  double sum = 0;
  double count = 0;
  void add(double x) {
    sum += x;
    ++count;
  }
  double value() const { return sum / count; }
};

// The trees of the six models; none where the data is not at hand. The files have a seventh model,
// which the paper does not use.
const std::vector<DatasetTree>& published() {
  static const std::vector<DatasetTree> kTrees = [] {
    const std::filesystem::path folder =
        std::filesystem::path(WATTREE_SOURCE_DIR) / "../shared/irene-dataset";
    std::vector<DatasetTree> out;
    if (!std::filesystem::exists(folder)) return out;
    auto data = import_irene(folder);
    EXPECT_TRUE(data.ok()) << data.error().message;
    if (data.ok()) out = std::move(data).value().trees;
    std::erase_if(out, [](const DatasetTree& tree) {
      return tree.model_name.find("tiny-ctrl") != std::string::npos;
    });
    return out;
  }();
  return kTrees;
}

std::vector<std::string> model_names() {
  std::vector<std::string> out;
  for (const DatasetTree& tree : published()) {
    if (std::find(out.begin(), out.end(), tree.model_name) == out.end()) {
      out.push_back(tree.model_name);
    }
  }
  return out;
}

Errors leave_one_model_out(IreneOptions options, std::int64_t run = 1) {
  std::array<Mean, 3> levels;
  std::map<std::string, Mean> types;
  const std::vector<std::string> models = model_names();
  for (std::size_t fold = 0; fold < models.size(); ++fold) {
    options.seed = run * 100 + static_cast<std::int64_t>(fold);  // Other weights for each fold.
    std::vector<const DatasetTree*> training;
    for (const DatasetTree& tree : published()) {
      if (tree.model_name != models[fold]) training.push_back(&tree);
    }
    const auto fit = fit_irene(training, options);
    EXPECT_TRUE(fit.ok()) << fit.error().message;
    if (!fit.ok()) return {};
    for (const DatasetTree& tree : published()) {
      if (tree.model_name != models[fold]) continue;
      const IrenePrediction predicted = predict_irene(fit.value().model, tree);
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const DatasetNode& node = tree.nodes[i];
        if (!node.energy) continue;
        if (!predicted.energies[i]) {
          ADD_FAILURE() << "no prediction of " << tree.model_name << " " << node.scope;
          return {};
        }
        const double error = 100 * std::abs(predicted.energies[i]->value / node.energy->value - 1);
        levels[node.is_leaf() ? 0 : node.parent >= 0 ? 1 : 2].add(error);
        if (node.is_leaf()) types[node.instance_type].add(error);
      }
    }
  }
  Errors out{levels[0].value(), levels[1].value(), levels[2].value(), {}};
  for (const auto& [type, mean] : types) out.by_type[type] = mean.value();
  return out;
}

struct Range {
  double low;
  double high;
};

// The mean over runs with different first weights: one run's figure for models may lie anywhere
// between 4 and 10 %.
void expect_mean_over_runs(const IreneOptions& options, int runs, Range modules, Range models) {
  Mean module;
  Mean model;
  for (int run = 1; run <= runs; ++run) {
    const Errors errors = leave_one_model_out(options, run);
    module.add(errors.module);
    model.add(errors.model);
  }
  testing::Test::RecordProperty("module", std::to_string(module.value()));
  testing::Test::RecordProperty("model", std::to_string(model.value()));
  EXPECT_GT(module.value(), modules.low);
  EXPECT_LT(module.value(), modules.high);
  EXPECT_GT(model.value(), models.low);
  EXPECT_LT(model.value(), models.high);
}

class IreneReproduction : public testing::Test {
 protected:
  void SetUp() override {
    if (published().empty()) GTEST_SKIP() << "IrEne's published data is not at hand";
    ASSERT_EQ(model_names().size(), 6U);
  }
};

TEST_F(IreneReproduction, LeavesAndTheirSum) {
  const Errors errors = leave_one_model_out({.aggregate = IreneAggregate::kSum});
  EXPECT_NEAR(errors.ml, 0.70, 0.005);
  EXPECT_NEAR(errors.module, 16.40, 0.02);
  EXPECT_NEAR(errors.model, 17.69, 0.02);
  const std::map<std::string, double> table7{
      {"Embedding", 0.65}, {"LayerNorm", 0.89}, {"Linear", 0.60}, {"Tanh", 0.82},
      {"MatMul", 0.61},    {"Softmax", 1.00},   {"Conv1D", 0.58}};
  ASSERT_EQ(errors.by_type.size(), table7.size());
  for (const auto& [type, published] : table7) {
    EXPECT_NEAR(errors.by_type.at(type), published, 0.02) << type;
  }
}

TEST_F(IreneReproduction, LeavesFromOneKindOfFeatures) {
  const auto ml = [](IreneFeatures features) {
    return leave_one_model_out({.aggregate = IreneAggregate::kSum, .features = features}).ml;
  };
  EXPECT_NEAR(ml(IreneFeatures::kModel), 5.76, 0.005);
  EXPECT_NEAR(ml(IreneFeatures::kResource), 0.63, 0.005);
}

TEST_F(IreneReproduction, End2End) {  // Published: 8.54 and 5.52.
  expect_mean_over_runs({}, 5, {8.3, 8.9}, {5, 8});
}

TEST_F(IreneReproduction, Stepwise) {  // Published: 9.28 and 14.84.
  expect_mean_over_runs({.aggregate = IreneAggregate::kStepwise}, 5, {9.0, 9.6}, {12, 16});
}

TEST_F(IreneReproduction, ModelFeaturesOnly) {  // Published: 11.54 and 7.08.
  expect_mean_over_runs({.features = IreneFeatures::kModel}, 10, {11.4, 11.6}, {6, 9});
}

TEST_F(IreneReproduction, ResourceFeaturesOnly) {  // Published: 8.87 and 7.32.
  expect_mean_over_runs({.features = IreneFeatures::kResource}, 6, {8.8, 9.0}, {6, 9});
}

TEST_F(IreneReproduction, UnstructuredIsUseless) {
  // Published: 278 and 39.8; how bad it is depends on where the optimiser stopped.
  const Errors errors = leave_one_model_out({.aggregate = IreneAggregate::kUnstructured});
  EXPECT_GT(errors.module, 200);
  EXPECT_GT(errors.model, 30);
}

}  // namespace
}  // namespace wattree
