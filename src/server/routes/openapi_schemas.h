// Schemas of docs/schemas as components of an OpenAPI document.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wattree {

// Collects the schemas that are referred to, and those that these refer to. Definitions within a
// schema become components of their own ("predict_node"), because few tools follow references into
// one.
class ComponentSchemas {
 public:
  ComponentSchemas();
  ~ComponentSchemas();
  ComponentSchemas(const ComponentSchemas&) = delete;
  ComponentSchemas& operator=(const ComponentSchemas&) = delete;

  // {"$ref": "#/components/schemas/predict"}; the schema is a component from now on.
  nlohmann::ordered_json reference(const std::string& name);
  nlohmann::ordered_json take();

 private:
  void add(const std::string& name);
  nlohmann::ordered_json adapted(const nlohmann::ordered_json& schema, const std::string& owner);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattree
