#include "src/runs/profile/codecarbon_row.h"

#include <cmath>

#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/facts/carbon/region.h"

namespace wattree {
namespace {

constexpr std::string_view kTimes = " x ";
constexpr int kMostDigits = 3;  // Of the number of cards of a model.
constexpr std::size_t kMostModels = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits that `text` ends in, at most three of them.
int digits_at_end(std::string_view text) {
  int out = 0;
  while (out < kMostDigits && static_cast<std::size_t>(out) < text.size() &&
         is_digit(text[text.size() - 1 - static_cast<std::size_t>(out)])) {
    ++out;
  }
  return out;
}

// Reads "4 x NVIDIA A401 x NVIDIA A100" from the left: after a count, the name goes on to the next
// " x ", whose count may be one, two or three of the digits before it. `missing` cards are to be
// found in all; empty where that cannot be.
std::vector<HardwareEntry> split_models(std::string_view text, int missing, std::size_t depth) {
  const std::size_t times = text.find(kTimes);
  if (depth > kMostModels || times == std::string_view::npos || times == 0 || times > kMostDigits) {
    return {};
  }
  int count = 0;
  for (const char c : text.substr(0, times)) {
    if (!is_digit(c)) return {};
    count = count * 10 + (c - '0');
  }
  if (count < 1 || count > missing) return {};
  const std::string_view rest = text.substr(times + kTimes.size());
  const std::size_t next = rest.find(kTimes);
  if (next == std::string_view::npos) {
    if (count != missing || trimmed(rest).empty()) return {};
    return {{DeviceKind::kGpu, std::string(trimmed(rest)), count}};
  }
  for (int digits = 1; digits <= digits_at_end(rest.substr(0, next)); ++digits) {
    const std::size_t end = next - static_cast<std::size_t>(digits);
    // Some versions write a comma or a semicolon between them.
    std::string_view name = trimmed(rest.substr(0, end));
    while (!name.empty() && (name.back() == ',' || name.back() == ';')) name.remove_suffix(1);
    if (name.empty()) continue;
    std::vector<HardwareEntry> others = split_models(rest.substr(end), missing - count, depth + 1);
    if (others.empty()) continue;
    others.insert(others.begin(), HardwareEntry{DeviceKind::kGpu, std::string(name), count});
    return others;
  }
  return {};
}

std::string with_comma(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

}  // namespace

std::string CodeCarbonRow::text(std::string_view column) const {
  const std::optional<std::size_t> index = csv_.column(column);
  return index ? std::string(trimmed(csv_.row()[*index])) : "";
}

std::optional<double> CodeCarbonRow::number(std::string_view column, double low, double high) {
  const std::string field = text(column);
  if (field.empty()) return std::nullopt;
  const std::optional<double> value = parse_number(field);
  if (value && *value >= low && *value <= high) return value;
  if (!failure_) {
    failure_ = csv_.error("column " + std::string(column) + ": " + in_quotes(field) +
                          (value ? " is out of range" : " is not a number"));
  }
  return std::nullopt;
}

std::vector<HardwareEntry> hardware_of(CodeCarbonRow& row, std::vector<std::string>& notes) {
  std::vector<HardwareEntry> out;
  const std::string gpus = row.text("gpu_model");
  const int cards = static_cast<int>(std::lround(row.number("gpu_count", 0, 1e6).value_or(1)));
  if (!gpus.empty() && cards > 0) {
    out = split_models(gpus, cards, 0);
    if (out.empty()) {
      out.push_back({DeviceKind::kGpu, gpus, cards});
      if (gpus.find(kTimes) != std::string::npos) {
        notes.push_back(in_quotes(gpus) + " is kept as the name of one model: it does not list " +
                        std::to_string(cards) + " cards");
      }
    }
  }
  // cpu_count counts threads, and the file does not say how many processors they are of.
  if (const std::string cpu = row.text("cpu_model"); !cpu.empty()) {
    out.push_back({DeviceKind::kCpu, cpu, 1});
  }
  return out;
}

CodeCarbonPlace place_of(const CodeCarbonRow& row) {
  const std::string provider = row.text("cloud_provider"), zone = row.text("cloud_region");
  const std::string code = row.text("country_iso_code"), part = row.text("region");
  const std::string written = with_comma(part, row.text("country_name"));
  CodeCarbonPlace out;
  if (!provider.empty() && !zone.empty()) {
    out.location = provider + " " + zone;
    if (const auto found = find_region(provider + ":" + zone, RegionKind::kCloudRegion);
        found.ok()) {
      out.region = found.value().code;
      return out;
    }
  }
  if (!part.empty() && (code == "USA" || code == "CAN")) {
    const RegionKind kind = code == "USA" ? RegionKind::kUsState : RegionKind::kCaProvince;
    if (const auto found = find_region(part, kind); found.ok()) return {found.value().code, "", ""};
  }
  if (out.location.empty()) out.location = written;
  if (out.location.empty() && code.empty()) return out;
  if (const auto found = find_region(code, RegionKind::kCountry); !code.empty() && found.ok()) {
    out.region = found.value().code;
    return out;
  }
  if (out.location.empty()) out.location = code;
  out.note = in_quotes(out.location) + " is no region of `wattree regions`: it is kept as written";
  return out;
}

}  // namespace wattree
