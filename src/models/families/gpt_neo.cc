// GPT-Neo (Black et al. 2021): GPT-2 with linear layers, unscaled scores in fp32, and windows that
// are only another constant mask.
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct GptNeo {
  std::int64_t vocab, positions, hidden, layers, heads, head_dim, inner;
  std::string activation;
  bool is_tied, has_padding_token;
  Cache cache;
};

// Every layer must be said to be global or local; the kernels are the same.
void check_attention_layers(ConfigReader& c, std::int64_t layers) {
  constexpr std::int64_t kDefaultLayers = 24;  // [[["global", "local"], 12]]
  const bool is_listed = c.has({"attention_layers"});
  const std::vector<std::string> kinds =
      is_listed ? c.text_list({"attention_layers"}) : c.repeated_texts({"attention_types"});
  const bool is_default = !is_listed && !c.has({"attention_types"});
  const auto count = is_default ? kDefaultLayers : static_cast<std::int64_t>(kinds.size());
  if (count != layers) {
    c.reject(
        is_listed ? "attention_layers" : "attention_types",
        "is for " + std::to_string(count) + " layers, but there are " + std::to_string(layers));
  }
  for (const std::string& kind : kinds) {
    if (kind != "global" && kind != "local") {
      c.reject("attention_types", "has an unknown entry \"" + kind + "\"");
    }
  }
}

GptNeo read(ConfigReader& c, const Trace& trace) {
  GptNeo m;
  m.vocab = c.size({"vocab_size"}, 50257);
  m.positions = c.size({"max_position_embeddings"}, 2048);
  m.hidden = c.size({"hidden_size"}, 2048);
  m.layers = c.layers({"num_hidden_layers", "num_layers"}, 24);
  m.heads = c.size({"num_attention_heads", "num_heads"}, 16);
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_heads");
  m.inner = c.size({"intermediate_size"}, 4 * m.hidden);
  m.activation = activation_field(c, {"activation_function"}, "gelu_new");
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  m.cache = {c.flag({"use_cache"}, true) || trace.pass().past > 0, trace.pass().past, {}};
  check_attention_layers(c, m.layers);
  check_positions(c, trace.pass().past + trace.pass().seq, m.positions, "max_position_embeddings",
                  length_field(trace.pass()));
  return m;
}

Tensor self_attention(const GptNeo& m, const Tensor& x, const Mask& mask) {
  Trace& trace = *x.trace;
  Module outer(trace, "attn", "GPTNeoAttention");
  Module self(trace, "attention", "GPTNeoSelfAttention");
  const Tensor q = split_heads(linear(x, "q_proj", m.hidden, Bias::kNo), m.head_dim);
  Tensor k = split_heads(linear(x, "k_proj", m.hidden, Bias::kNo), m.head_dim);
  Tensor v = split_heads(linear(x, "v_proj", m.hidden, Bias::kNo), m.head_dim);
  m.cache.update(k, v);
  const Tensor wide_q = q.to(DType::kFloat32);
  const Tensor wide_k = k.to(DType::kFloat32);
  Tensor scores = matmul(wide_q, wide_k.transpose(2, 3));
  // A buffer holds the causal mask, and the window of a local layer.
  const Tensor seen = trace.buffer(DType::kBool, {1, 1, m.positions, m.positions})
                          .slice(2, k.dim(2) - q.dim(2), k.dim(2))
                          .slice(3, 0, k.dim(2));
  scores = where(seen, scores, constant(trace, DType::kFloat32));
  if (mask) scores = scores + *mask;
  const Tensor weights = softmax(scores).to(v.dtype);
  const Tensor y = matmul(weights, v).transpose(1, 2).contiguous();
  return outer.returns(self.returns(linear(y.flatten_from(2), "out_proj", m.hidden)));
}

Tensor mlp(const GptNeo& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "GPTNeoMLP");
  const Tensor wide = activation(linear(x, "c_fc", m.inner), "act", m.activation);
  return self.returns(linear(wide, "c_proj", m.hidden));
}

Tensor block(const GptNeo& m, const Tensor& x, const Mask& mask, std::int64_t index) {
  Module self(*x.trace, item("h", index), "GPTNeoBlock");
  const Tensor attended = self_attention(m, layer_norm(x, "ln_1"), mask) + x;
  const Tensor fed = mlp(m, layer_norm(attended, "ln_2"));
  return self.returns(attended + fed);
}

DecoderOutput model(const GptNeo& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "GPTNeoModel");
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  const Tensor words = embedding(out.ids, "wte", m.vocab, m.hidden, &out.words);
  const Tensor places = position_ids(trace, pass.seq);
  if (!m.cache.used) check_packed_sequences(places, pass.batch);
  const Mask mask = causal_mask(trace, {pass.batch, pass.seq, m.cache.keys(pass.seq)});
  const Tensor positions = embedding(places, "wpe", m.positions, m.hidden);
  Tensor x = words + positions;
  for (std::int64_t i = 0; i < m.layers; ++i) x = block(m, x, mask, i);
  out.hidden = self.returns(layer_norm(x, "ln_f"));
  return out;
}

constexpr DecoderClasses<GptNeo> kDecoder{
    .prefix = "GPTNeo", .base = "transformer", .read = read, .model = model};

constexpr ModelClass kClasses[] = {
    {"GPTNeoModel", base_model<kDecoder>},
    {"GPTNeoForCausalLM", causal_lm<kDecoder>},
    {"GPTNeoForSequenceClassification", sequence_classification<kDecoder>},
    {"GPTNeoForTokenClassification", token_classification<kDecoder>},
    {"GPTNeoForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kGptNeo;
constexpr Family kGptNeo{"gpt_neo", kClasses, /*has_sdpa=*/false};

}  // namespace wattree
