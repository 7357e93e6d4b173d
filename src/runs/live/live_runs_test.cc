#include "src/runs/live/live_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "src/base/test_folder.h"
#include "src/runs/track/journal.h"
#include "tests/support/no_threads.h"

namespace wattree {
namespace {

constexpr Nanos kS = kNanosPerSecond;
using namespace std::chrono_literals;

RunBegun begun(const std::string& name) {
  RunBegun out;
  out.name = name;
  out.process = ::getpid();
  out.at = 1000 * kS;
  out.meters.push_back(
      {"gpu0", "", ComponentKind::kGpu, {Basis::kMeasured, "a meter", Boundary::kGpu}});
  return out;
}

MeterEnergy joules(double energy, double covered) {
  return {0, Joules(energy), Joules(energy), Joules(energy), Seconds(covered)};
}

EpochMeasured epoch(int number) {
  const Nanos at = (1000 + number) * kS;
  return {std::to_string(number), at - kS, at, {joules(100, 1)}};
}

// A tracker of this process: a journal and an entry.
class FakeTracker {
 public:
  FakeTracker(const LiveFolders& folders, const std::string& name, bool has_entry = true)
      : folders_(folders) {
    entry_.id = "20260101T000000Z-" + name;
    entry_.name = name;
    entry_.journal = folders.journals / (entry_.id + ".journal");
    entry_.tracker = mark_of(::getpid());
    journal_ = JournalWriter::create(entry_.journal).value();
    write(begun(name));
    if (has_entry) write_entry();
  }
  void write(const Record& record) { EXPECT_TRUE(journal_->append(to_line(record)).ok()); }
  void close() { journal_.reset(); }
  const std::string& id() const { return entry_.id; }
  RunEntry& entry() { return entry_; }
  void write_entry() { EXPECT_TRUE(write_run_entry(folders_.runs, entry_).ok()); }

