#include "src/runs/profile/profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/profile/read.h"

namespace wattree {
namespace {

// Any profile that can be written: every field there or not, awkward texts, numbers of all sizes.
class AnyProfile {
 public:
  explicit AnyProfile(unsigned seed) : random_(seed) {}

  Profile make() {
    Profile p;
    p.name = "n" + text();
    p.author = text();
    p.source = text();
    p.notes = text();
    p.tool = text();
    p.region = chance() ? "US-GA" : "";
    p.location = text();
    if (chance()) p.intensity = RecordedIntensity{CarbonIntensity(number(1e6)), basis(), text()};
    if (chance()) p.pue = Pue{1 + number(9), basis(), text()};
    if (chance()) p.precision = chance() ? "bf16" : "fp32";
    if (chance()) p.planned_epochs = 1 + below(100);
    for (int i = below(3); i > 0; --i) {
      p.hardware.push_back({static_cast<DeviceKind>(below(3)), "h" + text(), 1 + below(64)});
    }
    for (int i = below(5); i > 0; --i) p.epochs.push_back(epoch());
    for (int i = below(3); i > 0; --i) {
      SampleSeries series{"s" + text(), kind(), {}, {}, provenance()};
      double end = 0;
      for (int k = below(6); k > 0; --k) {
        series.end.emplace_back(end += 1e-3 + number(100));
        series.energy.emplace_back(number(1e6));
      }
      p.samples.push_back(std::move(series));
    }
    return p;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance() { return below(2) == 0; }
  double number(double most) {
    return most * std::pow(std::uniform_real_distribution<double>(0, 1)(random_), 8);
  }
  std::string text() {
    static const std::vector<std::string> kTexts{
        "", "plain", "\"quoted\" \\ \n\t\x01", "</script><b>", "Türkiye × ∞ 😀", "<!--"};
    return kTexts[static_cast<std::size_t>(below(static_cast<int>(kTexts.size())))];
  }
  Basis basis() { return static_cast<Basis>(below(5)); }
  ComponentKind kind() { return static_cast<ComponentKind>(below(4)); }
  Provenance provenance() { return {basis(), text(), static_cast<Boundary>(below(4))}; }
  std::optional<Joules> joules() {
    if (chance()) return std::nullopt;
    return Joules(number(1e12));
  }
  Epoch epoch() {
    Epoch e;
    if (chance()) {
      e.start = UtcTime(std::chrono::microseconds(
          std::uniform_int_distribution<std::int64_t>(0, 4'000'000'000'000'000)(random_)));
    }
    if (chance()) e.duration = Seconds(number(1e6));
    if (chance()) e.gap = Seconds(number(10));
    for (int i = below(4); i > 0; --i) {
      e.energy.push_back({"c" + std::to_string(i), kind(), Joules(number(1e12)), joules(), joules(),
                          provenance()});
    }
    return e;
  }

  std::mt19937 random_;
};

TEST(ProfileJson, WhatIsWrittenReadsBackToTheLastBit) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Profile profile = AnyProfile(seed).make();
    const Result<Profile> read = read_profile_json(write_profile_json(profile), "p");
    ASSERT_TRUE(read.ok()) << seed << ": " << read.error().message;
    EXPECT_EQ(read.value(), profile) << seed;
  }
}

TEST(ProfileJson, APageCarriesItsProfile) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Profile profile = AnyProfile(seed).make();
    const std::string page = "<!doctype html><p>x</p>" + profile_element(profile) + "<p>y</p>";
    const Result<ReadProfile> read = read_profile(page, "p.html");
    ASSERT_TRUE(read.ok()) << seed << ": " << read.error().message;
    EXPECT_EQ(read.value().profile, profile) << seed;
    EXPECT_EQ(read.value().format, ProfileFormat::kHtmlReport);
  }
  EXPECT_FALSE(read_profile("<html></html>", "p.html").ok());
}

// A small profile with `epoch` as its only epoch.
std::string with_epoch(const std::string& epoch) {
  return R"({"format":"wattree-profile","version":1,"name":"x","epochs":[)" + epoch + "]}";
}

TEST(ProfileJson, ErrorsNameTheField) {
  const auto message = [](const std::string& text) {
    const auto read = read_profile_json(text, "p.json");
    return read.ok() ? "no error" : read.error().message;
  };
  EXPECT_EQ(message("{"),
            "p.json: not valid JSON: parse error at line 1, column 2: syntax error "
            "while parsing object key - unexpected end of input; expected string "
            "literal");
  EXPECT_EQ(message("[]"), "p.json: must be an object, not array");
  EXPECT_EQ(message("{}"), "p.json: field \"format\" is missing");
  EXPECT_EQ(message(R"({"format":"wattree-profile","version":2,"name":"x"})"),
            "p.json: version 2 of the profile format is not known to this wattree");
  EXPECT_EQ(message(R"({"format":"wattree-profile","version":1})"),
            "p.json: field \"name\" is missing");
  EXPECT_EQ(message(with_epoch(R"({"duration":3})")),
            "p.json: field \"epochs[0].duration\" is not known");
  EXPECT_EQ(message(with_epoch(R"({"duration_s":-3})")),
            "p.json: field \"epochs[0].duration_s\" must be a number from 0 to 1e+12");
  EXPECT_EQ(message(with_epoch(R"({"start":"yesterday"})")),
            "p.json: field \"epochs[0].start\" must be like 2026-05-01T12:00:00Z");
  EXPECT_EQ(message(with_epoch(R"({"energy":[{"component":"gpu","kind":"gpu","energy_j":1}]})")),
            "p.json: field \"epochs[0].energy[0].basis\" is missing");
  EXPECT_EQ(message(R"({"format":"wattree-profile","version":1,"name":"x",
                        "pue":{"value":0.9,"basis":{"kind":"assumed"}}})"),
            "p.json: field \"pue.value\" is refused: a PUE of 0.9 is not possible");
  EXPECT_EQ(message(R"({"format":"wattree-profile","version":1,"name":"x",
                        "hardware":[{"kind":"gpu","name":"T4","count":0}]})"),
            "p.json: field \"hardware[0].count\" must be a number from 1 to 1e+06");
  EXPECT_EQ(read_profile_json(with_epoch(R"({"duration":3})"), "p").error().hint,
            "did you mean \"duration_s\"?");
}

