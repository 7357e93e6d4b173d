#include "src/predict/predictor/survey.h"

#include <algorithm>
#include <array>
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

  bool is_between() const { return share > 0 && share < 1; }
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

// By way: in fp32, products of widths between those of the grid take so much longer than the times
// between theirs, which are of rounder numbers. The means over 2,100 of each in data/h200-times.
constexpr double kBetween[Survey::kWays] = {1.05, 1.01, 1.02};

double clamped(const Survey::Axis& axis, double size) {
  return std::clamp(size, axis.sizes.front(), axis.sizes.back());
}

// Where a product lies in a grid.
struct Places {
  Place m;
  Place n;
  Place k;

  Places(const Survey::Grid& grid, const Work& product)
      : m(place_on(grid.rows, product.m)),
        n(place_on(grid.widths, product.n)),
        k(place_on(grid.widths, product.k)) {}
};

// Calls `visit` with the place in the grid and the weight of each of the sizes around a product.
template <class Visit>
void for_each_corner(const Survey::Grid& grid, const Places& places, const Visit& visit) {
  const std::size_t widths = grid.widths.sizes.size();
  const auto& [m, n, k] = places;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const std::size_t i = corner & 1;
    const std::size_t j = corner >> 1 & 1;
    const std::size_t l = corner >> 2;
    const double weight = (i != 0 ? m.share : 1 - m.share) * (j != 0 ? n.share : 1 - n.share) *
                          (l != 0 ? k.share : 1 - k.share);
    if (weight == 0) continue;
    visit(((m.first + i) * widths + n.first + j) * widths + k.first + l, weight);
  }
}

// Every block of threads reads the rows and the columns that it multiplies.
double read_mib(const Survey::Tile& tile, const Work& product) {
  const double blocks = std::ceil(product.n / tile.columns) * std::ceil(product.m / tile.rows);
  return blocks * (tile.columns + tile.rows) * product.k * product.width / kMiB;
}

bool has_same_rates(const Chip& a, const Chip& b) {
  return a.processors == b.processors && a.half_gflop_per_us == b.half_gflop_per_us &&
         a.single_gflop_per_us == b.single_gflop_per_us && a.mib_per_us == b.mib_per_us;
}

}  // namespace

SurveyedProduct surveyed_product(const Work& product, const Chip& chip) {
  if (chip.survey == nullptr) return {law_us(product, chip), 0, 0};
  const Survey& survey = *chip.survey;
  const Survey::Grid& grid = is_half(product) ? survey.half : survey.single;
  const Survey::Times& times = grid.ways[static_cast<std::size_t>(way_of(product))];
  Work inside = product;
  inside.m = clamped(grid.rows, product.m);
  inside.n = clamped(grid.widths, product.n);
  inside.k = clamped(grid.widths, product.k);
  SurveyedProduct out;
  double octaves = 0;  // Between sizes the logarithm of the time is linear in those of the sizes.
  const Places places(grid, inside);
  for_each_corner(grid, places, [&](std::size_t at, double weight) {
    octaves += weight * times.steps[at] / Survey::kStepsPerOctave;
    if (!product.fetches_weight) {
      octaves -= weight * times.cached[at] / Survey::kCachedStepsPerOctave;
    }
    if (times.tiles.empty()) return;
    const Survey::Tile& tile = grid.tiles[times.tiles[at]];
    if (tile.rows <= 0) return;
    out.tiled += weight;
    out.tile_mib += weight * read_mib(tile, product);
  });
  out.us = std::exp2(octaves);
  if (!is_half(product) && (places.n.is_between() || places.k.is_between())) {
    out.us *= kBetween[static_cast<std::size_t>(way_of(product))];
  }
  if (inside != product || !has_same_rates(chip, survey.chip)) {
    out.us *= law_us(product, chip) / law_us(inside, survey.chip);
  }
  return out;
}

// Numbers as text: digits of base 64, so that a file of 100,000 times is no larger than it must be.
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 64;
constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();
constexpr std::string_view kWayNames[Survey::kWays] = {"bias", "plain", "untransposed"};
constexpr double kLargest = 1e9;
constexpr double kLargestTile = 1024;

std::string cached_name(std::size_t way) { return std::string(kWayNames[way]) + "_cached"; }
std::string tiles_name(std::size_t way) { return std::string(kWayNames[way]) + "_tiles"; }

