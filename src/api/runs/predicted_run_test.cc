#include "src/api/runs/predicted_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/predict/predict.h"
#include "src/api/runs/whatif.h"
#include "src/base/file.h"
#include "src/base/test_folder.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/store/sqlite/sqlite_store.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

class PredictedRun : public testing::Test {
 protected:
  PredictedRun() {
    services_.profiles = folder_.path() / "profiles";
    services_.store = folder_.path() / "wattree.db";
    services_.stores = sqlite_stores();
    services_.hub.offline = true;
    services_.hub.cache.clear();
    services_.predictors.clear();
    std::filesystem::create_directories(services_.profiles);
    // Four epochs of a kWh each; eight were planned.
    Profile run;
    run.name = "run";
    run.region = "US-GA";
    run.planned_epochs = 8;
    for (int i = 0; i < 4; ++i) {
      Epoch& epoch = run.epochs.emplace_back();
      epoch.duration = Seconds(3600);
      epoch.energy.push_back({"gpu",
                              ComponentKind::kGpu,
                              Joules(kJoulesPerKwh),
                              Joules(0.25 * kJoulesPerKwh),
                              std::nullopt,
                              {Basis::kMeasured, "NVML", Boundary::kGpu}});
    }
    EXPECT_TRUE(write_file(services_.profiles / "run.json", write_profile_json(run)).ok());
  }
  Result<WhatIfAnswer> ask(Json fields) const {
    fields["profile"] = "run";
    const Result<WhatIfRequest> request = what_if_request(fields);
    if (!request.ok()) return request.error();
    return what_if(request.value(), services_);
  }
  std::string field(const Json& fields) const {
    const Result<WhatIfAnswer> answer = ask(fields);
    return answer.ok() ? "" : answer.error().field;
  }
  PassEstimate pass() const {
    const Json request{
        {"model", "bert-tiny"}, {"batch", 2}, {"seq", 16}, {"dtype", "bf16"}, {"on", "h200"}};
    return predict(predict_request(request).value(), services_).value().prediction.root();
  }

  const TestFolder folder_;
  Services services_ = services_from([](const char*) { return std::nullopt; });
  const Json model_{{"other_model", "bert-tiny"},
                    {"other_batch", 2},
                    {"other_seq", 16},
                    {"other_dtype", "bf16"},
                    {"other_on", "h200"}};
};

TEST_F(PredictedRun, IsSoManyPassesSpreadOverThePlannedEpochs) {
  Json wanted = model_;
  wanted["other_passes"] = 8000;
  const Result<WhatIfAnswer> half = ask(wanted);
  ASSERT_TRUE(half.ok()) << half.error().message;
  const Curve& curve = half.value().alternative.curve;
  ASSERT_EQ(curve.points.size(), 4u);
  // Half of the planned epochs: half of the passes, with the predictor's interval.
  EXPECT_NEAR(curve.points.back().energy.value.value, 4000 * pass().energy.value, 1e-6);
  EXPECT_NEAR(curve.points.back().energy.low->value, 4000 * pass().energy_low().value, 1e-6);
  EXPECT_NEAR(curve.points.back().energy.high->value, 4000 * pass().energy_high().value, 1e-6);
  EXPECT_NEAR(curve.points.back().elapsed->value, 4000 * pass().time.value, 1e-9);
  EXPECT_EQ(curve.device_basis.basis, Basis::kPredicted);
  EXPECT_EQ(curve.device_basis.boundary, Boundary::kGpu);
  // Where the baseline is.
  EXPECT_EQ(half.value().alternative.setting.grid->region, "US-GA");
  EXPECT_NEAR(
      curve.points.back().emissions->value.value / curve.points.back().energy.value.value,
      half.value().baseline.curve.points.back().emissions->value.value / (4 * kJoulesPerKwh),
      1e-12);
  ASSERT_EQ(half.value().steps.size(), 1u);
  EXPECT_EQ(half.value().steps[0].facet, Facet::kProfile);
  EXPECT_EQ(half.value().steps[0].to, "8000 × bert-tiny");

  wanted["epochs"] = 8;
  const WhatIfAnswer whole = ask(wanted).value();
  EXPECT_NEAR(whole.alternative.curve.points.back().energy.value.value, 8000 * pass().energy.value,
              1e-6);
  EXPECT_EQ(whole.alternative.curve.points.size(), 8u);
}

