// A model's tree as JSON or CSV.
#pragma once

#include <string>

#include "src/models/families/build_model.h"
#include "src/models/tree/view.h"

namespace wattree {

// The contract of docs/schemas/tree.schema.json.
std::string to_json(const BuiltModel& answer, const TreeView& view, int indent = 2);
// One row a node, in execution order, parents after their children.
std::string to_csv(const BuiltModel& answer, const TreeView& view);

}  // namespace wattree