void write_axis(JsonWriter& json, std::string_view name, const Survey::Axis& axis) {
  json.key(name);
  json.begin_array();
  for (const double size : axis.sizes) json.value(size);
  json.end_array();
}

template <class Number>
std::string text_of(const std::vector<Number>& numbers, int digits) {
  std::string text;
  text.reserve(static_cast<std::size_t>(digits) * numbers.size());
  for (const Number number : numbers) {
    if (digits > 1) text += kDigits[number >> 6 & 63];
    text += kDigits[number & 63];
  }
  return text;
}

void write_tiles(JsonWriter& json, const std::vector<Survey::Tile>& tiles) {
  json.key("tiles");
  json.begin_array();
  for (const Survey::Tile& tile : tiles) {
    json.value(tile.columns);
    json.value(tile.rows);
  }
  json.end_array();
}

void write_grid(JsonWriter& json, std::string_view name, const Survey::Grid& grid) {
  json.key(name);
  json.begin_object();
  write_axis(json, "rows", grid.rows);
  write_axis(json, "widths", grid.widths);
  if (!grid.tiles.empty()) write_tiles(json, grid.tiles);
  for (std::size_t way = 0; way < Survey::kWays; ++way) {
    const Survey::Times& times = grid.ways[way];
    if (times.steps.empty()) continue;
    json.field(kWayNames[way], text_of(times.steps, 2));
    json.field(cached_name(way), text_of(times.cached, 1));
    if (!times.tiles.empty()) json.field(tiles_name(way), text_of(times.tiles, 1));
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

// Columns and rows in turn.
std::vector<Survey::Tile> read_tiles(JsonFields& fields) {
  const std::vector<double> sizes = fields.numbers("tiles", 0, kLargestTile);
  std::vector<Survey::Tile> tiles;
  for (std::size_t i = 0; i + 1 < sizes.size(); i += 2) tiles.push_back({sizes[i], sizes[i + 1]});
  const bool is_sound = std::all_of(tiles.begin(), tiles.end(), [](const Survey::Tile& tile) {
    return (tile.columns > 0) == (tile.rows > 0);
  });
  if (sizes.size() % 2 != 0 || tiles.empty() || tiles.size() > kDigits.size() || !is_sound) {
    fields.complain("tiles", "must be columns and rows in turn, both 0 for a kernel without tiles");
    return {{}};
  }
  return tiles;
}

// `count` numbers of so many digits, all below `limit`.
template <class Number>
std::vector<Number> read_numbers(JsonFields& fields, std::string_view name, std::size_t count,
                                 std::size_t digits, std::size_t limit) {
  const std::string text = fields.text(name, true);
  std::vector<Number> numbers;
  bool is_sound = text.size() == digits * count;
  if (is_sound) numbers.reserve(count);
  for (std::size_t i = 0; is_sound && i < text.size(); i += digits) {
    std::size_t number = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      const std::uint8_t value = kValues[static_cast<unsigned char>(text[i + d])];
      is_sound = is_sound && value != kNoDigit;
      number = number << 6 | value;
    }
    is_sound = is_sound && number < limit;
    numbers.push_back(static_cast<Number>(number));
  }
  if (!is_sound) {
    fields.complain(name, "must be " + std::to_string(count) + " numbers of " +
                              std::to_string(digits) + " digits of base 64, below " +
                              std::to_string(limit));
    numbers.assign(count, 0);
  }
  return numbers;
}

Survey::Grid read_grid(JsonFields fields, std::size_t ways) {
  Survey::Grid grid{read_axis(fields, "rows"), read_axis(fields, "widths"), {}, {}};
  if (fields.has("tiles")) grid.tiles = read_tiles(fields);
  const std::size_t widths = grid.widths.sizes.size();
  const std::size_t count = grid.rows.sizes.size() * widths * widths;
  for (std::size_t way = 0; way < ways; ++way) {
    Survey::Times& times = grid.ways[way];
    times.steps = read_numbers<std::uint16_t>(fields, kWayNames[way], count, 2, 64 * 64);
    times.cached = read_numbers<std::uint8_t>(fields, cached_name(way), count, 1, 64);
    if (grid.tiles.empty()) continue;
    times.tiles = read_numbers<std::uint8_t>(fields, tiles_name(way), count, 1, grid.tiles.size());
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
