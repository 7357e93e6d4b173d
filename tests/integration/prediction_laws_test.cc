// What must hold in every prediction: all bundled models, several sizes, every dtype, both
// attentions, decode steps.
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/file.h"
#include "src/models/families/family.h"
#include "src/models/hub/bundled.h"
#include "src/predict/predictor/predictor_file.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

struct Size {
  std::int64_t batch, seq, past;
};

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
        BuildRequest request;
        request.pass.batch = size.batch;
        request.pass.seq = request.pass.target_len = request.pass.source = size.seq;
        request.pass.past = size.past;
        request.pass.precision = precision;
        request.pass.attention = attention;
        const Result<BuiltTree> built = build_tree(config.value(), request);
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

std::string label(const testing::TestParamInfo<std::size_t>& info) {
  std::string name(bundled_models()[info.param].name);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bundled, PredictionLaws,
                         testing::Range(std::size_t{0}, bundled_models().size()), label);

}  // namespace
}  // namespace wattree
