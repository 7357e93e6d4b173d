#include "src/measure/dataset/tree_parser.h"

#include <algorithm>
#include <array>

#include "src/base/in_quotes.h"

namespace wattree {
namespace {

namespace dom = simdjson::dom;

// The fields of a node: first the features, in their order.
enum Field : std::size_t {
  kId = kFeatureCount,
  kScope,
  kParentName,
  kLevel,
  kInstanceType,
  kType,
  kEnergy,
  kPredicted,
  kPredictedLow,
  kPredictedHigh,
  kPredictedOwn,
  kPredictedTime,
  kOps,
  kChildObjects,
  kChildNames,
  kFieldCount,
};

constexpr std::array<std::string_view, kFieldCount> kFieldNames = [] {
  std::array<std::string_view, kFieldCount> names{};
  std::copy(kFeatureNames.begin(), kFeatureNames.end(), names.begin());
  names[kId] = "id";
  names[kScope] = "scope";
  names[kParentName] = "parent_name";
  names[kLevel] = "level";
  names[kInstanceType] = "instance_type";
  names[kType] = "type";
  names[kEnergy] = "ground_truth_energy";
  names[kPredicted] = "predicted_energy";
  names[kPredictedLow] = "predicted_low_j";
  names[kPredictedHigh] = "predicted_high_j";
  names[kPredictedOwn] = "predicted_own_j";
  names[kPredictedTime] = "predicted_time_s";
  names[kOps] = "ops";
  names[kChildObjects] = "child_nodes_obj";
  names[kChildNames] = "child_nodes";
  return names;
}();

// Where among `names` a name stands; kCount where it does not. Files keep one order, so it is
// usually right behind the last.
template <std::size_t kCount>
std::size_t find_name(const std::array<std::string_view, kCount>& names, std::string_view name,
                      std::size_t guess) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t at = (guess + i) % kCount;
    if (names[at] == name) return at;
  }
  return kCount;
}

}  // namespace

struct TreeParser::Fields {
  std::array<bool, kFieldCount> has{};
  bool knows_type = false;
  Element children;
  Element child_names;
};

std::string TreeParser::path() const {
  if (!is_in_tree_) return "";
  std::string out = "frontend_tree";
  for (const std::size_t index : place_) out += ".child_nodes_obj[" + std::to_string(index) + "]";
  return out;
}

void TreeParser::report(std::string_view field, std::string_view what) {
  if (!problems_->has_room()) return problems_->add("");  // It is only counted.
  std::string place = path();
  if (!place.empty() && !field.empty()) place += ".";
  place += field;
  problems_->add(*where_ + ": " + place + (place.empty() ? "" : ": ") + std::string(what));
}

std::optional<double> TreeParser::number(std::string_view field, const Element& value) {
  double out = 0;
  if (value.get(out) == simdjson::SUCCESS) return out;  // JSON has no other than finite ones.
  report(field, "must be a number");
  return std::nullopt;
}

std::optional<double> TreeParser::amount(std::string_view field, const Element& value) {
  const std::optional<double> out = number(field, value);
  if (!out || *out >= 0) return out;
  report(field, "cannot be negative");
  return std::nullopt;
}

template <class Unit>
void TreeParser::quantity(std::string_view field, const Element& value, std::optional<Unit>& out) {
  if (value.is_null()) return;
  if (const std::optional<double> given = number(field, value)) out = Unit(*given);
}

std::int64_t TreeParser::positive_integer(std::string_view field, const Element& value) {
  constexpr double kLargest = 1e9;
  double out = 0;
  if (value.get(out) == simdjson::SUCCESS && out >= 1 && out <= kLargest &&
      out == std::floor(out)) {
    return static_cast<std::int64_t>(out);
  }
  report(field, "must be a whole number from 1 to 1000000000");
  return 0;
}

void TreeParser::text(std::string_view field, const Element& value, std::string& out,
                      bool may_be_empty) {
  std::string_view content;
  if (value.get(content) != simdjson::SUCCESS) {
    report(field, "must be a string");
  } else if (content.empty() && !may_be_empty) {
    report(field, "must not be empty");
  } else {
    out = content;
  }
}

