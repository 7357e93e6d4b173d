// Any bytes as an IrEne model: an error, or a model that survives being written and read again, and
// that predicts finite numbers or nothing.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/predict/irene/model_json.h"
#include "src/predict/irene/predict.h"
#include "src/predict/irene/test_trees.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const auto model = read_irene({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!model.ok()) return 0;
  JsonWriter json;
  write_irene(json, model.value());
  const auto again = read_irene(json.take(), "again");
  if (!again.ok() || again.value() != model.value()) __builtin_trap();
  const DatasetTree tree = sample_trees(1)[3];
  for (const auto& energy : predict_irene(model.value(), tree).energies) {
    if (energy && !std::isfinite(energy->value)) __builtin_trap();
  }
  return 0;
}
