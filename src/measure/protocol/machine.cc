#include "src/measure/protocol/machine.h"

#include <sys/utsname.h>

#include <fstream>

#include "src/base/text.h"
#include "src/measure/meter/proc.h"

namespace wattree {
namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trimmed(line));
}

std::string processor_name(const std::filesystem::path& proc_root) {
  std::ifstream file(proc_root / "cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) {
      return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    }
  }
  return "";
}

// "Linux 6.18": patch levels say nothing of energy.
std::string system_name() {
  utsname name{};
  if (::uname(&name) != 0) return "";
  const std::vector<std::string> parts = split(name.release, '.');
  std::string out = name.sysname;
  for (std::size_t i = 0; i < parts.size() && i < 2; ++i) out += (i == 0 ? " " : ".") + parts[i];
  return out;
}

std::string card_of(const std::string& uuid) {
  if (uuid.empty()) return "";
  std::uint32_t hash = 2166136261U;  // FNV-1a, of which six digits are shown.
  for (const char c : uuid) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  std::string out;
  for (int i = 0; i < 6; ++i, hash >>= 4) out += "0123456789abcdef"[hash & 15U];
  return out;
}

}  // namespace

double ram_bytes(const std::filesystem::path& proc_root) {
  std::ifstream file(proc_root / "meminfo");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto info = parse_memory_info(text);
  return info ? static_cast<double>(info->total_bytes) : 0.0;
}

MachineFacts describe_machine(const DeviceFacts& device, const Watch& watch,
                              const MachineRoots& roots) {
  MachineFacts out;
  out.device = device;
  out.card = card_of(device.uuid);
  for (const Description* meter : watch.energy_meters()) {
    out.boundary = name_of(meter->boundary);
    out.meters.push_back(meter->name + " (" + meter->source + ")");
  }
  out.driver = first_line(roots.sys / "module/nvidia/version");
  out.system = system_name();
  out.processor = processor_name(roots.proc);
  out.governor = first_line(roots.sys / "devices/system/cpu/cpu0/cpufreq/scaling_governor");
  out.cpus = count_cpus(roots.proc);
  out.ram_bytes = ram_bytes(roots.proc);
  out.power_limit_w = watch.power_limit_w();
  return out;
}

}  // namespace wattree
