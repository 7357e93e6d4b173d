// Time and energy of every node of a model's pass, before any run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattree/provenance.h"
#include "wattree/result.h"
#include "wattree/tree.h"
#include "wattree/units.h"

namespace wattree {

struct LoadedPredictor;  // The engine's: nothing that a user sees.
struct PredictedTree;

enum class LaunchMode {
  kGraph,  // Kernels back to back, as a replayed CUDA graph runs them.
  kEager,  // One by one, launched by the host: the device waits in between.
};

// Prices of kernels on one machine, ready to be used. Cheap to copy; may be used by several threads
// at a time.
class EnergyPredictor {
 public:
  // By name: a shipped one ("h200", the default), or an accelerator of `wattree hardware`, assumed
  // from its datasheet. Fails with kUnavailable where there is none.
  static Result<EnergyPredictor> named(std::string_view name = "h200");
  // A file that `wattree train` or `wattree calibrate` has written.
  static Result<EnergyPredictor> from_file(const std::filesystem::path& file);

  const std::string& name() const;
  const std::string& hardware() const;  // As shown to people.

 private:
  friend Result<PredictedTree> predict(const ModelConfig& model, const PassOptions& pass,
                                       const EnergyPredictor& by, LaunchMode launch);
  explicit EnergyPredictor(LoadedPredictor loaded);
  std::shared_ptr<const LoadedPredictor> loaded_;
};

// A figure and its 90 % interval.
template <class Unit>
struct Interval {
  Unit value;
  Unit low;
  Unit high;
};

struct PredictedNode {
  Interval<Joules> energy;
  Joules own_energy;                      // Without its children's; of a leaf as `energy`.
  std::optional<Interval<Seconds>> time;  // Absent where the predictor does not know times.
  double share = 0;                       // Of the root's energy.
  double stand_in_share = 0;  // Of its energy: priced by other kernels or sizes than its own.
  Provenance provenance;
};

// The most memory that a pass takes of its device, in bytes, as PyTorch's allocator hands it out.
struct PredictedMemory {
  std::int64_t weights = 0;
  std::int64_t inputs = 0;
  std::int64_t cache = 0;              // Of a decode step: the keys and values that it is given.
  std::int64_t activations = 0;        // What the pass adds when most is in use.
  std::int64_t peak = 0;               // All of them.
  std::optional<std::int64_t> device;  // What one device has; absent where nobody knows.

  bool fits() const { return !device || peak <= *device; }
};

struct PredictedTree {
  Tree tree;
  std::vector<PredictedNode> nodes;  // One for each of the tree's, in its order.
  PredictedMemory memory;

  const PredictedNode& root() const { return nodes.back(); }
};

// Fails as build_tree() does, and with kUnavailable where the predictor does not cover the
// precision or a kernel of the model.
Result<PredictedTree> predict(const ModelConfig& model, const PassOptions& pass,
                              const EnergyPredictor& by, LaunchMode launch = LaunchMode::kGraph);

}  // namespace wattree
