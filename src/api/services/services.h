// Where the use cases find what they need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "src/api/services/models_folder.h"
#include "src/base/environment.h"
#include "src/base/work_budget.h"
#include "src/measure/meter/find.h"
#include "src/models/hub/options.h"
#include "src/runs/store/profile_stores.h"

namespace wattree {

class Links;
class LiveRuns;
class PredictorMemory;  // src/api/model/predictor_memory.h

// A shell (the command line, a server) makes one and hands it to every request. Nothing in it
// changes while requests run but what guards itself, so that they may run side by side.
struct Services {
  Environment environment;  // The process's variables.
  HubOptions hub;           // Models by name: files, bundled ones, the cache, the Hub.
  // Models that somebody dropped; null: there is no such folder.
  std::shared_ptr<const ModelsFolder> models = nullptr;
  std::filesystem::path predictors;  // The user's own, NAME.json; empty: there are none.
  std::filesystem::path profiles;    // The user's runs, as files: trackers write there.
  std::filesystem::path store;       // The file that all of them are kept in; empty: there is none.
  ProfileStores stores;              // How such a file is opened; a shell chooses.
  std::filesystem::path journals;    // Of runs that are being tracked.
  std::filesystem::path runs;        // An entry for each run of this machine.
  LiveRuns* live = nullptr;          // Those runs as they go on; null: nobody follows them.
  Links* links = nullptr;            // Trackers on other machines; null: there are none.
  MeterQuery meters;                 // /proc, /sys and NVML.
  std::function<std::int64_t()> seconds_since_1970;
  std::shared_ptr<PredictorMemory> known_predictors;  // Null: each request reads its own.
  // Whether answers have what tells more than figures do: commands of runs, addresses of links.
  bool shows_private = true;
  std::shared_ptr<WorkBudget> budget;  // Of the request that these are for; null: without bounds.
};

// As the process's environment says: XDG's folders, the Hub's variables, visible GPUs.
Services services_from(const Environment& environment);

// How far long work is, from 0 to 1.
using ShowProgress = std::function<void(double)>;

}  // namespace wattree
