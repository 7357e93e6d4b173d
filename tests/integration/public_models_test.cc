// The bundled models are the public ones: their parameters, classes and precisions as published.
#include <gtest/gtest.h>

#include "src/models/families/build_model.h"
#include "src/models/hub/bundled.h"

namespace wattree {
namespace {

BuiltModel built(std::string_view name) {
  const BundledModel* model = find_bundled(std::string(name));
  EXPECT_NE(model, nullptr) << name;
  PassShape pass;
  pass.seq = 1;  // Parameters do not depend on it.
  Result<BuiltModel> answer =
      build_model(std::string(name), std::string(model->json), std::string(name), pass);
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return std::move(answer).value();
}

struct PublicModel {
  std::string_view name;
  std::int64_t params;
};
// As the authors and the Hub count them; of encoders that are published with the head of their
// pre-training, without it. The files of falcon hold its tied head a second time, which the Hub
// counts; here it is counted once.
constexpr PublicModel kPublic[] = {
    {"albert-base-v2", 11'683'584},
    {"albert-large-v2", 17'683'968},
    {"bart-base", 139'420'416},
    {"bart-large", 406'291'456},
    {"bert-base-cased", 108'310'272},
    {"bert-base-multilingual-cased", 177'853'440},
    {"bert-base-uncased", 109'482'240},
    {"bert-large-uncased", 335'141'888},
    {"bloom-560m", 559'214'592},
    {"bloom-1b7", 1'722'408'960},
    {"bloom-7b1", 7'069'016'064},
    {"clip-vit-base-patch32", 151'277'313},
    {"clip-vit-large-patch14", 427'616'513},
    {"deberta-v3-base", 183'831'552},
    {"deberta-v3-large", 434'012'160},
    {"deberta-v3-small", 141'304'320},
    {"distilbert-base-uncased", 66'362'880},
    {"distilgpt2", 81'912'576},
    {"distilroberta-base", 82'118'400},
    {"electra-base-discriminator", 108'891'648},
    {"electra-small-discriminator", 13'483'008},
    // 60 layers of qkv 8192 × 9216, dense 8192 × 8192, two of 8192 × 32768 and two norms; words;
    // norm.
    {"falcon-40b", 41'303'293'952},
    {"falcon-7b", 6'921'720'704},
    {"flan-t5-base", 247'577'856},
    {"gemma-2-2b", 2'614'341'888},
    {"gemma-2-9b", 9'241'705'984},
    {"gemma-2b", 2'506'172'416},
    {"gemma-3-1b", 999'885'952},
    {"gemma-7b", 8'537'680'896},
    {"gpt-j-6b", 6'050'882'784},
    {"gpt-neo-1.3b", 1'315'575'808},
    {"gpt-neo-125m", 125'198'592},
    {"gpt-neo-2.7b", 2'651'307'520},
    {"gpt2", 124'439'808},
    {"gpt2-large", 774'030'080},
    {"gpt2-medium", 354'823'168},
    {"gpt2-xl", 1'557'611'200},
    {"llama-2-13b", 13'015'864'320},
    {"llama-2-70b", 68'976'648'192},
    {"llama-2-7b", 6'738'415'616},
    {"llama-3-70b", 70'553'706'496},
    {"llama-3-8b", 8'030'261'248},
    {"llama-3.2-1b", 1'235'814'400},
    {"llama-3.2-3b", 3'212'749'824},
    {"mistral-7b-v0.1", 7'241'732'096},
    {"mixtral-8x7b", 46'702'792'704},
    {"modernbert-base", 149'014'272},
    {"mpnet-base", 109'486'464},
    {"mpt-7b", 6'649'286'656},
    {"mt5-small", 300'176'768},
    {"olmo-2-7b", 7'298'617'344},
    {"openai-gpt", 116'534'784},
    {"opt-1.3b", 1'315'758'080},
    {"opt-125m", 125'239'296},
    {"opt-350m", 331'196'416},
    {"opt-6.7b", 6'658'473'984},
    {"phi-1", 1'418'270'720},
    {"phi-2", 2'779'683'840},
    {"phi-3-mini-4k", 3'821'079'552},
    {"pythia-1.4b", 1'414'647'808},
    {"pythia-160m", 162'322'944},
    {"pythia-1b", 1'011'781'632},
    {"pythia-410m", 405'334'016},
    {"pythia-6.9b", 6'857'302'016},
    {"pythia-70m", 70'426'624},
    {"qwen1.5-moe-a2.7b", 14'315'784'192},
    {"qwen2.5-0.5b", 494'032'768},
    {"qwen2.5-1.5b", 1'543'714'304},
    {"qwen2.5-7b", 7'615'616'512},
    {"qwen3-0.6b", 596'049'920},
    {"qwen3-30b-a3b", 30'532'122'624},
    {"qwen3-8b", 8'190'735'360},
    {"roberta-base", 124'645'632},
    {"roberta-large", 355'359'744},
    {"t5-base", 222'903'552},
    {"t5-large", 737'668'096},
    {"t5-small", 60'506'624},
    {"tinyllama-1.1b", 1'100'048'384},
    {"vit-base-patch16-224", 86'567'656},
    {"vit-large-patch16-224", 304'326'632},
    {"whisper-base", 72'593'920},
    {"whisper-large-v3", 1'543'490'560},
    {"whisper-medium", 763'857'920},
    {"whisper-small", 241'734'912},
    {"whisper-tiny", 37'760'640},
    {"xlm-roberta-base", 278'043'648},
    {"xlm-roberta-large", 559'890'432},
};

TEST(PublicModels, HaveThePublishedParameters) {
  for (const PublicModel& model : kPublic) {
    EXPECT_EQ(built(model.name).tree.root().params, model.params) << model.name;
  }
}

struct PublishedClass {
  std::string_view name;
  std::string_view class_name;
  std::string_view dtype;
};
constexpr PublishedClass kPublished[] = {
    {"gpt2", "GPT2LMHeadModel", "fp32"},
    {"gemma-2-9b", "Gemma2ForCausalLM", "fp32"},
    {"gemma-7b", "GemmaForCausalLM", "bf16"},
    {"llama-2-7b", "LlamaForCausalLM", "fp16"},
    {"llama-3-8b", "LlamaForCausalLM", "bf16"},
    {"mpt-7b", "MptForCausalLM", "bf16"},
    {"opus-mt-en-de", "MarianMTModel", "fp32"},
    {"phi-1", "PhiForCausalLM", "fp32"},
    {"pythia-1b", "GPTNeoXForCausalLM", "fp16"},
    {"t5-small", "T5ForConditionalGeneration", "fp32"},
    {"vit-base-patch16-224", "ViTForImageClassification", "fp32"},
    {"whisper-large-v3", "WhisperForConditionalGeneration", "fp16"},
    {"whisper-tiny", "WhisperForConditionalGeneration", "fp32"},
    // Published with the head of their pre-training, and deployed without it.
    {"bert-base-uncased", "BertModel", "fp32"},
    {"electra-base-discriminator", "ElectraModel", "fp32"},
    {"modernbert-base", "ModernBertModel", "fp32"},
    {"roberta-base", "RobertaModel", "fp32"},
};

TEST(PublicModels, AreWhatTheirConfigsName) {
  for (const PublishedClass& model : kPublished) {
    const BuiltModel answer = built(model.name);
    EXPECT_EQ(answer.class_name, model.class_name) << model.name;
    EXPECT_EQ(name_of(answer.pass.precision), model.dtype) << model.name;
    EXPECT_TRUE(answer.notes.empty()) << model.name << ": " << answer.notes.front();
  }
}

}  // namespace
}  // namespace wattree
