// One line of CodeCarbon's emissions.csv, column by column. Which columns there are depends on the
// version that wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/csv.h"
#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

class CodeCarbonRow {
 public:
  explicit CodeCarbonRow(const CsvReader& csv) : csv_(csv) {}

  // Empty where there is no such column, or nothing in it.
  std::string text(std::string_view column) const;
  // Absent likewise. A text that is no number, or one out of range, is the row's failure.
  std::optional<double> number(std::string_view column, double low, double high);
  const std::optional<Error>& failure() const { return failure_; }

 private:
  const CsvReader& csv_;
  std::optional<Error> failure_;
};

// gpu_model and cpu_model. It writes several models of GPUs into one text without anything between
// them ("4 x NVIDIA A401 x NVIDIA A100 80GB PCIe"): gpu_count tells where one ends.
std::vector<HardwareEntry> hardware_of(CodeCarbonRow& row, std::vector<std::string>& notes);

struct CodeCarbonPlace {
  std::string region;    // A code of ours; empty where there is none for it.
  std::string location;  // As the file names it, where the region says less.
  std::string note;      // What could not be placed.
};
CodeCarbonPlace place_of(const CodeCarbonRow& row);

}  // namespace wattree