TEST(ProfileJson, AnEmptyFileIsSaidToBeEmpty) {
  for (const char* text : {"", "\n \n"}) {
    EXPECT_EQ(read_profile(text, "run.json").error().message, "run.json: it is empty");
  }
}

TEST(ProfileJson, AComponentStandsOnceInAnEpoch) {
  const std::string part =
      R"({"component":"gpu","kind":"gpu","energy_j":1,"basis":{"kind":"measured","boundary":"gpu"}})";
  EXPECT_TRUE(read_profile_json(with_epoch("{\"energy\":[" + part + "]}"), "p").ok());
  EXPECT_FALSE(read_profile_json(with_epoch("{\"energy\":[" + part + "," + part + "]}"), "p").ok());
}

TEST(Profile, SumsAreOfWhatIsThere) {
  Profile profile;
  EXPECT_FALSE(device_energy(profile));
  EXPECT_FALSE(duration(profile));
  EXPECT_FALSE(provenance(profile));
  Epoch epoch;
  epoch.duration = Seconds(10);
  epoch.energy.push_back({"gpu",
                          ComponentKind::kGpu,
                          Joules(2000),
                          {},
                          {},
                          {Basis::kMeasured, "NVML", Boundary::kGpu}});
  epoch.energy.push_back({"cpu",
                          ComponentKind::kCpu,
                          Joules(650),
                          {},
                          {},
                          {Basis::kAssumed, "65 W", Boundary::kHost}});
  profile.epochs = {epoch, epoch, Epoch{}};
  EXPECT_EQ(device_energy(profile), Joules(5300));
  EXPECT_FALSE(duration(profile));  // The last epoch does not say.
  profile.epochs.pop_back();
  EXPECT_EQ(duration(profile), Seconds(20));
  EXPECT_EQ(provenance(profile)->basis, Basis::kAssumed);
  EXPECT_EQ(component_names(profile), (std::vector<std::string>{"gpu", "cpu"}));
  profile.outside = epoch;
  EXPECT_EQ(device_energy(profile), Joules(3 * 2650));
  EXPECT_EQ(outside_energy(profile), Joules(2650));
  EXPECT_EQ(duration(profile), Seconds(30));
}

TEST(BundledProfiles, SayWhatStrubellEtAlReport) {
  for (const BundledProfile& bundled : bundled_profiles()) {
    const Result<ReadProfile> read = read_profile(bundled.json, std::string(bundled.id));
    ASSERT_TRUE(read.ok()) << read.error().message;
    const Profile& profile = read.value().profile;
    EXPECT_EQ(provenance(profile)->basis, Basis::kPublished);
    const bool is_bert = bundled.id == "bert-base-v100";
    const Watts power = *device_energy(profile) / *duration(profile);
    EXPECT_DOUBLE_EQ(power.value, is_bert ? 12042 : 1515);
    EXPECT_DOUBLE_EQ(duration(profile)->value, (is_bert ? 79 : 84) * 3600.0);
    // Their own column "kWh·PUE": 1507 (of 79.2 h, printed as 79) and 201.
    const double kwh = device_energy(profile)->value / kJoulesPerKwh * profile.pue->value;
    EXPECT_NEAR(kwh, is_bert ? 1507 : 201, is_bert ? 4.5 : 0.5);
  }
}

