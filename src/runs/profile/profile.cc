#include "src/runs/profile/profile.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "src/base/text.h"

namespace wattree {
namespace {
constexpr std::array<std::string_view, 4> kKinds{"gpu", "cpu", "memory", "machine"};
}  // namespace

std::string_view name_of(ComponentKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<ComponentKind> parse_component_kind(std::string_view name) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<ComponentKind>(found - kKinds.begin());
}

std::optional<Joules> device_energy(const Epoch& epoch) {
  std::optional<Joules> sum;
  for (const ComponentEnergy& part : epoch.energy) {
    sum = sum.value_or(Joules()) + part.energy;
  }
  return sum;
}

std::optional<Joules> device_energy(const Profile& profile) {
  std::optional<Joules> sum;
  for (const Epoch* window : windows_of(profile)) {
    if (const auto energy = device_energy(*window)) sum = sum.value_or(Joules()) + *energy;
  }
  return sum;
}

std::optional<Joules> outside_energy(const Profile& profile) {
  if (!profile.outside) return std::nullopt;
  const std::optional<Joules> energy = device_energy(*profile.outside);
  return energy && *energy > Joules(0) ? energy : std::nullopt;
}

std::optional<Seconds> duration(const Profile& profile) {
  if (profile.epochs.empty()) return std::nullopt;
  Seconds sum;
  for (const Epoch* window : windows_of(profile)) {
    if (!window->duration) return std::nullopt;
    sum = sum + *window->duration;
  }
  return sum;
}

std::optional<Provenance> provenance(const Profile& profile) {
  std::optional<Provenance> sum;
  for (const Epoch* window : windows_of(profile)) {
    for (const ComponentEnergy& part : window->energy) {
      sum = sum ? of_sum(*sum, part.provenance) : part.provenance;
    }
  }
  return sum;
}

std::vector<const Epoch*> windows_of(const Profile& profile) {
  std::vector<const Epoch*> out;
  for (const Epoch& epoch : profile.epochs) out.push_back(&epoch);
  if (profile.so_far && profile.so_far->open) out.push_back(&*profile.so_far->open);
  if (profile.outside) out.push_back(&*profile.outside);
  return out;
}

bool has_epochs(const Profile& profile) {
  if (profile.so_far) return profile.so_far->has_epochs;
  return profile.epochs.size() > 1 || profile.outside;
}

std::vector<std::string> component_names(const Profile& profile) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  for (const Epoch* window : windows_of(profile)) {
    for (const ComponentEnergy& part : window->energy) {
      if (known.insert(part.component).second) names.push_back(part.component);
    }
  }
  return names;
}

std::string hardware_text(const Profile& profile) { return hardware_text(profile.hardware); }

std::string hardware_text(const std::vector<HardwareEntry>& hardware) {
  std::vector<std::string> parts;
  for (const HardwareEntry& entry : hardware) {
    parts.push_back(std::to_string(entry.count) + " × " + entry.name);
  }
  return join(parts);
}

std::string without_command(std::string_view notes) {
  std::string out;
  while (!notes.empty()) {
    const std::string_view line = notes.substr(0, notes.find('\n'));
    notes.remove_prefix(std::min(line.size() + 1, notes.size()));
    if (line.starts_with(kCommandNote)) continue;
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

}  // namespace wattree
