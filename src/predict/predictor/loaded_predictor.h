// Where a predictor comes from: a file, the user's own, or one that is shipped. A file may also
// hold factors over another one: see overlay.h.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/result.h"
#include "src/facts/hardware/device.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

// One of data/predictors, as it stands in the program.
struct ShippedPredictor {
  std::string_view name;
  std::string_view json;
};
std::span<const ShippedPredictor> shipped_predictors();

struct PredictorChoice {
  std::filesystem::path file;  // Goes first.
  std::string on;              // A name: NAME.json in `folder`, or else a shipped one.
  // The user's own predictors; empty: there are none. Without `file` and `on`, kThisMachine in it
  // is taken, or else the shipped kDefaultPredictor.
  std::filesystem::path folder;
};
inline constexpr std::string_view kThisMachine = "this-machine";
inline constexpr std::string_view kDefaultPredictor = "h200";

// A predictor that is ready to be used. Cheap to copy.
struct LoadedPredictor {
  std::shared_ptr<const Predictor> predictor;
  std::shared_ptr<const TwinIndex> index;  // Points into `predictor`.
  std::string origin;  // "shipped", the path of its file, or what it was calibrated to.
  bool is_shipped = false;
  Execution execution = Execution::kGraph;
  // Of one device of the predictor's hardware; absent where the catalogue does not say.
  std::optional<std::int64_t> device_bytes = std::nullopt;
  // Precisions that the device has no units for, and what the user should know of each.
  std::vector<std::pair<std::string, std::string>> slow_dtypes = {};

  Provenance provenance() const;
};

// Fails with kUnavailable, and a hint, where there is no such predictor; with kInvalidInput and the
// candidates where a name may mean several devices.
Result<LoadedPredictor> load_predictor(const PredictorChoice& choice);
LoadedPredictor make_loaded(Predictor predictor, std::string origin);

// The name by which load_predictor() knows the best predictor for a device, from what its driver
// calls it ("NVIDIA H200"): a shipped one, or that of its datasheet. kUnavailable where the
// catalogue does not have it.
Result<std::string> predictor_for(const std::string& device);

// The user's own predictors in `folder` and the shipped ones, by the name that PredictorChoice::on
// takes; files that are no predictors are passed over, with the reason in `problems`.
struct NamedPredictor {
  std::string name;
  LoadedPredictor loaded;
};
struct NamedPredictors {
  std::vector<NamedPredictor> predictors;
  std::vector<std::string> problems;
};
NamedPredictors named_predictors(const std::filesystem::path& folder);
// Accelerators of the catalogue whose datasheet says enough to assume a predictor: half of the 90 %
// interval of such a one is kAssumedHalfWidth. The newest first.
std::vector<Device> devices_with_datasheets();
// One for every one of them: assumed, not predicted. They are made when somebody first asks.
const std::vector<NamedPredictor>& assumed_predictors();

}  // namespace wattree
