#include "src/predict/predictor/tiling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "src/base/mib.h"

namespace wattree {
namespace {

// Blocks of the output that libraries cut products into, and which part of the chip's rate they
// reach. Fewer are listed than there are: what matters is that small outputs can have small tiles.
struct Tile {
  double rows, columns, efficiency;
};
constexpr Tile kHalfTiles[] = {{256, 128, 1}, {128, 256, 1}, {192, 128, 1},   {128, 192, 1},
                               {64, 256, 1},  {64, 192, 1},  {128, 128, 0.9}, {128, 64, 0.9},
                               {64, 64, 0.7}, {64, 32, 0.25}};
constexpr Tile kSingleTiles[] = {{256, 128, 1},  {128, 128, 1}, {128, 64, 0.8},
                                 {64, 128, 0.8}, {64, 64, 0.5}, {32, 32, 0.4}};
// Only taken for few rows: as many as it has, or twice as many where that makes few tiles.
constexpr double kSmallTile = 32;
constexpr double kFewTiles = 48;
// What a wave takes before it multiplies, and a product that was split to be added up, in
// microseconds. Units for 16 bits are quick, and have to wait for it; those for 32 are not.
struct Overhead {
  double wave, split;
};
constexpr Overhead kHalfOverhead{0.5, 4};
constexpr Overhead kSingleOverhead{0, 1};

}  // namespace

double best_tiling(const Work& w, double groups, const Chip& chip) {
  const bool is_half = w.width <= 2;
  const double rate = (is_half ? chip.half_gflop_per_us : chip.single_gflop_per_us) * 1e9 /
                      chip.processors;  // FLOPs per microsecond of one processor
  // What adds a bias in the same kernel has fewer ways to choose from.
  const bool is_plain = has_weight(w) && !w.has_bias;
  const bool splits_freely = is_half || is_plain || (w.m <= 64 && !w.is_transposed);
  const double least_depth = splits_freely ? 128 : w.m <= 64 ? 1024 : 1536;
  const double mib_per_us = std::max(chip.mib_per_us, 1e-9);
  const Overhead& overhead = is_half ? kHalfOverhead : kSingleOverhead;
  double best = std::numeric_limits<double>::infinity();
  const std::span<const Tile> tiles =
      is_half ? std::span<const Tile>(kHalfTiles) : std::span<const Tile>(kSingleTiles);
  for (const Tile& tile : tiles) {
    const double count = groups * std::ceil(w.m / tile.rows) * std::ceil(w.n / tile.columns);
    if (tile.rows <= kSmallTile && w.m > kSmallTile &&
        (w.m > 2 * kSmallTile || count > kFewTiles || is_half)) {
      continue;
    }
    for (double parts = 1; parts <= 16; parts *= 2) {
      if (parts > 1 && (w.k / parts < least_depth || count * parts > 2.0 * chip.processors)) break;
      const double multiplying =
          (w.k / parts) * 2 * tile.rows * tile.columns / (rate * tile.efficiency);
      double time = std::ceil(count * parts / chip.processors) * (overhead.wave + multiplying);
      // Partial sums of four bytes are written and read.
      if (parts > 1) time += overhead.split + parts * groups * w.m * w.n * 8 / kMiB / mib_per_us;
      best = std::min(best, time);
    }
  }
  return best;
}

double grouped_tiling(const Work& w, const Chip& chip) {
  constexpr Tile kTiles[] = {{128, 256, 1}, {128, 128, 0.9}, {64, 128, 0.8}};
  const double rate = chip.half_gflop_per_us * 1e9 / chip.processors;
  const double groups = std::max(1.0, w.groups);
  double best = std::numeric_limits<double>::infinity();
  for (const Tile& tile : kTiles) {
    const double tall = std::max(1.0, w.m / groups / tile.rows + 0.5);
    const double count = groups * tall * std::ceil(w.n / tile.columns);
    const double multiplying = w.k * 2 * tile.rows * tile.columns / (rate * tile.efficiency);
    const double waves = std::max(1.0, count / chip.processors);
    best = std::min(best, waves * (kHalfOverhead.wave + multiplying));
  }
  return best;
}

double uneven_tiling(const Work& w, double mib, const Chip& chip) {
  constexpr double kSide = 128;        // Of a tile;
  constexpr double kFewRowsSide = 64;  // up to eight rows have a lower one.
  constexpr double kBandwidth = 0.65;  // Of what even products reach.
  const double bytes_us = mib / (kBandwidth * std::max(chip.mib_per_us, 1e-9));
  if (w.m <= 1) return bytes_us;  // A matrix by a vector is read in one go.
  // Of the rate of even products: a third in pieces of four or eight bytes, an eighth in two.
  const double share = alignment_of(w) > 1 ? 0.33 : 0.13;
  const double rate = share * chip.half_gflop_per_us * 1e9 / chip.processors;
  const double rows = w.m <= 8 ? kFewRowsSide : kSide;
  const double count = std::ceil(w.m / rows) * std::ceil(w.n / kSide);
  double best = std::numeric_limits<double>::infinity();
  for (double parts = 1; parts <= 16; parts *= 2) {
    if (parts > 1 && (w.k / parts < 128 || count * parts > chip.processors)) break;
    const double waves = std::max(1.0, count * parts / chip.processors);
    const double split = parts > 1 ? kHalfOverhead.split : 0;
    best = std::min(best, waves * (w.k / parts) * 2 * rows * kSide / rate + split);
  }
  return std::max(best, bytes_us);
}

double attention_waves(const Work& w, const Chip& chip) {
  constexpr double kRows = 128;  // Of queries, and of keys, that a block takes at a time.
  const double tiles = w.groups / 2 * std::ceil(w.m / kRows);
  // Softmax between the products keeps the units from more than three quarters of their rate.
  const double rate = 0.75e9 * chip.half_gflop_per_us / chip.processors;
  // The last of the queries see all keys, however little the others see.
  const double waves = std::max(1.0, seen_share(w, kRows) * std::ceil(tiles / chip.processors));
  return waves * std::ceil(w.n / kRows) * kRows * kRows * 4 * w.k / rate;
}

KeysInTurn keys_in_turn(const Work& w, const Chip& chip) {
  constexpr double kSide = 64;
  const double blocks = w.groups / 2 * std::ceil(w.m / kSide);
  const double waves = seen_share(w, kSide) * blocks / chip.processors;
  const double keys = std::ceil(w.n / kSide) * kSide;
  return {keys, std::max(0.0, waves - 1) * keys * w.k / kSide};
}

StepWaves step_waves(const Work& w, const Chip& chip) {
  constexpr double kKeys = 64;
  constexpr double kInTurn = 8;  // Blocks that one processor goes through at least.
  const double heads = w.groups / 2 / chip.processors;
  const double blocks = std::ceil(w.n / kKeys);
  return {std::max(1.0, heads), std::max(heads * blocks, std::min(blocks, kInTurn)) * w.k / kKeys,
          heads < 1 && blocks >= kInTurn};
}

}  // namespace wattree
