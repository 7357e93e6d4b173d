#include "src/predict/fit/quick_calibration.h"

#include <gtest/gtest.h>

#include "src/models/hub/bundled.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

BuiltModel anchor() {
  PassShape query;
  query.batch = 16;
  query.seq = 128;
  query.dtype = "bf16";
  const BundledModel* model = find_bundled("bert-base-uncased");
  return build_model("bert-base-uncased", std::string(model->json), "bundled", query).value();
}

QuickReading at(const Predictor& predictor, const ModelTree& tree, std::size_t node) {
  const auto nodes = predict_tree(predictor, TwinIndex(predictor), tree);
  return {nodes.value()[node].energy, nodes.value()[node].time};
}

class QuickCalibration : public ::testing::Test {
 public:
  Predictor predictor = *load_predictor({{}, "h200", {}}).value().predictor;
  BuiltModel pass = anchor();
  StreamKernel stream = stream_kernel().value();

  // What would be measured on the machine of an overlay: an H200 reads what it read.
  QuickReadings readings_on(const MachineOverlay& overlay) const {
    const Predictor here = with_overlay(predictor, overlay);
    const auto read = [&](const ModelTree& tree, std::size_t node, const QuickReading& on_h200) {
      const QuickReading now = at(here, tree, node);
      const QuickReading before = at(predictor, tree, node);
      return QuickReading{Joules(on_h200.energy.value * now.energy.value / before.energy.value),
                          Seconds(on_h200.time.value * now.time.value / before.time.value)};
    };
    return {read(pass.tree, pass.tree.nodes().size() - 1, kAnchorOnH200),
            read(stream.tree, static_cast<std::size_t>(stream.node), kStreamOnH200),
            {},
            {Seconds(0.9e-6), Seconds(1.1e-6)},
            Watts(here.idle_w)};
  }
};

TEST_F(QuickCalibration, FindsTheFactorsOfAMachine) {
  MachineOverlay other;
  other.compute = {1.07, 1.02};
  other.memory = {0.95, 1.04};
  other.idle = 0.9;
  predictor.eager->native_kernel_s = 4e-6;
  const Result<QuickFactors> found = quick_factors(predictor, pass, stream, readings_on(other));
  ASSERT_TRUE(found.ok()) << found.error().message;
  const MachineOverlay& overlay = found.value().overlay;
  EXPECT_NEAR(overlay.compute.energy, 1.07, 1e-3);
  EXPECT_NEAR(overlay.compute.time, 1.02, 1e-3);
  EXPECT_NEAR(overlay.memory.energy, 0.95, 1e-3);
  EXPECT_NEAR(overlay.memory.time, 1.04, 1e-3);
  EXPECT_NEAR(overlay.idle, 0.9, 1e-9);
  EXPECT_NEAR(overlay.launch, 0.25, 1e-9);
  EXPECT_TRUE(found.value().warnings.empty());
  EXPECT_EQ(overlay.readings.size(), 4U);
}

TEST_F(QuickCalibration, SaysWhatWasNotMeasured) {
  QuickReadings readings = readings_on({});
  readings.launches.clear();
  readings.idle.reset();
  readings.anchor.energy = Joules(3 * readings.anchor.energy.value);
  const Result<QuickFactors> found = quick_factors(predictor, pass, stream, readings);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().overlay.launch, 1);
  EXPECT_EQ(found.value().overlay.idle, 1);
  ASSERT_EQ(found.value().warnings.size(), 3U);
  EXPECT_NE(found.value().warnings[2].find("arithmetic"), std::string::npos);
}

TEST_F(QuickCalibration, TakesTheMeanOfAHostThatChangesAndSaysSo) {
  predictor.eager->native_kernel_s = 10e-6;
  QuickReadings readings = readings_on({});
  readings.launches = {Seconds(11e-6), Seconds(20e-6), Seconds(11e-6), Seconds(18e-6)};
  const Result<QuickFactors> found = quick_factors(predictor, pass, stream, readings);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_NEAR(found.value().overlay.launch, 1.5, 1e-9);
  EXPECT_NEAR(found.value().overlay.launch_swing, 20.0 / 15 - 1, 1e-9);
  ASSERT_EQ(found.value().warnings.size(), 1U);
  EXPECT_NE(found.value().warnings[0].find("1.10 to 2.00 times"), std::string::npos);
}

TEST_F(QuickCalibration, TakesPythonsOwnLaunchesWhereTheyWereTimed) {
  predictor.eager->native_kernel_s = 10e-6;
  PassShape shape;
  shape.seq = 16;
  shape.dtype = "bf16";
  const auto built = [&](const char* name) {
    return build_model(name, std::string(find_bundled(name)->json), "bundled", shape).value();
  };
  const BuiltModel short_pass = built("gpt2");
  const BuiltModel other_pass = built("bert-base-uncased");
  const auto predicted_s = [&](const ModelTree& tree, Execution execution) {
    return predict_tree(predictor, TwinIndex(predictor), tree, execution).value().back().time.value;
  };
  QuickReadings readings = readings_on({});
  readings.launches = {Seconds(50e-6)};  // Not asked.
  const double first_s = predicted_s(short_pass.tree, Execution::kEager);
  const double second_s = predicted_s(other_pass.tree, Execution::kEager);
  readings.python = {
      {"first", &short_pass.tree, {Seconds(1.2 * first_s), Seconds(1.4 * first_s)}},
      {"second", &other_pass.tree, {Seconds(0.8 * second_s), Seconds(1.0 * second_s)}}};
  const Result<QuickFactors> found = quick_factors(predictor, pass, stream, readings);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const MachineOverlay& overlay = found.value().overlay;
  EXPECT_NEAR(overlay.launch, 1.1, 2e-3);
  EXPECT_NEAR(overlay.launch_swing, 1.2 / 1.1 - 1, 1e-6);
  ASSERT_EQ(overlay.readings.size(), 5U);
  EXPECT_EQ(overlay.readings[3].what, "first");
  EXPECT_NEAR(overlay.readings[3].measured_s, 1.3 * first_s, 1e-9);
  EXPECT_NEAR(overlay.readings[4].predicted_s, second_s, 2e-3 * second_s);

  // A pass that keeps the device busy says nothing of the host.
  shape.batch = 16;
  shape.seq = 512;
  const BuiltModel busy = built("bert-base-uncased");
  readings.python = {{"busy", &busy.tree, {Seconds(1)}}};
  const Result<QuickFactors> none = quick_factors(predictor, pass, stream, readings);
  EXPECT_EQ(none.value().overlay.launch, 1);
  ASSERT_EQ(none.value().warnings.size(), 1U);
  EXPECT_NE(none.value().warnings[0].find("waits for its host"), std::string::npos);
}

TEST(StreamKernel, IsFarLargerThanAnyCache) {
  const Result<StreamKernel> stream = stream_kernel();
  ASSERT_TRUE(stream.ok());
  const Node& node = stream.value().tree.nodes()[static_cast<std::size_t>(stream.value().node)];
  EXPECT_EQ(node.op, Op::kAdd);
  EXPECT_GT(node.bytes, std::int64_t{500} << 20);
}

}  // namespace
}  // namespace wattree
