#include "src/measure/campaign/gpu_processes.h"

#include <utility>

namespace wattree {

GpuProcesses::GpuProcesses(const MeterQuery& query, int process) {
  ours_.insert(static_cast<std::uint32_t>(process));
  Result<std::shared_ptr<const NvmlLibrary>> library = NvmlLibrary::open(query.nvml_library);
  if (!library.ok()) return;
  library_ = std::move(library).value();
  for (const Gpu& gpu : list_gpus(*library_).gpus) before_.merge(ids(gpu));
}

void GpuProcesses::watch(const std::string& uuid) {
  if (!library_) return;
  for (Gpu& gpu : list_gpus(*library_).gpus) {
    if (!gpu_ || (!uuid.empty() && gpu.uuid.find(uuid) != std::string::npos)) {
      gpu_ = std::move(gpu);
    }
  }
}

int GpuProcesses::others() {
  if (!library_ || !gpu_) return 0;
  int count = 0;
  bool are_we_seen = ours_.size() > 1;
  const std::set<std::uint32_t> now = ids(*gpu_);
  for (const std::uint32_t id : now) are_we_seen = are_we_seen || ours_.count(id) > 0;
  for (const std::uint32_t id : now) {
    if (ours_.count(id) > 0) continue;
    if (!are_we_seen && before_.count(id) == 0) {
      ours_.insert(id);
      are_we_seen = true;
      continue;
    }
    ++count;
  }
  return count;
}

std::set<std::uint32_t> GpuProcesses::ids(const Gpu& gpu) const {
  std::set<std::uint32_t> out;
  const auto list = list_gpu_processes(*library_, gpu);
  if (!list.ok()) return out;
  for (const GpuProcess& process : list.value()) out.insert(process.process);
  return out;
}

}  // namespace wattree
