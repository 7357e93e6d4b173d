// From measured nodes to a tree of a dataset.
#pragma once

#include <filesystem>

#include "src/measure/campaign/measured_pass.h"
#include "src/measure/dataset/dataset.h"

namespace wattree {

// The tree in the format of docs/datasets.md, one line of it.
DatasetTree to_dataset(const MeasuredPass& pass);

// Adds the tree to a dataset's file, in the place of one of the same pass. The file is there whole
// or as it was.
Status add_to_dataset(const DatasetTree& tree, const std::filesystem::path& path);

}  // namespace wattree
