#include "src/api/services/services.h"

#include <chrono>

namespace wattree {
namespace {

// The program's own part of a folder of the user's; `instead` where there is none.
std::filesystem::path own_folder(XdgFolder folder, const Environment& environment, const char* name,
                                 const char* instead) {
  const std::filesystem::path users = xdg_folder(folder, environment);
  return users.empty() ? std::filesystem::path(instead) : users / "wattree" / name;
}

}  // namespace

Services services_from(const Environment& environment) {
  Services out;
  out.environment = environment;
  out.hub = hub_options_from(environment);
  out.predictors = own_folder(XdgFolder::kData, environment, "predictors", "");
  out.profiles = own_folder(XdgFolder::kData, environment, "profiles", "wattree-profiles");
  out.store = own_folder(XdgFolder::kData, environment, "wattree.db", "");
  out.journals = own_folder(XdgFolder::kState, environment, "journals", "wattree-journals");
  out.runs = own_folder(XdgFolder::kState, environment, "runs", "wattree-runs");
  out.meters.visible = {environment("CUDA_VISIBLE_DEVICES"), environment("NVIDIA_VISIBLE_DEVICES"),
                        environment("CUDA_DEVICE_ORDER")};
  out.seconds_since_1970 = [] {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::int64_t{std::chrono::duration_cast<std::chrono::seconds>(since).count()};
  };
  return out;
}

}  // namespace wattree
