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

// Twice as long for four times the rows, as long for any width; without a bias half as long. With
// the weight in the cache the fewer rows take half as long, and the more rows as long.
Survey::Grid grid() {
  Survey::Grid out{axis(4, 16), axis(64, 256), {}, {}};
  for (std::size_t way = 0; way < Survey::kWays; ++way) {
    Survey::Times& times = out.ways[way];
    for (const double us : {8.0, 16.0}) {
      for (int i = 0; i < 4; ++i) {
        times.steps.push_back(steps(way == 1 ? us / 2 : us));
        times.cached.push_back(us < 10 ? 32 : 0);
      }
    }
  }
  return out;
}

// Of fp32: four rows have no tiles, sixteen have tiles of 32 columns by 64 rows.
Survey::Grid tiled_grid() {
  Survey::Grid out = grid();
  out.tiles = {{}, {32, 64}};
  for (Survey::Times& times : out.ways) times.tiles = {0, 0, 0, 0, 1, 1, 1, 1};
  return out;
}

Chip chip_of(double speed) {
  return {.processors = 10,
          .half_gflop_per_us = 0.1 * speed,
          .single_gflop_per_us = 0.01 * speed,
          .mib_per_us = speed};
}

Chip surveyed_chip(double speed = 1) {
  Survey survey{grid(), tiled_grid(), chip_of(1)};
  survey.half.ways[2] = {};  // How a weight lies makes no difference.
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
  work.fetches_weight = true;
  return work;
}

TEST(SurveyTest, ReadsSizesOfTheGridAndThoseBetween) {
  const Chip chip = surveyed_chip();
  EXPECT_DOUBLE_EQ(product_us(product(4, 64, 64, 4, true), chip), 8);
  EXPECT_DOUBLE_EQ(product_us(product(16, 256, 64, 4, true), chip), 16);
  EXPECT_DOUBLE_EQ(product_us(product(16, 64, 256, 2, false), chip), 8);
  EXPECT_NEAR(product_us(product(8, 100, 77, 2, true), chip),
              product_us(product(4, 100, 77, 2, true), chip) * std::sqrt(2), 1e-9);
}

TEST(SurveyTest, WidthsBetweenThoseOfTheGridTakeLongerInFp32) {
  const Chip chip = surveyed_chip();
  const double round_us = product_us(product(8, 64, 256, 4, true), chip);
  EXPECT_NEAR(round_us, 8 * std::sqrt(2), 1e-9);  // Rows may lie between.
  EXPECT_NEAR(product_us(product(8, 100, 77, 4, true), chip), 1.05 * round_us, 1e-9);
  EXPECT_NEAR(product_us(product(8, 64, 77, 4, true), chip), 1.05 * round_us, 1e-9);
  EXPECT_NEAR(product_us(product(8, 100, 77, 4, false), chip),
              1.01 * product_us(product(8, 64, 64, 4, false), chip), 1e-9);
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

TEST(SurveyTest, WeightsInTheCacheAreQuicker) {
  const Chip chip = surveyed_chip();
  Work work = product(4, 64, 64, 4, true);
  work.fetches_weight = false;
  EXPECT_DOUBLE_EQ(product_us(work, chip), 4);
  work.width = work.weight_width = 2;
  EXPECT_DOUBLE_EQ(product_us(work, chip), 4);
  work.m = 16;
  EXPECT_DOUBLE_EQ(product_us(work, chip), 16);
}

TEST(SurveyTest, CountsWhatTilesRead) {
  const Chip chip = surveyed_chip();
  const SurveyedProduct few = surveyed_product(product(4, 256, 256, 4, true), chip);
  EXPECT_EQ(few.tiled, 0);
  EXPECT_EQ(few.tile_mib, 0);
  // Eight blocks of 32 columns, and all rows in one of 64, over a depth of 256.
  const SurveyedProduct more = surveyed_product(product(16, 256, 256, 4, true), chip);
  EXPECT_EQ(more.tiled, 1);
  EXPECT_DOUBLE_EQ(more.tile_mib, 8 * (32 + 64) * 256 * 4 / 1048576.0);
  // Half way between both, of each a half.
  const SurveyedProduct between = surveyed_product(product(8, 256, 256, 4, true), chip);
  EXPECT_DOUBLE_EQ(between.tiled, 0.5);
  EXPECT_DOUBLE_EQ(between.tile_mib, more.tile_mib / 2);
  EXPECT_EQ(surveyed_product(product(16, 256, 256, 2, true), chip).tiled, 0);  // Nobody knows.
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
  EXPECT_NE(complaint("[64,256]", "[64,128,256]").find("must be 18 numbers"), std::string::npos);
  EXPECT_NE(complaint("\"bias\":\"", "\"bias\":\"?").find("bias"), std::string::npos);
  EXPECT_NE(complaint("\"bias_cached\":\"g", "\"bias_cached\":\"?").find("bias_cached"),
            std::string::npos);
  EXPECT_NE(complaint("[0,0,32,64]", "[0,0,32]").find("tiles"), std::string::npos);
  EXPECT_NE(complaint("[0,0,32,64]", "[0,0,0,64]").find("tiles"), std::string::npos);
  // A tile that is not in the list.
  EXPECT_NE(complaint("AAAABBBB", "AAAABBBC").find("below 2"), std::string::npos);
}

}  // namespace
}  // namespace wattree
