// What the plugin is told of a node, on trees small enough to be checked by hand.
#include "src/measure/runner/plan.h"

#include <gtest/gtest.h>

#include "src/models/symbolic/attention.h"
#include "src/models/symbolic/nn.h"

namespace wattree {
namespace {

Pass running() {
  Pass pass;
  pass.keeps_dataflow = true;
  return pass;
}

// One projection, cut into three heads' worth, of which two are used.
ModelTree projected() {
  Trace trace(running());
  {
    Module self(trace, "", "Toy");
    const Tensor x = trace.tensor(DType::kFloat32, {2, 4, 8});
    const Tensor qkv = linear(x, "qkv", 24);
    const Tensor q = qkv.slice(-1, 0, 8);
    const Tensor v = qkv.slice(-1, 16, 24);
    const Tensor sum = q + v;
    self.returns(reduce(Op::kMean, sum, -1, true));
  }
  return std::move(trace.finish()).value();
}

TEST(Plan, ViewsShareTheStorageOfWhatTheyAreViewsOf) {
  const ModelTree tree = projected();
  Result<Plan> planned = Plan::of(tree, tree.node_count() - 1);
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  Plan plan = std::move(planned).value();
  const WattreeProgram program = plan.program();
  ASSERT_EQ(program.call_count, 3);
  const WattreeCall& addmm = program.calls[0];
  const WattreeCall& add = program.calls[1];
  EXPECT_STREQ(addmm.name, "addmm");
  EXPECT_STREQ(addmm.scope, "qkv");
  EXPECT_EQ(addmm.inputs, 3);
  const WattreeTensor& result = addmm.tensors[3];
  EXPECT_EQ(add.tensors[0].storage, result.storage);
  EXPECT_EQ(add.tensors[1].storage, result.storage);
  EXPECT_EQ(add.tensors[0].offset, 0);
  EXPECT_EQ(add.tensors[1].offset, 16);
  EXPECT_EQ(add.tensors[1].stride[0], 4 * 24);
  EXPECT_EQ(add.tensors[1].stride[1], 24);
  EXPECT_EQ(program.storages[result.storage].elements, 2 * 4 * 24);
  EXPECT_EQ(program.storages[result.storage].is_weight, 0);
}

TEST(Plan, WeightsAreKnownAlsoWhereTheyAreTransposed) {
  const ModelTree tree = projected();
  Plan plan = std::move(Plan::of(tree, 0)).value();
  const WattreeProgram program = plan.program();
  ASSERT_EQ(program.call_count, 1);
  const WattreeTensor& weight = program.calls[0].tensors[2];
  EXPECT_EQ(program.storages[weight.storage].is_weight, 1);
  EXPECT_EQ(weight.size[0], 8);
  EXPECT_EQ(weight.stride[0], 1) << "it is stored as [out, in]";
  EXPECT_EQ(weight.stride[1], 8);
}

TEST(Plan, NumbersOfTheCallGoAlong) {
  const ModelTree tree = projected();
  Plan plan = std::move(Plan::of(tree, 2)).value();
  const WattreeProgram program = plan.program();
  ASSERT_EQ(program.calls[0].number_count, 2);
  EXPECT_EQ(program.calls[0].numbers[0], 2) << "the dimension";
  EXPECT_EQ(program.calls[0].numbers[1], 1) << "which is kept";
}

TEST(Plan, TreesWithoutDataflowCannotBeRun) {
  Trace trace(Pass{});
  {
    Module self(trace, "", "Toy");
    self.returns(trace.tensor(DType::kFloat32, {2}) + 1.0);
  }
  const ModelTree tree = std::move(trace.finish()).value();
  const Result<Plan> plan = Plan::of(tree, 0);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("dataflow"), std::string::npos);
  EXPECT_FALSE(Plan::of(tree, 7).ok());
}

TEST(Plan, NodesWithoutKernelsAreRefused) {
  Trace trace(running());
  {
    Module self(trace, "", "Toy");
    unused_module(trace, "unused", "Linear", Module::Kind::kPrimitive, {{2, 2}});
    self.returns(trace.tensor(DType::kFloat32, {2}) + 1.0);
  }
  const ModelTree tree = std::move(trace.finish()).value();
  const Result<Plan> plan = Plan::of(tree, 0);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message, "\"unused\" (Linear) runs no kernel in this pass");
}

// A module that runs twice has its weights once.
TEST(Plan, RepeatedModulesShareTheirWeights) {
  Trace trace(running());
  {
    Module self(trace, "", "Toy");
    Tensor x = trace.tensor(DType::kFloat32, {4, 8});
    for (std::int32_t run = 0; run < 2; ++run) {
      Module layer(trace, "layer", "Layer", Module::Kind::kModule, run);
      x = layer.returns(linear(x, "dense", 8));
    }
    self.returns(x);
  }
  const ModelTree tree = std::move(trace.finish()).value();
  Plan plan = std::move(Plan::of(tree, tree.node_count() - 1)).value();
  const WattreeProgram program = plan.program();
  ASSERT_EQ(program.call_count, 2);
  EXPECT_EQ(program.calls[0].tensors[2].storage, program.calls[1].tensors[2].storage);
  EXPECT_EQ(program.calls[0].tensors[3].storage, program.calls[1].tensors[1].storage);
}

}  // namespace
}  // namespace wattree
