#include "src/measure/torch/device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "src/measure/torch/program.h"
#include "src/measure/torch/text.h"

namespace wattree::torch_plugin {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t at = line.find(": ");
    if (at != std::string::npos) return line.substr(at + 2);
  }
  return "CPU";
}

// Calls return when their work is done.
class Cpu : public Device {
 public:
  Cpu() : facts_() {
    copy_text(facts_.name, processor_name());
    copy_text(facts_.kind, "cpu");
    copy_text(facts_.framework, std::string("PyTorch ") + TORCH_VERSION);
    facts_.cache_bytes = std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
    facts_.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    facts_.multiprocessors = static_cast<std::int32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  }

  at::Device where() const override { return at::kCPU; }
  const WattreeDeviceFacts& facts() const override { return facts_; }
  at::Generator generator() override { return generator_; }
  void with_stream(const std::function<void()>& work) override { work(); }
  void synchronize() override {}
  std::unique_ptr<Graph> capture(const std::function<void()>&, std::string& why_not) override {
    why_not = "a CPU has no graphs";
    return nullptr;
  }
  std::int64_t free_bytes() override { return sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE); }
  void release_memory() override {}
  std::string lost() override { return ""; }

 private:
  WattreeDeviceFacts facts_;
  at::Generator generator_ = at::detail::createCPUGenerator(/*seed=*/1);
};

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name) {
  if (name == "cpu") return std::make_unique<Cpu>();
  if (name.rfind("cuda", 0) != 0) {
    throw Problem(WATTREE_ERROR_INPUT, "device \"" + name + "\" is not known",
                  "choose cpu, cuda or cuda:N");
  }
#ifdef WATTREE_WITH_CUDA
  return open_cuda(name);
#else
  throw Problem(WATTREE_ERROR_UNAVAILABLE,
                "this plugin was built against a PyTorch without CUDA, so there is no device \"" +
                    name + "\"",
                "build it against one that has CUDA (docs/measuring.md), or use <device> cpu");
#endif
}

}  // namespace wattree::torch_plugin
