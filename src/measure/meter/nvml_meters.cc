#include "src/measure/meter/nvml_meters.h"

#include <algorithm>
#include <memory>

#include "src/base/folder_entries.h"
#include "src/base/signals_blocked.h"
#include "src/measure/meter/nvml.h"
#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

using Library = std::shared_ptr<const NvmlLibrary>;
using ReadFunction = Sample (*)(const NvmlApi&, NvmlDevice);

// No GPU draws this much: a counter that says so was reset or has jumped.
constexpr double kMostBoardWatts = 4'000.0;

class NvmlMeter final : public Meter {
 public:
  NvmlMeter(Description description, Library library, NvmlDevice device, ReadFunction function)
      : Meter(std::move(description)),
        library_(std::move(library)),
        device_(device),
        function_(function) {}
  Sample read() noexcept override { return function_(library_->api(), device_); }

 private:
  Library library_;
  NvmlDevice device_;
  ReadFunction function_;
};

Sample absent(NvmlReturn code) { return {0, 0.0, absence_of_nvml(code)}; }
Sample level(double value) { return {0, value, Absence::kNone}; }

Sample read_energy(const NvmlApi& api, NvmlDevice device) {
  unsigned long long millijoules = 0;
  if (api.total_energy == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.total_energy(device, &millijoules);
  return code == kNvmlSuccess ? Sample{millijoules, 0.0, Absence::kNone} : absent(code);
}

template <unsigned Field>
Sample read_power_field(const NvmlApi& api, NvmlDevice device) {
  if (api.field_values == nullptr) return absent(kNvmlFunctionNotFound);
  NvmlFieldValue field{};
  field.field = Field;
  const NvmlReturn code = api.field_values(device, 1, &field);
  if (code != kNvmlSuccess) return absent(code);
  if (field.status != kNvmlSuccess) return absent(field.status);
  switch (field.type) {  // Milliwatts, in whatever type the driver likes.
    case 0: return level(field.value.d * 1e-3);
    case 1: return level(field.value.ui * 1e-3);
    case 2: return level(static_cast<double>(field.value.ul) * 1e-3);
    case 3: return level(static_cast<double>(field.value.ull) * 1e-3);
    case 4: return level(static_cast<double>(field.value.sll) * 1e-3);
    case 5: return level(field.value.si * 1e-3);
    default: return absent(kNvmlUnknown);
  }
}

Sample read_power(const NvmlApi& api, NvmlDevice device) {
  unsigned milliwatts = 0;
  if (api.power == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.power(device, &milliwatts);
  return code == kNvmlSuccess ? level(milliwatts * 1e-3) : absent(code);
}

Sample read_power_limit(const NvmlApi& api, NvmlDevice device) {
  unsigned milliwatts = 0;
  if (api.power_limit == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.power_limit(device, &milliwatts);
  return code == kNvmlSuccess ? level(milliwatts * 1e-3) : absent(code);
}

Sample read_utilization(const NvmlApi& api, NvmlDevice device) {
  NvmlUtilization use{};
  if (api.utilization == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.utilization(device, &use);
  return code == kNvmlSuccess ? level(use.gpu) : absent(code);
}

Sample read_memory_utilization(const NvmlApi& api, NvmlDevice device) {
  NvmlUtilization use{};
  if (api.utilization == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.utilization(device, &use);
  return code == kNvmlSuccess ? level(use.memory) : absent(code);
}

Sample percent_of(unsigned long long used, unsigned long long total) {
  if (total == 0) return absent(kNvmlUnknown);
  return level(100.0 * static_cast<double>(used) / static_cast<double>(total));
}

Sample read_memory(const NvmlApi& api, NvmlDevice device) {
  if (api.memory_v2 != nullptr) {
    NvmlMemoryV2 memory{};
    memory.version = kNvmlMemoryV2;
    if (api.memory_v2(device, &memory) == kNvmlSuccess)
      return percent_of(memory.used, memory.total);
  }
  NvmlMemory memory{};
  if (api.memory == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.memory(device, &memory);
  return code == kNvmlSuccess ? percent_of(memory.used, memory.total) : absent(code);
}

template <int Type>
Sample read_clock(const NvmlApi& api, NvmlDevice device) {
  unsigned megahertz = 0;
  if (api.clock == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.clock(device, Type, &megahertz);
  return code == kNvmlSuccess ? level(megahertz) : absent(code);
}

Sample read_temperature(const NvmlApi& api, NvmlDevice device) {
  unsigned celsius = 0;
  if (api.temperature == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.temperature(device, kNvmlTemperatureGpu, &celsius);
  return code == kNvmlSuccess ? level(celsius) : absent(code);
}

Sample read_throttle(const NvmlApi& api, NvmlDevice device) {
  unsigned long long reasons = 0;
  if (api.throttle_reasons == nullptr) return absent(kNvmlFunctionNotFound);
  const NvmlReturn code = api.throttle_reasons(device, &reasons);
  return code == kNvmlSuccess ? level(static_cast<double>(reasons)) : absent(code);
}

// Everything a GPU may have, besides its energy.
struct Offer {
  const char* name;
  Unit unit;
  double period;  // Seconds.
  double resolution;
  const char* read_from;
  const char* covers;
  const char* what;  // In "… cannot be measured".
  ReadFunction read;
  Signal signal;
};
constexpr Offer kInstantPower{"power",
                              Unit::kWatt,
                              0.1,
                              1e-3,
                              "nvmlDeviceGetFieldValues, NVML_FI_DEV_POWER_INSTANT",
                              "power of the board now: GPU, memory and regulators",
                              "power",
                              &read_power_field<kNvmlFieldPowerInstant>,
                              Signal::kPower};
constexpr Offer kPlainPower{"power",
                            Unit::kWatt,
                            0.1,
                            1e-3,
                            "nvmlDeviceGetPowerUsage",
                            "power of the board; on Ampere (but GA100) and newer a mean over 1 s",
                            "power",
                            &read_power,
                            Signal::kPower};
constexpr Offer kAveragePower{"power_average",
                              Unit::kWatt,
                              0.1,
                              1e-3,
                              "nvmlDeviceGetFieldValues, NVML_FI_DEV_POWER_AVERAGE",
                              "power of the board, mean over the last second",
                              "average power",
                              &read_power_field<kNvmlFieldPowerAverage>,
                              Signal::kOther};
constexpr Offer kMemoryUse{"memory",
                           Unit::kPercent,
                           0.01,
                           0.01,
                           "nvmlDeviceGetMemoryInfo",
                           "memory allocated on the GPU by all processes, in percent of all",
                           "memory use",
                           &read_memory,
                           Signal::kMemoryUse};
constexpr Offer kLevels[] = {
    {"utilisation", Unit::kPercent, 0.1, 1.0, "nvmlDeviceGetUtilizationRates",
     "time in which at least one kernel ran; says nothing of how much of the GPU it filled",
     "utilisation", &read_utilization, Signal::kUse},
    {"memory_utilisation", Unit::kPercent, 0.1, 1.0, "nvmlDeviceGetUtilizationRates",
     "time in which the GPU's memory was read or written", "utilisation of the memory",
     &read_memory_utilization, Signal::kMemoryAccess},
    kMemoryUse,
    {"sm_clock", Unit::kMegahertz, 0.01, 1.0, "nvmlDeviceGetClockInfo",
     "clock of the streaming multiprocessors", "SM clock", &read_clock<kNvmlClockSm>,
     Signal::kClock},
    {"memory_clock", Unit::kMegahertz, 0.01, 1.0, "nvmlDeviceGetClockInfo", "clock of the memory",
     "memory clock", &read_clock<kNvmlClockMemory>, Signal::kMemoryClock},
    {"temperature", Unit::kCelsius, 0.1, 1.0, "nvmlDeviceGetTemperature", "temperature of the die",
     "temperature", &read_temperature, Signal::kTemperature},
    {"throttle", Unit::kBits, 0.1, 1.0, "nvmlDeviceGetCurrentClocksEventReasons",
     "why clocks are lowered: 4 power cap, 32 and 64 heat, 128 power brake (sum of bits)",
     "reasons for lowered clocks", &read_throttle, Signal::kThrottle},
    {"power_limit", Unit::kWatt, 1.0, 1e-3, "nvmlDeviceGetEnforcedPowerLimit",
     "the limit that power is held to; no power itself", "power limit", &read_power_limit,
     Signal::kPowerLimit},
};

class Finder {
 public:
  Finder(Library library, const Gpu& gpu, Found& out)
      : library_(std::move(library)),
        gpu_(gpu),
        out_(out),
        prefix_("gpu" + std::to_string(gpu.index) + ".") {}

  void find_all(bool is_shared) {
    const bool has_energy = add_energy(is_shared);
    const bool has_power =
        add_power(kInstantPower, !has_energy) || add_power(kPlainPower, !has_energy);
    add_power(kAveragePower, false);
    if (!has_energy && !has_power) {
      obstacle("energy and power", probe(&read_power), "declare it: <assume> gpu=300W");
    } else if (!has_energy) {
      obstacle("energy counter", probe(&read_energy),
               "none: it needs Volta or newer; power is integrated instead");
    }
    for (const Offer& offer : kLevels) {
      const Absence absence = probe(offer.read);
      if (absence == Absence::kNone) {
        add(offer, gpu_.handle, prefix_ + offer.name);
      } else {
        obstacle(offer.what, absence,
                 gpu_.is_mig ? "sudo nvidia-smi -i " + std::to_string(gpu_.index) +
                                   " -mig 0   (ends MIG: it is not told for instances)"
                             : "");
      }
    }
  }

  void add_instance_memory(const MigInstance& instance, std::size_t number) {
    Offer memory = kMemoryUse;
    memory.signal = Signal::kOther;  // The GPU's own is the one to look for.
    if (memory.read(library_->api(), instance.handle).absence != Absence::kNone) return;
    add(memory, instance.handle, prefix_ + "mig" + std::to_string(number) + ".memory");
  }

 private:
  Description describe(const Offer& offer, std::string name) const {
    Description out;
    out.name = std::move(name);
    out.device = gpu_.name + " " + gpu_.uuid;
    out.source = offer.unit == Unit::kWatt ? "NVML power" : "NVML";
    out.read_from = offer.read_from;
    out.covers = offer.covers;
    out.unit = offer.unit;
    out.signal = offer.signal;
    out.component = Component::kGpu;
    out.is_shared = gpu_.is_mig;
    out.boundary = Boundary::kGpu;
    out.period = Seconds(offer.period);
    out.resolution = offer.resolution;
    return out;
  }

  Absence probe(ReadFunction read) const { return read(library_->api(), gpu_.handle).absence; }

  bool add_energy(bool is_shared) {
    if (probe(&read_energy) != Absence::kNone) return false;
    Description out = describe(kInstantPower, prefix_ + "energy");
    out.source = "NVML energy counter";
    out.read_from = "nvmlDeviceGetTotalEnergyConsumption";
    out.covers = "energy of the board since the driver was loaded: GPU, memory and regulators";
    if (is_shared) out.covers += "; all MIG instances together, not only those that are visible";
    out.kind = Kind::kCounter;
    out.unit = Unit::kJoule;
    out.signal = Signal::kOther;
    out.resolution = 1e-3;
    out.most_per_second = kMostBoardWatts;
    out.is_counted = true;
    // Under load the driver takes milliseconds to answer (4 ms seen on an H200).
    out.is_slow = true;
    push(std::move(out), gpu_.handle, &read_energy);
    return true;
  }

  bool add_power(const Offer& offer, bool is_counted) {
    if (probe(offer.read) != Absence::kNone) return false;
    Description out = describe(offer, prefix_ + offer.name);
    out.is_counted = is_counted;
    if (!is_counted) {
      const bool is_average = out.name.ends_with("average");
      out.counted_by = prefix_ + (is_average && !has_energy() ? "power" : "energy");
    }
    out.most_per_second = kMostBoardWatts;
    push(std::move(out), gpu_.handle, offer.read);
    return true;
  }

  bool has_energy() const { return probe(&read_energy) == Absence::kNone; }

  void add(const Offer& offer, NvmlDevice device, std::string name) {
    push(describe(offer, std::move(name)), device, offer.read);
  }

  void push(Description description, NvmlDevice device, ReadFunction read) {
    out_.meters.push_back(
        std::make_unique<NvmlMeter>(std::move(description), library_, device, read));
  }

  void obstacle(const std::string& what, Absence absence, std::string remedy) {
    out_.obstacles.push_back({what + " of GPU " + std::to_string(gpu_.index),
                              "the driver says: " + std::string(name_of(absence)),
                              std::move(remedy)});
  }

  Library library_;
  const Gpu& gpu_;
  Found& out_;
  std::string prefix_;
};

bool has_nvidia_gpu(const std::filesystem::path& sys_root) {
  const auto devices = folder_entries(sys_root / "bus/pci/devices");
  if (!devices.ok()) return false;
  for (const std::filesystem::path& device : devices.value()) {
    if (read_small(device / "vendor") != "0x10de") continue;
    // 0x03….: display controllers. NVIDIA also makes bridges and network cards.
    if (read_small(device / "class").starts_with("0x03")) return true;
  }
  return false;
}

void tell_hidden(const std::vector<Gpu>& gpus, const VisibleChoice& choice,
                 const VisibleDevices& visible, Found& out) {
  const std::string variable = visible.cuda
                                   ? "CUDA_VISIBLE_DEVICES=" + *visible.cuda
                                   : "NVIDIA_VISIBLE_DEVICES=" + visible.nvidia.value_or("");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool is_chosen = std::any_of(choice.chosen.begin(), choice.chosen.end(),
                                       [&](const auto& c) { return c.gpu == i; });
    if (is_chosen) continue;
    out.obstacles.push_back({"GPU " + std::to_string(gpus[i].index) + " (" + gpus[i].name + ")",
                             "it is left out by " + variable, "unset or change the variable"});
  }
  if (!choice.doubt.empty()) {
    out.obstacles.push_back(
        {"which GPUs " + variable + " means", choice.doubt,
         "export CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by UUID (nvidia-smi -L)"});
  }
}

}  // namespace

Found find_nvml_meters(const NvmlQuery& query) {
  Found out;
  const SignalsBlocked blocked;  // The driver's library has threads of its own.
  const Result<Library> library = NvmlLibrary::open(query.library);
  if (!library.ok()) {
    const bool has_library = library.error().code != ErrorCode::kNotFound;
    if (has_library || has_nvidia_gpu(query.sys_root)) {
      out.obstacles.push_back({"NVIDIA GPUs", library.error().message, library.error().hint});
    } else {
      out.obstacles.push_back(
          {"GPUs",
           "no NVIDIA GPU is on the PCI bus (and no driver: " + library.error().message + ")",
           "none is needed where there is no GPU; other makers' GPUs can be declared: <assume> "
           "gpu=300W"});
    }
    return out;
  }
  GpuList list = list_gpus(*library.value());
  std::move(list.obstacles.begin(), list.obstacles.end(), std::back_inserter(out.obstacles));
  std::vector<VisibleGpu> present;
  for (const Gpu& gpu : list.gpus) {
    present.push_back({gpu.name, gpu.uuid, {}});
    for (const MigInstance& instance : gpu.instances) {
      present.back().instance_uuids.push_back(instance.uuid);
    }
  }
  const VisibleChoice choice = choose_visible(present, query.visible);
  for (const VisibleChoice::Chosen& chosen : choice.chosen) {
    const Gpu& gpu = list.gpus[chosen.gpu];
    Finder finder(library.value(), gpu, out);
    finder.find_all(gpu.is_mig);
    if (auto processes = list_gpu_processes(*library.value(), gpu); processes.ok()) {
      for (GpuProcess& process : std::move(processes).value()) out.processes.push_back(process);
    }
    for (std::size_t i = 0; i < gpu.instances.size(); ++i) {
      const bool is_chosen =
          chosen.instances.empty() || std::find(chosen.instances.begin(), chosen.instances.end(),
                                                gpu.instances[i].uuid) != chosen.instances.end();
      if (is_chosen) finder.add_instance_memory(gpu.instances[i], i);
    }
    if (gpu.is_mig) {
      out.obstacles.push_back({"energy of single MIG instances of GPU " + std::to_string(gpu.index),
                               "the GPU has one energy counter for all its instances",
                               "sudo nvidia-smi -i " + std::to_string(gpu.index) +
                                   " -mig 0   (ends MIG), or keep the other instances idle and "
                                   "read above-idle energy"});
    }
  }
  tell_hidden(list.gpus, choice, query.visible, out);
  return out;
}

}  // namespace wattree
