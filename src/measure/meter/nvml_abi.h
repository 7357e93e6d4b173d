// The part of NVIDIA's management library (NVML) that is used here, declared anew from its
// published interface, because machines that build Wattree have no NVIDIA headers. NVML keeps old
// symbols for good and gives changed ones a new suffix, so these layouts hold for every driver that
// has the symbol. Layouts and numbers: NVML API reference, CUDA 12 and 13.
#pragma once

#include <cstddef>

extern "C" {

using NvmlReturn = int;
struct NvmlDeviceOpaque;
using NvmlDevice = NvmlDeviceOpaque*;

struct NvmlUtilization {
  unsigned gpu;     // Percent of the last sample period in which a kernel ran.
  unsigned memory;  // Percent in which device memory was read or written.
};

struct NvmlMemory {  // nvmlMemory_t: `used` has what the driver reserves in it.
  unsigned long long total, free, used;
};

struct NvmlMemoryV2 {  // nvmlMemory_v2_t: `used` is what was allocated.
  unsigned version;
  unsigned long long total, reserved, free, used;
};

union NvmlValue {
  double d;
  unsigned ui;
  unsigned long ul;
  unsigned long long ull;
  long long sll;
  int si;
  unsigned short us;
};

struct NvmlFieldValue {
  unsigned field;
  unsigned scope;  // Power: 0 the GPU, 1 the module (with a Grace CPU), 2 the memory.
  long long timestamp_us;
  long long latency_us;
  int type;
  NvmlReturn status;
  NvmlValue value;
};

struct NvmlProcessV1 {  // nvmlDeviceGetComputeRunningProcesses
  unsigned pid;
  unsigned long long memory;
};

struct NvmlProcess {  // …_v2 and …_v3
  unsigned pid;
  unsigned long long memory;  // All ones where it is not known.
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct NvmlProcessUse {  // nvmlDeviceGetProcessUtilization
  unsigned pid;
  unsigned long long timestamp_us;
  unsigned sm, memory, encoder, decoder;
};
}  // extern "C"

static_assert(sizeof(NvmlUtilization) == 8);
static_assert(sizeof(NvmlMemory) == 24);
static_assert(sizeof(NvmlMemoryV2) == 40 && offsetof(NvmlMemoryV2, total) == 8);
static_assert(sizeof(NvmlFieldValue) == 40 && offsetof(NvmlFieldValue, value) == 32);
static_assert(sizeof(NvmlProcessV1) == 16 && sizeof(NvmlProcess) == 24);
static_assert(sizeof(NvmlProcessUse) == 32 && offsetof(NvmlProcessUse, sm) == 16);

namespace wattree {

// A versioned structure says its size and its version.
constexpr unsigned kNvmlMemoryV2 = static_cast<unsigned>(sizeof(NvmlMemoryV2)) | (2U << 24);

enum : NvmlReturn {
  kNvmlSuccess = 0,
  kNvmlUninitialized = 1,
  kNvmlInvalidArgument = 2,
  kNvmlNotSupported = 3,
  kNvmlNoPermission = 4,
  kNvmlNotFound = 6,
  kNvmlInsufficientSize = 7,
  kNvmlDriverNotLoaded = 9,
  kNvmlFunctionNotFound = 13,
  kNvmlGpuIsLost = 15,
  kNvmlResetRequired = 16,
  kNvmlOperatingSystem = 17,
  kNvmlVersionMismatch = 18,
  kNvmlUnknown = 999,
};

constexpr unsigned kNvmlFieldPowerAverage = 185;  // Over 1 s; Ampere (but GA100) and newer.
constexpr unsigned kNvmlFieldPowerInstant = 186;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;
constexpr int kNvmlTemperatureGpu = 0;
constexpr unsigned kNvmlUuidSize = 96;
constexpr unsigned kNvmlNameSize = 96;

}  // namespace wattree
