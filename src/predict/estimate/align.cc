#include "src/predict/estimate/align.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "src/base/text.h"
#include "src/predict/estimate/breakdown.h"
#include "src/predict/estimate/roles.h"

namespace wattree {
namespace {

constexpr double kHardlyAny = 0.005;  // A ratio that is this near to one is none to speak of.

std::string decimals(double number, int count) {
  std::array<char, 400> buffer{};
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                  std::chars_format::fixed, count)
                        .ptr;
  return {buffer.data(), end};
}
std::string two_decimals(double number) { return decimals(number, 2); }  // "1.31"
std::string one_decimal(double number) { return decimals(number, 1); }

struct Side {
  std::string type;
  EnergyPart part;
};
using Sides = std::map<std::string, Side>;

// The building block that a node is part of, or else the node itself.
std::vector<std::size_t> blocks_of(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<std::size_t> out(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const std::int32_t parent = nodes[i].parent;
    const bool is_inside =
        parent >= 0 && nodes[out[static_cast<std::size_t>(parent)]].level == Level::kMl;
    out[i] = is_inside ? out[static_cast<std::size_t>(parent)] : i;
  }
  return out;
}

Sides parts_of(const Prediction& prediction, AlignBy by) {
  const ModelTree& tree = prediction.built.tree;
  const WorkHashes hashes(tree);
  const std::vector<std::size_t> blocks = blocks_of(tree);
  const std::vector<std::optional<Role>> roles = roles_of(tree);
  Sides out;
  for (std::size_t i = 0; i < prediction.nodes.size(); ++i) {
    if (!(prediction.nodes[i].own > Joules())) continue;
    const Node& block = tree.nodes()[blocks[i]];
    Side& side = by == AlignBy::kScope ? out[without_numbers(block.scope)]
                                       : out[std::string(name_of(roles[i].value_or(Role::kOther)))];
    if (by == AlignBy::kScope) side.type = block.type;
    side.part.add_own(prediction, hashes, i);
  }
  return out;
}

double share_of_difference(Joules part, Joules whole) {
  return whole.value != 0 ? part.value / whole.value : 0;
}

// "the root", "encoder.layer.*.output.dense", "feed-forward layers"
std::string phrase_of(const Alignment& alignment, const AlignedPart& part) {
  if (alignment.by == AlignBy::kRole) {
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      if (name_of(static_cast<Role>(i)) == part.name) {
        return std::string(phrase_of(static_cast<Role>(i)));
      }
    }
  }
  return part.name.empty() ? "calls of the model" : part.name;
}

// "half the energy of ", "12 % less energy than ", "2.28 times the energy of "
std::string amount_of(double ratio) {
  if (ratio >= 1.995) return two_decimals(ratio) + " times the energy of ";
  if (std::abs(ratio - 0.5) < 0.005) return "half the energy of ";
  const double percent = 100 * std::abs(ratio - 1);
  const std::string text =
      percent < 9.95 ? one_decimal(percent) : std::to_string(std::lround(percent));
  return text + " % " + (ratio < 1 ? "less" : "more") + " energy than ";
}

std::string headline_of(const Alignment& alignment, const std::string& first,
                        const std::string& second) {
  const EnergyRatio& ratio = alignment.ratio;
  const std::string per = alignment.per == AlignPer::kItem ? " per item" : "";
  const bool is_same = std::abs(ratio.value - 1) < kHardlyAny;
  const std::string low = two_decimals(ratio.low);
  const std::string high = two_decimals(ratio.high);
  const std::string range = low == high ? "" : " (" + low + " to " + high + " times)";
  std::string out = second + " uses " +
                    (is_same ? "as much energy as " + first : amount_of(ratio.value) + first) +
                    per + range + ".";
  if (is_same || alignment.parts.empty() || alignment.parts.front().share <= 0) return out;
  const AlignedPart& most = alignment.parts.front();
  return out + " The largest part of the difference, " +
         std::to_string(std::lround(100 * most.share)) + " %, is in " + phrase_of(alignment, most) +
         ".";
}

