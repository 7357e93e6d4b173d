#include "src/models/symbolic/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wattree {
namespace {

enum class Pattern { kCausal, kSlidingCausal, kSlidingBidirectional };

// sdpa_mask(): a boolean [b, 1, q, k], built by comparing broadcast index ranges.
Tensor boolean_mask(Trace& trace, const MaskSizes& sizes, Pattern pattern,
                    const Tensor* padding = nullptr) {
  // Indices over the batch and one head are made, though only padding looks at one of them.
  const Tensor rows = arange(trace, sizes.batch).view({sizes.batch, 1, 1, 1});
  arange(trace, 1);
  const Tensor queries =
      (arange(trace, sizes.queries) + 0.0).unsqueeze(0).unsqueeze(0).unsqueeze(3);
  const Tensor keys = (arange(trace, sizes.keys) + 0.0).unsqueeze(0).unsqueeze(0).unsqueeze(0);
  Tensor mask;
  // Patterns are joined one by one to a mask that hides nothing.
  auto hide_nothing = [&] {
    return trace.emit(Op::kNewOnes, {&queries}, Tensor(&trace, DType::kBool, {}));
  };
  if (pattern == Pattern::kCausal && padding == nullptr) {
    mask = predicate(Op::kLe, keys, queries);
  } else if (pattern == Pattern::kCausal) {
    mask = hide_nothing();
    const Tensor not_ahead = predicate(Op::kLe, keys, queries);
    mask = binary(Op::kBitwiseAnd, mask, not_ahead);
    const Tensor is_text = index(*padding, {&rows, &keys});
    mask = binary(Op::kBitwiseAnd, mask, is_text);
  } else {
    mask = hide_nothing();
    if (pattern == Pattern::kSlidingCausal) {
      const Tensor oldest = queries - 1.0;
      const Tensor in_window = predicate(Op::kGt, keys, oldest);
      mask = binary(Op::kBitwiseAnd, mask, in_window);
      const Tensor not_ahead = predicate(Op::kLe, keys, queries);
      mask = binary(Op::kBitwiseAnd, mask, not_ahead);
    } else {
      const Tensor distance = unary(Op::kAbs, queries - keys);
      const Tensor in_window = predicate(Op::kLe, distance);
      mask = binary(Op::kBitwiseAnd, mask, in_window);
      const Tensor everything = predicate(Op::kGe, queries);
      mask = binary(Op::kBitwiseAnd, mask, everything);
    }
  }
  return mask.expand({sizes.batch, -1, sizes.queries, sizes.keys});
}

double lowest_of(DType type) { return type == DType::kFloat16 ? -65504.0 : -3.3895e38; }

Tensor additive(const Tensor& mask) {
  Trace& trace = *mask.trace;
  const Tensor zero = constant(trace, trace.dtype());
  const Tensor lowest = scalar(trace, trace.dtype(), lowest_of(trace.dtype()));
  return where(mask, zero, lowest);
}

}  // namespace

Mask causal_mask(Trace& trace, const MaskSizes& sizes, std::optional<std::int64_t> window) {
  const Pattern pattern = window ? Pattern::kSlidingCausal : Pattern::kCausal;
  if (trace.is_eager()) return additive(boolean_mask(trace, sizes, pattern));
  const bool window_matters = window && sizes.keys >= *window;
  if (!window_matters && (sizes.queries == 1 || sizes.queries == sizes.keys)) return std::nullopt;
  return boolean_mask(trace, sizes, pattern);
}

Mask causal_mask(Trace& trace, const MaskSizes& sizes, const Tensor& attention_mask) {
  const Tensor padding = attention_mask.to(DType::kBool);
  if (trace.is_eager()) return additive(boolean_mask(trace, sizes, Pattern::kCausal, &padding));
  if (sizes.queries == 1 || sizes.queries == sizes.keys) {
    const Tensor seen = trace.emit(Op::kSum, {&padding}, Tensor(&trace, DType::kInt64, {}));
    predicate(Op::kEq, seen);
    return std::nullopt;
  }
  return boolean_mask(trace, sizes, Pattern::kCausal, &padding);
}

Tensor explicit_causal_mask(Trace& trace, const MaskSizes& sizes) {
  const Tensor mask = boolean_mask(trace, sizes, Pattern::kCausal);
  return trace.is_eager() ? additive(mask) : mask;
}

