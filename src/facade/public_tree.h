// The engine's model tree as the public headers have it, and the other way round.
#pragma once

#include "include/wattree/tree.h"
#include "src/models/families/build_model.h"

namespace wattree {

PassShape shape_of(const PassOptions& pass);
Tree public_tree(const BuiltModel& built);

}  // namespace wattree
