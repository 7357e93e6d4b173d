#include "src/measure/meter/proc.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <thread>

#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

double ticks_per_second() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? static_cast<double>(ticks) : 100.0;
}

std::uint64_t page_size() {
  const long size = ::sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<std::uint64_t>(size) : 4096;
}

Sample absent(Absence why) { return {0, 0.0, why}; }

// "Name:   1234 kB" as bytes.
bool take_kilobytes(std::string_view line, std::string_view name, std::uint64_t& bytes) {
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  std::uint64_t kilobytes = 0;
  if (!take_number(line, kilobytes) || kilobytes > (std::uint64_t{1} << 53)) return false;
  bytes = kilobytes * 1024;
  return true;
}

class HostCpu final : public Meter {
 public:
  HostCpu(Description description, SmallFile file)
      : Meter(std::move(description)), file_(std::move(file)) {}
  Sample read() noexcept override {
    // Only the first line is of interest; on machines with many CPUs the rest is long.
    std::array<char, 512> buffer;
    const FileText got = file_.read(buffer.data(), buffer.size());
    if (got.absence != Absence::kNone) return absent(got.absence);
    const std::optional<CpuTimes> times = parse_cpu_times(got.text);
    return times ? Sample{times->busy, 0.0, Absence::kNone} : absent(Absence::kUnreadable);
  }

 private:
  SmallFile file_;
};

class HostMemory final : public Meter {
 public:
  HostMemory(Description description, SmallFile file)
      : Meter(std::move(description)), file_(std::move(file)) {}
  Sample read() noexcept override {
    std::array<char, 4096> buffer;
    const FileText got = file_.read(buffer.data(), buffer.size());
    if (got.absence != Absence::kNone) return absent(got.absence);
    const std::optional<MemoryInfo> memory = parse_memory_info(got.text);
    if (!memory) return absent(Absence::kUnreadable);
    const auto total = static_cast<double>(memory->total_bytes);
    return {0, 100.0 * (total - static_cast<double>(memory->available_bytes)) / total,
            Absence::kNone};
  }

 private:
  SmallFile file_;
};

class ProcessCpu final : public Meter {
 public:
  ProcessCpu(Description description, SmallFile file, std::uint64_t start_ticks)
      : Meter(std::move(description)), file_(std::move(file)), start_ticks_(start_ticks) {}
  Sample read() noexcept override {
    std::array<char, 2048> buffer;
    const FileText got = file_.read(buffer.data(), buffer.size());
    if (got.absence != Absence::kNone) return absent(got.absence);
    const std::optional<ProcessTimes> times = parse_process_times(got.text);
    if (!times) return absent(Absence::kUnreadable);
    if (times->start_ticks != start_ticks_) return absent(Absence::kLost);
    return {times->own_ticks + times->children_ticks, 0.0, Absence::kNone};
  }

 private:
  SmallFile file_;
  std::uint64_t start_ticks_;
};

class ProcessMemory final : public Meter {
 public:
  ProcessMemory(Description description, SmallFile file, bool is_rollup)
      : Meter(std::move(description)),
        file_(std::move(file)),
        is_rollup_(is_rollup),
        page_(page_size()) {}
  Sample read() noexcept override {
    std::array<char, 2048> buffer;
    const FileText got = file_.read(buffer.data(), buffer.size());
    if (got.absence != Absence::kNone) return absent(got.absence);
    // Of a process that has ended but has not been waited for, the text is empty.
    if (got.text.empty()) return absent(Absence::kLost);
    const std::optional<std::uint64_t> bytes =
        is_rollup_ ? parse_proportional_memory(got.text) : parse_resident_memory(got.text, page_);
    if (!bytes) return absent(Absence::kUnreadable);
    return {0, static_cast<double>(*bytes), Absence::kNone};
  }

 private:
  SmallFile file_;
  bool is_rollup_;
  std::uint64_t page_;
};