Tensor overlaid_causal_mask(Trace& trace, const MaskSizes& sizes,
                            std::optional<std::int64_t> window) {
  arange(trace, sizes.batch);
  arange(trace, 1);
  const Tensor row = arange(trace, sizes.queries) + 0.0;
  const Tensor keys = arange(trace, sizes.keys) + 0.0;
  const Tensor queries = row.unsqueeze(1);
  auto constant_rows = [&](Op op) {
    return trace.emit(op, {&row}, Tensor(&trace, DType::kBool, row.size)).unsqueeze(1);
  };
  const Tensor nothing = constant_rows(Op::kNewZeros);
  Tensor mask;
  if (window) {
    const Tensor everything = constant_rows(Op::kNewOnes);
    const Tensor oldest = row - 1.0;
    const Tensor in_window = predicate(Op::kGt, keys, oldest.unsqueeze(1));
    mask = binary(Op::kBitwiseAnd, everything, in_window);
    const Tensor not_ahead = predicate(Op::kLe, keys, queries);
    mask = binary(Op::kBitwiseAnd, mask, not_ahead);
    mask = binary(Op::kBitwiseOr, nothing, mask);
    const Tensor distance = unary(Op::kAbs, queries - keys);
    const Tensor near = predicate(Op::kLt, distance);
    mask = binary(Op::kBitwiseOr, mask, near);
  } else {
    mask = predicate(Op::kLe, keys, queries);
    mask = binary(Op::kBitwiseOr, nothing, mask);
    // "Everything" is made on the host, and copied.
    const Tensor everything = to_copy(constant(trace, DType::kBool), DType::kBool);
    mask = binary(Op::kBitwiseOr, mask, everything);
  }
  mask = mask.unsqueeze(0).unsqueeze(0).expand({sizes.batch, 1, sizes.queries, sizes.keys});
  return trace.is_eager() ? additive(mask) : mask;
}

Mask bidirectional_mask(Trace& trace, const MaskSizes& sizes, std::optional<std::int64_t> window) {
  if (!window || sizes.keys < *window) return std::nullopt;
  const Tensor mask = boolean_mask(trace, sizes, Pattern::kSlidingBidirectional);
  return trace.is_eager() ? additive(mask) : mask;
}

void check_packed_sequences(const Tensor& position_ids, std::int64_t batch) {
  const Tensor ids = position_ids.expand({batch, -1});
  const Tensor before = ids.slice(1, 0, 1) - 1.0;
  const Tensor extended = cat({&before, &ids}, 1);
  const Tensor steps = extended.slice(1, 1, extended.dim(1)) - extended.slice(1, 0, -1);
  const Tensor jumps = predicate(Op::kNe, steps);
  const Tensor sequence = cumsum(jumps);
  const Tensor is_one = predicate(Op::kEq, sequence.select(1));
  is_one.trace->emit(Op::kAll, {&is_one}, Tensor(is_one.trace, DType::kBool, {}));
}

std::int64_t Cache::kept() const { return window ? std::min(past, *window - 1) : past; }

Tensor Cache::append(const Tensor& states) const {
  if (!used) return states;
  const Tensor whole = joined(states);
  states.trace->hand_over(whole);
  return whole;
}

Tensor Cache::joined(const Tensor& states) const {
  if (past == 0) return cat({&states}, -2);
  // A sliding layer's past is a slice of what was joined in the last step.
  const std::int64_t stored = window && past >= *window ? *window : kept();
  const Tensor held = states.trace->given(Held::kCache, states.dtype,
                                          {states.dim(0), states.dim(1), stored, states.dim(3)});
  const Tensor before = held.slice(2, stored - kept(), stored);
  return cat({&before, &states}, -2);
}

void Cache::update(Tensor& keys, Tensor& values) const {
  if (!used) return;
  if (window && past == 0) to_copy(constant(*keys.trace, DType::kInt64), DType::kInt64);
  const Tensor all_keys = append(keys);
  const Tensor all_values = append(values);
  keys.trace->keep_until_now({&keys, &values});  // One call returns both.
  keys = all_keys;
  values = all_values;
}

Tensor repeat_kv(const Tensor& x, std::int64_t groups) {
  if (groups == 1) return x;
  return x.unsqueeze(2)
      .expand({x.dim(0), x.dim(1), groups, x.dim(2), x.dim(3)})
      .reshape({x.dim(0), x.dim(1) * groups, x.dim(2), x.dim(3)});
}

Tensor eager_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                       const AttentionOptions& options) {
  const std::int64_t groups =
      std::max<std::int64_t>(1, q.dim(1) / std::max<std::int64_t>(1, k.dim(1)));
  const Tensor keys = repeat_kv(k, groups);
  const Tensor values = repeat_kv(v, groups);
  Tensor scores = matmul(q, keys.transpose(2, 3));
  if (options.scales) scores = scores * (1 / std::sqrt(static_cast<double>(q.dim(3))));
  if (options.softcap) {
    scores = scores / 1.0;
    scores = unary(Op::kTanh, scores);
    scores = scores * 1.0;
  }
  if (options.position_bias) scores = scores + *options.position_bias;
  if (options.mask) scores = scores + *options.mask;
  const Tensor weights = options.softmax_in_f32 ? softmax_f32(scores).to(q.dtype) : softmax(scores);
  const Tensor result = matmul(weights, values).transpose(1, 2).contiguous();
  q.trace->keep_until_now({&keys, &values});
  q.trace->keep(weights);  // Returned beside the result.
  return result;
}

