// How long products with a weight were seen to take, over a grid of sizes. Which kernel a library
// chooses follows no law of the sizes, so that these times are looked up.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/predict/predictor/work.h"

namespace wattree {

class JsonFields;
class JsonWriter;

struct Survey {
  // Libraries have other kernels where a bias is added, and in fp32 also by how the weight lies.
  enum class Way : std::uint8_t { kBias, kPlain, kUntransposed };
  static constexpr std::size_t kWays = 3;

  struct Axis {
    std::vector<double> sizes;    // Rising.
    std::vector<double> octaves;  // Their binary logarithms.
    bool operator==(const Axis&) const = default;
  };
  // Columns and rows of the output that a block of threads computes; 0: the kernel has no tiles.
  struct Tile {
    double columns = 0;
    double rows = 0;
    bool operator==(const Tile&) const = default;
  };
  // For every number of rows, columns and depth in turn:
  struct Times {
    // kStepsPerOctave of these double the time, from a microsecond on. The weight is in memory.
    std::vector<std::uint16_t> steps;
    // How many steps of kCachedStepsPerOctave less it is where the weight is in the cache.
    std::vector<std::uint8_t> cached;
    // Which of the grid's tiles the kernel has; empty: nobody knows.
    std::vector<std::uint8_t> tiles;
    bool operator==(const Times&) const = default;
  };
  struct Grid {
    Axis rows;
    Axis widths;  // Of columns and depth.
    std::vector<Tile> tiles;
    std::array<Times, kWays> ways;
    bool operator==(const Grid&) const = default;
  };
  static constexpr double kStepsPerOctave = 128;
  static constexpr double kCachedStepsPerOctave = 32;

  Grid half;
  Grid single;
  Chip chip;  // That was timed.
};

// A product with a weight, as the survey of the chip has it. Between sizes whose kernels differ, a
// part of each.
struct SurveyedProduct {
  // That of the survey where the chip has one, or else that of the best tiling (in 16 bits or of
  // the traffic, where that takes longer). Beyond the grid, and for another chip than the survey's,
  // both together: the nearest time of the survey, and the ratio that the tilings have.
  double us = 0;
  double tiled = 0;     // The part that kernels with tiles have,
  double tile_mib = 0;  // and what their tiles read, each by itself. Known in fp32.
};
SurveyedProduct surveyed_product(const Work& product, const Chip& chip);
inline double product_us(const Work& product, const Chip& chip) {
  return surveyed_product(product, chip).us;
}

void write_survey(JsonWriter& json, const Survey& survey);
// Complains where the grid is none.
std::shared_ptr<const Survey> read_survey(JsonFields fields, const Chip& chip);

}  // namespace wattree
