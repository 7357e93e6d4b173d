#include "src/measure/runner/plugin.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>

#include <array>
#include <unordered_set>
#include <utility>

#include "src/base/error_field.h"
#include "src/measure/runner/onednn_limit.h"
#include "src/measure/runner/plan.h"
#include "src/measure/runner/torch_abi.h"
#include "src/measure/runner/trial.h"

namespace wattree {
namespace {

constexpr std::string_view kHint =
    "build it against the PyTorch of this machine with tools/build_torch_plugin, and name it with "
    "<torch_plugin> or put it beside the program";

Error error_of(const WattreeError& error) {
  ErrorCode code = ErrorCode::kInternal;
  if (error.code == WATTREE_ERROR_INPUT) code = ErrorCode::kInvalidInput;
  if (error.code == WATTREE_ERROR_UNAVAILABLE) code = ErrorCode::kUnavailable;
  return {code, error.message, error.hint};
}

// What decides which code a kernel runs: its name, and how its operands lie in memory.
std::string key_of(const WattreeCall& call) {
  std::string out = call.name;
  const auto add = [&](auto number) { out += ' ' + std::to_string(number); };
  add(call.recorded);
  add(call.inputs);
  for (int i = 0; i < call.inputs + call.outputs; ++i) {
    const WattreeTensor& tensor = call.tensors[i];
    add(tensor.dtype);
    add(tensor.offset);
    add(tensor.rank);
    for (int d = 0; d < tensor.rank; ++d) add(tensor.size[d]);
    for (int d = 0; d < tensor.rank; ++d) add(tensor.stride[d]);
  }
  for (int i = 0; i < call.number_count; ++i) add(call.numbers[i]);
  return out;
}

Error ended_by(int signal, const std::string& what) {
  std::string hint = "this machine may lack what the framework's kernel needs: try another dtype";
  if (signal == SIGKILL) {
    hint = "memory may have run out: choose a smaller batch (-b) or length (-s), or another dtype";
  }
  return {ErrorCode::kUnavailable,
          what + " ends its process: " + ::strsignal(signal) + " (signal " +
              std::to_string(signal) + ")",
          std::move(hint)};
}

// A product in bf16 on `device`, large enough to be given to all processors; false where it fails.
bool run_product(const WattreeTorch& torch, WattreeDevice* device) {
  constexpr std::int64_t kSide = 256;
  std::array<WattreeTensor, 3> tensors{};
  std::array<WattreeStorage, 3> storages{};
  for (std::int32_t i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    tensors[at] = {i, WATTREE_BFLOAT16, 2, 0, {kSide, kSide}, {kSide, 1}};
    storages[at] = {kSide * kSide, WATTREE_BFLOAT16, 0, i};
  }
  const WattreeCall call{"mm", "", -1, 2, 1, 0, tensors.data(), nullptr};
  const WattreeProgram program{&call, 1, storages.data(), storages.size(), 0};
  const WattreeLaunchOptions once{static_cast<std::int32_t>(CacheState::kWarm), 1, 0};
  WattreeLaunch* launch = nullptr;
  WattreeLaunchFacts facts{};
  WattreeError error{};
  return torch.prepare(device, nullptr, &program, &once, &launch, &facts, &error) == 0;
}

class TorchLaunch : public Launch {
 public:
  TorchLaunch(const WattreeTorch& torch, WattreeLaunch* launch, const WattreeLaunchFacts& facts)
      : torch_(torch), launch_(launch), facts_(facts) {}
  ~TorchLaunch() override { torch_.release(launch_); }
  TorchLaunch(const TorchLaunch&) = delete;
  TorchLaunch& operator=(const TorchLaunch&) = delete;

  Status start() override { return result_of(torch_.start); }
  Status wait() override { return result_of(torch_.wait); }
  int copies() const override { return facts_.copies; }
  int sets() const override { return facts_.sets; }
  int unlinked() const override { return facts_.unlinked; }
  Execution execution() const override {
    return facts_.is_graph != 0 ? Execution::kGraph : Execution::kEager;
  }
  std::string_view why_eager() const override { return facts_.why_eager; }

