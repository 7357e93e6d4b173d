#include "src/runs/whatif/steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/facts/hardware/fleet.h"
#include "src/runs/whatif/equations.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {
namespace {

// EnergyVis's sample: six epochs of 0.05 kWh each of CPU and GPUs, here of half an hour.
Profile sample() {
  Profile out;
  out.name = "sample";
  out.hardware = {{DeviceKind::kGpu, "GeForce GTX 1080 Ti", 4}};
  out.pue = Pue{1.59, Basis::kAssumed, "typed in"};
  for (int i = 0; i < 6; ++i) {
    Epoch& epoch = out.epochs.emplace_back();
    epoch.duration = Seconds(1800);
    for (const auto kind : {ComponentKind::kCpu, ComponentKind::kGpu}) {
      epoch.energy.push_back({std::string(name_of(kind)),
                              kind,
                              Joules(0.05 * kJoulesPerKwh),
                              std::nullopt,
                              std::nullopt,
                              {Basis::kAssumed, "EnergyVis", Boundary::kHost}});
    }
  }
  return out;
}

WhatIfQuery query() {
  WhatIfQuery out;
  out.baseline.intensity = "0.6484905lb/kWh";    // Its figure for Georgia,
  out.alternative.intensity = "1.516599lb/kWh";  // and for Wyoming.
  return out;
}

TEST(Steps, ARegionIsTheWholeDifference) {
  const WhatIfAnswer answer = answer_what_if(sample(), query(), bundled_devices()).value();
  ASSERT_EQ(answer.steps.size(), 1u);
  const WhatIfStep& step = answer.steps[0];
  EXPECT_EQ(step.facet, Facet::kRegion);
  EXPECT_NEAR(step.emissions_before->value / kGramsPerPound, 0.61866, 1e-5);
  EXPECT_NEAR(step.emissions_after->value / kGramsPerPound, 1.446835, 1e-6);
  EXPECT_EQ(step.energy_before, step.energy_after);
}

TEST(Steps, EachBeginsWhereTheOneBeforeEnds) {
  WhatIfQuery all = query();
  all.hardware = "4xT4";
  all.alternative.pue = "1.1";
  all.epochs = 10;
  OtherRun other{sample()};
  other.profile.name = "other";
  for (Epoch& epoch : other.profile.epochs) epoch.energy.pop_back();
  other.profile.intensity = RecordedIntensity{CarbonIntensity(100), Basis::kAssumed, ""};
  const WhatIfAnswer answer = answer_what_if(sample(), all, bundled_devices(), &other).value();
  ASSERT_EQ(answer.steps.size(), 4u);
  const auto emitted = [](const Footprint& side) {
    return side.curve.points.back().emissions->value;
  };
  EXPECT_EQ(*answer.steps.front().emissions_before, emitted(answer.baseline));
  EXPECT_EQ(*answer.steps.back().emissions_after, emitted(answer.alternative));
  const Facet order[] = {Facet::kProfile, Facet::kRegion, Facet::kHardware, Facet::kPue};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(answer.steps[i].facet, order[i]);
    if (i == 0) continue;
    EXPECT_EQ(answer.steps[i].energy_before, answer.steps[i - 1].energy_after);
    EXPECT_EQ(answer.steps[i].emissions_before, answer.steps[i - 1].emissions_after);
  }
  // Without GPUs' energy, other GPUs change nothing; another PUE does by the ratio.
  EXPECT_EQ(answer.steps[2].energy_before, answer.steps[2].energy_after);
  EXPECT_NEAR(answer.steps[3].energy_after.value / answer.steps[3].energy_before.value, 1.1 / 1.59,
              1e-12);
}

// EnergyVis's list gives 0.390026 for these cards, our catalogue 0.392.
TEST(Steps, HardwareChangesTheGpusHalf) {
  WhatIfQuery hardware = query();
  hardware.alternative.intensity.clear();
  hardware.hardware = "4xT4";
  hardware.rule.formula = HardwareFormula::kEnergyVis;
  const WhatIfAnswer answer = answer_what_if(sample(), hardware, bundled_devices()).value();
  ASSERT_EQ(answer.steps.size(), 1u);
  EXPECT_NEAR(answer.steps[0].energy_after.value / answer.steps[0].energy_before.value,
              0.5 + 0.5 * 0.392, 1e-3);
}

TEST(Steps, NothingLaidOverIsNoStep) {
  WhatIfQuery nothing = query();
  nothing.alternative.intensity.clear();
  EXPECT_TRUE(answer_what_if(sample(), nothing, bundled_devices()).value().steps.empty());
}

