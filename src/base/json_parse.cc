#include "src/base/json_parse.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxDepth = 64;

// Builds a document from the parser's events. The library's own way to look at values as they come
// searches all neighbours at the end of each, which takes hours for a million of them.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::string_view array, const TakeElement& take) : array_(array), take_(take) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // Not in texts.
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (open_.size() == 1) is_in_array_ = !array_.empty() && key_ == array_;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    problem_ = error.what();
    // The library's message begins with its own tag; the user needs the rest.
    if (const auto end = problem_.find("] "); end != std::string::npos) problem_.erase(0, end + 2);
    problem_ = "not valid JSON: " + problem_;
    return false;
  }

  Json& document() { return document_; }
  const std::string& problem() const { return problem_; }

 private:
  bool put(Json value) {
    add(std::move(value));
    hand_over();
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= kMaxDepth) {
      problem_ = "nested more than " + std::to_string(kMaxDepth) + " levels deep";
      return false;
    }
    if (open_.size() == 1 && is_in_array_) index_ = 0;
    open_.push_back(add(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    hand_over();
    return true;
  }
  Json* add(Json value) {
    if (open_.empty()) {
      document_ = std::move(value);
      return &document_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  // Where an element of the array has just been finished.
  void hand_over() {
    if (!is_in_array_ || open_.size() != 2 || !open_.back()->is_array()) return;
    take_(open_.back()->back(), index_++);
    open_.back()->clear();
  }

  std::string_view array_;
  const TakeElement& take_;
  Json document_;
  std::vector<Json*> open_;  // From the root to where the parser is.
  std::string key_;
  bool is_in_array_ = false;
  std::size_t index_ = 0;
  std::string problem_;
};

// Stops at the first of some fields.
class FieldFinder final : public nlohmann::json_sax<Json> {
 public:
  explicit FieldFinder(const std::vector<std::string_view>& names) : names_(names) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return ++depth_ > 0; }
  bool start_array(std::size_t /*size*/) override { return ++depth_ > 1; }
  bool end_object() override { return --depth_ > 0; }
  bool end_array() override { return --depth_ > 0; }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return true;
    found_ = *found;
    return false;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

  std::string_view found() const { return found_; }

 private:
  const std::vector<std::string_view>& names_;
  std::size_t depth_ = 0;
  std::string_view found_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& origin, std::string_view array,
                        const TakeElement& take) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{ErrorCode::kInvalidInput, origin + ": it is empty", ""};
  }
  DocumentBuilder builder(array, take);
  if (!Json::sax_parse(text, &builder)) {
    return Error{ErrorCode::kInvalidInput, origin + ": " + builder.problem(), ""};
  }
  return std::move(builder.document());
}

Result<Json> parse_json(std::string_view text, const std::string& origin) {
  return parse_json(text, origin, "", nullptr);
}

std::size_t document_bytes(std::string_view text) {
  // As the library and the allocator have them, with the room that arrays leave when they grow.
  constexpr std::size_t kValue = 32, kKey = 96, kContainer = 64;
  std::size_t out = kValue + text.size();
  bool is_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      is_text = !is_text;
    } else if (is_text) {
      if (c == '\\') ++i;
    } else if (c == ',') {
      out += kValue;
    } else if (c == ':') {
      out += kKey;
    } else if (c == '[' || c == '{') {
      out += kContainer;
    }
  }
  return out;
}

std::string_view first_field(std::string_view text, const std::vector<std::string_view>& names) {
  FieldFinder finder(names);
  (void)Json::sax_parse(text, &finder);
  return finder.found();
}

}  // namespace wattree
