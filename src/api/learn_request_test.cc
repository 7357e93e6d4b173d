// Requests to train, evaluate, annotate, profile and calibrate, from JSON and by hand.
#include "src/api/learn/learn_request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/learn/dataset.h"
#include "src/api/learn/evaluate.h"
#include "src/api/learn/train.h"
#include "src/api/measure/calibrate.h"
#include "src/api/measure/measure_model.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

const std::string kToy = std::string(WATTREE_SOURCE_DIR) + "/tests/data/learn/toy.jsonl";
const std::string kWindows = std::string(WATTREE_SOURCE_DIR) + "/data/h200-check";

TEST(TrainRequest, IsReadFromJson) {
  const auto read = train_request(Json::parse(
      R"({"dataset":"d.jsonl","name":"n","aggregate":"end2end","features":"model","seed":3,)"
      R"("hardware":"H","meter":"M","boundary":"gpu","dtypes":["bf16"],"exclude":["a"],)"
      R"("all_models":true,"skip_bad":true})"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const TrainRequest& request = read.value();
  EXPECT_EQ(request.dataset, "d.jsonl");
  EXPECT_EQ(request.method.aggregate, "end2end");
  EXPECT_EQ(request.method.features, "model");
  EXPECT_EQ(request.seed, 3);
  EXPECT_EQ(request.boundary, "gpu");
  EXPECT_EQ(request.dtypes, std::vector<std::string>{"bf16"});
  EXPECT_EQ(request.models.exclude, std::vector<std::string>{"a"});
  EXPECT_TRUE(request.models.takes_all && request.models.skips_bad);
}

TEST(TrainRequest, SaysWhichFieldIsWrong) {
  const auto field = [](const char* json) {
    const auto read = train_request(Json::parse(json));
    EXPECT_FALSE(read.ok()) << json;
    return read.ok() ? "" : read.error().field;
  };
  EXPECT_EQ(field(R"({"name":"n"})"), "dataset");
  EXPECT_EQ(field(R"({"dataset":"d","name":"n","aggregate":"magic"})"), "aggregate");
  EXPECT_EQ(field(R"({"dataset":"d","name":"n","aggregate":"sum","features":"x"})"), "features");
  EXPECT_EQ(field(R"({"dataset":"d","name":"n","seed":1})"), "seed");
  EXPECT_EQ(field(R"({"dataset":"d","name":"n","boundary":"facility"})"), "boundary");
  const auto misspelt = train_request(Json::parse(R"({"dataset":"d","name":"n","metre":"x"})"));
  ASSERT_FALSE(misspelt.ok());
  EXPECT_NE(misspelt.error().hint.find("\"meter\""), std::string::npos) << misspelt.error().hint;
}

TEST(Train, MakesAPredictorAndTellsWhatWindowsDoNotTake) {
  TrainRequest request;
  request.dataset = kToy;
  request.name = "toy";
  const auto answer = train(request, {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(Json::parse(to_json(answer.value())).at("name"), "toy");
  request.dataset = kWindows;
  request.boundary = "gpu";
  const auto refused = train(request, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("<boundary>"), std::string::npos);
}

TEST(EvaluateRequest, IsReadFromJson) {
  const auto read = evaluate_request(Json::parse(
      R"({"dataset":"d","leave_one_family_out":true,"known":"leaves","seeds":4,"no_twins":true,)"
      R"("predictor":"h200","report":true,"predictions":true})"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read.value().leave_one_family_out);
  EXPECT_EQ(read.value().known, "leaves");
  EXPECT_EQ(read.value().seeds, 4);
  EXPECT_TRUE(read.value().checks && read.value().report && read.value().predictions);
  EXPECT_EQ(evaluate_request(Json::parse(R"({"dataset":"d","seeds":0})")).error().field, "seeds");
  EXPECT_FALSE(
      evaluate_request(
          Json::parse(R"({"dataset":"d","leave_one_model_out":true,"leave_one_family_out":true})"))
          .ok());
}

TEST(Evaluate, RefusesWhatTheMethodOrTheDataWouldPassOver) {
  const auto field = [](const std::function<void(EvaluateRequest&)>& change) {
    EvaluateRequest request;
    request.dataset = kToy;
    change(request);
    const auto answer = evaluate(request, {}, [](std::string_view) {});
    EXPECT_FALSE(answer.ok());
    return answer.ok() ? "" : answer.error().field;
  };
  EXPECT_EQ(field([](EvaluateRequest& r) { r.method.features = "model"; }), "features");
  EXPECT_EQ(field([](EvaluateRequest& r) { r.seeds = 3; }), "seeds");
  EXPECT_EQ(field([](EvaluateRequest& r) { r.predictor = "h200"; }), "predictor");
  EXPECT_EQ(field([](EvaluateRequest& r) { r.known = "everything"; }), "known");
  EXPECT_EQ(field([](EvaluateRequest& r) {
              r.method.aggregate = "sum";
              r.known = "leaves";
            }),
            "known");
  EXPECT_EQ(field([](EvaluateRequest& r) {
              r.method.aggregate = "sum";
              r.no_twins = true;
            }),
            "no_twins");
  EXPECT_EQ(field([](EvaluateRequest& r) {
              r.dataset = kWindows;
              r.known = "leaves";
            }),
            "dataset");
}

TEST(Evaluate, AnswersForTreesAndForWindows) {
  EvaluateRequest request;
  request.dataset = kToy;
  const auto trees = evaluate(request, {}, [](std::string_view) {});
  ASSERT_TRUE(trees.ok()) << trees.error().message;
  ASSERT_TRUE(std::holds_alternative<EvaluatedTrees>(trees.value().of));
  EXPECT_EQ(Json::parse(to_json(trees.value())).at("hold_out"), "leave-one-model-out");
  std::size_t lines = 0;
  const auto& of_trees = std::get<EvaluatedTrees>(trees.value().of);
  write_predictions(of_trees, [&](std::string_view) { ++lines; });
  EXPECT_EQ(lines, of_trees.study.evaluation.predictions.size());

  request.dataset = kWindows;
  request.predictor = "h200";
  request.report = true;
  const auto windows = evaluate(request, {}, [](std::string_view) {});
  ASSERT_TRUE(windows.ok()) << windows.error().message;
  EXPECT_TRUE(windows.value().report);
  const Json json = Json::parse(to_json(windows.value()));
  EXPECT_EQ(json.at("hold_out"), "none");
  EXPECT_TRUE(json.contains("repeats"));
  request.predictor = kToy;  // A file, but no predictor.
  EXPECT_FALSE(evaluate(request, {}, [](std::string_view) {}).ok());
}

TEST(Annotate, NamesTheFieldAndFillsTrees) {
  const TestFolder folder;
  EXPECT_EQ(annotate({kToy, "p", folder.path() / "o", "all", false, false}, {}).error().field,
            "known");
  TrainRequest request;
  request.dataset = kToy;
  request.name = "toy";
  const auto trained = train(request, {});
  ASSERT_TRUE(trained.ok());
  folder.write("p.json", to_json(trained.value()));
  const auto read = annotate_request(Json{{"dataset", kToy},
                                          {"predictor", (folder.path() / "p.json").string()},
                                          {"output", (folder.path() / "out.jsonl").string()}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto answer = annotate(read.value(), {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto stats = dataset_stats({(folder.path() / "out.jsonl").string()}, {});
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats.value().stats.predicted(), static_cast<std::size_t>(answer.value().nodes));
}

TEST(ProfileRequest, IsReadFromJson) {
  const auto read = profile_request(Json::parse(
      R"({"model":"gpt2","batch":4,"seq":64,"dtype":"bf16","set":{"n_layer":2},"device":"cuda:1",)"
      R"("budget":"2min","cache":"in_place,cold","standby":80,"node_limit":3,"seed":7,)"
      R"("no_anchor":true,"output":"d.jsonl","resume":true})"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const ProfileRequest& request = read.value();
  EXPECT_EQ(request.pass.batch, 4);
  EXPECT_EQ(request.pass.seq, 64);
  ASSERT_EQ(request.pass.overrides.size(), 1U);
  EXPECT_EQ(request.pass.overrides[0], std::pair(std::string("n_layer"), std::string("2")));
  EXPECT_EQ(request.measure.budget, Seconds(120));
  EXPECT_EQ(request.measure.standby, Watts(80));
  EXPECT_EQ(request.measure.node_limit, Seconds(3));
  EXPECT_TRUE(request.measure.no_anchor && request.resume);
  EXPECT_EQ(
      profile_request(Json::parse(R"({"model":"m","output":"o","budget":"soon"})")).error().field,
      "budget");
  EXPECT_EQ(profile_request(Json::parse(R"({"model":"m"})")).error().field, "output");
}

TEST(ProfileRequest, SaysWhatItDoesNotUnderstandBeforeAnythingIsOpened) {
  const TestFolder folder;
  const auto field = [&](const std::function<void(ProfileRequest&)>& change) {
    ProfileRequest request;
    request.model = "bert-base-uncased";
    request.output = folder.path() / "d.jsonl";
    change(request);
    MeasureHost host;
    host.open_executor = []() -> Result<std::unique_ptr<Executor>> {
      ADD_FAILURE() << "opened";
      return Error{ErrorCode::kInternal, "opened", ""};
    };
    const auto answer = profile_model(request, {}, host);
    EXPECT_FALSE(answer.ok());
    return answer.ok() ? "" : answer.error().field;
  };
  EXPECT_EQ(field([](ProfileRequest& r) { r.measure.cache = "lukewarm"; }), "cache");
  EXPECT_EQ(field([](ProfileRequest& r) { r.measure.protocol = "mine"; }), "protocol");
  EXPECT_EQ(field([](ProfileRequest& r) { r.measure.execution = "fast"; }), "execution");
  folder.write("d.windows.jsonl", "{}\n");
  EXPECT_EQ(field([](ProfileRequest&) {}), "resume");
}

TEST(CalibrateRequest, IsReadFromJsonAndChecked) {
  const auto read = calibrate_request(
      Json::parse(R"({"on":"me","dtype":"bf16","output":"p.json","budget":"3min"})"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().on, "me");
  EXPECT_EQ(read.value().measure.budget, Seconds(180));
  CalibrateRequest request = read.value();
  request.measure.cache = "cold,in_place";
  EXPECT_EQ(calibrate(request, {}, {}).error().field, "cache");
}

TEST(TrainRequest, OnlyWindowsLieInSeveralPlaces) {
  EXPECT_TRUE(check_single("trees.jsonl", {}).ok());
  const Status wrong = check_single("trees.jsonl", {"more.jsonl"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().field, "further");
  EXPECT_EQ(all_names("data/a", {"data/b"}), "data/a data/b");
  EXPECT_EQ(all_paths("data/a", {"data/b"}).size(), 2U);
}

}  // namespace
}  // namespace wattree
