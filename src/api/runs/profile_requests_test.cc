// Requests about kept profiles, as a server reads them from JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/runs/profile_estimate.h"
#include "src/api/runs/profile_import.h"
#include "src/api/runs/profiles.h"
#include "src/api/runs/store_upkeep.h"
#include "src/base/file.h"
#include "src/base/test_folder.h"
#include "src/runs/profile/folder.h"
#include "src/runs/store/sqlite/sqlite_store.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

class ProfileRequests : public testing::Test {
 protected:
  ProfileRequests() {
    services_.profiles = folder_.path() / "profiles";
    services_.store = folder_.path() / "wattree.db";
    services_.stores = sqlite_stores();
    services_.seconds_since_1970 = [this] { return clock_; };
  }
  Json list(const Json& query = Json::object()) const {
    const Result<ProfilesAnswer> answer = profiles(profiles_request(query).value(), services_);
    return answer.ok() ? Json::parse(to_json(answer.value())) : Json(answer.error().message);
  }
  // Ids of the user's own.
  std::vector<std::string> own(const Json& query = Json::object()) const {
    std::vector<std::string> out;
    const Json page = list(query);
    for (const Json& entry : page["profiles"]) {
      if (!entry["bundled"]) out.push_back(entry["id"]);
    }
    return out;
  }
  Result<ProfileSummary> estimate(const Json& json) const {
    const Result<EstimateProfileRequest> request = estimate_profile_request(json);
    if (!request.ok()) return request.error();
    Result<EstimateProfileAnswer> answer = estimate_profile(request.value(), services_);
    if (!answer.ok()) return answer.error();
    return *std::move(answer).value().kept;
  }

  const TestFolder folder_;
  std::int64_t clock_ = 1'800'000'000;
  Services services_ = services_from([](const char*) { return std::nullopt; });
};

using Ids = std::vector<std::string>;

TEST_F(ProfileRequests, HardwareTimesHoursIsAProfileByHand) {
  const Json request{{"name", "Their <BERT>"},
                     {"hardware", {{{"name", "Tesla V100 SXM2 16GB"}, {"count", 64}}}},
                     {"hours", 79},
                     {"region", "Virginia"},
                     {"pue", 1.58},
                     {"utilisation", 0.5},
                     {"tags", {"paper"}}};
  const Result<ProfileSummary> kept = estimate(request);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept.value().id, "their-bert");
  EXPECT_EQ(kept.value().origin, ProfileOrigin::kEstimated);
  // 64 × 300 W × 0.5 × 79 h = 758.4 kWh
  EXPECT_NEAR(kept.value().energy->value, 758.4 * 3.6e6, 1);
  EXPECT_EQ(kept.value().provenance->basis, Basis::kAssumed);
  EXPECT_EQ(kept.value().provenance->boundary, Boundary::kGpu);
  EXPECT_EQ(kept.value().duration, Seconds(79 * 3600));
  EXPECT_EQ(kept.value().region, "US-VA");
  const auto shown = show_profile({{"their-bert", {}, false}}, services_);
  EXPECT_EQ(shown.value().profile.name, "Their <BERT>");
  EXPECT_EQ(shown.value().profile.pue->value, 1.58);
  // As a text, with a processor: the same cards at full power, and 225 W more.
  const auto both = estimate({{"name", "x"}, {"hardware", "2xT4,EPYC 7742"}, {"hours", 10}});
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_NEAR(both.value().energy->value, (2 * 70 + 225) * 36'000.0, 1e-3);
  EXPECT_EQ(both.value().provenance->boundary, Boundary::kHost);
}

TEST_F(ProfileRequests, AnEstimateThatIsNotToBeKeptIsOnlyAnswered) {
  const Json request{{"name", "x"}, {"hardware", "T4"}, {"hours", 1}, {"keep", false}};
  const auto answer = estimate_profile(estimate_profile_request(request).value(), services_);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Json profile = Json::parse(to_json(answer.value()));
  EXPECT_EQ(profile["format"], "wattree-profile");
  EXPECT_EQ(profile["epochs"][0]["energy"][0]["energy_j"], 70 * 3600);
  EXPECT_EQ(own(), Ids{});
}

