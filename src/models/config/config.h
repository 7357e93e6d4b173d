// A model's config.json, read field by field with the library's defaults. The first thing wrong is
// kept, with file and field, and every later read gives something harmless: a family reads all it
// needs and asks once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

class Config {
 public:
  // `origin`: the file or name, for messages.
  static Result<Config> parse(std::string_view json, std::string origin);
  Config(const Config&);
  Config& operator=(const Config&);
  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

  const std::string& origin() const;
  // `--set key=value`; the value is JSON, or else a string. Dots reach into objects.
  Status set(std::string_view key, std::string_view value);

  // Fields are asked for under all their spellings, newest first. A null counts as absent, except
  // where a function says otherwise.
  using Names = std::initializer_list<std::string_view>;
  bool has(Names names) const;
  // For fields whose default is a value and whose null means "none": absent gives `otherwise`, null
  // gives false.
  bool has(Names names, bool otherwise) const;

  // A size: at least one, at most 2^40.
  std::int64_t size(Names names, std::int64_t otherwise) const;
  // A size that may be none: absent gives `otherwise`, null gives nothing.
  std::optional<std::int64_t> optional_size(
      Names names, std::optional<std::int64_t> otherwise = std::nullopt) const;
  std::int64_t count(Names names, std::int64_t otherwise) const;  // May be zero.
  std::int64_t layers(
      Names names, std::int64_t otherwise) const;  // A count of layers: bounded, so that a tree is.
  bool flag(Names names, bool otherwise) const;
  double number(Names names, double otherwise) const;
  std::string text(Names names, std::string_view otherwise) const;
  std::optional<std::string> optional_text(Names names) const;
  std::vector<std::string> text_list(Names names) const;       // Empty where absent.
  std::vector<std::string> repeated_texts(Names names) const;  // [[["a", "b"], 2]]: a, b, a, b.
  std::vector<std::int64_t> number_list(Names names) const;    // Empty where absent.
  std::optional<Config> object(std::string_view name) const;   // A nested config; shares the error.
  Config part(std::string_view name) const;  // The same, but empty where absent: all defaults.
  bool is_list(std::string_view name) const;
  std::int64_t object_size(
      std::string_view name) const;  // Entries of an object or list; 0 where absent.

  // A part must divide a whole: heads and hidden size, for example.
  std::int64_t divide(std::int64_t whole, std::int64_t part, std::string_view whole_name,
                      std::string_view part_name) const;
  void reject(std::string_view field, std::string_view why) const;

  const Status& failure() const;
  bool ok() const { return !!failure().ok(); }

 private:
  struct Data;
  explicit Config(std::shared_ptr<Data> data);
  Config empty_part(std::string_view name) const;
  const void* find(Names names, std::string_view& found) const;
  void complain(std::string_view field, const std::string& why) const;
  std::shared_ptr<Data> data_;
};

}  // namespace wattree
