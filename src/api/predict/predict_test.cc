// Predictions against arithmetic by hand, with a predictor whose numbers were invented for it.
#include "src/api/predict/predict.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "src/base/file.h"
#include "src/base/test_folder.h"
#include "src/predict/estimate/compare_models.h"
#include "src/predict/estimate/explain.h"
#include "src/predict/estimate/generate.h"
#include "src/predict/estimate/sweep.h"

namespace wattree {
namespace {

const std::string kPredictor = WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json";

LoadedPredictor imaginary() {
  const Result<LoadedPredictor> loaded = load_predictor({kPredictor, "", ""});
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return loaded.value();
}

Prediction predict_config(const std::string& json, const PassShape& query = {}) {
  Result<BuiltModel> answer = build_model("test", json, "test", query);
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  Result<Prediction> prediction = predict(std::move(answer).value(), imaginary());
  EXPECT_TRUE(prediction.ok()) << prediction.error().message;
  return std::move(prediction).value();
}

Prediction bert(std::int64_t batch, std::int64_t seq) {
  PassShape query;
  query.batch = batch;
  query.seq = seq;
  return predict_config(R"({"model_type":"bert","num_hidden_layers":2})", query);
}

const NodeEstimate& at(const Prediction& prediction, std::string_view scope) {
  const Result<std::size_t> node = find_node(prediction.built.tree, scope);
  EXPECT_TRUE(node.ok()) << node.error().message;
  return prediction.nodes[node.value()];
}

TEST(Predict, AKernelIsItsTermsTimesTheirCoefficients) {
  // 16 × 128 tokens through a 768 × 3072 weight: 2048 rows in 16 × 24 tiles of 128, 4 waves of 100.
  //   2 mJ launch + 8 mJ × 2·2048·768·3072/1e9 + 0.1 mJ × 6 MiB + 0.2 mJ × 9 MiB + 0.1 mJ × 24 MiB
  //   + 1 mJ × 4 · 0.768
  const double gflop = 2.0 * 2048 * 768 * 3072 / 1e9;
  const double expected = 2e-3 + 8e-3 * gflop + 6e-4 + 18e-4 + 24e-4 + 1e-3 * 4 * 0.768;
  EXPECT_NEAR(at(bert(16, 128), "encoder.layer.0.intermediate.dense").energy.value, expected,
              1e-12);
}

TEST(Predict, AMeasuredKernelIsLookedUp) {
  const Prediction prediction = bert(16, 128);
  const NodeEstimate& query = at(prediction, "encoder.layer.1.attention.self.query");
  EXPECT_TRUE(query.is_looked_up);
  EXPECT_EQ(query.energy, Joules(0.05));
  EXPECT_FALSE(at(bert(16, 64), "encoder.layer.1.attention.self.query").is_looked_up);
}

TEST(Predict, AModelIsKnownAsItsKernelsAre) {
  const Prediction prediction = bert(16, 128);
  const ModelTree& tree = prediction.built.tree;
  Predictor predictor = *prediction.by.predictor;
  Spread& spread = *predictor.spreads[static_cast<std::size_t>(Known::kNothing)];
  const TwinIndex index(predictor);
  spread.energy[2] = 1;  // So that no kernel's is narrowed to that of what it is in.
  const std::vector<NodeEstimate> kernels = predict_tree(predictor, index, tree).value();
  double joules = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const NodeEstimate& e = kernels[i];
    if (tree.nodes()[i].op == Op::kNone) continue;
    // Half of what other kinds stand in for is added after that.
    ASSERT_LT(e.energy_spread, 1) << i;
    joules += e.energy.value * static_cast<double>(e.energy_spread - 0.5F * e.stand_in);
  }
  spread.energy[2] = 1e-3;
  spread.energy_of_kernels = 0.5;
  spread.time_of_kernels = 1e-6;  // Less than the width that no model goes below.
  const NodeEstimate root = predict_tree(predictor, index, tree).value().back();
  const float wider = 0.5F * root.stand_in;
  EXPECT_NEAR(root.energy_spread - wider, 0.5 * joules / root.energy.value, 1e-6);
  EXPECT_GT(root.energy_spread - wider, 1e-3);
  EXPECT_NEAR(root.time_spread - wider, spread.time[2], 1e-6);
}

TEST(Predict, WhatDoesNotFitIsMarked) {
  Prediction prediction = bert(16, 128);
  EXPECT_FALSE(prediction.memory.device_bytes);  // Nobody knows an imaginary device's.
  EXPECT_TRUE(prediction.memory.fits());
  const PassMemory& need = prediction.memory.need;
  EXPECT_EQ(need.weights, 4 * prediction.built.tree.root().params + 2 * 512 * 8);  // And positions.
  EXPECT_EQ(need.inputs, 16 * 128 * 8);
  EXPECT_EQ(need.cache, 0);
  EXPECT_GT(need.activations, 2 * 4 * 16 * 128 * 3072);  // Both sides of the GELU.
  prediction.memory.device_bytes = need.peak();
  EXPECT_TRUE(prediction.memory.fits());
  prediction.memory.device_bytes = need.peak() - 1;
  EXPECT_FALSE(prediction.memory.fits());
}

TEST(Predict, ARequestTakesTheMemoryOfItsLargestStep) {
  const Result<LoadedPredictor> h200 = load_predictor({{}, "h200", {}});
  GenerateQuery query;
  query.tree.seq = 8;
  query.tree.batch = 64;
  query.tree.dtype = "bf16";
  query.steps = 500;
  const ModelText text{R"({"model_type":"gpt2"})", "test", {}, {}};
  const Generation request = generate("test", text, query, h200.value(), {}).value();
  EXPECT_EQ(request.memory.device_bytes, std::int64_t{141} << 30);
  // Keys and values of 507 tokens, of 12 layers.
  EXPECT_EQ(request.memory.need.cache, std::int64_t{2} * 12 * 64 * 507 * 768 * 2);
  // A layer's at a time are there twice.
  EXPECT_LT(request.memory.need.activations, request.memory.need.cache / 5);
}

TEST(Predict, SharedWeightsAreCountedOnce) {
  PassShape query;
  query.dtype = "bf16";
  const auto mib = [&](const std::string& layers) {
    const Result<BuiltModel> answer =
        build_model("test",
                    R"({"model_type":"albert","embedding_size":128,"hidden_size":768,)"
                    R"("intermediate_size":3072,"num_attention_heads":12,"num_hidden_layers":)" +
                        layers + "}",
                    "test", query);
    return weight_mib(answer.value().tree, 1e9);
  };
  // One layer, the way in from 128 to 768, and the pooler: weights and biases of two bytes.
  const double layer = 4 * (768.0 * 768 + 768) + 768 * 3072 + 3072 + 3072 * 768 + 768;
  const double around = 128 * 768 + 768 + 768 * 768 + 768;
  EXPECT_DOUBLE_EQ(mib("12"), 2 * (layer + around) / (1024 * 1024));
  EXPECT_DOUBLE_EQ(mib("3"), mib("12"));
}

TEST(Predict, PrecisionMustBeCovered) {
  PassShape query;
  query.dtype = "fp16";
  Result<BuiltModel> answer = build_model("test", R"({"model_type":"bert"})", "test", query);
  const Result<Prediction> prediction = predict(std::move(answer).value(), imaginary());
  ASSERT_FALSE(prediction.ok());
  EXPECT_EQ(prediction.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(prediction.error().message.find("fp16"), std::string::npos);
  EXPECT_FALSE(prediction.error().hint.empty());
}

TEST(Predict, TokensAreThoseOfTheText) {
  EXPECT_EQ(tokens_per_item(bert(4, 32).built), 32);
  PassShape query;
  query.seq = 10;
  query.target_len = 4;
  EXPECT_EQ(tokens_per_item(predict_config(R"({"model_type":"t5"})", query).built), 14);
  query = {};
  query.past = 7;
  EXPECT_EQ(tokens_per_item(predict_config(R"({"model_type":"gpt2"})", query).built), 1);
  EXPECT_EQ(tokens_per_item(predict_config(R"({"model_type":"vit"})").built), std::nullopt);
}

TEST(Breakdown, SharesAddUpWhateverTheWay) {
  for (const char* config :
       {R"({"model_type":"bert"})", R"({"model_type":"gpt2"})", R"({"model_type":"t5"})",
        R"({"model_type":"llama","num_hidden_layers":2})", R"({"model_type":"albert"})"}) {
    const Prediction prediction = predict_config(config);
    for (const BreakdownBy by : {BreakdownBy::kType, BreakdownBy::kModule, BreakdownBy::kOp}) {
      double share = 0;
      double time = 0;
      for (const NodeGroup& group :
           break_down(prediction.built.tree, prediction.nodes, by).groups) {
        share += group.share;
        time += group.time.value;
      }
      EXPECT_NEAR(share, 1, 1e-9) << config << name_of(by);
      EXPECT_NEAR(time, prediction.root().time.value, 1e-9 * time) << config << name_of(by);
    }
  }
}

std::vector<std::string> names_by_module(const std::string& config) {
  const Prediction prediction = predict_config(config);
  std::vector<std::string> out;
  for (const NodeGroup& group :
       break_down(prediction.built.tree, prediction.nodes, BreakdownBy::kModule).groups) {
    if (!group.is_rest) out.push_back(group.name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The rows of IrEne's Tables 10 and 12, under the names that today's Transformers has.
TEST(Breakdown, ModulesAreThoseOfThePaper) {
  EXPECT_EQ(names_by_module(R"({"model_type":"bert"})"),
            (std::vector<std::string>{"BertEmbeddings", "BertIntermediate", "BertOutput",
                                      "BertPooler", "BertSelfAttention", "BertSelfOutput"}));
  EXPECT_EQ(names_by_module(R"({"model_type":"gpt2"})"),
            (std::vector<std::string>{"Embedding", "GPT2Attention", "GPT2MLP", "LayerNorm"}));
  EXPECT_EQ(names_by_module(R"({"model_type":"openai-gpt"})"),
            (std::vector<std::string>{"Attention", "Embedding", "LayerNorm", "MLP"}));
}

TEST(Breakdown, TopNodesAreTheLargestByTheirOwn) {
  const Prediction prediction = bert(16, 64);
  const auto folded = top_nodes(prediction.built.tree, prediction.nodes, 2, false);
  ASSERT_EQ(folded.size(), 2u);
  // As many FLOPs as the intermediate one, but one wave of 3072 steps instead of two of 768.
  EXPECT_EQ(folded[0].name, "encoder.layer.*.output.dense");
  EXPECT_EQ(folded[0].count, 2);
  EXPECT_GE(folded[0].energy, folded[1].energy);
  const auto each = top_nodes(prediction.built.tree, prediction.nodes, 1000, true);
  EXPECT_EQ(each.size(), prediction.nodes.size());
  double sum = 0;
  for (const NodeGroup& group : each) sum += group.share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(QueryTotals, AreTheTableOfThePaper) {
  // Table 3: 161 kWh for a million questions cost 21.24 USD; over 150 passages, 3165 USD for
  // 24,000 kWh (which is 150 × 160).
  PassEstimate one;
  one.energy = Joules(161 * 3.6e6 / 1e6);
  TotalsOptions options;
  const Provenance wall{Basis::kPredicted, "test", Boundary::kWall};
  const Result<QueryTotals> single = totals_of(one, wall, "one item", options);
  ASSERT_EQ(single.value().rows.size(), 1u);
  EXPECT_NEAR(single.value().rows[0].energy_kwh, 161, 1e-9);
  EXPECT_NEAR(single.value().rows[0].cost_usd, 21.24, 0.005);
  EXPECT_FALSE(single.value().is_host_left_out);
  one.energy = Joules(160 * 3.6e6 / 1e6);
  options.passes_per_query = 150;
  const Result<QueryTotals> search = totals_of(one, wall, "one item", options);
  EXPECT_NEAR(search.value().rows[0].energy_kwh, 24'000, 1e-6);
  EXPECT_NEAR(search.value().rows[0].cost_usd, 3165, 1);
}

TEST(QueryTotals, PartsAreApart) {
  PassEstimate one;
  one.energy = Joules(3.6);
  one.time = Seconds(0.01);
  TotalsRequest request;
  request.host_watts = 90;
  request.pue = "1.5";
  request.intensity = "400g/kWh";
  const Result<TotalsOptions> options = totals_options(request);
  ASSERT_TRUE(options.ok()) << options.error().message;
  const Result<QueryTotals> totals =
      totals_of(one, {Basis::kPredicted, "p", Boundary::kGpu}, "one item", options.value());
  const std::vector<TotalsRow>& rows = totals.value().rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].part, "gpu");
  EXPECT_NEAR(rows[0].energy_kwh, 1, 1e-12);  // A million times 3.6 J.
  EXPECT_EQ(rows[0].provenance.basis, Basis::kPredicted);
  EXPECT_EQ(rows[1].part, "host");
  EXPECT_NEAR(rows[1].energy_kwh, 0.25, 1e-12);  // 90 W for 10,000 s.
  EXPECT_EQ(rows[1].provenance.basis, Basis::kAssumed);
  EXPECT_EQ(rows[2].part, "pue");
  EXPECT_NEAR(rows[2].energy_kwh, 0.625, 1e-12);
  EXPECT_EQ(rows[3].part, "total");
  EXPECT_NEAR(rows[3].energy_kwh, 1.875, 1e-12);
  EXPECT_NEAR(*rows[3].carbon_gco2e, 750, 1e-9);
  EXPECT_EQ(rows[3].provenance.basis, Basis::kAssumed);
  EXPECT_EQ(rows[3].provenance.boundary, Boundary::kFacility);
}

TEST(QueryTotals, RefusesWhatMakesNoSense) {
  for (const auto change : std::initializer_list<void (*)(TotalsRequest&)>{
           [](TotalsRequest& r) { r.queries = 0; }, [](TotalsRequest& r) { r.queries = 1e20; },
           [](TotalsRequest& r) { r.queries = 2.5; }, [](TotalsRequest& r) { r.pue = "0.5"; },
           [](TotalsRequest& r) { r.passes_per_query = -1; },
           [](TotalsRequest& r) { r.usd_per_kwh = -1; },
           [](TotalsRequest& r) { r.host_watts = -1; },
           [](TotalsRequest& r) { r.region = "Atlantis"; }}) {
    TotalsRequest request;
    change(request);
    EXPECT_FALSE(totals_options(request).ok());
  }
}

TEST(Sweep, TheMeanIsTheMeanOfEveryNode) {
  const ModelText text{R"({"model_type":"bert","num_hidden_layers":2})", "test",
                       ModelSource::kBundled, ""};
  const Result<Sweep> swept = sweep("test", text, {}, {8, 16}, {32, 64}, imaginary(), {});
  ASSERT_TRUE(swept.ok()) << swept.error().message;
  ASSERT_EQ(swept.value().points.size(), 4u);
  ASSERT_TRUE(swept.value().mean_tree);
  const Prediction& mean = *swept.value().mean_tree;
  for (const std::string scope : {"", "encoder.layer.1.output.dense", "pooler"}) {
    double energy = 0;
    for (const std::int64_t batch : {8, 16}) {
      for (const std::int64_t seq : {32, 64})
        energy += at(bert(batch, seq), scope).energy.value / 4;
    }
    EXPECT_NEAR(at(mean, scope).energy.value, energy, 1e-12) << scope;
  }
  const double whole = bert(8, 32).root().energy.value + bert(8, 64).root().energy.value +
                       bert(16, 32).root().energy.value + bert(16, 64).root().energy.value;
  EXPECT_NEAR(swept.value().mean_per_token()->value, whole / (24 * 96), 1e-12);
  EXPECT_NEAR(swept.value().mean_per_item().value, whole / 48, 1e-12);
}

ModelText gpt2(int layers) {
  return {R"({"model_type":"gpt2","n_positions":4096,"n_layer":)" + std::to_string(layers) + "}",
          "test", ModelSource::kBundled, ""};
}

PassEstimate decode_step(std::int64_t past) {
  PassShape query;
  query.batch = 2;
  query.past = past;
  return predict_config(gpt2(2).json, query).root();
}

TEST(Generate, IsThePromptAndEveryStep) {
  GenerateQuery query;
  query.tree.batch = 2;
  query.tree.seq = 10;
  query.steps = 3;
  const Result<Generation> generated = generate("test", gpt2(2), query, imaginary(), {});
  ASSERT_TRUE(generated.ok()) << generated.error().message;
  const Generation& generation = generated.value();
  EXPECT_EQ(generation.predicted_steps, 3);
  EXPECT_EQ(generation.first.past, 10);
  EXPECT_EQ(generation.last.past, 12);
  const double steps =
      decode_step(10).energy.value + decode_step(11).energy.value + decode_step(12).energy.value;
  EXPECT_NEAR(generation.decode.energy.value, steps, 1e-12);
  PassShape prompt;
  prompt.batch = 2;
  prompt.seq = 10;
  const double whole = steps + predict_config(gpt2(2).json, prompt).root().energy.value;
  EXPECT_NEAR(generation.request().energy.value, whole, 1e-12);
  EXPECT_EQ(generation.better_class, "GPT2LMHeadModel");
}

TEST(Generate, AFewStepsStandForManyOfThem) {
  GenerateQuery query;
  query.tree.batch = 2;
  query.tree.seq = 100;
  query.steps = 1'300;
  const Result<Generation> generated = generate("test", gpt2(2), query, imaginary(), {});
  ASSERT_TRUE(generated.ok()) << generated.error().message;
  EXPECT_EQ(generated.value().predicted_steps, kMostSteps);
  double energy = 0;
  double time = 0;
  for (std::int64_t step = 0; step < query.steps; ++step) {
    const PassEstimate one = decode_step(100 + step);
    energy += one.energy.value;
    time += one.time.value;
  }
  EXPECT_NEAR(generated.value().decode.energy.value, energy, 1e-3 * energy);
  EXPECT_NEAR(generated.value().decode.time.value, time, 1e-3 * time);
}

TEST(Generate, AnEncoderRunsOnce) {
  const ModelText text{R"({"model_type":"t5","architectures":["T5ForConditionalGeneration"]})",
                       "test", ModelSource::kBundled, ""};
  GenerateQuery query;
  query.tree.seq = 20;
  query.steps = 2;
  const Result<Generation> generated = generate("test", text, query, imaginary(), {});
  ASSERT_TRUE(generated.ok()) << generated.error().message;
  EXPECT_EQ(generated.value().prefill.built.pass.target_len, 1);
  EXPECT_EQ(generated.value().first.past, 1);
  EXPECT_EQ(generated.value().last.past, 2);
  EXPECT_EQ(generated.value().better_class, "");
  EXPECT_GT(generated.value().prefill.root().energy.value,
            generated.value().first.estimate.energy.value);
}

TEST(Generate, RefusesWhatTheModelCannotDo) {
  GenerateQuery query;
  query.steps = 0;
  EXPECT_FALSE(generate("test", gpt2(1), query, imaginary(), {}).ok());
  query.steps = 5'000;  // Beyond the positions.
  EXPECT_FALSE(generate("test", gpt2(1), query, imaginary(), {}).ok());
  query.steps = 1;
  const ModelText encoder{R"({"model_type":"bert"})", "test", ModelSource::kBundled, ""};
  EXPECT_FALSE(generate("test", encoder, query, imaginary(), {}).ok());
}

TEST(Generate, ThePromptNeedsItsLastLogitsAlone) {
  ModelText text = gpt2(2);
  text.json.insert(1, R"("architectures":["GPT2LMHeadModel"],)");
  GenerateQuery query;
  query.tree.seq = 10;
  const Result<Generation> generated = generate("test", text, query, imaginary(), {});
  ASSERT_TRUE(generated.ok()) << generated.error().message;
  for (const Node& node : generated.value().prefill.built.tree.nodes()) {
    if (node.scope == "lm_head") {
      EXPECT_EQ(node.shape, (Dims{1, 1, 50257}));
    }
  }
}

TEST(CompareModels, TheGateClosesAboveTheLimit) {
  const std::vector<NamedModel> models{{"two", gpt2(2)}, {"same", gpt2(2)}, {"three", gpt2(3)}};
  const auto above = [&](double limit) {
    const Result<ModelComparison> compared = compare_models(models, {}, imaginary(), limit);
    EXPECT_TRUE(compared.ok()) << compared.error().message;
    return compared.value().above_limit();
  };
  const Result<ModelComparison> compared = compare_models(models, {}, imaginary(), std::nullopt);
  ASSERT_TRUE(compared.ok());
  EXPECT_TRUE(compared.value().above_limit().empty());
  EXPECT_EQ(compared.value().models[1].ratio, 1);
  const double ratio = predict_config(gpt2(3).json).root().energy.value /
                       predict_config(gpt2(2).json).root().energy.value;
  EXPECT_NEAR(compared.value().models[2].ratio, ratio, 1e-12);
  EXPECT_LT(compared.value().models[2].ratio_low, ratio);
  EXPECT_GT(compared.value().models[2].ratio_high, ratio);
  EXPECT_EQ(above(0), std::vector<std::string>{"three"});
  EXPECT_EQ(above(ratio - 1 - 1e-9), std::vector<std::string>{"three"});
  EXPECT_TRUE(above(ratio - 1 + 1e-9).empty());
}

TEST(Explain, TermsAddUpToTheNode) {
  const Prediction prediction = bert(16, 64);
  const ModelTree& tree = prediction.built.tree;
  int stand_ins = 0;
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const Explanation explanation = explain(prediction, i);
    double energy = 0;
    double time = 0;
    for (const ExplainedTerm& term : explanation.terms) {
      energy += term.energy().value;
      time += term.time().value;
    }
    for (const std::size_t child : explanation.children) {
      energy += prediction.nodes[child].energy.value;
      time += prediction.nodes[child].time.value;
    }
    if (explanation.twin) continue;
    stand_ins += explanation.is_stand_in ? 1 : 0;
    EXPECT_NEAR(energy, prediction.nodes[i].energy.value, 1e-12) << tree.nodes()[i].scope;
    EXPECT_NEAR(time, prediction.nodes[i].time.value, 1e-12) << tree.nodes()[i].scope;
  }
  EXPECT_EQ(stand_ins, 2);  // The fused attention of each layer.
}

TEST(Explain, FindsNodesAndSuggestsThem) {
  const Prediction prediction = predict_config(R"({"model_type":"albert","num_hidden_layers":3})");
  const ModelTree& tree = prediction.built.tree;
  EXPECT_EQ(find_node(tree, ".").value(), tree.nodes().size() - 1);
  const std::string layer = "encoder.albert_layer_groups.0.albert_layers.0";
  const std::size_t first = find_node(tree, layer + "#0").value();
  EXPECT_LT(first, find_node(tree, layer + "#2").value());
  EXPECT_FALSE(find_node(tree, layer + "#3").ok());
  EXPECT_FALSE(find_node(tree, layer + "#x").ok());
  const Result<std::size_t> typo = find_node(tree, "poolerr");
  ASSERT_FALSE(typo.ok());
  EXPECT_EQ(typo.error().hint, "nearest: pooler");
}

TEST(Predictors, TheUsersOwnGoFirst) {
  const TestFolder folder;
  const auto choose = [&](std::string on) {
    return load_predictor({"", std::move(on), folder.path()});
  };
  const Result<LoadedPredictor> unknown = choose("nowhere");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(unknown.error().hint.find("<predictor>"), std::string::npos);
  EXPECT_EQ(choose("../imaginary").error().code, ErrorCode::kInvalidInput);

  const std::string text = read_file(kPredictor).value();
  ASSERT_TRUE(write_file(folder.path() / "mine.json", text).ok());
  EXPECT_EQ(choose("mine").value().predictor->name, "imaginary");
  EXPECT_NE(choose("nowhere").error().hint.find("mine"), std::string::npos);
  ASSERT_TRUE(write_file(folder.path() / "this-machine.json", text).ok());
  EXPECT_EQ(choose("").value().origin, (folder.path() / "this-machine.json").string());
}

TEST(Predictors, StandInTheDataFolderOfTheUser) {
  const auto folder = [](const std::string& xdg, const std::string& home) {
    const Environment environment = [=](const char* name) -> std::optional<std::string> {
      return std::string(name) == "XDG_DATA_HOME" ? xdg : home;
    };
    return services_from(environment).predictors;
  };
  EXPECT_EQ(folder("/data", "/home/me"), "/data/wattree/predictors");
  EXPECT_EQ(folder("", "/home/me"), "/home/me/.local/share/wattree/predictors");
  EXPECT_EQ(folder("relative", "/home/me"), "/home/me/.local/share/wattree/predictors");
  EXPECT_EQ(folder("", ""), "");
}

}  // namespace
}  // namespace wattree
