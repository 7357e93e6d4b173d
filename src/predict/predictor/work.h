// What a kernel has to do, as the predictor sees it: a kind and a few sizes. The energy and time of
// a kernel are linear in the terms below, with coefficients that belong to the hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "src/predict/predictor/work_kind.h"

namespace wattree {

struct Work {
  WorkKind kind = WorkKind::kElementwise;
  // A product: `groups` times an m x k matrix by a k x n one. Softmax: m rows. A product with a
  // weight has all its rows in m; `groups` are then the weights that they are dealt out to (experts
  // at work, groups of channels), 0 where there is one.
  double groups = 0;
  double m = 0;
  double n = 0;
  double k = 0;
  double width = 4;         // Bytes of an element,
  double weight_width = 4;  // and of one of a weight.
  double bytes = 0;         // Read and written, for what is no product.

  // For kernels that are priced one by one:
  enum class Detail : std::uint8_t { kNone, kCast, kJoin, kFill, kReduction, kSafe, kSort };
  Detail detail = Detail::kNone;
  bool is_strided = false;     // An input, or two of different sizes, are no contiguous block.
  bool is_reordered = false;   // One lies, or is repeated, otherwise than what comes out.
  bool is_crossed = false;     // One is read with gaps.
  bool converts = false;       // Elements are of different types.
  bool is_transposed = false;  // The weight is.
  bool has_bias = false;       // A product adds one.
  bool fetches_weight =
      false;                 // It comes from memory: the pass before has not left it in the cache.
  bool is_tf32 = false;      // One of 32 bits runs in the units for 16, at half their rate.
  bool is_causal = false;    // Attention in which no token sees those after it.
  double elements = 0;       // That come out.
  double rows = 0;           // Of what is reduced along rows.
  double masked = 0;         // Scores that get a mask.
  double channels = 0;       // That one output of a convolution reads.
  bool is_spatial = false;   // Such a convolution goes over images, and has many channels.
  double product_bytes = 0;  // Of a product as its tree counts them, with what it adds.
  bool operator==(const Work&) const = default;
};
struct Chip;
// The same kernel, as far as published measurements tell kernels apart.
bool is_same(const Work& a, const Work& b);

// What the list of kernels calls it; and on this chip, which may have been surveyed.
WorkKind kernel_kind(const Work& work);
WorkKind kernel_kind(const Work& work, const Chip& chip);

// Of 16 bits, whose rows do not all begin at a multiple of 16 bytes: libraries have slower kernels
// for it. Elements that a step between rows is a multiple of: 1, 2 or 4; 8: all is even.
double alignment_of(const Work& work);

// Whether the framework asks a library for it, or looks for the best of several kernels: products,
// attention, convolutions, norms and sorting. Launching these takes a host longer.
bool is_library_call(const Work& work);
// Whether it multiplies by a weight.
bool has_weight(const Work& work);
// Of kConvert and kCross, which other kinds share: whether the kernel takes it besides. How much
// count_terms() says of the same work as that kind.
bool takes_besides(const Work& work, WorkKind extra);
inline constexpr WorkKind kExtras[] = {WorkKind::kConvert, WorkKind::kCross};

// What no kernel exceeds, as the chip's maker says; 0: not known, and nothing is bounded by it.
struct Peak {
  double half_gflop_per_us = 0;
  double single_gflop_per_us = 0;
  double mib_per_us = 0;  // From memory: what the last level of cache cannot hold.
  double cache_mib = 0;
  bool operator==(const Peak&) const = default;
};

struct Survey;

// What of a chip decides how many rounds a product takes.
struct Chip {
  int processors = 1;     // Streaming multiprocessors, each of which makes one tile at a time.
  double cache_mib = 40;  // What is larger than this is read from and written to memory.
  double half_gflop_per_us = 1;
  double single_gflop_per_us = 1;
  double mib_per_us = 1;  // From memory.
  Peak peak{};
  std::shared_ptr<const Survey> survey{};  // Nothing: products take what their tiles do.
};

// Of the scores of attention, in blocks of so many queries and keys: which part is computed. Where
// no token sees those after it, the blocks above the diagonal are left out.
double seen_share(const Work& work, double block);

// Of the weights that a product reads.
double weight_bytes(const Work& work);
// That the kernel must read and write once each.
double bytes_of(const Work& work);

// How many of each term there are. Tiles of a product run in waves of as many as the chip has
// processors, and a last, half-empty wave takes as long as a full one.
Terms count_terms(const Work& work, const Chip& chip);

// The same work as another kind sees it: one that stands in, or that counts what it takes besides.
Work seen_as(const Work& work, WorkKind kind);

}  // namespace wattree
