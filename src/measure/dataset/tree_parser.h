// One line of a JSON Lines dataset -> a tree, checked. Includes simdjson: for .cc files only.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/dataset/dataset.h"
#include "src/measure/dataset/problems.h"

namespace wattree {

class TreeParser {
 public:
  // As parse_tree() in json_lines_reader.h. The parser's memory is used again for the next line.
  std::optional<DatasetTree> parse(std::string_view line, const std::string& where,
                                   Problems& problems);

 private:
  using Element = simdjson::dom::element;
  struct Fields;

  void report(std::string_view field, std::string_view what);
  std::string path() const;
  std::optional<double> number(std::string_view field, const Element& value);
  template <class Unit>
  void quantity(std::string_view field, const Element& value, std::optional<Unit>& out);
  std::optional<double> amount(std::string_view field, const Element& value);
  std::int64_t positive_integer(std::string_view field, const Element& value);
  void text(std::string_view field, const Element& value, std::string& out, bool may_be_empty);
  void read_field(std::size_t field, const Element& value, DatasetNode& node, Fields& fields);
  void read_ops(const Element& value, DatasetNode& node);
  void read_node(const Element& value, bool is_root);
  void read_children(const Fields& fields, DatasetNode& node);
  void check_type(const DatasetNode& node, bool is_root, bool has_children);
  void check_child_names(const Fields& fields, const DatasetNode& node);

  simdjson::dom::parser parser_;
  DatasetTree tree_;
  std::vector<std::size_t> place_;  // Which child, at each level above the node being read.
  bool is_in_tree_ = false;
  const std::string* where_ = nullptr;
  Problems* problems_ = nullptr;
};

}  // namespace wattree
