// The first GPT (Radford et al. 2018): post-norm blocks, a mask by multiplication, no cache.
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct Act {
  std::string_view name, type, function;
};
// The functions this model knows, by its own names.
constexpr Act kActs[] = {
    {"gelu", "NewGELUActivation", "gelu_new"},
    {"relu", "ReLU", "relu"},
    {"silu", "SiLUActivation", "silu"},
    {"swish", "SiLUActivation", "silu"},
};

struct OpenAiGpt {
  std::int64_t vocab, positions, hidden, layers, heads, head_dim;
  Act act;
  bool is_tied, has_padding_token;
};

OpenAiGpt read(ConfigReader& c, const Trace& trace) {
  OpenAiGpt m;
  m.vocab = c.size({"vocab_size"}, 40478);
  m.positions = c.size({"max_position_embeddings", "n_positions"}, 512);
  m.hidden = c.size({"hidden_size", "n_embd"}, 768);
  m.layers = c.layers({"num_hidden_layers", "n_layer"}, 12);
  m.heads = c.size({"num_attention_heads", "n_head"}, 12);
  m.head_dim = c.divide(m.hidden, m.heads, "n_embd", "n_head");
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  const std::string function = c.text({"afn"}, "gelu");
  for (const Act& act : kActs) {
    if (act.name == function) m.act = act;
  }
  if (m.act.name.empty()) c.reject("afn", "names an unknown activation \"" + function + "\"");
  check_positions(c, trace.pass().seq, m.positions, "n_positions", length_field(trace.pass()));
  is_full_pass(c, trace);
  return m;
}

Tensor self_attention(const OpenAiGpt& m, const Tensor& x) {
  Trace& trace = *x.trace;
  Module self(trace, "attn", "Attention");
  const Tensor qkv = conv1d_linear(x, "c_attn", 3 * m.hidden);
  auto heads = [&](std::int64_t part) {
    return split_heads(qkv.slice(2, part * m.hidden, (part + 1) * m.hidden), m.head_dim);
  };
  Tensor scores = matmul(heads(0), heads(1).transpose(2, 3));
  scores = scores / 1.0;
  // The mask is a buffer of ones and zeros: scores * mask + -1e4 * (1 - mask).
  const Tensor mask = trace.buffer(trace.dtype(), {1, 1, m.positions, m.positions})
                          .slice(2, 0, x.dim(1))
                          .slice(3, 0, x.dim(1));
  const Tensor seen = scores * mask;
  const Tensor hidden = 1.0 - mask;
  const Tensor lowered = -1e4 * hidden;
  const Tensor weights = softmax(seen + lowered);
  const Tensor y = matmul(weights, heads(2)).transpose(1, 2).contiguous();
  return self.returns(conv1d_linear(y.flatten_from(2), "c_proj", m.hidden));
}

Tensor mlp(const OpenAiGpt& m, const Tensor& x, std::string_view model, std::int64_t layer) {
  Trace& trace = *x.trace;
  Module self(trace, "mlp", "MLP");
  Tensor y = conv1d_linear(x, "c_fc", 4 * m.hidden);
  {
    // One activation module serves all layers, and bears the first one's name.
    const std::string scope = "/" + std::string(model) + (model.empty() ? "" : ".") + "h.0.mlp.act";
    Module act(trace, scope, m.act.type, Module::Kind::kMl, static_cast<std::int32_t>(layer));
    y = act.returns(activation_kernels(y, m.act.function));
  }
  return self.returns(conv1d_linear(y, "c_proj", m.hidden));
}

Tensor block(const OpenAiGpt& m, const Tensor& x, std::string_view model, std::int64_t index) {
  Module self(*x.trace, item("h", index), "Block");
  const Tensor attended = x + self_attention(m, x);
  const Tensor n = layer_norm(attended, "ln_1");
  const Tensor fed = n + mlp(m, n, model, index);
  return self.returns(layer_norm(fed, "ln_2"));
}

DecoderOutput model(const OpenAiGpt& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "OpenAIGPTModel");
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  look_for_padding(out.ids, m.has_padding_token);
  const Tensor words = embedding(out.ids, "tokens_embed", m.vocab, m.hidden, &out.words);
  const Tensor places = trace.buffer(DType::kInt64, {1, m.positions}).slice(1, 0, pass.seq);
  const Tensor positions = embedding(places, "positions_embed", m.positions, m.hidden);
  Tensor x = words + positions;
  x = x + 0.0;  // No token types.
  for (std::int64_t i = 0; i < m.layers; ++i) x = block(m, x, name, i);
  out.hidden = self.returns(x);
  return out;
}

constexpr DecoderClasses<OpenAiGpt> kDecoder{.prefix = "OpenAIGPT",
                                             .base = "transformer",
                                             .read = read,
                                             .model = model,
                                             .causal_lm = "LMHeadModel"};

constexpr ModelClass kClasses[] = {
    {"OpenAIGPTModel", base_model<kDecoder>},
    {"OpenAIGPTLMHeadModel", causal_lm<kDecoder>},
    {"OpenAIGPTForSequenceClassification", sequence_classification<kDecoder>},
};

}  // namespace

extern const Family kOpenAiGpt;
constexpr Family kOpenAiGpt{"openai-gpt", kClasses, /*has_sdpa=*/false};

}  // namespace wattree
