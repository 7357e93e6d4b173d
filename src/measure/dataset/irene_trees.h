// The rows of IrEne's files -> trees.
#pragma once

#include <cstddef>
#include <vector>

#include "src/measure/dataset/dataset.h"
#include "src/measure/dataset/irene_rows.h"
#include "src/measure/dataset/problems.h"

namespace wattree {

struct IreneTree {
  DatasetTree tree;
  // By node: it has a row, and no other tree of the model has more leaves there.
  std::vector<bool> is_whole;
};

struct IreneTrees {
  std::vector<IreneTree> trees;
  std::size_t skipped = 0;  // Trees with a bad row.
};

// Trees without a bad row, in the order in which their first rows come. What is wrong with how rows
// fit together is added to `problems`.
IreneTrees build_irene_trees(const IreneRows& rows, Problems& problems);

}  // namespace wattree
