#include "src/measure/meter/rapl.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <set>
#include <string>

#include "src/base/folder_entries.h"
#include "src/measure/meter/rapl_text.h"
#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// No socket or board draws this much: a counter that says so was reset or has jumped.
// It also decides how long a counter of 65 kJ may go unread (33 s) before a turn could be missed.
constexpr double kMostPackageWatts = 2'000.0;

Sample read_powercap(SmallFile& file) noexcept {
  std::array<char, 64> buffer;
  const FileText got = file.read(buffer.data(), buffer.size());
  if (got.absence != Absence::kNone) return {0, 0.0, got.absence};
  const std::optional<std::uint64_t> energy = parse_microjoules(got.text);
  return energy ? Sample{*energy, 0.0, Absence::kNone} : Sample{0, 0.0, Absence::kUnreadable};
}

Sample read_event(int descriptor) noexcept {
  std::uint64_t count = 0;
  ssize_t got = 0;
  do {
    got = ::read(descriptor, &count, sizeof count);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof count) return {count, 0.0, Absence::kNone};
  return {0, 0.0, got < 0 ? absence_of_errno(errno) : Absence::kLost};
}

class PowercapMeter final : public Meter {
 public:
  PowercapMeter(Description description, SmallFile file)
      : Meter(std::move(description)), file_(std::move(file)) {}
  Sample read() noexcept override { return read_powercap(file_); }

 private:
  SmallFile file_;
};

class PerfMeter final : public Meter {
 public:
  PerfMeter(Description description, int descriptor)
      : Meter(std::move(description)), descriptor_(descriptor) {}
  ~PerfMeter() override { ::close(descriptor_); }
  Sample read() noexcept override { return read_event(descriptor_); }

 private:
  int descriptor_;
};

struct Zone {
  fs::path folder;
  ZoneId id;
  ZoneName name;
  std::uint64_t range_uj = 0;
};

std::string meter_name(const ZoneName& name) {
  if (name.domain == RaplDomain::kPlatform) return "platform.psys";
  std::string out = "cpu" + std::to_string(name.package);
  if (name.die) out += ".die" + std::to_string(*name.die);
  return out + "." + std::string(name_of(name.domain));
}

std::string_view covers(RaplDomain domain) {
  switch (domain) {
    case RaplDomain::kPackage: return "the CPU package: cores, caches, memory controller; not DRAM";
    case RaplDomain::kCore: return "the cores of the package (AMD: of its first core alone)";
    case RaplDomain::kUncore: return "the package's integrated graphics";
    case RaplDomain::kDram: return "the memory modules of the package";
    case RaplDomain::kPlatform: return "the platform as its board was calibrated";
  }
  return "";
}

Description describe(const ZoneName& name) {
  Description out;
  out.name = meter_name(name);
  out.covers = covers(name.domain);
  out.kind = Kind::kCounter;
  out.unit = Unit::kJoule;
  out.component = name.domain == RaplDomain::kDram       ? Component::kDram
                  : name.domain == RaplDomain::kPlatform ? Component::kPlatform
                                                         : Component::kCpu;
  out.period = Seconds(1e-3);  // Intel's manual: about once a millisecond.
  out.most_per_second = kMostPackageWatts;
  return out;
}

// Marks what is counted, once it is known what there is.
void settle_counting(std::vector<Description>& found) {
  const auto has = [&](std::string_view part) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Description& d) { return d.name.ends_with(part); });
  };
  for (Description& d : found) {
    const bool is_dram = d.component == Component::kDram;
    if (d.name.ends_with(".package") || is_dram) {
      d.is_counted = true;
    } else if (d.component == Component::kPlatform) {
      d.is_counted = !has(".package") && !has(".dram");
      if (!d.is_counted) d.counted_by = "its packages and memory, counted singly";
    } else {
      const std::string package = d.name.substr(0, d.name.rfind('.')) + ".package";
      d.is_counted = !has(package);
      if (!d.is_counted) d.counted_by = package;
    }
  }
}

struct Powercap {
  std::vector<Zone> zones;
  bool is_hidden = false;  // Entries that lead nowhere: a container's runtime has covered them.
};

