// The trees that benchmarks work on.
#pragma once

#include <string>

#include "src/models/families/family.h"

namespace wattree {

inline ModelTree build(const std::string& json, std::int64_t batch, std::int64_t seq) {
  Result<Config> config = Config::parse(json, "bench");
  BuildRequest request;
  request.pass.batch = batch;
  request.pass.seq = seq;
  Result<BuiltTree> built = build_tree(config.value(), request);
  return std::move(std::move(built).value().tree);
}

}  // namespace wattree