void TreeParser::read_ops(const Element& value, DatasetNode& node) {
  constexpr std::array<std::string_view, 4> kNames{"op", "calls", "flops", "mem_bytes"};
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return report("ops", "must be an array");
  std::size_t index = 0;
  for (const Element item : list) {
    const std::string prefix = "ops[" + std::to_string(index++) + "]";
    dom::object object;
    if (item.get(object) != simdjson::SUCCESS) {
      report(prefix, "must be an object");
      continue;
    }
    Kernels kernels;
    const std::array<double*, 4> numbers{nullptr, &kernels.calls, &kernels.flops,
                                         &kernels.mem_bytes};
    std::array<bool, kNames.size()> has{};
    for (const auto [key, content] : object) {
      const std::size_t at = find_name(kNames, key, 0);
      if (at == kNames.size()) continue;
      const std::string field = prefix + "." + std::string(key);
      if (has[at]) report(field, "is there twice");
      has[at] = true;
      if (numbers[at] == nullptr) {
        text(field, content, kernels.op, false);
      } else if (const std::optional<double> given = amount(field, content)) {
        *numbers[at] = *given;
      }
    }
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) report(prefix + "." + std::string(kNames[i]), "is missing");
    }
    node.ops.push_back(std::move(kernels));
  }
}

void TreeParser::read_field(std::size_t field, const Element& value, DatasetNode& node,
                            Fields& fields) {
  const std::string_view name = kFieldNames[field];
  const bool is_null = value.is_null();
  if (field < kFeatureCount) {
    if (is_null) return;
    if (const std::optional<double> given = amount(name, value)) {
      node.features.set(static_cast<Feature>(field), *given);
    }
    return;
  }
  switch (static_cast<Field>(field)) {
    case kId: return text(name, value, node.id, false);
    case kScope: return text(name, value, node.scope, place_.empty());
    case kInstanceType: return text(name, value, node.instance_type, false);
    case kType: {
      std::string type;
      text(name, value, type, false);
      const std::size_t at = find_name(kNodeTypeNames, type, 0);
      if (at < kNodeTypeNames.size()) {
        node.type = static_cast<NodeType>(at);
        fields.knows_type = true;
      } else if (!type.empty()) {
        report(name, in_quotes(type) + " is none of model, module, ml, ml-np");
      }
      return;
    }
    case kEnergy:
      if (is_null) return;
      if (const std::optional<double> given = amount(name, value)) node.energy = Joules(*given);
      return;
    case kPredicted: return quantity(name, value, node.predicted);
    case kPredictedLow: return quantity(name, value, node.predicted_low);
    case kPredictedHigh: return quantity(name, value, node.predicted_high);
    case kPredictedOwn: return quantity(name, value, node.predicted_own);
    case kPredictedTime: return quantity(name, value, node.predicted_time);
    case kOps:
      if (!is_null) read_ops(value, node);
      return;
    case kLevel:
      // Where a node stands says how deep it is.
      if (!is_null && !value.is_int64()) report(name, "must be an integer");
      return;
    case kParentName:
      if (!is_null && !value.is_string()) report(name, "must be a string");
      return;
    case kChildObjects: fields.children = value; return;
    case kChildNames: fields.child_names = value; return;
    case kFieldCount: return;
  }
}

void TreeParser::check_type(const DatasetNode& node, bool is_root, bool has_children) {
  const std::string type = in_quotes(name_of(node.type));
  if (is_root != (node.type == NodeType::kModel)) {
    report("type", is_root ? "the root's must be \"model\", not " + type
                           : std::string("only the root's may be \"model\""));
  } else if (has_children == node.is_leaf()) {
    report("type", has_children ? "is " + type + ", but the node has children"
                                : "is " + type +
                                      ", but a node without children must be \"ml\" or "
                                      "\"ml-np\"");
  }
}

void TreeParser::check_child_names(const Fields& fields, const DatasetNode& node) {
  dom::array list;
  if (fields.child_names.get(list) != simdjson::SUCCESS) {
    return report("child_nodes", "must be an array");
  }
  std::vector<std::string_view> said;
  for (const Element item : list) {
    std::string_view name;
    if (item.get(name) != simdjson::SUCCESS) return report("child_nodes", "must hold strings");
    said.push_back(name);
  }
  std::vector<std::string_view> found;
  for (auto child = static_cast<std::int32_t>(tree_.nodes.size()) - 1; child >= node.first;
       child = tree_.nodes[static_cast<std::size_t>(child)].first - 1) {
    found.push_back(tree_.nodes[static_cast<std::size_t>(child)].scope);
  }
  if (std::equal(said.rbegin(), said.rend(), found.begin(), found.end())) return;
  std::sort(said.begin(), said.end());
  std::sort(found.begin(), found.end());
  if (said == found) return;  // Another order is no harm.
  const auto differs = [](const auto& a, const auto& b) {
    std::vector<std::string_view> out;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out;
  };
  const std::vector<std::string_view> extra = differs(said, found);
  if (!extra.empty()) {
    report("child_nodes",
           "names " + in_quotes(extra.front()) + ", which is not in child_nodes_obj");
  } else {
    report("child_nodes",
           "lacks " + in_quotes(differs(found, said).front()) + ", which is in child_nodes_obj");
  }
}

