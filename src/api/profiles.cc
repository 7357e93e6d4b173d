#include "src/api/profiles.h"

#include "src/base/json_writer.h"

namespace wattree {

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

}  // namespace wattree
