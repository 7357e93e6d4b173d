#include "src/measure/meter/nvml.h"

#include <gtest/gtest.h>

#include <map>

#include "src/measure/meter/nvml_meters.h"
#include "tests/support/fake_nvml.h"

namespace wattree {
namespace {

constexpr const char* kOneGpu =
    "driver 580.65.06\n"
    "gpu 0 GPU-aaaa NVIDIA H200\n"
    "0 0 energy_mj 5000\n"
    "100 0 energy_mj 65000\n"
    "200 0 energy_mj error 15\n"
    "0 0 power_mw 123456\n"
    "0 0 average_mw 120000\n"
    "0 0 limit_mw 700000\n"
    "0 0 gpu_percent 37\n"
    "0 0 memory_used 250\n"
    "0 0 memory_total 1000\n"
    "0 0 memory_percent 11\n"
    "0 0 sm_mhz 1980\n"
    "0 0 memory_mhz 3201\n"
    "0 0 celsius 52\n"
    "0 0 throttle 4\n"
    "process 0 4711 1048576 55\n";

std::map<std::string, Meter*> by_name(const Found& found) {
  std::map<std::string, Meter*> out;
  for (const auto& meter : found.meters) out[meter->description().name] = meter.get();
  return out;
}

std::string all_text(const Found& found) {
  std::string out;
  for (const Obstacle& o : found.obstacles) out += o.what + ": " + o.why + " -> " + o.remedy + "\n";
  return out;
}

TEST(Nvml, ReadsEverythingInItsUnit) {
  const FakeNvml fake(kOneGpu);
  const Found found = find_nvml_meters({fake.library(), {}});
  EXPECT_EQ(all_text(found), "");
  const auto meters = by_name(found);
  ASSERT_EQ(meters.size(), 11u);
  EXPECT_EQ(meters.at("gpu0.energy")->read().count, 5000u);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.energy")->description().resolution, 1e-3);  // Millijoules.
  EXPECT_TRUE(meters.at("gpu0.energy")->description().is_slow);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.power")->read().level, 123.456);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.power_average")->read().level, 120.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.power_limit")->read().level, 700.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.utilisation")->read().level, 37.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.memory_utilisation")->read().level, 11.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.memory")->read().level, 25.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.sm_clock")->read().level, 1980.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.memory_clock")->read().level, 3201.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.temperature")->read().level, 52.0);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.throttle")->read().level, 4.0);
}

TEST(Nvml, OnlyTheCounterIsCounted) {
  const FakeNvml fake(kOneGpu);
  const Found found = find_nvml_meters({fake.library(), {}});
  for (const auto& meter : found.meters) {
    const Description& d = meter->description();
    EXPECT_EQ(d.is_counted, d.name == "gpu0.energy") << d.name;
    EXPECT_EQ(d.boundary, Boundary::kGpu);
  }
  EXPECT_EQ(by_name(found).at("gpu0.power")->description().counted_by, "gpu0.energy");
}

TEST(Nvml, AGpuThatIsLostOnTheWayIsAbsentNotZero) {
  const FakeNvml fake(kOneGpu);
  const Found found = find_nvml_meters({fake.library(), {}});
  Meter& energy = *by_name(found).at("gpu0.energy");
  fake.set_time_ms(150);
  EXPECT_EQ(energy.read().count, 65000u);
  fake.set_time_ms(250);
  EXPECT_EQ(energy.read().absence, Absence::kLost);
}

TEST(Nvml, WithoutACounterPowerIsCounted) {
  const FakeNvml fake("gpu 0 GPU-a Quadro\n0 0 power_mw 50000\n0 0 average_mw 1\n");
  const Found found = find_nvml_meters({fake.library(), {}});
  const auto meters = by_name(found);
  EXPECT_EQ(meters.count("gpu0.energy"), 0u);
  EXPECT_TRUE(meters.at("gpu0.power")->description().is_counted);
  EXPECT_FALSE(meters.at("gpu0.power_average")->description().is_counted);
  EXPECT_EQ(meters.at("gpu0.power_average")->description().counted_by, "gpu0.power");
  EXPECT_NE(all_text(found).find("energy counter of GPU 0: the driver says: not supported"),
            std::string::npos)
      << all_text(found);
}

