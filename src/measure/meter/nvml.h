// NVIDIA's management library, loaded when it is first needed, and the GPUs it knows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/meter/meter.h"
#include "src/measure/meter/nvml_abi.h"

namespace wattree {

// NVML's functions; those that a driver is too old for are null. Where there are several versions
// of one, the newest that was found.
struct NvmlApi {
  NvmlReturn (*init)() = nullptr;
  NvmlReturn (*shutdown)() = nullptr;
  const char* (*error_string)(NvmlReturn) = nullptr;
  NvmlReturn (*driver_version)(char*, unsigned) = nullptr;
  NvmlReturn (*count)(unsigned*) = nullptr;
  NvmlReturn (*by_index)(unsigned, NvmlDevice*) = nullptr;
  NvmlReturn (*name)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlReturn (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlReturn (*total_energy)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlReturn (*field_values)(NvmlDevice, int, NvmlFieldValue*) = nullptr;
  NvmlReturn (*power)(NvmlDevice, unsigned*) = nullptr;
  NvmlReturn (*power_limit)(NvmlDevice, unsigned*) = nullptr;
  NvmlReturn (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  NvmlReturn (*memory_v2)(NvmlDevice, NvmlMemoryV2*) = nullptr;
  NvmlReturn (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  NvmlReturn (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlReturn (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlReturn (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlReturn (*processes)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  NvmlReturn (*processes_v1)(NvmlDevice, unsigned*, NvmlProcessV1*) = nullptr;
  NvmlReturn (*process_use)(NvmlDevice, NvmlProcessUse*, unsigned*, unsigned long long) = nullptr;
  NvmlReturn (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  NvmlReturn (*mig_count)(NvmlDevice, unsigned*) = nullptr;
  NvmlReturn (*mig_by_index)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;
};

// Loaded and initialised for as long as it lives; every meter holds a share.
class NvmlLibrary {
 public:
  // `path` as for dlopen: "libnvidia-ml.so.1" is searched for where libraries are.
  static Result<std::shared_ptr<const NvmlLibrary>> open(const std::string& path);
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  ~NvmlLibrary();

  const NvmlApi& api() const { return api_; }
  std::string driver_version() const;
  std::string error_text(NvmlReturn code) const;

 private:
  NvmlLibrary(void* handle, const NvmlApi& api) : handle_(handle), api_(api) {}
  void* handle_;
  NvmlApi api_;
};

struct MigInstance {
  NvmlDevice handle = nullptr;
  std::string uuid;  // "MIG-…"
};

struct Gpu {
  NvmlDevice handle = nullptr;
  unsigned index = 0;  // NVML's, which is the order on the PCI bus.
  std::string name;
  std::string uuid;  // "GPU-…"
  bool is_mig = false;
  std::vector<MigInstance> instances;
};

struct GpuList {
  std::vector<Gpu> gpus;
  std::vector<Obstacle> obstacles;  // GPUs that did not answer.
};
GpuList list_gpus(const NvmlLibrary& library);

// Compute processes; an error where the driver does not tell. Allocates: not for every sample.
Result<std::vector<GpuProcess>> list_gpu_processes(const NvmlLibrary& library, const Gpu& gpu);

Absence absence_of_nvml(NvmlReturn code);

}  // namespace wattree
