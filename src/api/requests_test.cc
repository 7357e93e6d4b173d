// Requests as JSON: what is read, and what is said about what is wrong.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/model/models.h"
#include "src/api/predict/compare_models.h"
#include "src/api/predict/explain.h"
#include "src/api/predict/generate.h"
#include "src/api/predict/sweep.h"
#include "src/api/predict/tree.h"
#include "src/api/runs/compare_runs.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

const std::string kPredictor = WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json";

// No network, no variables, no predictors of the user's.
Services services() {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.hub.offline = true;
  out.hub.cache.clear();
  out.predictors.clear();
  return out;
}

template <class Read>
Error error_of(Read read, const char* body) {
  const auto request = read(Json::parse(body));
  EXPECT_FALSE(request.ok()) << body;
  return request.ok() ? Error{} : request.error();
}

// What is wrong in a body that is otherwise right.
struct Wrong {
  const char* body;
  const char* field;
  const char* hint;
};

template <class Read>
void expect_named(Read read, std::initializer_list<Wrong> all) {
  for (const Wrong& wrong : all) {
    const Error error = error_of(read, wrong.body);
    EXPECT_EQ(error.code, ErrorCode::kInvalidInput) << wrong.body;
    EXPECT_EQ(error.field, wrong.field) << wrong.body << ": " << error.message;
    EXPECT_EQ(error.hint, wrong.hint) << wrong.body;
  }
}

constexpr const char* kNoHint = "";

TEST(TreeRequest, IsReadWhole) {
  const Result<TreeRequest> request = tree_request(Json::parse(R"({
      "model": "org/name", "revision": "v2", "input": ["i64[1,2]"], "batch": 16, "seq": 64,
      "target_len": 8, "past": 3, "dtype": "bf16", "attention": "eager", "as": "BertModel",
      "set": {"num_hidden_layers": 2, "hidden_act": "relu"}, "level": "ml", "depth": 2})"));
  ASSERT_TRUE(request.ok()) << request.error().message;
  const TreeRequest& r = request.value();
  EXPECT_EQ(r.model.name, "org/name");
  EXPECT_EQ(r.model.revision, "v2");
  EXPECT_EQ(r.model.inputs, std::vector<std::string>{"i64[1,2]"});
  EXPECT_EQ(r.pass.batch, 16);
  EXPECT_EQ(r.pass.seq, 64);
  EXPECT_EQ(r.pass.target_len, 8);
  EXPECT_EQ(r.pass.past, 3);
  EXPECT_EQ(r.pass.dtype, "bf16");
  EXPECT_EQ(r.pass.attention, "eager");
  EXPECT_EQ(r.pass.as, "BertModel");
  const std::vector<std::pair<std::string, std::string>> sets{{"hidden_act", "\"relu\""},
                                                              {"num_hidden_layers", "2"}};
  EXPECT_EQ(r.pass.overrides, sets);
  EXPECT_EQ(r.view.level, Level::kMl);
  EXPECT_EQ(r.view.depth, 2);
  const auto listed = tree_request(Json::parse(R"({"model": "gpt2", "set": ["n_layer=2"]})"));
  EXPECT_EQ(listed.value().pass.overrides.front().second, "2");
}

TEST(TreeRequest, NamesWhatIsWrong) {
  expect_named(
      tree_request,
      {{R"({})", "model", kNoHint},
       {R"({"model": 3})", "model", kNoHint},
       {R"({"model": "gpt2", "bach": 3})", "bach", "did you mean \"batch\"?"},
       {R"({"model": "gpt2", "batch": "many"})", "batch", kNoHint},
       {R"({"model": "gpt2", "batch": 0})", "batch", kNoHint},
       {R"({"model": "gpt2", "seq": 1.5})", "seq", kNoHint},
       {R"({"model": "gpt2", "set": ["n_layer"]})", "set", kNoHint},
       {R"({"model": "gpt2", "set": 3})", "set", kNoHint},
       {R"({"model": "gpt2", "config": "text"})", "config", kNoHint},
       {R"({"model": "gpt2", "level": "atom"})", "level", "choose model, module, ml or math"}});
  EXPECT_FALSE(tree_request(Json::parse("[]")).ok());
}

