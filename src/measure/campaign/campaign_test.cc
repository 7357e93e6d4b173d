// Models measured end to end, in real time, on an executor that sleeps and with a GPU whose counter
// grows by known watts.
#include "src/measure/campaign/campaign.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "src/base/test_folder.h"
#include "src/measure/campaign/dataset_tree.h"
#include "src/measure/campaign/jobs.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/protocol/simulated.h"
#include "src/measure/windows/read_windows.h"
#include "src/models/hub/bundled.h"
#include "src/predict/predictor/dataset_work.h"
#include "src/predict/predictor/tree_predict.h"
#include "tests/support/fake_nvml.h"

namespace wattree {
namespace {

constexpr double kWatts = 300;
constexpr const char* kGpu =
    "clock\n"
    "driver 580.0\n"
    "gpu 0 GPU-aaaa NVIDIA H200\n"
    "0 0 energy_mj watts 300 10\n"
    "0 0 power_mw 300000\n"
    "0 0 limit_mw 700000\n"
    "0 0 gpu_percent 97\n"
    "0 0 memory_percent 41\n"
    "0 0 memory_used 1000\n"
    "0 0 memory_total 4000\n"
    "0 0 sm_mhz 1980\n"
    "0 0 memory_mhz 3201\n"
    "0 0 celsius 52\n"
    "0 0 throttle 0\n";

// A small BERT of one layer.
constexpr const char* kConfig =
    R"({"model_type":"bert","hidden_size":32,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":64,"vocab_size":100,"max_position_embeddings":64})";

// A run takes as long as its bytes say: 1 ms, and 1 ns for each.
double seconds_of(const Node& node) { return 1e-3 + 1e-9 * static_cast<double>(node.bytes); }

class SleepingLaunch final : public Launch {
 public:
  SleepingLaunch(double run_s, int copies) : run_s_(run_s), copies_(copies) {}
  Status start() override {
    queued_ += copies_;
    return {};
  }
  Status wait() override {
    // To the moment, not for a while: what sleeping adds is caught up with.
    const auto now = std::chrono::steady_clock::now();
    if (due_ + std::chrono::seconds(2) < now) due_ = now;
    due_ += std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * run_s_ * queued_));
    std::this_thread::sleep_until(due_);
    queued_ = 0;
    return {};
  }
  int copies() const override { return copies_; }
  Execution execution() const override { return Execution::kGraph; }
  std::string_view why_eager() const override { return ""; }

 private:
  double run_s_;
  int copies_;
  int queued_ = 0;
  std::chrono::steady_clock::time_point due_;
};

class SleepingExecutor final : public Executor {
 public:
  SleepingExecutor(std::string kind, std::string fails_on) : fails_on_(std::move(fails_on)) {
    facts_.kind = std::move(kind);
    facts_.name = facts_.kind == "cpu" ? "A processor" : "NVIDIA H200";
    facts_.uuid = facts_.kind == "cpu" ? "" : "GPU-aaaa";
    facts_.multiprocessors = 132;
  }
  Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t index,
                                          const LaunchOptions&) override {
    const Node& node = tree.nodes()[static_cast<std::size_t>(index)];
    if (!fails_on_.empty() && node.type == fails_on_) {
      return Error{ErrorCode::kUnavailable, "out of memory", ""};
    }
    const double run_s = seconds_of(node);
    return std::unique_ptr<Launch>(
        std::make_unique<SleepingLaunch>(run_s, std::max(1, static_cast<int>(0.02 / run_s))));
  }
  const DeviceFacts& device() const override { return facts_; }

 private:
  std::string fails_on_;
  DeviceFacts facts_;
};

struct Bench {
  explicit Bench(const std::string& nvml) {
    meters.nvml_library = nvml;
    meters.sys_root = folder.path();  // No RAPL.
    options.windows = folder.path() / "data.windows.jsonl";
    options.with_anchor = false;
    // Quicker than a real counter allows.
    WindowSettings settings = node_settings();
    settings.settle_s = 0.05;
    settings.window_s = 0.15;
    settings.limit_s = 1;
    options.session.whole = options.session.node = settings;
    options.session.allow_load = true;  // Others build and test on this machine.
  }
  BuiltModel tree() const {
    PassShape pass;
    pass.batch = 2;
    pass.seq = 8;
    Result<BuiltModel> built = build_model("small", kConfig, "test", pass);
    EXPECT_TRUE(built.ok());
    return std::move(built).value();
  }
  Result<MeasuredPass> measure() const {
    Result<Rig> rig = Rig::open(meters, ::getpid(), [this]() -> Result<std::unique_ptr<Executor>> {
      return std::unique_ptr<Executor>(std::make_unique<SleepingExecutor>(kind, fails_on));
    });
    if (!rig.ok()) return rig.error();
    Rig opened = std::move(rig).value();
    return measure_pass(tree(), {CacheState::kInPlace}, opened, options);
  }
  std::string kind = "cuda";
  std::string fails_on;
  TestFolder folder;
  MeterQuery meters;
  CampaignOptions options;
};