Powercap list_zones(const fs::path& sys) {
  Powercap out;
  const Result<std::vector<fs::path>> entries = folder_entries(sys / "class/powercap");
  if (!entries.ok()) return out;
  for (const fs::path& entry : entries.value()) {
    const std::optional<ZoneId> id = parse_zone_id(entry.filename().string());
    if (!id) continue;
    std::error_code ignored;
    if (!fs::exists(entry, ignored)) out.is_hidden = true;
    const std::optional<ZoneName> name = parse_zone_name(read_small(entry / "name"));
    const auto range = parse_microjoules(read_small(entry / "max_energy_range_uj"));
    if (name) out.zones.push_back({entry, *id, *name, range.value_or(0)});
  }
  // The zones of the MSRs come first, then their repetitions.
  std::sort(out.zones.begin(), out.zones.end(), [](const Zone& a, const Zone& b) {
    return std::pair(a.id.is_mmio, a.folder.filename()) <
           std::pair(b.id.is_mmio, b.folder.filename());
  });
  // A zone inside another is of that one's package.
  for (Zone& zone : out.zones) {
    if (!zone.id.is_subzone) continue;
    const auto parent = std::find_if(out.zones.begin(), out.zones.end(), [&](const Zone& other) {
      return !other.id.is_subzone && other.id.zone == zone.id.zone &&
             other.id.is_mmio == zone.id.is_mmio && other.name.domain == RaplDomain::kPackage;
    });
    if (parent != out.zones.end()) {
      zone.name.package = parent->name.package;
      zone.name.die = parent->name.die;
    }
  }
  // Several ways to one counter: the first is kept.
  std::vector<std::string> seen;
  std::erase_if(out.zones, [&](const Zone& zone) {
    const std::string name = meter_name(zone.name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return true;
    seen.push_back(name);
    return false;
  });
  return out;
}

// A counter that was opened, before it is known what it overlaps with.
struct Opened {
  std::vector<Description> descriptions;
  std::vector<SmallFile> files;
  std::vector<int> descriptors;
  std::vector<std::string> refused;  // Files there is no permission for.
};

void open_powercap(const Powercap& powercap, Opened& out) {
  for (const Zone& zone : powercap.zones) {
    const fs::path path = zone.folder / "energy_uj";
    SmallFile file(path);
    if (!file.is_open()) {
      if (file.absence() == Absence::kPermission) out.refused.push_back(path.string());
      continue;
    }
    Description description = describe(zone.name);
    description.device = read_small(zone.folder / "name");
    description.source = "RAPL";
    description.read_from = path.string();
    description.resolution = 1e-6;
    description.wrap = zone.range_uj;
    out.descriptions.push_back(std::move(description));
    out.files.push_back(std::move(file));
  }
}

double parse_scale(const std::string& text) {
  double scale = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), scale);
  return result.ec == std::errc() ? scale : 0.0;
}

bool is_amd(const fs::path& proc) {
  const std::string cpuinfo = read_small(proc / "cpuinfo");
  return cpuinfo.find("AuthenticAMD") != std::string::npos ||
         cpuinfo.find("HygonGenuine") != std::string::npos;
}

// Whose counter the event of one CPU is: a package's, or that of a die where one has several. AMD's
// counter is the package's, although older kernels have an event for every die of it.
ZoneName perf_zone(const RaplRoots& roots, int cpu) {
  ZoneName out;
  const fs::path topology =
      roots.sys / ("devices/system/cpu/cpu" + std::to_string(cpu)) / "topology";
  const auto number = [&](const char* file) {
    return parse_microjoules(read_small(topology / file));
  };
  out.package = number("physical_package_id").value_or(0);
  if (!is_amd(roots.proc)) out.die = number("die_id");
  return out;
}

