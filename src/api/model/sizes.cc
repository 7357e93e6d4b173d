#include "src/api/model/sizes.h"

#include <charconv>
#include <optional>
#include <string>

#include "src/predict/estimate/sweep.h"

namespace wattree {
namespace {

// Takes the number that `text` begins with.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool is_digit(std::string_view text) { return text.find_first_of("0123456789") == 0; }

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<std::vector<std::int64_t>> parse_sizes(std::string_view field, std::string_view text) {
  const auto bad = [&, whole = std::string(text)](std::string_view why) {
    return Error{ErrorCode::kInvalidInput,
                 "<" + std::string(field) + "> \"" + whole + "\": " + std::string(why),
                 "give a number, a list (8,16) or a range (32:256:32: from, to, step)",
                 std::string(field)};
  };
  std::vector<std::int64_t> out;
  do {
    const auto from = take_number(text);
    if (!from) return bad(is_digit(text) ? "the number is too large" : "a number is expected");
    if (!take(text, ':')) {
      out.push_back(*from);
      continue;
    }
    const auto to = take_number(text);
    if (!to || !take(text, ':')) return bad("a range has three numbers");
    const auto step = take_number(text);
    if (!step || *step < 1) return bad("the step must be 1 or more");
    if (*from < 0 || *to < *from) return bad("the range must rise");
    if (static_cast<std::size_t>((*to - *from) / *step) >= kMostSizes) {
      return bad("more than " + std::to_string(kMostSizes) + " sizes");
    }
    for (std::int64_t size = *from; size <= *to; size += *step) {
      out.push_back(size);
      if (*to - size < *step) break;  // The next one might not fit in 64 bits.
    }
  } while (take(text, ','));
  if (!text.empty()) return bad("\"" + std::string(text) + "\" is not understood");
  if (out.size() > kMostSizes) return bad("more than " + std::to_string(kMostSizes) + " sizes");
  return out;
}

}  // namespace wattree
