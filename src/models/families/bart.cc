// BART (Lewis et al. 2020).
#include "src/models/families/bart_like.h"
#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"
#include "src/models/families/seq2seq.h"

namespace wattree {
namespace {

BartLike read(ConfigReader& c, const Trace& trace) {
  return read_bart_like(c, trace,
                        {.layers = {.prefix = "Bart",
                                    .hidden = 1024,
                                    .encoder = {.layers = 12, .heads = 16, .inner = 4096},
                                    .decoder = {.layers = 12, .heads = 16, .inner = 4096}},
                         .vocab = 50265,
                         .positions = 1024,
                         .embedding_type = "BartScaledWordEmbedding",
                         .position_type = "BartLearnedPositionalEmbedding",
                         .position_offset = 2,
                         .embedding_scales = true,
                         .norms_embeddings = true});
}

void base(Trace& trace, ConfigReader& c) { bart_like_base(read(c, trace), trace, c); }

void conditional_generation(Trace& trace, ConfigReader& c) {
  bart_like_generation(read(c, trace), trace, c, "BartForConditionalGeneration");
}

void sequence_classification(Trace& trace, ConfigReader& c) {
  const BartLike m = read(c, trace);
  const std::int64_t labels = label_count(c, 3);
  if (!is_whole_pass(c, trace) || !c.ok()) return;
  Module self(trace, "", "BartForSequenceClassification");
  const Tensor ids = source_ids(trace);
  const BartOutput out = bart_like_model(m, ids, "model", false);
  self.returns(end_token_classification(out.hidden, ids, "BartClassificationHead", labels));
}

void question_answering(Trace& trace, ConfigReader& c) {
  const BartLike m = read(c, trace);
  if (!is_whole_pass(c, trace) || !c.ok()) return;
  Module self(trace, "", "BartForQuestionAnswering");
  const BartOutput out = bart_like_model(m, source_ids(trace), "model");
  self.returns(question_answering_head(out.hidden));
}

constexpr ModelClass kClasses[] = {
    {"BartModel", base},
    {"BartForConditionalGeneration", conditional_generation},
    {"BartForSequenceClassification", sequence_classification},
    {"BartForQuestionAnswering", question_answering},
};

}  // namespace

extern const Family kBart;
constexpr Family kBart{.model_type = "bart", .classes = kClasses, .is_encoder_decoder = true};

}  // namespace wattree
