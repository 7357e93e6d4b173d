// Which op of a tree a framework's operator is.
#pragma once

#include <optional>
#include <string_view>

#include "src/models/tree/op.h"

namespace wattree {

// By PyTorch's name without overload. In-place operators do what the others do, and some are not
// listed by themselves; fused attention has a name for every kernel that can be chosen. Nothing:
// trees know no such operator.
std::optional<Op> find_op(std::string_view aten);

}  // namespace wattree