TEST(Campaign, KnownWattsBecomeKnownJoulesInADataset) {
  const FakeNvml fake(kGpu);
  Bench bench(fake.library());
  bench.fails_on = "BertPooler";
  const Result<MeasuredPass> measured = bench.measure();
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const MeasuredPass& answer = measured.value();
  EXPECT_EQ(answer.campaign.session.ending, Ending::kDone);
  const auto nodes = answer.tree.tree.nodes();
  std::size_t known = 0;
  for (std::size_t i = 0; i < answer.distinct.nodes.size(); ++i) {
    const Node& node = nodes[static_cast<std::size_t>(answer.distinct.nodes[i].node)];
    if (!answer.in_place[i]) {
      EXPECT_EQ(node.type, "BertPooler");
      continue;
    }
    ++known;
    const double expected = kWatts * seconds_of(node);
    // Sleeping is not exact on a machine that others use.
    EXPECT_NEAR(answer.in_place[i]->energy->value, expected, 0.2 * expected) << node.scope;
    EXPECT_NEAR((*answer.in_place[i]->energy / answer.in_place[i]->time).value, kWatts, 6)
        << node.scope;
  }
  ASSERT_EQ(answer.campaign.session.skipped.size(), 1U);
  EXPECT_EQ(answer.campaign.session.skipped[0].why, "out of memory");
  EXPECT_EQ(answer.campaign.session.measured, known);
  EXPECT_EQ(answer.ops.known, answer.ops.kernels);

  const std::filesystem::path file = bench.folder.path() / "data.jsonl";
  ASSERT_TRUE(add_to_dataset(to_dataset(answer), file).ok());
  ASSERT_TRUE(add_to_dataset(to_dataset(answer), file).ok());  // In the place of the first.
  const Result<Dataset> read = read_dataset(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().trees.size(), 1U);
  const DatasetTree& tree = read.value().trees[0];
  EXPECT_EQ(tree.dtype, "fp32");
  EXPECT_EQ(tree.protocol, kNativeProtocol);
  EXPECT_EQ(tree.root().instance_type, "BertModel");
  EXPECT_EQ(tree.root().features.get(Feature::kGpu), 97);
  EXPECT_EQ(tree.root().features.get(Feature::kGpuMemory), 41);
  EXPECT_EQ(tree.root().features.get(Feature::kGpuClock), 1980);
  EXPECT_EQ(tree.root().features.get(Feature::kGpuMemClock), 3201);
  EXPECT_NEAR(tree.root().energy->value, kWatts * seconds_of(nodes.back()),
              0.2 * kWatts * seconds_of(nodes.back()));
  bool has_dense = false;
  for (const DatasetNode& node : tree.nodes) {
    for (const Feature f : {Feature::kCpu, Feature::kRam, Feature::kTime}) {
      EXPECT_EQ(node.features.has(f), node.energy.has_value()) << node.scope;
    }
    EXPECT_FALSE(node.features.has(Feature::kGpuEnergy)) << node.scope;  // It would be the answer.
    if (node.scope != "root.encoder.layer.0.intermediate.dense") continue;
    has_dense = true;
    // IrEne's counts, by hand: b 2, s 8, K 32, N 64.
    EXPECT_DOUBLE_EQ(node.features.get(Feature::kFlops), (2 * 16 * 32 * 64 + 16 * 64) / 1e6);
    EXPECT_DOUBLE_EQ(node.features.get(Feature::kMemory),
                     4.0 * (2 * (8 * 32 + 32 * 64 + 8 * 64) + 2 * 16 * 64) / (1024 * 1024));
  }
  EXPECT_TRUE(has_dense);

  // Again, from the file: nothing but what failed is run.
  bench.options.is_resumed = true;
  bench.fails_on.clear();
  const Result<MeasuredPass> again = bench.measure();
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().campaign.reused, known);
  EXPECT_EQ(again.value().campaign.session.measured, 1U);
  EXPECT_TRUE(again.value().campaign.session.skipped.empty());
}

