// The Llama-shaped decoder: pre-norm blocks of rotary attention (with grouped heads) and a gated
// MLP. Families of this shape fill in the figures and say what they do differently.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/models/config/config.h"
#include "src/models/families/family.h"
#include "src/models/families/heads.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

// Which masks a model makes. (What its cache keeps is another matter: any config with a
// `sliding_window` gets a cache that slides.)
enum class Masks {
  kFull,    // A causal one, whatever the window.
  kWindow,  // One for all layers: sliding where there is a window.
  kByKind,  // A causal one, and a sliding one where a layer slides.
  kBoth,    // Both in any case; without a window the sliding one hides everything.
};

// Where a layer's norms stand.
enum class NormPlace {
  kBefore,  // Before attention and feed-forward part.
  kAfter,   // After them, before their results are added.
  kAround,  // Both.
};

enum class HeadNorm {
  kNone,
  kEach,       // A norm over each head's queries and keys (q_norm, k_norm).
  kEachSplit,  // The same, once the heads lead: [b, h, s, d].
  kAll,        // One over all heads' queries, and one over their keys.
};

struct RopeDecoder;

// What a layer is given beside the hidden states.
struct LayerInput {
  std::int64_t index = 0;
  Rotary rotary;
  Mask mask;
};
using LayerPart = std::function<Tensor(const RopeDecoder&, const Tensor& x, const LayerInput&)>;

struct RopeDecoder {
  std::string prefix;  // "Llama": LlamaModel, LlamaAttention, LlamaRMSNorm, …
  std::int64_t vocab = 0, hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0,
               intermediate = 0;
  std::int64_t rotary_dim = 0;  // Dimensions of a head that turn; 0: all.
  std::string activation;
  Bias qkv_bias = Bias::kNo, output_bias = Bias::kNo, mlp_bias = Bias::kNo;
  HeadNorm head_norm = HeadNorm::kNone;
  NormPlace norm_place = NormPlace::kBefore;
  Masks masks = Masks::kFull;
  std::optional<std::int64_t> window = std::nullopt;  // Of the layers that slide.
  std::vector<bool> slides = {};  // Per layer; empty: all of them where there is a window.
  bool uses_cache = true, is_tied = false, has_padding_token = false;
  std::int64_t default_padding = 0;  // The padding token where has_padding_token is the default.
  RopeKind rope = RopeKind::kFixed;
  std::optional<RopeKind> sliding_rope = std::nullopt;  // Where layers that slide have their own.
  bool caps_scores = false, caps_logits = false;        // tanh(x / cap) * cap
  bool is_causal = true;          // Of the attention; the mask is causal in any case.
  bool sees_ahead = false;        // Neither is causal: the config's `is_causal` is false.
  bool overlays_masks = false;    // Causal masks are made and joined with ones that look ahead.
  bool turns_in_f32 = false;      // Rotary factors stay in fp32, and so do the rotated states.
  bool has_multipliers = false;   // Of embeddings, of what is added to the residual, of logits.
  bool scales_embedding = false;  // The rows of embed_tokens are multiplied by a factor.
  Tensor (*norm)(const Tensor& x, std::string_view name, std::string_view type) = rms_norm;
  std::string_view embedding = "embed_tokens", final_norm = "norm";
  std::string_view infix = "";      // "Text": Gemma3TextModel, but Gemma3ForCausalLM.
  std::string_view base = "model";  // The base model's name in the classes with a head.
  Bias head_bias = Bias::kNo;
  // Parts that a family writes itself: a whole layer, its attention, its feed-forward part.
  LayerPart own_layer = nullptr;
  LayerPart own_attention = nullptr;
  std::function<Tensor(const RopeDecoder&, const Tensor&, std::int64_t layer)> feed_forward =
      nullptr;
  std::function<void(Trace&)> after_head = nullptr;  // What ForCausalLM runs last.
  std::string_view answering_body = "model";         // The decoder in ForQuestionAnswering.

  std::int64_t rotary_size() const { return rotary_dim > 0 ? rotary_dim : head_dim; }
  std::string type(std::string_view suffix) const { return prefix + std::string(suffix); }
  std::string text_type(std::string_view suffix) const { return type(infix) + std::string(suffix); }
  bool slides_at(std::int64_t layer) const {
    return window && (slides.empty() || slides[static_cast<std::size_t>(layer)]);
  }
  bool has_cache(const Trace& trace) const { return uses_cache || trace.pass().past > 0; }
  Cache cache(const Trace& trace, std::int64_t layer) const;
};

// The fields all of these spell alike, with the family's defaults in `defaults`; heads and sizes
// are checked.
RopeDecoder read_rope_decoder(ConfigReader& config, const RopeDecoder& defaults);
// `layer_types`, where given, says which layers slide; only one with a window can.
void read_layer_types(ConfigReader& config, RopeDecoder& model);
// `sliding_window` and `layer_types`.
void read_window(ConfigReader& config, RopeDecoder& model,
                 std::optional<std::int64_t> otherwise = std::nullopt);
// The same where `use_sliding_window` must be set for the window to count, and the first
// `max_window_layers` do not slide, as Qwen's decoders have it.
void read_switched_window(ConfigReader& config, RopeDecoder& model);

// down(act(gate(x)) * up(x))
Tensor gated_mlp(const Tensor& x, std::string_view name, std::string_view type,
                 std::int64_t intermediate, std::string_view activation, Bias bias = Bias::kNo);

// Attention over turned heads [b, h, s, d], with the cache: [b, s, heads * d].
Tensor cached_attention(const RopeDecoder& model, const Tensor& q, const Tensor& k, const Tensor& v,
                        const LayerInput& input);

DecoderOutput rope_decoder_model(const RopeDecoder& model, Trace& trace, std::string_view name);

// The classes such families have.
void rope_decoder_base(const RopeDecoder& model, Trace& trace, ConfigReader& config);
void rope_decoder_causal_lm(const RopeDecoder& model, Trace& trace, ConfigReader& config);
void rope_decoder_classification(const RopeDecoder& model, Trace& trace, ConfigReader& config);
void rope_decoder_token_classification(const RopeDecoder& model, Trace& trace,
                                       ConfigReader& config);
void rope_decoder_question_answering(const RopeDecoder& model, Trace& trace, ConfigReader& config);

// One of the above as a ModelClass's build: {"LlamaModel", rope_decoder_class<read,
// rope_decoder_base>}.
template <RopeDecoder (*read)(ConfigReader&),
          void (*build)(const RopeDecoder&, Trace&, ConfigReader&)>
void rope_decoder_class(Trace& trace, ConfigReader& config) {
  build(read(config), trace, config);
}

}  // namespace wattree
