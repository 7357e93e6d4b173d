// Texts as Documentation/filesystems/proc.rst describes them, with numbers of our own choosing.
#include "src/measure/meter/proc.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

TEST(CpuTimes, AddsWhatIsBusyAndLeavesOutGuestsAndStolenTime) {
  // Busy: 100 user + 20 nice + 30 system + 5 irq + 6 softirq = 161; with 1000 idle, 40 iowait and
  // 7 stolen that makes 1208. The 50 guest ticks are in user already.
  const auto times = parse_cpu_times("cpu  100 20 30 1000 40 5 6 7 50 0\ncpu0 1 2 3 4\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->busy, 161u);
  EXPECT_EQ(times->total, 1208u);
}

TEST(CpuTimes, ReadsOldKernelsAndRefusesNonsense) {
  EXPECT_EQ(parse_cpu_times("cpu 1 2 3 4\n")->total, 10u);
  for (const char* text : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4", "intr 1 2 3 4", "cpu 1 2 x 4",
                           "cpu 99999999999999999999 2 3 4"}) {
    EXPECT_FALSE(parse_cpu_times(text)) << text;
  }
}

TEST(MemoryInfo, PrefersTheKernelsEstimate) {
  const auto info = parse_memory_info(
      "MemTotal:       32768 kB\nMemFree:         1024 kB\nMemAvailable:    8192 kB\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->total_bytes, 32768u * 1024);
  EXPECT_EQ(info->available_bytes, 8192u * 1024);
}

TEST(MemoryInfo, AddsUpWhatOldKernelsLeaveOut) {
  const auto info =
      parse_memory_info("MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 20 kB\nCached: 30 kB\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->available_bytes, 150u * 1024);
  EXPECT_FALSE(parse_memory_info("MemTotal: 1000 kB\n"));
  EXPECT_FALSE(parse_memory_info("MemFree: 1000 kB\n"));
  EXPECT_FALSE(parse_memory_info("MemTotal: 0 kB\nMemFree: 0 kB\n"));
}

TEST(ProcessTimes, ANameMayHoldBracketsAndBlanks) {
  // Fields 14 to 17 are utime 11, stime 12, cutime 13, cstime 14; field 22 is the start.
  const auto times = parse_process_times(
      "42 (a) b (c) S 7 42 42 0 -1 4194304 100 0 0 0 11 12 13 14 20 0 1 0 9876 1000 50");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->parent, 7u);
  EXPECT_EQ(times->own_ticks, 23u);
  EXPECT_EQ(times->children_ticks, 27u);
  EXPECT_EQ(times->start_ticks, 9876u);
  EXPECT_FALSE(parse_process_times("42 (a) S 7 42"));
  EXPECT_FALSE(parse_process_times("no brackets"));
}

TEST(ProcessMemory, ReadsBothForms) {
  EXPECT_EQ(parse_proportional_memory("00400000-7fff ---p 00000000 00:00 0 [rollup]\n"
                                      "Rss:    900 kB\nPss:    512 kB\nPss_Anon:  500 kB\n"),
            512u * 1024);
  EXPECT_EQ(parse_resident_memory("5000 300 100 1 0 400 0\n", 4096), 300u * 4096);
  EXPECT_FALSE(parse_resident_memory("5000\n", 4096));
}

TEST(HostMeters, ReadAFakeTree) {
  const TestFolder proc;
  proc.write("stat", "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 1 0 1 5\ncpu1 1 0 1 5\nintr 5\n");
  proc.write("meminfo", "MemTotal: 400 kB\nMemAvailable: 100 kB\n");
  Found found = find_host_meters(proc.path());
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_EQ(found.meters[0]->description().name, "host.cpu");
  EXPECT_EQ(found.meters[0]->description().device, "2 CPUs");
  EXPECT_EQ(found.meters[0]->read().count, 200u);
  EXPECT_DOUBLE_EQ(found.meters[1]->read().level, 75.0);
  // The same open file is read anew.
  proc.write("meminfo", "MemTotal: 400 kB\nMemAvailable: 300 kB\n");
  EXPECT_DOUBLE_EQ(found.meters[1]->read().level, 25.0);
  proc.write("meminfo", "nonsense");
  EXPECT_EQ(found.meters[1]->read().absence, Absence::kUnreadable);
}

TEST(HostMeters, SayWhatIsMissing) {
  const TestFolder proc;
  const Found found = find_host_meters(proc.path());
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.obstacles.size(), 2u);
  EXPECT_NE(found.obstacles[0].why.find("stat: lost"), std::string::npos) << found.obstacles[0].why;
}

TEST(ProcessMeters, FollowThisProcess) {
  Found found = find_process_meters("/proc", ::getpid());
  ASSERT_EQ(found.meters.size(), 2u) << found.obstacles.front().why;
  const Sample before = found.meters[0]->read();
  ASSERT_EQ(before.absence, Absence::kNone);
  // 30 ms of work is at least two ticks of 10 ms.
  const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 25;
  while (std::clock() < until) {
  }
  EXPECT_GE(found.meters[0]->read().count, before.count + 2);
  EXPECT_GT(found.meters[1]->read().level, 100'000.0);  // A test program is larger than 100 kB.
}

TEST(ProcessMeters, AProcessThatHasEndedIsLost) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  Found found = find_process_meters("/proc", child);
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_EQ(found.meters[0]->read().absence, Absence::kNone);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(found.meters[0]->read().absence, Absence::kLost);
  EXPECT_EQ(found.meters[1]->read().absence, Absence::kLost);
  EXPECT_EQ(find_process_meters("/proc", child).meters.size(), 0u);
}

TEST(ProcessMeters, AnotherProcessOfTheSameNumberIsNotTheSame) {
  const TestFolder proc;
  const std::string before = "7 (a) S 1 7 7 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 ";
  proc.write("7/stat", before + "500 0 0");
  proc.write("7/statm", "10 5 0 0 0 0 0");
  Found found = find_process_meters(proc.path(), 7);
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_EQ(found.meters[0]->read().count, 3u);
  proc.write("7/stat", before + "900 0 0");
  EXPECT_EQ(found.meters[0]->read().absence, Absence::kLost);
}

}  // namespace
}  // namespace wattree