 private:
  LiveFolders folders_;
  RunEntry entry_;
  std::unique_ptr<JournalWriter> journal_;
};

bool comes_true(const std::function<bool()>& claim) {
  for (int i = 0; i < 500; ++i) {
    if (claim()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

class LiveRunsTest : public ::testing::Test {
 protected:
  LiveRunsTest() {
    std::filesystem::create_directories(folders_.journals);
    std::filesystem::create_directories(folders_.runs);
  }
  static RunStatus status_of_run(const std::unique_ptr<LiveRuns>& live, const std::string& id) {
    const auto run = live->find(id);
    return run.ok() ? run.value()->brief(10).status : RunStatus{};
  }
  TestFolder folder_;
  LiveFolders folders_{folder_.path() / "runs", folder_.path() / "journals"};
};

TEST_F(LiveRunsTest, RunsAppearByThemselvesAndAreFollowed) {
  FakeTracker early(folders_, "early");
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  ASSERT_EQ(live->list().size(), 1u);
  EXPECT_EQ(live->list()[0]->brief(10).status.name, "early");
  FakeTracker late(folders_, "late", false);
  EXPECT_TRUE(comes_true([&] { return live->list().size() == 2; }));
  late.write(Totals{1002 * kS, {joules(600, 2)}});
  late.write(epoch(1));
  EXPECT_TRUE(comes_true([&] { return status_of_run(live, late.id()).epochs_ended == 1; }));
  const RunBrief brief = live->find(late.id()).value()->brief(10);
  EXPECT_EQ(brief.status.state, RunState::kLive);
  EXPECT_EQ(brief.status.device_energy, Joules(600));
  ASSERT_EQ(brief.trace.size(), 1u);
  EXPECT_EQ(brief.trace[0].power, Watts(300));
  EXPECT_FALSE(live->find("nobody").ok());
}

TEST_F(LiveRunsTest, AnotherServerPicksThemUpAgain) {
  FakeTracker tracker(folders_, "run");
  tracker.write(epoch(1));
  {
    const std::unique_ptr<LiveRuns> first = LiveRuns::start(folders_).value();
    EXPECT_EQ(first->list().size(), 1u);
  }
  tracker.write(epoch(2));
  const std::unique_ptr<LiveRuns> second = LiveRuns::start(folders_).value();
  EXPECT_EQ(second->list().at(0)->brief(10).status.epochs_ended, 2u);
}

TEST_F(LiveRunsTest, AJournalElsewhereIsFoundByItsEntry) {
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  LiveFolders elsewhere = folders_;
  elsewhere.journals = folder_.path() / "mine";
  FakeTracker tracker(elsewhere, "run");
  EXPECT_TRUE(comes_true([&] { return live->list().size() == 1; }));
  tracker.write(epoch(1));
  EXPECT_TRUE(comes_true([&] { return status_of_run(live, tracker.id()).epochs_ended == 1; }));
}

TEST_F(LiveRunsTest, ATrackerThatWasKilledIsLost) {
  FakeTracker tracker(folders_, "run");
  tracker.write(Totals{1002 * kS, {joules(600, 2)}});
  tracker.entry().tracker.begun_ticks += 1;  // The number is another process's by now.
  tracker.write_entry();
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  EXPECT_TRUE(
      comes_true([&] { return status_of_run(live, tracker.id()).state == RunState::kLost; }));
  const RunStatus status = status_of_run(live, tracker.id());
  EXPECT_NE(status.reason.find("profiles recover"), std::string::npos) << status.reason;
  EXPECT_NE(status.reason.find("600 J"), std::string::npos) << status.reason;
}

TEST_F(LiveRunsTest, WithoutAnEntryTheLockTells) {
  FakeTracker tracker(folders_, "run", false);
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  EXPECT_EQ(status_of_run(live, tracker.id()).state, RunState::kLive);
  tracker.close();
  EXPECT_TRUE(
      comes_true([&] { return status_of_run(live, tracker.id()).state == RunState::kLost; }));
}

TEST_F(LiveRunsTest, EndedRunsStayListedWithoutTheirJournals) {
  FakeTracker tracker(folders_, "run");
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  tracker.write(RunEnded{1003 * kS, 1});
  EXPECT_TRUE(
      comes_true([&] { return status_of_run(live, tracker.id()).state == RunState::kFailed; }));
  RunBrief brief = live->find(tracker.id()).value()->brief(10);
  brief.trace.push_back({Seconds(1), Watts(10), Watts(9), Watts(11)});
  tracker.entry().brief = brief;
  tracker.write_entry();
  std::filesystem::remove(tracker.entry().journal);
  const std::unique_ptr<LiveRuns> later = LiveRuns::start(folders_).value();
  ASSERT_EQ(later->list().size(), 1u);
  const RunBrief kept = later->list()[0]->brief(10);
  EXPECT_EQ(kept.status.state, RunState::kFailed);
  EXPECT_EQ(kept.status.reason, "exit code 1");
  ASSERT_EQ(kept.trace.size(), 1u);
  EXPECT_EQ(kept.trace[0].highest, Watts(11));
  // Whoever subscribes gets its end.
  RunReader reader(later->list()[0], "");
  const SharedText text = reader.next();
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with("event: ended\n"));
  EXPECT_TRUE(reader.is_over());
}

TEST_F(LiveRunsTest, ReadersAreWokenAndShareOneText) {
  FakeTracker tracker(folders_, "run");
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  live->list();
  const std::shared_ptr<LiveRun> run = live->find(tracker.id()).value();
  RunReader a(run, ""), b(run, "");
  while (a.next()) {
  }
  while (b.next()) {
  }
  std::atomic<int> woken = 0;
  a.on_more([&] { ++woken; });
  tracker.write(epoch(1));
  EXPECT_TRUE(comes_true([&] { return woken > 0; }));
  const SharedText first = a.next();
  const SharedText second = b.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first, second);  // The same object.
  EXPECT_TRUE(first->starts_with("id: 1\nevent: epoch\ndata: {\"epoch\":1,")) << *first;
  EXPECT_NE(first->find("event: status"), std::string::npos);
  tracker.write(RunEnded{1003 * kS, 0});
  EXPECT_TRUE(comes_true([&] { return a.next() && a.is_over(); }));
}

TEST_F(LiveRunsTest, OwnRunsNeedNoJournal) {
  const std::unique_ptr<LiveRuns> live = LiveRuns::start(folders_).value();
  RunEntry entry;
  entry.id = "own";
  const std::shared_ptr<LiveRun> own = live->add_own(entry);
  own->hand_over(begun("mine"));
  own->hand_over(epoch(1));
  live->wake();
  EXPECT_TRUE(comes_true([&] { return status_of_run(live, "own").epochs_ended == 1; }));
  EXPECT_EQ(status_of_run(live, "own").name, "mine");
}

TEST_F(LiveRunsTest, WithoutAThreadIsAnError) {
  const NoThreads none;
  const Result<std::unique_ptr<LiveRuns>> live = LiveRuns::start(folders_);
  ASSERT_FALSE(live.ok());
  EXPECT_EQ(live.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace wattree