 private:
  Status result_of(std::int32_t (*call)(WattreeLaunch*, WattreeError*)) {
    WattreeError error{};
    if (call(launch_, &error) == 0) return {};
    return error_of(error);
  }

  const WattreeTorch& torch_;
  WattreeLaunch* launch_;
  WattreeLaunchFacts facts_;
};

// A device that was opened, and closes when it goes.
class OpenDevice {
 public:
  static Result<std::unique_ptr<OpenDevice>> open(const PluginOptions& options);
  OpenDevice(const WattreeTorch& torch, WattreeDevice* device, const WattreeDeviceFacts& known)
      : torch_(torch), device_(device), facts_{known.name,         known.kind,
                                               known.uuid,         known.pci_bus,
                                               known.framework,    known.cache_bytes,
                                               known.memory_bytes, known.multiprocessors,
                                               known.note} {}
  ~OpenDevice() { torch_.close(device_); }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  const WattreeTorch& torch() const { return torch_; }
  WattreeDevice* handle() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  void add_note(const std::string& note) {
    if (!facts_.note.empty() && !note.empty()) facts_.note += "; ";
    facts_.note += note;
  }
  // Whether work can be tried in a child first. A GPU's cannot: CUDA does not survive a fork. Its
  // kernels end no process either.
  bool has_trials() const { return facts_.kind == "cpu"; }

  Result<std::unique_ptr<Launch>> prepare(const WattreeScript* script, const ModelTree& tree,
                                          std::int32_t node, const LaunchOptions& options) {
    Result<Plan> planned = Plan::of(tree, node);
    if (!planned.ok()) return planned.error();
    Plan plan = std::move(planned).value();
    const WattreeProgram program = plan.program();
    if (has_trials()) {
      if (const Status failure = try_out(script, program); !failure.ok()) return failure.error();
    }
    const WattreeLaunchOptions wanted{static_cast<std::int32_t>(options.cache), options.copies,
                                      options.allow_graph ? 1 : 0};
    WattreeLaunch* launch = nullptr;
    WattreeLaunchFacts facts{};
    WattreeError error{};
    if (torch_.prepare(device_, script, &program, &wanted, &launch, &facts, &error) != 0)
      return error_of(error);
    return std::unique_ptr<Launch>(std::make_unique<TorchLaunch>(torch_, launch, facts));
  }

 private:
  // Runs kernels that have not run here before in a child. An error where that ended by a signal;
  // any other one comes again when the program is prepared for good.
  Status try_out(const WattreeScript* script, const WattreeProgram& program) {
    std::unordered_set<std::string> fresh;
    for (std::int64_t i = 0; i < program.call_count; ++i) {
      std::string key = key_of(program.calls[i]);
      if (tried_.count(key) == 0) fresh.insert(std::move(key));
    }
    if (fresh.empty()) return {};
    const Trial trial = try_in_child([&] {
      const WattreeLaunchOptions once{static_cast<std::int32_t>(CacheState::kWarm), 1, 0};
      WattreeLaunch* launch = nullptr;
      WattreeLaunchFacts facts{};
      WattreeError error{};
      return torch_.prepare(device_, script, &program, &once, &launch, &facts, &error) == 0;
    });
    if (trial.is_good) tried_.merge(fresh);
    if (trial.signal == 0) return {};
    const std::string what = program.call_count == 1
                                 ? std::string("the kernel ") + program.calls[0].name
                                 : "one of its " + std::to_string(program.call_count) + " kernels";
    return ended_by(trial.signal, what);
  }

  const WattreeTorch& torch_;
  WattreeDevice* device_;
  DeviceFacts facts_;
  std::unordered_set<std::string> tried_;  // Kernels that ran and ended no process.
};

class TorchExecutor : public Executor {
 public:
  explicit TorchExecutor(std::unique_ptr<OpenDevice> device) : device_(std::move(device)) {}
  Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t node,
                                          const LaunchOptions& options) override {
    return device_->prepare(nullptr, tree, node, options);
  }
  const DeviceFacts& device() const override { return device_->facts(); }

