// The dataset use cases: import what others measured, say what is in a file.
#pragma once

#include <filesystem>
#include <string>

#include "src/base/result.h"
#include "src/measure/dataset/irene_import.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"
#include "src/measure/dataset/stats.h"

namespace wattree {

struct StatsAnswer {
  std::string dataset;  // As the user named it.
  DatasetStats stats;
  Problems problems;  // Of the lines that were skipped.
  std::size_t skipped_lines = 0;
};

// Tree by tree, so that the file may be larger than memory.
Result<StatsAnswer> dataset_stats(const std::filesystem::path& path, ReadOptions options);

// The contract of docs/schemas/dataset-stats.schema.json.
std::string to_json(const StatsAnswer& answer);

}  // namespace wattree
