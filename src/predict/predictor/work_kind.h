// The kinds of work that a predictor has prices for, and what is known of each: one row of
// work_kinds.inc. Counts, names in files, terms and stand-ins all come from those rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace wattree {

enum class WorkKind : std::uint8_t {
#define WATTREE_WORK_KIND(name, in_files, list, arithmetic, terms, stand_ins) k##name,
#include "src/predict/predictor/work_kinds.inc"
#undef WATTREE_WORK_KIND
};

inline constexpr std::size_t kWorkKinds = 0
// NOLINTNEXTLINE(bugprone-macro-parentheses): a term of the sum.
#define WATTREE_WORK_KIND(name, in_files, list, arithmetic, terms, stand_ins) +1
#include "src/predict/predictor/work_kinds.inc"
#undef WATTREE_WORK_KIND
    ;

// A predictor has the prices of one of two lists: see Predictor::is_by_kernel.
enum class KindList : std::uint8_t {
  kNodes,    // What a dataset's nodes can be told apart by: also the kind of every Work.
  kKernels,  // Kernels that were measured one by one: see kernel_kind().
  kBesides,  // What kernels of any kind take besides. Belongs to the list of kernels.
};

// The units that multiply: those for 16 bits are others than those for 32.
enum class Arithmetic : std::uint8_t { kNone, kHalf, kSingle, kTensor };

// The figure of a device that bounds a term; kClock: it counts time at the chip's own rates.
enum class Bound : std::uint8_t { kLaunch, kArithmetic, kTraffic, kClock };

// A term of a kind: what is counted, in what unit, and what makes it faster on another device.
struct TermFacts {
  std::string_view name;
  std::string_view unit;
  Bound bound;
};

inline constexpr std::size_t kMaxTerms = 6;
using Terms = std::array<double, kMaxTerms>;

struct KindFacts {
  WorkKind kind;
  std::string_view name;  // In files, and for people.
  KindList list;
  Arithmetic arithmetic;  // kNone: not a product.
  std::span<const TermFacts> terms;
  // The kinds whose prices are taken where a predictor has none for this one, the best first. They
  // are of the same list, and theirs are not asked in turn: nothing can go round in circles.
  std::span<const WorkKind> stand_ins;
};

const KindFacts& facts_of(WorkKind kind);
inline std::string_view name_of(WorkKind kind) { return facts_of(kind).name; }
inline std::span<const TermFacts> terms_of(WorkKind kind) { return facts_of(kind).terms; }
std::optional<WorkKind> parse_work_kind(std::string_view name);

}  // namespace wattree
