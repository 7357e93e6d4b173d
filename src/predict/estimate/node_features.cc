#include "src/predict/estimate/node_features.h"

#include "src/base/mib.h"

namespace wattree {
namespace {

struct FeatureRow {
  FeatureFacts facts;
  FeatureSource source;
};

constexpr std::array<FeatureRow, kNodeFeatures> kFeatureRows = {{
    {{"batch_size", "1", "items in the batch"}, FeatureSource::kModel},
    {{"seq_len", "1", "tokens of an item"}, FeatureSource::kModel},
    {{"flops", "10^6", "floating-point operations, in millions"}, FeatureSource::kModel},
    {{"mem_bytes", "MiB", "memory read and written"}, FeatureSource::kModel},
    {{"cpu_util", "%", "use of all processor threads"}, FeatureSource::kWindow},
    {{"mem_usg", "%", "share of the host's memory in use"}, FeatureSource::kWindow},
    {{"gpu_util", "%", "share of time in which a kernel ran"}, FeatureSource::kWindow},
    {{"gm_usg", "%", "share of time in which GPU memory was read or written"},
     FeatureSource::kWindow},
    {{"g_clk", "MHz", "clock of the GPU's processors"}, FeatureSource::kWindow},
    {{"gm_clk", "MHz", "clock of the GPU's memory"}, FeatureSource::kWindow},
    {{"latency", "s", "time of one execution"}, FeatureSource::kPredictor},
    {{"gpu_energy", "J", "energy of one execution"}, FeatureSource::kPredictor},
}};

constexpr std::string_view kClassNames[] = {"module", "parametric", "nonparametric", "math"};

}  // namespace

const FeatureFacts& facts_of(NodeFeature feature) {
  return kFeatureRows[static_cast<std::size_t>(feature)].facts;
}

FeatureSource source_of(NodeFeature feature) {
  return kFeatureRows[static_cast<std::size_t>(feature)].source;
}

NodeFeatures features_of(const Prediction& prediction, std::size_t index,
                         const ShippedNode* measured) {
  const Node& node = prediction.built.tree.nodes()[index];
  const Pass& pass = prediction.built.pass;
  NodeFeatures out;
  const auto set = [&](NodeFeature feature, std::optional<double> value) {
    out[static_cast<std::size_t>(feature)] = value;
  };
  set(NodeFeature::kBatchSize, static_cast<double>(pass.batch));
  set(NodeFeature::kSeqLen, static_cast<double>(pass.seq));
  set(NodeFeature::kFlops, static_cast<double>(node.flops) / 1e6);
  set(NodeFeature::kMemBytes, static_cast<double>(node.bytes) / kMiB);
  if (measured != nullptr) {
    const ShippedResources& seen = measured->resources;
    set(NodeFeature::kCpuUtil, seen.cpu_percent);
    set(NodeFeature::kMemUsage, seen.ram_percent);
    set(NodeFeature::kGpuUtil, seen.gpu_percent);
    set(NodeFeature::kGpuMemUsage, seen.gpu_memory_percent);
    set(NodeFeature::kGpuClock, seen.sm_clock_mhz);
    set(NodeFeature::kGpuMemClock, seen.memory_clock_mhz);
  }
  if (prediction.has_times()) set(NodeFeature::kLatency, prediction.nodes[index].time.value);
  set(NodeFeature::kGpuEnergy, prediction.nodes[index].energy.value);
  return out;
}

std::string_view name_of(NodeClass node_class) {
  return kClassNames[static_cast<std::size_t>(node_class)];
}

NodeClass class_of(const Node& node) {
  switch (node.level) {
    case Level::kModel:
    case Level::kModule: return NodeClass::kModule;
    case Level::kMl: return node.params > 0 ? NodeClass::kParametric : NodeClass::kNonParametric;
    case Level::kMath: break;
  }
  return NodeClass::kMath;
}

}  // namespace wattree
