#include "src/measure/meter/find.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/fake_nvml.h"

namespace wattree {
namespace {

int no_events(std::uint32_t, std::uint64_t, int) { return -ENOENT; }

MeterQuery query_of(const TestFolder& tree, const std::string& library) {
  MeterQuery query;
  query.sys_root = tree.path() / "sys";
  query.proc_root = tree.path() / "proc";
  query.open_event = &no_events;
  query.nvml_library = library;
  return query;
}

std::vector<std::string> counted(const Found& found) {
  std::vector<std::string> out;
  for (const auto& meter : found.meters) {
    if (meter->description().is_counted) out.push_back(meter->description().name);
  }
  return out;
}
using Names = std::vector<std::string>;

TEST(FindMeters, AnAssumptionFillsWhatIsNotMeasured) {
  const TestFolder tree;
  const FakeNvml fake("gpu 0 GPU-a H200\n0 0 energy_mj 5\n");
  MeterQuery query = query_of(tree, fake.library());
  query.assumptions = {{Component::kCpu, Watts(65)}, {Component::kGpu, Watts(300)}};
  const Found found = find_meters(query);
  EXPECT_EQ(counted(found), (Names{"gpu0.energy", "cpu.assumed"}));
  bool is_told = false;
  for (const Obstacle& obstacle : found.obstacles) {
    is_told |= obstacle.what == "the assumption for gpu" &&
               obstacle.why == "gpu0.energy counts it already";
  }
  EXPECT_TRUE(is_told);
}

TEST(FindMeters, APlatformAndItsPartsAreNotAddedUp) {
  const TestFolder tree;
  MeterQuery query = query_of(tree, "/nonexistent");
  query.assumptions = {{Component::kPlatform, Watts(400)}, {Component::kCpu, Watts(65)}};
  EXPECT_EQ(counted(find_meters(query)), (Names{"platform.assumed"}));
  query.assumptions = {{Component::kCpu, Watts(65)},
                       {Component::kDram, Watts(20)},
                       {Component::kGpu, Watts(300)},
                       {Component::kCpu, Watts(80)}};
  EXPECT_EQ(counted(find_meters(query)), (Names{"cpu.assumed", "dram.assumed", "gpu.assumed"}));
}

TEST(FindMeters, NamesAreUnique) {
  Found found = find_meters({});  // Of this machine, whatever it is.
  std::vector<std::string> names;
  for (const auto& meter : found.meters) names.push_back(meter->description().name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const Obstacle& obstacle : found.obstacles) EXPECT_FALSE(obstacle.why.empty());
}

}  // namespace
}  // namespace wattree
