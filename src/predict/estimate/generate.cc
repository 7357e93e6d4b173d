#include "src/predict/estimate/generate.h"

#include <algorithm>

namespace wattree {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 32;  // As of any sequence.

bool has_vocabulary(std::string_view class_name) {
  for (const std::string_view part :
       {"LMHead", "ForCausalLM", "ForConditionalGeneration", "MTModel"}) {
    if (class_name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string better_class(const BuiltModel& answer) {
  if (has_vocabulary(answer.class_name)) return "";
  const Family* family = find_family(answer.model_type);
  if (family == nullptr) return "";
  for (const ModelClass& known : family->classes) {
    if (has_vocabulary(known.name)) return std::string(known.name);
  }
  return "";
}

Result<Prediction> predict_pass(const std::string& model, const ModelText& text,
                                const PassShape& query, const LoadedPredictor& by) {
  Result<BuiltModel> answer = build_model(model, text.json, text.origin, query);
  if (!answer.ok()) return answer.error();
  return predict(std::move(answer).value(), by);
}

}  // namespace

Result<Generation> generate(const std::string& model, const ModelText& text,
                            const GenerateQuery& query, const LoadedPredictor& by,
                            const ShowProgress& progress) {
  if (query.steps < 1 || query.steps > kLongest) {
    return Error{ErrorCode::kInvalidInput,
                 "<generate> " + std::to_string(query.steps) + ": it must be between 1 and " +
                     std::to_string(kLongest),
                 "", "generate"};
  }
  PassShape prompt = query.tree;
  prompt.past.reset();
  prompt.logits_to_keep = 1;  // The framework's generate() asks for the last position alone.
  // A decoder begins with one token, its start; only an encoder-decoder looks at this.
  if (!prompt.target_len) prompt.target_len = 1;
  Result<Prediction> prefill = predict_pass(model, text, prompt, by);
  if (!prefill.ok()) return prefill.error();
  Generation out{std::move(prefill).value(), query.steps, 0, {}, {}, {}, "", {}, {}};
  out.memory = out.prefill.memory;
  const BuiltModel& answer = out.prefill.built;
  out.better_class = better_class(answer);
  const std::int64_t cached = answer.is_encoder_decoder ? answer.pass.target_len : answer.pass.seq;

  const auto step_at = [&](std::int64_t step) -> Result<DecodeStep> {
    PassShape one = query.tree;
    one.seq = answer.pass.seq;
    one.past = cached + step;
    const Result<Prediction> prediction = predict_pass(model, text, one, by);
    if (!prediction.ok()) return prediction.error();
    if (step == query.steps - 1) {
      out.notes = prediction.value().built.notes;
      const PassMemory need = memory_of(prediction.value().built.tree, OldCache::kReplaced);
      if (need.peak() > out.memory.need.peak()) out.memory.need = need;
    }
    return DecodeStep{cached + step, prediction.value().root()};
  };
  // The last step first: it is the one that a model may be too short for.
  const Result<DecodeStep> last = step_at(query.steps - 1);
  if (!last.ok()) return last.error();
  const Result<DecodeStep> first = step_at(0);
  if (!first.ok()) return first.error();
  out.last = last.value();
  out.first = first.value();

  out.predicted_steps = std::min(query.steps, kMostSteps);
  const auto n = static_cast<double>(query.steps);
  const auto begin_of = [&](std::int64_t part) {
    return static_cast<std::int64_t>(n * static_cast<double>(part) /
                                     static_cast<double>(out.predicted_steps));
  };
  for (std::int64_t part = 0; part < out.predicted_steps; ++part) {
    const std::int64_t begin = begin_of(part);
    const std::int64_t end = begin_of(part + 1);
    const Result<DecodeStep> step = step_at(begin + (end - begin - 1) / 2);
    if (!step.ok()) return step.error();
    out.decode += step.value().estimate * static_cast<double>(end - begin);
    if (progress) {
      progress(static_cast<double>(part + 1) / static_cast<double>(out.predicted_steps));
    }
  }
  return out;
}

}  // namespace wattree
