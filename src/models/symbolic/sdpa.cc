// Which kernels torch.nn.functional.scaled_dot_product_attention runs. The rules are PyTorch 2.11's
// on a Hopper GPU (found by recording it over types, head sizes, masks and grouped heads):
//  - half precision, heads of a multiple of 8 up to 256: cuDNN, whose output has the query's memory
//    order;
//  - half precision without a mask, other heads up to 256: flash, padded to a multiple of 8;
//  - heads aligned to 16 bytes, none of them grouped: memory-efficient;
//  - all else, and any mask whose keys are not next to each other: math, the formula op by op.
#include <limits>

#include "src/models/symbolic/ops.h"

namespace wattree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The fused kernels that there are. A tree is built without knowing which device it will be priced
// for, so that all of them are built for this one; this is the only place that says so. On other
// GPUs PyTorch may prefer another kernel, such as flash where Hopper has cuDNN's.
struct FusedKernels {
  std::int64_t largest_head;   // Of cuDNN and flash.
  std::int64_t head_multiple;  // cuDNN takes no others, flash pads them.
  std::int64_t aligned_bytes;  // Of a head, for the memory-efficient kernel,
  std::int64_t aligned_mask;   // and the elements of a mask's row.
};
constexpr FusedKernels kHopper{256, 8, 16, 8};

// The layout of fused kernels that write [b, s, h, d]: seen as [b, h, s, d] it is a transpose.
Tensor token_major(const Tensor& like) {
  return Tensor(like.trace, like.dtype, {like.dim(0), like.dim(2), like.dim(1), like.dim(3)})
      .transpose(1, 2);
}

Tensor fused(const Tensor& q, const Tensor& k, const Tensor& v, const SdpaOptions& options,
             const Tensor& out) {
  const double is_causal = options.is_causal ? 1 : 0;
  return options.mask ? q.trace->emit(Op::kSdpa, {&q, &k, &v, &*options.mask}, out, {is_causal})
                      : q.trace->emit(Op::kSdpa, {&q, &k, &v}, out, {is_causal});
}

// The memory-efficient kernel needs every row of a mask to begin at a multiple of some elements;
// otherwise the mask is copied into longer rows.
Tensor aligned(const Tensor& mask) {
  constexpr std::int64_t kAlignment = kHopper.aligned_mask;
  bool is_aligned = true;
  for (int i = 0; i + 1 < mask.rank(); ++i) is_aligned &= mask.stride[i] % kAlignment == 0;
  if (is_aligned) return mask;
  const std::int64_t keys = mask.dim(-1);
  return pad_last(mask, 0, kAlignment - keys % kAlignment).slice(-1, 0, keys);
}

Tensor repeat_heads(const Tensor& x, std::int64_t groups) {
  if (groups == 1) return x;
  const Tensor wide = x.unsqueeze(2).expand({x.dim(0), x.dim(1), groups, x.dim(2), x.dim(3)});
  const Tensor copy = clone(wide);
  return copy.view({x.dim(0), x.dim(1) * groups, x.dim(2), x.dim(3)});
}

Tensor math(const Tensor& query, const Tensor& key, const Tensor& value, SdpaOptions options) {
  Trace& trace = *query.trace;
  // Half precision is computed in fp32.
  const Tensor q32 = query.to(DType::kFloat32);
  const Tensor k32 = key.to(DType::kFloat32);
  const Tensor v32 = value.to(DType::kFloat32);
  const Tensor q = q32 * 1.0;  // The square root of the scale goes to both sides.
  if (options.is_causal) {
    const Tensor all = fill(trace, Op::kOnes, DType::kBool, {query.dim(2), key.dim(2)});
    const Tensor lower = unary(Op::kTril, all);
    const Tensor zero = scalar(trace, DType::kFloat32);
    const Tensor minus_infinity = scalar(trace, DType::kFloat32, -kInfinity);
    options.mask = where(lower, zero, minus_infinity);
  }
  const std::int64_t groups = options.enable_gqa ? query.dim(1) / key.dim(1) : 1;
  const Tensor k = repeat_heads(k32, groups);
  const Tensor v = repeat_heads(v32, groups);
  const Tensor scaled_keys = k.transpose(2, 3) * 1.0;
  Tensor scores = matmul(q, scaled_keys);
  if (options.mask) scores = scores + *options.mask;
  Tensor weights =
      trace.emit(Op::kSafeSoftmax, {&scores}, Tensor(&trace, scores.dtype, scores.size));
  weights.to(query.dtype);  // Returned beside the result, although nobody asked for it.
  const Tensor out = matmul(weights, v).to(query.dtype);
  trace.keep_until_now({&q32, &k32, &v32, &q, &k, &v, &weights});
  return out;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const SdpaOptions& given) {
  Trace& trace = *q.trace;
  if (trace.failed()) return q;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || k.dim(1) == 0 ||
      q.dim(1) % k.dim(1) != 0) {
    trace.fail_shapes("attention", q.size, k.size);
    return q;
  }
  SdpaOptions options = given;
  if (options.mask && options.mask->dtype == DType::kBool) {
    const Tensor zero = scalar(trace, q.dtype);
    const Tensor minus_infinity = scalar(trace, q.dtype, -kInfinity);
    options.mask = where(*options.mask, zero, minus_infinity);
  }
  // Heads that are repeated by broadcasting alone have no fused kernel.
  if (k.dim(1) != q.dim(1) && !options.enable_gqa) return math(q, k, v, options);
  const std::int64_t head = q.dim(3);
  const bool is_half = byte_size(q.dtype) == 2;
  const bool fits_alignment = head * byte_size(q.dtype) % kHopper.aligned_bytes == 0;
  // No fused kernel reads a mask whose keys are not next to each other.
  if (options.mask && options.mask->stride[options.mask->rank() - 1] != 1)
    return math(q, k, v, options);
  // cuDNN takes no mask over a single key; the memory-efficient kernel does.
  const bool masks_one_key = options.mask && k.dim(2) == 1;
  const bool fits_fused = is_half && head <= kHopper.largest_head;
  if (fits_fused && head % kHopper.head_multiple == 0 && v.dim(3) == head && !masks_one_key) {
    return fused(q, k, v, options,
                 Tensor(&trace, q.dtype, q.size, elementwise_strides(q.size, {&q})));
  }
  // Flash attention wants values as wide as the queries; the memory-efficient kernel does not.
  if (fits_fused && !options.mask && v.dim(3) == head) {
    const std::int64_t multiple = kHopper.head_multiple;
    const std::int64_t padding = (multiple - head % multiple) % multiple;
    const Tensor wide_q = pad_last(q, 0, padding);
    const Tensor wide_k = pad_last(k, 0, padding);
    const Tensor wide_v = pad_last(v, 0, padding);
    // Padded copies are head-major, and so is what comes back.
    return fused(wide_q, wide_k, wide_v, options, Tensor(&trace, q.dtype, wide_q.size))
        .slice(3, 0, head);
  }
  if (!options.enable_gqa && fits_alignment) {
    if (options.mask) {
      options.mask = aligned(*options.mask).expand({q.dim(0), q.dim(1), q.dim(2), k.dim(2)});
    }
    Tensor out = q;
    out.size[3] = v.dim(3);
    return fused(q, k, v, options, token_major(out));
  }
  return math(q, k, v, options);
}

}  // namespace wattree
