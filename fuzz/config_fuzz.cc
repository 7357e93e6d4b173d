// Any bytes as a config.json, with a small pass: an error or a tree, never a crash, and never more
// than so many nodes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/models/families/family.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  if (size < 2) return 0;
  BuildRequest request;
  request.pass.max_nodes = 5'000;
  // The first byte chooses the pass, the rest is the file.
  request.pass.batch = 1 + (data[0] & 3);
  request.pass.past = (data[0] & 4) != 0 ? 9 : 0;
  request.pass.seq = request.pass.target_len = request.pass.past > 0 ? 1 : 7;
  request.pass.source = 7;
  request.pass.attention = (data[0] & 8) != 0 ? Attention::kEager : Attention::kSdpa;
  request.pass.precision = (data[0] & 16) != 0 ? Precision::kBf16 : Precision::kFp32;
  Result<Config> config =
      Config::parse({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz");
  if (!config.ok()) return 0;
  const Result<BuiltTree> built = build_tree(config.value(), request);
  if (built.ok() && built.value().tree.nodes().empty()) __builtin_trap();
  return 0;
}
