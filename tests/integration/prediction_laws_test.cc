// What must hold in every prediction: all bundled models, several sizes, every dtype, both
// attentions, decode steps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/base/file.h"
#include "src/facts/hardware/device.h"
#include "src/models/families/family.h"
#include "src/models/hub/bundled.h"
#include "src/predict/predictor/loaded_predictor.h"
#include "src/predict/predictor/predictor_file.h"
#include "src/predict/predictor/tree_predict.h"
#include "tests/integration/pass_sizes.h"

namespace wattree {
namespace {

void expect_laws(const ModelTree& tree, const std::vector<NodeEstimate>& estimates) {
  const auto nodes = tree.nodes();
  ASSERT_EQ(estimates.size(), nodes.size());
  std::vector<double> energy(nodes.size(), 0.0);
  std::vector<double> time(nodes.size(), 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeEstimate& e = estimates[i];
    ASSERT_TRUE(std::isfinite(e.energy.value) && std::isfinite(e.time.value)) << nodes[i].scope;
    ASSERT_GE(e.own.value, 0) << nodes[i].scope;
    ASSERT_GE(e.energy_low().value, 0) << nodes[i].scope;
    ASSERT_LE(e.energy_low().value, e.energy.value) << nodes[i].scope;
    ASSERT_GE(e.energy_high().value, e.energy.value) << nodes[i].scope;
    ASSERT_NEAR(energy[i] + e.own.value, e.energy.value, 1e-9 * e.energy.value) << nodes[i].scope;
    ASSERT_LE(time[i], e.time.value * (1 + 1e-9)) << nodes[i].scope;
    ASSERT_TRUE(e.stand_in >= 0 && e.stand_in <= 1.0001F) << nodes[i].scope << " " << e.stand_in;
    if (nodes[i].op != Op::kNone && nodes[i].bytes > 0) {
      ASSERT_GT(e.energy.value, 0) << nodes[i].scope;
    }
    if (nodes[i].parent >= 0) {
      // A part is not less certain, in joules and seconds, than the whole that it is in.
      const NodeEstimate& parent = estimates[static_cast<std::size_t>(nodes[i].parent)];
      ASSERT_LE(e.energy.value * e.energy_spread,
                parent.energy.value * parent.energy_spread * (1 + 1e-6))
          << nodes[i].scope;
      ASSERT_LE(e.time.value * e.time_spread, parent.time.value * parent.time_spread * (1 + 1e-6))
          << nodes[i].scope;
      energy[static_cast<std::size_t>(nodes[i].parent)] += e.energy.value;
      time[static_cast<std::size_t>(nodes[i].parent)] += e.time.value;
    }
  }
}

class PredictionLaws : public testing::TestWithParam<std::size_t> {
 protected:
  static const Predictor& predictor() {
    static const Predictor loaded = [] {
      const std::string path = WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json";
      return parse_predictor(read_file(path).value(), path).value();
    }();
    return loaded;
  }
};

TEST_P(PredictionLaws, ChildrenAndOwnAreTheNode) {
  const BundledModel& model = bundled_models()[GetParam()];
  const Result<Config> config = Config::parse(model.json, std::string(model.name));
  ASSERT_TRUE(config.ok());
  const TwinIndex index(predictor());
  for (const Size& size : {Size{1, 1, 0}, Size{3, 17, 0}, Size{16, 64, 0}, Size{2, 1, 33}}) {
    for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                      Precision::kFp16, Precision::kInt8, Precision::kInt4}) {
      for (const Attention attention : {Attention::kSdpa, Attention::kEager}) {
        const Result<BuiltTree> built =
            build_tree(config.value(), request_of(size, precision, attention));
        // An encoder cannot decode; a config that has complained once does so again.
        if (!built.ok() && size.past > 0) return;
        ASSERT_TRUE(built.ok()) << built.error().message;
        const auto estimates = predict_tree(predictor(), index, built.value().tree);
        ASSERT_TRUE(estimates.ok()) << estimates.error().message;
        ASSERT_NO_FATAL_FAILURE(expect_laws(built.value().tree, estimates.value()));
      }
    }
  }
}

// A device of the catalogue, and the predictor that `--on` gives for it.
struct Target {
  Device device;
  LoadedPredictor by;

