#include <gtest/gtest.h>

#include "src/base/test_folder.h"
#include "src/cost/cost.h"
#include "src/kernels/kernel_data.h"
#include "src/kernels/single_op.h"
#include "src/predict/tree_predict.h"

namespace wattree {
namespace {

Window op_window(std::string op, std::string type, std::vector<std::string> inputs,
                 std::vector<std::string> outputs) {
  Window window;
  window.key = "test";
  window.subject = "op";
  window.op = std::move(op);
  window.type = std::move(type);
  window.inputs = std::move(inputs);
  window.outputs = std::move(outputs);
  return window;
}

Work work_of_op(const Window& window) {
  const ModelTree tree = tree_of_op(window).value();
  return work_of(tree, tree.nodes().front());
}

TEST(SingleOpTest, ALinearIsAProductWithATransposedWeight) {
  const Work work = work_of_op(op_window("addmm", "Linear",
                                         {"bf16[3072]", "bf16[128,768]", "bf16[768,3072]{1,768}"},
                                         {"bf16[128,3072]"}));
  EXPECT_EQ(kernel_kind(work), WorkKind::kLinear16);
  EXPECT_EQ(work.m, 128);
  EXPECT_EQ(work.n, 3072);
  EXPECT_EQ(work.k, 768);
  EXPECT_EQ(work.weight_width, 2);
  EXPECT_TRUE(work.is_transposed);
  EXPECT_FALSE(work.is_strided);
}

TEST(SingleOpTest, AProductOfActivationsHasNoWeight) {
  const Work work = work_of_op(
      op_window("bmm", "MatMul", {"f32[12,64,32]", "f32[12,32,64]{2048,1,32}"}, {"f32[12,64,64]"}));
  EXPECT_EQ(kernel_kind(work), WorkKind::kBatched32);
  EXPECT_EQ(work.groups, 12);
  EXPECT_EQ(work.k, 32);
}

TEST(SingleOpTest, StridesTellJoinsApart) {
  const auto join = [](std::string second) {
    return kernel_kind(work_of_op(
        op_window("cat", "cat", {"bf16[4,12,100,64]", std::move(second)}, {"bf16[4,12,101,64]"})));
  };
  EXPECT_EQ(join("bf16[4,12,1,64]"), WorkKind::kJoin);
  EXPECT_EQ(join("bf16[4,12,1,64]{2304,64,768,1}"), WorkKind::kStridedJoin);
}

TEST(SingleOpTest, FusedAttentionOfOneTokenIsAStep) {
  const auto attention = [](std::string query) {
    return work_of_op(op_window("_scaled_dot_product_cudnn_attention", "ScaledDotProductAttention",
                                {query, "bf16[2,8,129,64]", "bf16[2,8,129,64]"}, {query}));
  };
  EXPECT_EQ(kernel_kind(attention("bf16[2,8,1,64]")), WorkKind::kFusedStep16);
  const Work whole = attention("bf16[2,8,128,64]");
  EXPECT_EQ(kernel_kind(whole), WorkKind::kFused16);
  EXPECT_EQ(whole.groups, 32);  // Two products for each of 2 x 8.
}

TEST(SingleOpTest, WhatMakesNoSenseIsRefused) {
  EXPECT_FALSE(tree_of_op(op_window("no_such_op", "x", {}, {"f32[1]"})).ok());
  for (const char* text : {"", "f32", "f32[", "f32[1", "q8[1]", "f32[-1]", "f32[1]{1,1}", "f32[1]x",
                           "f32[1,1,1,1,1,1,1]", "f32[99999999999999999999]"}) {
    EXPECT_FALSE(tree_of_op(op_window("neg", "neg", {text}, {"f32[1]"})).ok()) << text;
  }
  EXPECT_FALSE(tree_of_op(op_window("neg", "neg", {"f32[1]"}, {})).ok());
}

constexpr char kHeader[] =
    R"({"kind":"header","gpu":"Test","power_limit_w":700,"idle_power_w":120,"anchor_energy_j":%s})"
    "\n";
constexpr char kOp[] =
    R"({"kind":"window","key":"%s","subject":"op","dtype":"bf16","type":"neg","op":"neg","inputs":["bf16[8,8]"],"outputs":["bf16[8,8]"],"execution":"graph","cache":"in_place","energy_j":%s,"time_s":1e-6)";

std::string formatted(const char* format, const char* first, const char* second = "") {
  std::array<char, 1000> text{};
  std::snprintf(text.data(), text.size(), format, first, second);
  return text.data();
}

class WindowsTest : public testing::Test {
 protected:
  TestFolder folder_;
  BuildPass no_passes_ = [](const Window&) -> Result<ModelTree> {
    return Error{ErrorCode::kInvalidInput, "no models here", ""};
  };
};

TEST_F(WindowsTest, CardsAreBroughtToTheMiddleOne) {
  folder_.write("windows-a.jsonl",
                formatted(kHeader, "0.8") + formatted(kOp, "a", "0.008") + "}\n");
  folder_.write("windows-b.jsonl",
                formatted(kHeader, "1.0") + formatted(kOp, "b", "0.010") + "}\n");
  folder_.write("windows-c.jsonl",
                formatted(kHeader, "1.1") + formatted(kOp, "c", "0.011") + "}\n");
  const auto sessions = read_sessions(folder_.path()).value();
  ASSERT_EQ(sessions.size(), 3U);
  const KernelDataAnswer answer = kernel_data(sessions, no_passes_).value();
  ASSERT_EQ(answer.data.samples.size(), 3U);
  for (const KernelSample& sample : answer.data.samples) EXPECT_NEAR(sample.energy_j, 0.010, 1e-9);
  EXPECT_NEAR(answer.data.samples[0].raw_energy_j(), 0.008, 1e-9);
  EXPECT_EQ(answer.data.limit_w, 700);
}

TEST_F(WindowsTest, PausesAreTakenOutAndDoubtsLeftOut) {
  folder_.write("windows-a.jsonl",
                formatted(kHeader, "1") + formatted(kOp, "a", "0.5") +
                    R"(,"is_capped":true,"pauses":{},"node_energy_j":0.3,"node_time_s":2e-6})"
                    "\n" +
                    formatted(kOp, "b", "0.5") +
                    R"(,"doubts":["not settled"]})"
                    "\n" +
                    formatted(kOp, "c", "0.5") +
                    R"(,"values":"zeros"})"
                    "\n");
  const auto sessions = read_sessions(folder_.path() / "windows-a.jsonl").value();
  ASSERT_EQ(sessions[0].windows.size(), 1U);
  EXPECT_EQ(sessions[0].left_out, 2);
  EXPECT_EQ(sessions[0].windows[0].energy_j, 0.3);
  EXPECT_EQ(sessions[0].windows[0].time_s, 2e-6);
  EXPECT_FALSE(sessions[0].windows[0].is_capped);
}

TEST_F(WindowsTest, APassThatCannotBeBuiltIsAProblemNotAnEnd) {
  folder_.write(
      "windows-a.jsonl",
      formatted(kHeader, "1") + formatted(kOp, "a", "0.5") + "}\n" +
          R"({"kind":"window","key":"p","subject":"model","model":"x","family":"y","dtype":"bf16","type":"X","execution":"graph","cache":"natural","energy_j":1,"time_s":1})"
          "\n");
  const KernelDataAnswer answer =
      kernel_data(read_sessions(folder_.path()).value(), no_passes_).value();
  EXPECT_EQ(answer.data.samples.size(), 1U);
  ASSERT_EQ(answer.problems.size(), 1U);
  EXPECT_EQ(answer.problems[0], "no models here");
}

TEST_F(WindowsTest, BadFilesSayWhatAndWhere) {
  folder_.write("windows-a.jsonl", formatted(kHeader, "1") + "{\"kind\":\"window\"}\n");
  const auto missing = read_sessions(folder_.path());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("windows-a.jsonl:2: key is missing"), std::string::npos)
      << missing.error().message;
  folder_.write("windows-a.jsonl", "{\"kind\":\"verdict\"}\n");
  EXPECT_FALSE(read_sessions(folder_.path()).ok());
  folder_.write("windows-a.jsonl", "[1]\n");
  EXPECT_FALSE(read_sessions(folder_.path()).ok());
  EXPECT_FALSE(read_sessions(folder_.path() / "none.jsonl").ok());
  EXPECT_TRUE(holds_windows(folder_.path()));
  EXPECT_FALSE(holds_windows(folder_.path() / "windows-a.jsonl"));
}

}  // namespace
}  // namespace wattree
