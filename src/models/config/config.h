// A model's config.json, and its fields read one by one with the library's defaults.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// The document. It never changes, so that any number of threads may read it.
class Config {
 public:
  // `origin`: the file or name, for messages.
  static Result<Config> parse(std::string_view json, std::string origin);

  const std::string& origin() const;
  // The same but for one field; the value is JSON, or else a string. Dots reach into objects.
  Result<Config> with(std::string_view key, std::string_view value) const;
  // Every field, also of nested objects: "text_config.hidden_size".
  std::set<std::string> fields() const;

 private:
  friend class ConfigReader;
  struct Data;
  explicit Config(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

// Reads fields. The first thing wrong is kept, with file and field, in the status that the reader
// was given, and every later read gives something harmless: a family reads all it needs and asks
// once. Copies, and readers of nested objects, report to the same status. The error's field is
// "config." and the field's own path, as of a request that holds the config.
class ConfigReader {
 public:
  // `failure` and `asked` must outlive the reader and its copies. `asked` is told the name of every
  // field that is looked for, found or not.
  ConfigReader(const Config& config, Status& failure, std::set<std::string>* asked = nullptr);

  const std::string& origin() const { return config_.origin(); }

  // Fields are asked for under all their spellings, newest first. A null counts as absent, except
  // where a function says otherwise.
  using Names = std::initializer_list<std::string_view>;
  bool has(Names names) const;
  // For fields whose default is a value and whose null means "none": absent gives `otherwise`, null
  // gives false.
  bool has(Names names, bool otherwise) const;

  // A size: at least one, at most 2^40.
  std::int64_t size(Names names, std::int64_t otherwise);
  // A size that may be none: absent gives `otherwise`, null gives nothing.
  std::optional<std::int64_t> optional_size(Names names,
                                            std::optional<std::int64_t> otherwise = std::nullopt);
  std::int64_t count(Names names, std::int64_t otherwise);  // May be zero.
  std::int64_t layers(Names names,
                      std::int64_t otherwise);  // A count of layers: bounded, so that a tree is.
  bool flag(Names names, bool otherwise);
  double number(Names names, double otherwise);
  std::string text(Names names, std::string_view otherwise);
  std::optional<std::string> optional_text(Names names);
  std::vector<std::string> text_list(Names names);            // Empty where absent.
  std::vector<std::string> repeated_texts(Names names);       // [[["a", "b"], 2]]: a, b, a, b.
  std::vector<std::int64_t> number_list(Names names);         // Empty where absent.
  std::optional<ConfigReader> object(std::string_view name);  // Of a nested config.
  ConfigReader part(std::string_view name);  // The same, but empty where absent: all defaults.
  bool is_list(std::string_view name) const;
  std::int64_t object_size(
      std::string_view name) const;  // Entries of an object or list; 0 where absent.

  // A part must divide a whole: heads and hidden size, for example.
  std::int64_t divide(std::int64_t whole, std::int64_t part, std::string_view whole_name,
                      std::string_view part_name);
  void reject(std::string_view field, std::string_view why);
  // The same where the config is fine by itself, but cannot do what this field of the request asks.
  void reject_request(std::string_view request_field, std::string_view field, std::string_view why);

  const Status& failure() const { return *failure_; }
  bool ok() const { return failure_->ok(); }

 private:
  const nlohmann::json* find(Names names, std::string_view& found) const;
  ConfigReader below(std::string_view name, const nlohmann::json& object) const;
  void complain(std::string_view field, const std::string& why,
                std::string_view request_field = {});

  Config config_;
  const nlohmann::json* object_;  // In the document, or an empty one.
  std::string path_;              // Of a nested config: "text_config."
  Status* failure_;
  std::set<std::string>* asked_;
};

}  // namespace wattree
