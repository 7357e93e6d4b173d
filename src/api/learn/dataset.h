// The dataset use cases: import what others measured, say what is in a file.
#pragma once

#include <filesystem>
#include <string>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/stats.h"

namespace wattree {

struct StatsRequest {
  std::string dataset;
  bool skip_bad = false;  // Pass over bad lines.
};

struct StatsAnswer {
  std::string dataset;  // As the user named it.
  DatasetStats stats;
  Problems problems;  // Of the lines that were skipped.
  std::size_t skipped_lines = 0;
};

// Tree by tree, so that the file may be larger than memory.
Result<StatsAnswer> dataset_stats(const StatsRequest& request, const Services& services);

// The contract of docs/schemas/dataset-stats.schema.json.
std::string to_json(const StatsAnswer& answer);

struct ImportRequest {
  std::filesystem::path folder;  // With IrEne's four files.
  std::filesystem::path output;  // Empty: nothing is written.
  bool skip_bad = false;         // Leave out trees with bad rows.
};

struct ImportAnswer {
  Dataset dataset;
  std::size_t models = 0;
  std::size_t nodes = 0;
};
Result<ImportAnswer> import_published(const ImportRequest& request, const Services& services);

// The dataset, one line a tree (docs/datasets.md).
std::string to_json_lines(const ImportAnswer& answer);

}  // namespace wattree
