#include "src/predict/predictor/datasheet.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(DatasheetTest, EachTermGoesByTheFigureThatBoundsIt) {
  Predictor measured;
  measured.name = "known";
  measured.is_by_kernel = true;
  measured.idle_w = 100;
  measured.power_cap = PowerCap{700, 0.5, 3};
  Coefficients linear;
  linear.energy = {1, 2, 3, 4, 5, 6};
  linear.time = {1, 2, 3, 4, 5, 6};
  measured.kinds[static_cast<std::size_t>(WorkKind::kLinear16)] = linear;
  measured.kinds[static_cast<std::size_t>(WorkKind::kLinear32)] = linear;
  // A tenth of the rate for 16 bits, a fifth for fp32, a quarter of the traffic, half the power.
  const Predictor other =
      scaled_by_datasheet(measured, {"A", 1000, 50, 4000, 700}, {"B", 100, 10, 1000, 350});
  EXPECT_TRUE(other.is_assumed);
  EXPECT_EQ(other.hardware, "B");
  EXPECT_EQ(other.idle_w, 50);
  EXPECT_EQ(other.power_cap->limit_w, 350);
  const Coefficients& half = *other.find(WorkKind::kLinear16);
  // The third is counted in time, at the rates of the chip: those are the other's.
  EXPECT_EQ(half.time, (Terms{1, 20, 3, 16, 20, 24}));
  EXPECT_EQ(half.energy, (Terms{0.5, 10, 1.5, 8, 10, 12}));
  // A launch, arithmetic twice, tiling and traffic.
  EXPECT_EQ(other.find(WorkKind::kLinear32)->time, (Terms{1, 10, 15, 4, 20, 6}));
  EXPECT_DOUBLE_EQ(other.chip.half_gflop_per_us, measured.chip.half_gflop_per_us / 10);
  EXPECT_DOUBLE_EQ(other.chip.single_gflop_per_us, measured.chip.single_gflop_per_us / 5);
  EXPECT_DOUBLE_EQ(other.chip.mib_per_us, measured.chip.mib_per_us / 4);
  EXPECT_DOUBLE_EQ(other.chip.peak.half_gflop_per_us, 100 / 1e6);
  EXPECT_DOUBLE_EQ(other.chip.peak.mib_per_us, 1e12 / 1048576 / 1e6);
  EXPECT_GE(other.spreads[0]->energy[2], 0.5);
}

}  // namespace
}  // namespace wattree
