#include "src/models/config/config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/base/checked.h"
#include "src/base/error_field.h"
#include "src/base/json_parse.h"

namespace wattree {

using Json = nlohmann::json;

namespace {
constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;
constexpr std::int64_t kMaxLayers = 20'000;
constexpr int kMaxDepth = 64;  // Of a key such as "a.b.c".

// "an array", "a string", "null"
std::string kind_of(const Json& value) {
  if (value.is_null()) return "null";
  return std::string(value.is_array() ? "an " : "a ") + value.type_name();
}
}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an empty Json allocates nothing.
struct Config::Data {
  Json json;
  std::string origin;
};

Result<Config> Config::parse(std::string_view text, std::string origin) {
  constexpr char kHint[] = "a config.json from the Hugging Face Hub is expected";
  Result<Json> parsed = parse_json(text, origin);
  if (!parsed.ok()) {
    Error error = parsed.error();
    error.hint = kHint;
    error.field = "config";
    return error;
  }
  auto data = std::make_shared<Data>();
  data->json = std::move(parsed).value();
  if (!data->json.is_object()) {
    return Error{ErrorCode::kInvalidInput,
                 origin + ": a JSON object is expected, not " + kind_of(data->json), kHint,
                 "config"};
  }
  data->origin = std::move(origin);
  return Config(std::move(data));
}

const std::string& Config::origin() const { return data_->origin; }

Result<Config> Config::with(std::string_view key, std::string_view value) const {
  if (key.empty()) return Error{ErrorCode::kInvalidInput, "<set> needs key=value", "", "set"};
  const std::string name = "<set> " + std::string(key);
  if (std::count(key.begin(), key.end(), '.') > kMaxDepth) {
    return Error{ErrorCode::kInvalidInput, name + ": nested too deep", "", "set"};
  }
  Result<Json> parsed = parse_json(value, name);
  // What is no JSON is a string; what is JSON and refused is nested too deep.
  if (!parsed.ok() && Json::accept(value)) return of_field("set", parsed.error());
  auto data = std::make_shared<Data>(*data_);
  Json* at = &data->json;
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    Json& next = (*at)[std::string(key.substr(0, dot))];
    if (!next.is_object()) next = Json::object();
    at = &next;
    key.remove_prefix(dot + 1);
  }
  (*at)[std::string(key)] = parsed.ok() ? std::move(parsed).value() : Json(std::string(value));
  return Config(std::move(data));
}

namespace {
void add_fields(const Json& object, const std::string& path, std::set<std::string>& out) {
  for (const auto& [key, value] : object.items()) {
    out.insert(path + key);
    if (value.is_object()) add_fields(value, path + key + ".", out);
  }
}
}  // namespace

std::set<std::string> Config::fields() const {
  std::set<std::string> out;
  add_fields(data_->json, "", out);
  return out;
}

ConfigReader::ConfigReader(const Config& config, Status& failure, std::set<std::string>* asked)
    : config_(config), object_(&config.data_->json), failure_(&failure), asked_(asked) {}

void ConfigReader::complain(std::string_view field, const std::string& why,
                            std::string_view request_field) {
  if (!failure_->ok()) return;
  const std::string path = path_ + std::string(field);
  *failure_ = Error{ErrorCode::kInvalidInput, origin() + ": field \"" + path + "\" " + why, "",
                    request_field.empty() ? "config." + path : std::string(request_field)};
}

void ConfigReader::reject(std::string_view field, std::string_view why) {
  complain(field, std::string(why));
}

void ConfigReader::reject_request(std::string_view request_field, std::string_view field,
                                  std::string_view why) {
  complain(field, std::string(why), request_field);
}

const Json* ConfigReader::find(Names names, std::string_view& found) const {
  if (asked_ != nullptr) {
    for (std::string_view name : names) asked_->insert(path_ + std::string(name));
  }
  for (std::string_view name : names) {
    const auto at = object_->find(std::string(name));
    if (at != object_->end() && !at->is_null()) {
      found = name;
      return &*at;
    }
  }
  return nullptr;
}

bool ConfigReader::has(Names names) const {
  std::string_view name;
  return find(names, name) != nullptr;
}

bool ConfigReader::has(Names names, bool otherwise) const {
  if (has(names)) return true;
  for (std::string_view name : names) {
    if (object_->contains(std::string(name))) return false;  // It is null.
  }
  return otherwise;
}

namespace {
// A whole number, also where it is written as 12.0; anything else is nothing.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto n = value.get<std::uint64_t>();
    return n > static_cast<std::uint64_t>(kSaturated) ? kSaturated : static_cast<std::int64_t>(n);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const double d = value.get<double>();
    if (d >= -9e15 && d <= 9e15 && d == static_cast<double>(static_cast<std::int64_t>(d))) {
      return static_cast<std::int64_t>(d);
    }
    if (d > 9e15) return kSaturated;
  }
  return std::nullopt;
}

// A value as a message can show it.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}
}  // namespace

std::optional<std::int64_t> ConfigReader::optional_size(Names names,
                                                        std::optional<std::int64_t> otherwise) {
  std::string_view name;
  const Json* value = find(names, name);
  if (value == nullptr) return has(names, true) ? otherwise : std::nullopt;
  const auto number = whole(*value);
  if (!number) {
    complain(name, "must be a whole number, not " + shown(*value));
    return 1;
  }
  if (*number < 1 || *number > kMaxSize) {
    complain(name, "is " + std::to_string(*number) + "; it must be between 1 and " +
                       std::to_string(kMaxSize));
    return 1;
  }
  return number;
}

