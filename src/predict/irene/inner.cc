#include "src/predict/irene/inner.h"

#include <cmath>
#include <utility>

#include "src/predict/irene/lesson.h"
#include "src/predict/irene/training.h"
#include "src/predict/regress/polynomial.h"

namespace wattree {
namespace {

void warn(const LessonCounts& counts, std::vector<std::string>& warnings) {
  const auto say = [&](std::int64_t count, const std::string& what) {
    if (count > 0) warnings.push_back(std::to_string(count) + what);
  };
  const std::string of_inner = " of " + std::to_string(counts.inner) + " inner nodes ";
  say(counts.unmeasured, of_inner + "have no measured energy to learn from");
  say(counts.not_positive, of_inner + "have a measured energy that is not above zero: left out");
  say(counts.blocked, of_inner + "rest on nodes without a known energy or features: left out");
  say(counts.unweighted, " nodes lack features: their energy enters their parent's unweighted");
}

}  // namespace

std::vector<double> inner_scores(const InnerRegressor& inner, const TreeRows& rows) {
  std::vector<double> out(rows.size());
  std::vector<double> standardized(rows.columns);
  std::vector<double> phi(inner.linear.weights.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    standardize(inner.scaler, rows.row(r), standardized);
    expand_polynomial(standardized, kIreneDegree, phi);
    out[r] = value_at(inner.linear, phi);
  }
  return out;
}

Result<InnerRegressor> fit_inner(std::span<const DatasetTree* const> trees,
                                 const LeafRegressors& leaves, const IreneOptions& options,
                                 std::vector<std::string>& warnings) {
  const std::size_t columns = feature_names(options.features).size();
  std::vector<TreeRows> rows;
  std::vector<double> all;  // A row for each node, so that copies count.
  for (const DatasetTree* tree : trees) {
    rows.push_back(rows_of(*tree, options.features));
    for (const std::int32_t r : rows.back().row_of) {
      if (r == kNoRow) continue;
      const auto row = rows.back().row(as_index(r));
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  auto scaler = fit_standard_scaler(all, columns);
  if (!scaler.ok()) return scaler.error();

  InnerRegressor out;
  out.scaler = std::move(scaler).value();
  LessonCounts counts;
  std::vector<Lesson> lessons;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const std::int64_t before = counts.learnt;
    Lesson lesson = prepare_lesson(*trees[i], std::move(rows[i]), leaves, out.scaler,
                                   options.aggregate, counts);
    if (counts.learnt > before) lessons.push_back(std::move(lesson));
  }
  warn(counts, warnings);
  if (lessons.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 "none of " + std::to_string(counts.inner) +
                     " inner nodes has a measured energy above zero that can be learnt from",
                 "The aggregate 'sum' needs measured leaves only."};
  }
  out.linear = train_weights(lessons, options);
  for (const double w : out.linear.weights) {
    if (!std::isfinite(w)) {
      return Error{ErrorCode::kInvalidInput, "the training left the range of numbers",
                   "Look for a measured energy that is next to zero, and for a learning rate that "
                   "is too large."};
    }
  }
  return out;
}

}  // namespace wattree
