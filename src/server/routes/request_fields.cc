#include "src/server/routes/request_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/base/utf8.h"
#include "src/server/routes/request_body.h"

namespace wattree {
namespace {

using Json = nlohmann::json;
using Outcome = std::variant<Json, FieldsError>;

FieldsError bad(const std::string& name, const std::string& why, std::string hint = {}) {
  const std::string shown = printable(name.substr(0, 60));
  return {400, Error{ErrorCode::kInvalidInput, "parameter " + in_quotes(shown) + " " + why,
                     std::move(hint), shown}};
}

FieldsError refused(int status, std::string message, std::string hint) {
  return {status, Error{ErrorCode::kInvalidInput, std::move(message), std::move(hint)}};
}

template <class Number>
std::optional<Number> whole_text(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Outcome typed(const Parameter& parameter, const std::string& text) {
  if (text.empty()) return bad(parameter.name, "is empty", "leave it out, or give it a value");
  if (!is_utf8(text)) return bad(parameter.name, "is not UTF-8");
  const std::vector<std::string>& values = parameter.values;
  if (!values.empty() && std::find(values.begin(), values.end(), text) == values.end()) {
    return bad(parameter.name, "must be " + join(values, " or ") + ", not " + in_quotes(text));
  }
  switch (parameter.type) {
    case ParameterType::kInteger:
      if (const auto number = whole_text<std::int64_t>(text)) return Json(*number);
      return bad(parameter.name, "must be a whole number, not " + in_quotes(text));
    case ParameterType::kNumber:
      if (const auto number = whole_text<double>(text); number && std::isfinite(*number)) {
        return Json(*number);
      }
      return bad(parameter.name, "must be a number, not " + in_quotes(text));
    case ParameterType::kBoolean:
      if (text == "true" || text == "yes" || text == "1") return Json(true);
      if (text == "false" || text == "no" || text == "0") return Json(false);
      return bad(parameter.name, "must be true or false, not " + in_quotes(text));
    default: return Json(text);
  }
}

bool is_repeatable(const Parameter& parameter) {
  return parameter.type == ParameterType::kTexts || parameter.type == ParameterType::kModels ||
         parameter.type == ParameterType::kTextsOrObject;
}

const Parameter* find(const Route& route, std::string_view name, ParameterPlace place) {
  for (const Parameter& parameter : route.parameters) {
    if (parameter.name == name && parameter.place == place) return &parameter;
  }
  return nullptr;
}

FieldsError unknown(const Route& route, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : route.parameters) {
    if (parameter.place != ParameterPlace::kPath) names.push_back(parameter.name);
    if (parameter.name == name && parameter.place == ParameterPlace::kBody) {
      return bad(name, "belongs into the body");
    }
  }
  const std::vector<std::string> near = nearest(name, names, 1);
  const std::string hint =
      near.empty()
          ? (names.empty()
                 ? "this operation takes none"
                 : "known are " + join(std::vector<std::string>(names.begin(), names.end())))
          : "did you mean " + near.front() + "?";
  return bad(name, "is not known", hint);
}

// Puts it in; an error where it is there already.
std::optional<FieldsError> put(Json& fields, const Parameter& parameter, const std::string& text) {
  Outcome value = typed(parameter, text);
  if (auto* problem = std::get_if<FieldsError>(&value)) return std::move(*problem);
  const bool is_there = fields.contains(parameter.field_name());
  if (is_repeatable(parameter)) {
    Json& list = fields[parameter.field_name()];
    if (!is_there) list = Json::array();
    if (!list.is_array()) return bad(parameter.name, "is given in the body, too");
    list.push_back(std::move(std::get<Json>(value)));
    return std::nullopt;
  }
  if (is_there) return bad(parameter.name, "is given twice");
  fields[parameter.field_name()] = std::move(std::get<Json>(value));
  return std::nullopt;
}

Outcome body_fields(const Route& route, const HttpCall& call, std::size_t most_bytes) {
  most_bytes = std::min(most_bytes, route.body_limit);
  if (call.body.size() > most_bytes) {
    return refused(413, "the body has more than " + std::to_string(most_bytes) + " bytes",
                   most_bytes < route.body_limit ? "with a token, this operation takes more"
                                                 : "this operation takes no more");
  }
  const std::string type(call.header("content-type"));
  const std::string bare(trimmed(std::string_view(type).substr(0, type.find(';'))));
  const std::vector<std::string>& texts = route.text_bodies;
  const bool is_known = texts.empty() ? is_json_type(type)
                                      : std::find(texts.begin(), texts.end(), bare) != texts.end();
  if (!is_known) {
    return refused(415, "the body is " + (type.empty() ? "of no type" : in_quotes(type)),
                   "send it with Content-Type: " +
                       (texts.empty() ? std::string("application/json") : join(texts, " or ")));
  }
  if (!texts.empty()) {
    if (trimmed(call.body).empty()) return refused(400, "the body is empty", "");
    if (!is_utf8(call.body)) return refused(400, "the body is not UTF-8", "");
    return Json::object();
  }
  Result<Json> parsed = parse_body(call.body);
  if (!parsed.ok()) return FieldsError{400, parsed.error()};
  if (!route.body.empty()) return std::move(parsed).value();
  // By the names of the parameters to those of the fields.
  Json out = Json::object();
  for (const auto& [name, value] : parsed.value().items()) {
    const Parameter* parameter = find(route, name, ParameterPlace::kBody);
    if (parameter == nullptr) return unknown(route, name);
    if (value.is_null()) return bad(name, "is null", "leave it out, or give it a value");
    if (parameter->type == ParameterType::kTexts && !value.is_array()) {
      return bad(name, "must be a list of texts");
    }
    out[parameter->field_name()] = value;
  }
  return out;
}

}  // namespace

Outcome request_fields(const Route& route, const PathValues& path, const HttpCall& call,
                       std::size_t most_bytes) {
  Json fields = Json::object();
  if (route.takes_body()) {
    Outcome body = body_fields(route, call, most_bytes);
    if (std::holds_alternative<FieldsError>(body)) return body;
    fields = std::move(std::get<Json>(body));
  } else if (!call.body.empty()) {
    return refused(400, "this operation takes no body", "leave it out");
  }
  for (const auto& [name, text] : path) {
    const Parameter* parameter = find(route, name, ParameterPlace::kPath);
    if (parameter == nullptr) continue;
    if (auto problem = put(fields, *parameter, text)) return *std::move(problem);
  }
  for (const auto& [name, text] : call.query) {
    const Parameter* parameter = find(route, name, ParameterPlace::kQuery);
    if (parameter == nullptr) return unknown(route, name);
    if (auto problem = put(fields, *parameter, text)) return *std::move(problem);
  }
  for (const Parameter& parameter : route.parameters) {
    if (parameter.is_required && !fields.contains(parameter.field_name())) {
      return bad(parameter.name, "is missing",
                 parameter.example.empty() ? "" : "for example " + parameter.example);
    }
  }
  return fields;
}

}  // namespace wattree
