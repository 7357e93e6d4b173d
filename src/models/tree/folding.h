// Which siblings of a tree stand for each other: the layers of a model do the same work, and people
// want to see one of them and how many there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/models/tree/model_tree.h"

namespace wattree {

// Neighbours that do the same work.
struct Fold {
  std::int32_t first = 0;  // Of the tree's nodes.
  std::int32_t last = 0;
  std::int64_t count = 1;
};

// The children of a node in order, appended to `out`: members of one list, or runs of one module,
// that are of one class and size stand together; each by itself where nothing `folds`.
void folded_children(const ModelTree& tree, std::int32_t index, bool folds, std::vector<Fold>& out);

// "encoder.layer.11" -> {"encoder.layer.", 11}: a member of a list.
std::optional<std::pair<std::string_view, int>> numbered(std::string_view scope);

}  // namespace wattree
