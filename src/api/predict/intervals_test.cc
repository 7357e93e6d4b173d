// Intervals of the bundled models, as the shipped predictor has them: nodes that are made of the
// same kernels are known as well as each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "src/models/hub/bundled.h"
#include "src/predict/estimate/compare_models.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {
namespace {

const LoadedPredictor& h200() {
  static const LoadedPredictor loaded = load_predictor({{}, "h200", {}}).value();
  return loaded;
}

PassShape bf16(std::int64_t batch) {
  PassShape shape;
  shape.batch = batch;
  shape.dtype = "bf16";
  return shape;
}

std::vector<Prediction> bundled_predictions() {
  std::vector<Prediction> out;
  for (const BundledModel& model : bundled_models()) {
    const std::string name(model.name);
    Result<BuiltModel> built = build_model(name, std::string(model.json), name, bf16(4));
    EXPECT_TRUE(built.ok()) << name << ": " << built.error().message;
    Result<Prediction> predicted = predict(std::move(built).value(), h200());
    EXPECT_TRUE(predicted.ok()) << name << ": " << predicted.error().message;
    out.push_back(std::move(predicted).value());
  }
  return out;
}

TEST(Intervals, ANodeHasNearlyTheIntervalOfAChildThatIsMostOfIt) {
  int seen = 0;
  for (const Prediction& prediction : bundled_predictions()) {
    const auto nodes = prediction.built.tree.nodes();
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const NodeEstimate& child = prediction.nodes[i];
      const auto above = static_cast<std::size_t>(nodes[i].parent);
      const NodeEstimate& parent = prediction.nodes[above];
      const double rest = 1 - child.energy.value / parent.energy.value;
      if (!(rest < 0.05)) continue;
      ++seen;
      // What is left of the parent may be known exactly, or not at all.
      EXPECT_NEAR(child.energy_spread, parent.energy_spread, 4 * rest + 1e-3)
          << prediction.built.model << " " << nodes[i].scope << " in " << nodes[above].scope;
    }
  }
  EXPECT_GT(seen, 100);
}

TEST(Intervals, NothingIsKnownWorseThanItsWorstPart) {
  for (const Prediction& prediction : bundled_predictions()) {
    const auto nodes = prediction.built.tree.nodes();
    std::vector<float> worst(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeEstimate& e = prediction.nodes[i];
      if (nodes[i].op == Op::kNone && worst[i] > 0) {
        // No interval is narrower than that of whole passes, though a kernel's may be.
        const auto least = static_cast<float>(h200().predictor->spread_of_unknown(false).energy[2]);
        EXPECT_LE(e.energy_spread, std::max(worst[i], least) * 1.001F)
            << prediction.built.model << " " << nodes[i].scope;
      }
      if (nodes[i].parent >= 0 && e.energy > Joules()) {
        float& above = worst[static_cast<std::size_t>(nodes[i].parent)];
        above = std::max(above, e.energy_spread);
      }
    }
  }
}

TEST(Intervals, TheSameKernelHasTheSameInTheSameModel) {
  for (const Prediction& prediction : bundled_predictions()) {
    const auto nodes = prediction.built.tree.nodes();
    std::map<std::tuple<std::string_view, double, double, std::int64_t>, std::size_t> first;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeEstimate& e = prediction.nodes[i];
      if (nodes[i].op == Op::kNone) continue;
      const auto [same, is_new] =
          first.try_emplace({nodes[i].type, e.energy.value, e.time.value, nodes[i].bytes}, i);
      if (is_new) continue;
      const NodeEstimate& other = prediction.nodes[same->second];
      EXPECT_EQ(e.energy_spread, other.energy_spread)
          << prediction.built.model << " " << nodes[i].scope << ", " << nodes[same->second].scope;
      EXPECT_EQ(e.time_spread, other.time_spread) << prediction.built.model;
    }
  }
}

struct Ratio {
  double value;
  double low;
  double high;
  double spread() const { return high / value - 1; }
};

// Without heads, which are alike however many layers there are.
Ratio ratio_of(const std::string& second, const std::string& first) {
  std::vector<NamedModel> models;
  for (const std::string& name : {first, second}) {
    models.push_back({name, {std::string(find_bundled(name)->json), name, {}, {}}});
  }
  PassShape shape = bf16(1);
  shape.as = "base";
  const Result<ModelComparison> comparison = compare_models(models, shape, h200(), std::nullopt);
  EXPECT_TRUE(comparison.ok()) << comparison.error().message;
  const ComparedModel& compared = comparison.value().models.back();
  return {compared.ratio, compared.ratio_low, compared.ratio_high};
}

TEST(Intervals, AModelIsExactlyAsGoodAsItself) {
  for (const BundledModel& model : bundled_models()) {
    const std::string name(model.name);
    const Ratio same = ratio_of(name, name);
    EXPECT_EQ(same.value, 1) << name;
    EXPECT_EQ(same.low, 1) << name;
    EXPECT_EQ(same.high, 1) << name;
  }
}

TEST(Intervals, TheRatioOfModelsThatRunTheSameKernelsIsKnownWell) {
  const Ratio shorter = ratio_of("distilgpt2", "gpt2");  // Half as many layers.
  EXPECT_NEAR(shorter.value, 0.5, 0.05);
  EXPECT_LT(shorter.spread(), 0.01);
  const Ratio other = ratio_of("bert-base-uncased", "gpt2");
  const Ratio wider = ratio_of("gpt2-xl", "gpt2");
  EXPECT_LT(shorter.spread(), other.spread());
  EXPECT_LT(other.spread(), wider.spread());
}

}  // namespace
}  // namespace wattree
