#include "src/runs/live/run_feed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/runs/live/power_trace.h"

namespace wattree {
namespace {

constexpr Nanos kS = kNanosPerSecond;

class FeedTest : public ::testing::Test {
 protected:
  FeedTest() {
    RunBegun begun;
    begun.name = "run";
    begun.meters.push_back(
        {"gpu0", "", ComponentKind::kGpu, {Basis::kMeasured, "", Boundary::kGpu}});
    run_.emplace(begun);
    publish();
  }
  void add(int epochs) {
    for (int i = 0; i < epochs; ++i) {
      const Nanos at = static_cast<Nanos>(run_->epochs().size()) * kS;
      run_->apply(
          EpochMeasured{"", at, at + kS, {{0, Joules(1), Joules(1), Joules(1), Seconds(1)}}});
      ++records_;
    }
  }
  void publish() { feed_.publish(*run_, status_of(*run_, {}), ++records_); }
  // Everything there is for a reader now.
  std::string all(FeedPlace& place, std::size_t* most = nullptr) {
    std::string out;
    while (const SharedText text = feed_.next(place, *run_)) {
      out += *text;
      if (most != nullptr) *most = std::max(*most, text->size());
    }
    return out;
  }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t out = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++out;
    return out;
  }
  std::optional<TrackedRun> run_;
  RunFeed feed_;
  std::uint64_t records_ = 0;
};

TEST_F(FeedTest, EveryEpochOnceInBoundedPieces) {
  add(1000);
  publish();
  FeedPlace place;
  std::size_t most = 0;
  const std::string text = all(place, &most);
  EXPECT_EQ(count(text, "event: epoch\n"), 1000u);
  EXPECT_LT(most, 64u << 10);
  // The status at the beginning has no id: whoever comes back then has no epoch yet.
  EXPECT_TRUE(text.starts_with("event: status\n"));
  EXPECT_NE(text.find("id: 1000\n"), std::string::npos);
  add(2);
  publish();
  const std::string more = all(place);
  EXPECT_EQ(count(more, "event: epoch\n"), 2u);
  EXPECT_EQ(count(more, "event: status\n"), 1u);
}

TEST_F(FeedTest, ResumesAfterAnId) {
  add(10);
  publish();
  for (const char* id : {"7", "7.12"}) {
    FeedPlace place = feed_place(id);
    const std::string text = all(place);
    EXPECT_EQ(count(text, "event: epoch\n"), 3u) << id;
    EXPECT_NE(text.find("id: 8\n"), std::string::npos);
  }
  for (const char* id : {"", "x", "-3", "99", "99999999999999999999999"}) {
    FeedPlace place = feed_place(id);
    EXPECT_EQ(count(all(place), "event: epoch\n"), 10u) << id;
  }
}

TEST_F(FeedTest, WhoeverIsFarBehindCatchesUp) {
  FeedPlace slow;
  all(slow);
  for (int i = 0; i < 500; ++i) {
    add(1);
    publish();
  }
  EXPECT_EQ(count(all(slow), "event: epoch\n"), 500u);
}

TEST_F(FeedTest, ReadersShareWhatTheyCatchUpWith) {
  add(640);
  publish();
  FeedPlace a, b;
  while (const SharedText text = feed_.next(a, *run_)) EXPECT_EQ(text, feed_.next(b, *run_));
}

TEST_F(FeedTest, TheEndIsLast) {
  add(100);
  run_->apply(RunEnded{1000 * kS, 0});
  publish();
  FeedPlace place;
  const std::string text = all(place);
  EXPECT_EQ(count(text, "event: epoch\n"), 100u);
  EXPECT_EQ(count(text, "event: ended\n"), 1u);
  EXPECT_GT(text.find("event: ended\n"), text.rfind("event: epoch\n"));
  EXPECT_TRUE(place.is_over);
}

TEST(PowerTrace, KeepsExtremesInBoundedPoints) {
  PowerTrace trace(0);
  double energy = 0;
  for (int second = 1; second <= 10'000; ++second) {
    energy += second == 5'000 ? 900 : second == 7'000 ? 10 : 100;
    trace.add({second * kS, {{0, Joules(energy), Joules(0), Joules(0), Seconds(second)}}});
  }
  const std::vector<TracePoint> points = trace.points(100);
  ASSERT_LE(points.size(), 100u);
  EXPECT_GT(points.size(), 40u);
  EXPECT_EQ(points.back().at, Seconds(10'000));
  double highest = 0, lowest = 1e9, sum = 0, before = 0;
  for (const TracePoint& point : points) {
    highest = std::max(highest, point.highest.value);
    lowest = std::min(lowest, point.lowest.value);
    sum += point.power.value * (point.at.value - before);
    before = point.at.value;
  }
  EXPECT_NEAR(highest, 900, 1e-6);
  EXPECT_NEAR(lowest, 10, 1e-6);
  EXPECT_NEAR(sum, energy, energy * 1e-9);
}

}  // namespace
}  // namespace wattree
