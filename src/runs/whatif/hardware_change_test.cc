#include "src/runs/whatif/hardware_change.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wattree {
namespace {

Fleet parse(const std::string& text) { return parse_fleet(text, bundled_devices()).value(); }

HardwareChange change(const std::string& from, const std::string& to, const RatioRule& rule = {}) {
  return hardware_change(parse(from), parse(to), rule).value();
}

bool has_note(const HardwareChange& change, const std::string& part) {
  return std::any_of(change.notes.begin(), change.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(HardwareChange, ComparesPeaksOfThePrecisionAndBandwidth) {
  // By hand from the data sheets: 400 W, 312 TFLOPS, 2039 GB/s; 350 W, 362 TFLOPS, 864 GB/s.
  const double a100 = 1 / 312.0 + 1 / (590 * 2.039);
  const double l40s = 1 / 362.0 + 1 / (590 * 0.864);
  const HardwareChange made = change("8xA100 SXM4 80GB", "8xL40S", {{}, ComputeUnits::k16Bit});
  EXPECT_NEAR(made.energy_per_work.value, 350 * l40s / (400 * a100), 1e-12);
  EXPECT_NEAR(made.time_per_work.value, l40s / a100, 1e-12);
  EXPECT_TRUE(made.notes.empty());
  // Its FP32 peaks say a fifth, which sends people to the wrong card.
  const HardwareChange by_fp32 =
      change("8xA100 SXM4 80GB", "8xL40S", {HardwareFormula::kEnergyVis, std::nullopt});
  EXPECT_NEAR(by_fp32.energy_per_work.value, (350 / 91.6) / (400 / 19.5), 1e-12);
}

TEST(HardwareChange, TheIntervalHoldsMemoryBoundAndComputeBoundWork) {
  const HardwareChange made = change("A100 SXM4 80GB", "L40S", {{}, ComputeUnits::k16Bit});
  const double compute = (350 / 362.0) / (400 / 312.0);
  const double memory =
      (350 * (1 / 362.0 + 1 / (60 * 0.864))) / (400 * (1 / 312.0 + 1 / (60 * 2.039)));
  EXPECT_NEAR(*made.energy_per_work.low, compute / 2, 1e-12);
  EXPECT_NEAR(*made.energy_per_work.high, memory * 2, 1e-12);
}

TEST(HardwareChange, EnergyVissFormulaHasNoInterval) {
  const HardwareChange made =
      change("4xGTX 1080 Ti", "4xT4", {HardwareFormula::kEnergyVis, std::nullopt});
  EXPECT_DOUBLE_EQ(made.energy_per_work.value, (70 / 8100.0) / (250 / 11340.0));
  EXPECT_FALSE(made.energy_per_work.low);
  EXPECT_EQ(made.by, "TDP/FP32");
}

TEST(HardwareChange, WhatNobodySaysIsAssumedAndSaid) {
  const HardwareChange tensor = change("V100 SXM2 16GB", "A100 SXM4 80GB");
  EXPECT_EQ(tensor.units, ComputeUnits::k16Bit);
  EXPECT_TRUE(has_note(tensor, "16 bits on tensor cores are assumed"));
  // A run on cards without such units did not compute on them.
  const HardwareChange plain = change("GTX 1080 Ti", "T4");
  EXPECT_EQ(plain.units, ComputeUnits::kFp32);
  EXPECT_TRUE(has_note(plain, "fp32 is assumed"));
}

TEST(HardwareChange, FiguresThatAreMissingAreMissingOnBothSides) {
  const HardwareChange made = change("A100 SXM4 80GB", "Arc A770", {{}, ComputeUnits::k16Bit});
  EXPECT_EQ(made.by, "TDP/FP32");
  EXPECT_TRUE(has_note(made, "no 16-bit rate for Arc A770 16GB: the FP32 peaks stand in, on both"));
  EXPECT_TRUE(made.energy_per_work.high);
}

TEST(HardwareChange, MoreOfOneDeviceNeedsNoFigures) {
  const HardwareChange made = change("8xTPU v4", "16xTPU v4");
  EXPECT_EQ(made.energy_per_work.value, 1);
  EXPECT_EQ(made.time_per_work.value, 0.5);
  EXPECT_FALSE(made.energy_per_work.low);
  EXPECT_TRUE(made.notes.empty());
  EXPECT_EQ(made.energy_factor(Keep::kHours).value, 2);
}

}  // namespace
}  // namespace wattree
