#include "src/measure/protocol/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "src/base/test_folder.h"
#include "src/measure/protocol/simulated.h"
#include "src/measure/protocol/small_tree.h"

namespace wattree {
namespace {

// What the small tree's nodes take, by node.
SimulatedWork work_of_node(std::int32_t node) {
  switch (node) {
    case 0: return {1e-3, 400};    // addmm: 0.4 J
    case 1: return {2e-4, 200};    // gelu: 0.04 J
    case 3: return {1.2e-3, 380};  // Block: 0.456 J
    case 8: return {1e-4, 150};    // LayerNorm: 0.015 J
    default: return {2.6e-3, 370};
  }
}

struct Bench {
  explicit Bench(const SimulatedOptions& simulated = {})
      : machine(simulated),
        executor(machine, [this](const ModelTree&, std::int32_t node,
                                 const LaunchOptions& launch) { return work(node, launch); }),
        watch(machine.meters(), machine.component(),
              {kHalfMillisecond, kTenMilliseconds, kStatePeriod, 4, 0}, machine.clock()),
        tree(small_tree()) {
    machine.attach(watch);
    machine.pass(kNanosPerSecond, simulated.idle_w);
    options.seconds_since_1970 = [this] { return machine.now / kNanosPerSecond; };
    for (const DistinctNode& node : distinct_nodes(tree).nodes) {
      const bool is_root = node.node == 9;
      Job job{&tree, node, is_root ? CacheState::kNatural : CacheState::kInPlace, {}, 0};
      job.pass.dtype = "fp32";
      job.weight = work_of_node(node.node).run_s * static_cast<double>(node.count);
      jobs.push_back(job);
    }
  }
  Result<SessionResult> run() {
    Result<AppendFile> file = AppendFile::open(folder.path() / "windows.jsonl");
    EXPECT_TRUE(file.ok());
    AppendFile open = std::move(file).value();
    return run_session(jobs, executor, watch, machine.conduct(), options, open, figures,
                       [this](const SessionProgress& p) { progress.push_back(p); });
  }
  const NodeFigures* find(std::int32_t node, bool is_paused = false) const {
    for (const auto& [key, figure] : figures) {
      for (const Job& job : jobs) {
        if (job.node.node == node && figure.key == job.node.key && figure.is_paused == is_paused) {
          return &figure;
        }
      }
    }
    return nullptr;
  }
  int lines(std::string_view kind) const {
    std::istringstream text(folder.read("windows.jsonl"));
    int count = 0;
    for (std::string line; std::getline(text, line);) {
      count += line.rfind("{\"kind\":\"" + std::string(kind) + "\"", 0) == 0 ? 1 : 0;
    }
    return count;
  }