TEST_F(PredictedRun, WithoutANumberEachEpochIsOnePass) {
  EXPECT_NEAR(ask(model_).value().alternative.curve.points.back().energy.value.value,
              4 * pass().energy.value, 1e-9);
}

TEST_F(PredictedRun, AFactorForTrainingIsAssumed) {
  Json wanted = model_;
  wanted["other_passes"] = 8000;
  wanted["other_factor"] = 3;
  const WhatIfAnswer answer = ask(wanted).value();
  EXPECT_NEAR(answer.alternative.curve.points.back().energy.value.value,
              3 * 4000 * pass().energy.value, 1e-6);
  EXPECT_EQ(answer.alternative.curve.energy_basis.basis, Basis::kAssumed);
}

TEST_F(PredictedRun, TakesOtherFacets) {
  Json wanted = model_;
  wanted["other_passes"] = 8000;
  wanted["region"] = "US-WA";
  wanted["pue"] = 1.5;
  const WhatIfAnswer answer = ask(wanted).value();
  EXPECT_NEAR(answer.alternative.curve.points.back().energy.value.value,
              1.5 * 4000 * pass().energy.value, 1e-6);
  EXPECT_EQ(answer.steps.size(), 3u);
  EXPECT_EQ(answer.alternative.setting.grid->region, "US-WA");
}

TEST_F(PredictedRun, WhatIsWrongNamesItsField) {
  EXPECT_EQ(field({{"other_model", "bert-tiny"}}), "");
  EXPECT_EQ(field({{"other_model", "no-such-model"}}), "other_model");
  EXPECT_EQ(field({{"other_model", "bert-tiny"}, {"other_on", "abacus"}}), "other_on");
  EXPECT_EQ(field({{"other_model", "bert-tiny"}, {"other_dtype", "fp64"}}), "other_dtype");
  EXPECT_EQ(field({{"other_model", "bert-tiny"}, {"other_batch", 0}}), "other_batch");
  EXPECT_EQ(field({{"other_model", "bert-tiny"}, {"other_passes", 0}}), "other_passes");
  EXPECT_EQ(field({{"other_model", "bert-tiny"}, {"other_factor", 0.5}}), "other_factor");
  EXPECT_EQ(field({{"other_passes", 3}}), "other_model");
  EXPECT_EQ(field({{"other_model", "bert-tiny"}, {"other", "1kWh"}}), "other");
}

// The pages compute nothing: what they show beside the curves stands in the answer.
TEST_F(PredictedRun, TheAnswerHasWhatPagesShow) {
  const WhatIfAnswer answer = ask({{"region", "US-WA"},
                                   {"hardware", "1xT4"},
                                   {"baseline_hardware", "1xTesla V100 SXM2 32GB"},
                                   {"epochs", 5}})
                                  .value();
  const Json json = Json::parse(to_json(answer, {std::nullopt, true, false}));
  EXPECT_EQ(json["baseline"]["components"][0]["idle_j"], kJoulesPerKwh);
  EXPECT_EQ(json["baseline"]["equations"][2]["idle_j"], 0.25 * kJoulesPerKwh);
  const Json& points = json["baseline"]["curve"]["points"];
  EXPECT_EQ(points[1]["epoch_energy_j"], kJoulesPerKwh);
  EXPECT_NEAR(points[4]["epoch_energy_j"].get<double>(), kJoulesPerKwh, 1e-3);
  EXPECT_NEAR(points[4]["epoch_carbon_gco2e"].get<double>(),
              points[0]["carbon_gco2e"].get<double>(), 1e-6);
  const double from = points[4]["energy_j"];
  const double to = json["alternative"]["curve"]["points"][4]["energy_j"];
  EXPECT_NEAR(json["difference"]["energy_j"].get<double>(), to - from, 1e-6);
  EXPECT_NEAR(json["difference"]["energy_excess"].get<double>(), to / from - 1, 1e-12);
}

}  // namespace
}  // namespace wattree