 private:
  std::unique_ptr<OpenDevice> device_;
};

class TorchScript : public ScriptExecutor {
 public:
  TorchScript(std::unique_ptr<OpenDevice> device, WattreeScript* script,
              const WattreeScriptFacts& facts)
      : device_(std::move(device)), script_(script), facts_(facts) {}
  ~TorchScript() override { device_->torch().close_script(script_); }
  TorchScript(const TorchScript&) = delete;
  TorchScript& operator=(const TorchScript&) = delete;

  Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t node,
                                          const LaunchOptions& options) override {
    return device_->prepare(tree.is_recorded ? script_ : nullptr, tree, node, options);
  }
  const DeviceFacts& device() const override { return device_->facts(); }
  const WattreeScriptFacts& facts() const override { return facts_; }

  Result<double> difference(const ModelTree& tree) override {
    Result<Plan> planned = Plan::of(tree, tree.node_count() - 1);
    if (!planned.ok()) return planned.error();
    Plan plan = std::move(planned).value();
    const WattreeProgram program = plan.program();
    double difference = 0;
    WattreeError error{};
    if (device_->torch().compare(device_->handle(), script_, &program, &difference, &error) != 0)
      return error_of(error);
    return difference;
  }

 private:
  std::unique_ptr<OpenDevice> device_;
  WattreeScript* script_;
  WattreeScriptFacts facts_;
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

Result<std::unique_ptr<OpenDevice>> OpenDevice::open(const PluginOptions& options) {
  const Result<const WattreeTorch*> torch = load(options.paths);
  if (!torch.ok()) return of_field("torch_plugin", torch.error());
  WattreeDevice* device = nullptr;
  WattreeDeviceFacts facts{};
  WattreeError error{};
  if (torch.value()->open(options.device.c_str(), &device, &facts, &error) != 0)
    return of_field("device", error_of(error));
  auto opened = std::make_unique<OpenDevice>(*torch.value(), device, facts);
  if (opened->has_trials()) {
    // Once for the process, before its first kernel: after that oneDNN asks no more.
    static const std::string note =
        limit_onednn([&] { return run_product(*torch.value(), device); });
    opened->add_note(note);
  }
  return opened;
}

}  // namespace

Result<std::unique_ptr<Executor>> open_torch_executor(const PluginOptions& options) {
  Result<std::unique_ptr<OpenDevice>> device = OpenDevice::open(options);
  if (!device.ok()) return device.error();
  return std::unique_ptr<Executor>(std::make_unique<TorchExecutor>(std::move(device).value()));
}

Result<std::unique_ptr<ScriptExecutor>> open_script(const PluginOptions& plugin,
                                                    const ScriptOptions& options) {
  Result<std::unique_ptr<OpenDevice>> opened = OpenDevice::open(plugin);
  if (!opened.ok()) return opened.error();
  std::unique_ptr<OpenDevice> device = std::move(opened).value();
  std::vector<const char*> inputs;
  for (const std::string& input : options.inputs) inputs.push_back(input.c_str());
  const WattreeScriptOptions wanted{options.path.c_str(), inputs.data(),
                                    static_cast<std::int32_t>(inputs.size()), options.batch,
                                    options.length};
  WattreeScript* script = nullptr;
  WattreeScriptFacts facts{};
  WattreeError error{};
  // Opening it runs it.
  if (device->has_trials()) {
    const Trial trial = try_in_child([&] {
      return device->torch().open_script(device->handle(), &wanted, &script, &facts, &error) == 0;
    });
    if (trial.signal != 0) return ended_by(trial.signal, options.path);
  }
  if (device->torch().open_script(device->handle(), &wanted, &script, &facts, &error) != 0)
    return error_of(error);
  return std::unique_ptr<ScriptExecutor>(
      std::make_unique<TorchScript>(std::move(device), script, facts));
}

}  // namespace wattree