std::string sample() {
  std::ifstream file(WATTREE_SOURCE_DIR "/tests/data/profiles/energyvis_sample.json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(EnergyVis, ReadsItsSample) {
  const Result<ReadProfile> read = read_profile(sample(), "sample");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().format, ProfileFormat::kEnergyVis);
  const Profile& profile = read.value().profile;
  EXPECT_EQ(profile.region, "US-GA");  // Not the country.
  EXPECT_EQ(profile.pue->value, 1.59);
  ASSERT_EQ(profile.hardware.size(), 2u);
  EXPECT_EQ(profile.hardware[1], (HardwareEntry{DeviceKind::kGpu, "GeForce GTX 1080 Ti", 4}));
  ASSERT_EQ(profile.epochs.size(), 6u);
  EXPECT_DOUBLE_EQ(device_energy(profile)->value, 6 * 0.1 * 3.6e6);
  for (const Epoch& epoch : profile.epochs) {
    EXPECT_FALSE(epoch.duration);  // The format has none: absent, not zero.
    EXPECT_FALSE(epoch.start);
  }
  EXPECT_EQ(provenance(profile)->basis, Basis::kAssumed);
}

TEST(EnergyVis, WhatItReadsItWritesAgain) {
  const Profile profile = read_energyvis(sample(), "sample").value();
  const Result<EnergyVisFile> file = write_energyvis(profile);
  ASSERT_TRUE(file.ok());
  EXPECT_NE(file.value().json.find("\"geforce-gtx-1080-ti\": 4"), std::string::npos);
  EXPECT_NE(file.value().json.find("\"location\": \"Georgia\""), std::string::npos);
  EXPECT_EQ(read_energyvis(file.value().json, "again").value(), profile);
}

TEST(EnergyVis, CardsGoOutByTheNameItsPageKnows) {
  Profile profile = read_energyvis(sample(), "sample").value();
  profile.hardware = {{DeviceKind::kGpu, "NVIDIA GeForce GTX 1080 Ti", 3},  // As the driver says.
                      {DeviceKind::kGpu, "GeForce GTX 1080 Ti", 1},
                      {DeviceKind::kGpu, "tesla-t4", 2},
                      {DeviceKind::kGpu, "Our Own Card", 1}};
  const std::string json = write_energyvis(profile).value().json;
  EXPECT_NE(json.find("\"geforce-gtx-1080-ti\": 4"), std::string::npos) << json;
  EXPECT_NE(json.find("\"tesla-t4\": 2"), std::string::npos) << json;
  EXPECT_NE(json.find("\"our-own-card\": 1"), std::string::npos) << json;
}

// The keys of its list, which its page looks cards up by.
TEST(EnergyVis, EveryCardOfItsListHasItsName) {
  EXPECT_EQ(energyvis_card("Tesla T4").name, "tesla-t4");
  EXPECT_EQ(energyvis_card("t4").name, "tesla-t4");
  EXPECT_EQ(energyvis_card("Tesla V100-SXM2-16GB").name, "tesla-v100-sxm2-16-gb");  // NVML's.
  EXPECT_EQ(energyvis_card("Tesla V100 PCIe 32GB").name, "tesla-v100-pcie-32-gb");
  EXPECT_EQ(energyvis_card("Tesla P100-SXM2-16GB").name, "tesla-p100-sxm2");
  EXPECT_EQ(energyvis_card("Tesla M40 24GB").name, "tesla-m40");
  EXPECT_EQ(energyvis_card("TITAN X (Pascal)").name, "titan-x-pascal");
  EXPECT_EQ(energyvis_card("GeForce GTX TITAN X").name, "geforce-gtx-titan-x");
  EXPECT_EQ(energyvis_card("GeForce GTX 1060 6GB").name, "geforce-gtx-1060-6-gb");
  EXPECT_TRUE(energyvis_card("NVIDIA GeForce RTX 2080 Ti").is_known);
  EXPECT_FALSE(energyvis_card("NVIDIA H200").is_known);  // Younger than the list.
  EXPECT_EQ(
      energyvis_card_notes({{DeviceKind::kGpu, "NVIDIA H200", 8}, {DeviceKind::kCpu, "X", 1}}),
      (std::vector<std::string>{"EnergyVis's list has no NVIDIA H200: its page shows NaN "
                                "where it compares hardware"}));
}

