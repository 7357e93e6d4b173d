#include "src/api/runs/profile_list.h"

#include <nlohmann/json.hpp>

#include "src/api/runs/open_profiles.h"
#include "src/api/runs/run_request.h"
#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/facts/carbon/region.h"

namespace wattree {
namespace {

constexpr std::int64_t kPage = 100;
constexpr std::int64_t kLargestPage = 1'000;
constexpr std::size_t kLongestWords = 200;

std::optional<UtcTime> read_time(JsonFields& fields, const char* name, Status& failure) {
  const std::string text = fields.text(name);
  if (text.empty()) return std::nullopt;
  Result<UtcTime> time = parse_day_or_time(text, name);
  if (time.ok()) return time.value();
  if (failure.ok()) failure = time.error();
  return std::nullopt;
}

void write_if(JsonWriter& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.field(name, text);
}

}  // namespace

Result<UtcTime> parse_day_or_time(const std::string& text, const std::string& field) {
  std::optional<UtcTime> time = parse_utc(text);
  if (!time) time = parse_utc(text + "T00:00:00Z");
  if (time) return *time;
  return Error{ErrorCode::kInvalidInput,
               "<" + field + ">: " + in_quotes(text) + " is neither a day nor a time",
               "2026-05-01, or 2026-05-01T12:00:00Z", field};
}

Status read_sort(const std::string& text, ProfileQuery& query) {
  if (text.empty()) return {};
  query.is_descending = text.starts_with('-');
  const auto sort = parse_profile_sort(std::string_view(text).substr(query.is_descending ? 1 : 0));
  if (!sort) {
    return Error{ErrorCode::kInvalidInput,
                 "<sort>: " + in_quotes(text) + " is no order of profiles",
                 "id, name, energy, duration, epochs, started or added; \"-\" before it turns it "
                 "round",
                 "sort"};
  }
  query.sort = *sort;
  return {};
}

Result<ProfilesRequest> profiles_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ProfilesRequest out;
  ProfileQuery& query = out.query;
  query.words = fields.text("q");
  if (query.words.size() > kLongestWords) {
    fields.complain("q", "is longer than " + std::to_string(kLongestWords) + " bytes");
  }
  query.tags = read_tags(json, fields, "tag").value_or(std::vector<std::string>());
  query.region = fields.text("region");
  query.hardware = fields.text("hardware");
  if (const std::string name = fields.text("status"); !name.empty()) {
    query.status = parse_profile_status(name);
    if (!query.status) fields.complain("status", "must be complete, unfinished or unreadable");
  }
  query.from = read_time(fields, "from", failure);
  query.to = read_time(fields, "to", failure);
  query.is_deleted = fields.flag("deleted");
  const Status sort = read_sort(fields.text("sort"), query);
  query.limit = fields.whole("limit", 1, kLargestPage).value_or(kPage);
  query.cursor = fields.text("cursor");
  fields.finish();
  if (!failure.ok()) return failure.error();
  if (!sort.ok()) return sort.error();
  return out;
}

Result<ProfilesAnswer> profiles(const ProfilesRequest& request, const Services& services) {
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kRead);
  if (!store.ok()) return store.error();
  ProfileQuery query = request.query;
  // Profiles have codes; what is no region of ours is a place as somebody wrote it.
  if (const Result<Region> region = find_region(query.region); region.ok()) {
    query.region = region.value().code;
  }
  return store.value()->list(query);
}

void write_json(JsonWriter& out, const ProfileSummary& profile) {
  out.begin_object();
  out.field("id", profile.id);
  out.field("bundled", profile.origin == ProfileOrigin::kBundled);
  out.field("origin", name_of(profile.origin));
  out.field("status", name_of(profile.status));
  out.field("tags", profile.tags);
  out.field("added", to_string(profile.added));
  if (profile.deleted) out.field("deleted", to_string(*profile.deleted));
  if (profile.status == ProfileStatus::kUnreadable) {
    out.field("error", profile.error);
    out.end_object();
    return;
  }
  out.field("name", profile.name);
  write_if(out, "author", profile.author);
  write_if(out, "region", profile.region);
  write_if(out, "location", profile.location);
  out.field("hardware", profile.hardware);
  out.field("epochs", profile.epochs);
  if (profile.planned_epochs) out.field("planned_epochs", *profile.planned_epochs);
  if (profile.started) out.field("started", to_string(*profile.started));
  if (profile.duration) out.field("duration_s", profile.duration->value);
  if (profile.energy) out.field("device_energy_j", profile.energy->value);
  if (profile.outside) out.field("outside_epochs_j", profile.outside->value);
  if (profile.provenance) {
    out.key("basis");
    write_json(out, *profile.provenance);
  }
  out.end_object();
}

std::string to_json(const ProfilesAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("profiles");
  out.begin_array();
  for (const ProfileSummary& profile : answer.profiles) write_json(out, profile);
  out.end_array();
  out.field("total", answer.total);
  if (!answer.next.empty()) out.field("next", answer.next);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
