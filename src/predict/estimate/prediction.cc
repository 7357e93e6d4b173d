#include "src/predict/estimate/prediction.h"

#include <algorithm>

#include "src/base/text.h"

namespace wattree {

Result<Prediction> predict(BuiltModel answer, const LoadedPredictor& by) {
  const std::vector<std::string>& dtypes = by.predictor->dtypes;
  const std::string dtype(name_of(answer.pass.precision));
  if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) {
    // Nothing that could be trained measures quantised weights.
    const bool is_quantized = weight_bits(answer.pass.precision) < 16;
    return Error{ErrorCode::kInvalidInput,
                 "the predictor " + by.predictor->name + " (" + by.origin + ") does not cover " +
                     dtype + ", but " + join(dtypes),
                 is_quantized ? "no predictor does: choose one of those with <dtype>"
                              : "choose the precision with <dtype>, another predictor with <on> or "
                                "<predictor>, or train one on data that has it",
                 "dtype", "unknown_dtype"};
  }
  Result<std::vector<NodeEstimate>> nodes =
      predict_tree(*by.predictor, *by.index, answer.tree, by.execution);
  if (!nodes.ok()) return nodes.error();
  const MemoryFit memory{memory_of(answer.tree), by.device_bytes};
  Prediction out{std::move(answer), std::move(nodes).value(), by, memory};
  for (const auto& [slow, note] : by.slow_dtypes) {
    if (slow == dtype) out.notes.push_back(note);
  }
  return out;
}

std::vector<std::string> with_notes(std::vector<std::string> notes, const Prediction& prediction) {
  notes.insert(notes.end(), prediction.notes.begin(), prediction.notes.end());
  return notes;
}

std::optional<std::int64_t> tokens_per_item(const BuiltModel& answer) {
  // Both read an image, whose part of the energy is nobody's token.
  if (answer.model_type == "clip") return std::nullopt;
  if (answer.pass.past > 0) return 1;
  const std::int64_t source = answer.has_text_source ? answer.pass.seq : 0;
  const std::int64_t target = answer.is_encoder_decoder ? answer.pass.target_len : 0;
  if (source + target == 0) return std::nullopt;
  return source + target;
}

}  // namespace wattree
