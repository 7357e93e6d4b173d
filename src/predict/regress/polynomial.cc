#include "src/predict/regress/polynomial.h"

#include <algorithm>
#include <cassert>

namespace wattree {

std::size_t polynomial_size(std::size_t variables, std::size_t degree) {
  std::size_t size = 1;
  for (std::size_t i = 1; i <= degree; ++i) size = size * (variables + i) / i;
  return size;
}

void expand_polynomial(std::span<const double> row, std::size_t degree, std::span<double> out) {
  assert(out.size() == polynomial_size(row.size(), degree));
  const std::size_t n = row.size();
  out[0] = 1;
  std::size_t end = 1;        // Of what is written.
  std::size_t lower_end = 1;  // Of the degree below, whose monomials end where this degree begins.
  for (std::size_t d = 1; d <= degree; ++d) {
    // Those of the degree below that begin with variable i or a later one are its last `count`:
    // as many as monomials of that very degree in n - i variables, (n - i + d - 2 choose d - 1).
    std::size_t count = n == 0 ? 0 : polynomial_size(n - 1, d - 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = lower_end - count; j < lower_end; ++j) out[end++] = row[i] * out[j];
      count = count * (n - i - 1) / std::max<std::size_t>(n - i + d - 2, 1);
    }
    lower_end = end;
  }
}

}  // namespace wattree
