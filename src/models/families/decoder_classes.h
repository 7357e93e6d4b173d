// The classes of a decoder-only family that writes its model itself: the base model, and the same
// model under each of the usual heads.
#pragma once

#include <string>
#include <string_view>

#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"

namespace wattree {

// `Model`: the figures read from a config; it says `is_tied` and `has_padding_token`.
template <class Model>
struct DecoderClasses {
  std::string_view prefix;  // "GPT2": GPT2Model, GPT2ForSequenceClassification, …
  std::string_view base;    // The base model's name in the classes with a head.
  Model (*read)(ConfigReader&, const Trace&);
  DecoderOutput (*model)(const Model&, Trace&, std::string_view name);
  std::string_view causal_lm = "ForCausalLM";
  Bias head_bias = Bias::kNo;
  bool answers_by_labels = false;  // The scores of ForQuestionAnswering are the config's labels.

  // Opens the class, runs the base model in it, and gives its output to `head`.
  template <class Head>
  void build(Trace& trace, ConfigReader& config, std::string_view suffix, const Head& head) const {
    const Model figures = read(config, trace);
    if (!config.ok()) return;
    Module self(trace, "", std::string(prefix) + std::string(suffix));
    const DecoderOutput out = model(figures, trace, base);
    trace.keep(out.hidden);
    self.returns(head(figures, out));
  }
};

template <const auto& classes>
void base_model(Trace& trace, ConfigReader& config) {
  const auto figures = classes.read(config, trace);
  if (config.ok()) classes.model(figures, trace, "");
}

template <const auto& classes>
void causal_lm(Trace& trace, ConfigReader& config) {
  classes.build(trace, config, classes.causal_lm, [](const auto& m, const DecoderOutput& out) {
    return language_model_head(kept_positions(out.hidden), "lm_head", out.words, m.is_tied,
                               classes.head_bias);
  });
}

template <const auto& classes>
void sequence_classification(Trace& trace, ConfigReader& config) {
  classes.build(
      trace, config, "ForSequenceClassification", [&](const auto& m, const DecoderOutput& out) {
        return last_token_classification(out.hidden, out.ids, config, "score", m.has_padding_token);
      });
}

template <const auto& classes>
void token_classification(Trace& trace, ConfigReader& config) {
  classes.build(trace, config, "ForTokenClassification",
                [&](const auto&, const DecoderOutput& out) {
                  return linear(out.hidden, "classifier", label_count(config));
                });
}

template <const auto& classes>
void question_answering(Trace& trace, ConfigReader& config) {
  classes.build(trace, config, "ForQuestionAnswering", [&](const auto&, const DecoderOutput& out) {
    return classes.answers_by_labels ? question_answering_head(out.hidden, config)
                                     : question_answering_head(out.hidden);
  });
}

}  // namespace wattree