TEST(Nvml, OldDriversHaveOldSymbols) {
  const FakeNvml fake(kOneGpu, WATTREE_FAKE_NVML_OLD);
  const Found found = find_nvml_meters({fake.library(), {}});
  const auto meters = by_name(found);
  EXPECT_EQ(meters.count("gpu0.energy"), 0u);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.power")->read().level, 123.456);
  EXPECT_NE(meters.at("gpu0.power")->description().read_from.find("nvmlDeviceGetPowerUsage"),
            std::string::npos);
  EXPECT_DOUBLE_EQ(meters.at("gpu0.memory")->read().level, 25.0);
  const auto library = NvmlLibrary::open(fake.library());
  ASSERT_TRUE(library.ok());
  const GpuList list = list_gpus(*library.value());
  const auto processes = list_gpu_processes(*library.value(), list.gpus.at(0));
  ASSERT_TRUE(processes.ok());
  EXPECT_EQ(processes.value().at(0).memory_bytes, 1048576u);
  EXPECT_FALSE(processes.value().at(0).sm_percent);
}

TEST(Nvml, ListsProcessesWithTheirLatestUse) {
  const FakeNvml fake(kOneGpu);
  const auto library = NvmlLibrary::open(fake.library());
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(library.value()->driver_version(), "580.65.06");
  const GpuList list = list_gpus(*library.value());
  const auto processes = list_gpu_processes(*library.value(), list.gpus.at(0));
  ASSERT_TRUE(processes.ok());
  ASSERT_EQ(processes.value().size(), 1u);
  EXPECT_EQ(processes.value()[0].process, 4711u);
  EXPECT_EQ(processes.value()[0].memory_bytes, 1048576u);
  EXPECT_EQ(processes.value()[0].sm_percent, 55.0);
}

TEST(Nvml, HiddenGpusAreNamedWithTheVariable) {
  const FakeNvml fake(
      "gpu 0 GPU-a NVIDIA H200\ngpu 1 GPU-b NVIDIA H200\n0 0 power_mw 1\n0 1 power_mw 2\n");
  const Found found = find_nvml_meters({fake.library(), {"GPU-b", std::nullopt, std::nullopt}});
  EXPECT_EQ(by_name(found).count("gpu0.power"), 0u);
  EXPECT_DOUBLE_EQ(by_name(found).at("gpu1.power")->read().level, 0.002);
  EXPECT_NE(all_text(found).find("left out by CUDA_VISIBLE_DEVICES=GPU-b"), std::string::npos);
}

TEST(Nvml, MigSaysThatTheCounterIsShared) {
  const FakeNvml fake(
      "gpu 0 GPU-a NVIDIA H200\nmig 0 MIG-1\nmig 0 MIG-2\n0 0 energy_mj 7\n0 0 power_mw 1\n");
  const Found found = find_nvml_meters({fake.library(), {"MIG-2", std::nullopt, std::nullopt}});
  EXPECT_NE(by_name(found).at("gpu0.energy")->description().covers.find("all MIG instances"),
            std::string::npos);
  EXPECT_NE(all_text(found).find("one energy counter for all its instances"), std::string::npos);
}

TEST(Nvml, FailuresToStartAreExplained) {
  const TestFolder sys;
  const Found without = find_nvml_meters({"/nonexistent/libnvidia-ml.so.1", {}, sys.path()});
  EXPECT_NE(all_text(without).find("no NVIDIA GPU is on the PCI bus"), std::string::npos);
  sys.write("bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  sys.write("bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  const Found missing = find_nvml_meters({"/nonexistent/libnvidia-ml.so.1", {}, sys.path()});
  EXPECT_NE(all_text(missing).find("/nonexistent/libnvidia-ml.so.1"), std::string::npos);
  EXPECT_NE(all_text(missing).find("docker run --gpus all"), std::string::npos);
  const Found other = find_nvml_meters({"libc.so.6", {}});
  EXPECT_NE(all_text(other).find("is not NVML"), std::string::npos);
  {
    const FakeNvml fake("init 9\n");
    EXPECT_NE(all_text(find_nvml_meters({fake.library(), {}})).find("sudo modprobe nvidia"),
              std::string::npos);
  }
  {
    const FakeNvml fake("init 18\n");
    EXPECT_NE(all_text(find_nvml_meters({fake.library(), {}})).find("reboot"), std::string::npos);
  }
  {
    const FakeNvml fake("init 4\n");
    EXPECT_EQ(NvmlLibrary::open(fake.library()).error().code, ErrorCode::kPermission);
  }
  {
    const FakeNvml fake("driver 1\n");
    EXPECT_NE(all_text(find_nvml_meters({fake.library(), {}})).find("no GPU is visible"),
              std::string::npos);
  }
  {
    const FakeNvml fake(
        "gpu 0 GPU-a H200\ngpu 1 GPU-b H200\n0 0 handle error 15\n0 1 power_mw 3\n");
    const Found found = find_nvml_meters({fake.library(), {}});
    EXPECT_NE(all_text(found).find("GPU 0: GPU is lost"), std::string::npos) << all_text(found);
    EXPECT_EQ(by_name(found).count("gpu1.power"), 1u);  // The others go on, with their own number.
  }
}

}  // namespace
}  // namespace wattree
