#include "src/models/families/build_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

constexpr const char* kBert =
    R"({"model_type":"bert","architectures":["BertForMaskedLM"],"hidden_size":64,)"
    R"("num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":1000})";
constexpr const char* kLlama =
    R"({"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":64,)"
    R"("num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":1000,)"
    R"("torch_dtype":"float16"})";

Result<BuiltModel> build(const std::string& config, const PassShape& pass = {}) {
  return build_model("test", config, "config.json", pass);
}

PassShape with_set(const std::string& key, const std::string& value) {
  PassShape pass;
  pass.overrides = {{key, value}};
  return pass;
}

TEST(BuildModel, BaseIsTheModelWithoutAHead) {
  PassShape pass;
  pass.as = kBaseModel;
  EXPECT_EQ(build(kBert, pass).value().class_name, "BertModel");
  EXPECT_EQ(build(kLlama, pass).value().class_name, "LlamaModel");
}

TEST(BuildModel, APreTrainingHeadThatOnlyTheConfigNamesIsNoted) {
  const BuiltModel model = build(kBert).value();
  EXPECT_EQ(model.class_name, "BertForMaskedLM");
  ASSERT_EQ(model.notes.size(), 1U);
  // Products of the head: 2·128·64·64 + 2·128·64·1000 = 17.4 M. Of each of the two layers:
  // 2·128·64·(4·64 + 2·128) + 4·128·128·64 = 12.6 M. So it is two fifths, less what is added.
  const auto nodes = model.tree.nodes();
  double inner = 0;
  for (const Node& node : nodes) {
    if (node.scope == "bert") inner = static_cast<double>(node.flops);
  }
  const auto percent = std::lround(100 - 100 * inner / static_cast<double>(nodes.back().flops));
  EXPECT_NEAR(static_cast<double>(percent), 100 * 17.4 / (17.4 + 25.2), 1.5);
  EXPECT_EQ(model.notes[0], "the config names BertForMaskedLM: its pre-training head is " +
                                std::to_string(percent) +
                                " % of the FLOPs; <as> BertModel leaves it out");
  PassShape asked;
  asked.as = "BertForMaskedLM";
  EXPECT_TRUE(build(kBert, asked).value().notes.empty());
  EXPECT_TRUE(build(kLlama).value().notes.empty());
}

std::string note_of(const std::string& quantization, const std::string& dtype = "") {
  std::string config = kLlama;
  config.back() = ',';
  PassShape pass;
  pass.dtype = dtype;
  const Result<BuiltModel> model =
      build(config + "\"quantization_config\":" + quantization + "}", pass);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.value().notes.empty() ? "" : model.value().notes.front();
}

TEST(BuildModel, AQuantisedModelIsSaidToBePredictedWithoutIt) {
  const std::string awq = note_of(R"({"quant_method":"awq","bits":4})");
  EXPECT_EQ(awq,
            "the config is of a model quantised by awq to 4 bits, and this is the unquantised one "
            "in fp16: its weights take 4 times the bytes, so that memory, decode steps and small "
            "batches come out too high; passes bound by arithmetic hardly differ");
  EXPECT_NE(note_of(R"({"quant_method":"bitsandbytes","load_in_8bit":true})").find("2 times"),
            std::string::npos);
  EXPECT_NE(note_of(R"({"quant_method":"compressed-tensors"})").find("take more bytes"),
            std::string::npos);
  EXPECT_EQ(note_of(R"({"quant_method":"awq","bits":4})", "int4"), "");  // It is asked for.
}

TEST(BuildModel, AFieldThatNothingReadsIsAnErrorWithTheNearest) {
  const std::string gpt2 = R"({"model_type":"gpt2"})";
  const Result<BuiltModel> slip = build(gpt2, with_set("n_lyaer", "24"));
  ASSERT_FALSE(slip.ok());
  EXPECT_EQ(slip.error().field, "set");
  EXPECT_EQ(slip.error().message,
            "<set> n_lyaer: config.json has no such field, and no class of its family reads it");
  EXPECT_EQ(slip.error().hint.substr(0, 20), "did you mean n_layer");
  // Read by the family, read by a class that is not the one built, in the file, and always read.
  EXPECT_TRUE(build(gpt2, with_set("n_layer", "2")).ok());
  EXPECT_TRUE(build(gpt2, with_set("num_labels", "3")).ok());
  EXPECT_TRUE(
      build(R"({"model_type":"gpt2","resid_pdrop":0.1})", with_set("resid_pdrop", "0")).ok());
  EXPECT_TRUE(build(gpt2, with_set("torch_dtype", "float16")).ok());
  EXPECT_TRUE(build(R"({"model_type":"clip"})", with_set("text_config.hidden_size", "512")).ok());
  EXPECT_FALSE(build(R"({"model_type":"clip"})", with_set("text_config.hiden_size", "512")).ok());
}

TEST(BuildModel, ADecodeStepNeedsACache) {
  PassShape pass;
  pass.past = 0;
  const Result<BuiltModel> empty = build(kLlama, pass);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().field, "past");
  pass.past = 1;
  EXPECT_EQ(build(kLlama, pass).value().pass.seq, 1);
  // Whatever asks for the step, a cache or a request.
  const Result<BuiltModel> encoder = build(R"({"model_type":"bert"})", pass);
  ASSERT_FALSE(encoder.ok());
  EXPECT_EQ(encoder.error().message.find("past"), std::string::npos) << encoder.error().message;
}

