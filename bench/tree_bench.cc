// From the text of a config.json to the costed tree: what every prediction starts with.
#include <benchmark/benchmark.h>

#include <string_view>

#include "src/config/config.h"
#include "src/family/family.h"

namespace wattree {
namespace {

void parse_and_build(benchmark::State& state, std::string_view text) {
  for ([[maybe_unused]] auto _ : state) {
    const Result<Config> config = Config::parse(text, "bench");
    if (!config.ok()) {
      state.SkipWithError(config.error().message.c_str());
      break;
    }
    const Result<BuiltTree> built = build_tree(config.value(), {});
    if (!built.ok()) {
      state.SkipWithError(built.error().message.c_str());
      break;
    }
    benchmark::DoNotOptimize(built.value().tree.root().flops);
  }
}

// Every field has the library's default: bert-base-uncased, gpt2 and the first Llama 7B.
BENCHMARK_CAPTURE(parse_and_build, bert, R"({"model_type": "bert"})");
BENCHMARK_CAPTURE(parse_and_build, gpt2, R"({"model_type": "gpt2"})");
BENCHMARK_CAPTURE(parse_and_build, llama, R"({"model_type": "llama"})");

}  // namespace
}  // namespace wattree
