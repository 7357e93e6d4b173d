// The JSON Schemas of docs/schemas, which come with the program.
#pragma once

#include <span>
#include <string_view>

namespace wattree {

struct EmbeddedSchema {
  std::string_view name;  // "predict.schema"
  std::string_view json;
};
std::span<const EmbeddedSchema> embedded_schemas();

}  // namespace wattree
