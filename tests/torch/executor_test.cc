// Trees of configs, run by the framework on the CPU: every family as a whole, and nodes by
// themselves.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/measure/runner/plugin.h"
#include "tests/integration/record.h"
#include "tests/torch/plugin.h"

namespace wattree {

void PrintTo(const Record& record, std::ostream* out) { *out << record.name; }

namespace {

Executor& executor() {
  static const Result<std::unique_ptr<Executor>> opened =
      open_torch_executor({{tested_plugin()}, "cpu"});
  if (!opened.ok()) ADD_FAILURE() << opened.error().message;
  return *opened.value();
}

Result<BuiltTree> build(const std::string& config, Pass pass, const std::string& as = "") {
  pass.keeps_dataflow = true;
  Result<Config> parsed = Config::parse(config, "test");
  if (!parsed.ok()) return parsed.error();
  return build_tree(parsed.value(), {pass, as});
}

bool has_op(const ModelTree& tree, Op op) {
  return std::any_of(tree.nodes().begin(), tree.nodes().end(),
                     [&](const Node& node) { return node.op == op; });
}

bool is_before_2() { return executor().device().framework.starts_with("PyTorch 1."); }

// What a CPU cannot run, in words of the error; empty where it can run everything.
std::string refusal_of(const ModelTree& tree, Precision precision) {
  if (has_op(tree, Op::kUniqueConsecutive)) return "unique_consecutive";
  if (has_op(tree, Op::kGroupedMm) && is_before_2()) return "_grouped_mm";
  if (precision == Precision::kFp16 && is_before_2()) return "not implemented for 'Half'";
  if (precision == Precision::kFp16 && has_op(tree, Op::kSoftmax)) return "half to float";
  return "";
}

class EveryFamily : public testing::TestWithParam<Record> {
 protected:
  void SetUp() override {
    if (!has_plugin()) GTEST_SKIP() << kWithoutPlugin;
  }
};

TEST_P(EveryFamily, RunsAsAWhole) {
  const Record& record = GetParam();
  const Result<BuiltTree> built = build(record.config, record.pass, record.class_name);
  ASSERT_TRUE(built.ok()) << built.error().message;
  const ModelTree& tree = built.value().tree;
  const auto launch =
      executor().prepare(tree, tree.node_count() - 1, {CacheState::kNatural, 1, true});
  if (const std::string why = refusal_of(tree, record.pass.precision); !why.empty()) {
    ASSERT_FALSE(launch.ok());
    EXPECT_EQ(launch.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(launch.error().message.find(why), std::string::npos) << launch.error().message;
    return;
  }
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_EQ(launch.value()->execution(), Execution::kEager);
  EXPECT_EQ(launch.value()->why_eager(), "a CPU has no graphs");
  EXPECT_TRUE(launch.value()->start().ok());
  EXPECT_TRUE(launch.value()->wait().ok());
}

constexpr char kGpt2[] =
    R"({"model_type": "gpt2", "n_embd": 32, "n_head": 2, "n_layer": 2, "vocab_size": 100})";

class Nodes : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_plugin()) GTEST_SKIP() << kWithoutPlugin;
  }
  static ModelTree build_model(Pass pass = {}) {
    Result<BuiltTree> built = build(kGpt2, pass);
    EXPECT_TRUE(built.ok());
    return std::move(std::move(built).value().tree);
  }
  static std::int32_t find(const ModelTree& tree, std::string_view scope) {
    for (std::int32_t i = 0; i < tree.node_count(); ++i) {
      if (tree.nodes()[static_cast<std::size_t>(i)].scope == scope) return i;
    }
    ADD_FAILURE() << "no node " << scope;
    return -1;
  }
};

TEST_F(Nodes, EveryOneOfATreeRunsByItself) {
  const ModelTree tree = build_model();
  for (std::int32_t i = 0; i < tree.node_count(); ++i) {
    const Node& node = tree.nodes()[static_cast<std::size_t>(i)];
    for (const CacheState cache : {CacheState::kWarm, CacheState::kInPlace}) {
      const auto launch = executor().prepare(tree, i, {cache, 2, true});
      ASSERT_TRUE(launch.ok()) << node.scope << ": " << launch.error().message;
      EXPECT_EQ(launch.value()->copies(), 2);
      EXPECT_EQ(launch.value()->unlinked(), 0) << node.scope;
      EXPECT_TRUE(launch.value()->start().ok());
      EXPECT_TRUE(launch.value()->wait().ok());
    }
  }
}

