#include "src/runs/track/run.h"

#include <gtest/gtest.h>

#include "src/runs/profile/profile_json.h"

namespace wattree {
namespace {

constexpr Nanos kS = kNanosPerSecond;

RunBegun two_meters() {
  RunBegun run;
  run.name = "test";
  run.command = "python train.py";
  run.tool = "wattree test";
  run.process = 42;
  run.time = *parse_utc("2026-05-01T12:00:00Z");
  run.at = 1000 * kS;
  run.meters = {{"gpu0.energy",
                 "H200",
                 ComponentKind::kGpu,
                 {Basis::kMeasured, "NVML energy counter", Boundary::kGpu}},
                {"cpu.assumed",
                 "declared by the user",
                 ComponentKind::kCpu,
                 {Basis::kAssumed, "--assume", Boundary::kHost}}};
  run.hardware = {{DeviceKind::kGpu, "NVIDIA H200", 1}};
  run.region = "US-GA";
  run.pue = Pue{1.2, Basis::kAssumed, "typed in"};
  run.intensity = RecordedIntensity{CarbonIntensity(325.43), Basis::kPublished, "eGRID"};
  run.planned_epochs = 4;
  run.host = "node7";
  run.warn_above = Joules(1e6);
  run.stop_above = Joules(2e6);
  run.power_limit = Watts(700);
  return run;
}

MeterEnergy exactly(std::int64_t meter, double joules, double covered) {
  return {meter, Joules(joules), Joules(joules), Joules(joules), Seconds(covered)};
}

// 100 W of the GPU and 50 W of the CPU, `at` seconds after the beginning.
Totals totals_at(double at) {
  return {1000 * kS + static_cast<Nanos>(at * 1e9),
          {exactly(0, 100 * at, at), exactly(1, 50 * at, at)}};
}

TEST(Record, EveryKindReadsBackAsItWas) {
  const std::vector<Record> records{
      two_meters(),
      IdleMeasured{Seconds(5), {exactly(0, 350, 5)}},
      totals_at(1.25),
      EpochBegun{7, "epoch \"1\"\n", false},
      EpochBegun{7, "2", true},
      EpochEnded{8},
      EpochMeasured{"1", 7, 8, {{1, Joules(1.5), Joules(1.25), Joules(2.1), Seconds(0.1)}}},
      EpochMeasured{"2", 9, 9, {{1, Joules(1.5), Joules(1.25), Joules(2.1), Seconds()}}, true},
      StepsMeasured{"forward", 12, Seconds(3), Joules(0.1), Joules(0), Joules(0.3)},
      RunNote{9, "gpu0.energy: lost"},
      PauseChanged{9, PauseState::kAsked},
      PauseChanged{9, PauseState::kStanding},
      PauseChanged{9, PauseState::kNone},
      RunEnded{10, 137},
      RunEnded{10, 143, "the run took more than 3kWh"},
      RunEnded{10, std::nullopt},
  };
  for (const Record& record : records) {
    const std::string line = to_line(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Result<Record> again = parse_record(line, "test");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value(), record) << line;
  }
}

TEST(Record, WhatIsWrongIsNamed) {
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "must be an object"},
           {"{\"record\":\"dance\"}", "does not know"},
           {"{\"record\":\"end\"}", "at_ns"},
           {"{\"record\":\"pause\",\"at_ns\":1,\"state\":\"dancing\"}", "state"},
           {"{\"record\":\"end\",\"at_ns\":1,\"at\":2}", "\"at\""},
           {"{\"record\":\"totals\",\"at_ns\":1,\"meters\":[[0,1,2]]}", "meters"},
           {"{\"record\":\"totals\",\"at_ns\":1,\"meters\":[[99999,1,1,1,1]]}", "meters"},
           {"{\"record\":\"ended\",\"at_ns\":1,\"exit_code\":-4}", "exit_code"}}) {
    const Result<Record> record = parse_record(line, "here");
    ASSERT_FALSE(record.ok()) << line;
    EXPECT_NE(record.error().message.find(what), std::string::npos) << record.error().message;
  }
}

TEST(Run, WithoutEpochsTheWholeRunIsOne) {
  TrackedRun run(two_meters());
  EXPECT_FALSE(run.energy());
  for (int second = 1; second <= 4; ++second) run.apply(totals_at(second));
  run.apply(RunEnded{1004 * kS + kS / 2, 0});
  EXPECT_EQ(run.energy()->value, 600);
  EXPECT_EQ(run.power()->value, 150);
  const Profile profile = run.profile();
  ASSERT_EQ(profile.epochs.size(), 1u);
  EXPECT_FALSE(profile.outside);
  const Epoch& epoch = profile.epochs[0];
  EXPECT_EQ(to_string(*epoch.start), "2026-05-01T12:00:00Z");
  EXPECT_EQ(epoch.duration->value, 4.5);
  EXPECT_EQ(epoch.gap->value, 0.5);  // The meters have said nothing of the last half second.
  EXPECT_EQ(device_energy(epoch)->value, 600);
  EXPECT_FALSE(epoch.energy[0].idle);
  EXPECT_EQ(provenance(profile)->basis, Basis::kAssumed);  // The weakest part's.
  EXPECT_EQ(profile.notes, "command: python train.py");
  EXPECT_EQ(read_profile_json(write_profile_json(profile), "x").value(), profile);
}

