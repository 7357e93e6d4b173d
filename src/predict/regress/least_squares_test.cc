#include "src/predict/regress/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace wattree {
namespace {

using Numbers = std::vector<double>;

LeastSquares fit(const Numbers& rows, std::size_t columns, const Numbers& targets,
                 Intercept intercept = Intercept::kFitted) {
  auto out = fit_least_squares(rows, columns, targets, intercept);
  EXPECT_TRUE(out.ok());
  return out.ok() ? std::move(out).value() : LeastSquares{{Numbers(columns), 0}, 0};
}

TEST(LeastSquares, FitsALine) {
  // Means 1 and 7/3; slope = (-1·-4/3 + 1·5/3) / 2 = 3/2; intercept = 7/3 - 3/2.
  const LeastSquares line = fit({0, 1, 2}, 1, {1, 2, 4});
  EXPECT_NEAR(line.model.weights[0], 1.5, 1e-14);
  EXPECT_NEAR(line.model.intercept, 5.0 / 6, 1e-14);
  EXPECT_EQ(line.rank, 1U);
  EXPECT_NEAR(value_at(line.model, Numbers{10}), 15 + 5.0 / 6, 1e-13);
}

TEST(LeastSquares, FitsThroughTheOrigin) {
  // w = (1·1 + 2·3) / (1 + 4).
  const LeastSquares line = fit({1, 2}, 1, {1, 3}, Intercept::kNone);
  EXPECT_NEAR(line.model.weights[0], 1.4, 1e-15);
  EXPECT_EQ(line.model.intercept, 0);
}

TEST(LeastSquares, FindsAPlane) {
  // y = 3 + 2a - b, exactly.
  const LeastSquares plane = fit({0, 0, 1, 0, 0, 1, 2, 3}, 2, {3, 5, 2, 4});
  EXPECT_NEAR(plane.model.weights[0], 2, 1e-14);
  EXPECT_NEAR(plane.model.weights[1], -1, 1e-14);
  EXPECT_NEAR(plane.model.intercept, 3, 1e-14);
  EXPECT_EQ(plane.rank, 2U);
}

TEST(LeastSquares, SharesOutBetweenCollinearColumns) {
  // y = 5a and b = 2a: of all w with w1 + 2 w2 = 5 the shortest is (1, 2).
  const LeastSquares shared = fit({1, 2, 2, 4, 5, 10}, 2, {5, 10, 25});
  EXPECT_NEAR(shared.model.weights[0], 1, 1e-13);
  EXPECT_NEAR(shared.model.weights[1], 2, 1e-13);
  EXPECT_NEAR(shared.model.intercept, 0, 1e-12);
  EXPECT_EQ(shared.rank, 1U);
}

TEST(LeastSquares, GivesAConstantColumnNothing) {
  const LeastSquares line = fit({7, 0, 7, 1, 7, 2}, 2, {1, 2, 4});
  EXPECT_EQ(line.model.weights[0], 0);
  EXPECT_NEAR(line.model.weights[1], 1.5, 1e-14);
}

TEST(LeastSquares, TakesTheMeanOfCopies) {
  const LeastSquares copies = fit({3, 4, 3, 4, 3, 4}, 2, {1, 2, 6});
  EXPECT_EQ(copies.model.weights, (Numbers{0, 0}));
  EXPECT_EQ(copies.model.intercept, 3);
  EXPECT_EQ(copies.rank, 0U);
}

TEST(LeastSquares, FitsFewerRowsThanColumns) {
  // a + b = 2: the shortest solution is (1, 1).
  const LeastSquares one = fit({1, 1}, 2, {2}, Intercept::kNone);
  EXPECT_NEAR(one.model.weights[0], 1, 1e-15);
  EXPECT_NEAR(one.model.weights[1], 1, 1e-15);
  const LeastSquares centred = fit({5, 6}, 2, {2});
  EXPECT_EQ(centred.model.weights, (Numbers{0, 0}));
  EXPECT_EQ(centred.model.intercept, 2);
}

TEST(LeastSquares, CutsOffWhereNumPyDoes) {
  // Singular values 1 and d; two rows and columns: the cut-off is 2 · 2.2e-16 = 4.4e-16.
  const LeastSquares below = fit({1, 0, 0, 4.4e-16}, 2, {1, 1}, Intercept::kNone);
  EXPECT_EQ(below.rank, 1U);
  EXPECT_EQ(below.model.weights[1], 0);
  const LeastSquares above = fit({1, 0, 0, 4.5e-16}, 2, {1, 1}, Intercept::kNone);
  EXPECT_EQ(above.rank, 2U);
  EXPECT_NEAR(above.model.weights[1] * 4.5e-16, 1, 1e-12);
}

TEST(LeastSquares, RefusesWhatItCannotFit) {
  EXPECT_FALSE(fit_least_squares({}, 2, {}).ok());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(fit_least_squares(Numbers{1, nan}, 1, Numbers{1, 2}).ok());
  EXPECT_FALSE(fit_least_squares(Numbers{1, 2}, 1, Numbers{1, HUGE_VAL}).ok());
  EXPECT_FALSE(fit_least_squares(Numbers{1e308, 1.7e308, -1.7e308}, 1, Numbers{1, 2, 3}).ok());
}

}  // namespace
}  // namespace wattree
