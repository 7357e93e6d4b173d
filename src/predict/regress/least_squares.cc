#include "src/predict/regress/least_squares.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace wattree {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

double value_at(const LinearModel& model, std::span<const double> row) {
  assert(row.size() == model.weights.size());
  double sum = model.intercept;
  for (std::size_t i = 0; i < row.size(); ++i) sum += model.weights[i] * row[i];
  return sum;
}

Result<LeastSquares> fit_least_squares(std::span<const double> rows, std::size_t columns,
                                       std::span<const double> targets, Intercept intercept) {
  assert(columns > 0 && rows.size() == targets.size() * columns && "a row for every target");
  if (targets.empty()) return Error{ErrorCode::kInvalidInput, "there is no row to fit", ""};

  Eigen::MatrixXd x = Eigen::Map<const Rows>(rows.data(), index(targets.size()), index(columns));
  Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(targets.data(), index(targets.size()));
  Eigen::RowVectorXd x_mean = Eigen::RowVectorXd::Zero(x.cols());
  double y_mean = 0;
  if (intercept == Intercept::kFitted) {
    x_mean = x.colwise().mean();
    y_mean = y.mean();
    x.rowwise() -= x_mean;
    y.array() -= y_mean;
  }
  const Error not_finite{ErrorCode::kInvalidInput,
                         "a row or a target is not finite, or too large to compute with", ""};
  if (!x.allFinite() || !y.allFinite()) return not_finite;

  // x = Q R, so R has x's singular values, and is small.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(x);
  const Eigen::Index kept = std::min(x.rows(), x.cols());
  const Eigen::MatrixXd r =
      qr.matrixR().topRows(kept).triangularView<Eigen::Upper>().toDenseMatrix() *
      qr.colsPermutation().transpose();
  y.applyOnTheLeft(qr.householderQ().adjoint());
  if (!r.allFinite() || !y.allFinite()) return not_finite;  // Before an iteration that needs it.
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(r, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(std::numeric_limits<double>::epsilon() *
                   static_cast<double>(std::max(x.rows(), x.cols())));
  const Eigen::VectorXd w = svd.solve(y.head(kept));

  LeastSquares out;
  out.rank = static_cast<std::size_t>(svd.rank());
  out.model.weights.assign(w.data(), w.data() + w.size());
  out.model.intercept = y_mean - x_mean.dot(w);
  if (!w.allFinite() || !std::isfinite(out.model.intercept)) return not_finite;
  return out;
}

}  // namespace wattree
