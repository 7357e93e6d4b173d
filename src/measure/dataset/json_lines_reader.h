// Reads datasets from JSON Lines (docs/datasets.md), one tree at a time in bounded memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/measure/dataset/dataset.h"
#include "src/measure/dataset/problems.h"

namespace wattree {

struct ReadOptions {
  // Pass over bad lines. Otherwise one bad line makes the whole file an error.
  bool skips_bad = false;
  std::size_t max_line_bytes = std::size_t{32} << 20;
};

// Plain or gzip, whatever the file is called.
//
//   Result<DatasetReader> reader = DatasetReader::open(path);
//   if (!reader.ok()) return reader.error();
//   DatasetReader trees = std::move(reader).value();
//   while (std::optional<DatasetTree> tree = trees.next()) use(*tree);
//   if (trees.failure()) return *trees.failure();
//
// The failure is known only at the end, so whoever writes while reading must be able to take it
// back (OutputFile does).
class DatasetReader {
 public:
  static Result<DatasetReader> open(const std::filesystem::path& path, ReadOptions options = {});
  DatasetReader(DatasetReader&&) noexcept;
  DatasetReader& operator=(DatasetReader&&) noexcept;
  ~DatasetReader();

  // The next good tree; nothing at the end. After the first bad line, unless those are skipped,
  // there are no more trees, but the rest of the file is still looked through for problems.
  std::optional<DatasetTree> next();
  const Status& failure() const;
  const Problems& problems() const;   // Also where they were skipped.
  std::size_t skipped_lines() const;  // Bad ones.

 private:
  struct State;
  explicit DatasetReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct Dataset {
  std::vector<DatasetTree> trees;
  Problems problems;        // Of what was skipped.
  std::size_t skipped = 0;  // Trees, or lines.
};

// The whole file.
Result<Dataset> read_dataset(const std::filesystem::path& path, ReadOptions options = {});

// One line. What is wrong is added to `problems`, each as "<where>: <field>: <what>".
std::optional<DatasetTree> parse_tree(std::string_view line, const std::string& where,
                                      Problems& problems);

}  // namespace wattree
