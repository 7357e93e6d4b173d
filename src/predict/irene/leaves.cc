#include "src/predict/irene/leaves.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace wattree {
namespace {

// The leaves of one type.
struct Measurements {
  std::vector<double> rows;
  std::vector<double> energies;
  std::int64_t leaves = 0;  // Usable or not.
  std::int64_t unmeasured = 0;
  std::int64_t not_positive = 0;
  std::int64_t incomplete = 0;
  std::string_view missing;  // A feature that one of the incomplete lacks.
};

using ByType = std::map<std::string, Measurements, std::less<>>;

ByType collect(std::span<const DatasetTree* const> trees, IreneFeatures features) {
  ByType out;
  std::vector<double> row(feature_names(features).size());
  for (const DatasetTree* tree : trees) {
    for (const DatasetNode& node : tree->nodes) {
      if (!node.is_leaf()) continue;
      Measurements& of_type = out[node.instance_type];
      ++of_type.leaves;
      if (!node.energy) {
        ++of_type.unmeasured;
      } else if (!is_usable(node.energy)) {
        ++of_type.not_positive;
      } else if (const auto missing = read_features(*tree, node, features, row)) {
        ++of_type.incomplete;
        of_type.missing = *missing;
      } else {
        of_type.rows.insert(of_type.rows.end(), row.begin(), row.end());
        of_type.energies.push_back(node.energy->value);
      }
    }
  }
  return out;
}

// How many different rows there are, up to `enough`.
std::size_t count_distinct(std::span<const double> rows, std::size_t columns, std::size_t enough) {
  std::set<std::vector<double>> distinct;
  for (std::size_t i = 0; i < rows.size() && distinct.size() < enough; i += columns) {
    distinct.emplace(rows.begin() + static_cast<std::ptrdiff_t>(i),
                     rows.begin() + static_cast<std::ptrdiff_t>(i + columns));
  }
  return distinct.size();
}

void warn(const std::string& type, const Measurements& data, std::size_t columns,
          std::vector<std::string>& warnings) {
  const auto left_out = [&](std::int64_t count, const std::string& why) {
    if (count == 0) return;
    warnings.push_back(type + ": " + std::to_string(count) + " of " + std::to_string(data.leaves) +
                       " leaves left out: " + why);
  };
  left_out(data.unmeasured, "no measured energy");
  left_out(data.not_positive, "measured energy not above zero");
  left_out(data.incomplete, "no value for " + std::string(data.missing));
  if (data.energies.empty()) {
    warnings.push_back(type + ": nothing to learn from, so leaves of this type get no prediction");
    return;
  }
  const std::size_t distinct = count_distinct(data.rows, columns, columns + 2);
  if (distinct == 1) {
    warnings.push_back(type + ": every measurement has the same features, so the prediction is " +
                       "their mean energy whatever the features");
  } else if (distinct <= columns) {
    warnings.push_back(type + ": only " + std::to_string(distinct) +
                       " different measurements for " + std::to_string(columns) +
                       " features, so many fits are equally good; the one with the smallest " +
                       "weights is taken");
  }
}

Result<LeafRegressor> fit_leaf(const std::string& type, Measurements data, std::size_t columns) {
  LeafRegressor out;
  out.rows = static_cast<std::int64_t>(data.energies.size());
  auto scaler = fit_standard_scaler(data.rows, columns);
  if (!scaler.ok()) return Error{scaler.error().code, type + ": " + scaler.error().message, ""};
  out.scaler = std::move(scaler).value();
  for (std::size_t i = 0; i < data.rows.size(); i += columns) {
    const std::span row = std::span(data.rows).subspan(i, columns);
    standardize(out.scaler, row, row);
  }
  auto fit = fit_least_squares(data.rows, columns, data.energies);
  if (!fit.ok()) return Error{fit.error().code, type + ": " + fit.error().message, ""};
  out.linear = std::move(fit).value().model;
  return out;
}

}  // namespace

Result<LeafRegressors> fit_leaves(std::span<const DatasetTree* const> trees, IreneFeatures features,
                                  std::vector<std::string>& warnings) {
  const std::size_t columns = feature_names(features).size();
  LeafRegressors out;
  for (auto& [type, data] : collect(trees, features)) {
    warn(type, data, columns, warnings);
    if (data.energies.empty()) continue;
    auto leaf = fit_leaf(type, std::move(data), columns);
    if (!leaf.ok()) return leaf.error();
    out.emplace(type, std::move(leaf).value());
  }
  if (out.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 "no leaf has a measured energy above zero and every feature of the set '" +
                     std::string(name_of(features)) + "'",
                 "Leaves are the nodes of type ml and ml-np. Measure some, or choose a smaller set "
                 "of features."};
  }
  return out;
}

double predict_leaf(const LeafRegressor& leaf, std::span<const double> row) {
  double sum = leaf.linear.intercept;
  for (std::size_t i = 0; i < row.size(); ++i) {
    sum += leaf.linear.weights[i] * ((row[i] - leaf.scaler.mean[i]) / leaf.scaler.scale[i]);
  }
  return sum;
}

}  // namespace wattree
