#include "src/exec/plugin.h"

#include <dlfcn.h>

#include <utility>

#include "src/exec/plan.h"
#include "src/exec/torch_abi.h"

namespace wattree {
namespace {

constexpr std::string_view kHint =
    "build it against the PyTorch of this machine with tools/build_torch_plugin, and name it with "
    "--torch-plugin or put it beside the program";

Error error_of(const WattreeError& error) {
  ErrorCode code = ErrorCode::kInternal;
  if (error.code == WATTREE_ERROR_INPUT) code = ErrorCode::kInvalidInput;
  if (error.code == WATTREE_ERROR_UNAVAILABLE) code = ErrorCode::kUnavailable;
  return {code, error.message, error.hint};
}

class TorchLaunch : public Launch {
 public:
  TorchLaunch(const WattreeTorch& torch, WattreeLaunch* launch, const WattreeLaunchFacts& facts)
      : torch_(torch), launch_(launch), facts_(facts) {}
  ~TorchLaunch() override { torch_.release(launch_); }
  TorchLaunch(const TorchLaunch&) = delete;
  TorchLaunch& operator=(const TorchLaunch&) = delete;

  Failure start() override { return result_of(torch_.start); }
  Failure wait() override { return result_of(torch_.wait); }
  int copies() const override { return facts_.copies; }
  int sets() const override { return facts_.sets; }
  int unlinked() const override { return facts_.unlinked; }
  Execution execution() const override {
    return facts_.is_graph != 0 ? Execution::kGraph : Execution::kEager;
  }
  std::string_view why_eager() const override { return facts_.why_eager; }

 private:
  Failure result_of(std::int32_t (*call)(WattreeLaunch*, WattreeError*)) {
    WattreeError error{};
    if (call(launch_, &error) == 0) return std::nullopt;
    return error_of(error);
  }

  const WattreeTorch& torch_;
  WattreeLaunch* launch_;
  WattreeLaunchFacts facts_;
};

class TorchExecutor : public Executor {
 public:
  TorchExecutor(const WattreeTorch& torch, WattreeDevice* device, const WattreeDeviceFacts& facts)
      : torch_(torch), device_(device) {
    facts_ = {facts.name,      facts.kind,        facts.uuid,         facts.pci_bus,
              facts.framework, facts.cache_bytes, facts.memory_bytes, facts.multiprocessors};
  }
  ~TorchExecutor() override { torch_.close(device_); }
  TorchExecutor(const TorchExecutor&) = delete;
  TorchExecutor& operator=(const TorchExecutor&) = delete;

  Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t node,
                                          const LaunchOptions& options) override {
    Result<Plan> planned = Plan::of(tree, node);
    if (!planned.ok()) return planned.error();
    Plan plan = std::move(planned).value();
    const WattreeProgram program = plan.program();
    const WattreeLaunchOptions wanted{static_cast<std::int32_t>(options.cache), options.copies,
                                      options.allow_graph ? 1 : 0};
    WattreeLaunch* launch = nullptr;
    WattreeLaunchFacts facts{};
    WattreeError error{};
    if (torch_.prepare(device_, &program, &wanted, &launch, &facts, &error) != 0)
      return error_of(error);
    return std::unique_ptr<Launch>(std::make_unique<TorchLaunch>(torch_, launch, facts));
  }

  const DeviceFacts& device() const override { return facts_; }

 private:
  const WattreeTorch& torch_;
  WattreeDevice* device_;
  DeviceFacts facts_;
};

Result<const WattreeTorch*> load(const std::vector<std::string>& paths) {
  std::string why = "no place to look for it was named";
  for (const std::string& path : paths) {
    // It stays until the program ends: the framework does not survive being unloaded.
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why = ::dlerror();
      continue;
    }
    const auto entry = reinterpret_cast<WattreeTorchEntry>(::dlsym(library, WATTREE_TORCH_SYMBOL));
    if (entry == nullptr) {
      why = path + " is no plugin of this program";
      continue;
    }
    const WattreeTorch* torch = entry();
    if (torch->abi == WATTREE_TORCH_ABI) return torch;
    why = path + " is of version " + std::to_string(torch->abi) + ", and version " +
          std::to_string(WATTREE_TORCH_ABI) + " is needed";
  }
  return Error{ErrorCode::kUnavailable, "the PyTorch plugin cannot be loaded: " + why,
               std::string(kHint)};
}

}  // namespace

Result<std::unique_ptr<Executor>> open_torch_executor(const PluginOptions& options) {
  const Result<const WattreeTorch*> torch = load(options.paths);
  if (!torch.ok()) return torch.error();
  WattreeDevice* device = nullptr;
  WattreeDeviceFacts facts{};
  WattreeError error{};
  if (torch.value()->open(options.device.c_str(), &device, &facts, &error) != 0)
    return error_of(error);
  return std::unique_ptr<Executor>(std::make_unique<TorchExecutor>(*torch.value(), device, facts));
}

}  // namespace wattree
