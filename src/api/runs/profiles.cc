#include "src/api/runs/profiles.h"

#include <nlohmann/json.hpp>

#include "src/base/error_field.h"
#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {

Result<ProfilesAnswer> profiles(const ProfilesRequest& request, const Services& services) {
  Result<std::vector<KnownProfile>> known =
      known_profiles(profile_folder(request.folder, services));
  if (!known.ok()) return known.error();
  return ProfilesAnswer{std::move(known).value()};
}

std::string to_json(const ProfilesAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("profiles");
  out.begin_array();
  for (const KnownProfile& known : answer.profiles) {
    out.begin_object();
    out.field("id", known.id);
    out.field("bundled", known.is_bundled);
    if (!known.profile.ok()) {
      out.field("error", known.profile.error().message);
      out.end_object();
      continue;
    }
    const Profile& profile = known.profile.value();
    out.field("name", profile.name);
    if (!profile.author.empty()) out.field("author", profile.author);
    if (!profile.region.empty()) out.field("region", profile.region);
    out.field("hardware", hardware_text(profile));
    out.field("epochs", static_cast<std::int64_t>(profile.epochs.size()));
    if (const auto time = duration(profile)) out.field("duration_s", time->value);
    if (const auto energy = device_energy(profile)) {
      out.field("device_energy_j", energy->value);
      if (const auto outside = outside_energy(profile)) {
        out.field("outside_epochs_j", outside->value);
      }
      out.key("basis");
      write_json(out, *provenance(profile));
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

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
  Result<Profile> profile = load_profile(request.profile, services);
  if (!profile.ok()) return profile.error();
  return ShowProfileAnswer{profile.value(), footprint_of(profile.value(), {})};
}

std::string to_json(const ShowProfileAnswer& answer) { return write_profile_json(answer.profile); }

Result<ImportProfileRequest> import_profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ImportProfileRequest out;
  const bool is_text =
      json.is_object() && json.contains("profile") && json.at("profile").is_string();
  if (is_text) {
    out.text = fields.text("profile", true);
  } else if (const nlohmann::json* profile = fields.object("profile", true)) {
    out.text = profile->dump();
  }
  out.id = fields.text("id");
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<ImportProfileAnswer> import_profile(const ImportProfileRequest& request,
                                           const Services& services) {
  Result<ReadProfile> read = request.file.empty() ? read_profile(request.text, "profile")
                                                  : read_profile_file(request.file);
  if (!read.ok()) return of_field("profile", read.error());
  // Only a user without a home has a folder that depends on where the program was started: a
  // profile that is put there to be kept would be lost.
  if (request.folder.empty() && services.profiles.is_relative()) {
    return Error{ErrorCode::kUnavailable, "there is no folder to keep profiles in",
                 "set HOME or XDG_DATA_HOME, or name a folder with <folder>", "folder"};
  }
  ImportProfileAnswer out{"", std::move(read).value().profile,
                          profile_folder(request.folder, services)};
  Result<std::string> id = save_profile(out.folder, out.profile, request.id);
  if (!id.ok()) return id.error();
  out.id = std::move(id).value();
  return out;
}

Result<DeleteProfileRequest> delete_profile_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  DeleteProfileRequest out{fields.text("id", true), {}};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Status delete_profile(const DeleteProfileRequest& request, const Services& services) {
  Status deleted = delete_profile(profile_folder(request.folder, services), request.id);
  if (deleted.ok() || deleted.error().code != ErrorCode::kNotFound) return deleted;
  for (const BundledProfile& bundled : bundled_profiles()) {
    if (bundled.id != request.id) continue;
    return Error{ErrorCode::kInvalidInput,
                 in_quotes(request.id) + " comes with wattree: built-in profiles cannot be deleted",
                 "`wattree profiles list` shows those of yours, too", "id"};
  }
  return deleted;
}

}  // namespace wattree