TEST(BuildModel, KeepsTheLastLogitsAlone) {
  PassShape pass;
  pass.batch = 2;
  pass.seq = 10;
  const auto head_flops = [&](const std::string& config) {
    const Result<BuiltModel> built = build(config, pass);
    for (const Node& node : built.value().tree.nodes()) {
      if (node.scope == "lm_head") return node.matmul_flops;
    }
    return std::int64_t{0};
  };
  const std::string gpt2 =
      R"({"model_type":"gpt2","architectures":["GPT2LMHeadModel"],"n_embd":64,"n_layer":1,)"
      R"("n_head":4,"vocab_size":1000})";
  EXPECT_EQ(head_flops(kLlama), 2 * 2 * 10 * 64 * 1000);
  EXPECT_EQ(head_flops(gpt2), 2 * 2 * 10 * 64 * 1000);
  const std::int64_t all = build(kLlama, pass).value().tree.root().matmul_flops;
  pass.logits_to_keep = 1;
  EXPECT_EQ(head_flops(kLlama), 2 * 2 * 1 * 64 * 1000);
  EXPECT_EQ(head_flops(gpt2), 2 * 2 * 1 * 64 * 1000);
  EXPECT_EQ(build(kLlama, pass).value().tree.root().matmul_flops, all - 2 * 2 * 9 * 64 * 1000);
}

TEST(BuildModel, KnowsClassesByTheirOldNames) {
  const auto class_of = [](const std::string& type, const std::string& name) {
    const Result<BuiltModel> model =
        build(R"({"model_type":")" + type + R"(","architectures":[")" + name + "\"]}");
    return model.ok() ? model.value().class_name : model.error().message;
  };
  EXPECT_EQ(class_of("t5", "T5WithLMHeadModel"), "T5ForConditionalGeneration");
  EXPECT_EQ(class_of("bart", "BartForMaskedLM"), "BartForConditionalGeneration");
  EXPECT_EQ(class_of("falcon", "RWForCausalLM"), "FalconForCausalLM");
}

TEST(BuildModel, ErrorsNameTheFieldOfTheRequest) {
  const auto field = [](const std::string& config, const PassShape& pass) {
    const Result<BuiltModel> model = build(config, pass);
    return model.ok() ? std::string("none") : model.error().field;
  };
  const std::string gpt2 = R"({"model_type":"gpt2","n_layer":1,"n_positions":8})";
  const std::string bart = R"({"model_type":"bart","max_position_embeddings":8})";
  PassShape pass;
  pass.seq = 8;
  EXPECT_EQ(field(gpt2, pass), "none");
  EXPECT_EQ(field(bart, pass), "none");
  pass.target_len = 9;
  EXPECT_EQ(field(bart, pass), "target_len");
  pass = {};
  pass.seq = 9;
  EXPECT_EQ(field(gpt2, pass), "seq");
  EXPECT_EQ(field(bart, pass), "seq");
  pass = {};
  pass.past = 8;
  EXPECT_EQ(field(gpt2, pass), "past");
  EXPECT_EQ(field(kBert, pass), "past");  // It keeps no cache.
  EXPECT_EQ(field(R"({"model_type":"gpt2","n_layer":-1})", {}), "config.n_layer");
  EXPECT_EQ(field(R"({"model_type":"abacus"})", {}), "config.model_type");
  EXPECT_EQ(field("{}", {}), "config.model_type");
  EXPECT_EQ(field("{", {}), "config");
  // Who overrides a field is told so, and others are not.
  EXPECT_EQ(field(gpt2, with_set("n_layer", "-1")), "set");
  EXPECT_EQ(field(R"({"model_type":"gpt2","n_layer":-1})", with_set("n_head", "4")),
            "config.n_layer");
}

TEST(BuildModel, WhatIsNoObjectHasAnArticle) {
  EXPECT_EQ(build("[1]").error().message, "config.json: a JSON object is expected, not an array");
  EXPECT_EQ(build("3").error().message, "config.json: a JSON object is expected, not a number");
}

TEST(BuildModel, SaysWhenASequenceIsLongerThanTheModelWasMadeFor) {
  const std::string config = R"({"model_type":"llama","num_hidden_layers":1,"hidden_size":64,
      "num_attention_heads":4,"max_position_embeddings":16})";
  PassShape asked;
  asked.seq = 16;
  EXPECT_TRUE(build(config, asked).value().notes.empty());
  asked.seq = 17;
  ASSERT_EQ(build(config, asked).value().notes.size(), 1U);
  EXPECT_NE(build(config, asked).value().notes[0].find("made for 16 (max_position"),
            std::string::npos);
  // The cache and the new token.
  asked.seq.reset();
  asked.past = 16;
  const std::vector<std::string> notes = build(config, asked).value().notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("the pass has 17 positions"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("as Transformers runs it"), std::string::npos) << notes[1];
}

}  // namespace
}  // namespace wattree
