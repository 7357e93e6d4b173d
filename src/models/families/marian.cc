// Marian (Junczys-Dowmunt et al. 2018): BART's layers with sinusoids for positions, and often two
// vocabularies.
#include "src/models/families/bart_like.h"
#include "src/models/families/family.h"

namespace wattree {
namespace {

BartLike read(ConfigReader& c, const Trace& trace) {
  BartLike m = read_bart_like(c, trace,
                              {.layers = {.prefix = "Marian",
                                          .hidden = 1024,
                                          .encoder = {.layers = 12, .heads = 16, .inner = 4096},
                                          .decoder = {.layers = 12, .heads = 16, .inner = 4096}},
                               .vocab = 58101,
                               .positions = 1024,
                               .position_type = "MarianSinusoidalPositionalEmbedding"});
  m.decoder_vocab = c.size({"decoder_vocab_size"}, m.vocab);
  m.shares_embeddings = c.flag({"share_encoder_decoder_embeddings"}, true);
  return m;
}

void base(Trace& trace, ConfigReader& c) { bart_like_base(read(c, trace), trace, c); }

void translation(Trace& trace, ConfigReader& c) {
  bart_like_generation(read(c, trace), trace, c, "MarianMTModel");
}

constexpr ModelClass kClasses[] = {
    {"MarianModel", base},
    {"MarianMTModel", translation},
};

}  // namespace

extern const Family kMarian;
constexpr Family kMarian{.model_type = "marian", .classes = kClasses, .is_encoder_decoder = true};

}  // namespace wattree
