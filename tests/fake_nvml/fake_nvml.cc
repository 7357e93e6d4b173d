// A stand-in for NVIDIA's management library that does what a script says. The script is the file
// named by FAKE_NVML_SCRIPT; its time is set by the test through fake_nvml_set_time_ms() or, where
// the script says so, is the time since nvmlInit. Lines (# begins a comment):
//
//   clock                         time goes by itself
//   thread                        nvmlInit starts a thread, which gets every signal it is let
//   init 9                        nvmlInit answers error 9
//   driver 580.65.06
//   gpu 0 GPU-aaaa NVIDIA H200    index, UUID, name
//   mig 0 MIG-bbbb                an instance of GPU 0, whose MIG mode is then on
//   0 0 energy_mj 1000            from 0 ms on, GPU 0's energy_mj is 1000
//   100 0 energy_mj error 15      from 100 ms on, asking for it is answered with error 15
//   0 0 energy_mj slow 4          from 0 ms on, asking for it takes 4 ms
//   0 0 energy_mj watts 300 100   a counter that grows by 300 W from 0 ms on, in steps of 100 ms
//   process 0 4711 1048576 55     GPU, process, bytes, SM percent
//
// Quantities: energy_mj, power_mw, average_mw, limit_mw, gpu_percent, memory_percent, memory_used,
// memory_total, sm_mhz, memory_mhz, celsius, throttle. One that the script does not name is not
// supported.
//
// Compiled with FAKE_NVML_OLD it has only what drivers of ten years ago had.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "src/measure/meter/nvml_abi.h"

namespace {

using namespace wattree;

struct Step {
  std::int64_t from_ms = 0;
  NvmlReturn error = kNvmlSuccess;
  unsigned long long value = 0;
  unsigned long long watts = 0;  // It grows by so much,
  std::int64_t every_ms = 100;   // so often.
};

struct Quantity {
  std::vector<Step> steps;
  int slow_ms = 0;
  std::int64_t slow_from_ms = 0;
};

struct Process {
  unsigned pid = 0;
  unsigned long long memory = 0;
  unsigned sm = 0;
};

}  // namespace

struct NvmlDeviceOpaque {
  std::string uuid;
  std::string name;
  std::map<std::string, Quantity> quantities;
  std::vector<Process> processes;
  std::vector<NvmlDeviceOpaque> instances;
  bool is_instance = false;
};