Description cpu_time(std::string name, std::string device, const fs::path& read_from, double most) {
  Description out;
  out.name = std::move(name);
  out.device = std::move(device);
  out.source = "/proc";
  out.read_from = read_from.string();
  out.kind = Kind::kCounter;
  out.unit = Unit::kSecond;
  out.signal = Signal::kUse;
  out.component = Component::kCpu;
  out.resolution = 1.0 / ticks_per_second();
  out.period = Seconds(out.resolution);
  // The kernel adds in ticks, so that a short interval may seem to hold more than there was.
  out.most_per_second = 2.0 * most;
  return out;
}

Obstacle unreadable(std::string what, const fs::path& path, Absence absence) {
  return {std::move(what), path.string() + ": " + std::string(name_of(absence)),
          absence == Absence::kPermission
              ? "run as the owner of the process, or as root (the mount option hidepid hides "
                "processes of others)"
              : "mount proc at its usual place"};
}

}  // namespace

std::optional<CpuTimes> parse_cpu_times(std::string_view stat) {
  std::string_view line;
  if (!take_line(stat, line) || take_word(line) != "cpu") return std::nullopt;
  // user nice system idle iowait irq softirq steal guest guest_nice; old kernels write fewer.
  std::array<std::uint64_t, 8> ticks{};
  std::size_t fields = 0;
  while (fields < ticks.size() && take_number(line, ticks[fields])) ++fields;
  if (fields < 4) return std::nullopt;
  for (const std::uint64_t n : ticks) {
    if (n > (std::uint64_t{1} << 56)) return std::nullopt;
  }
  CpuTimes out;
  out.busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  out.total = out.busy + ticks[3] + ticks[4] + ticks[7];
  return out;
}

std::optional<MemoryInfo> parse_memory_info(std::string_view meminfo) {
  MemoryInfo out;
  std::uint64_t free = 0, buffers = 0, cached = 0;
  bool has_total = false, has_available = false, has_free = false;
  std::string_view line;
  while (take_line(meminfo, line)) {
    has_total |= take_kilobytes(line, "MemTotal:", out.total_bytes);
    has_available |= take_kilobytes(line, "MemAvailable:", out.available_bytes);
    has_free |= take_kilobytes(line, "MemFree:", free);
    take_kilobytes(line, "Buffers:", buffers);
    take_kilobytes(line, "Cached:", cached);
  }
  // Kernels before 3.14 leave the estimate of what could be had to the reader.
  if (!has_available && has_free) out.available_bytes = free + buffers + cached;
  if (!has_total || (!has_available && !has_free) || out.total_bytes == 0) return std::nullopt;
  out.available_bytes = std::min(out.available_bytes, out.total_bytes);
  return out;
}

std::optional<ProcessTimes> parse_process_times(std::string_view stat) {
  // "PID (name) state ppid …": the name may hold blanks and brackets, so count from its last ')'.
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(end + 1);
  if (take_word(stat).empty()) return std::nullopt;  // Field 3, state.
  ProcessTimes out;
  for (int field = 4; field <= 22; ++field) {
    std::string_view word = take_word(stat);
    std::uint64_t number = 0;
    const bool is_number = take_number(word, number) && word.empty();
    const bool is_wanted = field == 4 || (field >= 14 && field <= 17) || field == 22;
    // Other fields may be negative.
    if (is_wanted && (!is_number || number > (std::uint64_t{1} << 60))) return std::nullopt;
    switch (field) {
      case 4: out.parent = number; break;
      case 14: [[fallthrough]];
      case 15: out.own_ticks += number; break;
      case 16: [[fallthrough]];
      case 17: out.children_ticks += number; break;
      case 22: out.start_ticks = number; break;
      default: break;
    }
  }
  return out;
}

