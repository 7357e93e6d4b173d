#include "src/predict/predictor/survey.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"
#include "src/predict/predictor/tiling.h"

namespace wattree {
namespace {

Survey::Axis axis(double least, double most) {
  return {{least, most}, {std::log2(least), std::log2(most)}};
}

std::uint16_t steps(double us) {
  return static_cast<std::uint16_t>(std::lround(Survey::kStepsPerOctave * std::log2(us)));
}

// Twice as long for four times the rows, as long for any width; without a bias half as long.
Survey::Grid grid() {
  Survey::Grid out{axis(4, 16), axis(64, 256), {}};
  for (std::size_t way = 0; way < Survey::kWays; ++way) {
    for (const double us : {8.0, 16.0}) {
      for (int i = 0; i < 4; ++i) out.steps[way].push_back(steps(way == 1 ? us / 2 : us));
    }
  }
  return out;
}

Chip chip_of(double speed) {
  return {.processors = 10,
          .half_gflop_per_us = 0.1 * speed,
          .single_gflop_per_us = 0.01 * speed,
          .mib_per_us = speed};
}

Chip surveyed_chip(double speed = 1) {
  Survey survey{grid(), grid(), chip_of(1)};
  survey.half.steps[2].clear();  // How a weight lies makes no difference.
  Chip chip = chip_of(speed);
  chip.survey = std::make_shared<const Survey>(std::move(survey));
  return chip;
}

Work product(double m, double n, double k, double width, bool has_bias) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.m = m;
  work.n = n;
  work.k = k;
  work.width = work.weight_width = width;
  work.has_bias = has_bias;
  work.is_transposed = true;
  return work;
}

TEST(SurveyTest, ReadsSizesOfTheGridAndThoseBetween) {
  const Chip chip = surveyed_chip();
  EXPECT_DOUBLE_EQ(product_us(product(4, 64, 64, 4, true), chip), 8);
  EXPECT_DOUBLE_EQ(product_us(product(16, 256, 64, 4, true), chip), 16);
  EXPECT_DOUBLE_EQ(product_us(product(16, 64, 256, 2, false), chip), 8);
  EXPECT_NEAR(product_us(product(8, 100, 77, 4, true), chip), 8 * std::sqrt(2), 1e-9);
}

TEST(SurveyTest, TellsWaysApart) {
  const Chip chip = surveyed_chip();
  EXPECT_DOUBLE_EQ(product_us(product(4, 64, 64, 4, false), chip), 4);
  Work untransposed = product(4, 64, 64, 4, false);
  untransposed.is_transposed = false;
  EXPECT_DOUBLE_EQ(product_us(untransposed, chip), 8);
  untransposed.width = untransposed.weight_width = 2;
  EXPECT_DOUBLE_EQ(product_us(untransposed, chip), 4);
}

TEST(SurveyTest, GoesBeyondTheGridAsTilesDo) {
  const Chip chip = surveyed_chip();
  const Work inside = product(16, 256, 256, 4, true);
  const Work beyond = product(4096, 256, 256, 4, true);
  EXPECT_NEAR(product_us(beyond, chip) / product_us(inside, chip),
              best_tiling(beyond, 1, chip) / best_tiling(inside, 1, chip), 1e-9);
}

TEST(SurveyTest, ChipsOfOtherRatesTakeAsMuchLessAsTheirTiles) {
  const Work work = product(16, 256, 256, 4, true);
  EXPECT_NEAR(product_us(work, surveyed_chip(2)), product_us(work, surveyed_chip()) / 2, 1e-9);
}

TEST(SurveyTest, WithoutOneTilesAreAll) {
  const Work work = product(100, 200, 300, 4, true);
  EXPECT_DOUBLE_EQ(product_us(work, chip_of(1)), best_tiling(work, 1, chip_of(1)));
}

std::string text_of(const Survey& survey) {
  JsonWriter json;
  write_survey(json, survey);
  return json.take();
}

std::shared_ptr<const Survey> read_text(const std::string& text, Status& failure) {
  const auto json = parse_json(text, "survey");
  return read_survey(JsonFields(json.value(), "", "survey", failure), chip_of(1));
}

TEST(SurveyTest, IsReadBackAsWritten) {
  const Chip chip = surveyed_chip();
  Status failure;
  const auto again = read_text(text_of(*chip.survey), failure);
  ASSERT_TRUE(failure.ok()) << failure.error().message;
  EXPECT_EQ(again->half, chip.survey->half);
  EXPECT_EQ(again->single, chip.survey->single);
}

TEST(SurveyTest, RefusesWhatIsNoGrid) {
  const std::string text = text_of(*surveyed_chip().survey);
  const auto complaint = [&](std::string_view from, std::string_view to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    Status failure;
    read_text(other, failure);
    return failure.ok() ? "" : failure.error().message;
  };
  EXPECT_NE(complaint("[4,16]", "[16,4]").find("rows"), std::string::npos);
  EXPECT_NE(complaint("[64,256]", "[64,128,256]").find("must be 18 times"), std::string::npos);
  EXPECT_NE(complaint("\"bias\":\"", "\"bias\":\"?").find("bias"), std::string::npos);
}

}  // namespace
}  // namespace wattree
