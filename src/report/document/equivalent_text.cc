#include "src/report/document/equivalent_text.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string_view>

namespace wattree {
namespace {

constexpr double kLeastShare = 0.01;

struct SmallerUnit {
  std::string_view unit, smaller;
  double of_it;
};
constexpr std::array<SmallerUnit, 6> kSmaller{{{"km", "m", 1000},
                                               {"m", "mm", 1000},
                                               {"litre", "ml", 1000},
                                               {"day", "h", 24},
                                               {"h", "min", 60},
                                               {"min", "s", 60}}};

std::string amount_text(double number, std::string_view unit) {
  if (unit.empty()) return fmt::format("{:.3g} ×", number);
  for (const SmallerUnit& step : kSmaller) {
    if (step.unit == unit && number < 1) {
      number *= step.of_it;
      unit = step.smaller;
    }
  }
  const bool is_word = unit == "litre" || unit == "day";
  const std::string digits =
      number < 1000 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
  return fmt::format("{} {}{}", digits, unit, is_word && digits != "1" ? "s" : "");
}

}  // namespace

std::string ShownEquivalent::source() const {
  const std::string year = std::to_string(equivalent->year);
  const std::string& source = equivalent->source;
  return source.find(year) == std::string::npos ? source + " (" + year + ")" : source;
}

std::vector<ShownEquivalent> shown_equivalents(GramsCo2e emission, Joules energy) {
  std::vector<ShownEquivalent> out;
  for (const Equivalent& equivalent : bundled_equivalents()) {
    const double number = times(emission, energy, equivalent);
    if (!(number > 0) || (equivalent.unit.empty() && number < kLeastShare)) continue;
    out.push_back({amount_text(number, equivalent.unit), &equivalent});
  }
  return out;
}

std::string to_text(const ShownEquivalent& shown) {
  std::string item = shown.equivalent->item;
  if (shown.equivalent->unit.empty()) return shown.amount + " " + item;
  item.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(item.front())));
  return shown.amount + " of " + item;
}

}  // namespace wattree