std::optional<std::uint64_t> parse_proportional_memory(std::string_view smaps_rollup) {
  std::string_view line;
  std::uint64_t bytes = 0;
  while (take_line(smaps_rollup, line)) {
    if (take_kilobytes(line, "Pss:", bytes)) return bytes;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_resident_memory(std::string_view statm, std::uint64_t page) {
  std::uint64_t size = 0, resident = 0;
  if (!take_number(statm, size) || !take_number(statm, resident)) return std::nullopt;
  if (resident > (std::uint64_t{1} << 44)) return std::nullopt;
  return resident * page;
}

unsigned count_cpus(const fs::path& proc_root) {
  const std::string text = read_small(proc_root / "stat");
  std::string_view rest(text), line;
  unsigned cpus = 0;
  while (take_line(rest, line)) {
    if (line.starts_with("cpu") && line.size() > 3 && line[3] >= '0' && line[3] <= '9') ++cpus;
  }
  return std::max(cpus, 1U);
}

Found find_host_meters(const fs::path& proc_root) {
  Found out;
  const unsigned cpus = count_cpus(proc_root);
  const fs::path stat = proc_root / "stat";
  if (SmallFile file(stat); file.is_open()) {
    Description cpu = cpu_time("host.cpu", std::to_string(cpus) + " CPUs", stat, cpus);
    cpu.scope = Scope::kMachine;
    cpu.covers = "busy time of all CPUs of the machine; over time × CPUs it is the utilisation";
    out.meters.push_back(std::make_unique<HostCpu>(std::move(cpu), std::move(file)));
  } else {
    out.obstacles.push_back(unreadable("CPU utilisation", stat, file.absence()));
  }
  const fs::path meminfo = proc_root / "meminfo";
  if (SmallFile file(meminfo); file.is_open()) {
    Description memory;
    memory.name = "host.memory";
    memory.device = "RAM";
    memory.scope = Scope::kMachine;
    memory.source = "/proc";
    memory.read_from = meminfo.string();
    memory.covers = "memory of the machine that could not be had, in percent of all";
    memory.unit = Unit::kPercent;
    memory.signal = Signal::kMemoryUse;
    memory.component = Component::kDram;
    memory.period = Seconds(1e-3);
    memory.resolution = 0.01;
    out.meters.push_back(std::make_unique<HostMemory>(std::move(memory), std::move(file)));
  } else {
    out.obstacles.push_back(unreadable("memory usage", meminfo, file.absence()));
  }
  return out;
}

Found find_process_meters(const fs::path& proc_root, int process) {
  Found out;
  const std::string id = std::to_string(process);
  const fs::path folder = proc_root / id;
  SmallFile stat(folder / "stat");
  const std::optional<ProcessTimes> times = parse_process_times(read_small(folder / "stat"));
  if (!stat.is_open() || !times) {
    out.obstacles.push_back(unreadable("CPU time of process " + id, folder / "stat",
                                       stat.is_open() ? Absence::kUnreadable : stat.absence()));
    return out;
  }
  Description cpu =
      cpu_time("process." + id + ".cpu", "process " + id, folder / "stat", count_cpus(proc_root));
  cpu.covers = "CPU time of the process, its threads, and its children that have ended";
  cpu.scope = Scope::kProcess;
  // Children may hand in their whole life's time at once.
  cpu.most_per_second = 0.0;
  out.meters.push_back(
      std::make_unique<ProcessCpu>(std::move(cpu), std::move(stat), times->start_ticks));

  Description memory;
  memory.name = "process." + id + ".memory";
  memory.device = "process " + id;
  memory.unit = Unit::kByte;
  memory.signal = Signal::kMemoryUse;
  memory.component = Component::kDram;
  memory.scope = Scope::kProcess;
  memory.period = Seconds(1e-3);
  // smaps_rollup walks the page tables, which can take milliseconds for a large process.
  SmallFile rollup(folder / "smaps_rollup");
  char probe[2048];
  const bool has_rollup =
      parse_proportional_memory(rollup.read(probe, sizeof probe).text).has_value();
  const fs::path path = folder / (has_rollup ? "smaps_rollup" : "statm");
  SmallFile file = has_rollup ? std::move(rollup) : SmallFile(path);
  if (!file.is_open()) {
    out.obstacles.push_back(unreadable("memory of process " + id, path, file.absence()));
    return out;
  }
  memory.source = "/proc";
  memory.read_from = path.string();
  memory.covers = has_rollup ? "resident memory, shared pages divided among those who share them"
                             : "resident memory, shared pages counted whole";
  memory.resolution = has_rollup ? 1024.0 : static_cast<double>(page_size());
  memory.is_slow = has_rollup;
  out.meters.push_back(
      std::make_unique<ProcessMemory>(std::move(memory), std::move(file), has_rollup));
  return out;
}

}  // namespace wattree
