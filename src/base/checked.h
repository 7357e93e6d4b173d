// Integer arithmetic that saturates instead of overflowing: sizes come from files that may say
// anything.
#pragma once

#include <cstdint>
#include <limits>

namespace wattree {

inline constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

// The product of two sizes, neither negative.
constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kSaturated : out;
}

constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? kSaturated : out;
}

}  // namespace wattree