TEST(TreeRequest, AConfigInTheBodyNeedsNoName) {
  const Result<TreeRequest> request = tree_request(
      Json::parse(R"({"config": {"model_type": "bert", "num_hidden_layers": 1}, "seq": 8})"));
  ASSERT_TRUE(request.ok()) << request.error().message;
  const Result<TreeAnswer> answer = tree(request.value(), services());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().built.class_name, "BertModel");
  EXPECT_EQ(answer.value().built.pass.seq, 8);
  EXPECT_EQ(Json::parse(to_json(answer.value())).at("model"), "config.json");
}

TEST(Tree, SaysWhichFieldOfTheRequestIsWrong) {
  const auto field = [](void (*change)(TreeRequest&)) {
    TreeRequest request;
    request.model.name = "bert-tiny";
    change(request);
    const Result<TreeAnswer> answer = tree(request, services());
    return answer.ok() ? "none" : answer.error().field;
  };
  EXPECT_EQ(field([](TreeRequest&) {}), "none");
  EXPECT_EQ(field([](TreeRequest& r) { r.model.name = "bert-teeny"; }), "model");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.batch = 0; }), "batch");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.seq = -1; }), "seq");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.target_len = 0; }), "target_len");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.past = -1; }), "past");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.dtype = "fp7"; }), "dtype");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.attention = "none"; }), "attention");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.as = "BertForNothing"; }), "as");
  EXPECT_EQ(field([](TreeRequest& r) { r.pass.overrides = {{"", "3"}}; }), "set");
}

PredictRequest tiny() {
  return predict_request(Json{{"model", "bert-tiny"}, {"predictor", kPredictor}, {"top", 3}})
      .value();
}

TEST(PredictRequest, IsReadWhole) {
  const Result<PredictRequest> request = predict_request(Json::parse(R"({
      "model": "gpt2", "on": "h200", "execution": "eager", "top": 5, "by": "op", "all": true,
      "queries": 10, "passes_per_query": 2.5, "price": 0.2, "host_watts": 90, "region": "DE",
      "pue": 1.5})"));
  ASSERT_TRUE(request.ok()) << request.error().message;
  const PredictRequest& r = request.value();
  EXPECT_EQ(r.predictor.on, "h200");
  EXPECT_EQ(r.predictor.execution, "eager");
  EXPECT_EQ(r.extras.top, 5U);
  EXPECT_EQ(r.extras.by, BreakdownBy::kOp);
  EXPECT_TRUE(r.extras.all);
  EXPECT_EQ(r.totals.queries, 10);
  EXPECT_EQ(r.totals.passes_per_query, 2.5);
  EXPECT_EQ(r.totals.usd_per_kwh, 0.2);
  EXPECT_EQ(r.totals.host_watts, 90);
  EXPECT_EQ(r.totals.region, "DE");
  EXPECT_EQ(r.totals.pue, "1.5");
}

TEST(PredictRequest, NamesWhatIsWrong) {
  expect_named(predict_request,
               {{R"({"model": "gpt2", "onn": "h200"})", "onn", "did you mean \"on\"?"},
                {R"({"model": "gpt2", "on": 200})", "on", kNoHint},
                {R"({"model": "gpt2", "on": "a", "predictor": "b"})", "on", kNoHint},
                {R"({"model": "gpt2", "by": "colour"})", "by", kNoHint},
                {R"({"model": "gpt2", "top": -1})", "top", kNoHint},
                {R"({"model": "gpt2", "all": "yes"})", "all", kNoHint},
                {R"({"model": "gpt2", "queries": 0})", "queries", kNoHint},
                {R"({"model": "gpt2", "host_watts": -1})", "host_watts", kNoHint}});
}

TEST(Predict, AnswersWithTotalsAndExtras) {
  const Result<PredictAnswer> answer = predict(tiny(), services());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().extras.top.size(), 3U);
  EXPECT_TRUE(answer.value().extras.totals);
  EXPECT_TRUE(answer.value().notes.empty());
  const Json json = Json::parse(to_json(answer.value()));
  EXPECT_EQ(json.at("model"), "bert-tiny");
  EXPECT_EQ(json.at("top").size(), 3U);
  EXPECT_GT(json.at("tree").at("energy_j"), 0);
}

