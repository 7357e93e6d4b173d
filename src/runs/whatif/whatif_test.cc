#include "src/runs/whatif/whatif.h"

#include <gtest/gtest.h>

#include "src/runs/profile/read.h"
#include "src/runs/whatif/footprint.h"
#include "src/runs/whatif/over_time.h"

namespace wattree {
namespace {

Profile sample() {
  return read_profile_file(WATTREE_SOURCE_DIR "/tests/data/profiles/energyvis_sample.json")
      .value()
      .profile;
}

Setting setting(const char* intensity, const char* pue = "1.59") {
  return {parse_pue(pue).value(), parse_grid(intensity).value(), std::nullopt};
}

double pounds(const CurvePoint& point) { return point.emissions->value.value / kGramsPerPound; }

Fleet fleet(const std::string& text, std::span<const Device> devices = bundled_devices()) {
  return parse_fleet(text, devices).value();
}

// EnergyVis's own figures, its intensities typed in.
TEST(WhatIf, GoldenCurvesOfEnergyVis) {
  Overlay overlay;
  overlay.grid = parse_grid("1.516599lb/kWh").value();
  const WhatIf result =
      what_if(sample(), setting("0.6484905lb/kWh"), overlay, bundled_devices()).value();
  ASSERT_EQ(result.baseline.points.size(), 6u);
  EXPECT_NEAR(pounds(result.baseline.points.front()), 0.10311, 5e-6);
  EXPECT_NEAR(pounds(result.baseline.points.back()), 0.61866, 5e-6);
  EXPECT_NEAR(pounds(result.alternative.points.back()), 1.446835, 5e-7);
  // The electricity has PUE in it, too: 0.6 kWh × 1.59.
  EXPECT_NEAR(result.baseline.points.back().energy.value.value / kJoulesPerKwh, 0.954, 1e-12);
  EXPECT_NEAR(result.baseline.points.back().device_energy.value.value / kJoulesPerKwh, 0.6, 1e-12);

  overlay.epochs = 16;
  const WhatIf longer =
      what_if(sample(), setting("0.6484905lb/kWh"), overlay, bundled_devices()).value();
  ASSERT_EQ(longer.baseline.points.size(), 16u);
  EXPECT_TRUE(longer.baseline.points[6].is_extrapolated);
  EXPECT_NEAR(pounds(longer.baseline.points.back()), 1.64976, 5e-6);  // x = 15
  EXPECT_EQ(longer.baseline.energy_basis.basis, Basis::kAssumed);     // The file's own.
}

TEST(WhatIf, GoldenHardwareRatioOfEnergyVis) {
  // Its list has 45.36 and 116.3 GFLOPS per watt; ours gives 0.392.
  const auto own = read_devices(
      "name,kind,tdp_w,fp32_gflops\nGeForce GTX 1080 Ti,gpu,250,11340\nT4,gpu,70,8141\n", "own");
  const std::vector<Device> devices = with_own_devices(own.value(), "own");
  Overlay overlay;
  overlay.hardware.rule.formula = HardwareFormula::kEnergyVis;
  overlay.hardware.fleet = fleet("4xT4", devices);
  const WhatIf result = what_if(sample(), setting("0.6484905lb/kWh"), overlay, devices).value();
  ASSERT_EQ(result.changes.size(), 1u);
  EXPECT_NEAR(result.changes[0].energy_per_work.value, 0.390026, 5e-7);
  EXPECT_EQ(result.alternative.device_basis.basis, Basis::kAssumed);  // Own figures of hardware.
  // The GPUs' half is scaled, the CPU's stays: 0.3 kWh each.
  EXPECT_NEAR(result.alternative.points.back().device_energy.value.value,
              0.3 * 3.6e6 * (1 + 0.390026), 1);
  overlay.hardware.fleet = fleet("4xT4");
  const WhatIf ours = what_if(sample(), setting("1g/kWh"), overlay, bundled_devices()).value();
  EXPECT_NEAR(ours.changes[0].energy_per_work.value, 0.392, 5e-4);
}

TEST(WhatIf, TheSameIsTheSame) {
  const Setting base = setting("0.6484905lb/kWh");
  Overlay overlay;
  overlay.grid = base.grid;
  overlay.pue = base.pue;
  overlay.hardware.fleet = fleet("4xGTX 1080 Ti,i7 2600K");
  for (const Keep keep : {Keep::kWork, Keep::kHours}) {
    overlay.hardware.keep = keep;
    const WhatIf result = what_if(sample(), base, overlay, bundled_devices()).value();
    for (std::size_t i = 0; i < result.baseline.points.size(); ++i) {
      const CurvePoint& a = result.baseline.points[i];
      const CurvePoint& b = result.alternative.points[i];
      EXPECT_EQ(a.energy.value, b.energy.value);
      EXPECT_EQ(a.emissions->value, b.emissions->value);
      EXPECT_EQ(a.elapsed, b.elapsed);
    }
  }
}

TEST(WhatIf, TheBaselineNeverChangesAndNoOverlayIsTheBaseline) {
  const Profile profile = sample();
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): to compare with.
  const Profile before = profile;
  Overlay overlay;
  overlay.hardware.fleet = fleet("1xH200");
  overlay.pue = parse_pue("1.1").value();
  ASSERT_TRUE(what_if(profile, setting("300g/kWh"), overlay, bundled_devices()).ok());
  EXPECT_EQ(profile, before);
  const WhatIf reset = what_if(profile, setting("300g/kWh"), Overlay{}, bundled_devices()).value();
  EXPECT_EQ(reset.alternative.points.back().emissions->value,
            reset.baseline.points.back().emissions->value);
  EXPECT_TRUE(reset.changes.empty());
}

Profile two_epochs(ComponentKind kind = ComponentKind::kGpu) {
  Profile profile;
  profile.name = "two";
  profile.hardware = {{DeviceKind::kGpu, "T4", 2}};
  const Provenance measured{Basis::kMeasured, "NVML", Boundary::kGpu};
  for (const char* start : {"2026-05-01T00:00:00Z", "2026-05-01T01:00:00Z"}) {
    Epoch epoch;
    epoch.start = parse_utc(start);
    epoch.duration = Seconds(3600);
    epoch.energy.push_back({"x", kind, Joules(3.6e6), Joules(1e5), Joules(10), measured});
    profile.epochs.push_back(epoch);
  }
  return profile;
}

TEST(WhatIf, MoreOfTheSameCards) {
  Overlay overlay;
  overlay.hardware.fleet = fleet("4xT4");
  const WhatIf work = what_if(two_epochs(), {}, overlay, bundled_devices()).value();
  EXPECT_EQ(work.alternative.points.back().energy.value, Joules(7.2e6));  // The same work,
  EXPECT_EQ(work.alternative.points.back().elapsed, Seconds(3600));       // in half the time.
  overlay.hardware.keep = Keep::kHours;
  const WhatIf hours = what_if(two_epochs(), {}, overlay, bundled_devices()).value();
  EXPECT_EQ(hours.alternative.points.back().energy.value, Joules(14.4e6));
  EXPECT_EQ(hours.alternative.points.back().elapsed, Seconds(7200));
}

TEST(WhatIf, OtherCardsForTheSameHoursDrawTheirOwnPower) {
  Overlay overlay;
  overlay.hardware.keep = Keep::kHours;
  overlay.hardware.fleet = fleet("3xGTX 1080 Ti");
  const WhatIf hours = what_if(two_epochs(), {}, overlay, bundled_devices()).value();
  EXPECT_DOUBLE_EQ(hours.alternative.points.back().energy.value.value,
                   7.2e6 * (3 * 250.0) / (2 * 70.0));
}

TEST(WhatIf, AnUndividedMachineIsScaledAndSaysSo) {
  Overlay overlay;
  overlay.hardware.rule.formula = HardwareFormula::kEnergyVis;
  overlay.hardware.fleet = fleet("2xGTX 1080 Ti");
  const WhatIf result =
      what_if(two_epochs(ComponentKind::kMachine), {}, overlay, bundled_devices()).value();
  EXPECT_DOUBLE_EQ(result.alternative.points.back().energy.value.value,
                   7.2e6 * (250.0 / 11340) / (70.0 / 8100));
  EXPECT_NE(result.alternative.notes.back().find("one figure"), std::string::npos);
  EXPECT_EQ(result.alternative.energy_basis.basis, Basis::kDerived);
  EXPECT_EQ(result.baseline.energy_basis.basis, Basis::kMeasured);
}

TEST(WhatIf, UnknownHardwareIsAnErrorNotANumber) {
  Profile profile = two_epochs();
  profile.hardware[0].name = "NVIDIA Tesla T5";
  Overlay overlay;
  overlay.hardware.fleet = fleet("4xT4");
  EXPECT_EQ(what_if(profile, {}, overlay, bundled_devices()).error().message,
            "the profile's hardware \"NVIDIA Tesla T5\" is not known");
  profile.hardware.clear();
  EXPECT_EQ(what_if(profile, {}, overlay, bundled_devices()).error().message,
            "the profile does not name the accelerators it ran on");
  overlay.hardware.fleet = fleet("TPU v5e");
  EXPECT_FALSE(what_if(two_epochs(), {}, overlay, bundled_devices()).ok());
}

TEST(WhatIf, OtherHardwareHasAnIntervalAndIsAssumed) {
  Overlay overlay;
  overlay.hardware.fleet = fleet("2xA100 SXM4 80GB");
  const WhatIf moved =
      what_if(two_epochs(), setting("100g/kWh"), overlay, bundled_devices()).value();
  const UncertainRatio& ratio = moved.changes[0].energy_per_work;
  EXPECT_EQ(moved.changes[0].units, ComputeUnits::k16Bit);
  const CurvePoint& last = moved.alternative.points.back();
  EXPECT_DOUBLE_EQ(last.device_energy.value.value, 7.2e6 * ratio.value);
  EXPECT_DOUBLE_EQ(last.device_energy.low->value, 7.2e6 * *ratio.low);
  EXPECT_DOUBLE_EQ(last.device_energy.high->value, 7.2e6 * *ratio.high);
  EXPECT_DOUBLE_EQ(last.emissions->high->value, last.energy.high->value / 3.6e6 * 100);
  EXPECT_EQ(moved.alternative.energy_basis.basis, Basis::kAssumed);
  EXPECT_FALSE(moved.baseline.points.back().energy.low.has_value());
  // For the same hours the powers count, which the data sheets say without a doubt.
  overlay.hardware.keep = Keep::kHours;
  const WhatIf hours = what_if(two_epochs(), {}, overlay, bundled_devices()).value();
  EXPECT_FALSE(hours.alternative.points.back().energy.low.has_value());
}

TEST(WhatIf, ThePrecisionIsTheUsersThenTheProfilesThenAssumed) {
  Profile profile = two_epochs();
  Overlay overlay;
  overlay.hardware.fleet = fleet("2xA100 SXM4 80GB");
  const auto units = [&] {
    return what_if(profile, {}, overlay, bundled_devices()).value().changes[0].units;
  };
  EXPECT_EQ(units(), ComputeUnits::k16Bit);
  profile.precision = "fp32";
  EXPECT_EQ(units(), ComputeUnits::kFp32);
  overlay.hardware.rule.units = ComputeUnits::kTf32;
  EXPECT_EQ(units(), ComputeUnits::kTf32);
}

TEST(WhatIf, AGridThatChangesWithTimeFollowsTheRun) {
  const Grid grid{"",
                  IntensitySeries::read("time,gco2e_per_kwh\n2026-05-01T00:00:00Z,100\n"
                                        "2026-05-01T01:00:00Z,300\n",
                                        "h.csv")
                      .value(),
                  Basis::kAssumed, "h.csv"};
  EXPECT_EQ(curve_of(two_epochs(), {std::nullopt, grid, std::nullopt})
                .value()
                .points.back()
                .emissions->value,
            GramsCo2e(400));
  // Twice the cards: both epochs are over within the first hour.
  Overlay overlay;
  overlay.hardware.fleet = fleet("4xT4");
  const WhatIf faster =
      what_if(two_epochs(), {std::nullopt, grid, std::nullopt}, overlay, bundled_devices()).value();
  EXPECT_DOUBLE_EQ(faster.alternative.points.back().emissions->value.value, 200);
}

TEST(Curve, GapsAndMissingPartsAreSaid) {
  Profile profile = two_epochs();
  profile.epochs.push_back({});
  profile.epochs[0].gap = Seconds(4);
  profile.outside = profile.epochs[0];
  profile.epochs[1].energy.push_back({"cpu", ComponentKind::kCpu, Joules(1), {}, {}, {}});
  const Curve curve = curve_of(profile, {}).value();
  EXPECT_EQ(curve.points.size(), 2u);
  ASSERT_EQ(curve.notes.size(), 5u);
  EXPECT_EQ(curve.notes[0], "1 of 3 epochs have no figure and are left out");
  EXPECT_EQ(curve.notes[1], "cpu has no figure in 1 epochs: their sums are without it");
  EXPECT_EQ(curve.notes[2], "nothing was measured for 8 s of the run");
  EXPECT_EQ(curve.notes[3],
            "the total includes 1 kWh of the devices outside the epochs: before, between and "
            "after them");
  EXPECT_EQ(curve.notes[4].substr(0, 6), "no PUE");
}

// Two epochs of 1 kWh, and 0.5 kWh in 1800 s around them.
Profile with_outside() {
  Profile profile = two_epochs();
  profile.outside = profile.epochs[0];
  profile.outside->start.reset();
  profile.outside->duration = Seconds(1800);
  profile.outside->energy[0].energy = Joules(1.8e6);
  return profile;
}

TEST(Curve, TheTotalHasWhatWasOutsideTheEpochs) {
  const Setting setting{std::nullopt, Grid{"", CarbonIntensity(100), Basis::kAssumed, ""},
                        std::nullopt};
  const Curve curve = curve_of(with_outside(), setting).value();
  EXPECT_EQ(curve.points.back().device_energy.value, Joules(2.5 * 3.6e6));
  EXPECT_DOUBLE_EQ(curve.points.back().emissions->value.value, 250);
  EXPECT_EQ(curve.points.back().elapsed, Seconds(2 * 3600 + 1800));
  ASSERT_TRUE(curve.outside);
  EXPECT_EQ(curve.outside->device_energy.value, Joules(1.8e6));
  EXPECT_FALSE(curve_of(two_epochs(), setting).value().outside);
}

TEST(Curve, WhatIsOutsideCountsOnceHoweverManyEpochs) {
  const Curve longer = curve_of(with_outside(), {}, 10).value();
  EXPECT_DOUBLE_EQ(longer.points.back().device_energy.value.value, 10.5 * 3.6e6);
  EXPECT_DOUBLE_EQ(longer.points.back().device_energy.low->value, 10.5 * 3.6e6);
  EXPECT_EQ(longer.points.back().elapsed, Seconds(10 * 3600 + 1800));
  EXPECT_EQ(curve_of(with_outside(), {}, 1).value().points.back().energy.value,
            Joules(1.5 * 3.6e6));
}

// Between 0 and 1 h 100 g/kWh, then 300: the epochs' mean is 200.
TEST(Curve, OutsideTheEpochsAGridOverTimeHasTheirMean) {
  const Grid grid{"",
                  IntensitySeries::read("time,gco2e_per_kwh\n2026-05-01T00:00:00Z,100\n"
                                        "2026-05-01T01:00:00Z,300\n",
                                        "h.csv")
                      .value(),
                  Basis::kAssumed, "h.csv"};
  const Curve curve = curve_of(with_outside(), {std::nullopt, grid, std::nullopt}).value();
  EXPECT_DOUBLE_EQ(curve.points.back().emissions->value.value, 500);
}

TEST(Curve, OtherHardwareChangesWhatIsOutsideToo) {
  Overlay overlay;
  overlay.hardware.fleet = fleet("4xT4");  // Twice the cards: the same work in half the time.
  const WhatIf result = what_if(with_outside(), {}, overlay, bundled_devices()).value();
  EXPECT_EQ(result.alternative.points.back().elapsed, Seconds(3600 + 900));
  EXPECT_DOUBLE_EQ(result.alternative.points.back().energy.value.value, 2.5 * 3.6e6);
}

// An epoch that a line ends begins with the run: its start-up is no part of the epochs to come.
TEST(Curve, AFirstEpochWithTheStartUpIsNotExtrapolated) {
  Profile profile = two_epochs();
  profile.epochs.push_back(profile.epochs.back());
  profile.epochs[0].energy[0].energy = Joules(9 * 3.6e6);
  profile.epochs[0].has_startup = true;
  const Curve curve = curve_of(profile, {}, 5).value();
  EXPECT_DOUBLE_EQ(curve.points.back().energy.value.value, (9 + 4) * 3.6e6);
  EXPECT_EQ(curve.notes.back(),
            "the first epoch includes the command's start-up: the extrapolation rests on the later "
            "ones");
  profile.epochs.resize(1);
  const Curve only = curve_of(profile, {}, 2).value();
  EXPECT_DOUBLE_EQ(only.points.back().energy.value.value, 18 * 3.6e6);
  EXPECT_NE(only.notes[1].find("is too high"), std::string::npos);
}

TEST(Curve, BoundsOfShortEpochsAreSaid) {
  Profile profile = two_epochs();
  profile.epochs[0].energy[0].energy = Joules(25);
  profile.epochs[0].energy[0].uncertainty = Joules(20);
  profile.epochs[1].energy[0].uncertainty = Joules(50);  // Of 1 kWh: nothing to speak of.
  const std::vector<std::string> notes = curve_of(profile, {}).value().notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], "the meters' steps leave up to ± 20 J of an epoch open");
}

