// The feature rows of a tree's nodes. Most nodes of a Transformer are copies of each other (one
// layer is like the next), so that work by distinct row is a tenth of the work by node.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "src/predict/irene/features.h"

namespace wattree {

struct TreeRows {
  std::size_t columns = 0;
  std::vector<double> rows;          // The distinct ones, one after the other.
  std::vector<std::int32_t> row_of;  // By node; kNoRow where its features are incomplete.
  std::string_view missing;          // A feature that such a node lacks.

  std::size_t size() const { return rows.size() / columns; }
  std::span<const double> row(std::size_t i) const {
    return std::span(rows).subspan(i * columns, columns);
  }
  std::span<double> row(std::size_t i) { return std::span(rows).subspan(i * columns, columns); }
};
inline constexpr std::int32_t kNoRow = -1;

// An index of a node or a row that is one.
inline std::size_t as_index(std::int32_t index) { return static_cast<std::size_t>(index); }

TreeRows rows_of(const DatasetTree& tree, IreneFeatures features);

}  // namespace wattree
