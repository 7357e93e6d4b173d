#include "src/tree/op.h"

#include <array>
#include <utility>

namespace wattree {
namespace {

constexpr std::array<std::pair<Level, std::string_view>, 4> kLevels{{{Level::kModel, "model"},
                                                                     {Level::kModule, "module"},
                                                                     {Level::kMl, "ml"},
                                                                     {Level::kMath, "math"}}};

constexpr OpFacts kFacts[] = {
    {"", "", "", Level::kModule, OpClass::kNone},
#define WATTREE_OP(name, aten, word, type, level, op_class) \
  {aten, word, type, Level::level, OpClass::op_class},
#include "src/tree/op_list.inc"
#undef WATTREE_OP
};

}  // namespace

std::string_view name_of(Level level) { return kLevels[static_cast<std::size_t>(level)].second; }

std::optional<Level> parse_level(std::string_view text) {
  for (const auto& [level, name] : kLevels) {
    if (name == text) return level;
  }
  return std::nullopt;
}

const OpFacts& facts_of(Op op) { return kFacts[static_cast<std::size_t>(op)]; }

}  // namespace wattree