Profile so_far(std::size_t epochs) {
  Profile profile = sample();
  profile.epochs.resize(epochs, profile.epochs.front());
  for (Epoch& epoch : profile.epochs) epoch.duration = Seconds(10);
  SoFar so_far{profile.epochs.front(), true, epochs, {}, true};
  for (ComponentEnergy& part : so_far.open->energy) part.energy = part.energy * 0.5;
  so_far.open->duration = Seconds(5);
  for (std::size_t i = 1; i <= epochs; ++i) {
    so_far.ends.emplace_back(10 * static_cast<double>(i));
  }
  profile.so_far = so_far;
  return profile;
}

TEST(Curve, OfARunThatGoesOnEndsAtThisMoment) {
  const Curve now = curve_of(so_far(4), {}).value();
  ASSERT_EQ(now.points.size(), 5u);
  EXPECT_TRUE(now.points.back().is_so_far);
  EXPECT_EQ(now.points.back().epoch, 5u);
  EXPECT_NEAR(now.points.back().energy.value.value, 4.5 * now.points[0].energy.value.value, 1e-6);
  const Curve planned = curve_of(so_far(4), {}, 6).value();
  EXPECT_EQ(planned.points.back().epoch, 6u);
  EXPECT_NEAR(planned.points.back().energy.value.value, 6 * now.points[0].energy.value.value, 1);
  // An epoch that takes much longer than the others raises what is expected.
  Profile slow = so_far(4);
  for (ComponentEnergy& part : slow.so_far->open->energy) part.energy = part.energy * 20;
  const Curve raised = curve_of(slow, {}, 6).value();
  EXPECT_EQ(raised.points.back().energy.value, raised.points[4].energy.value);
}

