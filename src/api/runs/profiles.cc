#include "src/api/runs/profiles.h"

#include <nlohmann/json.hpp>

#include "src/api/runs/open_profiles.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/profile/folder.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/store/profile_texts.h"

namespace wattree {

Result<ShowProfileRequest> show_profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ShowProfileRequest out{read_run(fields, "profile")};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<ShowProfileAnswer> show_profile(const ShowProfileRequest& request,
                                       const Services& services) {
  Result<Profile> loaded = load_profile(request.profile, services);
  if (!loaded.ok()) return loaded.error();
  Profile profile = std::move(loaded).value();
  if (!services.shows_private) profile.notes = without_command(profile.notes);
  return ShowProfileAnswer{profile, footprint_of(profile, {})};
}

std::string to_json(const ShowProfileAnswer& answer) { return write_profile_json(answer.profile); }

Result<ChangeProfileRequest> change_profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ChangeProfileRequest out;
  out.id = fields.text("id", true);
  if (fields.has("name")) out.change.name = fields.text("name");
  out.change.tags = read_tags(json, fields, "tags");
  fields.finish();
  if (!failure.ok()) return failure.error();
  if (!out.change.name && !out.change.tags) {
    return Error{ErrorCode::kInvalidInput, "nothing is to be changed", "give <name> or <tags>",
                 "name"};
  }
  return out;
}

Result<ProfileSummary> change_profile(const ChangeProfileRequest& request,
                                      const Services& services) {
  if (request.change.name) {
    if (Status failure = check_name(*request.change.name); !failure.ok()) return failure.error();
  }
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  return store.value()->change(request.id, request.change);
}

std::string to_json(const ProfileSummary& profile) {
  JsonWriter out(2);
  write_json(out, profile);
  return out.take() + "\n";
}

Result<DeleteProfileRequest> delete_profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  DeleteProfileRequest out{fields.text("id", true), {}};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<DeletedProfile> delete_profile(const DeleteProfileRequest& request,
                                      const Services& services) {
  if (const auto path = profile_path("", request.id); !path.ok()) return path.error();
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  const UtcTime time = now(services);
  if (Status failure = store.value()->remove(request.id, time); !failure.ok()) {
    return failure.error();
  }
  return DeletedProfile{request.id, time + kUndoableFor};
}

std::string to_json(const DeletedProfile& profile) {
  JsonWriter out(2);
  out.begin_object();
  out.field("id", profile.id);
  out.field("restorable_until", to_string(profile.restorable_until));
  out.end_object();
  return out.take() + "\n";
}

Result<ProfileSummary> undelete_profile(const DeleteProfileRequest& request,
                                        const Services& services) {
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  return store.value()->restore(request.id);
}

}  // namespace wattree
