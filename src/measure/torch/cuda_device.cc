// Everything that knows CUDA. Its runtime's functions come from the library that PyTorch has
// loaded.
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <array>
#include <cstdio>

#include "src/measure/torch/device.h"
#include "src/measure/torch/program.h"
#include "src/measure/torch/text.h"

namespace wattree::torch_plugin {
namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA error: ") + cudaGetErrorString(code));
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

// What only the driver knows; its library is loaded where CUDA works. Facts that cannot be had stay
// empty.
struct DriverFacts {
  std::string name;
  std::string uuid;
};

// NVML's form: "GPU-" and the bytes in groups of 4, 2, 2, 2 and 6.
std::string uuid_text(const std::array<unsigned char, 16>& bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", bytes[i]);
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex.data();
  }
  return text;
}

DriverFacts ask_driver(int index) {
  DriverFacts facts;
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return facts;
  const auto get = reinterpret_cast<int (*)(int*, int)>(::dlsym(driver, "cuDeviceGet"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(::dlsym(driver, "cuDeviceGetName"));
  const auto uuid =
      reinterpret_cast<int (*)(unsigned char*, int)>(::dlsym(driver, "cuDeviceGetUuid"));
  int device = 0;
  if (get != nullptr && get(&device, index) == 0) {
    std::array<char, sizeof(WattreeDeviceFacts::name)> text{};
    if (name != nullptr && name(text.data(), static_cast<int>(text.size()), device) == 0)
      facts.name = text.data();
    std::array<unsigned char, 16> bytes{};
    if (uuid != nullptr && uuid(bytes.data(), device) == 0) facts.uuid = uuid_text(bytes);
  }
  ::dlclose(driver);
  return facts;
}

class CudaGraph : public Graph {
 public:
  at::cuda::CUDAGraph graph;
  void replay() override { graph.replay(); }
};

class Cuda : public Device {
 public:
  explicit Cuda(c10::DeviceIndex index)
      : facts_(),
        index_(index),
        stream_(c10::cuda::getStreamFromPool(false, index)),
        generator_(at::cuda::detail::createCUDAGenerator(index)) {
    const DriverFacts known = ask_driver(index);
    copy_text(facts_.name, known.name);
    copy_text(facts_.kind, "cuda");
    copy_text(facts_.uuid, known.uuid);
    std::array<char, sizeof(facts_.pci_bus)> pci{};
    std::snprintf(pci.data(), pci.size(), "%08x:%02x:%02x.0",
                  attribute(cudaDevAttrPciDomainId, index), attribute(cudaDevAttrPciBusId, index),
                  attribute(cudaDevAttrPciDeviceId, index));
    copy_text(facts_.pci_bus, pci.data());
    copy_text(facts_.framework, std::string("PyTorch ") + TORCH_VERSION);
    facts_.cache_bytes = attribute(cudaDevAttrL2CacheSize, index);
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    facts_.memory_bytes = static_cast<std::int64_t>(total);
    facts_.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, index);
  }

  at::Device where() const override { return {at::kCUDA, index_}; }
  const WattreeDeviceFacts& facts() const override { return facts_; }
  at::Generator generator() override { return generator_; }

  void with_stream(const std::function<void()>& work) override {
    const c10::cuda::CUDAStreamGuard guard(stream_);
    work();
  }

  void synchronize() override {
    const c10::cuda::CUDAGuard guard(index_);
    check(cudaDeviceSynchronize());
  }

  std::unique_ptr<Graph> capture(const std::function<void()>& work, std::string& why_not) override {
    auto captured = std::make_unique<CudaGraph>();
    synchronize();
    try {
      captured->graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
      work();
      captured->graph.capture_end();
      return captured;
    } catch (const c10::Error& error) {
      why_not = first_line(error.what_without_backtrace());
    } catch (const std::exception& error) {
      why_not = first_line(error.what());
    }
    abandon(captured->graph);
    return nullptr;
  }

  std::int64_t free_bytes() override {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    return static_cast<std::int64_t>(free);
  }

  void release_memory() override {
    try {
      Allocator::emptyCache();
    } catch (const std::exception&) {
      // Of a lost device nothing can be given back, and lost() says so.
    }
  }

  std::string lost() override {
    const cudaError_t code = cudaDeviceSynchronize();
    // An error that stays is one of the device; others are gone once they are read.
    static_cast<void>(cudaGetLastError());
    const cudaError_t again = cudaDeviceSynchronize();
    return code != cudaSuccess && again != cudaSuccess ? cudaGetErrorString(again) : "";
  }

 private:
  // PyTorch leaves a capture that failed half open: the stream, and the allocator's pool.
  void abandon(at::cuda::CUDAGraph& graph) {
    try {
      graph.capture_end();
    } catch (const std::exception&) {
      // It reports the failure that is known already.
    }
    try {
      Allocator::endAllocateToPool(index_, graph.pool());
    } catch (const std::exception&) {
      // It had been ended.
    }
    static_cast<void>(cudaGetLastError());
    stream_ = c10::cuda::getStreamFromPool(false, index_);
    c10::cuda::setCurrentCUDAStream(stream_);
  }

  WattreeDeviceFacts facts_;
  c10::DeviceIndex index_;
  c10::cuda::CUDAStream stream_;
  at::Generator generator_;
};

}  // namespace

std::unique_ptr<Device> open_cuda(const std::string& name) {
  const int count = c10::cuda::device_count();
  if (count == 0) {
    throw Problem(WATTREE_ERROR_UNAVAILABLE, "PyTorch sees no CUDA device here",
                  "nvidia-smi shows whether the driver works; <device> cpu needs none");
  }
  int index = 0;
  if (name != "cuda" &&
      (std::sscanf(name.c_str(), "cuda:%d", &index) != 1 || index < 0 || index >= count)) {
    throw Problem(WATTREE_ERROR_INPUT,
                  "device \"" + name + "\" is not here; PyTorch sees " + std::to_string(count),
                  "choose cuda:0 to cuda:" + std::to_string(count - 1));
  }
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
  return std::make_unique<Cuda>(static_cast<c10::DeviceIndex>(index));
}

}  // namespace wattree::torch_plugin
