// One model at many sizes, and the mean over them (IrEne's Figure 5, Tables 10 and 12).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/models/hub/resolve.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {

// Called with how much is done, from 0 to 1.
using ShowProgress = std::function<void(double)>;

inline constexpr std::size_t kMostSizes = 4096;

struct SweepPoint {
  Pass pass;
  std::optional<std::int64_t> tokens;  // Of one item.
  PassEstimate estimate;               // Of one pass.
  MemoryFit memory;
};

struct Sweep {
  std::vector<SweepPoint> points;
  PassEstimate mean;  // Of a pass, over the points.
  // The first point's tree with the means of every node's energy and time over all points. Absent
  // where the trees are not all of one form: some kernels run at some sizes only.
  std::optional<Prediction> mean_tree;
  // What all points have in common.
  std::string model;
  std::string class_name;
  std::vector<std::string> notes;  // As of a built model and of its prediction.
  LoadedPredictor by;

  bool has_times() const { return mean.time > Seconds(); }
  // The one that takes the most memory.
  const SweepPoint& largest() const;
  // Of all points together: their energy over their items and tokens.
  Joules mean_per_item() const;
  std::optional<Joules> mean_per_token() const;
};

// Every batch size with every sequence length; an absent length is the family's default.
Result<Sweep> sweep(const std::string& model, const ModelText& text, const PassShape& query,
                    const std::vector<std::int64_t>& batches,
                    const std::vector<std::optional<std::int64_t>>& lengths,
                    const LoadedPredictor& by, const ShowProgress& progress);

}  // namespace wattree