TEST(Curve, AFirstEpochThatGoesOnIsNotExtrapolated) {
  Profile profile = sample();
  profile.epochs.resize(1);
  profile.so_far = SoFar{std::nullopt, true, 0, {}, true};
  const Curve curve = curve_of(profile, {}, 20).value();
  ASSERT_EQ(curve.points.size(), 1u);
  EXPECT_TRUE(curve.points.back().is_so_far);
  profile.epochs.front().energy.clear();
  EXPECT_EQ(curve_of(profile, {}).error().reason, "no_energy_yet");
  profile.so_far->has_meters = false;
  EXPECT_EQ(curve_of(profile, {}).error().reason, "no_energy");
}

TEST(OverTime, AddsSamplesUpToTheEndOfTheCurve) {
  Profile profile = so_far(2);
  const ComponentEnergy& part = profile.epochs.front().energy.front();
  const double whole = device_energy(profile)->value;
  SampleSeries series{part.component, part.kind, {}, {}, part.provenance};
  for (int i = 1; i <= 6; ++i) {
    series.end.emplace_back(4 * i);
    series.energy.emplace_back(whole / 8);
  }
  profile.samples = {series};
  const Setting here = setting("360g/kWh", "1.5");
  const std::vector<TimePoint> points = over_time(profile, here, curve_of(profile, here).value());
  ASSERT_EQ(points.size(), 1 + 6 + 2 + 1u);  // Zero, samples, ends of epochs, now.
  EXPECT_EQ(points.front().energy, Joules());
  EXPECT_EQ(points[3].epoch, 1u);
  EXPECT_EQ(points[3].elapsed, Seconds(10));
  EXPECT_NEAR(points[3].device_energy.value, whole * 2.5 / 8, 1e-6);  // Half way to 12 s.
  EXPECT_EQ(points.back().elapsed, Seconds(25));
  EXPECT_NEAR(points.back().energy.value, 1.5 * whole, 1e-6);
  EXPECT_NEAR(points.back().emissions->value, 1.5 * whole / 3.6e6 * 360, 1e-6);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GE(points[i].energy, points[i - 1].energy) << i;
  }
  // Epochs without a time between them, or nothing that says how long it took: no curve.
  EXPECT_TRUE(over_time(sample(), here, curve_of(sample(), here).value()).empty());
}

