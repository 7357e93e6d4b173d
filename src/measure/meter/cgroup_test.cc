// Trees built from Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
#include "src/measure/meter/cgroup.h"

#include <gtest/gtest.h>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

TEST(CgroupLines, ReadBothVersions) {
  const auto lines =
      parse_cgroup_lines("4:cpu,cpuacct:/job\n0::/user.slice/a:b\nnonsense\n1:x:y\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].controllers, "cpu,cpuacct");
  EXPECT_EQ(lines[0].path, "/job");
  EXPECT_EQ(lines[1].controllers, "");
  EXPECT_EQ(lines[1].path, "/user.slice/a:b");
}

TEST(Cgroup, Version2TakesTheLeastLimitOnTheWayUp) {
  const TestFolder tree;
  tree.write("proc/self/cgroup", "0::/jobs/7\n");
  tree.write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  tree.write("sys/fs/cgroup/jobs/memory.max", "4096000\n");
  tree.write("sys/fs/cgroup/jobs/7/cpu.max", "max 100000\n");
  tree.write("sys/fs/cgroup/jobs/7/memory.max", "8192000\n");
  tree.write("sys/fs/cgroup/jobs/7/memory.current", "123456\n");
  tree.write("sys/fs/cgroup/jobs/7/cpu.stat", "usage_usec 2500000\nuser_usec 1\nsystem_usec 2\n");
  const CgroupLimits limits = find_cgroup_limits(tree.path() / "proc", tree.path() / "sys", "self");
  EXPECT_DOUBLE_EQ(limits.cpus.value(), 1.5);
  EXPECT_EQ(limits.memory_bytes.value(), 4096000u);
  Found found = find_cgroup_meters(tree.path() / "proc", tree.path() / "sys", "self");
  ASSERT_EQ(found.meters.size(), 2u);
  // 2.5 s of CPU time: the count times the resolution.
  EXPECT_DOUBLE_EQ(static_cast<double>(found.meters[0]->read().count) *
                       found.meters[0]->description().resolution,
                   2.5);
  EXPECT_EQ(found.meters[0]->description().device, "cgroup /jobs/7");
  EXPECT_DOUBLE_EQ(found.meters[1]->read().level, 123456.0);
}

TEST(Cgroup, Version1HasATreeForEachController) {
  const TestFolder tree;
  tree.write("proc/9/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n");
  tree.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "777\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpuacct.usage", "1500000000\n");
  const CgroupLimits limits = find_cgroup_limits(tree.path() / "proc", tree.path() / "sys", "9");
  EXPECT_DOUBLE_EQ(limits.cpus.value(), 0.5);
  EXPECT_EQ(limits.memory_bytes.value(), 1000000u);
  Found found = find_cgroup_meters(tree.path() / "proc", tree.path() / "sys", "9");
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_DOUBLE_EQ(static_cast<double>(found.meters[0]->read().count) *
                       found.meters[0]->description().resolution,
                   1.5);
  EXPECT_DOUBLE_EQ(found.meters[1]->read().level, 777.0);
}

TEST(Cgroup, AContainersGroupIsAtTheTopWhenItsPathIsTheHosts) {
  const TestFolder tree;
  tree.write("proc/self/cgroup", "0::/docker/abc\n");
  tree.write("sys/fs/cgroup/memory.current", "5\n");
  tree.write("sys/fs/cgroup/memory.max", "6\n");
  EXPECT_EQ(find_cgroup_limits(tree.path() / "proc", tree.path() / "sys", "self").memory_bytes, 6u);
  tree.write("proc/self/cgroup", "0::/../../elsewhere\n");
  EXPECT_EQ(find_cgroup_limits(tree.path() / "proc", tree.path() / "sys", "self").memory_bytes, 6u);
}

TEST(Cgroup, NoLimitIsNoLimit) {
  const TestFolder tree;
  const CgroupLimits limits = find_cgroup_limits(tree.path() / "proc", tree.path() / "sys", "self");
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_bytes);
  EXPECT_TRUE(find_cgroup_meters(tree.path(), tree.path(), "self").meters.empty());
}

}  // namespace
}  // namespace wattree
