// Predictors that were read before: reading one costs more than a prediction does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "src/predict/predictor/loaded_predictor.h"

namespace wattree {

// For shells that answer more than one request. May be used by many threads.
class PredictorMemory {
 public:
  // The one of that name; what `load` gives is kept, but for errors.
  Result<LoadedPredictor> find(const std::string& name,
                               const std::function<Result<LoadedPredictor>()>& load);
  // To be called when files of predictors have changed.
  void clear();

 private:
  std::mutex mutex_;
  std::map<std::string, LoadedPredictor> by_name_;
  std::uint64_t generation_ = 0;  // Counts clear(): what was read before it is not kept after it.
};

}  // namespace wattree
