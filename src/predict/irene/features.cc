#include "src/predict/irene/features.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace wattree {
namespace {

constexpr Feature kResources[] = {Feature::kCpu,       Feature::kRam,      Feature::kGpu,
                                  Feature::kGpuMemory, Feature::kGpuClock, Feature::kGpuMemClock,
                                  Feature::kTime,      Feature::kGpuEnergy};

constexpr std::array<std::string_view, 6> kModelNames = {
    name_of(Feature::kParameters), "input_size", "batch_size", "seq_len", name_of(Feature::kFlops),
    name_of(Feature::kMemory)};

// The first `shared` of kModelNames, then the resources.
template <std::size_t shared>
constexpr auto with_resources() {
  std::array<std::string_view, shared + std::size(kResources)> out;
  std::copy_n(kModelNames.begin(), shared, out.begin());
  std::transform(std::begin(kResources), std::end(kResources), out.begin() + shared,
                 [](Feature feature) { return name_of(feature); });
  return out;
}
constexpr auto kAllNames = with_resources<6>();
constexpr auto kResourceNames = with_resources<2>();

}  // namespace

std::string_view name_of(IreneFeatures set) {
  switch (set) {
    case IreneFeatures::kAll: return "all";
    case IreneFeatures::kModel: return "model";
    case IreneFeatures::kResource: return "resource";
  }
  return "";
}

std::span<const std::string_view> feature_names(IreneFeatures set) {
  switch (set) {
    case IreneFeatures::kAll: return kAllNames;
    case IreneFeatures::kModel: return kModelNames;
    case IreneFeatures::kResource: return kResourceNames;
  }
  return {};
}

std::optional<std::string_view> read_features(const DatasetTree& tree, const DatasetNode& node,
                                              IreneFeatures set, std::span<double> out) {
  const auto names = feature_names(set);
  assert(out.size() == names.size());
  const auto batch = static_cast<double>(tree.batch_size);
  const auto length = static_cast<double>(tree.seq_len);
  std::size_t i = 0;
  out[i++] = node.features.get(Feature::kParameters);  // An absent one is NaN.
  out[i++] = batch * length;
  if (set != IreneFeatures::kResource) {
    out[i++] = batch;
    out[i++] = length;
    out[i++] = node.features.get(Feature::kFlops);
    out[i++] = node.features.get(Feature::kMemory);
  }
  if (set != IreneFeatures::kModel) {
    for (const Feature feature : kResources) out[i++] = node.features.get(feature);
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!std::isfinite(out[k])) return names[k];
  }
  return std::nullopt;
}

}  // namespace wattree
