// What a kernel has to do, as the predictor sees it: a kind and a few sizes. The energy and time of
// a kernel are linear in the terms below, with coefficients that belong to the hardware.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace wattree {

enum class WorkKind : std::uint8_t {
  kGemm,         // A matrix product with a weight: Linear, Conv1D
  kMatmul,       // Batched products of activations, as in attention
  kAttention,    // Fused attention
  kConvolution,  // As a matrix product, with the input gathered
  kSoftmax,
  kNormalization,
  kGather,          // Embedding, index
  kActivation,      // An activation that is a module: Tanh, ReLU
  kCopy,            // Rearranging, joining, casting
  kElementwise,     // Adding, scaling, comparing
  kScores,          // The same on attention scores, where an operand is broadcast (a mask)
  kTranscendental,  // The same with a function that takes arithmetic: gelu, exp, tanh
  kModuleCall,      // Once for each module that runs kernels: launches, allocation

  // Kernels that were measured one by one have a finer list: see kernel_kind(). 16 and 32 are the
  // bits of an element, which decide about the units that multiply.
  kLinear16,  // A product with a weight
  kLinear32,
  kFewRows32,  // The same of so few rows that reading the weight is all
  kBatched16,  // Products of activations
  kBatched32,
  kFused16,  // Fused attention of a whole pass
  kFused32,
  kFusedStep16,  // Fused attention of a single new token
  kFusedStep32,
  kSoftmaxRows,
  kSafeSoftmaxRows,  // With a look for rows that are masked altogether, which takes kernels more
  kNormRows,
  kReduction,    // mean, cumsum
  kCast,         // From one type to another
  kJoin,         // cat of contiguous blocks
  kStridedJoin,  // cat of others
  kRearrange,    // Other copies
  kPointwise,
  kFunction,  // Pointwise with a function that takes arithmetic
  kFill,
  kLookup,
  // What kernels take besides, whatever their kind:
  kFollow,   // every one that comes after another one,
  kFetch,    // a product whose weight comes from memory and not from the cache,
  kConvert,  // one that reads elements through a switch over types,
  kCross,    // and one that reads with gaps what it writes without.
};
inline constexpr std::size_t kWorkKinds = 38;
std::string_view name_of(WorkKind kind);
std::optional<WorkKind> parse_work_kind(std::string_view name);

struct Work {
  WorkKind kind = WorkKind::kElementwise;
  // A product: `groups` times an m x k matrix by a k x n one. Softmax: m rows.
  double groups = 0;
  double m = 0;
  double n = 0;
  double k = 0;
  double width = 4;         // Bytes of an element,
  double weight_width = 4;  // and of one of a weight.
  double bytes = 0;         // Read and written, for what is no product.

  // For kernels that are priced one by one:
  enum class Detail : std::uint8_t { kNone, kCast, kJoin, kFill, kReduction, kSafe };
  Detail detail = Detail::kNone;
  bool is_strided = false;     // An input, or two of different sizes, are no contiguous block.
  bool is_reordered = false;   // One lies, or is repeated, otherwise than what comes out.
  bool is_crossed = false;     // One is read with gaps.
  bool converts = false;       // Elements are of different types.
  bool is_transposed = false;  // The weight is.
  bool has_bias = false;       // A product adds one.
  double elements = 0;         // That come out.
  double rows = 0;             // Of what is reduced along rows.
  double masked = 0;           // Scores that get a mask.
  bool operator==(const Work&) const = default;
};
// The same kernel, as far as published measurements tell kernels apart.
bool is_same(const Work& a, const Work& b);

// What the finer list calls it.
WorkKind kernel_kind(const Work& work);

// Whether it multiplies by a weight.
bool has_weight(const Work& work);
// Of kConvert and kCross, which other kinds share: whether the kernel takes it besides. How much
// count_terms() says of the same work as that kind.
bool takes_besides(const Work& work, WorkKind extra);
inline constexpr WorkKind kExtras[] = {WorkKind::kConvert, WorkKind::kCross};

// What of a chip decides how many rounds a product takes.
struct Chip {
  int processors = 1;     // Streaming multiprocessors, each of which makes one tile at a time.
  double cache_mib = 40;  // What is larger than this is read from and written to memory.
  double half_gflop_per_us = 1;
  double single_gflop_per_us = 1;
  double mib_per_us = 1;  // From memory.
};

inline constexpr std::size_t kMaxTerms = 6;
using Terms = std::array<double, kMaxTerms>;

// A term of a kind: what is counted, and in what unit.
struct TermFacts {
  std::string_view name;
  std::string_view unit;
};
std::span<const TermFacts> terms_of(WorkKind kind);

// How many of each term there are. Tiles of a product run in waves of as many as the chip has
// processors, and a last, half-empty wave takes as long as a full one.
Terms count_terms(const Work& work, const Chip& chip);

// The same work as another kind sees it: what stands in where a predictor has no coefficients for
// its own. The chain of them may come back to where it began: count the steps.
std::optional<Work> stand_in(const Work& work);

}  // namespace wattree
