#include "src/runs/profile/find.h"

#include <algorithm>

#include "src/base/text.h"

namespace wattree {

Result<Profile> load_profile(const std::string& name, const std::filesystem::path& folder,
                             ProfileNames names) {
  std::error_code ignored;
  const auto from_file = [](const std::filesystem::path& path) -> Result<Profile> {
    Result<ReadProfile> read = read_profile_file(path);
    if (!read.ok()) return read.error();
    return std::move(read).value().profile;
  };
  if (names == ProfileNames::kFilesAndIds && std::filesystem::exists(name, ignored)) {
    return from_file(name);
  }
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
               !close.empty()                ? "did you mean " + join(close, ", or ") + "?"
               : names == ProfileNames::kIds ? "`wattree profiles list` shows those there are"
                                             : "give a file, or an id of `wattree profiles list`",
               "profile"};
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

std::string hardware_text(const Profile& profile) { return hardware_text(profile.hardware); }

std::string hardware_text(const std::vector<HardwareEntry>& hardware) {
  std::vector<std::string> parts;
  for (const HardwareEntry& entry : hardware) {
    parts.push_back(std::to_string(entry.count) + " × " + entry.name);
  }
  return join(parts);
}

}  // namespace wattree
