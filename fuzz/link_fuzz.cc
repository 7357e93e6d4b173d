// Any bytes as the address of a tracker elsewhere, and as what answers there: an address leads to a
// host by HTTP alone, and answers are records or errors.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/api/runs/linked_tracker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<LinkAddress> address = parse_link_address(text);
  if (address.ok()) {
    const std::string& origin = address.value().origin;
    if (!origin.starts_with("http://") && !origin.starts_with("https://")) __builtin_trap();
    if (origin.find_first_of("@?#\r\n ") != std::string::npos) __builtin_trap();
    // What is read is written as it would be typed.
    const Result<LinkAddress> again = parse_link_address(origin + address.value().run);
    if (!again.ok() || again.value().origin != origin) __builtin_trap();
  }
  (void)EnergyVisRecords::begin(text, "http://fuzz", Nanos{});
  EnergyVisRecords records;
  for (int i = 0; i < 2; ++i) {
    const Result<std::vector<Record>> taken = records.take(text, Nanos{});
    if (!taken.ok() && taken.error().message.empty()) __builtin_trap();
    // Epochs that were heard are not told again: totals alone are.
    if (taken.ok() && i == 1 && taken.value().size() != 1) __builtin_trap();
  }
  return 0;
}