void TreeParser::read_children(const Fields& fields, DatasetNode& node) {
  if (!fields.has[kChildObjects] || fields.children.is_null()) return;
  dom::array list;
  if (fields.children.get(list) != simdjson::SUCCESS) {
    return report("child_nodes_obj", "must be an array");
  }
  std::vector<std::int32_t> children;
  place_.push_back(0);
  for (const Element child : list) {
    read_node(child, false);
    children.push_back(static_cast<std::int32_t>(tree_.nodes.size()) - 1);
    ++place_.back();
  }
  place_.pop_back();
  const auto self = static_cast<std::int32_t>(tree_.nodes.size());
  for (const std::int32_t child : children) {
    tree_.nodes[static_cast<std::size_t>(child)].parent = self;
  }
  if (fields.has[kChildNames] && !fields.child_names.is_null()) check_child_names(fields, node);
}

// Appends the node, its children before it. Goes no deeper than simdjson does: 1024 brackets.
void TreeParser::read_node(const Element& value, bool is_root) {
  DatasetNode node;
  node.first = static_cast<std::int32_t>(tree_.nodes.size());
  Fields fields;
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    report("", "must be an object");
  } else {
    std::size_t guess = 0;
    for (const auto [key, content] : object) {
      const std::size_t field = find_name(kFieldNames, key, guess);
      if (field == kFieldCount) continue;  // Not ours.
      guess = field + 1;
      if (fields.has[field]) report(kFieldNames[field], "is there twice");
      fields.has[field] = true;
      read_field(field, content, node, fields);
    }
    for (const std::size_t field : {kId, kScope, kInstanceType, kType}) {
      if (!fields.has[field]) report(kFieldNames[field], "is missing");
    }
    read_children(fields, node);
    const bool has_children = static_cast<std::size_t>(node.first) < tree_.nodes.size();
    if (fields.knows_type) check_type(node, is_root, has_children);
  }
  tree_.nodes.push_back(std::move(node));
}

std::optional<DatasetTree> TreeParser::parse(std::string_view line, const std::string& where,
                                             Problems& problems) {
  constexpr std::array<std::string_view, 6> kNames{"model_name",    "batch_size", "seq_len",
                                                   "frontend_tree", "dtype",      "protocol"};
  constexpr std::size_t kRequired = 4;
  const std::size_t problems_before = problems.count();
  tree_ = DatasetTree();
  place_.clear();
  is_in_tree_ = false;
  where_ = &where;
  problems_ = &problems;
  Element root;
  if (const auto error = parser_.parse(line.data(), line.size()).get(root)) {
    std::string what = std::string("not valid JSON: ") + simdjson::error_message(error);
    if (line.find("NaN") != std::string_view::npos) what += " (JSON has no NaN: write null)";
    report("", what);
    return std::nullopt;
  }
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    report("", "must be a JSON object");
    return std::nullopt;
  }
  std::array<bool, kNames.size()> has{};
  for (const auto [key, value] : object) {
    const std::size_t at = find_name(kNames, key, 0);
    if (at == kNames.size()) continue;
    if (std::exchange(has[at], true)) {
      report(key, "is there twice");
      continue;
    }
    switch (at) {
      case 0: text(key, value, tree_.model_name, false); break;
      case 1: tree_.batch_size = positive_integer(key, value); break;
      case 2: tree_.seq_len = positive_integer(key, value); break;
      case 4: text(key, value, tree_.dtype, false); break;
      case 5: text(key, value, tree_.protocol, false); break;
      default:
        is_in_tree_ = true;
        read_node(value, true);
        is_in_tree_ = false;
    }
  }
  for (std::size_t i = 0; i < kRequired; ++i) {
    if (!has[i]) report(kNames[i], "is missing");
  }
  if (problems.count() > problems_before) return std::nullopt;
  return std::move(tree_);
}

}  // namespace wattree