  double half_flops() const {
    return 1e9 * device.tensor_or_fp16_gflops.value_or(*device.fp32_gflops);
  }
  double cache_bytes() const { return device.last_level_cache_mib.value_or(2) * 1024 * 1024; }
};

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> out;
    for (const Device& device : bundled_devices()) {
      if (!is_accelerator(device.kind)) continue;
      Result<LoadedPredictor> by = load_predictor({"", device.name, {}});
      if (by.ok()) out.push_back({device, std::move(by).value()});
    }
    Result<LoadedPredictor> shipped = load_predictor({"", "h200", {}});
    const Result<Device> h200 = find_device("H200 SXM 141GB", bundled_devices());
    out.push_back({h200.value(), std::move(shipped).value()});
    return out;
  }();
  return all;
}

// Of the arithmetic: attention may leave half of it out, and what runs in TF32 has the units for 16
// bits at half their rate.
double least_multiplying(const ModelTree& tree, const Node& node, const Target& target) {
  const OpClass op_class = facts_of(node.op).op_class;
  const bool is_attention = op_class == OpClass::kAttention;
  const double flops = static_cast<double>(node.matmul_flops) * (is_attention ? 0.5 : 1);
  const double single = 1e9 * *target.device.fp32_gflops;
  const bool is_half = byte_size(tree.inputs(node).front().dtype) == 2;
  if (is_half) return flops / target.half_flops();
  const bool may_be_tf32 = is_attention || op_class == OpClass::kConvolution ||
                           op_class == OpClass::kRecurrent || tree.precision == Precision::kTf32;
  return flops / (may_be_tf32 ? std::max(single, target.half_flops() / 2) : single);
}

void expect_physics(const ModelTree& tree, const std::vector<NodeEstimate>& estimates,
                    const Target& target) {
  constexpr double kRounding = 1 + 1e-6;
  const double bytes_per_s = 1e9 * *target.device.memory_gb_per_s;
  const double limit_w = target.device.tdp->value;
  const auto nodes = tree.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.op == Op::kNone) continue;  // Modules take at least what their kernels do.
    const double time_s = estimates[i].time.value * kRounding;
    if (node.matmul_flops > 0) {
      ASSERT_GE(time_s, least_multiplying(tree, node, target)) << node.scope;
    }
    const double beyond = static_cast<double>(node.bytes) - target.cache_bytes();
    ASSERT_GE(time_s, beyond / bytes_per_s) << node.scope;
    // For a moment a kernel may draw more than the limit, which holds over milliseconds.
    const double most_w = time_s > 10e-3 ? limit_w : 2 * limit_w;
    ASSERT_LE(estimates[i].energy.value, most_w * time_s) << node.scope;
  }
  const NodeEstimate& whole = estimates.back();
  ASSERT_LE(whole.energy.value, limit_w * whole.time.value * kRounding);
  if (tree.experts_per_token > 1) return;  // Only some of its weights are read.
  const double weights = 1024 * 1024 * weight_mib(tree, std::numeric_limits<double>::infinity());
  ASSERT_GE(whole.time.value * kRounding, (weights - target.cache_bytes()) / bytes_per_s);
}

class PhysicalLaws : public testing::TestWithParam<std::size_t> {};

TEST_P(PhysicalLaws, NothingIsFasterThanTheDeviceOrDrawsMoreThanItsLimit) {
  const BundledModel& model = bundled_models()[GetParam()];
  const Result<Config> config = Config::parse(model.json, std::string(model.name));
  ASSERT_TRUE(config.ok());
  for (const Size& size : {Size{1, 7, 0}, Size{16, 200, 0}, Size{64, 509, 0}, Size{8, 1, 1000}}) {
    for (const Precision precision :
         {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
      for (const Attention attention : {Attention::kSdpa, Attention::kEager}) {
        const Result<BuiltTree> built =
            build_tree(config.value(), request_of(size, precision, attention));
        if (!built.ok()) continue;  // An encoder cannot decode; some lengths are too long.
        const ModelTree& tree = built.value().tree;
        for (const Target& target : targets()) {
          SCOPED_TRACE(target.device.name + " " + std::string(name_of(precision)));
          const auto estimates = predict_tree(*target.by.predictor, *target.by.index, tree);
          ASSERT_TRUE(estimates.ok()) << estimates.error().message;
          ASSERT_NO_FATAL_FAILURE(expect_physics(tree, estimates.value(), target));
        }
      }
    }
  }
}

std::string label(const testing::TestParamInfo<std::size_t>& info) {
  std::string name(bundled_models()[info.param].name);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bundled, PredictionLaws,
                         testing::Range(std::size_t{0}, bundled_models().size()), label);
INSTANTIATE_TEST_SUITE_P(Bundled, PhysicalLaws,
                         testing::Range(std::size_t{0}, bundled_models().size()), label);

}  // namespace
}  // namespace wattree
