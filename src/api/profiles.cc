#include "src/api/profiles.h"

#include <algorithm>

#include "src/base/json_writer.h"
#include "src/base/text.h"

namespace wattree {

Result<Profile> load_profile(const std::string& name, const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto from_file = [](const std::filesystem::path& path) -> Result<Profile> {
    Result<ReadProfile> read = read_profile_file(path);
    if (!read.ok()) return read.error();
    return std::move(read).value().profile;
  };
  if (std::filesystem::exists(name, ignored)) return from_file(name);
  if (const auto path = profile_path(folder, name);
      path.ok() && std::filesystem::exists(path.value(), ignored)) {
    return from_file(path.value());
  }
  std::vector<std::string> ids;
  for (const BundledProfile& bundled : bundled_profiles()) {
    if (bundled.id == name) {
      Result<ReadProfile> read = read_profile(bundled.json, name);
      if (!read.ok()) return read.error();
      return std::move(read).value().profile;
    }
    ids.emplace_back(bundled.id);
  }
  if (const auto stored = list_profiles(folder); stored.ok()) {
    for (const StoredProfile& entry : stored.value()) ids.push_back(entry.id);
  }
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  const std::vector<std::string> close = nearest(name, views);
  return Error{ErrorCode::kNotFound, "there is no profile \"" + name + "\"",
               close.empty() ? "give a file, or an id of `wattree profiles list`"
                             : "did you mean " + join(close, ", or ") + "?"};
}

Result<std::vector<KnownProfile>> known_profiles(const std::filesystem::path& folder) {
  Result<std::vector<StoredProfile>> stored = list_profiles(folder);
  if (!stored.ok()) return stored.error();
  std::vector<KnownProfile> out;
  for (const StoredProfile& entry : stored.value()) {
    out.push_back({entry.id, false, entry.profile});
  }
  for (const BundledProfile& bundled : bundled_profiles()) {
    Result<ReadProfile> read = read_profile(bundled.json, std::string(bundled.id));
    out.push_back(
        {std::string(bundled.id), true,
         read.ok() ? Result<Profile>(read.value().profile) : Result<Profile>(read.error())});
  }
  return out;
}

std::string to_json(const std::vector<KnownProfile>& profiles) {
  JsonWriter out(2);
  out.begin_object();
  out.key("profiles");
  out.begin_array();
  for (const KnownProfile& known : profiles) {
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
      out.key("basis");
      write_json(out, *provenance(profile));
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

Result<ImportedProfile> import_profile(const std::filesystem::path& file,
                                       const std::filesystem::path& folder, const std::string& id) {
  Result<ReadProfile> read = read_profile_file(file);
  if (!read.ok()) return read.error();
  ImportedProfile out{"", read.value().profile, read.value().format};
  Result<std::string> saved = save_profile(folder, out.profile, id);
  if (!saved.ok()) return saved.error();
  out.id = std::move(saved).value();
  return out;
}

std::string hardware_text(const Profile& profile) {
  std::vector<std::string> parts;
  for (const HardwareEntry& entry : profile.hardware) {
    parts.push_back(std::to_string(entry.count) + " × " + entry.name);
  }
  return join(parts);
}

}  // namespace wattree
