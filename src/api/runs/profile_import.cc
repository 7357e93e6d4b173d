#include "src/api/runs/profile_import.h"

#include <nlohmann/json.hpp>

#include "src/api/runs/open_profiles.h"
#include "src/api/runs/profile_list.h"
#include "src/api/runs/run_request.h"
#include "src/base/error_field.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/profile/folder.h"
#include "src/runs/store/profile_texts.h"

namespace wattree {

Result<ImportProfileRequest> import_profile_request(const nlohmann::json& json, std::string text) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ImportProfileRequest out;
  out.text = std::move(text);
  out.id = fields.text("id");
  out.tags = read_tags(json, fields, "tags").value_or(std::vector<std::string>());
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<ImportProfileAnswer> import_profile(const ImportProfileRequest& request,
                                           const Services& services) {
  if (Status failure = check_tags(request.tags); !failure.ok()) return failure.error();
  Result<ReadProfiles> read = request.file.empty() ? read_profiles(request.text, "profile")
                                                   : read_profiles_file(request.file);
  if (!read.ok()) return of_field("profile", read.error());
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  ReadProfiles found = std::move(read).value();
  std::vector<NewProfile> wanted;
  for (Profile& profile : found.profiles) {
    if (Status failure = check_length(profile.name); !failure.ok()) return failure.error();
    const std::string id = profile_id(request.id.empty() ? profile.name : request.id);
    wanted.push_back(
        {std::move(profile), id, ProfileOrigin::kImported, request.tags, now(services)});
  }
  Result<std::vector<ProfileSummary>> kept = store.value()->add(wanted);
  if (!kept.ok()) return kept.error();
  return ImportProfileAnswer{std::move(kept).value(), found.format, std::move(found.notes)};
}

std::string to_json(const ImportProfileAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.field("format", name_of(answer.format));
  out.key("profiles");
  out.begin_array();
  for (const ProfileSummary& profile : answer.profiles) write_json(out, profile);
  out.end_array();
  out.field("notes", answer.notes);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
