// Any bytes as a predictor file of either kind: an error, or a predictor that survives being
// written and read again, and whose predictions are finite or absent.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/predict/fit/annotate.h"
#include "src/predict/fit/synthetic_trees.h"
#include "src/predict/predictor/predictor_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  auto read = parse_any_predictor({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!read.ok()) return 0;
  const auto written = [](const AnyPredictor& predictor) {
    return std::visit([](const auto& p) { return to_json(p); }, predictor);
  };
  const std::string text = written(read.value());
  const auto again = parse_any_predictor(text, "again");
  if (!again.ok() || written(again.value()) != text) __builtin_trap();
  Annotator annotator(std::move(read).value());
  for (std::size_t known = 0; known < kKnownCount; ++known) {
    DatasetTree tree = synthetic_tree("m", 3, 77, 320);
    annotator.annotate(tree, {static_cast<Known>(known), true});
    for (const DatasetNode& node : tree.nodes) {
      for (const auto& energy :
           {node.predicted, node.predicted_low, node.predicted_high, node.predicted_own}) {
        if (energy && !std::isfinite(energy->value)) __builtin_trap();
      }
    }
  }
  return 0;
}