TEST(Run, EpochsAndTheRestAddUpToTheRun) {
  TrackedRun run(two_meters());
  run.apply(IdleMeasured{Seconds(5), {exactly(0, 350, 5)}});  // 70 W
  for (int i = 0; i < 2; ++i) {
    const Nanos begun = (1001 + 3 * i) * kS, ended = begun + 2 * kS;
    run.apply(EpochBegun{begun, std::to_string(i), false});
    EXPECT_EQ(run.open_epoch()->name, std::to_string(i));
    run.apply(totals_at(3 + 3 * i));
    run.apply(EpochEnded{ended});
    EXPECT_FALSE(run.open_epoch());
    EXPECT_EQ(run.epochs_ended(), static_cast<std::size_t>(i) + 1);
    run.apply(EpochMeasured{
        std::to_string(i),
        begun,
        ended,
        {{0, Joules(200), Joules(190), Joules(212), Seconds(2)}, exactly(1, 100, 2)}});
    EXPECT_EQ(run.epochs_ended(), static_cast<std::size_t>(i) + 1);
  }
  run.apply(totals_at(8));
  run.apply(RunEnded{1008 * kS, 0});
  const Profile profile = run.profile();
  ASSERT_EQ(profile.epochs.size(), 2u);
  EXPECT_EQ(device_energy(profile)->value, 8 * 150);
  EXPECT_EQ(device_energy(profile.epochs[0])->value, 300);
  EXPECT_EQ(device_energy(*profile.outside)->value, 8 * 150 - 600);
  EXPECT_EQ(profile.outside->duration->value, 4);
  EXPECT_FALSE(profile.outside->gap);
  EXPECT_EQ(to_string(*profile.epochs[1].start), "2026-05-01T12:00:04Z");
  EXPECT_EQ(profile.epochs[0].energy[0].uncertainty->value, 11);
  EXPECT_EQ(profile.epochs[0].energy[0].idle->value, 140);
  EXPECT_FALSE(profile.epochs[0].energy[1].idle);  // Nobody measured it.
  EXPECT_EQ(profile.planned_epochs, 4);
  EXPECT_EQ(read_profile_json(write_profile_json(profile), "x").value(), profile);
}

// The tracker died between an epoch's end and its measurement.
TEST(Run, AnEpochThatWasNotMeasuredLiesBetweenTotals) {
  TrackedRun run(two_meters());
  run.apply(totals_at(1));
  run.apply(EpochBegun{1000 * kS + 1500 * kNanosPerMillisecond, "a", false});
  run.apply(totals_at(2));
  run.apply(totals_at(3));
  run.apply(EpochEnded{1000 * kS + 3250 * kNanosPerMillisecond});
  run.apply(totals_at(4));
  const Profile profile = run.profile();
  ASSERT_EQ(profile.epochs.size(), 1u);
  const ComponentEnergy& gpu = profile.epochs[0].energy[0];
  EXPECT_DOUBLE_EQ(gpu.energy.value, 175);        // 1.75 s of 100 W
  EXPECT_DOUBLE_EQ(gpu.uncertainty->value, 100);  // From 300 - 200 to 400 - 100.
  EXPECT_NE(profile.notes.find("straight line"), std::string::npos);
  EXPECT_NE(profile.notes.find("end is not recorded"), std::string::npos);
}

TEST(Run, AnEpochThatDidNotEndIsOutside) {
  TrackedRun run(two_meters());
  run.apply(EpochBegun{1000 * kS, "1", false});
  run.apply(EpochEnded{1001 * kS});
  run.apply(EpochMeasured{"1", 1000 * kS, 1001 * kS, {exactly(0, 100, 1), exactly(1, 50, 1)}});
  run.apply(EpochBegun{1001 * kS, "2", false});
  run.apply(totals_at(3));
  const Profile profile = run.profile();
  EXPECT_EQ(profile.epochs.size(), 1u);
  EXPECT_EQ(device_energy(*profile.outside)->value, 300);
  EXPECT_NE(profile.notes.find("was not finished"), std::string::npos);
}

