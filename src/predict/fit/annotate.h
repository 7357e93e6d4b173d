// Writes a predictor's figures into the nodes of a measured tree.
#pragma once

#include <set>
#include <string>
#include <variant>

#include "src/measure/dataset/dataset.h"
#include "src/predict/fit/any_predictor.h"
#include "src/predict/predictor/dataset_predict.h"

namespace wattree {

// Fills predicted, its interval, own energy and time of every node, and takes what stood there
// away. With Known::kNode each reading there is gets used, and a node's interval is that of what is
// known of it: of a reading, of measured leaves below it, or of nothing. IrEne's method has no
// intervals and no times, takes no options, and leaves a node without the features it needs alone.
class Annotator {
 public:
  explicit Annotator(AnyPredictor predictor);
  Annotator(const Annotator&) = delete;  // The index points to the predictor.
  Annotator& operator=(const Annotator&) = delete;

  void annotate(DatasetTree& tree, const PredictOptions& options);
  // What went wrong on the trees so far, each once.
  const std::set<std::string>& warnings() const { return warnings_; }

 private:
  void reconciled(DatasetTree& tree, const PredictOptions& options) const;
  void as_irene(DatasetTree& tree, const IreneModel& model);

  AnyPredictor predictor_;
  std::optional<TwinIndex> twins_;
  std::set<std::string> warnings_;
};

}  // namespace wattree