std::int64_t ConfigReader::size(Names names, std::int64_t otherwise) {
  return optional_size(names).value_or(otherwise);
}

std::int64_t ConfigReader::count(Names names, std::int64_t otherwise) {
  std::string_view name;
  const Json* value = find(names, name);
  if (value == nullptr) return otherwise;
  if (whole(*value) == 0) return 0;
  return size(names, otherwise);
}

std::int64_t ConfigReader::layers(Names names, std::int64_t otherwise) {
  const std::int64_t n = count(names, otherwise);
  if (n <= kMaxLayers) return n;
  std::string_view name;
  find(names, name);
  complain(name, "is " + std::to_string(n) + "; at most " + std::to_string(kMaxLayers) +
                     " layers are supported");
  return 1;
}

bool ConfigReader::flag(Names names, bool otherwise) {
  std::string_view name;
  const Json* value = find(names, name);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  complain(name, "must be true or false, not " + shown(*value));
  return otherwise;
}

double ConfigReader::number(Names names, double otherwise) {
  std::string_view name;
  const Json* value = find(names, name);
  if (value == nullptr) return otherwise;
  if (value->is_number()) return value->get<double>();
  complain(name, "must be a number, not " + shown(*value));
  return otherwise;
}

std::optional<std::string> ConfigReader::optional_text(Names names) {
  std::string_view name;
  const Json* value = find(names, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  complain(name, "must be a string, not " + shown(*value));
  return std::nullopt;
}

std::string ConfigReader::text(Names names, std::string_view otherwise) {
  return optional_text(names).value_or(std::string(otherwise));
}

std::vector<std::string> ConfigReader::text_list(Names names) {
  std::string_view name;
  std::vector<std::string> out;
  const Json* value = find(names, name);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    complain(name, "must be a list of strings, not " + shown(*value));
    return out;
  }
  for (const Json& item : *value) {
    if (!item.is_string()) {
      complain(name, "must be a list of strings, not of " + shown(item));
      return out;
    }
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::vector<std::string> ConfigReader::repeated_texts(Names names) {
  std::string_view name;
  std::vector<std::string> out;
  const Json* value = find(names, name);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    complain(name, "must be a list of [strings, times], not " + shown(*value));
    return out;
  }
  for (const Json& entry : *value) {
    const bool is_pair = entry.is_array() && entry.size() == 2 && entry[0].is_array() &&
                         std::all_of(entry[0].begin(), entry[0].end(),
                                     [](const Json& text) { return text.is_string(); });
    const auto times = is_pair ? whole(entry[1]) : std::nullopt;
    if (!times || *times < 0 || *times > kMaxLayers) {
      complain(name, "must be a list of [strings, times], not of " + shown(entry));
      return {};
    }
    for (std::int64_t i = 0; i < *times && !entry[0].empty(); ++i) {
      for (const Json& text : entry[0]) out.push_back(text.get<std::string>());
      if (static_cast<std::int64_t>(out.size()) > kMaxLayers) {
        complain(name, "has more than " + std::to_string(kMaxLayers) + " entries");
        return {};
      }
    }
  }
  return out;
}

std::vector<std::int64_t> ConfigReader::number_list(Names names) {
  std::string_view name;
  std::vector<std::int64_t> out;
  const Json* value = find(names, name);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    complain(name, "must be a list of whole numbers, not " + shown(*value));
    return out;
  }
  for (const Json& item : *value) {
    const auto number = whole(item);
    if (!number) {
      complain(name, "must be a list of whole numbers, not of " + shown(item));
      return out;
    }
    out.push_back(*number);
  }
  return out;
}

std::optional<ConfigReader> ConfigReader::object(std::string_view name) {
  std::string_view found;
  const Json* value = find({name}, found);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) {
    complain(name, "must be an object, not " + shown(*value));
    return std::nullopt;
  }
  return below(name, *value);
}

ConfigReader ConfigReader::part(std::string_view name) {
  static const Json kNone = Json::object();
  return object(name).value_or(below(name, kNone));
}

ConfigReader ConfigReader::below(std::string_view name, const Json& object) const {
  ConfigReader inner = *this;
  inner.object_ = &object;
  inner.path_ = path_ + std::string(name) + ".";
  return inner;
}

bool ConfigReader::is_list(std::string_view name) const {
  std::string_view found;
  const Json* value = find({name}, found);
  return value != nullptr && value->is_array();
}

std::int64_t ConfigReader::object_size(std::string_view name) const {
  std::string_view found;
  const Json* value = find({name}, found);
  return value == nullptr || !value->is_structured() ? 0 : static_cast<std::int64_t>(value->size());
}

std::int64_t ConfigReader::divide(std::int64_t whole, std::int64_t part,
                                  std::string_view whole_name, std::string_view part_name) {
  if (part > 0 && whole % part == 0) return whole / part;
  complain(part_name, "is " + std::to_string(part) + ", which does not divide " +
                          std::string(whole_name) + " (" + std::to_string(whole) + ")");
  return 1;
}

}  // namespace wattree
