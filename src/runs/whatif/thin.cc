#include "src/runs/whatif/thin.h"

#include <algorithm>
#include <numeric>

namespace wattree {

std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most) {
  most = std::max<std::size_t>(most, 4);
  std::vector<std::size_t> out;
  if (values.size() <= most) {
    out.resize(values.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }
  const std::size_t inner = values.size() - 2;  // Without the first and the last.
  const std::size_t stretches = (most - 2) / 2;
  out.reserve(most);
  out.push_back(0);
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = values.begin() + 1 + static_cast<std::ptrdiff_t>(inner * i / stretches);
    const auto end = values.begin() + 1 + static_cast<std::ptrdiff_t>(inner * (i + 1) / stretches);
    if (begin == end) continue;
    const auto [low, high] = std::minmax_element(begin, end);
    const auto first = static_cast<std::size_t>(std::min(low, high) - values.begin());
    const auto second = static_cast<std::size_t>(std::max(low, high) - values.begin());
    out.push_back(first);
    if (second != first) out.push_back(second);
  }
  out.push_back(values.size() - 1);
  return out;
}

}  // namespace wattree
