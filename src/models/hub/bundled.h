// The models shipped inside the binary: data/models/*.json, embedded by the build.
#pragma once

#include <span>
#include <string_view>

namespace wattree {

struct BundledModel {
  std::string_view name;  // The file's name without .json.
  std::string_view json;
};

// Sorted by name.
std::span<const BundledModel> bundled_models();

// Null where none has that name.
inline const BundledModel* find_bundled(std::string_view name) {
  for (const BundledModel& model : bundled_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace wattree
