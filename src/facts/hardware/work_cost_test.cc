#include "src/facts/hardware/work_cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

Fleet parse(const std::string& text) { return parse_fleet(text, bundled_devices()).value(); }

double joules(const std::string& fleet, const Workload& workload) {
  return work_cost(parse(fleet), workload).value().joules_per_gflop;
}

TEST(WorkCost, NothingIsNoFleet) { EXPECT_FALSE(work_cost({}).ok()); }

TEST(WorkCost, SharedEqually) {
  // By hand: T4 70 W / 8100, 1080 Ti 250 W / 11340.
  const WorkCost cost = work_cost(parse("3xT4,GTX 1080 Ti")).value();
  EXPECT_DOUBLE_EQ(cost.joules_per_gflop, (3 * 70.0 / 8100 + 250.0 / 11340) / 4);
  EXPECT_DOUBLE_EQ(cost.seconds_per_gflop, 1 / (4 * 8100.0));
}

TEST(WorkCost, MoreOfTheSameCostsTheSameEnergyInLessTime) {
  const WorkCost one = work_cost(parse("1xT4")).value();
  const WorkCost four = work_cost(parse("4xT4")).value();
  EXPECT_DOUBLE_EQ(four.joules_per_gflop, one.joules_per_gflop);
  EXPECT_DOUBLE_EQ(four.seconds_per_gflop, one.seconds_per_gflop / 4);
}

TEST(WorkCost, OperationsAndBytesTakeTheirTimesOneAfterTheOther) {
  // By hand, A100 SXM4 80 GB: 312 TFLOPS in 16 bits, 2039 GB/s, 400 W.
  const Workload workload{ComputeUnits::k16Bit, 100};
  EXPECT_DOUBLE_EQ(joules("A100 SXM4 80GB", workload), 400 * (1 / 312000.0 + 1 / (100 * 2039.0)));
}

TEST(WorkCost, RatesFollowTheArithmetic) {
  const auto rate = [](const char* name, ComputeUnits units) {
    return peak_gflops(find_device(name, bundled_devices()).value(), units);
  };
  EXPECT_EQ(rate("A100 SXM4 80GB", ComputeUnits::kFp32), 19500);
  EXPECT_EQ(rate("A100 SXM4 80GB", ComputeUnits::k16Bit), 312000);
  EXPECT_EQ(rate("A100 SXM4 80GB", ComputeUnits::kTf32), 156000);   // As NVIDIA says.
  EXPECT_EQ(rate("V100 SXM2 16GB", ComputeUnits::kTf32), 15700);    // It has none.
  EXPECT_EQ(rate("GTX 1080 Ti", ComputeUnits::k16Bit), 11340);      // Nor 16-bit units.
  EXPECT_EQ(rate("Arc A770", ComputeUnits::k16Bit), std::nullopt);  // Nobody says.
}

TEST(WorkCost, PrecisionsAreNamedAsPeopleNameThem) {
  EXPECT_EQ(parse_compute_units("bf16"), ComputeUnits::k16Bit);
  EXPECT_EQ(parse_compute_units("fp16"), ComputeUnits::k16Bit);
  EXPECT_EQ(parse_compute_units("tf32"), ComputeUnits::kTf32);
  EXPECT_EQ(parse_compute_units("fp64"), std::nullopt);
  EXPECT_EQ(name_of(ComputeUnits::k16Bit), "16-bit");
}

TEST(WorkCost, MissingFiguresAreNamed) {
  const auto message = [](const char* fleet, const Workload& workload) {
    return work_cost(parse(fleet), workload).error().message;
  };
  EXPECT_EQ(message("TPU v5e", {}), "the table has no TDP for TPU v5e (chip)");
  EXPECT_EQ(message("TPU v4", {}), "the table has no FP32 rate for TPU v4 (chip)");
  EXPECT_EQ(message("Arc A770", {ComputeUnits::k16Bit}),
            "the table has no 16-bit rate for Arc A770 16GB");
}

}  // namespace
}  // namespace wattree
