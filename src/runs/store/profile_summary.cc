#include "src/runs/store/profile_summary.h"

#include <array>
#include <utility>

namespace wattree {
namespace {

constexpr std::array<std::pair<ProfileOrigin, std::string_view>, 4> kOrigins{
    {{ProfileOrigin::kTracked, "tracked"},
     {ProfileOrigin::kImported, "imported"},
     {ProfileOrigin::kEstimated, "estimated"},
     {ProfileOrigin::kBundled, "bundled"}}};
constexpr std::array<std::pair<ProfileStatus, std::string_view>, 3> kStatuses{
    {{ProfileStatus::kComplete, "complete"},
     {ProfileStatus::kUnfinished, "unfinished"},
     {ProfileStatus::kUnreadable, "unreadable"}}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value wanted) {
  for (const auto& [value, name] : table) {
    if (value == wanted) return name;
  }
  return "";
}

template <class Value, std::size_t size>
std::optional<Value> value_in(const std::array<std::pair<Value, std::string_view>, size>& table,
                              std::string_view wanted) {
  for (const auto& [value, name] : table) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(ProfileOrigin origin) { return name_in(kOrigins, origin); }
std::optional<ProfileOrigin> parse_profile_origin(std::string_view name) {
  return value_in(kOrigins, name);
}

std::string_view name_of(ProfileStatus status) { return name_in(kStatuses, status); }
std::optional<ProfileStatus> parse_profile_status(std::string_view name) {
  return value_in(kStatuses, name);
}

ProfileSummary summary_of(const Profile& profile) {
  ProfileSummary out;
  out.name = profile.name;
  out.author = profile.author;
  out.region = profile.region;
  out.location = profile.location;
  out.hardware = hardware_text(profile);
  out.epochs = static_cast<std::int64_t>(profile.epochs.size());
  out.planned_epochs = profile.planned_epochs;
  if (out.planned_epochs && *out.planned_epochs > out.epochs) {
    out.status = ProfileStatus::kUnfinished;
  }
  out.duration = duration(profile);
  out.energy = device_energy(profile);
  if (out.energy) {
    out.outside = outside_energy(profile);
    out.provenance = provenance(profile);
  }
  if (!profile.epochs.empty()) out.started = profile.epochs.front().start;
  return out;
}

}  // namespace wattree
