// Whisper (Radford et al. 2022): speech in, text out. The encoder's length is fixed by the config.
#include "src/models/families/bart_layers.h"
#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"
#include "src/models/families/seq2seq.h"

namespace wattree {
namespace {

struct Whisper {
  BartLayers layers;
  std::int64_t vocab, mel_bins, source_positions, target_positions;
  bool is_tied;
};

Whisper read(ConfigReader& c, const Trace& trace) {
  Whisper m;
  m.layers = read_bart_layers(c, trace,
                              {.prefix = "Whisper",
                               .hidden = 384,
                               .encoder = {.layers = 4, .heads = 6, .inner = 1536},
                               .decoder = {.layers = 4, .heads = 6, .inner = 1536},
                               .is_whisper = true});
  m.vocab = c.size({"vocab_size"}, 51865);
  m.mel_bins = c.size({"num_mel_bins"}, 80);
  m.source_positions = c.size({"max_source_positions"}, 1500);
  m.target_positions = c.size({"max_target_positions"}, 448);
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  const Pass& pass = trace.pass();
  check_positions(c, pass.past + pass.target_len, m.target_positions, "max_target_positions",
                  target_length_field(pass));
  return m;
}

// Two convolutions over the spectrogram, the second of which halves its length.
Tensor encode(const Whisper& m, Trace& trace) {
  Uncalled uncalled(trace, is_decode_step(trace));
  Module self(trace, "encoder", "WhisperEncoder");
  const Tensor spectrogram =
      trace.input(trace.dtype(), {trace.pass().batch, m.mel_bins, 2 * m.source_positions});
  Tensor x = conv1d(spectrogram, "conv1", m.layers.hidden, 3, 1, 1);
  x = unary(Op::kGelu, x);
  x = conv1d(x, "conv2", m.layers.hidden, 3, 2, 1);
  x = unary(Op::kGelu, x).permute({0, 2, 1});
  trace.keep(x);
  const Tensor places = arange(trace, m.source_positions);
  x = x + embedding(places, "embed_positions", m.source_positions, m.layers.hidden);
  return self.returns(layer_norm(bart_encoder_layers(m.layers, x), "layer_norm"));
}

Tensor embed_positions(const Whisper& m, const Tensor& places) {
  Trace& trace = *places.trace;
  Module self(trace, "embed_positions", "WhisperPositionalEmbedding", Module::Kind::kPrimitive);
  const Tensor table = trace.parameter({m.target_positions, m.layers.hidden});
  const Tensor rows = index(table, {&places});
  trace.keep_for_caller(rows);
  return self.returns(rows);
}

Tensor decode(const Whisper& m, Trace& trace, const Tensor& encoded, Tensor* words) {
  Module self(trace, "decoder", "WhisperDecoder");
  const Pass& pass = trace.pass();
  const Tensor tokens =
      embedding(target_ids(trace), "embed_tokens", m.vocab, m.layers.hidden, words);
  const Tensor places = repeat(position_ids(trace, pass.target_len), {pass.batch, 1});
  const Tensor x = tokens + embed_positions(m, places);
  if (!m.layers.cache.used) check_packed_sequences(places, pass.batch);
  const Mask mask =
      causal_mask(trace, {pass.batch, pass.target_len, m.layers.cache.keys(pass.target_len)});
  const Tensor y = bart_decoder_layers(m.layers, x, encoded, mask);
  return self.returns(layer_norm(y, "layer_norm"));
}

Tensor model(const Whisper& m, Trace& trace, std::string_view name, Tensor* words) {
  Module self(trace, name, "WhisperModel");
  const Tensor encoded = encode(m, trace);
  trace.hand_over(encoded);
  const Tensor decoded = decode(m, trace, encoded, words);
  trace.hand_over(decoded);
  return self.returns(decoded);
}

void base(Trace& trace, ConfigReader& c) {
  const Whisper m = read(c, trace);
  Tensor words;
  if (c.ok()) model(m, trace, "", &words);
}

void conditional_generation(Trace& trace, ConfigReader& c) {
  const Whisper m = read(c, trace);
  if (!c.ok()) return;
  Module self(trace, "", "WhisperForConditionalGeneration");
  Tensor words;
  const Tensor hidden = model(m, trace, "model", &words);
  self.returns(language_model_head(hidden, "proj_out", words, m.is_tied));
}

constexpr ModelClass kClasses[] = {
    {"WhisperModel", base},
    {"WhisperForConditionalGeneration", conditional_generation},
};

}  // namespace

extern const Family kWhisper;
constexpr Family kWhisper{.model_type = "whisper",
                          .classes = kClasses,
                          .is_encoder_decoder = true,
                          .has_text_source = false};

}  // namespace wattree
