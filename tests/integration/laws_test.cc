// What must hold in every tree: all bundled models, several sizes, every dtype, both attentions,
// decode steps.
#include <gtest/gtest.h>

#include <set>

#include "src/base/file.h"
#include "src/models/families/family.h"
#include "src/models/hub/bundled.h"
#include "tests/integration/pass_sizes.h"

namespace wattree {
namespace {

void expect_laws(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<std::int64_t> flops(nodes.size()), matmul(nodes.size()), bytes(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    ASSERT_EQ(node.parent < 0, i + 1 == nodes.size()) << "only the root has no parent";
    ASSERT_TRUE(node.parent < 0 || node.parent > static_cast<std::int32_t>(i)) << "post-order";
    ASSERT_GE(node.flops, node.matmul_flops) << node.scope;
    ASSERT_GE(node.bytes, 0) << node.scope;
    if (node.op == Op::kNone) {
      // A module does nothing of its own: it is the sum of its children.
      ASSERT_EQ(node.flops, flops[i]) << node.scope;
      ASSERT_EQ(node.matmul_flops, matmul[i]) << node.scope;
      ASSERT_EQ(node.bytes, bytes[i]) << node.scope;
    } else {
      ASSERT_TRUE(tree.is_leaf(node)) << node.scope;
    }
    if (node.parent >= 0) {
      flops[static_cast<std::size_t>(node.parent)] += node.flops;
      matmul[static_cast<std::size_t>(node.parent)] += node.matmul_flops;
      bytes[static_cast<std::size_t>(node.parent)] += node.bytes;
    }
  }
  // Distinct parameters, counted the slow way at the root and its children.
  std::vector<std::int32_t> checked;
  tree.children(static_cast<std::int32_t>(nodes.size()) - 1, checked);
  checked.push_back(static_cast<std::int32_t>(nodes.size()) - 1);
  for (const std::int32_t index : checked) {
    const Node& node = nodes[static_cast<std::size_t>(index)];
    std::set<std::int32_t> seen;
    std::int64_t params = 0;
    for (const ParameterUse& use : tree.parameters()) {
      if (use.node >= node.first && use.node <= index && seen.insert(use.id).second) {
        params += use.elements;
      }
    }
    ASSERT_EQ(node.params, params) << node.scope;
  }
}

class Laws : public testing::TestWithParam<std::string> {};

TEST_P(Laws, HoldForEverySizeAndPrecision) {
  std::string json;
  for (const BundledModel& model : bundled_models()) {
    if (model.name == GetParam()) json = model.json;
  }
  const Result<Config> config = Config::parse(json, GetParam());
  ASSERT_TRUE(config.ok());
  for (const Size& size : {Size{1, 1, 0}, Size{3, 17, 0}, Size{16, 64, 0}, Size{2, 1, 33}}) {
    for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                      Precision::kFp16, Precision::kInt8, Precision::kInt4}) {
      for (const Attention attention : {Attention::kSdpa, Attention::kEager}) {
        const BuildRequest request = request_of(size, precision, attention);
        Result<Config> fresh = Config::parse(json, GetParam());
        const Result<BuiltTree> built = build_tree(fresh.value(), request);
        if (!built.ok() && size.past > 0) continue;  // An encoder cannot decode.
        ASSERT_TRUE(built.ok()) << built.error().message;
        ASSERT_NO_FATAL_FAILURE(expect_laws(built.value().tree));
      }
    }
  }
}

TEST_P(Laws, BundledConfigIsTheFileInData) {
  const Result<std::string> file =
      read_file(std::string(WATTREE_SOURCE_DIR "/data/models/") + GetParam() + ".json");
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (const BundledModel& model : bundled_models()) {
    if (model.name == GetParam()) {
      EXPECT_EQ(model.json, file.value());
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const BundledModel& model : bundled_models()) out.emplace_back(model.name);
  return out;
}

std::string label(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bundled, Laws, testing::ValuesIn(names()), label);

TEST(Bundled, AtLeastFortyModels) { EXPECT_GE(bundled_models().size(), 40u); }

}  // namespace
}  // namespace wattree
