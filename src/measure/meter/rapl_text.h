// What the files and names of RAPL (running average power limit) say: powercap zones in
// /sys/class/powercap and events in /sys/bus/event_source/devices/power. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wattree {

// A folder's name, "intel-rapl:0:1": the control type, the zone and the zone inside it.
struct ZoneId {
  bool is_mmio = false;    // "intel-rapl-mmio": the same counters by another way.
  std::uint64_t zone = 0;  // The number says nothing about which package it is.
  bool is_subzone = false;
};
std::optional<ZoneId> parse_zone_id(std::string_view folder);

enum class RaplDomain { kPackage, kCore, kUncore, kDram, kPlatform };
// The text of a zone's file `name`: "package-1", "package-0-die-1", "core", "dram", "psys".
struct ZoneName {
  RaplDomain domain = RaplDomain::kPackage;
  std::uint64_t package = 0;
  std::optional<std::uint64_t> die;
};
std::optional<ZoneName> parse_zone_name(std::string_view text);

// The text of energy_uj or max_energy_range_uj.
std::optional<std::uint64_t> parse_microjoules(std::string_view text);

// "event=0x02" as the number perf_event_open() takes.
std::optional<std::uint64_t> parse_perf_event(std::string_view text);
// "energy-pkg"
std::optional<RaplDomain> parse_perf_domain(std::string_view file);
// "0,18-19": at most `limit` CPUs; nothing where the text is no such list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text, std::size_t limit = 4096);

std::string_view name_of(RaplDomain domain);

}  // namespace wattree
