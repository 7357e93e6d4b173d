#include "src/measure/meter/rapl_text.h"

#include <array>
#include <charconv>

#include "src/base/text.h"
#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<ZoneId> parse_zone_id(std::string_view folder) {
  ZoneId out;
  if (take_prefix(folder, "intel-rapl-mmio:")) {
    out.is_mmio = true;
  } else if (!take_prefix(folder, "intel-rapl:")) {
    return std::nullopt;
  }
  if (!take_number(folder, out.zone)) return std::nullopt;
  while (!folder.empty()) {
    std::uint64_t ignored = 0;
    if (!take_prefix(folder, ":") || !take_number(folder, ignored)) return std::nullopt;
    out.is_subzone = true;
  }
  return out;
}

std::optional<ZoneName> parse_zone_name(std::string_view text) {
  text = trimmed(text);
  ZoneName out;
  if (take_prefix(text, "package-")) {
    if (!take_number(text, out.package)) return std::nullopt;
    if (take_prefix(text, "-die-")) {
      std::uint64_t die = 0;
      if (!take_number(text, die)) return std::nullopt;
      out.die = die;
    }
    if (!text.empty()) return std::nullopt;
    return out;
  }
  // "psys-1" and the like: newer kernels number what there is more than one of.
  if (text == "core") {
    out.domain = RaplDomain::kCore;
  } else if (text == "uncore") {
    out.domain = RaplDomain::kUncore;
  } else if (text == "dram") {
    out.domain = RaplDomain::kDram;
  } else if (text == "psys" || text.starts_with("psys-")) {
    out.domain = RaplDomain::kPlatform;
  } else {
    return std::nullopt;
  }
  return out;
}

std::optional<std::uint64_t> parse_microjoules(std::string_view text) {
  text = trimmed(text);
  std::uint64_t out = 0;
  if (!take_number(text, out) || !text.empty()) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> parse_perf_event(std::string_view text) {
  text = trimmed(text);
  if (!take_prefix(text, "event=")) return std::nullopt;
  const int base = take_prefix(text, "0x") ? 16 : 10;
  std::uint64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, out, base);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return out;
}

std::optional<RaplDomain> parse_perf_domain(std::string_view file) {
  if (file == "energy-pkg") return RaplDomain::kPackage;
  if (file == "energy-cores") return RaplDomain::kCore;
  if (file == "energy-gpu") return RaplDomain::kUncore;
  if (file == "energy-ram") return RaplDomain::kDram;
  if (file == "energy-psys") return RaplDomain::kPlatform;
  return std::nullopt;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text, std::size_t limit) {
  text = trimmed(text);
  std::vector<int> out;
  while (!text.empty()) {
    std::uint64_t first = 0;
    if (!take_number(text, first) || first >= limit) return std::nullopt;
    std::uint64_t last = first;
    if (take_prefix(text, "-") && (!take_number(text, last) || last >= limit || last < first)) {
      return std::nullopt;
    }
    if (out.size() + (last - first) >= limit) return std::nullopt;
    for (std::uint64_t cpu = first; cpu <= last; ++cpu) out.push_back(static_cast<int>(cpu));
    if (!text.empty() && (!take_prefix(text, ",") || text.empty())) return std::nullopt;
  }
  return out;
}

std::string_view name_of(RaplDomain domain) {
  switch (domain) {
    case RaplDomain::kPackage: return "package";
    case RaplDomain::kCore: return "core";
    case RaplDomain::kUncore: return "uncore";
    case RaplDomain::kDram: return "dram";
    case RaplDomain::kPlatform: return "psys";
  }
  return "";
}

}  // namespace wattree
