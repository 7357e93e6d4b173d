// Sizes or strides of a tensor, outermost first, of a fixed capacity: tracing makes millions of
// them.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "src/base/checked.h"

namespace wattree {

class Dims {
 public:
  static constexpr int kMaxRank = 6;

  constexpr Dims() = default;
  constexpr Dims(std::initializer_list<std::int64_t> values) {
    for (std::int64_t value : values) push_back(value);
  }

  constexpr int rank() const { return rank_; }
  constexpr void push_back(std::int64_t value) {
    assert(rank_ < kMaxRank && "a tensor of more than six dimensions");
    if (rank_ < kMaxRank) values_[rank_++] = value;
  }
  constexpr void insert(int at, std::int64_t value) {
    push_back(value);
    for (int i = rank_ - 1; i > at; --i) values_[i] = values_[i - 1];
    values_[at] = value;
  }
  constexpr void erase(int at) {
    if (rank_ == 0) return;
    for (int i = at; i + 1 < rank_; ++i) values_[i] = values_[i + 1];
    --rank_;
  }

  constexpr std::int64_t& operator[](int i) { return values_[i]; }
  constexpr std::int64_t operator[](int i) const { return values_[i]; }
  constexpr const std::int64_t* begin() const { return values_.data(); }
  constexpr const std::int64_t* end() const { return values_.data() + rank_; }

  constexpr bool operator==(const Dims& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (values_[i] != other.values_[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::int64_t, kMaxRank> values_{};
  std::uint8_t rank_ = 0;
};

// Sizes as a tree keeps them: half as large, because a tree has a few for every node. No dimension
// of a real tensor needs more than 32 bits (Trace::emit sees to it).
class Shape {
 public:
  static constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();

  constexpr Shape() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): the same thing, packed.
  constexpr Shape(const Dims& size) : rank_(static_cast<std::uint8_t>(size.rank())) {
    for (int i = 0; i < size.rank(); ++i) values_[i] = static_cast<std::uint32_t>(size[i]);
  }

  constexpr int rank() const { return rank_; }
  constexpr std::int64_t operator[](int i) const { return values_[i]; }
  constexpr const std::uint32_t* begin() const { return values_.data(); }
  constexpr const std::uint32_t* end() const { return values_.data() + rank_; }
  constexpr bool operator==(const Shape&) const = default;

 private:
  std::array<std::uint32_t, Dims::kMaxRank> values_{};
  std::uint8_t rank_ = 0;
};

template <class Sizes>
constexpr std::int64_t element_count(const Sizes& size) {
  std::int64_t count = 1;
  for (const std::int64_t n : size) count = saturating_mul(count, n);
  return count;
}

}  // namespace wattree