// What tells two passes of one model apart.
std::pair<std::string, std::string> names_of(const Prediction& first, const Prediction& second) {
  const BuiltModel& a = first.built;
  const BuiltModel& b = second.built;
  if (a.model != b.model) return {a.model, b.model};
  const auto with_settings = [](const Prediction& p, const Prediction& other) {
    const Pass& own = p.built.pass;
    const Pass& theirs = other.built.pass;
    std::vector<std::string> differs;
    if (p.built.class_name != other.built.class_name) differs.push_back(p.built.class_name);
    if (own.batch != theirs.batch) differs.push_back("batch " + std::to_string(own.batch));
    if (own.seq != theirs.seq) differs.push_back("length " + std::to_string(own.seq));
    if (own.past != theirs.past) differs.push_back(std::to_string(own.past) + " past tokens");
    if (own.precision != theirs.precision) differs.emplace_back(name_of(own.precision));
    if (own.attention != theirs.attention) {
      differs.push_back(std::string(name_of(own.attention)) + " attention");
    }
    if (p.by.execution != other.by.execution) differs.emplace_back(name_of(p.by.execution));
    if (p.by.predictor->hardware != other.by.predictor->hardware) {
      differs.push_back("on " + p.by.predictor->hardware);
    }
    return differs;
  };
  const std::vector<std::string> of_a = with_settings(first, second);
  const std::vector<std::string> of_b = with_settings(second, first);
  if (of_a.empty()) return {a.model, b.model + " with its config changed"};
  return {a.model + " (" + join(of_a) + ")", b.model + " (" + join(of_b) + ")"};
}

}  // namespace

Result<Alignment> align(const Prediction& first, const Prediction& second) {
  if (!(first.root().energy > Joules())) {
    return Error{ErrorCode::kInvalidInput,
                 first.built.model + " takes no energy: there is nothing to compare with", ""};
  }
  Alignment out;
  out.by = first.built.model_type == second.built.model_type ? AlignBy::kScope : AlignBy::kRole;
  double of_first = 1;
  double of_second = 1;
  if (first.built.pass.batch != second.built.pass.batch) {
    out.per = AlignPer::kItem;
    of_first = 1 / static_cast<double>(first.built.pass.batch);
    of_second = 1 / static_cast<double>(second.built.pass.batch);
  }
  const bool is_shared = share_predictor(first, second);
  const EnergyPart whole_first = whole_of(first) * of_first;
  const EnergyPart whole_second = whole_of(second) * of_second;
  out.first = whole_first.estimate;
  out.second = whole_second.estimate;
  out.ratio = ratio_of(whole_first, whole_second, is_shared);
  const Joules difference = out.second.energy - out.first.energy;

  const Sides left = parts_of(first, out.by);
  const Sides right = parts_of(second, out.by);
  const auto add = [&](const std::string& name, const Side* a, const Side* b) {
    AlignedPart& part = out.parts.emplace_back();
    part.name = name;
    part.type = a != nullptr ? a->type : b->type;
    const EnergyPart of_a = a != nullptr ? a->part * of_first : EnergyPart{};
    const EnergyPart of_b = b != nullptr ? b->part * of_second : EnergyPart{};
    part.first = of_a.estimate;
    part.second = of_b.estimate;
    part.difference = part.second.energy - part.first.energy;
    part.share = share_of_difference(part.difference, difference);
    if (a != nullptr && b != nullptr) part.ratio = ratio_of(of_a, of_b, is_shared);
  };
  for (const auto& [name, side] : left) {
    const auto found = right.find(name);
    add(name, &side, found == right.end() ? nullptr : &found->second);
  }
  for (const auto& [name, side] : right) {
    if (!left.contains(name)) add(name, nullptr, &side);
  }
  std::stable_sort(out.parts.begin(), out.parts.end(),
                   [](const AlignedPart& a, const AlignedPart& b) {
                     return std::abs(a.difference.value) > std::abs(b.difference.value);
                   });
  const auto [name_a, name_b] = names_of(first, second);
  out.headline = headline_of(out, name_a, name_b);
  return out;
}

}  // namespace wattree
