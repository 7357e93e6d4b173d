// Reads the fields of a JSON object, one by one, and keeps the first thing that is wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

class JsonFields {
 public:
  // `path` is the object's place in the document ("epochs[3]."), `failure` where complaints go.
  JsonFields(const nlohmann::json& object, std::string path, std::string origin, Status& failure);

  bool has(std::string_view name) const;  // And is not null.
  // Absent fields are empty, absent or null; a required one that is absent is a complaint.
  std::string text(std::string_view name, bool is_required = false);
  std::optional<double> number(std::string_view name, double low, double high,
                               bool is_required = false);
  std::optional<std::int64_t> whole(std::string_view name, std::int64_t low, std::int64_t high,
                                    bool is_required = false);
  bool flag(std::string_view name);  // Absent is false.
  const nlohmann::json* array(std::string_view name, bool is_required = false);
  const nlohmann::json* object(std::string_view name, bool is_required = false);
  // Every number of an array of numbers; empty where it is absent.
  std::vector<double> numbers(std::string_view name, double low, double high);
  std::vector<std::string> texts(std::string_view name, bool is_required = false);

  const nlohmann::json* any(std::string_view name);  // Whatever it is; absent: nullptr.

  // The reader of an object that must be there.
  JsonFields inside(std::string_view name);
  // The reader of a nested object; `value` may be anything.
  JsonFields below(const nlohmann::json& value, std::string_view name) const;
  JsonFields below(const nlohmann::json& value, std::string_view name, std::size_t index) const;

  // The first thing wrong goes first.
  void fail(Error error);
  void complain(std::string_view name, const std::string& why, std::string hint = {});
  // Complains about fields that nobody asked for: a misspelt one must not go unnoticed.
  void finish();

 private:
  const nlohmann::json* find(std::string_view name, bool is_required);

  const nlohmann::json& object_;
  std::string path_;
  std::string origin_;
  Status& failure_;
  std::vector<std::string> known_;
};

}  // namespace wattree
