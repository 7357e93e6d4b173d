#include "src/runs/store/profile_query.h"

#include <array>
#include <utility>

namespace wattree {
namespace {

constexpr std::array<std::pair<ProfileSort, std::string_view>, 7> kSorts{
    {{ProfileSort::kId, "id"},
     {ProfileSort::kName, "name"},
     {ProfileSort::kEnergy, "energy"},
     {ProfileSort::kDuration, "duration"},
     {ProfileSort::kEpochs, "epochs"},
     {ProfileSort::kStarted, "started"},
     {ProfileSort::kAdded, "added"}}};

}  // namespace

std::string_view name_of(ProfileSort sort) {
  for (const auto& [value, name] : kSorts) {
    if (value == sort) return name;
  }
  return "";
}

std::optional<ProfileSort> parse_profile_sort(std::string_view name) {
  for (const auto& [value, known] : kSorts) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace wattree
