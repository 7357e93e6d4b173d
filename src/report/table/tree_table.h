// A model tree for the terminal.
#pragma once

#include <string>

#include "src/models/families/build_model.h"
#include "src/models/tree/view.h"

namespace wattree {

// One row a node, children indented below it. Siblings that are alike but for their number (the
// layers of a model) share a row, "layer.0…11 ×12", whose figures are the sum, unless `unfolds`.
std::string tree_table(const BuiltModel& answer, const TreeView& view, bool unfolds);

// "BertModel of bert-base-uncased: fp32, sdpa, one pass of 1 × 128"
std::string tree_headline(const BuiltModel& answer);

// "pass of 1 × 128", "decode step of 1 × 1 over 64 past tokens"
std::string pass_phrase(const BuiltModel& answer);

}  // namespace wattree