TEST(Predict, SaysWhichFieldOfTheRequestIsWrong) {
  const auto field = [](void (*change)(PredictRequest&)) {
    PredictRequest request = tiny();
    change(request);
    const Result<PredictAnswer> answer = predict(request, services());
    return answer.ok() ? "none" : answer.error().field;
  };
  EXPECT_EQ(field([](PredictRequest& r) { r.predictor = {"nowhere", "", ""}; }), "on");
  EXPECT_EQ(field([](PredictRequest& r) { r.predictor.file = "/none.json"; }), "predictor");
  EXPECT_EQ(field([](PredictRequest& r) { r.predictor.execution = "slow"; }), "execution");
  EXPECT_EQ(field([](PredictRequest& r) { r.pass.dtype = "int4"; }), "dtype");
  EXPECT_EQ(field([](PredictRequest& r) { r.totals.queries = 0; }), "queries");
  EXPECT_EQ(field([](PredictRequest& r) { r.totals.region = "Atlantis"; }), "region");
  EXPECT_EQ(field([](PredictRequest& r) { r.totals.pue = "0.5"; }), "pue");
  EXPECT_EQ(field([](PredictRequest& r) { r.totals.usd_per_kwh = -1; }), "price");
}

TEST(Predict, ReadsNoFilesForOthers) {
  const TestFolder folder;
  const std::string config = folder.write("config.json", R"({"model_type": "bert"})").string();
  Services closed = services();
  closed.hub.allow_files = false;
  PredictRequest request = tiny();
  EXPECT_EQ(predict(request, closed).error().code, ErrorCode::kPermission);
  request.predictor = {};
  request.model.name = config;
  EXPECT_EQ(predict(request, closed).error().field, "model");
  request.model.name = folder.write("model.pt", "").string();
  EXPECT_EQ(predict(request, closed).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(names_a_model("bert-tiny", closed));
}

TEST(ExplainRequest, IsReadAndAnswered) {
  expect_named(explain_request,
               {{R"({"model": "gpt2", "nodes": "."})", "nodes", "did you mean \"node\"?"},
                {R"({"model": "gpt2", "node": 3})", "node", kNoHint},
                {R"({"model": "gpt2", "past": -1})", "past", kNoHint}});
  Json body{{"model", "bert-tiny"}, {"predictor", kPredictor}, {"node", "pooler"}};
  const Result<ExplainAnswer> answer = explain(explain_request(body).value(), services());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(Json::parse(to_json(answer.value())).at("node").at("scope"), "pooler");
  body["node"] = "puller";
  const Error error = explain(explain_request(body).value(), services()).error();
  EXPECT_EQ(error.field, "node");
  EXPECT_EQ(error.hint, "nearest: pooler");
}

TEST(SweepRequest, TakesSizesInThreeForms) {
  const auto read = [](const char* body) { return sweep_request(Json::parse(body)).value(); };
  using Sizes = std::vector<std::int64_t>;
  using Lengths = std::vector<std::optional<std::int64_t>>;
  const SweepRequest none = read(R"({"model": "gpt2"})");
  EXPECT_EQ(none.batches, Sizes{1});
  EXPECT_EQ(none.lengths, Lengths{std::nullopt});
  EXPECT_EQ(read(R"({"model": "gpt2", "batch": 4})").batches, Sizes{4});
  EXPECT_EQ(read(R"({"model": "gpt2", "batch": [4, 8]})").batches, (Sizes{4, 8}));
  EXPECT_EQ(read(R"({"model": "gpt2", "seq": "8,16:32:8"})").lengths, (Lengths{8, 16, 24, 32}));
  expect_named(sweep_request,
               {{R"({"model": "gpt2", "seqs": 8})", "seqs", "did you mean \"seq\"?"},
                {R"({"model": "gpt2", "batch": true})", "batch", kNoHint},
                {R"({"model": "gpt2", "batch": [1.5]})", "batch", kNoHint},
                {R"({"model": "gpt2", "batch": [8, 0]})", "batch[1]", kNoHint},
                {R"({"model": "gpt2", "seq": "8:4:1"})", "seq",
                 "give a number, a list (8,16) or a range (32:256:32: from, to, step)"}});
}

TEST(Sweep, AnswersAndShowsHowFarItIs) {
  const Json body{{"model", "bert-tiny"}, {"predictor", kPredictor}, {"batch", "1,2"}, {"seq", 16}};
  double done = 0;
  const Result<SweepAnswer> answer =
      sweep(sweep_request(body).value(), services(), [&](double part) { done = part; });
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(done, 1);
  EXPECT_EQ(Json::parse(to_json(answer.value())).at("sizes").size(), 2U);
}

TEST(GenerateRequest, IsReadAndAnswered) {
  expect_named(
      generate_request,
      {{R"({"model": "gpt2"})", "generate", kNoHint},
       {R"({"model": "gpt2", "generat": 3})", "generate", kNoHint},  // First of all it is missing.
       {R"({"model": "gpt2", "generate": 3, "dtyp": 3})", "dtyp", "did you mean \"dtype\"?"},
       {R"({"model": "gpt2", "generate": "3"})", "generate", kNoHint},
       {R"({"model": "gpt2", "generate": 0})", "generate", kNoHint},
       {R"({"model": "gpt2", "generate": 3, "past": 2})", "past", kNoHint}});
  const Json body{{"model", "gpt2"}, {"predictor", kPredictor}, {"seq", 8}, {"generate", 3}};
  const Result<GenerateAnswer> answer =
      generate(generate_request(body).value(), services(), ShowProgress());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(Json::parse(to_json(answer.value())).at("generate"), 3);
}

TEST(Sweep, ATorchScriptFileHasOneSize) {
  SweepRequest request;
  request.model.name = "model.pt";
  EXPECT_EQ(sweep(request, services(), {}).error().field, "model");
  GenerateRequest generated;
  generated.model.name = "model.pt";
  EXPECT_EQ(generate(generated, services(), {}).error().field, "model");
}

TEST(CompareModelsRequest, IsReadAndAnswered) {
  expect_named(compare_models_request,
               {{R"({"models": ["gpt2"]})", "models", kNoHint},
                {R"({"models": "gpt2"})", "models", kNoHint},
                {R"({"models": ["gpt2", 3]})", "models[1]", kNoHint},
                {R"({"models": ["a", "b"], "fail_abov": "3%"})", "fail_abov",
                 "did you mean \"fail_above\"?"},
                {R"({"models": ["a", "b"], "fail_above": "lots"})", "fail_above",
                 "for example <fail_above> 3%"},
                {R"({"models": ["a", {"model": "b", "branch": "x"}]})", "models[1].branch",
                 "a newer wattree may have written it"}});
  const Json body{
      {"models", {"bert-tiny", {{"model", "mine"}, {"config", {{"model_type", "bert"}}}}}},
      {"predictor", kPredictor},
      {"fail_above", "3%"}};
  const Result<CompareModelsAnswer> answer =
      compare_models(compare_models_request(body).value(), services());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().comparison.above_limit(), std::vector<std::string>{"mine"});
  EXPECT_EQ(Json::parse(to_json(answer.value())).at("models").size(), 2U);
}

TEST(CompareRunsRequest, IsReadAndAnswered) {
  expect_named(
      compare_runs_request,
      {{R"({"runs": ["1kWh"]})", "runs", kNoHint},
       {R"({"runs": [1, 2]})", "runs[0]", kNoHint},
       {R"({"runs": ["1kWh", "2kWh"], "epochs": 0})", "epochs", kNoHint},
       {R"({"runs": ["1kWh", "2kWh"], "regio": "DE"})", "regio", "did you mean \"region\"?"}});
  const Json body{{"runs", {"1kWh", "2kWh"}}, {"region", "DE"}, {"fail_above", "50%"}};
  const Result<CompareRunsAnswer> answer =
      compare_runs(compare_runs_request(body).value(), services());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().above_limit.size(), 1U);
  EXPECT_FALSE(Json::parse(to_json(answer.value())).empty());
}

TEST(Models, HaveNamesAndFamilies) {
  const Result<ModelsAnswer> answer = models();
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().models.size(), model_names().size());
  EXPECT_FALSE(answer.value().families.empty());
}

}  // namespace
}  // namespace wattree