TEST(Run, SoFarTheEpochThatGoesOnHasItsOwnFigure) {
  TrackedRun run(two_meters());
  run.apply(EpochBegun{1000 * kS, "1", false});
  run.apply(totals_at(1));
  const Profile first = run.profile_so_far();
  EXPECT_TRUE(first.so_far->has_epochs);
  EXPECT_EQ(first.so_far->ended, 0u);
  EXPECT_EQ(device_energy(first)->value, 150);
  run.apply(EpochEnded{1001 * kS});
  run.apply(EpochMeasured{"1", 1000 * kS, 1001 * kS, {exactly(0, 100, 1), exactly(1, 50, 1)}});
  run.apply(EpochBegun{1001 * kS, "2", false});
  for (double at = 2; at <= 4; ++at) run.apply(totals_at(at));
  const Profile now = run.profile_so_far();
  EXPECT_EQ(now.so_far->ended, 1u);
  EXPECT_EQ(now.so_far->ends, std::vector<Seconds>{Seconds(1)});
  EXPECT_EQ(device_energy(*now.so_far->open)->value, 450);  // Three seconds of 150 W.
  EXPECT_EQ(now.so_far->open->duration, Seconds(3));
  EXPECT_EQ(device_energy(*now.outside)->value, 0);
  EXPECT_EQ(device_energy(now)->value, 600);
  ASSERT_EQ(now.samples[0].end.size(), 4u);  // One for every second.
  EXPECT_EQ(now.samples[0].energy[2], Joules(100));
  // What is kept is as before: the open epoch is outside.
  EXPECT_FALSE(run.profile().so_far);
  EXPECT_EQ(device_energy(*run.profile().outside)->value, 450);
  run.apply(RunEnded{1004 * kS, 0});
  EXPECT_FALSE(run.profile_so_far().so_far);
}

TEST(Run, WhatWasTakenWhileItStoodIsToldAndStaysInTheTotal) {
  TrackedRun run(two_meters());
  EXPECT_FALSE(run.standing());
  run.apply(totals_at(1));
  run.apply(PauseChanged{1001 * kS, PauseState::kAsked});
  run.apply(PauseChanged{1001 * kS, PauseState::kStanding});
  run.apply(totals_at(3));
  EXPECT_EQ(run.standing()->duration, Seconds(2));
  EXPECT_EQ(run.standing()->energy, Joules(300));  // Two seconds of 150 W.
  run.apply(PauseChanged{1000 * kS + 3500 * kNanosPerMillisecond, PauseState::kNone});
  run.apply(totals_at(4));
  EXPECT_EQ(run.standing()->duration, Seconds(2.5));
  EXPECT_EQ(run.standing()->energy, Joules(375));
  EXPECT_EQ(device_energy(run.profile())->value, 600);
  EXPECT_NE(run.profile().notes.find("it was paused for 2.5 s in all"), std::string::npos)
      << run.profile().notes;
}

TEST(Run, SamplesAreEveryTenSecondsAndGetCoarser) {
  TrackedRun run(two_meters());
  for (double at = 0; at <= 25; at += 2.5) run.apply(totals_at(at));
  const Profile profile = run.profile();
  ASSERT_EQ(profile.samples.size(), 2u);
  ASSERT_EQ(profile.samples[0].end.size(), 2u);
  EXPECT_EQ(profile.samples[0].end[1].value, 20);
  EXPECT_EQ(profile.samples[0].energy[1].value, 1000);
  // Totals that are far apart: the machine was suspended, or records are lost.
  run.apply(totals_at(10 * 3000));
  const Profile longer = run.profile();
  ASSERT_LT(longer.samples[0].end.size(), 2048u);
  double sum = 0;
  for (const Joules energy : longer.samples[0].energy) sum += energy.value;
  EXPECT_NEAR(sum, longer.samples[0].end.back().value * 100, 1e-6);
  EXPECT_EQ(longer.samples[0].end[0].value, 20);
}

TEST(Run, AnEpochBegunAgainTakesTheOpenOnesPlace) {
  TrackedRun run(two_meters());
  run.apply(EpochBegun{1000 * kS, "1", true});
  run.apply(totals_at(3));
  run.apply(EpochBegun{1003 * kS, "1", true});
  run.apply(totals_at(4));
  EXPECT_EQ(run.epochs_ended(), 0u);
  const Profile profile = run.profile();
  ASSERT_EQ(profile.epochs.size(), 1u);  // The whole run.
  EXPECT_EQ(profile.notes.find("not finished"), std::string::npos);
}

TEST(Run, TotalsThatComeTooLateAreLeftOut) {
  TrackedRun run(two_meters());
  run.apply(totals_at(5));
  run.apply(totals_at(4));
  EXPECT_EQ(run.energy()->value, 750);
}

}  // namespace
}  // namespace wattree
