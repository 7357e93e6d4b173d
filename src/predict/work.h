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
};
inline constexpr std::size_t kWorkKinds = 13;
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
  bool operator==(const Work&) const = default;
};

inline constexpr std::size_t kMaxTerms = 6;
using Terms = std::array<double, kMaxTerms>;

// A term of a kind: what is counted, and in what unit.
struct TermFacts {
  std::string_view name;
  std::string_view unit;
};
std::span<const TermFacts> terms_of(WorkKind kind);

// How many of each term there are. `processors` is the number of streaming multiprocessors: tiles
// of a product run in waves of that many, and a last, half-empty wave takes as long as a full one.
Terms count_terms(const Work& work, int processors);

// The same work as another kind sees it: what stands in where a predictor has no coefficients for
// its own. The chain of them may come back to where it began: count the steps.
std::optional<Work> stand_in(const Work& work);

}  // namespace wattree
