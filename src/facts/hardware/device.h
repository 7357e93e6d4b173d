// Processors and accelerators as their makers describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/result.h"
#include "src/base/units.h"

namespace wattree {

enum class DeviceKind { kGpu, kCpu, kTpu };  // kTpu: any accelerator that is no GPU.
std::string_view name_of(DeviceKind kind);
inline bool is_accelerator(DeviceKind kind) { return kind != DeviceKind::kCpu; }

// One row of data/hardware.csv. Absent: not published.
struct Device {
  std::string name;
  std::vector<std::string> aliases;
  std::string vendor;
  DeviceKind kind = DeviceKind::kGpu;
  std::optional<Watts> tdp;
  std::optional<double> fp32_gflops;
  std::optional<double> tensor_or_fp16_gflops;  // Dense.
  // Precisions that it has no units for ("bf16"), so that they run as fp32 does or slower.
  std::vector<std::string> no_units_for;
  std::optional<double> memory_gb;
  std::optional<double> memory_gb_per_s;
  std::optional<int> multiprocessors;
  std::optional<double> last_level_cache_mib;  // Of the driver or the maker.
  // What its largest kernels were measured to come near to, of the rates above.
  std::optional<double> reached_fp32_gflops;
  std::optional<double> reached_tensor_or_fp16_gflops;
  std::optional<double> reached_memory_gb_per_s;
  std::optional<int> year;
  std::string source;
  std::string notes;
  Basis basis = Basis::kPublished;  // kAssumed: an entry of the user's own.
};

// The table shipped with the program, in its order.
const std::vector<Device>& bundled_devices();

// Reads a table of the same columns. "name", "kind", "tdp_w" and "fp32_gflops" must be there, the
// rest may be missing; an empty field is an absent figure. `origin` names it in errors.
Result<std::vector<Device>> read_devices(std::string text, const std::string& origin);

// The bundled devices with `own` before them, as assumed; one of the same name takes the bundled
// one's place. `origin` is the source of those that name none.
std::vector<Device> with_own_devices(std::vector<Device> own, const std::string& origin);

// A name as drivers, shops and people write it, reduced to what tells devices apart:
// "NVIDIA GeForce GTX 1080 Ti" and "geforce-gtx-1080-ti" are "gtx 1080 ti";
// "Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz" is "e5 2620 v4".
std::string reduced_name(std::string_view name);

// The device that `name` means: by name or alias, else the only one whose name has all its words.
// Otherwise an error lists the ones that could be meant.
Result<Device> find_device(std::string_view name, std::span<const Device> devices);

// The memory of the device that `name` means, in bytes. Where several could be meant, they must
// agree; nothing where they do not, or where nothing is known. Makers' gigabytes of memory are
// binary ones.
std::optional<std::int64_t> memory_bytes(std::string_view name, std::span<const Device> devices);

// Every device whose name, alias or vendor has all the words of `words`; all of them where it is
// empty.
std::vector<Device> search_devices(std::string_view words, std::span<const Device> devices);

}  // namespace wattree
