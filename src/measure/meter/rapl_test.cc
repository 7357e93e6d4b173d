// Trees built from Documentation/power/powercap/powercap.rst and ABI/testing/sysfs-class-powercap,
// not recorded: the machines that tests run on have no RAPL.
#include "src/measure/meter/rapl.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include "src/base/test_folder.h"
#include "src/measure/meter/rapl_text.h"
#include "tests/support/not_root.h"

namespace wattree {
namespace {

int no_events(std::uint32_t, std::uint64_t, int) { return -ENOENT; }
int forbidden_events(std::uint32_t, std::uint64_t, int) { return -EACCES; }

void zone(const TestFolder& tree, const std::string& id, const std::string& name,
          const std::string& energy, const std::string& range = "262143328850") {
  const std::string folder = "sys/class/powercap/" + id + "/";
  tree.write(folder + "name", name + "\n");
  tree.write(folder + "energy_uj", energy + "\n");
  tree.write(folder + "max_energy_range_uj", range + "\n");
}

RaplRoots roots(const TestFolder& tree, OpenPerfEvent open = &no_events) {
  return {tree.path() / "sys", tree.path() / "proc", open};
}

std::map<std::string, Meter*> by_name(const Found& found) {
  std::map<std::string, Meter*> out;
  for (const auto& meter : found.meters) out[meter->description().name] = meter.get();
  return out;
}

TEST(RaplText, ZoneIds) {
  EXPECT_TRUE(parse_zone_id("intel-rapl:0"));
  EXPECT_FALSE(parse_zone_id("intel-rapl:0")->is_subzone);
  EXPECT_TRUE(parse_zone_id("intel-rapl:12:3")->is_subzone);
  EXPECT_TRUE(parse_zone_id("intel-rapl-mmio:0")->is_mmio);
  for (const char* name : {"intel-rapl", "intel-rapl:", "intel-rapl:x", "intel-rapl:0:", "dtpm:0",
                           "intel-rapl:0x", "intel-rapl:99999999999999999999"}) {
    EXPECT_FALSE(parse_zone_id(name)) << name;
  }
}

TEST(RaplText, ZoneNames) {
  EXPECT_EQ(parse_zone_name("package-1\n")->package, 1u);
  EXPECT_EQ(parse_zone_name("package-1-die-2")->die, 2u);
  EXPECT_EQ(parse_zone_name("dram")->domain, RaplDomain::kDram);
  EXPECT_EQ(parse_zone_name("psys")->domain, RaplDomain::kPlatform);
  for (const char* name : {"", "package-", "package-x", "package-1-", "package-1-die-", "gpu"}) {
    EXPECT_FALSE(parse_zone_name(name)) << name;
  }
}

TEST(RaplText, PerfEventsAndCpuLists) {
  EXPECT_EQ(parse_perf_event("event=0x02\n"), 2u);
  EXPECT_FALSE(parse_perf_event("event=0x"));
  EXPECT_FALSE(parse_perf_event("umask=1"));
  EXPECT_EQ(parse_cpu_list("0,18-20\n"), (std::vector<int>{0, 18, 19, 20}));
  for (const char* list : {"1-", "3-1", "1,", "x", "0-99999999", "1,,2"}) {
    EXPECT_FALSE(parse_cpu_list(list)) << list;
  }
}

TEST(Rapl, TwoSocketsAreCountedOnce) {
  const TestFolder tree;
  zone(tree, "intel-rapl:0", "package-0", "1000000");
  zone(tree, "intel-rapl:0:0", "dram", "200000", "65712999613");
  zone(tree, "intel-rapl:1", "package-1", "3000000");
  zone(tree, "intel-rapl:1:0", "dram", "400000", "65712999613");
  Found found = find_rapl_meters(roots(tree));
  const auto meters = by_name(found);
  ASSERT_EQ(meters.size(), 4u);
  for (const auto& [name, meter] : meters) EXPECT_TRUE(meter->description().is_counted) << name;
  // The subzone of zone 1 is of package 1.
  EXPECT_EQ(meters.at("cpu1.dram")->read().count, 400000u);
  EXPECT_EQ(meters.at("cpu1.dram")->description().component, Component::kDram);
  EXPECT_EQ(meters.at("cpu0.package")->description().wrap, 262143328850u);
  // Microjoules: a million counts are one joule.
  EXPECT_DOUBLE_EQ(static_cast<double>(meters.at("cpu0.package")->read().count) *
                       meters.at("cpu0.package")->description().resolution,
                   1.0);
}

TEST(Rapl, ALaptopsCoresGraphicsPlatformAndMmioAreNotAddedAgain) {
  const TestFolder tree;
  zone(tree, "intel-rapl:0", "package-0", "5000000");
  zone(tree, "intel-rapl:0:0", "core", "3000000");
  zone(tree, "intel-rapl:0:1", "uncore", "100000");
  zone(tree, "intel-rapl:1", "psys", "9000000");
  zone(tree, "intel-rapl-mmio:0", "package-0", "5000000");
  Found found = find_rapl_meters(roots(tree));
  const auto meters = by_name(found);
  EXPECT_EQ(found.meters.size(), 4u);  // One package, not two.
  std::uint64_t counted = 0;
  for (const auto& [name, meter] : meters) {
    if (meter->description().is_counted) counted += meter->read().count;
  }
  EXPECT_EQ(counted, 5000000u);
  EXPECT_EQ(meters.at("cpu0.core")->description().counted_by, "cpu0.package");
  EXPECT_FALSE(meters.at("platform.psys")->description().counted_by.empty());
  EXPECT_NE(meters.at("cpu0.package")->description().read_from.find("intel-rapl:0/"),
            std::string::npos);
}

TEST(Rapl, MmioAloneIsKept) {
  const TestFolder tree;
  zone(tree, "intel-rapl-mmio:0", "package-0", "5");
  EXPECT_EQ(by_name(find_rapl_meters(roots(tree))).count("cpu0.package"), 1u);
}

TEST(Rapl, AmdHasPackagesAndCores) {
  const TestFolder tree;
  zone(tree, "intel-rapl:0", "package-0-die-0", "10");
  zone(tree, "intel-rapl:0:0", "core", "1");
  zone(tree, "intel-rapl:1", "package-0-die-1", "20");
  zone(tree, "intel-rapl:1:0", "core", "2");
  const Found found = find_rapl_meters(roots(tree));
  const auto meters = by_name(found);
  ASSERT_EQ(meters.size(), 4u);
  EXPECT_TRUE(meters.at("cpu0.die1.package")->description().is_counted);
  EXPECT_EQ(meters.at("cpu0.die1.core")->description().counted_by, "cpu0.die1.package");
  ASSERT_EQ(found.obstacles.size(), 1u);  // No DRAM.
  EXPECT_NE(found.obstacles[0].remedy.find("<assume> dram="), std::string::npos);
}

TEST(Rapl, PsysCountsWhereItIsAllThereIs) {
  const TestFolder tree;
  zone(tree, "intel-rapl:0", "psys", "7");
  const Found found = find_rapl_meters(roots(tree));
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_TRUE(found.meters[0]->description().is_counted);
}

TEST(Rapl, ACounterThatBreaksIsUnreadableNotZero) {
  const TestFolder tree;
  zone(tree, "intel-rapl:0", "package-0", "5");
  Found found = find_rapl_meters(roots(tree));
  ASSERT_EQ(found.meters.size(), 1u);
  zone(tree, "intel-rapl:0", "package-0", "-5");
  EXPECT_EQ(found.meters[0]->read().absence, Absence::kUnreadable);
  zone(tree, "intel-rapl:0", "package-0", "");
  EXPECT_EQ(found.meters[0]->read().absence, Absence::kUnreadable);
}

TEST(Rapl, RootOnlyFilesAreExplainedWithTheCommand) {
  const TestFolder tree;
  zone(tree, "intel-rapl:0", "package-0", "5");
  std::filesystem::permissions(tree.path() / "sys/class/powercap/intel-rapl:0/energy_uj",
                               std::filesystem::perms::none);
  std::filesystem::permissions(tree.path(), std::filesystem::perms(0755));
  const NotRoot other;
  std::error_code ignored;
  if (!std::filesystem::exists(tree.path() / "sys/class/powercap/intel-rapl:0", ignored)) {
    GTEST_SKIP() << "another user cannot enter the folder for temporary files";
  }
  const Found found = find_rapl_meters(roots(tree));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.obstacles.size(), 1u);
  EXPECT_NE(found.obstacles[0].why.find("PLATYPUS"), std::string::npos);
  EXPECT_NE(found.obstacles[0].remedy.find("sudo chmod o+r"), std::string::npos);
}

TEST(Rapl, AContainerThatHidesThemIsNamed) {
  const TestFolder tree;
  std::filesystem::create_directories(tree.path() / "sys/class/powercap");
  std::filesystem::create_symlink("../../devices/virtual/powercap/intel-rapl/intel-rapl:0",
                                  tree.path() / "sys/class/powercap/intel-rapl:0");
  const Found found = find_rapl_meters(roots(tree));
  ASSERT_EQ(found.obstacles.size(), 1u);
  EXPECT_NE(found.obstacles[0].why.find("container"), std::string::npos);
  EXPECT_NE(found.obstacles[0].remedy.find("docker run"), std::string::npos);
}

TEST(Rapl, VirtualMachinesOtherProcessorsAndMissingDriversAreTold) {
  const TestFolder tree;
  tree.write("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu sse hypervisor avx\n");
  EXPECT_NE(find_rapl_meters(roots(tree)).obstacles.at(0).why.find("virtual machine"),
            std::string::npos);
  tree.write("proc/cpuinfo", "vendor_id\t: AuthenticAMD\nflags\t\t: fpu sse avx\n");
  EXPECT_NE(find_rapl_meters(roots(tree)).obstacles.at(0).remedy.find("modprobe intel_rapl_msr"),
            std::string::npos);
  tree.write("proc/cpuinfo", "CPU implementer\t: 0x41\n");
  EXPECT_NE(find_rapl_meters(roots(tree)).obstacles.at(0).why.find("no RAPL"), std::string::npos);
}

// perf's side of the same counters, as ABI/testing/sysfs-bus-event_source-devices-events has it.
void power_events(const TestFolder& tree) {
  const std::string device = "sys/bus/event_source/devices/power/";
  tree.write(device + "type", "9\n");
  tree.write(device + "cpumask", "0,18\n");
  tree.write(device + "events/energy-pkg", "event=0x02\n");
  tree.write(device + "events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
  tree.write(device + "events/energy-pkg.unit", "Joules\n");
  tree.write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  tree.write("sys/devices/system/cpu/cpu18/topology/physical_package_id", "1\n");
}

// A pipe that holds one count: 2^32 for package 0 and three times that for package 1.
int piped_events(std::uint32_t type, std::uint64_t config, int cpu) {
  if (type != 9 || config != 2) return -EINVAL;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -errno;
  const std::uint64_t count = (std::uint64_t{1} << 32) * (cpu == 0 ? 1 : 3);
  const bool is_written = ::write(ends[1], &count, sizeof count) == sizeof count;
  ::close(ends[1]);
  return is_written ? ends[0] : -EIO;
}

TEST(RaplByPerf, ScalesCountsToJoules) {
  const TestFolder tree;
  power_events(tree);
  Found found = find_rapl_meters(roots(tree, &piped_events));
  const auto meters = by_name(found);
  ASSERT_EQ(meters.size(), 2u);
  Meter& second = *meters.at("cpu1.package");
  // The scale is 2^-32: three times 2^32 counts are three joules.
  EXPECT_DOUBLE_EQ(static_cast<double>(second.read().count) * second.description().resolution, 3.0);
  EXPECT_TRUE(second.description().is_counted);
  EXPECT_EQ(second.description().wrap, 0u);
  EXPECT_EQ(second.read().absence, Absence::kLost);  // The pipe is empty now.
}

TEST(RaplByPerf, DiesOfOnePackageAreCountersOfTheirOwnButNotAmds) {
  const TestFolder tree;
  power_events(tree);
  tree.write("sys/devices/system/cpu/cpu18/topology/physical_package_id", "0\n");
  tree.write("sys/devices/system/cpu/cpu0/topology/die_id", "0\n");
  tree.write("sys/devices/system/cpu/cpu18/topology/die_id", "1\n");
  tree.write("proc/cpuinfo", "vendor_id\t: GenuineIntel\n");
  const Found dies = find_rapl_meters(roots(tree, &piped_events));
  EXPECT_EQ(by_name(dies).count("cpu0.die0.package"), 1u);
  EXPECT_EQ(by_name(dies).count("cpu0.die1.package"), 1u);
  // Of AMD it is the package's, seen from both: twice would be double.
  tree.write("proc/cpuinfo", "vendor_id\t: AuthenticAMD\n");
  const Found package = find_rapl_meters(roots(tree, &piped_events));
  ASSERT_EQ(package.meters.size(), 1u);
  EXPECT_EQ(package.meters[0]->description().name, "cpu0.package");
}

// An event that always says 0, as a virtual machine on a server of 2024 had for psys.
int still_events(std::uint32_t, std::uint64_t, int) {
  return ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

TEST(RaplByPerf, AHypervisorsCounterThatStandsStillIsNoZero) {
  const TestFolder tree;
  power_events(tree);
  tree.write("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu sse hypervisor avx\n");
  const Found found = find_rapl_meters(roots(tree, &still_events));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.obstacles.size(), 2u);
  EXPECT_NE(found.obstacles[0].why.find("stands still"), std::string::npos);
}

TEST(RaplByPerf, IsLeftAloneWherePowercapIsReadable) {
  const TestFolder tree;
  power_events(tree);
  zone(tree, "intel-rapl:0", "package-0", "5");
  EXPECT_EQ(find_rapl_meters(roots(tree, &piped_events)).meters.size(), 1u);
}

TEST(RaplByPerf, ForbiddenEventsAreExplained) {
  const TestFolder tree;
  power_events(tree);
  tree.write("proc/sys/kernel/perf_event_paranoid", "4\n");
  const Found found = find_rapl_meters(roots(tree, &forbidden_events));
  ASSERT_EQ(found.obstacles.size(), 1u);
  EXPECT_NE(found.obstacles[0].why.find("perf_event_paranoid is 4"), std::string::npos);
  EXPECT_NE(found.obstacles[0].remedy.find("setcap cap_perfmon=ep"), std::string::npos);
}

}  // namespace
}  // namespace wattree