// True where there are energy events but none could be opened for want of permission.
bool open_perf(const RaplRoots& roots, Opened& out) {
  const fs::path device = roots.sys / "bus/event_source/devices/power";
  const auto type = parse_microjoules(read_small(device / "type"));
  const auto cpus = parse_cpu_list(read_small(device / "cpumask"));
  if (!type || *type > UINT32_MAX || !cpus) return false;
  bool is_refused = false;
  std::vector<fs::path> events;
  if (const auto entries = folder_entries(device / "events"); entries.ok()) {
    for (const fs::path& entry : entries.value()) {
      if (parse_perf_domain(entry.filename().string())) events.push_back(entry);
    }
  }
  std::set<std::uint64_t> packages;
  for (const int cpu : *cpus) packages.insert(perf_zone(roots, cpu).package);
  const bool has_dies = packages.size() < cpus->size();
  for (const fs::path& event : events) {
    const auto config = parse_perf_event(read_small(event));
    const double scale = parse_scale(read_small(event.string() + ".scale"));
    if (!config || scale <= 0.0 || read_small(event.string() + ".unit") != "Joules") continue;
    for (const int cpu : *cpus) {
      const int descriptor = roots.open_event(static_cast<std::uint32_t>(*type), *config, cpu);
      if (descriptor < 0) {
        is_refused |= absence_of_errno(-descriptor) == Absence::kPermission;
        continue;
      }
      ZoneName name = perf_zone(roots, cpu);
      name.domain = *parse_perf_domain(event.filename().string());
      // As in powercap, dies are named where there are several.
      if (!has_dies) name.die.reset();
      Description description = describe(name);
      // Several ways to one counter: the first is kept.
      if (std::any_of(out.descriptions.begin(), out.descriptions.end(),
                      [&](const Description& d) { return d.name == description.name; })) {
        ::close(descriptor);
        continue;
      }
      description.device = "package-" + std::to_string(name.package);
      description.source = "RAPL";
      description.read_from = "perf event power/" + event.filename().string() + "/";
      description.resolution = scale;
      out.descriptions.push_back(std::move(description));
      out.descriptors.push_back(descriptor);
    }
  }
  return is_refused && out.descriptors.empty();
}

// Some hypervisors show counters that never move. A live one steps every millisecond; one that
// stands still would add a zero that nobody measured. Returns the names of those it takes out.
std::vector<std::string> drop_dead_counters(Opened& opened) {
  if (opened.descriptions.empty()) return {};  // Nobody waits for nothing.
  const auto read_all = [&] {
    std::vector<Sample> samples;
    for (SmallFile& file : opened.files) samples.push_back(read_powercap(file));
    for (const int descriptor : opened.descriptors) samples.push_back(read_event(descriptor));
    return samples;
  };
  const std::vector<Sample> before = read_all();
  ::usleep(20'000);
  const std::vector<Sample> after = read_all();
  std::vector<std::string> dead;
  for (std::size_t i = after.size(); i-- > 0;) {
    if (after[i].absence != Absence::kNone || after[i].count != before[i].count) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    dead.push_back(opened.descriptions[i].name);
    opened.descriptions.erase(opened.descriptions.begin() + at);
    if (!opened.files.empty()) {
      opened.files.erase(opened.files.begin() + at);
    } else {
      ::close(opened.descriptors[i]);
      opened.descriptors.erase(opened.descriptors.begin() + at);
    }
  }
  return dead;
}

bool is_virtual_machine(const fs::path& proc) {
  const std::string cpuinfo = read_small(proc / "cpuinfo");
  const std::size_t flags = cpuinfo.find("\nflags");
  if (flags == std::string::npos) return false;
  const std::string line =
      cpuinfo.substr(flags + 1, cpuinfo.find('\n', flags + 1) - flags - 1) + " ";
  return line.find(" hypervisor ") != std::string::npos;
}

bool is_x86(const fs::path& proc) {
  return is_amd(proc) || read_small(proc / "cpuinfo").find("GenuineIntel") != std::string::npos;
}

Obstacle explain(const RaplRoots& roots, const Powercap& powercap, const Opened& opened,
                 bool perf_is_refused) {
  Obstacle out{"energy of the CPU and its memory (RAPL)", "", ""};
  const std::string assume = "declare it: <assume> cpu=65W";
  if (!opened.refused.empty()) {
    out.why = opened.refused.front() +
              " may be read by root alone: since Linux 5.10 energy counters are kept from others, "
              "because "
              "they can leak secrets (PLATYPUS, CVE-2020-8694)";
    out.remedy = "sudo chmod o+r " +
                 (roots.sys / "class/powercap/intel-rapl:*/energy_uj").string() +
                 "   (until the next boot; every user of the machine can then read them)";
    if (perf_is_refused) {
      out.remedy +=
          "\nor: sudo setcap cap_perfmon=ep $(command -v wattree)   (for this program alone)";
    }
  } else if (powercap.is_hidden) {
    out.why =
        "the container's runtime hides /sys/devices/virtual/powercap (PLATYPUS, CVE-2020-8694)";
    out.remedy =
        "docker run -v /sys/devices/virtual/powercap:/sys/devices/virtual/powercap:ro …\n"
        "or run wattree on the host: its counters see containers too";
  } else if (perf_is_refused) {
    out.why = "the kernel's energy events are closed to this user (kernel.perf_event_paranoid is " +
              read_small(roots.proc / "sys/kernel/perf_event_paranoid") + ")";
    out.remedy =
        "sudo setcap cap_perfmon=ep $(command -v wattree)\nor: sudo sysctl "
        "kernel.perf_event_paranoid=0";
  } else if (is_virtual_machine(roots.proc)) {
    out.why = "this is a virtual machine, and its hypervisor does not pass the counters on";
    out.remedy = "measure on the host, or " + assume;
  } else if (!is_x86(roots.proc)) {
    out.why = "this processor is neither Intel's nor AMD's: it has no RAPL";
    out.remedy = assume;
  } else {
    out.why = "there is no zone in " + (roots.sys / "class/powercap").string() +
              ": the kernel's driver is not loaded, or does not know this processor";
    out.remedy = "sudo modprobe intel_rapl_msr   (Intel, and AMD since Linux 5.8)\nor " + assume;
  }
  return out;
}

}  // namespace

