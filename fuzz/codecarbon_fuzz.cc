// Any bytes as lines of CodeCarbon's emissions.csv: an error, or profiles that are written and read
// back as they are.
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/runs/profile/codecarbon.h"
#include "src/runs/profile/profile_json.h"

namespace {

void check(const std::string& text) {
  using namespace wattree;
  (void)is_codecarbon(text);
  const Result<ReadProfiles> read = read_codecarbon(text, "fuzz");
  if (!read.ok()) return;
  if (read.value().profiles.empty()) __builtin_trap();
  for (const Profile& profile : read.value().profiles) {
    const Result<Profile> again = read_profile_json(write_profile_json(profile), "again");
    if (!again.ok() || again.value() != profile) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(
      "run_id,timestamp,project_name,duration,emissions,cpu_energy,gpu_energy,ram_energy,"
      "energy_consumed,country_name,country_iso_code,region,cloud_provider,cloud_region,cpu_model,"
      "gpu_count,gpu_model,pue\n" +
      bytes);
  return 0;
}
