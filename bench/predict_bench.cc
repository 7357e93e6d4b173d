// Predicting a tree that is there already: how long, and how that grows.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/build_tree.h"
#include "src/base/file.h"
#include "src/models/tree/memory.h"
#include "src/predict/predictor/predictor_file.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

// The tests' predictor, with as many measured kernels as a real one has: looking them up is part of
// the work.
Predictor predictor() {
  const std::string path = WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json";
  Predictor out = parse_predictor(read_file(path).value(), path).value();
  for (int i = 1; i <= 5'000; ++i) {
    Twin twin = out.twins.front();
    twin.work.m = 2048 + i;
    out.twins.push_back(twin);
  }
  return out;
}

void predict(benchmark::State& state, const ModelTree& tree) {
  const Predictor fitted = predictor();
  const TwinIndex index(fitted);
  for (auto _ : state) benchmark::DoNotOptimize(predict_tree(fitted, index, tree));
  state.counters["nodes"] = static_cast<double>(tree.nodes().size());
}

void BertBase(benchmark::State& state) {
  predict(state, build(R"({"model_type":"bert"})", 16, 128));
}
BENCHMARK(BertBase)->Unit(benchmark::kMicrosecond);

// What a prediction says besides.
void BertBaseMemory(benchmark::State& state) {
  const ModelTree tree = build(R"({"model_type":"bert"})", 16, 128);
  for (auto _ : state) benchmark::DoNotOptimize(memory_of(tree));
}
BENCHMARK(BertBaseMemory)->Unit(benchmark::kMicrosecond);

// Time per node must not grow with the tree, up to a million nodes.
void Nodes(benchmark::State& state) {
  predict(state, build(R"({"model_type":"llama","hidden_size":8192,"num_attention_heads":64,)"
                       R"("num_key_value_heads":8,"intermediate_size":28672,"num_hidden_layers":)" +
                           std::to_string(state.range(0)) + "}",
                       1, 128));
}
BENCHMARK(Nodes)->Arg(2'000)->Arg(18'200)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wattree
