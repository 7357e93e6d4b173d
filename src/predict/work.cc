#include "src/predict/work.h"

#include <algorithm>
#include <cmath>

namespace wattree {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kTile = 128;  // Rows and columns that one block of a large product makes.

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

struct KindFacts {
  std::string_view name;
  std::span<const TermFacts> terms;
};
constexpr KindFacts kKinds[kWorkKinds] = {
    {"gemm", kProduct},        {"matmul", kBatched},    {"attention", kBatched},
    {"convolution", kProduct}, {"softmax", kRowwise},   {"normalization", kStream},
    {"gather", kStream},       {"activation", kStream}, {"copy", kTraffic},
    {"elementwise", kTraffic}, {"scores", kTraffic},    {"transcendental", kTraffic},
    {"module_call", kCalls},
};

double rounded_up(double size, double step) { return std::ceil(size / step) * step; }

}  // namespace

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

Terms count_terms(const Work& w, int processors) {
  switch (w.kind) {
    case WorkKind::kGemm:
    case WorkKind::kConvolution: {
      const double tiles = std::ceil(w.m / kTile) * std::ceil(w.n / kTile);
      const double waves = std::ceil(tiles / processors);
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
  }
  return {};
}

std::optional<Work> stand_in(const Work& work) {
  Work other = work;
  switch (work.kind) {
    case WorkKind::kAttention:
    case WorkKind::kConvolution: other.kind = WorkKind::kMatmul; return other;
    case WorkKind::kGemm:
      other.kind = WorkKind::kElementwise;
      other.bytes =
          (work.m * work.k + work.m * work.n) * work.width + work.k * work.n * work.weight_width;
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
    case WorkKind::kModuleCall: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace wattree
