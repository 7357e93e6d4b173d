#include "src/server/routes/openapi_schemas.h"

#include <nlohmann/json.hpp>

#include "src/server/routes/schemas.h"

namespace wattree {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEnding = ".schema";
constexpr std::string_view kDefs = "#/$defs/";
constexpr std::string_view kFile = ".schema.json";

std::string component(const std::string& name) { return "#/components/schemas/" + name; }

}  // namespace

struct ComponentSchemas::State {
  Json components = Json::object();
};

ComponentSchemas::ComponentSchemas() : state_(std::make_unique<State>()) {}
ComponentSchemas::~ComponentSchemas() = default;

Json ComponentSchemas::adapted(const Json& schema, const std::string& owner) {
  if (schema.is_array()) {
    Json out = Json::array();
    for (const Json& part : schema) out.push_back(adapted(part, owner));
    return out;
  }
  if (!schema.is_object()) return schema;
  Json out = Json::object();
  for (const auto& [key, value] : schema.items()) {
    if (key == "$schema" || key == "$id" || key == "$defs") continue;
    if (key != "$ref") {
      out[key] = adapted(value, owner);
      continue;
    }
    // "#/$defs/node", "footprint.schema.json", "footprint.schema.json#/$defs/footprint" or "#"
    const std::string reference = value.get<std::string>();
    const std::size_t file = reference.find(kFile);
    const std::string other = file == std::string::npos ? owner : reference.substr(0, file);
    if (other != owner) add(other);
    const std::size_t definition = reference.find(kDefs);
    out[key] = component(definition == std::string::npos
                             ? other
                             : other + "_" + reference.substr(definition + kDefs.size()));
  }
  return out;
}

void ComponentSchemas::add(const std::string& name) {
  if (state_->components.contains(name)) return;
  for (const EmbeddedSchema& schema : embedded_schemas()) {
    if (schema.name.substr(0, schema.name.size() - kEnding.size()) != name) continue;
    const Json json = Json::parse(schema.json, nullptr, false);
    state_->components[name] = nullptr;  // It may refer to itself.
    Json whole = adapted(json, name);
    whole.erase("title");  // It speaks of the command line.
    state_->components[name] = std::move(whole);
    if (!json.contains("$defs")) return;
    for (const auto& [key, value] : json.at("$defs").items()) {
      const std::string part = name + "_" + key;
      state_->components[part] = nullptr;
      state_->components[part] = adapted(value, name);
    }
    return;
  }
}

Json ComponentSchemas::reference(const std::string& name) {
  add(name);
  return Json{{"$ref", component(name)}};
}

Json ComponentSchemas::take() { return std::move(state_->components); }

}  // namespace wattree
