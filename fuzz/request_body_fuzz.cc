// Any bytes as a body: what is taken for an object is written and read back as the same object.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "src/server/routes/request_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const Result<nlohmann::json> parsed = parse_body({reinterpret_cast<const char*>(data), size});
  if (!parsed.ok()) {
    if (parsed.error().message.empty()) __builtin_trap();
    return 0;
  }
  if (!parsed.value().is_object()) __builtin_trap();
  const Result<nlohmann::json> again = parse_body(parsed.value().dump());
  if (!again.ok() || again.value() != parsed.value()) __builtin_trap();
  return 0;
}