namespace {
// create_position_bias_mask(): the bias where a key is seen, the lowest number where it is not.
Tensor biased_mask(const Tensor& bias, Mask mask, bool is_causal) {
  Trace& trace = *bias.trace;
  if (!mask && is_causal) {
    const Tensor queries = arange(trace, bias.dim(2)).unsqueeze(1);
    const Tensor keys = arange(trace, bias.dim(3)).unsqueeze(0);
    mask = predicate(Op::kGe, queries, keys).view({1, 1, bias.dim(2), bias.dim(3)});
  }
  if (!mask) return bias;
  const Tensor lowest = scalar(trace, bias.dtype, lowest_of(bias.dtype));
  return where(*mask, bias, lowest);
}
}  // namespace

Tensor sdpa_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                      const AttentionOptions& options) {
  const std::int64_t groups =
      std::max<std::int64_t>(1, q.dim(1) / std::max<std::int64_t>(1, k.dim(1)));
  const bool uses_gqa = groups > 1 && !options.mask && k.dim(3) == v.dim(3) && k.dim(3) <= 256;
  const Tensor keys = uses_gqa ? k : repeat_kv(k, groups);
  const Tensor values = uses_gqa ? v : repeat_kv(v, groups);
  const bool is_causal = options.is_causal && !options.mask && q.dim(2) > 1;
  SdpaOptions given{options.mask, is_causal, uses_gqa};
  if (options.position_bias) {
    given = {biased_mask(*options.position_bias, options.mask, is_causal), false, uses_gqa};
  }
  return scaled_dot_product_attention(q, keys, values, given).transpose(1, 2).contiguous();
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
  // The module that projected them has variables for all three.
  for (const Tensor* states : {&q, &k, &v}) q.trace->keep(*states);
  return q.trace->is_eager() ? eager_attention(q, k, v, options) : sdpa_attention(q, k, v, options);
}

Tensor split_heads(const Tensor& x, std::int64_t head_dim) {
  return x.view({x.dim(0), x.dim(1), -1, head_dim}).transpose(1, 2);
}

Tensor alibi_slopes(Trace& trace, std::int64_t heads) {
  auto powers = [&](std::int64_t count) {
    const Tensor base = fill(trace, Op::kFull, DType::kFloat32, {});
    const Tensor exponents = arange(trace, count, DType::kInt32);
    return binary(Op::kPow, base, exponents);
  };
  const auto even = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const Tensor slopes = powers(even);
  if (even == heads) return slopes;
  const Tensor rest = powers(heads - even);
  return cat({&slopes, &rest}, 0);
}

Tensor position_ids(Trace& trace, std::int64_t length) {
  return (arange(trace, length) + 0.0).unsqueeze(0);
}

Rotary rotary_embedding(const Tensor& position_ids, std::string_view name, std::string_view type,
                        std::int64_t dim, RopeKind kind, std::int32_t run,
                        std::optional<DType> out) {
  Trace& trace = *position_ids.trace;
  Module self(trace, name, type, Module::Kind::kMl, run);
  if (kind != RopeKind::kFixed) {
    const Tensor last = trace.emit(Op::kMax, {&position_ids}, Tensor(&trace, DType::kInt64, {}));
    const Tensor length = last + 1.0;
    predicate(Op::kGt, length);
    if (kind == RopeKind::kDynamic) predicate(Op::kLt, length);
  }
  const std::int64_t rows = position_ids.dim(0);
  // One for every second dimension: arange(0, dim, 2). As they were at first is kept, too.
  const Dims size{1, (dim + 1) / 2, 1};
  trace.buffer(DType::kFloat32, size);
  const Tensor frequencies = trace.buffer(DType::kFloat32, size).expand({rows, -1, 1});
  const Tensor positions = position_ids.unsqueeze(1).to(DType::kFloat32);
  const Tensor angles = matmul(frequencies, positions).transpose(1, 2);
  const Tensor both = cat({&angles, &angles}, -1);
  const Tensor cos = unary(Op::kCos, both) * 1.0;
  const Tensor sin = unary(Op::kSin, both) * 1.0;
  const Tensor cos_out = cos.to(out.value_or(trace.dtype()));
  const Tensor sin_out = sin.to(out.value_or(trace.dtype()));
  return {self.returns(cos_out), sin_out};
}

Tensor rotate_half(const Tensor& x) {
  const std::int64_t half = x.dim(-1) / 2;
  const Tensor upper = -x.slice(-1, half, x.dim(-1));
  const Tensor lower = x.slice(-1, 0, half);
  return cat({&upper, &lower}, -1);
}

Tensor turned_part(const Tensor& x, const Rotary& rotary) {
  return apply_rotary(x.slice(-1, 0, rotary.cos.dim(-1)), rotary);
}

Tensor join_rest(const Tensor& turned, const Tensor& x) {
  // Where nothing is left, the copy is made all the same.
  if (turned.dim(-1) == x.dim(-1)) return cat({&turned}, -1);
  const Tensor rest = x.slice(-1, turned.dim(-1), x.dim(-1));
  return cat({&turned, &rest}, -1);
}

Tensor apply_rotary(const Tensor& x, const Rotary& rotary) {
  const Tensor straight = x * rotary.cos.unsqueeze(1);
  const Tensor turned = rotate_half(x) * rotary.sin.unsqueeze(1);
  return straight + turned;
}

}  // namespace wattree
