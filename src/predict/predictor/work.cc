#include "src/predict/predictor/work.h"

#include <algorithm>
#include <cmath>

#include "src/base/mib.h"
#include "src/predict/predictor/survey.h"
#include "src/predict/predictor/tiling.h"

namespace wattree {
namespace {

constexpr double kTile = 128;        // Rows and columns that one block of a large product makes.
constexpr double kFullBlock = 2048;  // Elements that keep a block of threads busy.
constexpr double kEven = 8;          // Elements of 16 bits that are read at a time.
constexpr double kFewChannels = 8;   // Fewer do not fill what a unit multiplies at a time.
constexpr double kNormStep = 4;      // Elements that a norm reads at a time where rows allow it.
constexpr double kShortSort = 4096;  // Elements that one block of threads sorts by itself.
constexpr double kFewRows = 16;      // Up to so many, a product in fp32 waits for its weight.
// Of these, libraries take a kernel of few blocks where there are more rows than this, few columns
// and no bias: it takes some 30 µs (data/h200-edges).
constexpr double kVeryFewRows = 8;
constexpr double kNarrow = 640;

// Read and written by a product with a weight. A convolution over an image reads every point once,
// though it multiplies it once for each tap.
double operand_bytes(const Work& w) {
  return (w.m * (w.is_spatial ? w.channels : w.k) + w.m * w.n) * w.width;
}
double product_bytes(const Work& w) { return operand_bytes(w) + weight_bytes(w); }
double product_mib(const Work& w) { return product_bytes(w) / kMiB; }

double rounded_up(double size, double step) { return std::ceil(size / step) * step; }

// Rounds in which the processors make all tiles of a product.
double waves_of(const Work& w, const Chip& chip) {
  return std::ceil(std::ceil(w.m / kTile) * std::ceil(w.n / kTile) / chip.processors);
}

// In thousands. A convolution of few channels gathers its input for one tap of its kernel after the
// other, so that patches of 32 x 32 points take 1024 steps however few they are.
double taps_in_waves(const Work& w, const Chip& chip) {
  if (w.channels <= 0 || w.channels >= kFewChannels) return 0;
  return waves_of(w, chip) * w.k / w.channels / 1e3;
}

Terms count_kernel_terms(const Work& w, const Chip& chip) {
  const double traffic = w.bytes / kMiB;
  const double beyond = std::max(0.0, traffic - chip.cache_mib);
  const double millions = w.elements / 1e6;
  const double mib_per_us = std::max(chip.mib_per_us, 1e-9);
  switch (w.kind) {
    case WorkKind::kLinear16:
    case WorkKind::kSpatial:
      return {1.0,
              2.0 * w.m * w.n * w.k / 1e9,
              product_us(w, chip),
              operand_bytes(w) / kMiB,
              weight_bytes(w) / kMiB,
              w.m > 1 ? weight_bytes(w) / kMiB : 0.0};
    case WorkKind::kGrouped16:
      return {1.0,
              2.0 * w.m * w.n * w.k / 1e9,
              std::max(grouped_tiling(w, chip), product_mib(w) / mib_per_us),
              w.m * w.k * w.width / kMiB,
              weight_bytes(w) / kMiB,
              w.m * w.n * w.width / kMiB};
    case WorkKind::kUneven16:
      return {1.0, 2.0 * w.m * w.n * w.k / 1e9, uneven_tiling(w, product_mib(w), chip),
              weight_bytes(w) / kMiB, w.m * w.n * w.width / kMiB};
    case WorkKind::kConv16:
    case WorkKind::kConv32: {
      const double gflop = 2.0 * w.m * w.n * w.k / 1e9;
      Work product = w;
      product.width = 2;
      return {1.0,
              gflop,
              taps_in_waves(w, chip),
              w.groups > 1 ? gflop : 0.0,
              best_tiling(product, 1, chip),
              traffic};
    }
    case WorkKind::kLinear32: {
      const double gflop = 2.0 * w.m * w.n * w.k / 1e9;
      return {1.0, gflop, w.is_transposed ? gflop : 0.0, best_tiling(w, 1, chip), product_mib(w)};
    }
    case WorkKind::kSurveyed32: {
      const SurveyedProduct found = surveyed_product(w, chip);
      const double gflop = 2.0 * w.m * w.n * w.k / 1e9;
      const double in_tiles = found.tiled * gflop;
      return {found.us,
              in_tiles,
              w.is_transposed ? in_tiles : 0.0,
              found.tile_mib,
              w.fetches_weight ? weight_bytes(w) / kMiB : 0.0,
              std::max(0.0, gflop - in_tiles)};
    }
    case WorkKind::kFewRows32: {
      const bool is_slow = !w.has_bias && w.m > kVeryFewRows && w.n <= kNarrow;
      return {1.0, weight_bytes(w) / kMiB, w.k / 1e3, is_slow ? 1.0 : 0.0};
    }
    case WorkKind::kBatched16:
    case WorkKind::kBatched32:
      return {1.0, 2.0 * w.groups * w.m * w.n * w.k / 1e9, best_tiling(w, w.groups, chip),
              w.groups * (w.m * w.k + w.k * w.n + w.m * w.n) * w.width / kMiB};
    case WorkKind::kFused16: {
      const double seen = seen_share(w, kTile);
      return {1.0,
              seen * 2.0 * w.groups * w.m * w.n * w.k / 1e9,
              traffic,
              std::max(attention_waves(w, chip), traffic / mib_per_us),
              seen * w.groups / 2 * rounded_up(w.m, kTile) * rounded_up(w.n, kTile) / 1e6,
              w.masked / 1e6};
    }
    case WorkKind::kFused32: {
      constexpr double kSide = kTile / 2;
      const KeysInTurn keys = keys_in_turn(w, chip);
      // One query takes as much arithmetic as a whole tile of them.
      return {1.0,
              seen_share(w, kSide) * 2.0 * w.groups * rounded_up(w.m, kSide) *
                  rounded_up(w.n, kSide) * w.k / 1e9,
              traffic, keys.first / 1e3, keys.beyond / 1e3};
    }
    case WorkKind::kFusedStep16: {
      const StepWaves waves = step_waves(w, chip);
      return {1.0,        2.0 * w.groups * w.m * w.n * w.k / 1e9, traffic, waves.heads,
              waves.keys, waves.is_shared_out ? 1.0 : 0.0};
    }
    case WorkKind::kSoftmaxRows: return {1.0, traffic, beyond, millions, w.rows / 1e3};
    case WorkKind::kSafeSoftmaxRows: return {1.0, traffic, millions, w.rows / 1e3};
    case WorkKind::kNormRows: {
      const bool is_odd = w.rows > 0 && std::fmod(w.elements / w.rows, kNormStep) != 0;
      return {
          1.0, traffic, millions, w.rows / 1e3, is_odd ? 1.0 : 0.0, is_odd ? w.rows / 1e3 : 0.0};
    }
    case WorkKind::kSorting: {
      const bool is_long = w.rows > 0 && w.elements / w.rows > kShortSort;
      return {1.0, is_long ? 1.0 : 0.0, millions};
    }
    case WorkKind::kCast:
    case WorkKind::kJoin: return {1.0, traffic, beyond};
    case WorkKind::kStridedJoin:
    case WorkKind::kRearrange:
    case WorkKind::kFunction: return {1.0, traffic, beyond, millions};
    case WorkKind::kPointwise:
      return {1.0, traffic, beyond, millions, w.is_reordered ? millions : 0.0};
    case WorkKind::kFollow:
    case WorkKind::kFetch: return {1.0};
    case WorkKind::kConvert: return {std::min(1.0, w.elements / kFullBlock), millions};
    case WorkKind::kCross: return {millions};
    default: return {1.0, traffic};
  }
}

}  // namespace

double seen_share(const Work& work, double block) {
  if (!work.is_causal || work.m <= 1 || work.n < work.m) return 1;
  const double rows = std::ceil(work.m / block);
  const double keys = std::ceil(work.n / block);
  return 1 - (rows - 1) / 2 / keys;
}

double weight_bytes(const Work& w) {
  // Each expert has a weight of that size; groups of channels share one.
  const double weights = w.channels > 0 ? 1 : std::max(1.0, w.groups);
  return weights * w.k * w.n * w.weight_width;
}

double bytes_of(const Work& w) {
  switch (w.kind) {
    case WorkKind::kGemm: return std::max(w.product_bytes, product_bytes(w));
    case WorkKind::kMatmul:
      return std::max(w.product_bytes, w.groups * (w.m * w.k + w.k * w.n + w.m * w.n) * w.width);
    default: return w.bytes;
  }
}

bool is_same(const Work& a, const Work& b) {
  return a.kind == b.kind && a.groups == b.groups && a.m == b.m && a.n == b.n && a.k == b.k &&
         a.width == b.width && a.weight_width == b.weight_width && a.bytes == b.bytes;
}

WorkKind kernel_kind(const Work& work) {
  const bool is_half = work.width <= 2 || work.is_tf32;
  switch (work.kind) {
    case WorkKind::kConvolution:
      if (work.is_spatial) return WorkKind::kSpatial;
      if (work.channels > 0) return is_half ? WorkKind::kConv16 : WorkKind::kConv32;
      [[fallthrough]];
    case WorkKind::kGemm:
      if (is_half && work.groups > 0) return WorkKind::kGrouped16;
      if (is_half && alignment_of(work) < kEven) return WorkKind::kUneven16;
      if (is_half) return WorkKind::kLinear16;
      return work.m <= kFewRows ? WorkKind::kFewRows32 : WorkKind::kLinear32;
    case WorkKind::kMatmul: return is_half ? WorkKind::kBatched16 : WorkKind::kBatched32;
    case WorkKind::kAttention:
      if (!is_half) return WorkKind::kFused32;
      return work.m <= 1 ? WorkKind::kFusedStep16 : WorkKind::kFused16;
    case WorkKind::kSoftmax:
      return work.detail == Work::Detail::kSafe ? WorkKind::kSafeSoftmaxRows
                                                : WorkKind::kSoftmaxRows;
    case WorkKind::kNormalization: return WorkKind::kNormRows;
    case WorkKind::kGather: return WorkKind::kLookup;
    case WorkKind::kActivation:
    case WorkKind::kTranscendental: return WorkKind::kFunction;
    case WorkKind::kCopy:
      switch (work.detail) {
        case Work::Detail::kCast: return WorkKind::kCast;
        case Work::Detail::kJoin: return work.is_strided ? WorkKind::kStridedJoin : WorkKind::kJoin;
        case Work::Detail::kFill: return WorkKind::kFill;
        default: return WorkKind::kRearrange;
      }
    case WorkKind::kElementwise:
      if (work.detail == Work::Detail::kSort) return WorkKind::kSorting;
      return work.detail == Work::Detail::kReduction ? WorkKind::kReduction : WorkKind::kPointwise;
    case WorkKind::kScores: return WorkKind::kPointwise;
    case WorkKind::kModuleCall: return WorkKind::kModuleCall;
    default: return work.kind;
  }
}

WorkKind kernel_kind(const Work& work, const Chip& chip) {
  const WorkKind kind = kernel_kind(work);
  const bool is_single = kind == WorkKind::kLinear32 || kind == WorkKind::kFewRows32;
  return is_single && chip.survey != nullptr ? WorkKind::kSurveyed32 : kind;
}

double alignment_of(const Work& work) {
  const double each = work.is_tf32 ? 2 : 1;  // Of 16 bits.
  for (double step = kEven; step > 1; step /= 2) {
    if (std::fmod(each * work.n, step) == 0 && std::fmod(each * work.k, step) == 0) return step;
  }
  return 1;
}

bool has_weight(const Work& work) {
  switch (kernel_kind(work)) {
    case WorkKind::kLinear16:
    case WorkKind::kUneven16:
    case WorkKind::kGrouped16:
    case WorkKind::kConv16:
    case WorkKind::kConv32:
    case WorkKind::kSpatial:
    case WorkKind::kLinear32:
    case WorkKind::kFewRows32: return true;
    default: return false;
  }
}

bool is_library_call(const Work& work) {
  switch (work.kind) {
    case WorkKind::kGemm:
    case WorkKind::kMatmul:
    case WorkKind::kAttention:
    case WorkKind::kConvolution:
    case WorkKind::kNormalization: return true;
    default: return work.detail == Work::Detail::kSort;
  }
}

bool takes_besides(const Work& work, WorkKind extra) {
  return (extra == WorkKind::kConvert && work.converts) ||
         (extra == WorkKind::kCross && work.is_crossed);
}

Terms count_terms(const Work& w, const Chip& chip) {
  switch (w.kind) {
    case WorkKind::kGemm:
    case WorkKind::kConvolution:
      return {1.0,
              2.0 * w.m * w.n * w.k / 1e9,
              w.m * w.k * w.width / kMiB,
              weight_bytes(w) / kMiB,
              w.m * w.n * w.width / kMiB,
              waves_of(w, chip) * w.k / 1e3};
    case WorkKind::kMatmul:
    case WorkKind::kAttention:
      return {1.0, 2.0 * w.groups * w.m * w.n * w.k / 1e9,
              w.groups * (w.m * w.k + w.k * w.n + w.m * w.n) * w.width / kMiB,
              w.groups * rounded_up(w.m, 64) * rounded_up(w.n, 64) / 1e6,
              w.groups * rounded_up(w.m, 128) * rounded_up(w.n, 128) / 1e6};
    case WorkKind::kSoftmax: return {1.0, w.bytes / kMiB, w.m / 1e3};
    case WorkKind::kNormalization:
    case WorkKind::kGather:
    case WorkKind::kActivation: return {1.0, w.bytes / kMiB};
    case WorkKind::kCopy:
    case WorkKind::kElementwise:
    case WorkKind::kScores:
    case WorkKind::kTranscendental: return {w.bytes / kMiB};
    case WorkKind::kModuleCall: return {1.0};
    default: return count_kernel_terms(w, chip);
  }
}

Work seen_as(const Work& work, WorkKind kind) {
  Work other = work;
  other.kind = kind;
  const KindFacts& from = facts_of(work.kind);
  const KindFacts& to = facts_of(kind);
  // As many bytes and as long as a product of 16 bits that is twice as deep.
  // TF32 is the framework's default for convolutions, whatever products of matrices are allowed.
  const bool is_tf32 = work.is_tf32 || (work.is_spatial && work.width == 4);
  if (is_tf32 && to.arithmetic == Arithmetic::kHalf) {
    other.is_tf32 = false;
    other.k *= 2;
    if (work.is_spatial) other.channels *= 2;
    other.width = other.weight_width = 2;
  }
  if (kind == work.kind || from.arithmetic == Arithmetic::kNone) return other;
  // Among nodes, what is not a batch of products is one product with all the rows.
  const bool joins_rows =
      to.list == KindList::kNodes && work.kind != WorkKind::kGemm && kind != WorkKind::kMatmul;
  if (joins_rows) {
    other.m = work.groups * work.m;
    other.groups = 0;
  }
  if (to.arithmetic == Arithmetic::kNone) {
    other.bytes = to.list == KindList::kNodes ? product_bytes(other) : bytes_of(work);
  }
  return other;
}

}  // namespace wattree
