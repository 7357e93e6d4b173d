#include "src/predict/predictor/survey.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/base/mib.h"
#include "src/predict/predictor/tiling.h"

namespace wattree {
namespace {

bool is_half(const Work& product) { return product.width <= 2; }

double law_us(const Work& product, const Chip& chip) {
  const double tiles = best_tiling(product, 1, chip);
  if (!is_half(product)) return tiles;
  const double bytes = (product.m * product.k + product.m * product.n) * product.width;
  const double mib = (bytes + weight_bytes(product)) / kMiB;
  return std::max(tiles, mib / std::max(chip.mib_per_us, 1e-9));
}

Survey::Way way_of(const Work& product) {
  if (!is_half(product) && !product.is_transposed) return Survey::Way::kUntransposed;
  return product.has_bias ? Survey::Way::kBias : Survey::Way::kPlain;
}

// Where a size lies between two of an axis: how far from the first to the second.
struct Place {
  std::size_t first = 0;
  double share = 0;
};

Place place_on(const Survey::Axis& axis, double size) {
  const auto above = std::upper_bound(axis.sizes.begin(), axis.sizes.end(), size);
  const auto next =
      std::clamp<std::ptrdiff_t>(above - axis.sizes.begin(), 1, std::ssize(axis.sizes) - 1);
  const auto first = static_cast<std::size_t>(next - 1);
  if (size == axis.sizes[first]) return {first, 0};  // Most sizes are on the grid.
  const double least = axis.octaves[first];
  return {first, (std::log2(size) - least) / (axis.octaves[first + 1] - least)};
}

double clamped(const Survey::Axis& axis, double size) {
  return std::clamp(size, axis.sizes.front(), axis.sizes.back());
}

// Between the sizes of the grid the logarithm of the time is taken to be linear in those of sizes.
double read_us(const Survey::Grid& grid, const Work& product) {
  const std::vector<std::uint16_t>& steps = grid.steps[static_cast<std::size_t>(way_of(product))];
  const std::size_t widths = grid.widths.sizes.size();
  const Place m = place_on(grid.rows, product.m);
  const Place n = place_on(grid.widths, product.n);
  const Place k = place_on(grid.widths, product.k);
  double sum = 0;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const std::size_t i = corner & 1;
    const std::size_t j = corner >> 1 & 1;
    const std::size_t l = corner >> 2;
    const double weight = (i != 0 ? m.share : 1 - m.share) * (j != 0 ? n.share : 1 - n.share) *
                          (l != 0 ? k.share : 1 - k.share);
    if (weight == 0) continue;
    sum += weight * steps[((m.first + i) * widths + n.first + j) * widths + k.first + l];
  }
  return std::exp2(sum / Survey::kStepsPerOctave);
}

bool has_same_rates(const Chip& a, const Chip& b) {
  return a.processors == b.processors && a.half_gflop_per_us == b.half_gflop_per_us &&
         a.single_gflop_per_us == b.single_gflop_per_us && a.mib_per_us == b.mib_per_us;
}

}  // namespace

double product_us(const Work& product, const Chip& chip) {
  if (chip.survey == nullptr) return law_us(product, chip);
  const Survey& survey = *chip.survey;
  const Survey::Grid& grid = is_half(product) ? survey.half : survey.single;
  Work inside = product;
  inside.m = clamped(grid.rows, product.m);
  inside.n = clamped(grid.widths, product.n);
  inside.k = clamped(grid.widths, product.k);
  const double us = read_us(grid, inside);
  if (inside == product && has_same_rates(chip, survey.chip)) return us;
  return us * law_us(product, chip) / law_us(inside, survey.chip);
}

// Times as text: two digits of base 64 each, so that a file of 50,000 is no larger than it must be.
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kWayNames[Survey::kWays] = {"bias", "plain", "untransposed"};
constexpr double kLargest = 1e9;

void write_axis(JsonWriter& json, std::string_view name, const Survey::Axis& axis) {
  json.key(name);
  json.begin_array();
  for (const double size : axis.sizes) json.value(size);
  json.end_array();
}

void write_grid(JsonWriter& json, std::string_view name, const Survey::Grid& grid) {
  json.key(name);
  json.begin_object();
  write_axis(json, "rows", grid.rows);
  write_axis(json, "widths", grid.widths);
  for (std::size_t way = 0; way < Survey::kWays; ++way) {
    if (grid.steps[way].empty()) continue;
    std::string text;
    text.reserve(2 * grid.steps[way].size());
    for (const std::uint16_t steps : grid.steps[way]) {
      text += kDigits[steps >> 6 & 63];
      text += kDigits[steps & 63];
    }
    json.field(kWayNames[way], text);
  }
  json.end_object();
}

Survey::Axis read_axis(JsonFields& fields, std::string_view name) {
  Survey::Axis axis{fields.numbers(name, 1, kLargest), {}};
  if (axis.sizes.size() < 2 || std::adjacent_find(axis.sizes.begin(), axis.sizes.end(),
                                                  std::greater_equal<>()) != axis.sizes.end()) {
    fields.complain(name, "must be two rising sizes or more");
    return {{1, 2}, {0, 1}};
  }
  for (const double size : axis.sizes) axis.octaves.push_back(std::log2(size));
  return axis;
}

std::vector<std::uint16_t> read_steps(JsonFields& fields, std::string_view name,
                                      std::size_t count) {
  const std::string text = fields.text(name, true);
  std::vector<std::uint16_t> steps;
  steps.reserve(count);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = kDigits.find(text[i]);
    const std::size_t low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) break;
    steps.push_back(static_cast<std::uint16_t>(high << 6 | low));
  }
  if (steps.size() != count || text.size() != 2 * count) {
    fields.complain(name, "must be " + std::to_string(count) + " times of two digits of base 64");
    steps.assign(count, 0);
  }
  return steps;
}

Survey::Grid read_grid(JsonFields fields, std::size_t ways) {
  Survey::Grid grid{read_axis(fields, "rows"), read_axis(fields, "widths"), {}};
  const std::size_t widths = grid.widths.sizes.size();
  for (std::size_t way = 0; way < ways; ++way) {
    grid.steps[way] = read_steps(fields, kWayNames[way], grid.rows.sizes.size() * widths * widths);
  }
  return grid;
}

}  // namespace

void write_survey(JsonWriter& json, const Survey& survey) {
  json.begin_object();
  write_grid(json, "half", survey.half);
  write_grid(json, "single", survey.single);
  json.end_object();
}

std::shared_ptr<const Survey> read_survey(JsonFields fields, const Chip& chip) {
  Survey survey{read_grid(fields.inside("half"), 2), read_grid(fields.inside("single"), 3), chip};
  survey.chip.survey = nullptr;
  return std::make_shared<const Survey>(std::move(survey));
}

}  // namespace wattree
