#include "src/api/predict/predicted_model.h"

#include <utility>

namespace wattree {

Result<PredictedModel> predict_model(const ModelRef& model, const PassShape& pass,
                                     const PredictorRef& predictor, const Services& services) {
  const Result<LoadedPredictor> by = find_predictor(predictor, services);
  if (!by.ok()) return by.error();
  Result<OpenedModel> opened = open_model(model, pass, services);
  if (!opened.ok()) return opened.error();
  OpenedModel found = std::move(opened).value();
  Result<Prediction> predicted = predict(std::move(found.built), by.value());
  if (!predicted.ok()) return predicted.error();
  Prediction prediction = std::move(predicted).value();
  std::vector<std::string> notes = with_notes(std::move(found.notes), prediction);
  return PredictedModel{std::move(prediction), std::move(notes)};
}

}  // namespace wattree
