#include "src/models/tree/op.h"

#include <array>
#include <utility>

namespace wattree {
namespace {

constexpr std::array<std::pair<Level, std::string_view>, 4> kLevels{{{Level::kModel, "model"},
                                                                     {Level::kModule, "module"},
                                                                     {Level::kMl, "ml"},
                                                                     {Level::kMath, "math"}}};

constexpr std::array<OpFacts, kOpCount> listed_facts() {
  std::array<OpFacts, kOpCount> facts{{
      {"", "", "", Level::kModule, OpClass::kNone, Op::kNone},
#define WATTREE_OP(name, aten, word, type, level, op_class, ...) \
  {aten, ":" word, type, Level::level, OpClass::op_class, Op::k##name},
#include "src/models/tree/op_list.inc"
#undef WATTREE_OP
  }};
  for (OpFacts& op : facts) {
    for (const OpFacts& first : facts) {
      if (first.suffix != op.suffix) continue;
      op.counted_as = first.counted_as;
      break;
    }
  }
  return facts;
}

}  // namespace

constexpr std::array<OpFacts, kOpCount> kOpFacts = listed_facts();

std::string_view name_of(Level level) { return kLevels[static_cast<std::size_t>(level)].second; }

std::optional<Level> parse_level(std::string_view text) {
  for (const auto& [level, name] : kLevels) {
    if (name == text) return level;
  }
  return std::nullopt;
}

}  // namespace wattree
