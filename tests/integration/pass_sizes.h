// Sizes of a pass, for tests that go through many of them.
#pragma once

#include <cstdint>

#include "src/models/families/family.h"

namespace wattree {

struct Size {
  std::int64_t batch, seq, past;
};

inline BuildRequest request_of(const Size& size, Precision precision, Attention attention) {
  BuildRequest request;
  request.pass.batch = size.batch;
  request.pass.seq = request.pass.target_len = request.pass.source = size.seq;
  request.pass.past = size.past;
  request.pass.precision = precision;
  request.pass.attention = attention;
  return request;
}

}  // namespace wattree
