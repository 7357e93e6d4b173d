// Requests about runs, as a server reads them from JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/api/runs/carbon.h"
#include "src/api/runs/export.h"
#include "src/api/runs/lookup.h"
#include "src/api/runs/profile_import.h"
#include "src/api/runs/profiles.h"
#include "src/api/runs/recover.h"
#include "src/api/runs/report.h"
#include "src/api/runs/whatif.h"
#include "src/base/test_folder.h"
#include "src/runs/store/sqlite/sqlite_store.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

const char kSample[] = WATTREE_SOURCE_DIR "/tests/data/profiles/energyvis_sample.json";

Services services_in(const TestFolder& folder) {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.profiles = folder.path() / "profiles";
  out.store = folder.path() / "wattree.db";
  out.stores = sqlite_stores();
  out.journals = folder.path() / "journals";
  return out;
}

TEST(CarbonRequest, AnEnergyTimesPueTimesIntensityByHand) {
  const Result<CarbonRequest> request =
      carbon_request(Json{{"run", "2kWh"}, {"intensity", "100g/kWh"}, {"pue", 1.5}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const Result<CarbonAnswer> answer = carbon(request.value(), services_in(TestFolder()));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer.value().is_energy);
  EXPECT_NEAR(answer.value().footprint.curve.points.back().emissions->value.value, 300, 1e-9);
  EXPECT_EQ(Json::parse(to_json(answer.value()))["setting"]["pue"], 1.5);
}

TEST(CarbonRequest, WhatIsWrongNamesItsField) {
  const Services services = services_in(TestFolder());
  for (const auto& [text, field] : std::vector<std::pair<std::string, std::string>>{
           {R"({})", "run"},
           {R"({"run": "1kWh", "regoin": "US-GA"})", "regoin"},
           {R"({"run": "1kWh", "pue": 0.5})", "pue"},
           {R"({"run": "1kWh", "epochs": 0})", "epochs"},
           {R"({"run": "1kWh", "epochs": 1.5})", "epochs"},
           {R"({"run": 3})", "run"}}) {
    const Result<CarbonRequest> request = carbon_request(Json::parse(text));
    ASSERT_FALSE(request.ok()) << text;
    EXPECT_EQ(request.error().field, field) << request.error().message;
  }
  EXPECT_FALSE(carbon_request(Json::parse("[]")).ok());
  const auto field_of = [&](const Json& json) {
    return carbon(carbon_request(json).value(), services).error().field;
  };
  EXPECT_EQ(field_of({{"run", "1kWh"}}), "region");
  EXPECT_EQ(field_of({{"run", "1kWh"}, {"region", "Atlantis"}}), "region");
  EXPECT_EQ(field_of({{"run", "1kWh"}, {"intensity", "3"}}), "intensity");
  EXPECT_EQ(field_of({{"run", "1kWh"}, {"intensity_file", "time\n"}}), "intensity_file");
  EXPECT_EQ(field_of({{"run", "1kWh"}, {"region", "US-GA"}, {"pue", "lots"}}), "pue");
  EXPECT_EQ(field_of({{"run", "5 apples"}, {"region", "US-GA"}}), "run");
}

// Whoever asks over a network must not learn what files there are.
TEST(RunRequests, FromJsonOpenNoFiles) {
  const Services services = services_in(TestFolder());
  const Result<CarbonAnswer> by_json =
      carbon(carbon_request(Json{{"run", kSample}}).value(), services);
  ASSERT_FALSE(by_json.ok());
  EXPECT_EQ(by_json.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(carbon({{kSample, {}, true}, {}, std::nullopt}, services).ok());
}

// By hand: 8 P100 draw 300 W each at 10.6 TFLOPS; a card of one's own draws 100 W at 10 TFLOPS.
TEST(WhatIfRequest, TellsDevicesAndComponents) {
  const Services services = services_in(TestFolder());
  const Result<WhatIfRequest> request = what_if_request(
      Json{{"profile", "transformer-big-p100"},
           {"hardware", "2xMy card"},
           {"hardware_file", "name,kind,tdp_w,fp32_gflops\nMy card,gpu,100,10000"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const Result<WhatIfAnswer> answer = what_if(request.value(), services);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Json json = Json::parse(to_json(answer.value(), {4, true, false}));
  const Json& before = json["baseline"]["devices"][0];
  EXPECT_EQ(before["name"], "Tesla P100 SXM2 16GB");
  EXPECT_EQ(before["count"], 8);
  EXPECT_EQ(before["tdp_w"], 300);
  EXPECT_EQ(before["basis"], "published");
  const Json& after = json["alternative"]["devices"][0];
  EXPECT_EQ(after["name"], "My card");
  EXPECT_EQ(after["count"], 2);
  EXPECT_EQ(after["tdp_w"], 100);
  EXPECT_EQ(after["basis"], "assumed");
  const Json& machine = json["baseline"]["components"][0];
  EXPECT_NEAR(machine["device_energy_j"].get<double>(), 1515.0 * 84 * 3600, 1);
  EXPECT_EQ(machine["kind"], "machine");
  EXPECT_EQ(machine["basis"]["kind"], "published");
  EXPECT_FALSE(machine.contains("idle_j"));
  EXPECT_EQ(json["baseline"]["equations"][0]["device_energy_j"], machine["device_energy_j"]);
}

TEST(WhatIfRequest, HasABaselineOfItsOwn) {
  const Services services = services_in(TestFolder());
  const Result<WhatIfRequest> request = what_if_request(Json{{"profile", "transformer-big-p100"},
                                                             {"baseline_region", "US-GA"},
                                                             {"baseline_pue", "1.6"},
                                                             {"region", "US-WY"},
                                                             {"pue", 1.2},
                                                             {"hardware", "8xV100"},
                                                             {"keep", "hours"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request.value().query.baseline.region, "US-GA");
  EXPECT_EQ(request.value().query.alternative.pue, "1.2");
  EXPECT_EQ(request.value().query.keep, Keep::kHours);
  WhatIfRequest moved = request.value();
  moved.query.hardware.clear();
  const Result<WhatIfAnswer> answer = what_if(moved, services);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Json json = Json::parse(to_json(answer.value()));
  EXPECT_EQ(json["keep"], "hours");
  EXPECT_EQ(json["baseline"]["setting"]["region"], "US-GA");
  EXPECT_EQ(json["alternative"]["setting"]["region"], "US-WY");

  moved.query.baseline.pue = "0.1";
  EXPECT_EQ(what_if(moved, services).error().field, "baseline_pue");
  moved.query.baseline.pue.clear();
  moved.query.hardware = "8xAbacus";
  EXPECT_EQ(what_if(moved, services).error().field, "hardware");
  EXPECT_EQ(what_if_request(Json{{"profile", "a"}, {"keep", "all"}}).error().field, "keep");
}

TEST(ReportRequest, IsMarkdownOrHtml) {
  const Services services = services_in(TestFolder());
  const Json json{{"profile", "bert-base-v100"}, {"unit", "lb"}, {"region", "US-GA"}};
  const Result<ReportAnswer> markdown = report(report_request(json).value(), services);
  ASSERT_TRUE(markdown.ok()) << markdown.error().message;
  EXPECT_EQ(markdown.value().text.rfind("# Energy of ", 0), 0u);
  EXPECT_NE(markdown.value().text.find(" lb"), std::string::npos);
  Json html = json;
  html["format"] = "html";
  EXPECT_NE(report(report_request(html).value(), services).value().text.find("<html"),
            std::string::npos);
  html["format"] = "pdf";
  EXPECT_EQ(report_request(html).error().field, "format");
  EXPECT_EQ(report_request(Json{{"profile", "a"}, {"unit", "stone"}}).error().field, "unit");
}

TEST(KeptProfiles, KeepShowExportAndDelete) {
  const TestFolder folder;
  const Services services = services_in(folder);
  const Result<ShowProfileAnswer> sample = show_profile({{kSample, {}, true}}, services);
  ASSERT_TRUE(sample.ok());
  const Json own = Json::parse(to_json(sample.value()));
  const Result<ImportProfileAnswer> kept =
      import_profile(import_profile_request(Json{{"id", "mine"}}, own.dump()).value(), services);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept.value().profiles.at(0).id, "mine");
  // As a text too, and under another id: nothing is overwritten.
  const Result<ImportProfileAnswer> again =
      import_profile(import_profile_request(Json{{"id", "mine"}}, own.dump()).value(), services);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().profiles.at(0).id, "mine-2");
  const Json list = Json::parse(to_json(profiles({}, services).value()));
  EXPECT_EQ(list["profiles"][0]["id"], "mine");
  EXPECT_EQ(list["profiles"].size(), 4u);  // With the two that come with the program.

  const auto shown =
      show_profile(show_profile_request(Json{{"profile", "mine"}}).value(), services);
  EXPECT_EQ(shown.value().profile, sample.value().profile);
  const Json energyvis{{"profile", "mine"}, {"format", "energyvis"}, {"region", "US-CA"}};
  const Result<ExportAnswer> exported = export_profile(export_request(energyvis).value(), services);
  ASSERT_TRUE(exported.ok()) << exported.error().message;
  EXPECT_NE(exported.value().text.find("California"), std::string::npos);

  EXPECT_TRUE(delete_profile(delete_profile_request(Json{{"id", "mine"}}).value(), services).ok());
  EXPECT_EQ(delete_profile({"mine", {}}, services).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(delete_profile({"../mine", {}}, services).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(import_profile_request(Json{{"tags", 3}}, "{}").error().field, "tags");
  EXPECT_EQ(import_profile({{}, "{}", "", {}, {}}, services).error().field, "profile");
}

TEST(KeptProfiles, WithoutAHomeAProfileNeedsAFolder) {
  Services homeless = services_from([](const char*) { return std::nullopt; });
  homeless.stores = sqlite_stores();
  const Result<ImportProfileAnswer> lost = import_profile({kSample, "", "", {}, {}}, homeless);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(lost.error().hint, "set HOME or XDG_DATA_HOME, or name a folder with <folder>");
  const TestFolder folder;
  EXPECT_TRUE(import_profile({kSample, "", "", {}, folder.path()}, homeless).ok());
}

TEST(LookupRequests, FindAndSuggest) {
  const Services services = services_in(TestFolder());
  const auto georgia = regions(regions_request(Json{{"words", "georgia"}}).value(), services);
  ASSERT_TRUE(georgia.ok());
  EXPECT_TRUE(std::any_of(georgia.value().regions.begin(), georgia.value().regions.end(),
                          [](const Region& region) { return region.code == "US-GA"; }));
  EXPECT_FALSE(georgia.value().sources.empty());
  EXPECT_EQ(regions({"Californa"}, services).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(regions_request(Json{{"word", "a"}}).error().hint, "did you mean \"words\"?");

  const Json own{{"words", "abacus"},
                 {"hardware_file", "name,kind,tdp_w,fp32_gflops\nAbacus 1,cpu,1,0.001\n"}};
  const auto devices = hardware(hardware_request(own).value(), services);
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  ASSERT_EQ(devices.value().devices.size(), 1u);
  EXPECT_EQ(devices.value().devices[0].name, "Abacus 1");
  EXPECT_FALSE(hardware(hardware_request(Json{{"words", "abacus"}}).value(), services).ok());
  EXPECT_EQ(
      hardware(hardware_request(Json{{"hardware_file", "name\n"}}).value(), services).error().field,
      "hardware_file");
}

TEST(RecoverRequest, KeepsEachJournalOnce) {
  const TestFolder folder;
  const Services services = services_in(folder);
  const RecoverRequest request{WATTREE_SOURCE_DIR "/tests/data/journals/torn.journal", {}, {}};
  const Result<RecoverAnswer> first = recover_runs(request, services);
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first.value().runs.size(), 1u);
  ASSERT_TRUE(first.value().runs[0].ok()) << first.value().runs[0].error().message;
  EXPECT_EQ(first.value().runs[0].value().kept, services.profiles / "n.json");
  EXPECT_TRUE(recover_runs(request, services).value().runs[0].value().kept.empty());
  std::filesystem::create_directories(services.journals);
  EXPECT_TRUE(recover_runs({}, services).value().runs.empty());
}

}  // namespace
}  // namespace wattree
