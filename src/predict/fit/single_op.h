// A tree of one kernel, from what a window says of it.
#pragma once

#include "src/base/result.h"
#include "src/measure/windows/window.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// Fails for an op that trees do not have, and for shapes that make no sense.
Result<ModelTree> tree_of_op(const MeasuredWindow& window);

}  // namespace wattree
