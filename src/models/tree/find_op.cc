#include "src/models/tree/find_op.h"

#include <unordered_map>

namespace wattree {

std::optional<Op> find_op(std::string_view aten) {
  static const std::unordered_map<std::string_view, Op> ops = [] {
    std::unordered_map<std::string_view, Op> found;
    for (std::size_t i = 1; i < kOpCount; ++i) found.emplace(kOpFacts[i].aten, static_cast<Op>(i));
    return found;
  }();
  if (aten.starts_with("_scaled_dot_product_")) return Op::kSdpa;
  auto found = ops.find(aten);
  if (found == ops.end() && aten.ends_with('_')) found = ops.find(aten.substr(0, aten.size() - 1));
  if (found == ops.end()) return std::nullopt;
  return found->second;
}

}  // namespace wattree
