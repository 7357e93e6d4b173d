// The BERT-shaped encoder: embeddings of words, positions and token types, post-norm layers, and an
// optional pooler over the first token. Families of this shape fill in the figures and say what
// they do differently. Where the config says `is_decoder`, the same layers run as a causal decoder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "src/models/config/config.h"
#include "src/models/families/family.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

struct BertLike {
  std::string prefix;     // "Bert": BertModel, BertLayer, …
  std::string base = "";  // The model's name inside a model with a head: "bert".
  std::int64_t vocab = 30522, hidden = 768, layers = 12, heads = 12, head_dim = 64,
               intermediate = 3072, positions = 512;
  std::int64_t types = 2;      // Token types; zero: there are none.
  std::int64_t embedding = 0;  // Width of the embeddings; zero: the hidden size.
  std::int64_t labels = 2;     // Of a classification head.
  std::string activation = "gelu";
  bool is_tied = true;
  // The padding token's id where positions are counted from the ids: the first one is at padding +
  // 1.
  std::optional<std::int64_t> padding = std::nullopt;
  bool may_decode = false;  // The family knows `is_decoder`.
  bool is_decoder = false;
  Cache cache = {false, 0, {}};
  std::string embeddings_type = "";  // The class of the embeddings, where the prefix is not in it.

  // The parts that differ in kind: both get the model and its hidden states.
  using Part = std::function<Tensor(const BertLike&, const Tensor&)>;
  Part encoder = nullptr;  // BERT's where absent.
  Part pooler = nullptr;   // None where absent.

  std::string type(std::string_view suffix) const { return prefix + std::string(suffix); }
};

// The fields all of these spell alike; `model` holds the family's defaults.
BertLike read_bert_like(ConfigReader& config, const Trace& trace, BertLike model);
// The end of reading, for a family that spells its sizes otherwise: the fields of every config, and
// whether all fit together.
void finish_reading(ConfigReader& config, const Trace& trace, BertLike& model);
// RoBERTa and its twins, which have the same config class but for the size of the vocabulary.
BertLike read_roberta_like(ConfigReader& config, const Trace& trace, std::string_view prefix,
                           std::int64_t vocab);

struct BertOutput {
  Tensor hidden;
  Tensor pooled;  // Where there is a pooler.
  Tensor words;   // The word embedding's weight.
};
enum class Pooler : bool { kNo, kYes };
BertOutput bert_like_model(const BertLike& model, Trace& trace, std::string_view name,
                           Pooler pooler);

// --- parts ---
// Dense, then the residual, then the norm: both halves of a layer end so.
Tensor residual_output(const Tensor& x, const Tensor& residual, std::string_view type);
// The second half of a layer: `intermediate` and `output`.
Tensor feed_forward(const BertLike& model, const Tensor& x);
Tensor bert_pooler(const BertLike& model, const Tensor& x);
// The `decoder` of a head whose module is open and owns a bias. Where the weights are tied, that
// bias is the decoder's as well; otherwise nothing uses it.
Tensor vocabulary_decoder(const BertLike& model, const Tensor& x, const Tensor& words);
// {prefix}ClassificationHead over the first token; `activates` between its two layers.
Tensor classification_head(const BertLike& model, const Tensor& hidden,
                           const std::function<Tensor(const Tensor&)>& activates);

// --- classes ---
void bert_like_base(const BertLike& model, Trace& trace, ConfigReader& config);
// {prefix}LMHead over every token.
void bert_like_masked_lm(const BertLike& model, Trace& trace, ConfigReader& config);
void bert_like_causal_lm(const BertLike& model, Trace& trace, ConfigReader& config);
// A linear layer over the pooled first token, and the classification head with a tanh.
void pooled_classification(const BertLike& model, Trace& trace, ConfigReader& config);
void first_token_classification(const BertLike& model, Trace& trace, ConfigReader& config);
void bert_like_token_classification(const BertLike& model, Trace& trace, ConfigReader& config);
void bert_like_question_answering(const BertLike& model, Trace& trace, ConfigReader& config);

// A model class from the family's reader and one of the above.
template <BertLike (*read)(ConfigReader&, const Trace&),
          void (*run)(const BertLike&, Trace&, ConfigReader&)>
void bert_like_class(Trace& trace, ConfigReader& config) {
  const BertLike model = read(config, trace);
  if (config.ok()) run(model, trace, config);
}

}  // namespace wattree
