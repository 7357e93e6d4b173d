#include "src/measure/dataset/stats.h"

#include <gtest/gtest.h>

#include "src/measure/dataset/irene_import.h"

namespace wattree {
namespace {

// What the handwritten files hold, counted by hand.
TEST(DatasetStats, CountsNodesMeasurementsAndGaps) {
  const Result<Dataset> data =
      import_irene(std::filesystem::path(WATTREE_SOURCE_DIR) / "tests/data/irene-tiny");
  ASSERT_TRUE(data.ok()) << data.error().message;
  DatasetStats stats;
  for (const DatasetTree& tree : data.value().trees) stats.add(tree);
  ASSERT_EQ(stats.models().size(), 2U);
  const ModelStats& gpt = stats.models()[0];
  EXPECT_EQ(gpt.model_name, "tiny-gpt");
  EXPECT_EQ(gpt.trees, 2U);
  EXPECT_EQ(gpt.nodes.ml, 9U + 3U);
  EXPECT_EQ(gpt.nodes.module, 3U + 2U);
  EXPECT_EQ(gpt.nodes.model, 2U);
  EXPECT_EQ(gpt.unmeasured, 3U);
  EXPECT_EQ(gpt.depth, 4);
  EXPECT_EQ(gpt.seq_lens, (std::set<std::int64_t>{4, 8}));
  const ModelStats& bert = stats.models()[1];
  EXPECT_EQ(bert.nodes.ml, 6U);
  EXPECT_EQ(bert.nodes.module, 7U);
  EXPECT_EQ(bert.depth, 5);
  EXPECT_EQ(bert.unmeasured, 0U);
  EXPECT_EQ(stats.total().nodes.all(), 33U);
  EXPECT_EQ(stats.measured().all(), 30U);
  // Twice two MatMuls, the two layers of the BERT with all that is in them, and the embedding and
  // LayerNorm that both models share.
  EXPECT_EQ(stats.distinct().all(), 30U - 2U - 3U - 2U);
  EXPECT_EQ(stats.ops().at("MatMul").nodes, 4U);
  EXPECT_EQ(stats.ops().at("MatMul").distinct, 2U);
  EXPECT_EQ(stats.ops().at("LayerNorm").models, (std::set<std::string>{"tiny-bert", "tiny-gpt"}));
  EXPECT_EQ(stats.missing()[static_cast<std::size_t>(Feature::kFlops)], 3U);
  // Two embeddings, what is above them (three), and the three nodes without a row.
  EXPECT_EQ(stats.missing()[static_cast<std::size_t>(Feature::kParameters)], 8U);
  EXPECT_EQ(stats.predicted(), 0U);
}

// IrEne's Table 4, where its data is at hand: ml, module and model nodes, and depth.
TEST(DatasetStats, CountsWhatThePaperSays) {
  const std::filesystem::path folder =
      std::filesystem::path(WATTREE_SOURCE_DIR) / "../shared/irene-dataset";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "IrEne's published data is not at hand";
  const Result<Dataset> data = import_irene(folder);
  ASSERT_TRUE(data.ok()) << data.error().message;
  DatasetStats stats;
  for (const DatasetTree& tree : data.value().trees) stats.add(tree);
  struct Row {
    std::string_view model;
    std::size_t ml, module, trees;
    int depth;
  };
  std::size_t seen = 0;
  for (const Row& row :
       {Row{"bert-base-uncased", 3864, 2100, 28, 6},
        Row{"distilbert-base-uncased", 1932, 560, 28, 5}, Row{"gpt2", 2997, 972, 27, 4}}) {
    for (const ModelStats& model : stats.models()) {
      if (model.model_name != row.model) continue;
      ++seen;
      EXPECT_EQ(model.nodes.ml, row.ml);
      EXPECT_EQ(model.nodes.module, row.module);
      EXPECT_EQ(model.nodes.model, row.trees);
      EXPECT_EQ(model.trees, row.trees);
      EXPECT_EQ(model.depth, row.depth);
    }
  }
  EXPECT_EQ(seen, 3U);
}

}  // namespace
}  // namespace wattree