TEST_F(ProfileRequests, AnEstimateNamesTheFieldThatIsWrong) {
  const auto field = [&](const Json& change) {
    Json request{{"name", "x"}, {"hardware", {{{"name", "T4"}}}}, {"hours", 1}};
    request.update(change);
    const Result<ProfileSummary> kept = estimate(request);
    return kept.ok() ? "" : kept.error().field;
  };
  EXPECT_EQ(field(Json::object()), "");
  EXPECT_EQ(field({{"name", ""}}), "name");
  EXPECT_EQ(field({{"hours", 0}}), "hours");
  EXPECT_EQ(field({{"hours", 1e9}}), "hours");
  EXPECT_EQ(field({{"utilisation", 1.5}}), "utilisation");
  EXPECT_EQ(field({{"region", "Atlantis"}}), "region");
  EXPECT_EQ(field({{"pue", 0.9}}), "pue");
  EXPECT_EQ(field({{"hardware", Json::array()}}), "hardware");
  EXPECT_EQ(field({{"hardware", {{{"name", "Abacus"}}}}}), "hardware[0].name");
  EXPECT_EQ(field({{"hardware", {{{"name", "T4"}, {"count", 0}}}}}), "hardware[0].count");
  EXPECT_EQ(field({{"hardware", "900000xT4"}}), "hardware");
  EXPECT_EQ(field({{"tags", {""}}}), "tags");
  EXPECT_EQ(field({{"hour", 1}}), "hour");
}

