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
  struct Grid {
    Axis rows;
    Axis widths;  // Of columns and depth.
    // For every number of rows, columns and depth in turn: kStepsPerOctave of these double the
    // time, from a microsecond on.
    std::array<std::vector<std::uint16_t>, kWays> steps;
    bool operator==(const Grid&) const = default;
  };
  static constexpr double kStepsPerOctave = 128;

  Grid half;
  Grid single;
  Chip chip;  // That was timed.
};

// The time of a product with a weight, in microseconds: that of the survey where the chip has one,
// or else that of the best tiling (in 16 bits or of the traffic, where that takes longer). Beyond
// the grid, and for another chip than the survey's, both together: the nearest time of the survey,
// and the ratio that the tilings have.
double product_us(const Work& product, const Chip& chip);

void write_survey(JsonWriter& json, const Survey& survey);
// Complains where the grid is none.
std::shared_ptr<const Survey> read_survey(JsonFields fields, const Chip& chip);

}  // namespace wattree