  static constexpr Nanos kHalfMillisecond = kNanosPerMillisecond / 2;
  static constexpr Nanos kTenMilliseconds = 10 * kNanosPerMillisecond;
  static constexpr Nanos kStatePeriod = 100 * kNanosPerMillisecond;
  std::function<Result<SimulatedWork>(std::int32_t, const LaunchOptions&)> work =
      [](std::int32_t node, const LaunchOptions&) { return work_of_node(node); };
  SimulatedMachine machine;
  SimulatedExecutor executor;
  Watch watch;
  ModelTree tree;
  std::vector<Job> jobs;
  SessionOptions options;
  TestFolder folder;
  Figures figures;
  std::vector<SessionProgress> progress;
};

TEST(Distinct, SameKernelsAreMeasuredOnce) {
  const ModelTree tree = small_tree();
  const DistinctNodes distinct = distinct_nodes(tree);
  ASSERT_EQ(distinct.nodes.size(), 5U);
  EXPECT_EQ(distinct.of[0], distinct.of[4]);
  EXPECT_EQ(distinct.of[1], distinct.of[2]);  // A module of one kernel is that kernel.
  EXPECT_EQ(distinct.of[3], distinct.of[7]);
  EXPECT_NE(distinct.of[0], distinct.of[8]);
  EXPECT_EQ(distinct.nodes[static_cast<std::size_t>(distinct.of[1])].count, 2);
  EXPECT_EQ(distinct.nodes[static_cast<std::size_t>(distinct.of[9])].kernels, 5);
  for (const DistinctNode& node : distinct.nodes) EXPECT_EQ(node.key.size(), 16U);
}

TEST(Session, EveryDistinctNodeGetsItsJoules) {
  Bench bench;
  const auto result = bench.run();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().ending, Ending::kDone);
  EXPECT_EQ(result.value().measured, 5U);
  EXPECT_NEAR(result.value().idle.power->value, 100, 1);
  for (const auto& [node, joules] :
       {std::pair{0, 0.4}, {1, 0.04}, {3, 0.456}, {8, 0.015}, {9, 0.962}}) {
    ASSERT_NE(bench.find(node), nullptr) << node;
    EXPECT_NEAR(bench.find(node)->energy->value, joules, 0.01 * joules) << node;
    EXPECT_TRUE(bench.find(node)->is_settled);
    EXPECT_TRUE(bench.find(node)->doubts.empty()) << bench.find(node)->doubts.front();
  }
  EXPECT_EQ(bench.lines("header"), 1);
  EXPECT_EQ(bench.lines("window"), 5);
  EXPECT_EQ(bench.lines("footer"), 1);
  EXPECT_EQ(bench.executor.prepared.front(), 9);  // The whole comes first.
  EXPECT_EQ(bench.progress.back().done, 5U);
}

TEST(Session, GoesOnWhereItStopped) {
  Bench bench;
  bench.machine.is_stopped = [](SimulatedMachine& m) { return seconds(m.now) > 1004.5; };
  const auto first = bench.run();
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first.value().ending, Ending::kInterrupted);
  const std::size_t kept = bench.figures.size();
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, 5U);
  EXPECT_EQ(static_cast<std::size_t>(bench.lines("window")), kept);
  bench.machine.is_stopped = nullptr;
  bench.executor.prepared.clear();
  const auto second = bench.run();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second.value().measured, 5 - kept);
  EXPECT_EQ(bench.executor.prepared.size(), 5 - kept);
  EXPECT_EQ(bench.figures.size(), 5U);
}

TEST(Session, ABudgetTooShortTakesTheHeaviestFirst) {
  Bench bench;
  bench.options.budget_s = 3.6;
  const Nanos begun = bench.machine.now;
  const auto result = bench.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().ending, Ending::kBudget);
  EXPECT_LE(seconds(bench.machine.now - begun), 3.8);
  EXPECT_NE(bench.find(9), nullptr);
  EXPECT_EQ(bench.find(8), nullptr);  // The lightest is what there was no time for.
  ASSERT_FALSE(result.value().skipped.empty());
  EXPECT_EQ(result.value().skipped.back().why, "the time was up");
}

TEST(Session, OneBadNodeDoesNotCostTheOthers) {
  Bench bench;
  bench.work = [](std::int32_t node, const LaunchOptions&) -> Result<SimulatedWork> {
    if (node == 3) return Error{ErrorCode::kUnavailable, "out of memory: 80 GiB wanted", ""};
    return work_of_node(node);
  };
  const auto result = bench.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().ending, Ending::kDone);
  EXPECT_EQ(bench.figures.size(), 4U);
  ASSERT_EQ(result.value().skipped.size(), 1U);
  EXPECT_EQ(result.value().skipped[0].scope, "0");
  EXPECT_EQ(result.value().skipped[0].why, "out of memory: 80 GiB wanted");
  EXPECT_EQ(bench.lines("failure"), 1);
}

TEST(Session, ADeviceThatIsLostEndsItAndKeepsWhatIsThere) {
  Bench bench;
  bench.machine.is_stopped = [](SimulatedMachine& m) {
    m.is_lost = seconds(m.now) > 1005;
    return false;
  };
  const auto result = bench.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().ending, Ending::kLost);
  EXPECT_FALSE(result.value().lost.message.empty());
  EXPECT_GT(bench.figures.size(), 0U);
  EXPECT_LT(bench.figures.size(), 5U);
  EXPECT_EQ(bench.lines("footer"), 1);
}

TEST(Session, ABusyMachineIsRefusedOrMarked) {
  SimulatedOptions busy;
  busy.other_cpus = 2;  // Of four.
  {
    Bench bench(busy);
    const auto result = bench.run();
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("50 % of the processors"), std::string::npos)
        << result.error().message;
    EXPECT_EQ(bench.lines("window"), 0);
  }
  Bench bench(busy);
  bench.options.allow_load = true;
  ASSERT_TRUE(bench.run().ok());
  EXPECT_EQ(bench.find(0)->doubts.size(), 1U);
}

