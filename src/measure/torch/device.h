// The device that kernels run on: its facts, waiting for it, and graphs of it. All that knows CUDA
// is behind this header, and is compiled only against a PyTorch that has it.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string>

#include "src/measure/runner/torch_abi.h"

namespace wattree::torch_plugin {

// A captured sequence of kernels.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual void replay() = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual at::Device where() const = 0;
  virtual const WattreeDeviceFacts& facts() const = 0;
  virtual at::Generator generator() = 0;
  // Runs `work` with the device and its stream current.
  virtual void with_stream(const std::function<void()>& work) = 0;
  virtual void synchronize() = 0;
  // Null, with the reason, where it cannot be captured.
  virtual std::unique_ptr<Graph> capture(const std::function<void()>& work,
                                         std::string& why_not) = 0;
  virtual std::int64_t free_bytes() = 0;
  virtual void release_memory() = 0;
  // Empty, or why the device takes no more work from this process.
  virtual std::string lost() = 0;
};

// "cpu", "cuda" or "cuda:N".
std::unique_ptr<Device> open_device(const std::string& name);
std::unique_ptr<Device> open_cuda(const std::string& name);  // In cuda_device.cc.

}  // namespace wattree::torch_plugin
