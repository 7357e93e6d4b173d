#include "src/runs/profile/codecarbon.h"

#include <gtest/gtest.h>

#include "src/base/file.h"

namespace wattree {
namespace {

std::string file(const char* name) {
  return read_file(std::string(WATTREE_SOURCE_DIR "/tests/data/codecarbon/") + name).value();
}

std::vector<HardwareEntry> cards(const std::string& model, const std::string& count) {
  const std::string text =
      "duration,energy_consumed,gpu_count,gpu_model\n1,1," + count + "," + model;
  return read_codecarbon(text, "e.csv").value().profiles.at(0).hardware;
}

using Hardware = std::vector<HardwareEntry>;

TEST(CodeCarbon, ARunHasItsComponentsHardwareAndPlace) {
  const Result<ReadProfiles> read = read_codecarbon(file("emissions.csv"), "emissions.csv");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().profiles.size(), 4u);
  const Profile& first = read.value().profiles[0];
  EXPECT_EQ(first.name, "digits 2024-07-19T15:57:43");
  EXPECT_EQ(first.tool, "codecarbon 2.3.5");
  EXPECT_EQ(first.region, "US-MA");
  EXPECT_FALSE(first.pue);
  EXPECT_EQ(duration(first), Seconds(600));
  // 0.8 kWh are 2.88 MJ, and 0.2 kg of them 250 g/kWh.
  EXPECT_NEAR(device_energy(first)->value, 2.88e6, 1e-3);
  EXPECT_NEAR(first.intensity->intensity.value, 250, 1e-9);
  EXPECT_EQ(first.intensity->basis, Basis::kDerived);
  ASSERT_EQ(first.epochs.size(), 1u);
  const std::vector<ComponentEnergy>& parts = first.epochs[0].energy;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].kind, ComponentKind::kGpu);
  EXPECT_NEAR(parts[0].energy.value, 1.8e6, 1e-6);
  EXPECT_EQ(parts[0].provenance.basis, Basis::kMeasured);
  EXPECT_EQ(parts[1].kind, ComponentKind::kCpu);
  EXPECT_EQ(parts[1].provenance.basis, Basis::kAssumed);
  EXPECT_EQ(parts[2].kind, ComponentKind::kMemory);
  EXPECT_EQ(first.hardware,
            (Hardware{{DeviceKind::kGpu, "NVIDIA A40", 4},
                      {DeviceKind::kGpu, "NVIDIA A100 80GB PCIe", 1},
                      {DeviceKind::kCpu, "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", 1}}));
  EXPECT_NE(first.notes.find("11111111-aaaa-4bbb-8ccc-000000000001"), std::string::npos);
}

TEST(CodeCarbon, LinesOfOneRunAreItsEpochsWithoutPue) {
  const Profile run = read_codecarbon(file("emissions.csv"), "e").value().profiles.at(1);
  EXPECT_EQ(run.region, "CA-QC");
  EXPECT_EQ(run.pue->value, 1.2);
  ASSERT_EQ(run.epochs.size(), 2u);
  EXPECT_EQ(run.epochs[0].duration, Seconds(100));
  EXPECT_EQ(run.epochs[1].duration, Seconds(60));
  // 0.18 kWh of each, 0.15 of them at the devices.
  EXPECT_NEAR(device_energy(run.epochs[0])->value, 0.15 * 3.6e6, 1e-6);
  EXPECT_NEAR(device_energy(run.epochs[1])->value, 0.15 * 3.6e6, 1e-6);
  EXPECT_EQ(run.epochs[0].energy.size(), 2u);  // No GPU: absent, not zero.
}

