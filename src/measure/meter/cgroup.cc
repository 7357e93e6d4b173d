#include "src/measure/meter/cgroup.h"

#include <algorithm>
#include <array>

#include "src/measure/meter/proc.h"
#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// Where the group's files of one controller are, and the top of their tree.
struct Place {
  fs::path folder;
  fs::path top;
  bool is_version_2 = false;
};

bool has_controller(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    if (one == wanted) return true;
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return false;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// In a container without a namespace for control groups, the path is the host's and leads nowhere;
// the container's own group is then mounted at the top.
Place place_under(const fs::path& top, std::string_view path, bool is_version_2) {
  // ".." would leave the tree: the group lies outside of what this namespace shows.
  const bool is_outside = path.find("/..") != std::string_view::npos;
  const fs::path folder = top / fs::path(path).relative_path();
  return {!is_outside && is_there(folder) ? folder : top, top, is_version_2};
}

// `file` is the one wanted, in version 2 and in version 1.
std::optional<Place> find_place(const std::string& lines, const fs::path& sys_root,
                                std::string_view controller, const char* file_2,
                                const char* file_1) {
  const fs::path mount = sys_root / "fs/cgroup";
  for (const CgroupLine& line : parse_cgroup_lines(lines)) {
    if (line.controllers.empty()) {
      for (const fs::path& top : {mount, mount / "unified"}) {
        Place place = place_under(top, line.path, true);
        if (is_there(place.folder / file_2)) return place;
      }
    } else if (has_controller(line.controllers, controller)) {
      // Mounted under the controller's own name or under the list's ("cpu,cpuacct").
      for (const std::string_view name : {controller, line.controllers}) {
        Place place = place_under(mount / name, line.path, false);
        if (is_there(place.folder / file_1)) return place;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> read_number(const fs::path& path) {
  const std::string text = read_small(path);
  std::string_view rest(text);
  std::uint64_t number = 0;
  if (!take_number(rest, number) || !rest.empty()) return std::nullopt;  // "max", "-1", nothing.
  return number;
}

std::optional<double> cpus_allowed(const fs::path& folder, bool is_version_2) {
  std::optional<std::uint64_t> quota, period;
  if (is_version_2) {
    const std::string text = read_small(folder / "cpu.max");  // "max 100000" or "150000 100000".
    std::string_view rest(text);
    std::uint64_t first = 0, second = 0;
    if (!take_number(rest, first) || !take_number(rest, second)) return std::nullopt;
    quota = first;
    period = second;
  } else {
    quota = read_number(folder / "cpu.cfs_quota_us");
    period = read_number(folder / "cpu.cfs_period_us");
  }
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// Calls `visit` with the group's folder and every one above it, to the top.
template <class Visit>
void walk_up(const Place& place, Visit visit) {
  for (fs::path folder = place.folder;; folder = folder.parent_path()) {
    visit(folder);
    if (folder == place.top || folder == folder.parent_path()) return;
  }
}

template <class T>
void lower(std::optional<T>& least, std::optional<T> limit) {
  if (limit && (!least || *limit < *least)) least = limit;
}

// A file that holds one number, or a line "key number".
class NumberFile final : public Meter {
 public:
  NumberFile(Description description, SmallFile file, const char* key)
      : Meter(std::move(description)), file_(std::move(file)), key_(key) {}
  Sample read() noexcept override {
    std::array<char, 2048> buffer;
    const FileText got = file_.read(buffer.data(), buffer.size());
    if (got.absence != Absence::kNone) return {0, 0.0, got.absence};
    std::string_view rest = got.text, line;
    while (take_line(rest, line)) {
      std::uint64_t number = 0;
      if (key_ != nullptr && take_word(line) != key_) continue;
      if (!take_number(line, number)) break;
      return {number, static_cast<double>(number), Absence::kNone};
    }
    return {0, 0.0, Absence::kUnreadable};
  }

 private:
  SmallFile file_;
  const char* key_;
};

void add(Found& out, Description description, const fs::path& path, const char* key) {
  description.source = "cgroup";
  description.read_from = path.string();
  SmallFile file(path);
  if (!file.is_open()) return;
  out.meters.push_back(std::make_unique<NumberFile>(std::move(description), std::move(file), key));
}

std::string device_name(const Place& place) {
  const fs::path below = place.folder.lexically_relative(place.top);
  return "cgroup /" + (below == "." ? "" : below.string());
}

}  // namespace

std::vector<CgroupLine> parse_cgroup_lines(std::string_view text) {
  std::vector<CgroupLine> out;
  std::string_view line;
  while (take_line(text, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || !line.substr(second + 1).starts_with('/')) continue;
    out.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return out;
}

CgroupLimits find_cgroup_limits(const fs::path& proc_root, const fs::path& sys_root,
                                std::string_view process) {
  CgroupLimits out;
  const std::string lines = read_small(proc_root / process / "cgroup");
  if (const auto cpu = find_place(lines, sys_root, "cpu", "cpu.stat", "cpu.cfs_quota_us")) {
    walk_up(*cpu, [&](const fs::path& folder) {
      lower(out.cpus, cpus_allowed(folder, cpu->is_version_2));
    });
  }
  if (const auto memory =
          find_place(lines, sys_root, "memory", "memory.current", "memory.limit_in_bytes")) {
    walk_up(*memory, [&](const fs::path& folder) {
      std::optional<std::uint64_t> limit =
          read_number(folder / (memory->is_version_2 ? "memory.max" : "memory.limit_in_bytes"));
      // Version 1 writes "no limit" as the largest number of whole pages.
      if (limit && *limit >= (std::uint64_t{1} << 60)) limit.reset();
      lower(out.memory_bytes, limit);
    });
  }
  return out;
}

Found find_cgroup_meters(const fs::path& proc_root, const fs::path& sys_root,
                         std::string_view process) {
  Found out;
  const std::string lines = read_small(proc_root / process / "cgroup");
  Description cpu;
  cpu.name = "cgroup.cpu";
  cpu.kind = Kind::kCounter;
  cpu.unit = Unit::kSecond;
  cpu.signal = Signal::kUse;
  cpu.component = Component::kCpu;
  cpu.scope = Scope::kGroup;
  cpu.covers = "CPU time of all processes of the control group (container, job)";
  cpu.period = Seconds(1e-3);
  cpu.most_per_second = 2.0 * count_cpus(proc_root);
  if (const auto place = find_place(lines, sys_root, "cpuacct", "cpu.stat", "cpuacct.usage")) {
    cpu.device = device_name(*place);
    cpu.resolution = place->is_version_2 ? 1e-6 : 1e-9;
    add(out, cpu, place->folder / (place->is_version_2 ? "cpu.stat" : "cpuacct.usage"),
        place->is_version_2 ? "usage_usec" : nullptr);
  }
  Description memory;
  memory.name = "cgroup.memory";
  memory.unit = Unit::kByte;
  memory.signal = Signal::kMemoryUse;
  memory.component = Component::kDram;
  memory.scope = Scope::kGroup;
  memory.covers = "memory charged to the control group, file cache included";
  memory.period = Seconds(1e-3);
  memory.resolution = 4096;
  if (const auto place =
          find_place(lines, sys_root, "memory", "memory.current", "memory.usage_in_bytes")) {
    memory.device = device_name(*place);
    add(out, memory,
        place->folder / (place->is_version_2 ? "memory.current" : "memory.usage_in_bytes"),
        nullptr);
  }
  return out;
}

}  // namespace wattree
