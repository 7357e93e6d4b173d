// Any bytes as a dataset that somebody sends: an error with a message, or trees whose JSON is
// written, each with what was measured as it was sent.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/api/learn/measured_trees.h"

namespace {

using namespace wattree;

Services offline() {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.hub.offline = true;
  out.hub.cache.clear();
  out.predictors.clear();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Services services = offline();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = measured_trees({{"h200", "", ""}, text}, services);
  if (!answer.ok()) {
    if (answer.error().message.empty()) __builtin_trap();
    return 0;
  }
  if (answer.value().trees.empty() || to_json(answer.value(), 0).empty()) __builtin_trap();
  return 0;
}
