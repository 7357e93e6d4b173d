// The twelve features of IrEne's Table 1, of every node of a prediction.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "src/measure/shipped/shipped_nodes.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {

// In the order of the table.
enum class NodeFeature : std::uint8_t {
  kBatchSize,
  kSeqLen,
  kFlops,
  kMemBytes,
  kCpuUtil,
  kMemUsage,
  kGpuUtil,
  kGpuMemUsage,
  kGpuClock,
  kGpuMemClock,
  kLatency,
  kGpuEnergy,
};
inline constexpr std::size_t kNodeFeatures = 12;

struct FeatureFacts {
  std::string_view name;  // As the table calls it: "gm_usg".
  std::string_view unit;
  std::string_view meaning;
};
const FeatureFacts& facts_of(NodeFeature feature);
// Whether it is counted from the model, was read while the node ran, or is predicted.
enum class FeatureSource : std::uint8_t { kModel, kWindow, kPredictor };
FeatureSource source_of(NodeFeature feature);

// Of one execution. Those of a window are absent where none has measured the node.
using NodeFeatures = std::array<std::optional<double>, kNodeFeatures>;
NodeFeatures features_of(const Prediction& prediction, std::size_t node,
                         const ShippedNode* measured);

// How a drawing tells nodes apart (IrEne-viz's Figure 1).
enum class NodeClass : std::uint8_t { kModule, kParametric, kNonParametric, kMath };
std::string_view name_of(NodeClass node_class);
NodeClass class_of(const Node& node);

}  // namespace wattree