namespace {

struct State {
  bool is_initialised = false;
  int users = 0;
  std::int64_t now_ms = 0;
  std::optional<std::chrono::steady_clock::time_point> begun;
  NvmlReturn init_error = kNvmlSuccess;
  std::string driver;
  std::vector<NvmlDeviceOpaque> gpus;
};

State& state() {
  static State the_state;
  return the_state;
}

void load(const char* path) {
  State& s = state();
  const std::int64_t now = s.now_ms;
  s = State{};
  s.now_ms = now;
  s.gpus.reserve(64);  // Handles are addresses.
  std::ifstream script(path);
  if (!script) std::abort();
  std::string line;
  while (std::getline(script, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first;
    if (!(words >> first)) continue;
    std::size_t gpu = 0;
    if (first == "clock") {
      s.begun = std::chrono::steady_clock::now();
    } else if (first == "thread") {
      std::thread([] { std::this_thread::sleep_for(std::chrono::hours(24)); }).detach();
    } else if (first == "init") {
      words >> s.init_error;
    } else if (first == "driver") {
      words >> s.driver;
    } else if (first == "gpu") {
      NvmlDeviceOpaque device;
      words >> gpu >> device.uuid >> std::ws;
      std::getline(words, device.name);
      s.gpus.resize(std::max(s.gpus.size(), gpu + 1));
      s.gpus[gpu] = device;
    } else if (first == "mig") {
      NvmlDeviceOpaque instance;
      words >> gpu >> instance.uuid;
      instance.is_instance = true;
      s.gpus.at(gpu).instances.push_back(instance);
    } else if (first == "process") {
      Process process;
      words >> gpu >> process.pid >> process.memory >> process.sm;
      s.gpus.at(gpu).processes.push_back(process);
    } else {
      Step step;
      std::string name, value;
      step.from_ms = std::stoll(first);
      words >> gpu >> name >> value;
      Quantity& quantity = s.gpus.at(gpu).quantities[name];
      if (value == "slow") {
        words >> quantity.slow_ms;
        quantity.slow_from_ms = step.from_ms;
        continue;
      }
      if (value == "error") {
        words >> step.error;
      } else if (value == "watts") {
        words >> step.watts >> step.every_ms;
      } else {
        step.value = std::stoull(value);
      }
      quantity.steps.push_back(step);
    }
  }
}

std::int64_t now_ms() {
  if (!state().begun) return state().now_ms;
  const auto passed = std::chrono::steady_clock::now() - *state().begun;
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

NvmlReturn get(NvmlDevice device, const char* name, unsigned long long& value) {
  if (!state().is_initialised) return kNvmlUninitialized;
  if (device == nullptr) return kNvmlInvalidArgument;
  const auto found = device->quantities.find(name);
  if (found == device->quantities.end()) return kNvmlNotSupported;
  if (found->second.slow_ms > 0 && now_ms() >= found->second.slow_from_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(found->second.slow_ms));
  }
  const std::int64_t now = now_ms();
  NvmlReturn code = kNvmlNotSupported;
  for (const Step& step : found->second.steps) {
    if (step.from_ms > now) break;
    code = step.error;
    value = step.value;
    if (step.watts > 0) {
      value = step.watts *
              static_cast<unsigned long long>((now - step.from_ms) / step.every_ms * step.every_ms);
    }
  }
  return code;
}

NvmlReturn get(NvmlDevice device, const char* name, unsigned* value) {
  unsigned long long wide = 0;
  const NvmlReturn code = get(device, name, wide);
  if (code == kNvmlSuccess) *value = static_cast<unsigned>(wide);
  return code;
}

NvmlReturn copy(const std::string& text, char* out, unsigned size) {
  if (text.size() + 1 > size) return kNvmlInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return kNvmlSuccess;
}

NvmlReturn init() {
  const char* path = std::getenv("FAKE_NVML_SCRIPT");
  if (path == nullptr) return kNvmlDriverNotLoaded;
  // As the real one: users are counted, and handles stay good while there is one.
  if (state().users > 0) {
    ++state().users;
    return kNvmlSuccess;
  }
  load(path);
  if (state().init_error != kNvmlSuccess) return state().init_error;
  state().is_initialised = true;
  state().users = 1;
  return kNvmlSuccess;
}

template <class Entry>
NvmlReturn list_processes(NvmlDevice device, unsigned* count, Entry* out) {
  if (*count < device->processes.size()) {
    *count = static_cast<unsigned>(device->processes.size());
    return kNvmlInsufficientSize;
  }
  *count = 0;
  for (const Process& process : device->processes) {
    out[*count] = Entry{};
    out[*count].pid = process.pid;
    out[*count].memory = process.memory;
    ++*count;
  }
  return kNvmlSuccess;
}

}  // namespace

extern "C" {

void fake_nvml_set_time_ms(std::int64_t now) { state().now_ms = now; }

NvmlReturn nvmlInit() { return init(); }
NvmlReturn nvmlShutdown() {
  if (state().users > 0) --state().users;
  state().is_initialised = state().users > 0;
  return kNvmlSuccess;
}
const char* nvmlErrorString(NvmlReturn code) {
  switch (code) {
    case kNvmlDriverNotLoaded: return "Driver Not Loaded";
    case kNvmlNoPermission: return "Insufficient Permissions";
    case kNvmlGpuIsLost: return "GPU is lost";
    case kNvmlVersionMismatch: return "Driver/library version mismatch";
    default: return "Unknown Error";
  }
}
NvmlReturn nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return copy(state().driver, text, size);
}
NvmlReturn nvmlDeviceGetCount(unsigned* count) {
  *count = static_cast<unsigned>(state().gpus.size());
  return kNvmlSuccess;
}
NvmlReturn nvmlDeviceGetHandleByIndex(unsigned index, NvmlDevice* device) {
  if (index >= state().gpus.size()) return kNvmlInvalidArgument;
  *device = &state().gpus[index];
  unsigned long long ignored = 0;
  const NvmlReturn code = get(*device, "handle", ignored);
  return code == kNvmlNotSupported ? kNvmlSuccess : code;
}
NvmlReturn nvmlDeviceGetName(NvmlDevice device, char* text, unsigned size) {
  return copy(device->name, text, size);
}
NvmlReturn nvmlDeviceGetUUID(NvmlDevice device, char* text, unsigned size) {
  return copy(device->uuid, text, size);
}
NvmlReturn nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned* milliwatts) {
  return get(device, "power_mw", milliwatts);
}
NvmlReturn nvmlDeviceGetUtilizationRates(NvmlDevice device, NvmlUtilization* use) {
  use->memory = 0;
  get(device, "memory_percent", &use->memory);
  return get(device, "gpu_percent", &use->gpu);
}
NvmlReturn nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
  const NvmlReturn code = get(device, "memory_used", memory->used);
  return code == kNvmlSuccess ? get(device, "memory_total", memory->total) : code;
}
NvmlReturn nvmlDeviceGetClockInfo(NvmlDevice device, int type, unsigned* megahertz) {
  return get(device, type == kNvmlClockSm ? "sm_mhz" : "memory_mhz", megahertz);
}
NvmlReturn nvmlDeviceGetTemperature(NvmlDevice device, int, unsigned* celsius) {
  return get(device, "celsius", celsius);
}
NvmlReturn nvmlDeviceGetComputeRunningProcesses(NvmlDevice device, unsigned* count,
                                                NvmlProcessV1* out) {
  return list_processes(device, count, out);
}

