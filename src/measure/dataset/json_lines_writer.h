// Writes datasets as JSON Lines (docs/datasets.md). Needs no more than the standard library.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "src/base/result.h"
#include "src/measure/dataset/dataset.h"

namespace wattree {

// One line, with its line end. An absent feature is written as null, because IrEne's scripts look
// every one of them up.
std::string to_json_line(const DatasetTree& tree);

// The file as a whole or not at all. For more trees than fit in memory: OutputFile and
// to_json_line.
Status write_dataset(const std::filesystem::path& path, std::span<const DatasetTree> trees);

}  // namespace wattree