TEST_F(Nodes, TakeTurnsWithTheirBuffersWhereTheCacheIsToBeCold) {
  const std::int64_t cache = executor().device().cache_bytes;
  if (cache == 0) GTEST_SKIP() << "this machine does not say how large its cache is";
  Pass pass;
  pass.batch = 8;
  const ModelTree tree = build_model(pass);
  const std::int32_t linear = find(tree, "h.0.mlp.c_fc");
  // [1024, 32] x [32, 128] and a bias of 128 in fp32, and the result.
  const std::int64_t bytes = 4 * (1024 * 32 + 32 * 128 + 128 + 1024 * 128);
  const auto cold = executor().prepare(tree, linear, {CacheState::kCold, 0, true});
  ASSERT_TRUE(cold.ok()) << cold.error().message;
  const std::int64_t wanted = std::min<std::int64_t>(512, (2 * cache + bytes - 1) / bytes);
  // Fewer only where the machine is so slow that they would take over a second.
  EXPECT_EQ(cold.value()->sets(), std::min<std::int64_t>(wanted, cold.value()->copies()));
  EXPECT_EQ(cold.value()->copies() % cold.value()->sets(), 0);
  const auto warm = executor().prepare(tree, linear, {CacheState::kWarm, 0, true});
  ASSERT_TRUE(warm.ok()) << warm.error().message;
  EXPECT_EQ(warm.value()->sets(), 1);
  const auto in_place =
      executor().prepare(tree, find(tree, "h.0:add"), {CacheState::kInPlace, 0, true});
  ASSERT_TRUE(in_place.ok()) << in_place.error().message;
  EXPECT_EQ(in_place.value()->sets(), 1) << "it has no weights that could take turns";
}

TEST_F(Nodes, SmallOnesRunManyTimesInALaunch) {
  const ModelTree tree = build_model();
  const auto launch = executor().prepare(tree, find(tree, "h.0:add"), {CacheState::kWarm, 0, true});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_GE(launch.value()->copies(), 32);
}

TEST_F(Nodes, WithoutKernelsAreRefused) {
  Pass pass;
  pass.precision = Precision::kInt8;
  const ModelTree quantised = build_model(pass);
  const auto launch = executor().prepare(quantised, quantised.node_count() - 1, {});
  ASSERT_FALSE(launch.ok());
  EXPECT_EQ(launch.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(launch.error().message.find("quantised"), std::string::npos);
}

TEST_F(Nodes, ThatDoNotFitIntoMemoryAreAnErrorAndTheNextOneRuns) {
  Pass pass;
  pass.batch = std::int64_t{1} << 24;
  const ModelTree large = build_model(pass);
  const auto launch = executor().prepare(large, find(large, "h.0.mlp.c_fc"), {});
  ASSERT_FALSE(launch.ok());
  EXPECT_EQ(launch.error().code, ErrorCode::kUnavailable) << launch.error().message;
  EXPECT_NE(launch.error().hint.find("-b"), std::string::npos) << launch.error().hint;
  const ModelTree tree = build_model();
  EXPECT_TRUE(executor().prepare(tree, find(tree, "h.0.mlp.c_fc"), {}).ok());
}

TEST(Plugin, ThatIsNotThereIsAnErrorWithAWayOut) {
  const auto opened = open_torch_executor({{"/nowhere/libwattree-torch.so"}, "cpu"});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(opened.error().message.find("/nowhere/"), std::string::npos);
  EXPECT_NE(opened.error().hint.find("tools/build_torch_plugin"), std::string::npos);
}

TEST(Plugin, OfSomethingElseIsRefused) {
  const auto opened = open_torch_executor({{"libz.so.1"}, "cpu"});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("is no plugin"), std::string::npos)
      << opened.error().message;
}

TEST_F(Nodes, RunOnlyOnDevicesThatAreThere) {
  const auto opened = open_torch_executor({{tested_plugin()}, "tpu"});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalidInput);
  const auto beyond = open_torch_executor({{tested_plugin()}, "cuda:99"});
  ASSERT_FALSE(beyond.ok());
  EXPECT_FALSE(beyond.error().hint.empty());
}

std::vector<Record> run_records() {
  std::vector<Record> records = read_records(WATTREE_SOURCE_DIR "/tests/data/records");
  std::erase_if(records, [](const Record& record) { return !record.has_ops; });
  return records;
}

std::string label(const testing::TestParamInfo<Record>& info) { return label_of(info.param); }

INSTANTIATE_TEST_SUITE_P(Records, EveryFamily, testing::ValuesIn(run_records()), label);

}  // namespace
}  // namespace wattree
