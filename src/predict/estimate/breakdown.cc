#include "src/predict/estimate/breakdown.h"

#include <algorithm>
#include <map>

namespace wattree {
namespace {

constexpr std::string_view kNames[] = {"type", "module", "op"};

// Energy and time of a node less its children's.
struct Own {
  std::vector<Seconds> time;
  Own(const ModelTree& tree, const std::vector<NodeEstimate>& nodes) : time(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) time[i] = nodes[i].time;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::int32_t parent = tree.nodes()[i].parent;
      if (parent < 0) continue;
      Seconds& left = time[static_cast<std::size_t>(parent)];
      left = left - nodes[i].time;
    }
  }
};

double share_of(Joules part, Joules whole) {
  return whole > Joules() ? part.value / whole.value : 0;
}

// Adds nodes up under names, in the order of their first meeting.
class Groups {
 public:
  void add(std::string name, std::string_view type, Joules energy, Seconds time) {
    const auto [it, is_new] = index_.try_emplace(std::move(name), groups_.size());
    if (is_new) groups_.push_back({it->first, std::string(type)});
    NodeGroup& group = groups_[it->second];
    ++group.count;
    group.energy = group.energy + energy;
    group.time = group.time + std::max(Seconds(), time);
  }
  // Largest first, with shares of `whole`.
  std::vector<NodeGroup> take(Joules whole) {
    for (NodeGroup& group : groups_) group.share = share_of(group.energy, whole);
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const NodeGroup& a, const NodeGroup& b) { return a.energy > b.energy; });
    return std::move(groups_);
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<NodeGroup> groups_;
};

// Modules that hold building blocks, and no module that does.
std::vector<bool> innermost_modules(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<bool> holds(nodes.size(), false);     // An ml node is a child.
  std::vector<bool> is_outer(nodes.size(), false);  // A module below it holds one.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(nodes[i].parent);
    if (nodes[i].level == Level::kMl) holds[parent] = true;
    if (nodes[i].level < Level::kMl && (holds[i] || is_outer[i])) is_outer[parent] = true;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    holds[i] = holds[i] && !is_outer[i] && nodes[i].level < Level::kMl;
  }
  return holds;
}

}  // namespace

std::string_view name_of(BreakdownBy by) { return kNames[static_cast<std::size_t>(by)]; }

std::optional<BreakdownBy> parse_breakdown(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == text) return static_cast<BreakdownBy>(i);
  }
  return std::nullopt;
}

std::string without_numbers(std::string_view scope) {
  std::string out;
  for (std::size_t i = 0; i < scope.size();) {
    const std::size_t end = std::min(scope.find_first_of(".:", i), scope.size());
    const std::string_view part = scope.substr(i, end - i);
    // What follows a colon is an op, whose number tells it from others of the same module.
    const bool is_index = part.find_first_not_of("0123456789") == std::string_view::npos &&
                          out.find(':') == std::string::npos && !part.empty();
    if (is_index) {
      out += '*';
    } else {
      out += part;
    }
    if (end < scope.size()) out += scope[end];
    i = end + 1;
  }
  return out;
}

Breakdown break_down(const ModelTree& tree, const std::vector<NodeEstimate>& estimates,
                     BreakdownBy by) {
  const auto nodes = tree.nodes();
  const Own own(tree, estimates);
  const std::vector<bool> is_module =
      by == BreakdownBy::kModule ? innermost_modules(tree) : std::vector<bool>(nodes.size(), false);
  Groups groups;
  NodeGroup rest;
  rest.is_rest = true;
  rest.name = by == BreakdownBy::kModule ? "(kernels between modules, and calls of outer modules)"
                                         : "(calls of modules)";
  // Parents come after their children, so that the walk goes backwards: a node whose parent is
  // counted is in its parent's figure.
  std::vector<bool> is_counted(nodes.size(), false);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    if (node.parent >= 0 && is_counted[static_cast<std::size_t>(node.parent)]) {
      is_counted[i] = true;
      continue;
    }
    const bool is_kernel = node.op != Op::kNone;
    bool is_group = false;
    switch (by) {
      case BreakdownBy::kOp: is_group = is_kernel; break;
      case BreakdownBy::kType: is_group = is_kernel || node.level == Level::kMl; break;
      case BreakdownBy::kModule: is_group = is_module[i] || node.level == Level::kMl; break;
    }
    if (is_group) {
      is_counted[i] = true;
      const std::string_view name = by == BreakdownBy::kOp ? facts_of(node.op).aten : node.type;
      groups.add(std::string(name), "", estimates[i].energy, estimates[i].time);
    } else {
      if (estimates[i].own > Joules()) ++rest.count;
      rest.energy = rest.energy + estimates[i].own;
      rest.time = rest.time + std::max(Seconds(), own.time[i]);
    }
  }
  const Joules whole = estimates.back().energy;
  Breakdown out{by, groups.take(whole)};
  std::erase_if(out.groups, [](const NodeGroup& group) { return !(group.energy > Joules()); });
  rest.share = share_of(rest.energy, whole);
  if (rest.energy > Joules()) out.groups.push_back(std::move(rest));
  return out;
}

std::vector<NodeGroup> top_nodes(const ModelTree& tree, const std::vector<NodeEstimate>& estimates,
                                 std::size_t count, bool unfolds) {
  const auto nodes = tree.nodes();
  const Own own(tree, estimates);
  Groups groups;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    std::string name = unfolds ? std::string(node.scope) : without_numbers(node.scope);
    if (unfolds && node.run >= 0) name += " #" + std::to_string(node.run);
    groups.add(std::move(name), node.type, estimates[i].own, own.time[i]);
  }
  std::vector<NodeGroup> out = groups.take(estimates.back().energy);
  if (out.size() > count) out.resize(count);
  return out;
}

}  // namespace wattree
