#include "src/server/routes/openapi.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "src/base/version.h"
#include "src/server/routes/openapi_schemas.h"

namespace wattree {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSizesPattern[] = "^[0-9]+(:[0-9]+(:[0-9]+)?)?(,[0-9]+(:[0-9]+(:[0-9]+)?)?)*$";

Json text_schema(const Parameter& parameter) {
  Json out{{"type", "string"}, {"minLength", 1}};
  if (!parameter.values.empty()) out = Json{{"type", "string"}, {"enum", parameter.values}};
  return out;
}

Json list_of(Json items) { return Json{{"type", "array"}, {"items", std::move(items)}}; }

Json any_of(std::vector<Json> kinds) { return Json{{"anyOf", std::move(kinds)}}; }

Json model_entry() {
  const Json text{{"type", "string"}, {"minLength", 1}};
  return any_of(
      {text, Json{{"type", "object"},
                  {"additionalProperties", false},
                  {"properties",
                   {{"model", text}, {"revision", text}, {"config", {{"type", "object"}}}}}}});
}

Json device_entry() {
  return Json{{"type", "object"},
              {"additionalProperties", false},
              {"required", {"name"}},
              {"properties",
               {{"name", {{"type", "string"}, {"minLength", 1}}},
                {"count", {{"type", "integer"}, {"minimum", 1}, {"maximum", 100'000}}}}}};
}

// As it is written in a path or query, or in a body.
Json schema_of(const Parameter& parameter) {
  const bool is_in_body = parameter.place == ParameterPlace::kBody;
  Json text = text_schema(parameter);
  switch (parameter.type) {
    case ParameterType::kText: return text;
    case ParameterType::kInteger: return {{"type", "integer"}};
    case ParameterType::kNumber: return {{"type", "number"}};
    case ParameterType::kBoolean: return {{"type", "boolean"}};
    case ParameterType::kTexts: return list_of(text);
    case ParameterType::kObject: return {{"type", "object"}};
    case ParameterType::kNumberOrText:
      return is_in_body ? any_of({{{"type", "number"}}, text}) : text;
    case ParameterType::kTextsOrObject:
      return is_in_body ? any_of({list_of(text), {{"type", "object"}}}) : list_of(text);
    case ParameterType::kFleet: return is_in_body ? any_of({text, list_of(device_entry())}) : text;
    case ParameterType::kModel: return is_in_body ? any_of({text, {{"type", "object"}}}) : text;
    case ParameterType::kModels: return list_of(is_in_body ? model_entry() : text);
    case ParameterType::kSizes: {
      const Json sizes{{"type", "string"}, {"pattern", kSizesPattern}};
      const Json whole{{"type", "integer"}, {"minimum", 1}};
      return is_in_body ? any_of({whole, list_of(whole), sizes}) : sizes;
    }
  }
  return text;
}

// The example as a value of the parameter's type.
Json example_of(const Parameter& parameter) {
  Json parsed = Json::parse(parameter.example, nullptr, false);
  switch (parameter.type) {
    case ParameterType::kInteger:
    case ParameterType::kNumber:
    case ParameterType::kBoolean:
    case ParameterType::kObject: return parsed;
    case ParameterType::kTexts:
    case ParameterType::kTextsOrObject: return Json::array({parameter.example});
    case ParameterType::kModels: return Json::array({parameter.example, "distilbert-base-uncased"});
    default: return parameter.example;
  }
}

Json parameter_json(const Parameter& parameter) {
  Json out{{"name", parameter.name},
           {"in", parameter.place == ParameterPlace::kPath ? "path" : "query"},
           {"description", parameter.description},
           {"required", parameter.is_required},
           {"schema", schema_of(parameter)}};
  if (!parameter.example.empty()) out["example"] = example_of(parameter);
  return out;
}

// A file: JSON of any kind, or a text.
Json text_content(const Route& route) {
  Json content = Json::object();
  for (const std::string& type : route.text_bodies) {
    content[type] = {{"schema", Json{{"type", "string"}, {"minLength", 1}}}};
  }
  if (content.contains("application/json")) {
    content["application/json"] = {{"schema", {{"type", "object"}}},
                                   {"example", Json::parse(route.body_example, nullptr, false)}};
  }
  return content;
}

Json body_json(const Route& route, ComponentSchemas& schemas) {
  Json content = Json::object();
  if (!route.text_bodies.empty()) {
    content = text_content(route);
  } else if (!route.body.empty()) {
    content["application/json"] = {{"schema", schemas.reference(route.body)}};
  } else {
    Json properties = Json::object(), example = Json::object();
    std::vector<std::string> required;
    for (const Parameter& parameter : route.parameters) {
      if (parameter.place != ParameterPlace::kBody) continue;
      Json schema = schema_of(parameter);
      schema["description"] = parameter.description;
      properties[parameter.name] = std::move(schema);
      if (parameter.is_required) required.push_back(parameter.name);
      const bool is_shown = parameter.is_required || parameter.name == "model" ||
                            parameter.name == "batch" || parameter.name == "seq" ||
                            parameter.name == "models";
      if (is_shown) example[parameter.name] = example_of(parameter);
    }
    Json schema{
        {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = required;
    content["application/json"] = {{"schema", std::move(schema)}, {"example", std::move(example)}};
  }
  return {{"required", true}, {"content", std::move(content)}};
}

Json answer_schema(const Route& route, ComponentSchemas& schemas) {
  if (route.answer.empty()) return Json::object();
  std::vector<Json> kinds;
  for (const std::string& name : split(route.answer, '|')) kinds.push_back(schemas.reference(name));
  return kinds.size() == 1 ? kinds.front() : any_of(std::move(kinds));
}

Json answers_json(const Route& route, ComponentSchemas& schemas) {
  Json answer{{"description", "The answer."}};
  answer["content"][route.answer_type] = {{"schema", answer_schema(route, schemas)}};
  if (route.operation == "export_profile") answer["content"]["text/html"] = Json::object();
  Json out{{"200", std::move(answer)}};
  if (route.is_cacheable) out["304"] = {{"description", "If-None-Match has the answer's tag."}};
  out["4XX"] = {{"$ref", "#/components/responses/error"}};
  out["5XX"] = {{"$ref", "#/components/responses/error"}};
  return out;
}

Json operation_json(const Route& route, ComponentSchemas& schemas) {
  Json out{{"operationId", route.operation}, {"tags", {route.tag}}, {"summary", route.summary}};
  Json parameters = Json::array();
  for (const Parameter& parameter : route.parameters) {
    if (parameter.place != ParameterPlace::kBody) parameters.push_back(parameter_json(parameter));
  }
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (route.takes_body()) out["requestBody"] = body_json(route, schemas);
  out["responses"] = answers_json(route, schemas);
  Json security = Json::array();
  // On the machine itself no token is needed.
  security.push_back(Json::object());
  if (route.anonymous != Anonymous::kAlways) security.push_back({{"token", Json::array()}});
  out["security"] = std::move(security);
  out["x-scope"] = name_of(route.scope);
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::string openapi_json(const Routes& routes, int indent) {
  ComponentSchemas schemas;
  Json paths = Json::object();
  for (const Route& route : routes) {
    paths[route.path][lower(name_of(route.method))] = operation_json(route, schemas);
  }
  const Json error = schemas.reference("error");
  Json out{{"openapi", "3.1.0"},
           {"info",
            {{"title", "Wattree"},
             {"version", kVersion},
             {"summary", "Where the energy of machine-learning models goes."},
             {"license", {{"name", "See LICENSE in the source"}}}}},
           {"servers", Json::array({{{"url", "/"}}})},
           {"paths", std::move(paths)}};
  out["components"]["schemas"] = schemas.take();
  out["components"]["responses"]["error"] = {
      {"description", "What is wrong, in which field, and what to do."},
      {"content", {{"application/json", {{"schema", error}}}}}};
  out["components"]["securitySchemes"]["token"] = {
      {"type", "http"},
      {"scheme", "bearer"},
      {"description", "Made by `wattree token create`. Calls from this machine need none."}};
  return out.dump(indent) + "\n";
}

}  // namespace wattree
