#include "src/models/families/pre_norm_encoder.h"

#include "src/models/families/fields.h"

namespace wattree {

PreNormEncoder read_pre_norm_encoder(ConfigReader& c, const PreNormEncoder& defaults) {
  PreNormEncoder e = defaults;
  e.hidden = c.size({"hidden_size"}, defaults.hidden);
  e.layers = c.layers({"num_hidden_layers"}, defaults.layers);
  e.heads = c.size({"num_attention_heads"}, defaults.heads);
  e.head_dim = c.divide(e.hidden, e.heads, "hidden_size", "num_attention_heads");
  e.intermediate = c.size({"intermediate_size"}, defaults.intermediate);
  e.activation = activation_field(c, {"hidden_act"}, defaults.activation);
  return e;
}

namespace {

Tensor self_attention(const PreNormEncoder& e, const PreNormNames& names, const Tensor& x,
                      const AttentionOptions& options) {
  Module self(*x.trace, names.attention_name, names.attention);
  const std::int64_t width = saturating_mul(e.heads, e.head_dim);
  const Tensor q = split_heads(linear(x, "q_proj", width, e.qkv_bias), e.head_dim);
  const Tensor k = split_heads(linear(x, "k_proj", width, e.qkv_bias), e.head_dim);
  const Tensor v = split_heads(linear(x, "v_proj", width, e.qkv_bias), e.head_dim);
  const Tensor y = attention(q, k, v, options).flatten_from(2);
  return self.returns(linear(y, names.output_name, e.hidden));
}

Tensor mlp(const PreNormEncoder& e, const PreNormNames& names, const Tensor& x) {
  Module self(*x.trace, "mlp", names.mlp);
  Tensor y = linear(x, "fc1", e.intermediate);
  y = activation(y, "activation_fn", e.activation);
  return self.returns(linear(y, "fc2", e.hidden));
}

Tensor layer(const PreNormEncoder& e, const PreNormNames& names, const Tensor& x,
             const AttentionOptions& options, std::int64_t index) {
  Module self(*x.trace, item("layers", index), names.layer);
  const Tensor attended = x + self_attention(e, names, layer_norm(x, names.first_norm), options);
  const Tensor fed = mlp(e, names, layer_norm(attended, names.second_norm));
  return self.returns(attended + fed);
}

}  // namespace

Tensor pre_norm_layers(const PreNormEncoder& e, const PreNormNames& names, Tensor x,
                       const AttentionOptions& options) {
  for (std::int64_t i = 0; i < e.layers; ++i) x = layer(e, names, x, options, i);
  return x;
}

Tensor patch_tokens(const Tensor& pixels, std::string_view name, std::int64_t hidden,
                    const Dims& patch, Bias bias) {
  return conv2d(pixels, name, hidden, patch, patch, bias).flatten_from(2).transpose(1, 2);
}

}  // namespace wattree
