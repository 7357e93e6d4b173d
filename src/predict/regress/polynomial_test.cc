#include "src/predict/regress/polynomial.h"

#include <gtest/gtest.h>

#include <vector>

namespace wattree {
namespace {

std::vector<double> expand(const std::vector<double>& row, std::size_t degree) {
  std::vector<double> out(polynomial_size(row.size(), degree));
  expand_polynomial(row, degree, out);
  return out;
}

TEST(Polynomial, CountsMonomials) {
  EXPECT_EQ(polynomial_size(14, 3), 680U);  // 17·16·15 / 6
  EXPECT_EQ(polynomial_size(6, 3), 84U);
  EXPECT_EQ(polynomial_size(10, 3), 286U);
  EXPECT_EQ(polynomial_size(0, 3), 1U);
  EXPECT_EQ(polynomial_size(5, 0), 1U);
}

TEST(Polynomial, OrdersByDegreeThenVariable) {
  // Different products for different monomials: 1 a b aa ab bb aaa aab abb bbb.
  EXPECT_EQ(expand({2, 3}, 3), (std::vector<double>{1, 2, 3, 4, 6, 9, 8, 12, 18, 27}));
  // 1 a b c aa ab ac bb bc cc
  EXPECT_EQ(expand({2, 3, 5}, 2), (std::vector<double>{1, 2, 3, 5, 4, 6, 10, 9, 15, 25}));
}

TEST(Polynomial, EndsWithTheCubeOfTheLast) {
  std::vector<double> row(14, 1);
  row[13] = 2;
  row[0] = 3;
  const std::vector<double> all = expand(row, 3);
  EXPECT_EQ(all.back(), 8);
  EXPECT_EQ(all[15], 9);    // The first of degree 2, after 1 + 14.
  EXPECT_EQ(all[120], 27);  // The first of degree 3, after 1 + 14 + 105.
}

}  // namespace
}  // namespace wattree