TEST(Session, AnotherProcessOnTheGpuIsRefusedOrMarked) {
  Bench bench;
  bench.options.other_processes = [] { return 2; };
  const auto refused = bench.run();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  bench.options.allow_load = true;
  ASSERT_TRUE(bench.run().ok());
  EXPECT_EQ(bench.find(0)->doubts, std::vector<std::string>{"other processes on the GPU"});
}

TEST(Session, WhatTheAnchorThrowsOutIsMeasuredAgain) {
  Bench bench;
  bench.options.anchor.tree = &bench.tree;
  bench.options.anchor.every_s = 2;
  // From the second job on everything takes 5 % more, until a block was thrown out.
  bench.machine.disturbance = [&](Nanos) {
    const bool is_over =
        bench.folder.read("windows.jsonl").find("\"is_good\":false") != std::string::npos;
    return !is_over && bench.progress.back().done >= 1 ? 1.05 : 1.0;
  };
  const auto result = bench.run();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_GE(result.value().discarded_blocks, 1);
  EXPECT_EQ(bench.figures.size(), 5U);
  EXPECT_GT(bench.lines("window"), 5);
  for (const auto& [node, joules] : {std::pair{0, 0.4}, {1, 0.04}, {3, 0.456}, {8, 0.015}}) {
    EXPECT_NEAR(bench.find(node)->energy->value, joules, 0.01 * joules) << node;
  }
}

TEST(Session, TheFirstAnchorWaitsForAWarmCard) {
  Bench bench;
  bench.options.anchor.tree = &bench.tree;
  bench.options.anchor.every_s = 2;
  // It takes 3 % less at first.
  std::optional<Nanos> begun;
  bench.machine.disturbance = [&](Nanos now) {
    if (!begun) begun = now;
    return 1 - 0.03 * std::exp(-seconds(now - *begun) / 4);
  };
  const auto result = bench.run();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().discarded_blocks, 0);
  EXPECT_GE(bench.lines("verdict"), 1);
}

TEST(Session, AHeavyNodeIsMeasuredWithRestToo) {
  Bench bench;
  bench.work = [](std::int32_t node, const LaunchOptions& launch) -> Result<SimulatedWork> {
    if (node != 0) return work_of_node(node);
    // Alone at the cap and slowed down; with rest in between faster and at more power.
    return launch.copies > 0 ? SimulatedWork{8e-4, 690} : SimulatedWork{1e-3, 700};
  };
  ASSERT_TRUE(bench.run().ok());
  ASSERT_NE(bench.find(0), nullptr);
  EXPECT_TRUE(bench.find(0)->is_capped);
  EXPECT_NEAR(bench.find(0)->energy->value, 0.7, 0.007);
  ASSERT_NE(bench.find(0, true), nullptr);
  EXPECT_FALSE(bench.find(0, true)->is_capped);
  EXPECT_NEAR(bench.find(0, true)->energy->value, 0.552, 0.0083);
  EXPECT_NEAR(bench.find(0, true)->time.value, 8e-4, 8e-6);
  EXPECT_EQ(bench.find(1, true), nullptr);
}

TEST(Session, WithoutMetersTimesAreKept) {
  SimulatedOptions none;
  none.has_gpu_counter = false;
  Bench bench(none);
  const auto result = bench.run();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().machine.boundary, "");
  ASSERT_NE(bench.find(0), nullptr);
  EXPECT_FALSE(bench.find(0)->energy);
  EXPECT_NEAR(bench.find(0)->time.value, 1e-3, 1e-6);
  EXPECT_NE(bench.folder.read("windows.jsonl").find("\"energy_j\":null"), std::string::npos);
}

TEST(AppendFile, ATornLastLineIsTakenOff) {
  const TestFolder folder;
  folder.write("f", "one\ntwo\nthr");
  {
    Result<AppendFile> file = AppendFile::open(folder.path() / "f");
    ASSERT_TRUE(file.ok());
    AppendFile open = std::move(file).value();
    EXPECT_TRUE(open.append("four").ok());
  }
  EXPECT_EQ(folder.read("f"), "one\ntwo\nfour\n");
}

}  // namespace
}  // namespace wattree