TEST(Footprint, RunsOfDifferentLengthsAreComparedAtTheShorterOne) {
  Profile longer = sample();
  longer.epochs.resize(18, longer.epochs.front());
  for (Epoch& epoch : longer.epochs) {
    for (ComponentEnergy& part : epoch.energy) part.energy = part.energy * 0.5;
  }
  const OtherRun other{longer};
  const WhatIfAnswer answer = answer_what_if(sample(), {}, bundled_devices(), &other).value();
  ASSERT_TRUE(answer.compared);
  EXPECT_EQ(answer.compared->epochs, 6u);
  // In all it takes half as much again, and for the same epochs half.
  EXPECT_GT(answer.alternative.curve.points.back().energy.value,
            answer.baseline.curve.points.back().energy.value);
  EXPECT_NEAR(answer.compared->alternative.energy.value.value,
              0.5 * answer.compared->baseline.energy.value.value, 1e-6);
  EXPECT_EQ(answer.steps.back().energy_after, answer.compared->alternative.energy.value);
  WhatIfQuery asked;
  asked.epochs = 18;
  EXPECT_FALSE(answer_what_if(sample(), asked, bundled_devices(), &other).value().compared);
  const OtherRun figure{profile_of_energy(Joules(1), "1J")};
  EXPECT_FALSE(answer_what_if(sample(), {}, bundled_devices(), &figure).value().compared);
}

TEST(Curve, FewerEpochsAreCutOff) {
  EXPECT_EQ(curve_of(two_epochs(), {}, 1).value().points.back().energy.value, Joules(3.6e6));
  EXPECT_FALSE(curve_of(two_epochs(), {}, 0).ok());
  EXPECT_FALSE(curve_of(two_epochs(), {}, 2'000'000).ok());
  EXPECT_FALSE(curve_of(Profile{}, {}).ok());
}

}  // namespace
}  // namespace wattree
