#include "src/facts/hardware/fleet.h"

#include <algorithm>
#include <charconv>

#include "src/base/text.h"

namespace wattree {
namespace {

constexpr int kMaxCount = 1'000'000;

// Takes "4x" off the front; leaves the text alone where there is no such thing.
Result<int> take_count(std::string_view& text) {
  int count = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end == text.data()) return 1;
  std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  constexpr std::string_view kTimes = "×";
  if (rest.starts_with(kTimes)) {
    rest.remove_prefix(kTimes.size());
  } else if (rest.starts_with('x') || rest.starts_with('X') || rest.starts_with('*')) {
    rest.remove_prefix(1);
  } else {
    return 1;  // The name itself begins with a digit.
  }
  if (status != std::errc() || count < 1 || count > kMaxCount) {
    return Error{ErrorCode::kInvalidInput,
                 "the number of devices in \"" + std::string(text) + "\" must be between 1 and " +
                     std::to_string(kMaxCount),
                 ""};
  }
  text = trimmed(rest);
  return count;
}

}  // namespace

Result<Fleet> parse_fleet(std::string_view text, std::span<const Device> devices) {
  Fleet fleet;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = trimmed(text.substr(0, comma));
    if (part.empty()) {
      return Error{ErrorCode::kInvalidInput, "a hardware name is missing",
                   "write it as \"4xT4\" or \"4xT4,2xEPYC 7742\""};
    }
    const Result<int> count = take_count(part);
    if (!count.ok()) return count.error();
    Result<Device> device = find_device(part, devices);
    if (!device.ok()) return device.error();
    fleet.push_back({std::move(device).value(), count.value()});
    if (comma == text.size()) return fleet;
    text.remove_prefix(comma + 1);
  }
}

std::string to_string(const Fleet& fleet) {
  std::vector<std::string> parts;
  for (const DeviceCount& entry : fleet) {
    parts.push_back(std::to_string(entry.count) + " × " + entry.device.name);
  }
  return join(parts);
}

}  // namespace wattree