TEST(OtherRun, MayBeWhereTheBaselineIsWithinItsSpread) {
  OtherRun other{sample(), true, 0.25, {"a note"}};
  other.profile.pue.reset();
  WhatIfQuery there = query();
  there.alternative.intensity.clear();
  const WhatIfAnswer answer = answer_what_if(sample(), there, bundled_devices(), &other).value();
  // The same run in the same place: 0.61866 lb, ± a quarter.
  const Estimate<GramsCo2e>& emitted = *answer.alternative.curve.points.back().emissions;
  EXPECT_NEAR(emitted.value.value / kGramsPerPound, 0.61866, 1e-5);
  EXPECT_NEAR(emitted.low->value / kGramsPerPound, 0.75 * 0.61866, 1e-5);
  EXPECT_NEAR(emitted.high->value / kGramsPerPound, 1.25 * 0.61866, 1e-5);
  EXPECT_EQ(answer.alternative.curve.notes.front(), "a note");
  EXPECT_FALSE(answer.baseline.curve.points.back().emissions->low);
}

TEST(EveryRegion, IsTheAlternativesEnergyTimesItsIntensity) {
  WhatIfQuery map = query();
  map.in_every_region = true;
  const WhatIfAnswer answer = answer_what_if(sample(), map, bundled_devices()).value();
  EXPECT_EQ(answer.regions.size(), bundled_regions().size());
  for (std::size_t i = 1; i < answer.regions.size(); ++i) {
    EXPECT_LE(answer.regions[i - 1].emissions, answer.regions[i].emissions);
  }
  const auto georgia =
      std::find_if(answer.regions.begin(), answer.regions.end(),
                   [](const InRegion& here) { return here.region.code == "US-GA"; });
  ASSERT_NE(georgia, answer.regions.end());
  // 0.954 kWh at 325.43 g/kWh, against 0.61866 lb.
  EXPECT_NEAR(georgia->emissions.value, 0.954 * 325.43, 0.01);
  EXPECT_NEAR(*georgia->excess, 0.954 * 325.43 / (0.61866 * kGramsPerPound) - 1, 1e-4);
}

// By hand: 0.05 kWh in half an hour are 100 W; with PUE 318 W and 0.159 kWh.
TEST(Equations, HaveTheValuesOfAnEpoch) {
  Setting setting;
  setting.pue = sample().pue;
  setting.grid = Grid{"", CarbonIntensity(300), Basis::kAssumed, ""};
  const std::vector<EpochEquation> all = equations_of(sample(), setting).value();
  ASSERT_EQ(all.size(), 6u);
  const EpochEquation& first = all[0];
  EXPECT_EQ(first.epoch, 1u);
  EXPECT_NEAR(first.chipset->value, 100, 1e-9);
  EXPECT_NEAR(first.gpus->value, 100, 1e-9);
  EXPECT_NEAR(first.power->value, 318, 1e-9);
  EXPECT_NEAR(first.energy.value / kJoulesPerKwh, 0.159, 1e-12);
  EXPECT_NEAR(first.emissions->value, 0.159 * 300, 1e-9);
  EXPECT_EQ(first.intensity->value, 300);
  EXPECT_FALSE(first.undivided);
  // 0.05 kWh of CPU and GPU each, of which nobody says how they were found, nor what idling took.
  EXPECT_NEAR(first.device_energy.value / kJoulesPerKwh, 0.1, 1e-12);
  EXPECT_EQ(first.assumed, first.device_energy);
  EXPECT_FALSE(first.idle);
  // The three equations hold.
  EXPECT_NEAR(first.power->value, (first.chipset->value + first.gpus->value) * 1.59, 1e-9);
  EXPECT_NEAR(first.energy.value, first.power->value * first.duration->value, 1e-6);
}

TEST(Equations, TellIdlingAndWhatNobodyMeasured) {
  Profile profile = sample();
  for (ComponentEnergy& part : profile.epochs[0].energy) part.idle = Joules(1000);
  profile.epochs[1].energy[1].provenance.basis = Basis::kMeasured;
  profile.epochs[1].energy[0].idle = Joules(1000);
  const std::vector<EpochEquation> all = equations_of(profile, {}).value();
  EXPECT_EQ(*all[0].idle, Joules(1000.0 * static_cast<double>(profile.epochs[0].energy.size())));
  EXPECT_FALSE(all[1].idle) << "one component alone says so";
  EXPECT_EQ(all[1].assumed, profile.epochs[1].energy[0].energy);
}

TEST(Equations, WithoutADurationThereIsNoPower) {
  Profile profile = sample();
  profile.epochs[2].duration.reset();
  profile.epochs[3].energy.clear();
  const std::vector<EpochEquation> all = equations_of(profile, {}).value();
  ASSERT_EQ(all.size(), 5u);  // The fourth has no figures.
  EXPECT_FALSE(all[2].power);
  EXPECT_FALSE(all[2].emissions);
  EXPECT_EQ(all[3].epoch, 5u);
}

}  // namespace
}  // namespace wattree
