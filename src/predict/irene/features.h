// What IrEne's regressors know of a node: fourteen numbers, or a subset of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "src/measure/dataset/dataset.h"

namespace wattree {

// The parameters and the input size (batch size times sequence length) are in every set.
enum class IreneFeatures : std::uint8_t {
  kAll,
  kModel,     // Batch size, sequence length, flops, mem_bytes: known without running anything.
  kResource,  // What the machine did: utilisation, clocks, time and the GPU's own energy.
};
inline constexpr IreneFeatures kIreneFeatureSets[] = {IreneFeatures::kAll, IreneFeatures::kModel,
                                                      IreneFeatures::kResource};
std::string_view name_of(IreneFeatures set);  // all, model, resource

// The names of the features of a set, in the order of a row.
std::span<const std::string_view> feature_names(IreneFeatures set);

// Writes a node's row to `out`, as many numbers as the set has names. Where a feature is absent or
// not finite, its name comes back, and `out` is of no use.
std::optional<std::string_view> read_features(const DatasetTree& tree, const DatasetNode& node,
                                              IreneFeatures set, std::span<double> out);

}  // namespace wattree
