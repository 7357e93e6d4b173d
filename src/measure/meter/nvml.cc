#include "src/measure/meter/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace wattree {
namespace {

// The first of the names that the library has: the newest comes first.
template <class Function>
void find(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* symbol = ::dlsym(library, name)) {
      function = reinterpret_cast<Function>(symbol);
      return;
    }
  }
}

NvmlApi find_all(void* library) {
  NvmlApi api;
  find(library, api.init, {"nvmlInit_v2", "nvmlInit"});
  find(library, api.shutdown, {"nvmlShutdown"});
  find(library, api.error_string, {"nvmlErrorString"});
  find(library, api.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, api.count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  find(library, api.by_index, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  find(library, api.name, {"nvmlDeviceGetName"});
  find(library, api.uuid, {"nvmlDeviceGetUUID"});
  find(library, api.total_energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(library, api.field_values, {"nvmlDeviceGetFieldValues"});
  find(library, api.power, {"nvmlDeviceGetPowerUsage"});
  find(library, api.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library, api.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(library, api.memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  find(library, api.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, api.clock, {"nvmlDeviceGetClockInfo"});
  find(library, api.temperature, {"nvmlDeviceGetTemperature"});
  find(library, api.throttle_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(library, api.processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(library, api.processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
  find(library, api.process_use, {"nvmlDeviceGetProcessUtilization"});
  find(library, api.mig_mode, {"nvmlDeviceGetMigMode"});
  find(library, api.mig_count, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(library, api.mig_by_index, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  return api;
}

// What to do when nvmlInit says this.
std::string remedy_for(NvmlReturn code) {
  switch (code) {
    case kNvmlDriverNotLoaded: return "sudo modprobe nvidia";
    case kNvmlNoPermission:
      return "give this user read and write access to /dev/nvidiactl and /dev/nvidia0 (often: sudo "
             "usermod -aG video $USER, then log in again)";
    case kNvmlVersionMismatch:
      return "the driver was updated under the running kernel: sudo rmmod nvidia_uvm nvidia_drm "
             "nvidia_modeset nvidia && sudo modprobe nvidia, or reboot";
    case kNvmlOperatingSystem:
      return "the container may not open /dev/nvidiactl: docker run --gpus all …";
    default: return "nvidia-smi shows whether the driver works";
  }
}

std::string text_of(NvmlReturn (*get)(NvmlDevice, char*, unsigned), NvmlDevice device) {
  std::array<char, kNvmlNameSize> text{};
  if (get == nullptr || get(device, text.data(), kNvmlNameSize) != kNvmlSuccess) return "";
  text.back() = '\0';
  return text.data();
}

void list_instances(const NvmlApi& api, Gpu& gpu) {
  unsigned current = 0, pending = 0, most = 0;
  if (api.mig_mode == nullptr || api.mig_count == nullptr || api.mig_by_index == nullptr) return;
  if (api.mig_mode(gpu.handle, &current, &pending) != kNvmlSuccess || current == 0) return;
  gpu.is_mig = true;
  if (api.mig_count(gpu.handle, &most) != kNvmlSuccess) return;
  for (unsigned i = 0; i < std::min(most, 64U); ++i) {
    MigInstance instance;
    if (api.mig_by_index(gpu.handle, i, &instance.handle) != kNvmlSuccess) continue;
    instance.uuid = text_of(api.uuid, instance.handle);
    gpu.instances.push_back(std::move(instance));
  }
}

}  // namespace

Absence absence_of_nvml(NvmlReturn code) {
  switch (code) {
    case kNvmlSuccess: return Absence::kNone;
    case kNvmlNotSupported:
    case kNvmlFunctionNotFound: return Absence::kNotSupported;
    case kNvmlNoPermission: return Absence::kPermission;
    case kNvmlUninitialized:
    case kNvmlDriverNotLoaded:
    case kNvmlGpuIsLost:
    case kNvmlResetRequired: return Absence::kLost;
    default: return Absence::kUnreadable;
  }
}

Result<std::shared_ptr<const NvmlLibrary>> NvmlLibrary::open(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return Error{ErrorCode::kNotFound, why != nullptr ? why : path + " cannot be loaded",
                 "install NVIDIA's driver, which brings the library; in a container: docker run "
                 "--gpus all …"};
  }
  const NvmlApi api = find_all(handle);
  if (api.init == nullptr || api.shutdown == nullptr || api.count == nullptr ||
      api.by_index == nullptr) {
    ::dlclose(handle);
    return Error{ErrorCode::kUnavailable, path + " is not NVML: it lacks nvmlInit and the like",
                 ""};
  }
  std::shared_ptr<const NvmlLibrary> library(new NvmlLibrary(handle, api));
  if (const NvmlReturn code = api.init(); code != kNvmlSuccess) {
    return Error{code == kNvmlNoPermission ? ErrorCode::kPermission : ErrorCode::kUnavailable,
                 "NVML does not start: " + library->error_text(code), remedy_for(code)};
  }
  return library;
}

NvmlLibrary::~NvmlLibrary() {
  api_.shutdown();  // Where it was never initialised, this does nothing.
  ::dlclose(handle_);
}

std::string NvmlLibrary::driver_version() const {
  std::array<char, 96> text{};
  if (api_.driver_version == nullptr) return "";
  if (api_.driver_version(text.data(), text.size() - 1) != kNvmlSuccess) return "";
  return text.data();
}

std::string NvmlLibrary::error_text(NvmlReturn code) const {
  const char* const text = api_.error_string != nullptr ? api_.error_string(code) : nullptr;
  return text != nullptr ? text : "NVML error " + std::to_string(code);
}

GpuList list_gpus(const NvmlLibrary& library) {
  const NvmlApi& api = library.api();
  GpuList out;
  unsigned count = 0;
  if (const NvmlReturn code = api.count(&count); code != kNvmlSuccess) {
    out.obstacles.push_back(
        {"GPUs", "NVML does not count them: " + library.error_text(code), remedy_for(code)});
    return out;
  }
  if (count == 0) {
    out.obstacles.push_back(
        {"GPUs", "NVML works, but no GPU is visible", "in a container: docker run --gpus all …"});
  }
  for (unsigned i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.index = i;
    if (const NvmlReturn code = api.by_index(i, &gpu.handle); code != kNvmlSuccess) {
      out.obstacles.push_back({"GPU " + std::to_string(i), library.error_text(code),
                               code == kNvmlGpuIsLost
                                   ? "dmesg tells why (look for Xid); a reboot brings it back"
                                   : remedy_for(code)});
      continue;
    }
    gpu.name = text_of(api.name, gpu.handle);
    gpu.uuid = text_of(api.uuid, gpu.handle);
    list_instances(api, gpu);
    out.gpus.push_back(std::move(gpu));
  }
  return out;
}

Result<std::vector<GpuProcess>> list_gpu_processes(const NvmlLibrary& library, const Gpu& gpu) {
  const NvmlApi& api = library.api();
  constexpr unsigned long long kUnknownMemory = ~0ULL;
  const auto memory_of = [](unsigned long long bytes) -> std::optional<std::uint64_t> {
    if (bytes == kUnknownMemory) return std::nullopt;
    return bytes;
  };
  const std::string name = "gpu" + std::to_string(gpu.index);
  std::vector<GpuProcess> out;
  // Processes come and go between two calls: room for more than there are.
  constexpr unsigned kMost = 1024;
  unsigned count = kMost;
  NvmlReturn code = kNvmlFunctionNotFound;
  if (api.processes != nullptr) {
    std::vector<NvmlProcess> list(kMost);
    code = api.processes(gpu.handle, &count, list.data());
    for (unsigned i = 0; code == kNvmlSuccess && i < std::min(count, kMost); ++i) {
      out.push_back({name, list[i].pid, memory_of(list[i].memory), std::nullopt});
    }
  } else if (api.processes_v1 != nullptr) {
    std::vector<NvmlProcessV1> list(kMost);
    code = api.processes_v1(gpu.handle, &count, list.data());
    for (unsigned i = 0; code == kNvmlSuccess && i < std::min(count, kMost); ++i) {
      out.push_back({name, list[i].pid, memory_of(list[i].memory), std::nullopt});
    }
  }
  if (code != kNvmlSuccess) {
    return Error{code == kNvmlNoPermission ? ErrorCode::kPermission : ErrorCode::kUnavailable,
                 "processes on GPU " + std::to_string(gpu.index) + ": " + library.error_text(code),
                 ""};
  }
  if (api.process_use == nullptr) return out;
  std::vector<NvmlProcessUse> use(kMost);
  count = kMost;
  // Where it is not supported or has no sample, the list is right without it.
  if (api.process_use(gpu.handle, use.data(), &count, 0) != kNvmlSuccess) return out;
  for (GpuProcess& process : out) {
    unsigned long long latest = 0;
    for (unsigned i = 0; i < std::min(count, kMost); ++i) {
      if (use[i].pid != process.process || use[i].timestamp_us < latest) continue;
      latest = use[i].timestamp_us;
      process.sm_percent = use[i].sm;
    }
  }
  return out;
}

}  // namespace wattree