TEST(Campaign, AnInterruptedSessionKeepsItsWindows) {
  const FakeNvml fake(kGpu);
  Bench bench(fake.library());
  std::size_t done = 0;
  bench.options.show = [&](const SessionProgress& p) { done = p.done; };
  bench.options.is_stopped = [&] { return done >= 2; };
  const Result<MeasuredPass> measured = bench.measure();
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured.value().campaign.session.ending, Ending::kInterrupted);
  EXPECT_EQ(measured.value().campaign.figures.size(), 2U);
  std::string device = "NVIDIA H200";
  const auto earlier = [&] {
    return figures_of(read_windows(bench.options.windows).value(), device);
  };
  const Result<Figures> read = earlier();
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 2U);
  for (const auto& [key, figures] : measured.value().campaign.figures) {
    const NodeFigures& other = read.value().at(key);
    EXPECT_NEAR(other.energy->value, figures.energy->value, 1e-6 * figures.energy->value);
  }
  // A line cut short by a kill is passed over.
  std::ofstream(bench.options.windows, std::ios::app) << R"({"kind":"win)";
  EXPECT_TRUE(earlier().ok());
  // Not without being told to, and not on another device.
  EXPECT_EQ(bench.measure().error().code, ErrorCode::kInvalidInput);
  device = "NVIDIA A100";
  EXPECT_EQ(earlier().error().code, ErrorCode::kInvalidInput);
}

TEST(Campaign, WithoutAMeterEnergyIsAbsentAndNeverZero) {
  Bench bench("/nonexistent/libnvidia-ml.so.1");
  bench.kind = "cpu";
  std::size_t done = 0;
  bench.options.show = [&](const SessionProgress& p) { done = p.done; };
  bench.options.is_stopped = [&] { return done >= 2; };
  const Result<MeasuredPass> measured = bench.measure();
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_FALSE(measured.value().campaign.obstacles.empty());
  const DatasetTree tree = to_dataset(measured.value());
  EXPECT_FALSE(tree.root().energy);
  EXPECT_NEAR(tree.root().features.get(Feature::kTime),
              seconds_of(measured.value().tree.tree.root()), 1e-3);
  EXPECT_NE(bench.folder.read("data.windows.jsonl").find("\"energy_j\":null"), std::string::npos);
  EXPECT_EQ(bench.folder.read("data.windows.jsonl").find("\"energy_j\":0,"), std::string::npos);
}

TEST(Campaign, AnotherProcessOnTheGpuIsRefused) {
  const FakeNvml fake(std::string(kGpu) + "process 0 4711 1048576 55\n");
  Bench bench(fake.library());
  bench.options.session.allow_load = false;
  const Result<MeasuredPass> measured = bench.measure();
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(measured.error().message.find("other process"), std::string::npos);
}

// In a container NVML knows this process by an id that it does not know itself.
TEST(Campaign, TheProcessThatComesWithTheExecutorIsOurs) {
  const std::string another = std::string(kGpu) + "process 0 4711 1048576 55\n";
  std::optional<FakeNvml> fake(std::in_place, another);
  std::shared_ptr<const NvmlLibrary> again;
  MeterQuery meters;
  meters.nvml_library = fake->library();
  Result<Rig> opened = Rig::open(meters, ::getpid(), [&]() -> Result<std::unique_ptr<Executor>> {
    fake.emplace(another + "process 0 4712 1048576 55\n");
    again = NvmlLibrary::open(fake->library()).value();  // It reads its script.
    return std::unique_ptr<Executor>(std::make_unique<SleepingExecutor>("cuda", ""));
  });
  ASSERT_TRUE(opened.ok());
  Rig rig = std::move(opened).value();
  EXPECT_EQ(rig.other_processes(), 1);
}

// A dataset has no tree of kernels: their sizes are worked out from what it counts.
TEST(Campaign, ADatasetSaysWhatItsProductsAreInAnyPrecision) {
  for (const char* dtype : {"bf16", "fp32"}) {
    PassShape pass;
    pass.batch = 2;
    pass.seq = 8;
    pass.dtype = dtype;
    MeasuredPass answer;
    answer.tree = build_model("small", kConfig, "test", pass).value();
    answer.distinct = distinct_nodes(answer.tree.tree);
    answer.in_place.resize(answer.distinct.nodes.size());
    const DatasetTree tree = to_dataset(answer);
    const WorkTree work = work_of({&tree}).trees.front();
    int products = 0;
    for (const Node& node : answer.tree.tree.nodes()) {
      if (node.type != "Linear") continue;
      const auto found =
          std::find_if(tree.nodes.begin(), tree.nodes.end(), [&](const DatasetNode& other) {
            return other.scope == "root." + std::string(node.scope);
          });
      ASSERT_NE(found, tree.nodes.end()) << node.scope;
      const auto at = static_cast<std::size_t>(found - tree.nodes.begin());
      const Work expected = work_of(answer.tree.tree, node);
      const Work& seen = work.works[work.nodes[at].works];
      EXPECT_EQ(seen.kind, WorkKind::kGemm) << dtype << " " << node.scope;
      EXPECT_EQ(seen.m, expected.m) << dtype << " " << node.scope;
      EXPECT_EQ(seen.n, expected.n) << dtype << " " << node.scope;
      EXPECT_EQ(seen.k, expected.k) << dtype << " " << node.scope;
      EXPECT_EQ(seen.width, expected.width) << dtype << " " << node.scope;
      EXPECT_EQ(seen.weight_width, expected.weight_width) << dtype << " " << node.scope;
      ++products;
    }
    EXPECT_EQ(products, 7);
  }
}

