#include "src/base/json_fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/json_writer.h"
#include "src/base/text.h"

namespace wattree {

using Json = nlohmann::json;

namespace {

// A bound as a message can show it: "0", "1e+18".
std::string shown(double number) {
  JsonWriter out;
  out.value(number);
  return out.take();
}

}  // namespace

JsonFields::JsonFields(const Json& object, std::string path, std::string origin, Status& failure)
    : object_(object), path_(std::move(path)), origin_(std::move(origin)), failure_(failure) {
  if (!object_.is_object() && failure_.ok()) {
    const std::string what = path_.empty() ? "" : "\"" + path_.substr(0, path_.size() - 1) + "\" ";
    failure_ = Error{ErrorCode::kInvalidInput,
                     origin_ + ": " + what + "must be an object, not " + object_.type_name(), ""};
  }
}

void JsonFields::fail(Error error) {
  if (failure_.ok()) failure_ = std::move(error);
}

void JsonFields::complain(std::string_view name, const std::string& why, std::string hint) {
  if (!failure_.ok()) return;
  std::string field = path_ + std::string(name);
  std::string message = origin_ + ": field \"" + field + "\" " + why;
  failure_ = Error{ErrorCode::kInvalidInput, std::move(message), std::move(hint), std::move(field)};
}

const Json* JsonFields::find(std::string_view name, bool is_required) {
  known_.emplace_back(name);
  if (object_.is_object()) {
    const auto found = object_.find(std::string(name));
    if (found != object_.end() && !found->is_null()) return &*found;
  }
  if (is_required) complain(name, "is missing");
  return nullptr;
}

bool JsonFields::has(std::string_view name) const {
  if (!object_.is_object()) return false;
  const auto found = object_.find(std::string(name));
  return found != object_.end() && !found->is_null();
}

const Json* JsonFields::any(std::string_view name) { return find(name, false); }

std::string JsonFields::text(std::string_view name, bool is_required) {
  const Json* value = find(name, is_required);
  if (value == nullptr) return "";
  if (!value->is_string()) {
    complain(name, std::string("must be a text, not ") + value->type_name());
    return "";
  }
  std::string text = value->get<std::string>();
  if (is_required && text.empty()) complain(name, "is empty");
  return text;
}

std::optional<double> JsonFields::number(std::string_view name, double low, double high,
                                         bool is_required) {
  const Json* value = find(name, is_required);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (number >= low && number <= high) return number;
  complain(name, "must be a number from " + shown(low) + " to " + shown(high));
  return std::nullopt;
}

std::optional<std::int64_t> JsonFields::whole(std::string_view name, std::int64_t low,
                                              std::int64_t high, bool is_required) {
  const std::optional<double> number =
      this->number(name, static_cast<double>(low), static_cast<double>(high), is_required);
  if (!number) return std::nullopt;
  if (*number != std::floor(*number)) {
    complain(name, "must be a whole number");
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

bool JsonFields::flag(std::string_view name) {
  const Json* value = find(name, false);
  if (value == nullptr || value->is_boolean()) return value != nullptr && value->get<bool>();
  complain(name, std::string("must be true or false, not ") + value->type_name());
  return false;
}

const Json* JsonFields::array(std::string_view name, bool is_required) {
  const Json* value = find(name, is_required);
  if (value == nullptr || value->is_array()) return value;
  complain(name, std::string("must be an array, not ") + value->type_name());
  return nullptr;
}

const Json* JsonFields::object(std::string_view name, bool is_required) {
  const Json* value = find(name, is_required);
  if (value == nullptr || value->is_object()) return value;
  complain(name, std::string("must be an object, not ") + value->type_name());
  return nullptr;
}

std::vector<double> JsonFields::numbers(std::string_view name, double low, double high) {
  std::vector<double> out;
  const Json* values = array(name);
  if (values == nullptr) return out;
  for (const Json& value : *values) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= low && number <= high)) {
      complain(std::string(name) + "[" + std::to_string(out.size()) + "]",
               "must be a number from " + shown(low) + " to " + shown(high));
      return {};
    }
    out.push_back(number);
  }
  return out;
}

std::vector<std::string> JsonFields::texts(std::string_view name, bool is_required) {
  std::vector<std::string> out;
  const Json* values = array(name, is_required);
  if (values == nullptr) return out;
  for (const Json& value : *values) {
    if (!value.is_string()) {
      complain(std::string(name) + "[" + std::to_string(out.size()) + "]",
               std::string("must be a text, not ") + value.type_name());
      return {};
    }
    out.push_back(value.get<std::string>());
  }
  return out;
}

JsonFields JsonFields::inside(std::string_view name) {
  static const Json kNone;
  const Json* value = object(name, true);
  return below(value != nullptr ? *value : kNone, name);
}

JsonFields JsonFields::below(const Json& value, std::string_view name) const {
  return {value, path_ + std::string(name) + ".", origin_, failure_};
}

JsonFields JsonFields::below(const Json& value, std::string_view name, std::size_t index) const {
  return below(value, std::string(name) + "[" + std::to_string(index) + "]");
}

void JsonFields::finish() {
  if (!failure_.ok() || !object_.is_object()) return;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    const std::vector<std::string> close = nearest(key, names, 1);
    complain(key.substr(0, 60), "is not known",
             close.empty() ? "a newer wattree may have written it"
                           : "did you mean \"" + close.front() + "\"?");
    return;
  }
}

}  // namespace wattree
