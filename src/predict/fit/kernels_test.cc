#include <gtest/gtest.h>

#include "src/base/test_folder.h"
#include "src/models/tree/cost.h"
#include "src/predict/fit/kernel_data.h"
#include "src/predict/fit/single_op.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

MeasuredWindow op_window(std::string op, std::string type, std::vector<std::string> inputs,
                         std::vector<std::string> outputs) {
  MeasuredWindow window;
  window.key = "test";
  window.node.op = std::move(op);
  window.node.type = std::move(type);
  window.node.inputs = std::move(inputs);
  window.node.outputs = std::move(outputs);
  return window;
}

Work work_of_op(const MeasuredWindow& window) {
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

TEST(SingleOpTest, AnOpWithoutItsInputsIsRefused) {
  MeasuredWindow window;
  window.key = "a/cold";
  window.node.op = "addmm";
  window.node.type = "Linear";
  window.node.outputs = {"bf16[16,64]"};
  for (const std::vector<std::string>& inputs : {std::vector<std::string>{},
                                                 {"bf16[64]", "bf16[16,32]"},
                                                 {"bf16[64]", "bf16[32]", "bf16[64]"}}) {
    window.node.inputs = inputs;
    const Result<ModelTree> tree = tree_of_op(window);
    ASSERT_FALSE(tree.ok()) << inputs.size();
    EXPECT_EQ(tree.error().message, "a/cold: addmm has other inputs than that");
  }
}

TEST(SingleOpTest, AProductOfActivationsHasNoWeight) {
  const Work work = work_of_op(
      op_window("bmm", "MatMul", {"f32[12,64,32]", "f32[12,32,64]{2048,1,32}"}, {"f32[12,64,64]"}));
  EXPECT_EQ(kernel_kind(work), WorkKind::kBatched32);
  EXPECT_EQ(work.groups, 12);
  EXPECT_EQ(work.k, 32);
}

TEST(SingleOpTest, AProductByATransposedMatrixIsThatOfALinear) {
  const auto kind = [](std::string second) {
    return kernel_kind(work_of_op(
        op_window("mm", "MatMul", {"bf16[64,256]", std::move(second)}, {"bf16[64,512]"})));
  };
  EXPECT_EQ(kind("bf16[256,512]{1,256}"), WorkKind::kLinear16);
  EXPECT_EQ(kind("bf16[256,512]"), WorkKind::kBatched16);
}

TEST(SingleOpTest, ASafeSoftmaxIsMoreThanASoftmax) {
  const auto kind = [](const char* op) {
    return kernel_kind(work_of_op(op_window(op, "Softmax", {"f32[8,16,32]"}, {"f32[8,16,32]"})));
  };
  EXPECT_EQ(kind("_softmax"), WorkKind::kSoftmaxRows);
  EXPECT_EQ(kind("_safe_softmax"), WorkKind::kSafeSoftmaxRows);
}

TEST(SingleOpTest, WithRestInBetweenNoLimitHoldsItBack) {
  Predictor predictor;
  predictor.is_by_kernel = true;
  predictor.power_cap = PowerCap{700, 0.5, 1};
  Coefficients price;
  price.energy[0] = 1e-2;  // 1000 W
  price.time[0] = 1e-5;
  price.samples = 1;
  predictor.kinds[static_cast<std::size_t>(WorkKind::kPointwise)] = price;
  KernelSample sample;
  sample.kernels.push_back(
      {work_of_op(op_window("add", "add", {"f32[8]", "f32[8]"}, {"f32[8]"})), 1});
  const SampleEstimate held = predict_sample(predictor, sample);
  EXPECT_NEAR(held.energy.value / held.time.value, 700, 1e-6);
  sample.is_rested = true;
  const SampleEstimate free = predict_sample(predictor, sample);
  EXPECT_NEAR(free.energy.value / free.time.value, 1000, 1e-6);
}

TEST(SingleOpTest, StridesTellJoinsApart) {
  const auto join = [](std::string second) {
    return kernel_kind(work_of_op(
        op_window("cat", "cat", {"bf16[4,12,100,64]", std::move(second)}, {"bf16[4,12,101,64]"})));
  };
  EXPECT_EQ(join("bf16[4,12,1,64]"), WorkKind::kJoin);
  EXPECT_EQ(join("bf16[4,12,1,64]{2304,64,768,1}"), WorkKind::kStridedJoin);
}

TEST(SingleOpTest, ABiasIsSeen) {
  EXPECT_TRUE(
      work_of_op(op_window("addmm", "Linear", {"f32[8]", "f32[4,8]", "f32[8,8]"}, {"f32[4,8]"}))
          .has_bias);
  EXPECT_FALSE(
      work_of_op(op_window("mm", "Linear", {"f32[4,8]", "f32[8,8]"}, {"f32[4,8]"})).has_bias);
}

TEST(SingleOpTest, OnlyCastsToFewerBitsAreQuick) {
  const auto converts = [](std::string from, std::string to) {
    return work_of_op(op_window("_to_copy", "to_copy", {std::move(from)}, {std::move(to)}))
        .converts;
  };
  EXPECT_FALSE(converts("f32[4,8]", "bf16[4,8]"));
  EXPECT_TRUE(converts("bf16[4,8]", "f32[4,8]"));
  EXPECT_TRUE(converts("i64[4,8]", "f32[4,8]"));
  EXPECT_TRUE(converts("b8[4,8]", "i64[4,8]"));
}

// Sizes and strides are those of T5: scores and their bias, queries and keys.
TEST(SingleOpTest, HowInputsLieIsSeenFromWhatComesOut) {
  const Work scores = work_of_op(op_window(
      "add", "add", {"f32[2,8,16,16]", "bf16[1,8,16,16]{8,1,128,8}"}, {"f32[2,8,16,16]"}));
  EXPECT_TRUE(scores.is_reordered);
  EXPECT_TRUE(scores.is_crossed);
  EXPECT_TRUE(scores.converts);
  // No block, but read in the order it is written in.
  const Work scaled = work_of_op(
      op_window("mul", "mul", {"f32[2,8,16,4]{512,4,32,1}"}, {"f32[2,8,16,4]{512,4,32,1}"}));
  EXPECT_TRUE(scaled.is_strided);
  EXPECT_FALSE(scaled.is_reordered);
  EXPECT_FALSE(scaled.is_crossed);
  EXPECT_FALSE(scaled.converts);
  // A block, but written in another order.
  const Work summed =
      work_of_op(op_window("add", "add", {"bf16[2,8,16,4]{512,4,32,1}", "bf16[2,8,16,4]"},
                           {"bf16[2,8,16,4]{512,4,32,1}"}));
  EXPECT_TRUE(summed.is_reordered);
  EXPECT_FALSE(summed.is_crossed);
  const auto is_crossed = [](std::string from) {
    return work_of_op(op_window("clone", "clone", {std::move(from)}, {"f32[2,8,16,4]"})).is_crossed;
  };
  EXPECT_FALSE(is_crossed("f32[2,8,16,4]{512,4,32,1}"));
  EXPECT_TRUE(is_crossed("f32[2,8,16,4]{512,64,1,16}"));
}

TEST(SingleOpTest, WeightsOfProductsAreCountedOnce) {
  const auto mib = [](const MeasuredWindow& window) {
    return weight_mib(tree_of_op(window).value(), 1e9);
  };
  // 768 x 3072 and a bias of 3072, of two bytes.
  EXPECT_DOUBLE_EQ(
      mib(op_window("addmm", "Linear", {"bf16[3072]", "bf16[128,768]", "bf16[768,3072]{1,768}"},
                    {"bf16[128,3072]"})),
      (768 * 3072 + 3072) * 2 / (1024.0 * 1024));
  EXPECT_EQ(mib(op_window("embedding", "Embedding", {"bf16[1000,64]", "i64[4]"}, {"bf16[4,64]"})),
            0);
}

TEST(SingleOpTest, FusedAttentionOfOneTokenIsAStep) {
  const auto attention = [](const std::string& query) {
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
    R"({"kind":"window","key":"%s","subject":"op","dtype":"bf16","node":"0","type":"neg","op":"neg","inputs":["bf16[8,8]"],"outputs":["bf16[8,8]"],"execution":"graph","cache":"in_place","energy_j":%s,"time_s":1e-6)";

std::string formatted(const char* format, const char* first, const char* second = "") {
  std::array<char, 1000> text{};
  std::snprintf(text.data(), text.size(), format, first, second);
  return text.data();
}

class WindowsTest : public testing::Test {
 protected:
  TestFolder folder_;
  BuildPass no_passes_ = [](const MeasuredSession&, const MeasuredWindow&) -> Result<ModelTree> {
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
  const auto sessions = read_windows(folder_.path()).value();
  ASSERT_EQ(sessions.size(), 3U);
  const KernelDataAnswer answer = kernel_data(sessions, no_passes_).value();
  ASSERT_EQ(answer.data.samples.size(), 3U);
  for (const KernelSample& sample : answer.data.samples)
    EXPECT_NEAR(sample.energy.value, 0.010, 1e-9);
  EXPECT_NEAR(answer.data.samples[0].raw_energy().value, 0.008, 1e-9);
  EXPECT_EQ(answer.data.anchor.energy, Joules(1.0));
  EXPECT_EQ(answer.data.limit_w, 700);
}

TEST_F(WindowsTest, AnchorsAreWhatTheHeaderSaysOrTheMiddleOne) {
  const auto anchor = [](const char* energy) {
    return formatted(R"({"kind":"anchor","block":0,"energy_j":%s})", energy) + "\n";
  };
  folder_.write("one.windows.jsonl", formatted(kHeader, "null") + anchor("0.7") + anchor("0.8") +
                                         anchor("2") + formatted(kOp, "a", "0.008") + "}\n");
  folder_.write("two.windows.jsonl",
                formatted(kHeader, "1.0") + formatted(kOp, "b", "0.010") + "}\n");
  const KernelDataAnswer answer =
      kernel_data(read_windows(folder_.path()).value(), no_passes_).value();
  ASSERT_EQ(answer.data.samples.size(), 2U);
  for (const KernelSample& sample : answer.data.samples)
    EXPECT_NEAR(sample.energy.value, 0.009, 1e-9);
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
                    "\n" +
                    formatted(kOp, "d", "null") + "}\n");
  const KernelDataAnswer answer =
      kernel_data(read_windows(folder_.path() / "windows-a.jsonl").value(), no_passes_).value();
  ASSERT_EQ(answer.data.samples.size(), 1U);
  EXPECT_EQ(answer.doubtful, 3);
  EXPECT_EQ(answer.data.samples[0].energy.value, 0.3);
  EXPECT_EQ(answer.data.samples[0].time.value, 2e-6);
  EXPECT_FALSE(answer.data.samples[0].is_capped);
}

TEST_F(WindowsTest, NothingToLearnFromIsSaidWithItsReason) {
  folder_.write("windows-a.jsonl", formatted(kHeader, "1") + formatted(kOp, "a", "0.5") +
                                       R"(,"doubts":["not settled"]})"
                                       "\n" +
                                       formatted(kOp, "b", "null") + "}\n");
  const auto answer = kernel_data(read_windows(folder_.path()).value(), no_passes_);
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("2 windows are without energy or doubtful"),
            std::string::npos)
      << answer.error().message;
  EXPECT_NE(answer.error().hint.find("measure again"), std::string::npos);
}

TEST_F(WindowsTest, WhatAChipCanDoIsWhatItDid) {
  // A stream of 128 MiB in 100 us that no cache of 1 MiB holds, and a product of 2 GFLOP in 10 us.
  folder_.write(
      "windows-a.jsonl",
      R"({"kind":"header","gpu":"Test","boundary":"gpu","meters":["m"],"cache_bytes":1572864,"multiprocessors":20})"
      "\n"
      R"({"kind":"window","key":"s","node":"s","subject":"op","dtype":"fp32","type":"neg","op":"neg","inputs":["f32[16777216]"],"outputs":["f32[16777216]"],"execution":"graph","cache":"cold","energy_j":1,"time_s":1e-4})"
      "\n"
      R"({"kind":"window","key":"p","node":"p","subject":"op","dtype":"bf16","type":"MatMul","op":"mm","inputs":["bf16[1000,1000]","bf16[1000,1000]"],"outputs":["bf16[1000,1000]"],"execution":"graph","cache":"cold","energy_j":1,"time_s":1e-5})"
      "\n");
  const KernelDataAnswer answer =
      kernel_data(read_windows(folder_.path()).value(), no_passes_).value();
  const Chip& chip = answer.data.chip;
  EXPECT_EQ(chip.processors, 20);
  EXPECT_DOUBLE_EQ(chip.cache_mib, 1);
  EXPECT_NEAR(chip.mib_per_us, 1.28, 1e-9);
  EXPECT_NEAR(chip.half_gflop_per_us, 0.2, 1e-9);
  EXPECT_NEAR(chip.single_gflop_per_us, 0.2, 1e-9);  // No product was measured: the other's.
  EXPECT_EQ(answer.data.meter, "m");
  EXPECT_EQ(answer.boundary, "gpu");
  EXPECT_EQ(answer.dtypes, (std::vector<std::string>{"fp32", "bf16"}));
}

TEST_F(WindowsTest, WhatTheCatalogueSaysOfAChipIsTakenFirst) {
  folder_.write(
      "windows-a.jsonl",
      R"({"kind":"header","gpu":"NVIDIA H200","boundary":"gpu","meters":["m"],"cache_bytes":1572864,"multiprocessors":20})"
      "\n" +
          formatted(kOp, "a", "0.5") + "}\n");
  const KernelDataAnswer answer =
      kernel_data(read_windows(folder_.path()).value(), no_passes_).value();
  const Chip& chip = answer.data.chip;
  EXPECT_EQ(chip.processors, 132);
  EXPECT_EQ(chip.cache_mib, 40);  // Two thirds of 60 MiB.
  EXPECT_EQ(chip.half_gflop_per_us, 0.8);
  EXPECT_EQ(chip.single_gflop_per_us, 0.046);
  EXPECT_EQ(chip.mib_per_us, 4e6 / (1024 * 1024));
}

TEST_F(WindowsTest, KernelsOfNoModelAreLeftOutInTurn) {
  // 0.1 mJ and 10 uJ for every 1000 elements; ten of them, each twice the one before.
  std::string text = formatted(kHeader, "1");
  for (int i = 0; i < 10; ++i) {
    const std::string size = std::to_string(1000 << i);
    const std::string energy = std::to_string(1e-4 + 1e-5 * (1 << i));
    text +=
        R"({"kind":"window","key":"k","node":"k","subject":"op","dtype":"bf16","type":"neg","op":"neg","inputs":["bf16[)" +
        size + R"(]"],"outputs":["bf16[)" + size +
        R"(]"],"execution":"graph","cache":"in_place","energy_j":)" + energy +
        R"(,"time_s":1e-6})" + "\n";
  }
  folder_.write("mine.windows.jsonl", text);
  KernelData data = kernel_data(read_windows(folder_.path()).value(), no_passes_).value().data;
  EXPECT_TRUE(data.families.empty());
  deal_into_families(data);
  ASSERT_EQ(data.families.size(), 5U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(data.samples[i].family, static_cast<std::int32_t>(i % 5));
  }
  Chosen known(10, true);
  for (std::size_t i = 8; i < 10; ++i) known[i] = false;
  for (const Chosen& some : {Chosen{}, known}) {
    const auto held_out = hold_out(data, LeaveOut::kFamily, some);
    ASSERT_TRUE(held_out.ok());
    for (std::size_t i = 0; i < 10; ++i) {
      ASSERT_TRUE(held_out.value()[i]);  // What is not known is predicted all the same.
      if (i == 0 || i >= 7) continue;    // Larger, or smaller, than all that is left.
      EXPECT_NEAR(held_out.value()[i]->energy.value, data.samples[i].energy.value,
                  0.05 * data.samples[i].energy.value);
    }
  }
}

TEST_F(WindowsTest, APassThatCannotBeBuiltIsAProblemNotAnEnd) {
  folder_.write(
      "windows-a.jsonl",
      formatted(kHeader, "1") + formatted(kOp, "a", "0.5") + "}\n" +
          R"({"kind":"window","key":"p","subject":"model","model":"x","family":"y","dtype":"bf16","node":"1","type":"X","execution":"graph","cache":"natural","energy_j":1,"time_s":1})"
          "\n");
  const KernelDataAnswer answer =
      kernel_data(read_windows(folder_.path()).value(), no_passes_).value();
  EXPECT_EQ(answer.data.samples.size(), 1U);
  ASSERT_EQ(answer.problems.size(), 1U);
  EXPECT_EQ(answer.problems[0], "no models here");
}

}  // namespace
}  // namespace wattree
