#include "src/family/seq2seq.h"

namespace wattree {

bool is_decode_step(const Trace& trace) { return trace.pass().past > 0; }

std::int64_t source_length(const Trace& trace) {
  return is_decode_step(trace) ? trace.pass().source : trace.pass().seq;
}

Cache decoder_cache(const Config& config, const Trace& trace) {
  return {config.flag({"use_cache"}, true) || is_decode_step(trace), trace.pass().past, {}};
}

Tensor shared_embedding(Trace& trace, std::int64_t rows, std::int64_t width,
                        std::string_view type) {
  Uncalled uncalled(trace);
  Module self(trace, "shared", type, Module::Kind::kPrimitive);
  return trace.parameter({rows, width});
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
    out.keys = trace.tensor(out.keys.dtype, out.keys.size);
    out.values = trace.tensor(out.values.dtype, out.values.size);
    return out;
  }
  const Cache empty{cache.used, 0, {}};
  (is_cross ? empty : cache).update(out.keys, out.values);
  return out;
}

}  // namespace wattree
