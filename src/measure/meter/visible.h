// Which GPUs a program will use: CUDA_VISIBLE_DEVICES and, in containers, NVIDIA_VISIBLE_DEVICES.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wattree {

// The variables' values; absent where they are not set.
struct VisibleDevices {
  std::optional<std::string> cuda;        // CUDA_VISIBLE_DEVICES
  std::optional<std::string> nvidia;      // NVIDIA_VISIBLE_DEVICES
  std::optional<std::string> cuda_order;  // CUDA_DEVICE_ORDER
};

// What is there, by NVML.
struct VisibleGpu {
  std::string name;
  std::string uuid;
  std::vector<std::string> instance_uuids;  // Of MIG.
};

struct VisibleChoice {
  struct Chosen {
    std::size_t gpu = 0;                 // Position in the list.
    std::vector<std::string> instances;  // MIG instances; empty means the whole GPU.
  };
  std::vector<Chosen> chosen;  // Each GPU once.
  std::string doubt;           // Where an index may mean another GPU than NVML's; else empty.
};

// CUDA's rules: indices and UUIDs (a unique beginning is enough), MIG-UUIDs, also in the old form
// MIG-GPU-…/gi/ci; what follows an entry that does not exist is not visible. NVIDIA's variable was
// applied by the container's runtime already, so that its indices, which are the host's, mean
// nothing here any more; its UUIDs do.
VisibleChoice choose_visible(const std::vector<VisibleGpu>& gpus, const VisibleDevices& devices);

}  // namespace wattree