#ifndef FAKE_NVML_OLD

NvmlReturn nvmlInit_v2() { return init(); }
NvmlReturn nvmlDeviceGetCount_v2(unsigned* count) { return nvmlDeviceGetCount(count); }
NvmlReturn nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlDevice* device) {
  return nvmlDeviceGetHandleByIndex(index, device);
}
NvmlReturn nvmlDeviceGetTotalEnergyConsumption(NvmlDevice device, unsigned long long* millijoules) {
  return get(device, "energy_mj", *millijoules);
}
NvmlReturn nvmlDeviceGetFieldValues(NvmlDevice device, int count, NvmlFieldValue* fields) {
  for (int i = 0; i < count; ++i) {
    const bool is_instant = fields[i].field == kNvmlFieldPowerInstant;
    if (!is_instant && fields[i].field != kNvmlFieldPowerAverage) {
      fields[i].status = kNvmlNotSupported;
      continue;
    }
    fields[i].type = 1;  // An unsigned int.
    fields[i].status = get(device, is_instant ? "power_mw" : "average_mw", &fields[i].value.ui);
  }
  return kNvmlSuccess;
}
NvmlReturn nvmlDeviceGetEnforcedPowerLimit(NvmlDevice device, unsigned* milliwatts) {
  return get(device, "limit_mw", milliwatts);
}
NvmlReturn nvmlDeviceGetMemoryInfo_v2(NvmlDevice device, NvmlMemoryV2* memory) {
  if (memory->version != kNvmlMemoryV2) return kNvmlInvalidArgument;
  const NvmlReturn code = get(device, "memory_used", memory->used);
  return code == kNvmlSuccess ? get(device, "memory_total", memory->total) : code;
}
NvmlReturn nvmlDeviceGetCurrentClocksEventReasons(NvmlDevice device, unsigned long long* reasons) {
  return get(device, "throttle", *reasons);
}
NvmlReturn nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice device, unsigned* count,
                                                   NvmlProcess* out) {
  return list_processes(device, count, out);
}
NvmlReturn nvmlDeviceGetProcessUtilization(NvmlDevice device, NvmlProcessUse* out, unsigned* count,
                                           unsigned long long) {
  if (*count < device->processes.size() || device->processes.empty()) return kNvmlNotFound;
  *count = 0;
  for (const Process& process : device->processes) {
    // An older sample first: the latest is what counts.
    for (const unsigned long long time : {1ULL, 2ULL}) {
      if (*count >= 1000) return kNvmlInsufficientSize;
      out[*count] = NvmlProcessUse{};
      out[*count].pid = process.pid;
      out[*count].timestamp_us = time;
      out[*count].sm = time == 2 ? process.sm : 1;
      ++*count;
    }
  }
  return kNvmlSuccess;
}
NvmlReturn nvmlDeviceGetMigMode(NvmlDevice device, unsigned* current, unsigned* pending) {
  *current = *pending = device->instances.empty() ? 0 : 1;
  return kNvmlSuccess;
}
NvmlReturn nvmlDeviceGetMaxMigDeviceCount(NvmlDevice, unsigned* count) {
  *count = 7;
  return kNvmlSuccess;
}
NvmlReturn nvmlDeviceGetMigDeviceHandleByIndex(NvmlDevice device, unsigned index,
                                               NvmlDevice* instance) {
  if (index >= device->instances.size()) return kNvmlNotFound;
  *instance = &device->instances[index];
  return kNvmlSuccess;
}

#endif
}  // extern "C"
