// The rows of IrEne's published feature files, checked one by one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/csv.h"
#include "src/measure/dataset/dataset.h"
#include "src/measure/dataset/problems.h"

namespace wattree {

// The four files, in the order in which they are read.
enum class IreneFile : std::uint8_t { kModel, kModule, kMl1, kMl2 };
inline constexpr std::size_t kIreneFileCount = 4;

struct IreneText {
  std::string origin;  // Names the text in errors.
  std::string text;
};
using IreneTexts = std::array<IreneText, kIreneFileCount>;  // By IreneFile.

struct IreneRow {
  std::string_view model;  // Views live as long as the IreneRows.
  std::int64_t batch_size = 0;
  std::int64_t seq_len = 0;
  std::string_view path;        // As the framework names it: encoder.layer.0; empty for a model.
  std::string_view class_name;  // Empty for a model.
  IreneFile file = IreneFile::kModel;
  std::size_t line = 0;
  bool is_good = true;
  Features features;
  std::optional<Joules> energy;
};

struct IreneRows {
  std::vector<IreneRow> rows;  // File by file.
  std::size_t unplaced = 0;    // Bad ones that do not even say which tree is theirs.
  std::array<std::string, kIreneFileCount> origins;
  std::array<std::unique_ptr<CsvReader>, kIreneFileCount> texts;
  // "file:line" of a row.
  std::string where(const IreneRow& row) const;
};

// What is wrong with single rows goes to `problems`, and their `is_good` is false. A file that is
// no such table is an error.
Result<IreneRows> read_irene_rows(IreneTexts texts, Problems& problems);

}  // namespace wattree
