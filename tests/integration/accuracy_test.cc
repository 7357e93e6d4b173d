// How accurate the methods are on IrEne's published data. What is asserted here is what the
// documents promise (docs/accuracy.md). Skipped, and said so, where the data is not at hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "src/api/learn/evaluate.h"
#include "src/measure/dataset/irene_import.h"
#include "src/predict/evaluate/shares.h"

namespace wattree {
namespace {

class Accuracy : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto folder = std::filesystem::path(WATTREE_SOURCE_DIR) / "../shared/irene-dataset";
    if (!std::filesystem::exists(folder)) return;
    Result<Dataset> data = import_irene(folder);
    ASSERT_TRUE(data.ok()) << data.error().message;
    std::vector<DatasetTree> trees = std::move(data).value().trees;
    Result<ChosenTrees> chosen = choose_models(trees, {});
    ASSERT_TRUE(chosen.ok());
    input_ = new StudyData("published", std::move(trees), std::move(chosen).value());
  }
  static void TearDownTestSuite() {
    delete input_;
    input_ = nullptr;
  }
  void SetUp() override {
    if (input_ == nullptr) GTEST_SKIP() << "IrEne's published data is not at hand";
  }

  static Study evaluate(const StudyOptions& query) {
    Result<Study> answer = run_study(*input_, query);
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return std::move(answer).value();
  }
  static void expect_at_most(const LevelValues& values, std::array<double, 3> limits) {
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      ASSERT_TRUE(values.at[l].has_value());
      EXPECT_LE(*values.at[l], limits[l]) << "level " << l;
      EXPECT_GT(*values.at[l], 0) << "level " << l;
    }
  }
  static void expect_coverage(const LevelValues& values, double least, double most) {
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      ASSERT_TRUE(values.at[l].has_value());
      EXPECT_GE(*values.at[l], least) << "level " << l;
      EXPECT_LE(*values.at[l], most) << "level " << l;
    }
  }
  static StudyOptions reconciled(Known known, HoldOut hold_out = HoldOut::kModel,
                                 bool use_twins = true) {
    StudyOptions query;
    query.known = known;
    query.hold_out = hold_out;
    query.use_twins = use_twins;
    return query;
  }
  static StudyOptions irene(Aggregate aggregate, IreneFeatures features = IreneFeatures::kAll) {
    StudyOptions query;
    query.aggregate = aggregate;
    query.features = features;
    return query;
  }

  // NOLINTNEXTLINE(*-non-const-global-variables,*-identifier-naming): read once for all tests.
  static StudyData* input_;
};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): see above.
StudyData* Accuracy::input_ = nullptr;

TEST_F(Accuracy, TheModelThatThePaperLeavesOutIsLeftOut) {
  EXPECT_EQ(input_->chosen.models.size(), 6U);
  EXPECT_EQ(input_->chosen.left_out, (std::vector<std::string>{"sshleifer/tiny-ctrl"}));
}

TEST_F(Accuracy, ReconciledWithNothingKnown) {
  const Study answer = evaluate(reconciled(Known::kNothing));
  expect_at_most(answer.evaluation.overall, {2.5, 2.6, 1.5});
  expect_coverage(answer.evaluation.coverage, 86, 95);
  EXPECT_GT(answer.evaluation.looked_up, 0.9);
}

TEST_F(Accuracy, ReconciledWithNothingKnownAndNothingLookedUp) {
  const Study answer = evaluate(reconciled(Known::kNothing, HoldOut::kModel, false));
  expect_at_most(answer.evaluation.overall, {2.5, 2.6, 1.5});
  expect_coverage(answer.evaluation.coverage, 86, 95);
  EXPECT_EQ(answer.evaluation.looked_up, 0);
}

TEST_F(Accuracy, ReconciledWithLeavesKnown) {
  const Study answer = evaluate(reconciled(Known::kLeaves));
  expect_at_most(answer.evaluation.overall, {0.55, 1.7, 1.35});
  expect_coverage(answer.evaluation.coverage, 86, 95);
}

TEST_F(Accuracy, ReconciledWithTheNodeKnown) {
  const Study answer = evaluate(reconciled(Known::kNode));
  expect_at_most(answer.evaluation.overall, {0.53, 0.46, 0.46});
  expect_coverage(answer.evaluation.coverage, 86, 95);
}

TEST_F(Accuracy, ReconciledOnFamiliesItHasNotSeen) {
  for (const bool use_twins : {true, false}) {
    const Study answer = evaluate(reconciled(Known::kNothing, HoldOut::kFamily, use_twins));
    EXPECT_EQ(answer.groups.size(), 3U);
    expect_at_most(answer.evaluation.overall, {4, 3.0, 2.0});
    expect_coverage(answer.evaluation.coverage, 80, 100);
  }
  for (const Known known : {Known::kLeaves, Known::kNode}) {
    expect_coverage(evaluate(reconciled(known, HoldOut::kFamily)).evaluation.coverage, 80, 100);
  }
}