// On a simulated GPU, where preparing a node takes half a second and products alone are at the cap:
// the whole of BERT-base, all levels, with the anchor, within a minute.
TEST(Campaign, BertBaseIsPlannedForAMinute) {
  PassShape pass;
  pass.batch = 16;
  pass.seq = 128;
  pass.dtype = "bf16";
  std::optional<BuiltModel> bert;
  for (const BundledModel& model : bundled_models()) {
    if (model.name != "bert-base-uncased") continue;
    Result<BuiltModel> built = build_model("bert", std::string(model.json), "bundled", pass);
    ASSERT_TRUE(built.ok());
    bert = std::move(built).value();
  }
  ASSERT_TRUE(bert);
  SimulatedMachine machine;
  SimulatedExecutor executor(
      machine,
      [&](const ModelTree& tree, std::int32_t index,
          const LaunchOptions& launch) -> Result<SimulatedWork> {
        machine.pass(kNanosPerSecond / 2, 100);
        const Node& node = tree.nodes()[static_cast<std::size_t>(index)];
        // Some 290 TFLOP/s and 3 TB/s, and no kernel under 2 us.
        const double run_s = std::max(2e-6, static_cast<double>(node.flops) / 2.9e14 +
                                                static_cast<double>(node.bytes) / 3e12);
        const bool is_product = node.type == "Linear" && node.flops > 1'000'000'000;
        const bool rests = launch.copies > 0;
        return SimulatedWork{run_s, is_product && !rests ? 700.0 : 600.0};
      });
  Watch watch(machine.meters(), Component::kGpu, {}, machine.clock());
  machine.attach(watch);
  machine.pass(kNanosPerSecond, 100);
  const DistinctNodes distinct = distinct_nodes(bert->tree);
  SessionOptions options;
  options.anchor.tree = &bert->tree;
  const TestFolder folder;
  Result<AppendFile> file = AppendFile::open(folder.path() / "w");
  ASSERT_TRUE(file.ok());
  AppendFile records = std::move(file).value();
  Figures figures;
  const auto result =
      run_session(jobs_of(bert->tree, distinct, {}, {CacheState::kInPlace}), executor, watch,
                  machine.conduct(), options, records, figures, [](const SessionProgress&) {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().ending, Ending::kDone);
  EXPECT_TRUE(result.value().skipped.empty());
  // Each distinct node, and three products with rest too.
  EXPECT_EQ(result.value().measured, distinct.nodes.size() + 3);
  EXPECT_LT(result.value().duration.value, 60);
  RecordProperty("seconds", std::to_string(result.value().duration.value));
}

TEST(Campaign, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(parse_caches("lukewarm").error().field, "cache");
  EXPECT_EQ(parse_caches("natural").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(session_options("mine", 0).error().field, "protocol");
  Bench bench("/nonexistent/libnvidia-ml.so.1");
  bench.folder.write("data.windows.jsonl", "{\"kind\":\"window\"}\n");
  bench.options.is_resumed = true;
  const auto measured = bench.measure();
  ASSERT_FALSE(measured.ok());
  EXPECT_NE(measured.error().message.find("data.windows.jsonl:1"), std::string::npos);
}

TEST(Campaign, AProtocolHasItsOwnLimitUnlessToldOtherwise) {
  EXPECT_EQ(session_options("", 0).value().node.limit_s, node_settings().limit_s);
  EXPECT_EQ(session_options("wattree", 2).value().node.limit_s, 2);
  EXPECT_EQ(session_options("irene", 0).value().whole.limit_s, irene_settings().limit_s);
  EXPECT_EQ(session_options("irene", 3).value().whole.window_s, irene_settings(3).window_s);
  EXPECT_FALSE(session_options("irene", 3).value().with_pauses);
}

}  // namespace
}  // namespace wattree
