// Polynomial features: all products of a row's numbers up to a degree.
#pragma once

#include <cstddef>
#include <span>

namespace wattree {

// How many monomials of at most `degree` there are in `variables`: (variables + degree choose
// degree).
std::size_t polynomial_size(std::size_t variables, std::size_t degree);

// Writes them to `out`, by degree, within a degree in lexicographic order of the variables: 1, a,
// b, aa, ab, bb, aaa, … (scikit-learn's order). `out` must have polynomial_size numbers.
void expand_polynomial(std::span<const double> row, std::size_t degree, std::span<double> out);

}  // namespace wattree