TEST(CodeCarbon, WhatItDoesNotKnowIsKeptAndNoted) {
  const ReadProfiles read = read_codecarbon(file("emissions.csv"), "e").value();
  const Profile& moon = read.profiles.at(2);
  EXPECT_EQ(moon.name, "moon, far side 2024-07-21T10:00:00");
  EXPECT_EQ(moon.region, "");
  EXPECT_EQ(moon.location, "Moon Base");
  EXPECT_FALSE(moon.intensity);
  EXPECT_EQ(moon.hardware, (Hardware{{DeviceKind::kGpu, "Abacus 2000", 2}}));
  EXPECT_EQ(moon.epochs[0].energy.at(0).provenance.basis, Basis::kAssumed);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_NE(read.notes[0].find("\"Moon Base\""), std::string::npos);
  EXPECT_EQ(read.profiles.at(3).region, "aws:eu-central-1");
}

TEST(CodeCarbon, OldFilesHaveATotalAlone) {
  const Profile run = read_codecarbon(file("emissions_2022.csv"), "e").value().profiles.at(0);
  EXPECT_EQ(run.region, "US-NY");
  ASSERT_EQ(run.epochs[0].energy.size(), 1u);
  EXPECT_EQ(run.epochs[0].energy[0].kind, ComponentKind::kMachine);
  EXPECT_NEAR(run.epochs[0].energy[0].energy.value, 0.1337 * 3.6e6, 1e-6);
}

TEST(CodeCarbon, SeveralModelsOfCardsAreToldApart) {
  EXPECT_EQ(cards("1 x NVIDIA H100", "1"), (Hardware{{DeviceKind::kGpu, "NVIDIA H100", 1}}));
  EXPECT_EQ(cards("8 x NVIDIA A10012 x NVIDIA T4", "20"),
            (Hardware{{DeviceKind::kGpu, "NVIDIA A100", 8}, {DeviceKind::kGpu, "NVIDIA T4", 12}}));
  EXPECT_EQ(cards("\"1 x NVIDIA A100,1 x NVIDIA T4\"", "2"),
            (Hardware{{DeviceKind::kGpu, "NVIDIA A100", 1}, {DeviceKind::kGpu, "NVIDIA T4", 1}}));
  EXPECT_EQ(cards("Apple M1 Pro", "1"), (Hardware{{DeviceKind::kGpu, "Apple M1 Pro", 1}}));
  EXPECT_EQ(cards("3 x NVIDIA H100", "2"), (Hardware{{DeviceKind::kGpu, "3 x NVIDIA H100", 2}}));
  EXPECT_EQ(cards(" x ", "1"), (Hardware{{DeviceKind::kGpu, "x", 1}}));
}

TEST(CodeCarbon, ARunIdWhoseFiguresShrinkIsSeveralRuns) {
  const std::string head = "run_id,duration,energy_consumed\n";
  const ReadProfiles read = read_codecarbon(head + "a,10,5\na,20,4\nb,1,1\na,30,6\n", "e").value();
  ASSERT_EQ(read.profiles.size(), 3u);
  EXPECT_EQ(read.profiles[1].epochs.size(), 2u);
  EXPECT_EQ(read.notes.size(), 1u);
}

TEST(CodeCarbon, WhatIsWrongNamesItsLineAndColumn) {
  const auto message = [](const std::string& row) {
    const auto read = read_codecarbon("run_id,duration,energy_consumed,pue\n" + row, "e.csv");
    return read.ok() ? "" : read.error().message;
  };
  EXPECT_EQ(message("a,1,x,1"), "e.csv:2: column energy_consumed: \"x\" is not a number");
  EXPECT_EQ(message("a,-1,1,1"), "e.csv:2: column duration: \"-1\" is out of range");
  EXPECT_EQ(message("a,1,1,1\nb,1,nan,1"),
            "e.csv:3: column energy_consumed: \"nan\" is not a number");
  EXPECT_EQ(message("a,1,1,0.5"), "e.csv:2: column pue: \"0.5\" is out of range");
  EXPECT_NE(message("a,1,1"), "");
  EXPECT_EQ(message(""), "e.csv: there is no run in it");
  EXPECT_EQ(message("\xff,1,1,1"), "e.csv: it is not UTF-8");
  EXPECT_FALSE(is_codecarbon("duration,energy\n"));
  EXPECT_FALSE(is_codecarbon(""));
}

}  // namespace
}  // namespace wattree
