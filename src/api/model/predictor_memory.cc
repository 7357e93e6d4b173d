#include "src/api/model/predictor_memory.h"

namespace wattree {
namespace {

// Any device of the catalogue can be named, and in many ways.
constexpr std::size_t kMost = 64;

}  // namespace

Result<LoadedPredictor> PredictorMemory::find(
    const std::string& name, const std::function<Result<LoadedPredictor>()>& load) {
  std::uint64_t begun = 0;
  {
    const std::lock_guard lock(mutex_);
    begun = generation_;
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
  }
  Result<LoadedPredictor> loaded = load();
  if (!loaded.ok()) return loaded;
  const std::lock_guard lock(mutex_);
  if (begun != generation_) return loaded;
  if (by_name_.size() >= kMost) by_name_.clear();
  by_name_.insert_or_assign(name, loaded.value());
  return loaded;
}

void PredictorMemory::clear() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  by_name_.clear();
}

}  // namespace wattree
