// Instants as people and files write them: ISO 8601 in UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace wattree {

using UtcTime = std::chrono::sys_time<std::chrono::microseconds>;

// "2026-05-01T12:00:00Z", with as many decimals of a second as there are. Absent where the text is
// anything else, has another offset than Z or +00:00, or names a day that does not exist.
std::optional<UtcTime> parse_utc(std::string_view text);
std::string to_string(UtcTime time);

}  // namespace wattree
