#include "src/runs/track/followed_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

#include "src/runs/track/status.h"

namespace wattree {
namespace {

// Whoever follows a run cannot copy it.
static_assert(!std::is_copy_constructible_v<TrackedRun> && !std::is_copy_assignable_v<TrackedRun>);

EpochMeasured epoch(int number) {
  const Nanos begun = number * kNanosPerSecond;
  return {"", begun, begun + kNanosPerSecond, {{0, Joules(1), Joules(1), Joules(1), Seconds(1)}}};
}

RunBegun begun() {
  RunBegun out;
  out.name = "run";
  out.meters.push_back({"cpu", "", ComponentKind::kCpu, {Basis::kMeasured, "", Boundary::kHost}});
  return out;
}

std::size_t epochs_of(const FollowedRun& followed) {
  std::size_t out = 0;
  EXPECT_TRUE(followed.look([&](const TrackedRun& run) { out = run.epochs().size(); }));
  return out;
}

TEST(FollowedRun, ShowsWhatWasPublished) {
  FollowedRun followed;
  EXPECT_FALSE(followed.look([](const TrackedRun&) { FAIL(); }));
  followed.take(begun());
  EXPECT_FALSE(followed.look([](const TrackedRun&) { FAIL(); }));
  followed.publish();
  EXPECT_EQ(epochs_of(followed), 0u);
  followed.take(epoch(1));
  EXPECT_EQ(epochs_of(followed), 0u);
  followed.publish();
  EXPECT_EQ(epochs_of(followed), 1u);
}

TEST(FollowedRun, TheTrackerNeverWaitsForWhoeverLooks) {
  FollowedRun followed;
  followed.take(begun());
  followed.publish();
  // Publishing inside of a look would wait for ever if it waited at all.
  std::thread tracker;
  followed.look([&](const TrackedRun& run) {
    tracker = std::thread([&] {
      followed.take(epoch(1));
      followed.publish();
    });
    tracker.join();
    EXPECT_TRUE(run.epochs().empty());
  });
  EXPECT_EQ(epochs_of(followed), 1u);
}

// The fastest of some batches of events, when the run has so many epochs already.
double seconds_per_batch(FollowedRun& followed, int& epochs, int at) {
  for (; epochs < at; ++epochs) followed.take(epoch(epochs));
  followed.publish();
  double best = 1e9;
  for (int batch = 0; batch < 20; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) {
      followed.take(epoch(epochs++));
      followed.publish();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// A copy of the run at every event would make an event with 100,000 epochs behind it a hundred
// times as dear as one with 1,000.
TEST(FollowedRun, AnEventCostsTheSameAfterAHundredThousandEpochs) {
  FollowedRun followed;
  followed.take(begun());
  int epochs = 0;
  const double early = seconds_per_batch(followed, epochs, 1'000);
  const double late = seconds_per_batch(followed, epochs, 100'000);
  EXPECT_LT(late, 20 * early);
  EXPECT_EQ(epochs_of(followed), static_cast<std::size_t>(epochs));
}

// The fastest of some hundred looks, when the run has so many epochs.
double seconds_per_status(TrackedRun& run, int epochs) {
  while (static_cast<int>(run.epochs().size()) < epochs) {
    run.apply(epoch(static_cast<int>(run.epochs().size()) + 1));
  }
  double best = 1e9;
  for (int batch = 0; batch < 20; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(status_of(run, {}).projected_energy);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// Adding up all epochs at every event would do the same.
TEST(RunStatus, CostsTheSameAfterAHundredThousandEpochs) {
  RunBegun plan = begun();
  plan.planned_epochs = 1'000'000;
  TrackedRun run(plan);
  run.apply(Totals{kNanosPerSecond, {{0, Joules(1), Joules(1), Joules(1), Seconds(1)}}});
  const double early = seconds_per_status(run, 1'000);
  const double late = seconds_per_status(run, 100'000);
  EXPECT_LT(late, 20 * early);
  EXPECT_DOUBLE_EQ(status_of(run, {}).projected_energy->value.value, 1e6);
}

// By hand: the start-up's epoch of 100 J, then 2 and 4 J, of five in all. Cumulative 2, 6: slope 4.
TEST(RunStatus, TheStartUpIsNoPartOfTheEpochsToCome) {
  RunBegun plan = begun();
  plan.planned_epochs = 5;
  TrackedRun run(plan);
  const auto take = [&](int number, double joules) {
    EpochMeasured measured = epoch(number);
    measured.meters[0].energy = Joules(joules);
    run.apply(measured);
    run.apply(Totals{measured.ended, {{0, Joules(joules), Joules(0), Joules(0), Seconds(1)}}});
  };
  take(0, 100);  // It begins where the run does.
  EXPECT_DOUBLE_EQ(status_of(run, {}).projected_energy->value.value,
                   500);  // Nothing else is known.
  take(1, 2);
  take(2, 4);
  EXPECT_DOUBLE_EQ(status_of(run, {}).projected_energy->value.value, 106 + 2 * 4);
}

}  // namespace
}  // namespace wattree
