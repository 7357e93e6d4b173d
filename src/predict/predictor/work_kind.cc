#include "src/predict/predictor/work_kind.h"

#include <algorithm>

namespace wattree {
namespace {

constexpr TermFacts kLaunch{"launch", "launch", Bound::kLaunch};
constexpr TermFacts kArithmetic{"arithmetic", "GFLOP", Bound::kArithmetic};
constexpr TermFacts kBestTiling{"best tiling", "µs", Bound::kClock};
constexpr TermFacts kTraffic{"traffic", "MiB", Bound::kTraffic};
constexpr TermFacts kBeyondCache{"beyond the cache", "MiB", Bound::kTraffic};
constexpr TermFacts kInput{"input", "MiB", Bound::kTraffic};
constexpr TermFacts kWeights{"weights", "MiB", Bound::kTraffic};
constexpr TermFacts kOutput{"output", "MiB", Bound::kTraffic};
constexpr TermFacts kMillions{"elements", "10^6", Bound::kTraffic};
constexpr TermFacts kThousands{"rows", "1000 rows", Bound::kTraffic};

// Terms of nodes.
constexpr TermFacts kProductTerms[] = {
    kLaunch,  kArithmetic, kInput,
    kWeights, kOutput,     {"depth of waves", "1000 steps", Bound::kArithmetic}};
constexpr TermFacts kBatchedTerms[] = {kLaunch,
                                       kArithmetic,
                                       kTraffic,
                                       {"outputs in tiles of 64", "10^6", Bound::kArithmetic},
                                       {"outputs in tiles of 128", "10^6", Bound::kArithmetic}};
constexpr TermFacts kRowwiseTerms[] = {kLaunch, kTraffic, kThousands};
constexpr TermFacts kStreamTerms[] = {kLaunch, kTraffic};
constexpr TermFacts kTrafficTerms[] = {kTraffic};
constexpr TermFacts kCallTerms[] = {{"calls", "call", Bound::kLaunch}};

// Terms of kernels.
constexpr TermFacts kTilingOrTraffic{"best tiling or traffic", "µs", Bound::kClock};
constexpr TermFacts kHalfLinearTerms[] = {
    kLaunch,          kArithmetic,
    kTilingOrTraffic, {"input and output", "MiB", Bound::kTraffic},
    kWeights,         {"weights, several rows", "MiB", Bound::kTraffic}};
constexpr TermFacts kGroupedTerms[] = {kLaunch, kArithmetic, kTilingOrTraffic,
                                       kInput,  kWeights,    kOutput};
constexpr TermFacts kSingleLinearTerms[] = {
    kLaunch,
    kArithmetic,
    {"arithmetic, transposed weight", "GFLOP", Bound::kArithmetic},
    kBestTiling,
    kTraffic};
constexpr TermFacts kUnevenTerms[] = {
    kLaunch, kArithmetic, {"tiles or traffic", "µs", Bound::kClock}, kWeights, kOutput};
constexpr TermFacts kConvolutionTerms[] = {
    kLaunch,
    kArithmetic,
    {"taps of few channels, in waves", "1000 taps", Bound::kArithmetic},
    {"arithmetic, groups", "GFLOP", Bound::kArithmetic},
    {"best tiling", "µs", Bound::kClock},
    kTraffic};
constexpr TermFacts kFewRowsTerms[] = {
    kLaunch,
    kWeights,
    {"depth", "1000 steps", Bound::kArithmetic},
    {"narrow products without a bias", "kernel", Bound::kLaunch}};
constexpr TermFacts kSurveyedTerms[] = {
    {"surveyed time", "µs", Bound::kClock},
    {"arithmetic in tiles", "GFLOP", Bound::kArithmetic},
    {"the same, transposed weight", "GFLOP", Bound::kArithmetic},
    {"reads of tiles", "MiB", Bound::kTraffic},
    {"weights from memory", "MiB", Bound::kTraffic},
    {"arithmetic without tiles", "GFLOP", Bound::kArithmetic}};
constexpr TermFacts kTiledTerms[] = {kLaunch, kArithmetic, kBestTiling, kTraffic};
constexpr TermFacts kFusedWaveTerms[] = {kLaunch,
                                         kArithmetic,
                                         kTraffic,
                                         {"waves or traffic", "µs", Bound::kClock},
                                         {"scores in tiles of 128", "10^6", Bound::kArithmetic},
                                         {"masked scores", "10^6", Bound::kArithmetic}};
constexpr TermFacts kFusedTerms[] = {
    kLaunch,
    {"arithmetic in tiles", "GFLOP", Bound::kArithmetic},
    kTraffic,
    {"keys one after the other", "1000 keys", Bound::kArithmetic},
    {"the same in further waves", "1000 keys", Bound::kArithmetic}};
constexpr TermFacts kFusedStepTerms[] = {kLaunch,
                                         kArithmetic,
                                         kTraffic,
                                         {"waves of heads", "wave", Bound::kArithmetic},
                                         {"keys of a wave", "64 keys", Bound::kArithmetic},
                                         {"sums of shared-out keys", "kernel", Bound::kLaunch}};
constexpr TermFacts kSoftmaxTerms[] = {kLaunch, kTraffic, kBeyondCache, kMillions, kThousands};
constexpr TermFacts kRowTerms[] = {kLaunch, kTraffic, kMillions, kThousands};
constexpr TermFacts kNormTerms[] = {kLaunch,
                                    kTraffic,
                                    kMillions,
                                    kThousands,
                                    {"moments by a kernel of their own", "kernel", Bound::kLaunch},
                                    {"rows of odd widths", "1000 rows", Bound::kArithmetic}};
constexpr TermFacts kBeyondTerms[] = {kLaunch, kTraffic, kBeyondCache};
constexpr TermFacts kElementTerms[] = {kLaunch, kTraffic, kBeyondCache, kMillions};
constexpr TermFacts kReorderedTerms[] = {
    kLaunch, kTraffic, kBeyondCache, kMillions, {"reordered elements", "10^6", Bound::kTraffic}};
constexpr TermFacts kSortTerms[] = {
    kLaunch, {"rounds over long rows", "kernel", Bound::kLaunch}, kMillions};
constexpr TermFacts kKernelTerms[] = {{"kernels", "kernel", Bound::kLaunch}};
constexpr TermFacts kConvertTerms[] = {{"switch over types", "kernel", Bound::kLaunch},
                                       {"elements of different types", "10^6", Bound::kTraffic}};
constexpr TermFacts kCrossTerms[] = {{"elements read with gaps", "10^6", Bound::kTraffic}};

// Kinds that stand in, the best first.
using enum WorkKind;
constexpr std::span<const WorkKind> kNobody;
constexpr WorkKind kElementwiseOnly[] = {kElementwise};
constexpr WorkKind kNormalizationOnly[] = {kNormalization};
constexpr WorkKind kStreams[] = {kElementwise, kNormalization};
constexpr WorkKind kGemms[] = {kGemm, kElementwise, kNormalization};
constexpr WorkKind kMatmuls[] = {kMatmul, kGemm, kElementwise, kNormalization};
constexpr WorkKind kPointwiseOnly[] = {kPointwise};
constexpr WorkKind kFunctionOnly[] = {kFunction};
constexpr WorkKind kPointwises[] = {kPointwise, kFunction};
constexpr WorkKind kReductions[] = {kReduction, kPointwise, kFunction};
constexpr WorkKind kRearranges[] = {kRearrange, kPointwise, kFunction};
constexpr WorkKind kSoftmaxes[] = {kSoftmaxRows, kPointwise, kFunction};
constexpr WorkKind kHalfLinears[] = {kLinear16, kBatched32, kPointwise, kFunction};
constexpr WorkKind kSingleLinears[] = {kLinear32, kPointwise, kFunction};
constexpr WorkKind kSingleBatches[] = {kBatched32, kPointwise, kFunction};
constexpr WorkKind kHalfBatches[] = {kBatched16, kBatched32, kPointwise, kFunction};
constexpr WorkKind kHalfFused[] = {kFused16, kBatched16, kBatched32, kPointwise, kFunction};

constexpr KindFacts kKinds[] = {
#define WATTREE_WORK_KIND(name, in_files, list, arithmetic, terms, stand_ins) \
  {WorkKind::k##name, in_files, KindList::list, Arithmetic::arithmetic, terms, stand_ins},
#include "src/predict/predictor/work_kinds.inc"
#undef WATTREE_WORK_KIND
};

constexpr const KindFacts& row_of(WorkKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr bool has_its_terms(const KindFacts& kind) {
  return !kind.terms.empty() && kind.terms.size() <= kMaxTerms;
}

// Others of the same list, each once.
constexpr bool has_sound_stand_ins(const KindFacts& kind) {
  for (std::size_t i = 0; i < kind.stand_ins.size(); ++i) {
    if (kind.stand_ins[i] == kind.kind || row_of(kind.stand_ins[i]).list != kind.list) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (kind.stand_ins[i] == kind.stand_ins[j]) return false;
    }
  }
  return true;
}

constexpr bool has_own_name(const KindFacts& kind) {
  return std::all_of(std::begin(kKinds), std::end(kKinds), [&](const KindFacts& other) {
    return other.kind == kind.kind || other.name != kind.name;
  });
}

static_assert(std::size(kKinds) == kWorkKinds);
static_assert(std::all_of(std::begin(kKinds), std::end(kKinds), has_its_terms));
static_assert(std::all_of(std::begin(kKinds), std::end(kKinds), has_sound_stand_ins));
static_assert(std::all_of(std::begin(kKinds), std::end(kKinds), has_own_name));

}  // namespace

const KindFacts& facts_of(WorkKind kind) { return row_of(kind); }

std::optional<WorkKind> parse_work_kind(std::string_view name) {
  for (const KindFacts& kind : kKinds) {
    if (kind.name == name) return kind.kind;
  }
  return std::nullopt;
}

}  // namespace wattree
