// A model tree for the terminal.
#pragma once

#include <string>

#include "src/api/tree.h"

namespace wattree {

// One row a node, children indented below it. Siblings that are alike but for their number (the
// layers of a model) share a row, "layer.0…11 ×12", whose figures are the sum, unless `unfolds`.
std::string tree_table(const TreeAnswer& answer, const TreeView& view, bool unfolds);

// "BertModel of bert-base-uncased: fp32, sdpa, one pass of 1 × 128"
std::string tree_headline(const TreeAnswer& answer);

// "pass of 1 × 128", "decode step of 1 × 1 over 64 past tokens"
std::string pass_phrase(const TreeAnswer& answer);

}  // namespace wattree