TEST_F(Accuracy, ChildrenAndOwnAddUpWhateverIsKnown) {
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const Study answer = evaluate(reconciled(static_cast<Known>(k)));
    const auto& predictions = answer.evaluation.predictions;
    // Predictions of a tree stand together, children before their parents.
    std::vector<double> children;
    for (const NodePrediction& p : predictions) {
      const WorkTree& tree = input_->data.work.trees[static_cast<std::size_t>(p.tree)];
      if (p.node == 0) children.assign(tree.nodes.size(), 0.0);
      const auto node = static_cast<std::size_t>(p.node);
      ASSERT_NEAR(children[node] + p.own.value, p.energy.value, 1e-9 * p.energy.value);
      const std::int32_t parent = tree.nodes[node].parent;
      if (parent >= 0) children[static_cast<std::size_t>(parent)] += p.energy.value;
    }
  }
}

TEST_F(Accuracy, IreneAsThePaperHasIt) {
  const Study sum = evaluate(irene(Aggregate::kSum));
  EXPECT_NEAR(*sum.evaluation.overall.at[1], 16.40, 0.02);
  EXPECT_NEAR(*sum.evaluation.overall.at[2], 17.69, 0.02);
  const std::map<std::string, double> table_7{
      {"Embedding", 0.65}, {"LayerNorm", 0.89}, {"Linear", 0.60}, {"Tanh", 0.82},
      {"MatMul", 0.61},    {"Softmax", 1.0},    {"Conv1D", 0.58}};
  ASSERT_EQ(sum.evaluation.by_type.size(), table_7.size());
  for (const auto& [type, errors] : sum.evaluation.by_type) {
    EXPECT_NEAR(*errors.at[0], table_7.at(type), 0.02) << type;
  }

  const Study end2end = evaluate(irene(Aggregate::kEnd2End));
  EXPECT_EQ(end2end.by_seed.size(), 10U);
  EXPECT_NEAR(*end2end.evaluation.overall.at[0], 0.70, 0.02);
  EXPECT_NEAR(*end2end.evaluation.overall.at[1], 8.6, 0.3);
  EXPECT_NEAR(*end2end.evaluation.overall.at[2], 6.5, 1.5);
  expect_at_most(evaluate(reconciled(Known::kLeaves)).evaluation.overall,
                 {0.70, *end2end.evaluation.overall.at[1], *end2end.evaluation.overall.at[2]});

  const Study stepwise = evaluate(irene(Aggregate::kStepwise));
  EXPECT_NEAR(*stepwise.evaluation.overall.at[1], 9.3, 0.3);
  EXPECT_NEAR(*stepwise.evaluation.overall.at[2], 14, 2);

  const Study model = evaluate(irene(Aggregate::kEnd2End, IreneFeatures::kModel));
  EXPECT_NEAR(*model.evaluation.overall.at[0], 5.76, 0.02);
  EXPECT_NEAR(*model.evaluation.overall.at[1], 11.5, 0.3);
  EXPECT_NEAR(*model.evaluation.overall.at[2], 8, 1);
  const Study resource = evaluate(irene(Aggregate::kEnd2End, IreneFeatures::kResource));
  EXPECT_NEAR(*resource.evaluation.overall.at[0], 0.63, 0.02);
  EXPECT_NEAR(*resource.evaluation.overall.at[1], 8.9, 0.3);
  EXPECT_NEAR(*resource.evaluation.overall.at[2], 7.5, 1.5);
}

TEST_F(Accuracy, MeasuredShares) {
  std::map<std::pair<std::string, std::string>, double> percent;
  for (const ModelShares& model : measured_shares(input_->data.trees)) {
    for (const TypeShare& share : model.shares) percent[{model.model, share.type}] = share.percent;
  }
  for (const std::string& prefix : {std::string("Bert"), std::string("Roberta")}) {
    const std::string model = prefix == "Bert" ? "bert-base-uncased" : "roberta-base";
    EXPECT_NEAR((percent[{model, prefix + "SelfAttention"}]), 34.7, 1);
    EXPECT_NEAR((percent[{model, prefix + "Intermediate"}]), 29.6, 1);
    EXPECT_NEAR((percent[{model, prefix + "Output"}]), 26.4, 1);
  }
  EXPECT_NEAR((percent[{"gpt2", "MLP"}]), 60.2, 1);
}

}  // namespace
}  // namespace wattree
