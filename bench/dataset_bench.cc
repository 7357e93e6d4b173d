// Datasets: from files to trees and back.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/file.h"
#include "src/measure/dataset/irene_import.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"

namespace wattree {
namespace {

DatasetNode node_of(const std::string& tree, const std::string& scope, NodeType type,
                    std::size_t seed) {
  DatasetNode node;
  node.scope = scope;
  node.id = tree + "/" + scope;
  node.instance_type = type == NodeType::kMl ? "Linear" : "BertLayer";
  node.type = type;
  // Sixteen digits each, as measured means have.
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    node.features.set(static_cast<Feature>(i), static_cast<double>(seed * 31 + i) / 7.0);
  }
  node.energy = Joules(static_cast<double>(seed) / 3.0);
  return node;
}

// As many nodes and bytes as a published dataset has: 107 trees of 12 layers with 16 leaves each.
std::vector<DatasetTree> trees() {
  std::vector<DatasetTree> out;
  for (std::size_t t = 0; t < 107; ++t) {
    const std::string name = "model-" + std::to_string(t);
    DatasetTree tree{name, 8, 32, "", "", {}};
    for (std::size_t layer = 0; layer < 12; ++layer) {
      const std::string scope = "root.encoder." + std::to_string(layer);
      const auto first = static_cast<std::int32_t>(tree.nodes.size());
      for (std::size_t leaf = 0; leaf < 16; ++leaf) {
        tree.nodes.push_back(node_of(name, scope + ".attention.self.query" + std::to_string(leaf),
                                     NodeType::kMl, t + layer + leaf));
        tree.nodes.back().first = first + static_cast<std::int32_t>(leaf);
        tree.nodes.back().parent = first + 16;
      }
      tree.nodes.push_back(node_of(name, scope, NodeType::kModule, t + layer));
      tree.nodes.back().first = first;
      tree.nodes.back().parent = 12 * 17;
    }
    tree.nodes.push_back(node_of(name, "root", NodeType::kModel, t));
    out.push_back(std::move(tree));
  }
  return out;
}

void set_size(benchmark::State& state, std::uintmax_t bytes) {
  state.counters["mb"] = static_cast<double>(bytes) / 1e6;
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) *
                          static_cast<std::int64_t>(state.iterations()));
}

void ReadJsonLines(benchmark::State& state) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "wattree-dataset-bench.jsonl";
  if (!write_dataset(path, trees()).ok()) return state.SkipWithError("cannot write the dataset");
  for (auto _ : state) benchmark::DoNotOptimize(read_dataset(path).value().trees.size());
  set_size(state, std::filesystem::file_size(path));
  std::filesystem::remove(path);
}
BENCHMARK(ReadJsonLines)->Unit(benchmark::kMillisecond);

void WriteJsonLines(benchmark::State& state) {
  const std::vector<DatasetTree> all = trees();
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (const DatasetTree& tree : all) bytes += to_json_line(tree).size();
  }
  set_size(state, bytes);
}
BENCHMARK(WriteJsonLines)->Unit(benchmark::kMillisecond);

void ImportIrene(benchmark::State& state) {
  const std::filesystem::path folder =
      std::filesystem::path(WATTREE_SOURCE_DIR) / "../shared/irene-dataset";
  if (!std::filesystem::exists(folder)) {
    return state.SkipWithError("IrEne's published data is not at hand");
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += entry.file_size();
  for (auto _ : state) benchmark::DoNotOptimize(import_irene(folder).value().trees.size());
  set_size(state, bytes);
}
BENCHMARK(ImportIrene)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wattree
