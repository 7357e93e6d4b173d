#include "src/base/utc_time.h"

#include <cstdint>
#include <cstdio>

namespace wattree {
namespace {

// Takes exactly `digits` digits and the separator after them off the text.
bool take(std::string_view& text, std::size_t digits, std::string_view separator, int& value) {
  if (text.size() < digits + separator.size()) return false;
  value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return false;
    value = 10 * value + (c - '0');
  }
  if (text.substr(digits, separator.size()) != separator) return false;
  text.remove_prefix(digits + separator.size());
  return true;
}

}  // namespace

std::optional<UtcTime> parse_utc(std::string_view text) {
  using namespace std::chrono;
  int year_number = 0, month_number = 0, day_number = 0, hour = 0, minute = 0, second = 0;
  if (!take(text, 4, "-", year_number) || !take(text, 2, "-", month_number) ||
      !take(text, 2, "T", day_number) || !take(text, 2, ":", hour) || !take(text, 2, ":", minute) ||
      !take(text, 2, "", second)) {
    return std::nullopt;
  }
  std::int64_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    std::int64_t unit = 100'000;
    const std::size_t length = text.find_first_not_of("0123456789");
    if (length == 0 || length == std::string_view::npos) return std::nullopt;
    for (const char c : text.substr(0, length)) {  // Beyond a microsecond is cut off.
      fraction += unit * (c - '0');
      unit /= 10;
    }
    text.remove_prefix(length);
  }
  const year_month_day date{year{year_number}, month{static_cast<unsigned>(month_number)},
                            day{static_cast<unsigned>(day_number)}};
  if ((text != "Z" && text != "+00:00") || !date.ok() || hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  return UtcTime(sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) +
         microseconds(fraction);
}

std::string to_string(UtcTime time) {
  using namespace std::chrono;
  const sys_days date = floor<days>(time);
  const year_month_day day(date);
  const hh_mm_ss clock(time - date);
  char buffer[64];
  int length = std::snprintf(
      buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(day.year()),
      static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string out(buffer, static_cast<std::size_t>(length));
  if (const std::int64_t fraction = clock.subseconds().count(); fraction != 0) {
    length = std::snprintf(buffer, sizeof buffer, ".%06d", static_cast<int>(fraction));
    out.append(buffer, static_cast<std::size_t>(length));
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out + "Z";
}

}  // namespace wattree
