// Who else uses the GPU that is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "src/measure/meter/find.h"
#include "src/measure/meter/nvml.h"

namespace wattree {

// Processes on the GPU that are not ours. In a container NVML may know us by another id: then the
// first one that was not there before the executor was opened is ours. So make this one first.
class GpuProcesses {
 public:
  GpuProcesses(const MeterQuery& query, int process);
  // `uuid` is that of the GPU to watch; the first one where it is not known.
  void watch(const std::string& uuid);
  int others();

 private:
  std::set<std::uint32_t> ids(const Gpu& gpu) const;

  std::shared_ptr<const NvmlLibrary> library_;
  std::optional<Gpu> gpu_;
  std::set<std::uint32_t> before_, ours_;
};

}  // namespace wattree
