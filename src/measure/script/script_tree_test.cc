// Trees from events that a plugin would hand over: no framework is needed to test them.
#include "src/measure/script/script_tree.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace wattree {
namespace {

// What a script did, written down one event after the other.
class Recording {
 public:
  static WattreeTensor tensor(const std::vector<std::int64_t>& size, std::int32_t storage,
                              std::int32_t dtype = WATTREE_FLOAT32) {
    WattreeTensor out{};
    out.dtype = dtype;
    out.rank = static_cast<std::int32_t>(size.size());
    std::int64_t stride = 1;
    for (std::size_t i = size.size(); i-- > 0;) {
      out.size[i] = size[i];
      out.stride[i] = stride;
      stride *= size[i];
    }
    out.storage = storage;
    return out;
  }

  void enter(const char* scope, const char* type, std::vector<WattreeParameter> parameters = {}) {
    parameters_.push_back(std::move(parameters));
    WattreeEvent event{};
    event.kind = WATTREE_EVENT_ENTER;
    event.name = scope;
    event.type = type;
    event.parameters = parameters_.back().data();
    event.parameter_count = static_cast<std::int32_t>(parameters_.back().size());
    events_.push_back(event);
  }
  void run(const char* op, std::vector<WattreeTensor> inputs, const WattreeTensor& output) {
    inputs.push_back(output);
    tensors_.push_back(std::move(inputs));
    WattreeEvent event{};
    event.kind = WATTREE_EVENT_OP;
    event.name = op;
    event.tensors = tensors_.back().data();
    event.inputs = static_cast<std::int32_t>(tensors_.back().size()) - 1;
    event.outputs = 1;
    events_.push_back(event);
  }
  void leave() {
    WattreeEvent event{};
    event.kind = WATTREE_EVENT_LEAVE;
    events_.push_back(event);
  }

  WattreeScriptFacts facts(std::int32_t dtype = WATTREE_FLOAT32) const {
    WattreeScriptFacts out{};
    out.events = events_.data();
    out.event_count = static_cast<std::int64_t>(events_.size());
    out.inputs = "";
    out.dtype = dtype;
    return out;
  }

 private:
  std::vector<WattreeEvent> events_;
  std::deque<std::vector<WattreeTensor>> tensors_;  // Events point into them.
  std::deque<std::vector<WattreeParameter>> parameters_;
};

const Node* find(const ModelTree& tree, std::string_view scope) {
  for (const Node& node : tree.nodes()) {
    if (node.scope == scope) return &node;
  }
  return nullptr;
}

// [4, 8] through a Linear of 8 to 16 with a bias; weights have the storages -2 and -3.
void linear(Recording& script, const char* scope, std::int32_t input, std::int32_t output) {
  script.enter(scope, "Linear", {{0, 16 * 8}, {1, 16}});
  const auto weight = [] {
    WattreeTensor out = Recording::tensor({8, 16}, -2);
    out.stride[0] = 1;  // Turned.
    out.stride[1] = 8;
    return out;
  }();
  script.run("addmm", {Recording::tensor({16}, -3), Recording::tensor({4, 8}, input), weight},
             Recording::tensor({4, 16}, output));
  script.leave();
}

TEST(ScriptTree, ALinearAndAnActivationAsTheyRan) {
  Recording script;
  script.enter("", "Net");
  linear(script, "fc", 0, 1);
  script.run("relu", {Recording::tensor({4, 16}, 1)}, Recording::tensor({4, 16}, 2));
  script.leave();
  const Result<ModelTree> built = tree_of_script(script.facts());
  ASSERT_TRUE(built.ok()) << built.error().message;
  const ModelTree& tree = built.value();
  EXPECT_TRUE(tree.is_recorded);
  EXPECT_TRUE(tree.has_dataflow);
  EXPECT_EQ(tree.root().type, "Net");
  EXPECT_EQ(tree.root().level, Level::kModel);
  EXPECT_EQ(tree.root().params, 16 * 8 + 16);
  const Node* fc = find(tree, "fc");
  ASSERT_NE(fc, nullptr);
  EXPECT_EQ(fc->type, "Linear");
  EXPECT_EQ(fc->level, Level::kMl);
  EXPECT_EQ(fc->op, Op::kAddmm);  // One kernel that reads its weights is that module.
  EXPECT_EQ(fc->matmul_flops, 2 * 4 * 8 * 16);
  EXPECT_EQ(tree.root().matmul_flops, fc->matmul_flops);
}

TEST(ScriptTree, AModuleThatIsCalledTwiceHasTwoRuns) {
  Recording script;
  script.enter("", "Net");
  linear(script, "fc", 0, 1);
  linear(script, "fc", 0, 2);
  script.leave();
  const Result<ModelTree> built = tree_of_script(script.facts());
  ASSERT_TRUE(built.ok()) << built.error().message;
  std::vector<std::int32_t> runs;
  for (const Node& node : built.value().nodes()) {
    if (node.scope == "fc") runs.push_back(node.run);
  }
  EXPECT_EQ(runs, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(built.value().root().params, 16 * 8 + 16);  // The same weights, counted once.
}

TEST(ScriptTree, AnOpThatNoConfigHasKeepsItsName) {
  Recording script;
  script.enter("", "Net");
  script.run("frobnicate", {Recording::tensor({4, 8}, 0)}, Recording::tensor({4, 8}, 1));
  script.run("relu", {Recording::tensor({4, 8}, 1)}, Recording::tensor({4, 8}, 2));
  script.leave();
  const Result<ModelTree> built = tree_of_script(script.facts());
  ASSERT_TRUE(built.ok()) << built.error().message;
  int others = 0;
  for (const Node& node : built.value().nodes()) {
    if (node.op != Op::kOther) continue;
    ++others;
    EXPECT_EQ(node.type, "frobnicate");
  }
  EXPECT_EQ(others, 1);
}

TEST(ScriptTree, SaysWhatItCannotHold) {
  Recording outside;
  outside.run("relu", {Recording::tensor({4}, 0)}, Recording::tensor({4}, 1));
  EXPECT_EQ(tree_of_script(outside.facts()).error().code, ErrorCode::kInternal);
  Recording open;
  open.enter("", "Net");
  EXPECT_FALSE(tree_of_script(open.facts()).ok());
  EXPECT_FALSE(tree_of_script(Recording().facts()).ok());
  Recording complex;
  complex.enter("", "Net");
  complex.run("relu", {Recording::tensor({4}, 0, WATTREE_OTHER_DTYPE)},
              Recording::tensor({4}, 1, WATTREE_OTHER_DTYPE));
  complex.leave();
  const auto refused = tree_of_script(complex.facts());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("complex"), std::string::npos);
}

TEST(ScriptTree, ThePrecisionIsThatOfTheWeights) {
  const Recording script;
  EXPECT_EQ(precision_of(script.facts(WATTREE_BFLOAT16)), Precision::kBf16);
  EXPECT_EQ(precision_of(script.facts(WATTREE_FLOAT16)), Precision::kFp16);
  EXPECT_EQ(precision_of(script.facts(WATTREE_FLOAT32)), Precision::kFp32);
}

}  // namespace
}  // namespace wattree
