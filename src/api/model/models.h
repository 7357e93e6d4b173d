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

struct KnownFamily {
  std::string_view model_type;
  std::vector<std::string_view> classes;
};

struct ModelsAnswer {
  std::vector<KnownModel> models;  // Every bundled one, with the size its tree says it has.
  std::vector<KnownFamily> families;
};
Result<ModelsAnswer> models();
// The bundled ones alone.
std::vector<std::string_view> model_names();

std::string to_json(const ModelsAnswer& answer);

}  // namespace wattree
