#include "src/predict/irene/tree_rows.h"

#include <algorithm>
#include <numeric>

namespace wattree {

TreeRows rows_of(const DatasetTree& tree, IreneFeatures features) {
  TreeRows out;
  out.columns = feature_names(features).size();
  out.row_of.assign(tree.nodes.size(), kNoRow);
  std::vector<double> all(tree.nodes.size() * out.columns);
  const auto row = [&](std::size_t node) {
    return std::span(all).subspan(node * out.columns, out.columns);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (const auto missing = read_features(tree, tree.nodes[i], features, row(i))) {
      out.missing = *missing;
    } else {
      order.push_back(i);
    }
  }
  const auto less = [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(row(a), row(b));
  };
  std::stable_sort(order.begin(), order.end(), less);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || less(order[k - 1], order[k])) {
      out.rows.insert(out.rows.end(), row(order[k]).begin(), row(order[k]).end());
    }
    out.row_of[order[k]] = static_cast<std::int32_t>(out.size()) - 1;
  }
  return out;
}

}  // namespace wattree
