#include "src/measure/dataset/irene_rows.h"

#include <algorithm>
#include <cmath>

#include "src/base/in_quotes.h"

namespace wattree {
namespace {

// Which column holds what: batch, length, model, name, energy, and then the features, of which the
// files have all but the first.
struct Columns {
  std::size_t batch = 0, seq = 0, model = 0, name = 0, energy = 0;
  std::array<std::size_t, kFeatureCount> features{};
};

Result<Columns> find_columns(const CsvReader& csv) {
  const auto keys = csv.columns({"batch_size", "seq_len", "model_name", "level_name", "energy_mean",
                                 "flops", "mem_bytes", "cpu", "mem", "gpu", "gpu_mem", "gpu_clk",
                                 "gpu_mem_clk", "times_mean", "gpu_energy_mean"});
  if (!keys.ok()) return keys.error();
  const std::vector<std::size_t>& at = keys.value();
  Columns out{at[0], at[1], at[2], at[3], at[4], {}};
  for (std::size_t i = 1; i < kFeatureCount; ++i) out.features[i] = at[4 + i];
  return out;
}

// Trees of this depth can still be written and read: simdjson stops at 1024 brackets.
constexpr int kMaxParts = 200;

class RowReader {
 public:
  RowReader(CsvReader& csv, const Columns& columns, Problems& problems)
      : csv_(csv), columns_(columns), problems_(problems) {}

  // The row the reader stands on; nothing where it does not say which tree it belongs to.
  std::optional<IreneRow> read(IreneFile file) {
    IreneRow row;
    row.file = file;
    row.line = csv_.line();
    row.model = field(columns_.model);
    row.batch_size = size(columns_.batch);
    row.seq_len = size(columns_.seq);
    if (row.model.empty()) report(columns_.model, "is empty");
    if (row.batch_size == 0 || row.seq_len == 0 || row.model.empty()) return std::nullopt;
    is_good_ = true;
    if (file != IreneFile::kModel) read_name(row);
    for (std::size_t i = 1; i < kFeatureCount; ++i) {
      if (const auto value = amount(columns_.features[i])) {
        row.features.set(static_cast<Feature>(i), *value);
      }
    }
    if (const auto value = amount(columns_.energy)) row.energy = Joules(*value);
    row.is_good = is_good_;
    return row;
  }

 private:
  std::string_view field(std::size_t column) const { return csv_.row()[column]; }

  void report(std::size_t column, const std::string& what) {
    is_good_ = false;
    problems_.add(csv_.error(std::string(csv_.header()[column]) + " " + what).message);
  }

  // An empty field is an absent value.
  std::optional<double> amount(std::size_t column) {
    const std::string_view text = field(column);
    if (text.empty()) return std::nullopt;
    const std::optional<double> value = parse_number(text);
    if (value && *value >= 0) return value;
    report(column, value ? "cannot be negative" : in_quotes(text) + " is not a number");
    return std::nullopt;
  }

  std::int64_t size(std::size_t column) {
    constexpr double kLargest = 1e9;
    const std::optional<double> value = parse_number(field(column));
    if (value && *value >= 1 && *value <= kLargest && *value == std::floor(*value)) {
      return static_cast<std::int64_t>(*value);
    }
    report(column, in_quotes(field(column)) + " is not a whole number from 1 to 1000000000");
    return 0;
  }

  void read_name(IreneRow& row) {
    const std::string_view name = field(columns_.name);
    const std::size_t colon = name.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == name.size()) {
      return report(columns_.name, in_quotes(name) + " is not of the form path:Class");
    }
    row.path = name.substr(0, colon);
    if (std::count(row.path.begin(), row.path.end(), '.') >= kMaxParts) {
      return report(columns_.name, "has more than " + std::to_string(kMaxParts) + " parts");
    }
    row.class_name = name.substr(colon + 1);
  }

  CsvReader& csv_;
  const Columns& columns_;
  Problems& problems_;
  bool is_good_ = true;
};

}  // namespace

std::string IreneRows::where(const IreneRow& row) const {
  return origins[static_cast<std::size_t>(row.file)] + ":" + std::to_string(row.line);
}

Result<IreneRows> read_irene_rows(IreneTexts texts, Problems& problems) {
  IreneRows out;
  for (std::size_t i = 0; i < kIreneFileCount; ++i) {
    out.origins[i] = texts[i].origin;
    out.texts[i] = std::make_unique<CsvReader>(std::move(texts[i].text), texts[i].origin);
    CsvReader& csv = *out.texts[i];
    const Result<Columns> columns = find_columns(csv);
    if (!columns.ok()) return columns.error();
    RowReader reader(csv, columns.value(), problems);
    while (csv.next()) {
      if (std::optional<IreneRow> row = reader.read(static_cast<IreneFile>(i))) {
        out.rows.push_back(*row);
      } else {
        ++out.unplaced;
      }
    }
    if (!csv.failure().ok()) return csv.failure().error();
  }
  return out;
}

}  // namespace wattree
