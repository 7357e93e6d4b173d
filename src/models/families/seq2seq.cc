#include "src/models/families/seq2seq.h"

namespace wattree {

bool is_decode_step(const Trace& trace) { return trace.pass().past > 0; }

std::int64_t source_length(const Trace& trace) {
  return is_decode_step(trace) ? trace.pass().source : trace.pass().seq;
}

Tensor source_ids(Trace& trace) {
  return trace.input(DType::kInt64, {trace.pass().batch, source_length(trace)});
}

Tensor target_ids(Trace& trace) {
  return trace.input(DType::kInt64, {trace.pass().batch, trace.pass().target_len});
}

Cache decoder_cache(ConfigReader& config, const Trace& trace) {
  return {config.flag({"use_cache"}, true) || is_decode_step(trace), trace.pass().past, {}};
}

Tensor shared_embedding(Trace& trace, std::int64_t rows, std::int64_t width,
                        std::string_view type) {
  Uncalled uncalled(trace);
  Module self(trace, "shared", type, Module::Kind::kPrimitive);
  return trace.parameter({rows, width});
}

bool is_whole_pass(ConfigReader& config, const Trace& trace) {
  if (!is_decode_step(trace)) return true;
  config.reject_request("past", "architectures",
                        "names a class without a cache: it cannot decode token by token");
  return false;
}

Tensor shift_right(const Tensor& ids) {
  Trace& trace = *ids.trace;
  const Tensor shifted = fill_like(Op::kNewZeros, ids);
  if (ids.dim(1) > 1) {
    const Tensor moved = clone_keeping_layout(ids.slice(1, 0, -1));
    in_place(Op::kCopy, shifted.slice(1, 1, ids.dim(1)), moved);
  }
  in_place(Op::kFill, shifted.select(1), constant(trace, DType::kInt64));
  const Tensor is_ignored = predicate(Op::kEq, shifted);
  return in_place(Op::kMaskedFillInPlace, shifted, is_ignored);
}

Tensor end_token_classification(const Tensor& hidden, const Tensor& ids, std::string_view type,
                                std::int64_t labels) {
  Trace& trace = *ids.trace;
  const std::int64_t batch = ids.dim(0);
  const Tensor is_end = predicate(Op::kEq, ids);
  // All sequences must have as many; one, here.
  const Tensor ends = trace.emit(Op::kSum, {&is_end}, trace.tensor(DType::kInt64, {batch}));
  trace.emit(Op::kUniqueConsecutive, {&ends}, trace.tensor(DType::kInt64, {1}));
  const Tensor picked = trace.emit(Op::kIndex, {&hidden, &is_end},
                                   trace.tensor(hidden.dtype, {batch, hidden.dim(2)}));
  Module self(trace, "classification_head", type);
  const Tensor wide = unary(Op::kTanh, linear(picked, "dense", hidden.dim(2)));
  return self.returns(linear(wide, "out_proj", labels));
}

KeysValues keys_and_values(const Tensor& states, const Cache& cache, bool is_cross,
                           std::string_view key_name, std::string_view value_name,
                           const Projection& project) {
  Trace& trace = *states.trace;
  const bool is_cached = is_cross && cache.past > 0;
  KeysValues out;
  {
    Uncalled projections(trace, is_cached);
    out.keys = project(states, key_name);
    out.values = project(states, value_name);
  }
  if (is_cached) {
    out.keys = trace.given(Held::kCache, out.keys.dtype, out.keys.size);
    out.values = trace.given(Held::kCache, out.values.dtype, out.values.size);
    return out;
  }
  const Cache empty{cache.used, 0, {}};
  (is_cross ? empty : cache).update(out.keys, out.values);
  return out;
}

}  // namespace wattree
