// What is known without being told: the bundled models and the families.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

struct KnownModel {
  std::string name;
  std::string model_type;
  std::string class_name;
  std::int64_t params = 0;
};

// Every bundled model, with the size its tree says it has.
Result<std::vector<KnownModel>> known_models();

struct KnownFamily {
  std::string_view model_type;
  std::vector<std::string_view> classes;
};
std::vector<KnownFamily> known_families();

std::string to_json(const std::vector<KnownModel>& models,
                    const std::vector<KnownFamily>& families);

}  // namespace wattree
