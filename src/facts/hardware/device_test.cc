#include "src/facts/hardware/device.h"

#include <gtest/gtest.h>

#include <map>

namespace wattree {
namespace {

std::string found(const std::string& name) {
  const Result<Device> device = find_device(name, bundled_devices());
  return device.ok() ? device.value().name : device.error().message + "|" + device.error().hint;
}

TEST(Hardware, TheTableIsWhole) {
  EXPECT_EQ(bundled_devices().size(), 219u);
  const Device gtx = find_device("GeForce GTX 1080 Ti", bundled_devices()).value();
  EXPECT_EQ(gtx.tdp, Watts(250));
  EXPECT_EQ(gtx.fp32_gflops, 11340);
  EXPECT_FALSE(gtx.tensor_or_fp16_gflops);  // Blank in the table: absent, not zero.
  EXPECT_FALSE(gtx.multiprocessors);
  const Device h200 = find_device("H200", bundled_devices()).value();
  EXPECT_EQ(h200.multiprocessors, 132);
  EXPECT_EQ(h200.last_level_cache_mib, 60);
}

TEST(Hardware, NoDeviceReachesMoreThanItsDatasheetSays) {
  for (const Device& device : bundled_devices()) {
    EXPECT_LE(device.reached_fp32_gflops.value_or(0), device.fp32_gflops.value_or(0));
    EXPECT_LE(device.reached_tensor_or_fp16_gflops.value_or(0),
              device.tensor_or_fp16_gflops.value_or(0));
    EXPECT_LE(device.reached_memory_gb_per_s.value_or(0), device.memory_gb_per_s.value_or(0));
  }
}

TEST(Hardware, NoTwoDevicesShareAName) {
  std::map<std::string, std::string> owner;
  for (const Device& device : bundled_devices()) {
    std::vector<std::string> names = device.aliases;
    names.push_back(device.name);
    for (const std::string& name : names) {
      const auto [at, is_new] = owner.emplace(reduced_name(name), device.name);
      EXPECT_TRUE(is_new || at->second == device.name)
          << name << " means " << at->second << " and " << device.name;
    }
  }
}

// Names as NVML, ROCm, /proc/cpuinfo, EnergyVis's files and people give them.
TEST(Hardware, FindsByTheNamesThatAreAround) {
  EXPECT_EQ(found("geforce-gtx-1080-ti"), "GeForce GTX 1080 Ti");
  EXPECT_EQ(found("NVIDIA GeForce GTX 1080 Ti"), "GeForce GTX 1080 Ti");
  EXPECT_EQ(found("GTX 1080"), "GeForce GTX 1080");
  EXPECT_EQ(found("NVIDIA H200"), "H200 SXM 141GB");
  EXPECT_EQ(found("h200"), "H200 SXM 141GB");
  EXPECT_EQ(found("NVIDIA H100 80GB HBM3"), "H100 SXM5 80GB");
  EXPECT_EQ(found("NVIDIA A100-SXM4-80GB"), "A100 SXM4 80GB");
  EXPECT_EQ(found("NVIDIA A100-PCIE-40GB"), "A100 PCIe 40GB");
  EXPECT_EQ(found("NVIDIA A100 80GB PCIe"), "A100 PCIe 80GB");
  EXPECT_EQ(found("Tesla V100-SXM2-16GB"), "Tesla V100 SXM2 16GB");
  EXPECT_EQ(found("Tesla T4"), "T4");
  EXPECT_EQ(found("NVIDIA RTX 6000 Ada Generation"), "RTX 6000 Ada");
  EXPECT_EQ(found("AMD Instinct MI250X"), "Instinct MI250X");
  EXPECT_EQ(found("Intel i7 2600K"), "Intel Core i7-2600K");
  EXPECT_EQ(found("Intel(R) Core(TM) i7-2600K CPU @ 3.40GHz"), "Intel Core i7-2600K");
  EXPECT_EQ(found("11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz"), "Intel Core i7-1165G7");
  EXPECT_EQ(found("Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz"), "Intel Xeon E5-2620 v4");
  EXPECT_EQ(found("Intel(R) Xeon(R) Platinum 8480+"), "Intel Xeon Platinum 8480+");
  EXPECT_EQ(found("AMD EPYC 7742 64-Core Processor"), "AMD EPYC 7742");
  EXPECT_EQ(found("AMD Ryzen Threadripper PRO 3995WX 64-Cores"),
            "AMD Ryzen Threadripper PRO 3995WX");
  EXPECT_EQ(found("Apple M2 Max"), "M2 Max (38-core GPU)");
}

TEST(Hardware, UnknownNamesAreErrorsWithTheNearest) {
  EXPECT_EQ(found("GeForce GTX 1090 Ti"),
            "hardware \"GeForce GTX 1090 Ti\" is not known|did you mean GeForce GTX 1050 Ti, or "
            "GeForce GTX 1070 Ti, or GeForce GTX 1080 Ti?");
  EXPECT_EQ(
      found("V100"),
      "hardware \"V100\" is not one device: 4 have that in their name|did you mean Tesla V100 "
      "PCIe 16GB, or Tesla V100 PCIe 32GB, or Tesla V100 SXM2 16GB, or Tesla V100 SXM2 32GB?");
  // Who asks for a processor is not shown GPUs.
  EXPECT_EQ(found("Intel Core i9-9000K").find("GeForce"), std::string::npos);
  EXPECT_EQ(found("Ryzen 7 7070").find("GeForce"), std::string::npos) << found("Ryzen 7 7070");
  EXPECT_EQ(found("Ryzen 7 7070").find("Radeon"), std::string::npos) << found("Ryzen 7 7070");
  // A virtual machine's processor has no name: it must not be taken for any.
  EXPECT_EQ(found("Intel(R) Xeon(R) CPU @ 2.20GHz").substr(0, 8), "hardware");
  EXPECT_EQ(found("").substr(0, 8), "hardware");
  EXPECT_EQ(found("NVIDIA").substr(0, 8), "hardware");
}

TEST(Hardware, SearchesByTheBeginningsOfWords) {
  EXPECT_EQ(search_devices("", bundled_devices()).size(), 219u);
  const auto found_devices = search_devices("nvidia rtx 409", bundled_devices());
  ASSERT_EQ(found_devices.size(), 1u);
  EXPECT_EQ(found_devices[0].name, "GeForce RTX 4090");
  EXPECT_TRUE(search_devices("zx81", bundled_devices()).empty());
  const auto together = search_devices("rtx4090", bundled_devices());
  ASSERT_EQ(together.size(), 1u);
  EXPECT_EQ(together[0].name, "GeForce RTX 4090");
}

TEST(Hardware, MemoryIsKnownWhereAllThatCouldBeMeantAgree) {
  const auto gib = [](std::string_view name) -> double {
    const auto bytes = memory_bytes(name, bundled_devices());
    return bytes ? static_cast<double>(*bytes) / (1 << 30) : -1;
  };
  EXPECT_EQ(gib("NVIDIA H200"), 141);
  EXPECT_EQ(gib("NVIDIA GeForce GTX 1070"), 8);
  EXPECT_EQ(gib("A100-SXM4-40GB"), 40);
  EXPECT_EQ(gib("A100 SXM4 80GB"), 80);
  EXPECT_EQ(gib("A100"), -1);       // 40 or 80.
  EXPECT_EQ(gib("A100 80GB"), 80);  // On PCIe or SXM4: as much.
  EXPECT_EQ(gib("zx81"), -1);
  EXPECT_EQ(gib(""), -1);
}

TEST(Hardware, OwnEntriesTakeThePlaceOfBundledOnes) {
  const auto own = read_devices(
      "name,kind,tdp_w,fp32_gflops\nNVIDIA T4,gpu,70,8141\nMy ASIC,tpu,,\n", "own.csv");
  ASSERT_TRUE(own.ok());
  const std::vector<Device> all = with_own_devices(own.value(), "own.csv");
  EXPECT_EQ(all.size(), 220u);
  EXPECT_EQ(find_device("t4", all).value().fp32_gflops, 8141);
  EXPECT_FALSE(find_device("my asic", all).value().tdp);
  // Nobody published them.
  EXPECT_EQ(find_device("t4", all).value().basis, Basis::kAssumed);
  EXPECT_EQ(find_device("t4", all).value().source, "own.csv");
  EXPECT_EQ(find_device("h200 sxm", all).value().basis, Basis::kPublished);
}

TEST(Hardware, BadEntriesNameTheirLine) {
  const auto message = [](const std::string& text) {
    return read_devices(text, "own.csv").error().message;
  };
  const std::string header = "name,kind,tdp_w,fp32_gflops\n";
  EXPECT_EQ(message("name,kind\n"), "own.csv: there is no column \"tdp_w\"");
  EXPECT_EQ(message(header + "A,gpu,70,1\nB,gpu,0,1\n"),
            "own.csv:3: tdp_w must be a number above 0, not \"0\"");
  EXPECT_EQ(message(header + "A,gpu,70,fast\n"),
            "own.csv:2: fp32_gflops must be a number above 0, not \"fast\"");
  EXPECT_EQ(message(header + "A,fpga,70,1\n"),
            "own.csv:2: kind must be gpu, cpu or tpu, not \"fpga\"");
  EXPECT_EQ(message(header + "T4,gpu,70,1\nNVIDIA t4,gpu,70,1\n"),
            "own.csv:3: there is a second \"NVIDIA t4\"");
  EXPECT_EQ(message(header + "NVIDIA,gpu,70,1\n"), "own.csv:2: name is empty, or only a maker's");
}

}  // namespace
}  // namespace wattree
