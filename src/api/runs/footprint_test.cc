#include "src/api/runs/footprint.h"

#include <gtest/gtest.h>

#include "src/api/runs/profiles.h"
#include "src/report/document/equivalent_text.h"
#include "src/report/document/report.h"
#include "src/report/document/report_content.h"
#include "src/runs/store/sqlite/sqlite_store.h"

namespace wattree {
namespace {

Services services() {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.stores = sqlite_stores();
  return out;
}

Profile sample() {
  const char* file = WATTREE_SOURCE_DIR "/tests/data/profiles/energyvis_sample.json";
  return load_profile({file, {}, true}, services()).value();
}

TEST(Footprint, TheQueryGoesBeforeTheProfile) {
  const Footprint own = footprint_of(sample(), {}).value();
  EXPECT_EQ(own.setting.grid->region, "US-GA");
  EXPECT_EQ(own.setting.pue->value, 1.59);
  // 0.6 kWh × 1.59 × 325.43 g/kWh, by hand.
  EXPECT_NEAR(own.curve.points.back().emissions->value.value, 310.460, 1e-3);
  SettingQuery query;
  query.region = "US-WY";
  query.pue = "1.1";
  const Footprint asked = footprint_of(sample(), query).value();
  EXPECT_EQ(asked.setting.grid->region, "US-WY");
  EXPECT_NEAR(asked.curve.points.back().energy.value.value, 0.66 * 3.6e6, 1e-6);
  query.intensity = "1g/kWh";
  EXPECT_FALSE(footprint_of(sample(), query).ok());  // A region and an intensity.
}

TEST(Footprint, ARecordedIntensityGoesBeforeTheTable) {
  Profile profile = sample();
  profile.intensity = RecordedIntensity{CarbonIntensity(100), Basis::kPublished, "then"};
  EXPECT_NEAR(footprint_of(profile, {}).value().curve.points.back().emissions->value.value, 95.4,
              1e-9);
}

TEST(Footprint, WithoutARegionThereAreNoEmissions) {
  Profile profile = sample();
  profile.region = "";
  EXPECT_FALSE(footprint_of(profile, {}).value().curve.points.back().emissions);
  profile.region = "US-XX";
  EXPECT_EQ(footprint_of(profile, {}).error().message,
            "the profile's region \"US-XX\" is not known");
  profile.region = "";
  profile.location = "Californa";
  EXPECT_NE(no_grid_error(profile).hint.find("US-CA"), std::string::npos);
}

// EnergyVis rescaled what the second run measured to the first one's hardware.
TEST(Footprint, AComparisonScalesNothing) {
  const Profile bert = load_profile({"bert-base-v100", {}, false}, services()).value();
  const std::vector<Footprint> both{footprint_of(sample(), {}).value(),
                                    footprint_of(bert, {}).value()};
  EXPECT_EQ(both[1].curve.points.back().device_energy.value, *device_energy(bert));
  EXPECT_EQ(both[1].curve.device_basis.basis, Basis::kPublished);
  EXPECT_EQ(excess(Joules(103), Joules(100)), 1.03 - 1);
  EXPECT_FALSE(excess(Joules(1), Joules(0)));
}

TEST(Footprint, ATypedPueCounts) {
  WhatIfQuery query;
  query.alternative.pue = "1.2";
  const WhatIfAnswer answer = answer_what_if(sample(), query, bundled_devices()).value();
  EXPECT_DOUBLE_EQ(answer.alternative.curve.points.back().energy.value.value /
                       answer.baseline.curve.points.back().energy.value.value,
                   1.2 / 1.59);
}

TEST(Footprint, OtherSourcesAreSaid) {
  WhatIfQuery query;
  query.alternative.region = "CA-QC";
  const WhatIfAnswer other = answer_what_if(sample(), query, bundled_devices()).value();
  ASSERT_EQ(other.alternative.curve.notes.size(), 1u);
  EXPECT_NE(other.alternative.curve.notes[0].find("cover different things"), std::string::npos);
  query.alternative.region = "US-WY";
  EXPECT_TRUE(
      answer_what_if(sample(), query, bundled_devices()).value().alternative.curve.notes.empty());
}

TEST(Footprint, WhatStaysIsSaidWhenTheDurationChanges) {
  WhatIfQuery query;
  query.hardware = "4xT4";
  query.rule.formula = HardwareFormula::kEnergyVis;  // Which has nothing else to say.
  const WhatIfAnswer answer = answer_what_if(sample(), query, bundled_devices()).value();
  ASSERT_EQ(answer.alternative.curve.notes.size(), 1u);
  EXPECT_EQ(answer.alternative.curve.notes[0],
            "cpu keeps the energy it had, although the duration changes");
}

TEST(Report, SaysBasisAndBoundaryOfEveryFigure) {
  const std::string text = markdown_report(footprint_of(sample(), {}).value(), MassUnit::kPound);
  EXPECT_NE(text.find("emitted 0.6844 lb CO2e"), std::string::npos) << text;
  EXPECT_NE(text.find("| energy of the devices | 0.6 kWh | assumed | host |"), std::string::npos);
  EXPECT_NE(text.find("| emissions (CO2e) | 0.6844 lb | assumed | facility |"), std::string::npos);
}

TEST(Report, SaysWhatIsOutsideTheEpochs) {
  Profile profile = sample();
  EXPECT_EQ(markdown_report(footprint_of(profile, {}).value(), MassUnit::kAuto).find("outside"),
            std::string::npos);
  profile.outside = profile.epochs.front();  // 0.1 kWh
  const std::string text = markdown_report(footprint_of(profile, {}).value(), MassUnit::kAuto);
  // (6 × 0.1 + 0.1) kWh × 1.59
  EXPECT_NE(text.find("used 1.113 kWh of electricity"), std::string::npos) << text;
  EXPECT_NE(text.find("Of it, 0.159 kWh is outside the epochs"), std::string::npos) << text;
  EXPECT_NE(text.find("| of it, in epochs | 0.6 kWh |"), std::string::npos) << text;
  EXPECT_NE(text.find("| of it, outside epochs | 0.1 kWh |"), std::string::npos) << text;
  EXPECT_NE(text.find("| outside | 0.159 kWh |"), std::string::npos) << text;
}

// Nothing that is extrapolated was used, and what was recorded is said beside it.
TEST(Report, TellsWhatWasFromWhatWouldBe) {
  Profile profile = sample();
  for (Epoch& epoch : profile.epochs) epoch.duration = Seconds(2);
  const std::string text = markdown_report(footprint_of(profile, {}, 12).value(), MassUnit::kAuto);
  EXPECT_NE(text.find("12 s; extrapolated to 12 epochs, 24 s) would use"), std::string::npos)
      << text;
  EXPECT_NE(text.find(", and emit "), std::string::npos) << text;
  EXPECT_EQ(text.find("used"), std::string::npos) << text;
  const std::string cut = markdown_report(footprint_of(profile, {}, 2).value(), MassUnit::kAuto);
  EXPECT_NE(cut.find("12 s; cut off after 2 epochs, 4 s) used"), std::string::npos) << cut;
}

TEST(Footprint, AComparisonNamesWhatIsOutsideTheEpochs) {
  Profile profile = sample();
  profile.outside = profile.epochs.front();
  const std::vector<Footprint> both{footprint_of(sample(), {}).value(),
                                    footprint_of(profile, {}).value()};
  EXPECT_EQ(comparison_notes(both).back(),
            "\"Sample Profile\" took 0.1 kWh of its device energy outside its epochs");
  const std::string json = to_json(both[1]);
  EXPECT_NE(json.find("\"outside_epochs\""), std::string::npos) << json;
}

TEST(Report, EquivalentsReadWellAtAnySize) {
  const auto texts = [](double grams, double joules) {
    std::string out;
    for (const ShownEquivalent& shown : shown_equivalents(GramsCo2e(grams), Joules(joules))) {
      out += to_text(shown) + "\n";
    }
    return out;
  };
  // A milligram is a few millimetres; nothing is a billionth of a car.
  EXPECT_EQ(texts(1e-3, 10),
            "4.02 mm of driving an average US passenger car\n"
            "0.000426 ml of burning petrol\n"
            "0.00812 s of electricity of an average US household\n");
  const std::string much = texts(2e6, 5e9);
  EXPECT_NE(much.find("8048 km of driving"), std::string::npos) << much;
  EXPECT_NE(much.find("47 days of electricity"), std::string::npos) << much;
  EXPECT_NE(much.find("2.23 × Air travel"), std::string::npos) << much;
  EXPECT_EQ(texts(0, 0), "");
}

TEST(Profiles, UnknownOnesAreErrorsWithTheNearest) {
  const Error error = load_profile({"bert-base", "/nonexistent", false}, services()).error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_EQ(error.hint, "did you mean bert-base-v100?");
}

}  // namespace
}  // namespace wattree
