// A predictor file of either kind: Wattree's own, or IrEne's method as published.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/result.h"
#include "src/predict/irene/model.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

struct IrenePredictor {
  std::string name;
  std::string hardware;
  std::string meter;
  std::string boundary = "wall";
  std::vector<std::string> dtypes;
  std::vector<std::string> models;
  std::int64_t trees = 0;
  // Leave-one-model-out, in percent: ml, module, model.
  std::array<std::optional<double>, 3> errors;
  IreneModel model;
};

// One readable, versioned JSON file (docs/schemas/predictor.schema.json).
std::string to_json(const IrenePredictor& predictor);

using AnyPredictor = std::variant<Predictor, IrenePredictor>;

// Refuses what parse_predictor() and read_irene() refuse. Messages name `origin` and the field.
Result<AnyPredictor> parse_any_predictor(std::string_view text, const std::string& origin);

}  // namespace wattree