TEST(EnergyVis, PlacesThatItsMapLacksAreRefused) {
  EXPECT_EQ(energyvis_state("US-GA").value(), "Georgia");
  EXPECT_EQ(energyvis_state("aws:us-east-2").value(), "Ohio");
  EXPECT_EQ(energyvis_state("US-HI").error().message,
            "EnergyVis's map has the 48 contiguous states, but not Hawaii");
  EXPECT_FALSE(energyvis_state("US-AK").ok());
  EXPECT_FALSE(energyvis_state("US-DC").ok());
  EXPECT_FALSE(energyvis_state("").ok());
}

std::string energyvis(const std::string& server, const std::string& rest = "") {
  return R"({"name":"x","serverData":)" + server + rest + "}";
}

TEST(EnergyVis, MissingArraysAreNotMeasured) {
  for (const std::string server :
       {R"({"gpu":{"epoch":[1,2]}})", R"({"cpu":null,"gpu":{"epoch":[1,2],"interval":null}})",
        R"({"cpu":{"epoch":[]},"gpu":{"epoch":[1,2]}})"}) {
    const Result<Profile> read = read_energyvis(energyvis(server), "x");
    ASSERT_TRUE(read.ok()) << server << read.error().message;
    ASSERT_EQ(read.value().epochs.size(), 2u);
    EXPECT_EQ(component_names(read.value()), std::vector<std::string>{"gpu"}) << server;
  }
}

TEST(EnergyVis, NotMeasuredSurvivesTheZerosThatTheFormatNeeds) {
  Profile profile =
      read_energyvis(energyvis(R"({"gpu":{"epoch":[1,2]}})", R"(,"location":"Ohio")"), "x").value();
  const EnergyVisFile file = write_energyvis(profile).value();
  EXPECT_NE(file.json.find("\"notMeasured\""), std::string::npos);
  EXPECT_NE(file.notes[0].find("cpu was not measured"), std::string::npos);
  profile.pue = Pue{1.0, Basis::kAssumed, "EnergyVis file"};  // It needs one of these, too.
  EXPECT_EQ(read_energyvis(file.json, "x").value(), profile);
}

TEST(EnergyVis, SamplesEveryTenSecondsGoBothWays) {
  const Profile profile =
      read_energyvis(energyvis(R"({"gpu":{"epoch":[1],"interval":[0.25,0.5,0.25]}})",
                               R"(,"location":"Ohio","PUE":1.2)"),
                     "x")
          .value();
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(profile.samples[0].end.back(), Seconds(30));
  EXPECT_EQ(profile.samples[0].energy[1], Joules(1.8e6));
  EXPECT_EQ(read_energyvis(write_energyvis(profile).value().json, "x").value(), profile);
}

TEST(EnergyVis, AForeignPlaceIsKeptAndNotWritten) {
  const std::string text =
      energyvis(R"({"gpu":{"epoch":[1]}})", R"(,"location":"Bavaria","PUE":1.2)");
  const Profile profile = read_energyvis(text, "x").value();
  EXPECT_EQ(profile.location, "Bavaria");
  EXPECT_EQ(profile.region, "");
  EXPECT_EQ(write_energyvis(profile).error().message,
            "EnergyVis's page knows US states only, not \"Bavaria\"");
}

TEST(EnergyVis, ErrorsNameTheField) {
  const auto message = [](const std::string& text) {
    const auto read = read_energyvis(text, "x");
    return read.ok() ? "no error" : read.error().message;
  };
  EXPECT_EQ(message(energyvis(R"({"cpu":{"epoch":[1]},"gpu":{"epoch":[1,2]}})")),
            "x: field \"serverData.gpu.epoch\" has 2 epochs, but cpu has 1");
  EXPECT_EQ(message(energyvis(R"({"cpu":{"epoch":[1,null]}})")),
            "x: field \"serverData.cpu.epoch[1]\" must be a number from 0 to 1e+11");
  EXPECT_EQ(message(energyvis("{}", R"(,"PUE":0.5)")),
            "x: field \"PUE\" is refused: a PUE of 0.5 is not possible");
  EXPECT_EQ(message(energyvis("{}", R"(,"components":{"gpu":{"t4":1.5}})")),
            "x: field \"components.gpu.t4\" must be a whole number");
  EXPECT_EQ(message(R"({"serverData":{}})"), "x: field \"name\" is missing");
}

TEST(EnergyVis, ZeroCardsAreNoCards) {
  const Profile profile =
      read_energyvis(energyvis("{}", R"(,"components":{"gpu":{"tesla-t4":0,"x":2}})"), "x").value();
  ASSERT_EQ(profile.hardware.size(), 1u);
  EXPECT_EQ(profile.hardware[0].name, "x");
}

}  // namespace
}  // namespace wattree
