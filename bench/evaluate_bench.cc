// IrEne's published data, from its files to errors on models left out, in one thread.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "src/measure/dataset/choose_models.h"
#include "src/measure/dataset/irene_import.h"
#include "src/predict/evaluate/irene.h"

namespace wattree {
namespace {

// Imports, and hands the trees of the six models over.
template <class Evaluate>
void run(benchmark::State& state, Evaluate evaluate) {
  const std::filesystem::path folder =
      std::filesystem::path(WATTREE_SOURCE_DIR) / "../shared/irene-dataset";
  if (!std::filesystem::exists(folder)) {
    return state.SkipWithError("IrEne's published data is not at hand");
  }
  for (auto _ : state) {
    const Result<Dataset> dataset = import_irene(folder);
    const EvaluationData data(choose_models(dataset.value().trees, {}).value().trees);
    benchmark::DoNotOptimize(evaluate(data, model_groups(data.work)));
  }
}

void Reconciled(benchmark::State& state) {
  run(state, [](const EvaluationData& data, const std::vector<Group>& groups) {
    return evaluate_reconciled(data.work, groups, {}).value().overall;
  });
}
BENCHMARK(Reconciled)->Unit(benchmark::kMillisecond);

void End2End(benchmark::State& state) {
  run(state, [](const EvaluationData& data, const std::vector<Group>& groups) {
    return evaluate_irene(data, groups, {}, 1).value().evaluation.overall;
  });
}
BENCHMARK(End2End)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wattree
