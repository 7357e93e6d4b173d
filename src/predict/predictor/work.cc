#include "src/predict/predictor/work.h"

#include <algorithm>
#include <cmath>

#include "src/predict/predictor/tiling.h"

namespace wattree {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kTile = 128;        // Rows and columns that one block of a large product makes.
constexpr double kFullBlock = 2048;  // Elements that keep a block of threads busy.
constexpr double kFewRows = 16;      // Up to so many, a product in fp32 waits for its weight.

constexpr TermFacts kProduct[] = {
    {"launch", "launch"}, {"arithmetic", "GFLOP"}, {"input", "MiB"},
    {"weights", "MiB"},   {"output", "MiB"},       {"depth of waves", "1000 steps"},
};
constexpr TermFacts kBatched[] = {
    {"launch", "launch"},
    {"arithmetic", "GFLOP"},
    {"traffic", "MiB"},
    {"outputs in tiles of 64", "10^6"},
    {"outputs in tiles of 128", "10^6"},
};
constexpr TermFacts kRowwise[] = {{"launch", "launch"}, {"traffic", "MiB"}, {"rows", "1000 rows"}};
constexpr TermFacts kStream[] = {{"launch", "launch"}, {"traffic", "MiB"}};
constexpr TermFacts kTraffic[] = {{"traffic", "MiB"}};
constexpr TermFacts kCalls[] = {{"calls", "call"}};

constexpr TermFacts kLinearTerms[] = {
    {"launch", "launch"}, {"arithmetic", "GFLOP"}, {"best tiling or traffic", "µs"},
    {"input", "MiB"},     {"weights", "MiB"},      {"output", "MiB"},
};
constexpr TermFacts kSingleLinearTerms[] = {{"launch", "launch"},
                                            {"arithmetic", "GFLOP"},
                                            {"arithmetic, transposed weight", "GFLOP"},
                                            {"best tiling", "µs"},
                                            {"traffic", "MiB"}};
constexpr TermFacts kFewRowsTerms[] = {{"launch", "launch"}, {"weights", "MiB"}};
constexpr TermFacts kBatchedTerms[] = {
    {"launch", "launch"}, {"arithmetic", "GFLOP"}, {"best tiling", "µs"}, {"traffic", "MiB"}};
constexpr TermFacts kFusedTerms[] = {
    {"launch", "launch"},
    {"arithmetic", "GFLOP"},
    {"traffic", "MiB"},
    {"waves or traffic", "µs"},
    {"scores in tiles of 128", "10^6"},
    {"masked scores", "10^6"},
};
constexpr TermFacts kThreeTerms[] = {
    {"launch", "launch"}, {"arithmetic", "GFLOP"}, {"traffic", "MiB"}};
constexpr TermFacts kSoftmaxTerms[] = {{"launch", "launch"},
                                       {"traffic", "MiB"},
                                       {"beyond the cache", "MiB"},
                                       {"elements", "10^6"},
                                       {"rows", "1000 rows"}};
constexpr TermFacts kNormTerms[] = {
    {"launch", "launch"}, {"traffic", "MiB"}, {"elements", "10^6"}, {"rows", "1000 rows"}};
constexpr TermFacts kBeyondTerms[] = {
    {"launch", "launch"}, {"traffic", "MiB"}, {"beyond the cache", "MiB"}};
constexpr TermFacts kElementTerms[] = {
    {"launch", "launch"}, {"traffic", "MiB"}, {"beyond the cache", "MiB"}, {"elements", "10^6"}};
constexpr TermFacts kPointwiseTerms[] = {{"launch", "launch"},
                                         {"traffic", "MiB"},
                                         {"beyond the cache", "MiB"},
                                         {"elements", "10^6"},
                                         {"reordered elements", "10^6"}};
constexpr TermFacts kKernelTerms[] = {{"kernels", "kernel"}};
constexpr TermFacts kConvertTerms[] = {{"switch over types", "kernel"},
                                       {"elements of different types", "10^6"}};
constexpr TermFacts kCrossTerms[] = {{"elements read with gaps", "10^6"}};

struct KindFacts {
  std::string_view name;
  std::span<const TermFacts> terms;
};
constexpr KindFacts kKinds[kWorkKinds] = {
    {"gemm", kProduct},
    {"matmul", kBatched},
    {"attention", kBatched},
    {"convolution", kProduct},
    {"softmax", kRowwise},
    {"normalization", kStream},
    {"gather", kStream},
    {"activation", kStream},
    {"copy", kTraffic},
    {"elementwise", kTraffic},
    {"scores", kTraffic},
    {"transcendental", kTraffic},
    {"module_call", kCalls},
    {"linear_16", kLinearTerms},
    {"linear_32", kSingleLinearTerms},
    {"few_rows_32", kFewRowsTerms},
    {"batched_16", kBatchedTerms},
    {"batched_32", kBatchedTerms},
    {"fused_16", kFusedTerms},
    {"fused_32", kThreeTerms},
    {"fused_step_16", kThreeTerms},
    {"fused_step_32", kThreeTerms},
    {"softmax_rows", kSoftmaxTerms},
    {"safe_softmax_rows", kNormTerms},
    {"norm_rows", kNormTerms},
    {"reduction", kStream},
    {"cast", kBeyondTerms},
    {"join", kBeyondTerms},
    {"strided_join", kElementTerms},
    {"rearrange", kElementTerms},
    {"pointwise", kPointwiseTerms},
    {"function", kElementTerms},
    {"fill", kStream},
    {"lookup", kStream},
    {"follow", kKernelTerms},
    {"fetch", kKernelTerms},
    {"convert", kConvertTerms},
    {"cross", kCrossTerms},
};

// Read and written by a product with a weight.
double product_bytes(const Work& w) {
  return (w.m * w.k + w.m * w.n) * w.width + w.k * w.n * w.weight_width;
}
double product_mib(const Work& w) { return product_bytes(w) / kMiB; }

double rounded_up(double size, double step) { return std::ceil(size / step) * step; }

Terms count_kernel_terms(const Work& w, const Chip& chip) {
  const double traffic = w.bytes / kMiB;
  const double beyond = std::max(0.0, traffic - chip.cache_mib);
  const double millions = w.elements / 1e6;
  const double mib_per_us = std::max(chip.mib_per_us, 1e-9);
  switch (w.kind) {
    case WorkKind::kLinear16:
      return {1.0,
              2.0 * w.m * w.n * w.k / 1e9,
              std::max(best_tiling(w, 1, chip), product_mib(w) / mib_per_us),
              w.m * w.k * w.width / kMiB,
              w.k * w.n * w.weight_width / kMiB,
              w.m * w.n * w.width / kMiB};
    case WorkKind::kLinear32: {
      const double gflop = 2.0 * w.m * w.n * w.k / 1e9;
      return {1.0, gflop, w.is_transposed ? gflop : 0.0, best_tiling(w, 1, chip), product_mib(w)};
    }
    case WorkKind::kFewRows32: return {1.0, w.k * w.n * w.weight_width / kMiB};
    case WorkKind::kBatched16:
    case WorkKind::kBatched32:
      return {1.0, 2.0 * w.groups * w.m * w.n * w.k / 1e9, best_tiling(w, w.groups, chip),
              w.groups * (w.m * w.k + w.k * w.n + w.m * w.n) * w.width / kMiB};
    case WorkKind::kFused16:
      return {1.0,
              2.0 * w.groups * w.m * w.n * w.k / 1e9,
              traffic,
              std::max(attention_waves(w, chip), traffic / mib_per_us),
              w.groups / 2 * rounded_up(w.m, kTile) * rounded_up(w.n, kTile) / 1e6,
              w.masked / 1e6};
    case WorkKind::kFused32:
    case WorkKind::kFusedStep16:
    case WorkKind::kFusedStep32: return {1.0, 2.0 * w.groups * w.m * w.n * w.k / 1e9, traffic};
    case WorkKind::kSoftmaxRows: return {1.0, traffic, beyond, millions, w.rows / 1e3};
    case WorkKind::kSafeSoftmaxRows:
    case WorkKind::kNormRows: return {1.0, traffic, millions, w.rows / 1e3};
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

bool is_same(const Work& a, const Work& b) {
  return a.kind == b.kind && a.groups == b.groups && a.m == b.m && a.n == b.n && a.k == b.k &&
         a.width == b.width && a.weight_width == b.weight_width && a.bytes == b.bytes;
}

WorkKind kernel_kind(const Work& work) {
  const bool is_half = work.width <= 2;
  switch (work.kind) {
    case WorkKind::kGemm:
    case WorkKind::kConvolution:
      if (is_half) return WorkKind::kLinear16;
      return work.m <= kFewRows ? WorkKind::kFewRows32 : WorkKind::kLinear32;
    case WorkKind::kMatmul: return is_half ? WorkKind::kBatched16 : WorkKind::kBatched32;
    case WorkKind::kAttention:
      if (work.m <= 1) return is_half ? WorkKind::kFusedStep16 : WorkKind::kFusedStep32;
      return is_half ? WorkKind::kFused16 : WorkKind::kFused32;
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
      return work.detail == Work::Detail::kReduction ? WorkKind::kReduction : WorkKind::kPointwise;
    case WorkKind::kScores: return WorkKind::kPointwise;
    case WorkKind::kModuleCall: return WorkKind::kModuleCall;
    default: return work.kind;
  }
}

bool has_weight(const Work& work) {
  switch (kernel_kind(work)) {
    case WorkKind::kLinear16:
    case WorkKind::kLinear32:
    case WorkKind::kFewRows32: return true;
    default: return false;
  }
}

bool takes_besides(const Work& work, WorkKind extra) {
  return (extra == WorkKind::kConvert && work.converts) ||
         (extra == WorkKind::kCross && work.is_crossed);
}

std::string_view name_of(WorkKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::optional<WorkKind> parse_work_kind(std::string_view name) {
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (kKinds[i].name == name) return static_cast<WorkKind>(i);
  }
  return std::nullopt;
}

std::span<const TermFacts> terms_of(WorkKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].terms;
}

Terms count_terms(const Work& w, const Chip& chip) {
  switch (w.kind) {
    case WorkKind::kGemm:
    case WorkKind::kConvolution: {
      const double tiles = std::ceil(w.m / kTile) * std::ceil(w.n / kTile);
      const double waves = std::ceil(tiles / chip.processors);
      return {1.0,
              2.0 * w.m * w.n * w.k / 1e9,
              w.m * w.k * w.width / kMiB,
              w.k * w.n * w.weight_width / kMiB,
              w.m * w.n * w.width / kMiB,
              waves * w.k / 1e3};
    }
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

std::optional<Work> stand_in(const Work& work) {
  Work other = work;
  switch (work.kind) {
    case WorkKind::kAttention:
    case WorkKind::kConvolution: other.kind = WorkKind::kMatmul; return other;
    case WorkKind::kGemm:
      other.kind = WorkKind::kElementwise;
      other.bytes = product_bytes(work);
      return other;
    case WorkKind::kMatmul:
      other.kind = WorkKind::kGemm;
      other.m = work.groups * work.m;
      return other;
    case WorkKind::kActivation:
    case WorkKind::kNormalization:
    case WorkKind::kGather:
    case WorkKind::kSoftmax:
    case WorkKind::kCopy:
    case WorkKind::kScores:
    case WorkKind::kTranscendental: other.kind = WorkKind::kElementwise; return other;
    case WorkKind::kElementwise: other.kind = WorkKind::kNormalization; return other;
    case WorkKind::kLinear16:
    case WorkKind::kBatched16: other.kind = WorkKind::kBatched32; return other;
    case WorkKind::kFewRows32: other.kind = WorkKind::kLinear32; return other;
    case WorkKind::kLinear32:
    case WorkKind::kBatched32:
      other.kind = WorkKind::kPointwise;
      other.bytes = product_bytes(work);
      return other;
    case WorkKind::kFusedStep16: other.kind = WorkKind::kFused16; return other;
    case WorkKind::kFusedStep32: other.kind = WorkKind::kFused32; return other;
    case WorkKind::kFused16: other.kind = WorkKind::kBatched16; return other;
    case WorkKind::kFused32: other.kind = WorkKind::kBatched32; return other;
    case WorkKind::kStridedJoin:
    case WorkKind::kJoin: other.kind = WorkKind::kRearrange; return other;
    case WorkKind::kSafeSoftmaxRows: other.kind = WorkKind::kSoftmaxRows; return other;
    case WorkKind::kSoftmaxRows:
    case WorkKind::kNormRows:
    case WorkKind::kReduction:
    case WorkKind::kCast:
    case WorkKind::kRearrange:
    case WorkKind::kFunction:
    case WorkKind::kFill:
    case WorkKind::kLookup: other.kind = WorkKind::kPointwise; return other;
    case WorkKind::kPointwise: other.kind = WorkKind::kFunction; return other;
    case WorkKind::kModuleCall:
    case WorkKind::kFollow:
    case WorkKind::kFetch:
    case WorkKind::kConvert:
    case WorkKind::kCross: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace wattree
