// From a config's text to a costed tree: how long, and how that grows.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/build_tree.h"

namespace wattree {
namespace {

void BertBase(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(build(R"({"model_type":"bert"})", 16, 128));
}
BENCHMARK(BertBase)->Unit(benchmark::kMicrosecond);

std::string llama(std::int64_t layers) {
  return R"({"model_type":"llama","hidden_size":8192,"num_attention_heads":64,)"
         R"("num_key_value_heads":8,"intermediate_size":28672,"num_hidden_layers":)" +
         std::to_string(layers) + "}";
}

void Llama80(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(build(llama(80), 1, 128));
}
BENCHMARK(Llama80)->Unit(benchmark::kMicrosecond);

// Nodes per second must not fall as the tree grows to a million nodes.
void Nodes(benchmark::State& state) {
  std::size_t nodes = 0;
  for (auto _ : state) {
    const ModelTree tree = build(llama(state.range(0)), 1, 128);
    nodes = tree.nodes().size();
    benchmark::DoNotOptimize(tree.root().flops);
  }
  state.counters["nodes"] = static_cast<double>(nodes);
}
BENCHMARK(Nodes)->Arg(200)->Arg(2'000)->Arg(19'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wattree