int open_perf_event(std::uint32_t type, std::uint64_t config, int cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  const long descriptor =
      ::syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return descriptor >= 0 ? static_cast<int>(descriptor) : -errno;
}

Found find_rapl_meters(const RaplRoots& roots) {
  Found out;
  Opened opened;
  const Powercap powercap = list_zones(roots.sys);
  open_powercap(powercap, opened);
  // Half of the zones readable is a machine set up by hand: what is readable is what was meant.
  const bool perf_is_refused = opened.files.empty() && open_perf(roots, opened);
  if (is_virtual_machine(roots.proc)) {
    for (const std::string& name : drop_dead_counters(opened)) {
      out.obstacles.push_back({name, "the hypervisor shows this counter, but it stands still",
                               "measure on the host, or declare it: <assume> cpu=65W"});
    }
  }
  if (opened.descriptions.empty()) {
    if (out.obstacles.empty()) {
      out.obstacles.push_back(explain(roots, powercap, opened, perf_is_refused));
    }
    return out;
  }
  settle_counting(opened.descriptions);
  const bool has_dram = std::any_of(
      opened.descriptions.begin(), opened.descriptions.end(),
      [](const Description& d) { return d.is_counted && d.component != Component::kCpu; });
  if (!has_dram && opened.refused.empty()) {
    out.obstacles.push_back({"energy of the memory", "this processor has no counter for it",
                             "declare it: <assume> dram=10W"});
  }
  for (std::size_t i = 0; i < opened.descriptions.size(); ++i) {
    Description& description = opened.descriptions[i];
    if (!opened.files.empty()) {
      out.meters.push_back(
          std::make_unique<PowercapMeter>(std::move(description), std::move(opened.files[i])));
    } else {
      out.meters.push_back(
          std::make_unique<PerfMeter>(std::move(description), opened.descriptors[i]));
    }
  }
  for (const std::string& path : opened.refused) {
    if (opened.files.empty()) break;  // Everything comes from perf: nothing is missing.
    out.obstacles.push_back(
        {"the RAPL zone of " + path, "it may not be read", "sudo chmod o+r " + path});
  }
  return out;
}

}  // namespace wattree
