#include "src/models/families/heads.h"

#include "src/models/families/fields.h"

namespace wattree {

Tensor kept_positions(const Tensor& hidden) {
  const std::int64_t keep = hidden.trace->pass().logits_to_keep;
  return keep > 0 && keep < hidden.dim(1) ? hidden.slice(1, -keep, hidden.dim(1)) : hidden;
}

Tensor language_model_head(const Tensor& hidden, std::string_view name, const Tensor& embedding,
                           bool is_tied, Bias bias) {
  return is_tied ? tied_linear(hidden, name, embedding, bias)
                 : linear(hidden, name, embedding.size[0], bias);
}

Tensor last_token_classification(const Tensor& hidden, const Tensor& ids, ConfigReader& config,
                                 std::string_view name, bool has_padding_token) {
  Trace& trace = *hidden.trace;
  const Tensor logits = linear(hidden, name, label_count(config), Bias::kNo);
  if (!has_padding_token) {
    // Without a padding token only a batch of one can be run, and its last token is at -1.
    if (trace.pass().batch != 1)
      config.reject("pad_token_id", "is needed to classify more than one sequence");
    const Tensor rows = arange(trace, hidden.dim(0));
    return index(logits.select(1), {&rows});
  }
  const Tensor is_text = predicate(Op::kNe, ids).to(DType::kInt32);
  const Tensor places = arange(trace, ids.dim(1), DType::kInt32);
  const Tensor last = reduce(Op::kArgmax, places * is_text, -1, false);
  const Tensor rows = arange(trace, hidden.dim(0));
  return index(logits, {&rows, &last});
}

Tensor question_answering_head(const Tensor& hidden, std::string_view name) {
  const Tensor scores = linear(hidden, name, 2);
  const Tensor start = scores.slice(-1, 0, 1).squeeze(-1).contiguous();
  scores.slice(-1, 1, 2).squeeze(-1).contiguous();
  return start;
}

Tensor question_answering_head(const Tensor& hidden, ConfigReader& config, std::string_view name) {
  if (label_count(config) != 2)
    config.reject("num_labels", "must be 2 to answer questions: a start and an end");
  return question_answering_head(hidden, name);
}

}  // namespace wattree