TEST_F(ProfileRequests, ListsAreFilteredSortedAndPaged) {
  for (const char* name : {"c", "a", "b"}) {
    ASSERT_TRUE(estimate({{"name", name},
                          {"hardware", "T4"},
                          {"hours", name[0] - 'a' + 1},
                          {"region", "Germany"},
                          {"tags", {std::string("tag ") + name}}})
                    .ok());
  }
  EXPECT_EQ(own(), (Ids{"a", "b", "c"}));
  EXPECT_EQ(own({{"sort", "-energy"}}), (Ids{"c", "b", "a"}));
  EXPECT_EQ(own({{"tag", "tag b"}}), Ids{"b"});
  EXPECT_EQ(own({{"tag", {"tag a", "tag b"}}}), Ids{});
  EXPECT_EQ(own({{"region", "DE"}}).size(), 3u);  // An alias of the code that is kept.
  EXPECT_EQ(own({{"q", "T4 TAG"}}).size(), 3u);
  EXPECT_EQ(own({{"from", "2027-01-15"}, {"to", "2027-01-16T00:00:00Z"}}).size(), 3u);
  EXPECT_EQ(own({{"to", "2027-01-15"}}).size(), 0u);
  const Json first = list({{"limit", 2}});
  EXPECT_EQ(first["total"], 5);
  EXPECT_EQ(first["profiles"].size(), 2u);
  const Json second = list({{"limit", 2}, {"cursor", first["next"]}});
  EXPECT_EQ(second["profiles"][0]["id"], "c");
  for (const auto& [query, field] :
       std::vector<std::pair<Json, std::string>>{{{{"status", "good"}}, "status"},
                                                 {{{"from", "yesterday"}}, "from"},
                                                 {{{"sort", "size"}}, "sort"},
                                                 {{{"limit", 0}}, "limit"},
                                                 {{{"limit", 100'000}}, "limit"},
                                                 {{{"tag", 3}}, "tag"},
                                                 {{{"q", std::string(300, 'x')}}, "q"},
                                                 {{{"tags", "x"}}, "tags"}}) {
    const auto request = profiles_request(query);
    ASSERT_FALSE(request.ok()) << query;
    EXPECT_EQ(request.error().field, field) << request.error().message;
  }
  EXPECT_EQ(profiles(profiles_request({{"cursor", "zz"}}).value(), services_).error().field,
            "cursor");
}

TEST_F(ProfileRequests, NamesAndTagsChange) {
  ASSERT_TRUE(estimate({{"name", "a"}, {"hardware", "T4"}, {"hours", 1}}).ok());
  const Json patch{{"id", "a"}, {"name", "</script> ünï"}, {"tags", {"x", "y"}}};
  const auto changed = change_profile(change_profile_request(patch).value(), services_);
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(Json::parse(to_json(changed.value()))["tags"], Json({"x", "y"}));
  EXPECT_EQ(list()["profiles"][0]["name"], "</script> ünï");
  EXPECT_EQ(change_profile_request({{"id", "a"}}).error().field, "name");
  EXPECT_EQ(change_profile_request({{"name", "a"}}).error().field, "id");
  EXPECT_EQ(change_profile_request({{"id", "a"}, {"tags", 1}}).error().field, "tags");
  const auto unnamed = change_profile_request({{"id", "a"}, {"name", ""}}).value();
  EXPECT_EQ(change_profile(unnamed, services_).error().field, "name");
  const auto bundled = change_profile_request({{"id", "bert-base-v100"}, {"name", "b"}}).value();
  EXPECT_EQ(change_profile(bundled, services_).error().code, ErrorCode::kInvalidInput);
}

TEST_F(ProfileRequests, DeletionIsUndoneWithinThirtyDays) {
  Profile tracked;
  tracked.name = "tracked";
  ASSERT_TRUE(save_profile(services_.profiles, tracked).ok());
  EXPECT_EQ(own(), Ids{"tracked"});
  EXPECT_FALSE(std::filesystem::exists(services_.store));  // Reading makes none.
  ASSERT_TRUE(delete_profile({"tracked", {}}, services_).ok());
  EXPECT_EQ(own(), Ids{});
  EXPECT_EQ(own({{"deleted", true}}), Ids{"tracked"});
  clock_ += 29 * 86'400;
  ASSERT_TRUE(undelete_profile({"tracked", {}}, services_).ok());
  EXPECT_EQ(own(), Ids{"tracked"});
  ASSERT_TRUE(delete_profile({"tracked", {}}, services_).ok());
  clock_ += 31 * 86'400;
  EXPECT_EQ(undelete_profile({"tracked", {}}, services_).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(services_.profiles / "tracked.json"));
}

TEST_F(ProfileRequests, CodeCarbonsFilesBecomeAProfilePerRun) {
  const std::string csv =
      read_file(WATTREE_SOURCE_DIR "/tests/data/codecarbon/emissions.csv").value();
  const Json fields{{"tags", {"cc"}}};
  const auto answer = import_profile(import_profile_request(fields, csv).value(), services_);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Json json = Json::parse(to_json(answer.value()));
  EXPECT_EQ(json["format"], "codecarbon");
  EXPECT_EQ(json["profiles"].size(), 4u);
  EXPECT_EQ(json["notes"].size(), 1u);
  EXPECT_EQ(own({{"tag", "cc"}, {"region", "US-MA"}}), Ids{"digits-2024-07-19t15-57-43"});
  // One bad line, and nothing is kept.
  const auto bad = import_profile_request(Json::object(), csv + "x,y\n");
  EXPECT_EQ(import_profile(bad.value(), services_).error().field, "profile");
  EXPECT_EQ(own().size(), 4u);
}

TEST_F(ProfileRequests, BackupAndRestore) {
  ASSERT_TRUE(estimate({{"name", "a"}, {"hardware", "T4"}, {"hours", 1}}).ok());
  const std::filesystem::path file = folder_.path() / "backup.db";
  ASSERT_TRUE(backup_profiles({file, {}}, services_).ok());
  ASSERT_TRUE(estimate({{"name", "b"}, {"hardware", "T4"}, {"hours", 1}}).ok());
  const auto restored = restore_profiles({file, {}}, services_);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_TRUE(std::filesystem::exists(restored.value().kept));
  EXPECT_EQ(own(), Ids{"a"});
}

}  // namespace
}  // namespace wattree
