#include "src/api/runs/run_status.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

constexpr Nanos kSecond = kNanosPerSecond;

MeterEnergy joules(double energy, double covered) {
  return {0, Joules(energy), Joules(energy), Joules(energy), Seconds(covered)};
}

// Three epochs of 100, 110 and 90 J, one second each, of five; 30 J came before them.
TrackedRun three_of_five(Basis basis) {
  RunBegun begun;
  begun.name = "run";
  begun.meters.push_back({"cpu", "", ComponentKind::kCpu, {basis, "a meter", Boundary::kHost}});
  begun.planned_epochs = 5;
  TrackedRun run(begun);
  Nanos at = kSecond;
  double total = 30;
  run.apply(Totals{at, {joules(total, 1)}});
  for (const double energy : {100.0, 110.0, 90.0}) {
    total += energy;
    run.apply(EpochMeasured{"", at, at + kSecond, {joules(energy, 1)}});
    at += kSecond;
    run.apply(Totals{at, {joules(total, static_cast<double>(at) / 1e9)}});
  }
  return run;
}

// The line through 100, 210, 300 rises by 100 J an epoch; two more are 200 J. The slope is the mean
// of the last two, the epochs' deviation 10 J: variance 100 (2 + 4 × 1/2), and Student's t of 97.5
// % with two degrees of freedom is 4.302653.
TEST(RunStatus, ProjectsThePlannedEpochsByHand) {
  const RunStatus status = status_of(three_of_five(Basis::kMeasured), {});
  ASSERT_TRUE(status.projected_energy);
  EXPECT_NEAR(status.projected_energy->value.value, 530, 1e-9);
  EXPECT_NEAR(status.projected_energy->low->value, 530 - 20 * 4.302653, 0.01);
  EXPECT_NEAR(status.projected_energy->high->value, 530 + 20 * 4.302653, 0.01);
}

TEST(RunStatus, AProjectionIsNeverLessThanThereIsAlready) {
  TrackedRun run = three_of_five(Basis::kMeasured);
  run.apply(EpochBegun{4 * kSecond, "4", false});
  run.apply(Totals{5 * kSecond, {joules(930, 5)}});
  const RunStatus status = status_of(run, {});
  EXPECT_EQ(status.energy, Joules(930));
  EXPECT_GE(status.projected_energy->value, Joules(930));
  EXPECT_GE(*status.projected_energy->low, Joules(930));
}

// What a constant of somebody's goes into is no better than that.
TEST(RunStatus, EmissionsAreAsGoodAsTheirWeakestPart) {
  Setting setting;
  setting.grid = Grid{"US-GA", CarbonIntensity(325.43), Basis::kPublished, "a table"};
  const RunStatus measured = status_of(three_of_five(Basis::kMeasured), setting);
  EXPECT_EQ(measured.emissions_basis, Basis::kDerived);
  EXPECT_NEAR(measured.emissions->value, 330 / 3.6e6 * 325.43, 1e-9);
  const RunStatus assumed = status_of(three_of_five(Basis::kAssumed), setting);
  EXPECT_EQ(assumed.emissions_basis, Basis::kAssumed);
  EXPECT_NE(to_json(assumed).find("\"carbon_basis\":\"assumed\""), std::string::npos);
}

}  // namespace
}  // namespace wattree
