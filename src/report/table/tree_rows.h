// The rows of a model tree in a table: layers that are alike share one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/models/families/build_model.h"
#include "src/models/tree/view.h"

namespace wattree {

struct TreeRow {
  std::size_t node = 0;    // The first that the row stands for,
  std::int64_t times = 1;  // and how many do: its figures are to be multiplied.
  int depth = 0;
  std::string name;
  std::string label() const { return std::string(2 * static_cast<std::size_t>(depth), ' ') + name; }
};

// Children below their parent. Siblings that are alike but for their number (the layers of a model)
// share a row, "layer.0…11 ×12", unless `unfolds`.
std::vector<TreeRow> tree_rows(const ModelTree& tree, const TreeView& view, bool unfolds);

}  // namespace wattree
