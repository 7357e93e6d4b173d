// The evaluate use case: how far predictions are off, on models that were left out or by a
// predictor that is there.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/api/learn/learn_request.h"
#include "src/api/services/services.h"
#include "src/predict/evaluate/study.h"
#include "src/predict/evaluate/windows.h"
#include "src/report/document/document.h"

namespace wattree {

struct EvaluateRequest {
  std::string dataset;                // Trees, or windows.
  std::vector<std::string> further;   // Further windows of the same hardware.
  bool leave_one_family_out = false;  // Otherwise models, each by itself.
  MethodRequest method;
  // Of trees only:
  std::string known;         // What has been run of the new model: "nothing" (also empty), …
  std::optional<int> seeds;  // Runs of IrEne's methods; 10.
  bool no_twins = false;
  bool predictions = false;  // write_predictions() is wanted.
  ModelChoice models;
  // Of windows only: a predictor's file or name, whose errors these are. Nothing is fitted.
  std::string predictor;
  // More work, for who wants it:
  bool checks = true;   // Of windows: how well they add up and repeat. Belongs to the JSON.
  bool report = false;  // A document on every method.
};
// From {"dataset", "further": […], "leave_one_model_out", "leave_one_family_out", "aggregate",
// "features", "known", "seeds", "no_twins", "predictions", "include": […], "exclude": […],
// "all_models", "skip_bad", "predictor", "report"}.
Result<EvaluateRequest> evaluate_request(const nlohmann::json& json);

struct EvaluatedTrees {
  StudyData data;
  Study study;
};
struct EvaluatedWindows {
  std::string dataset;  // As the user named it.
  KernelDataAnswer data;
  KernelEvaluation evaluation;
  std::optional<MeasurementChecks> checks;
};
struct EvaluateAnswer {
  std::variant<EvaluatedTrees, EvaluatedWindows> of;
  std::optional<Document> report;
  std::vector<std::string> warnings;
};

// Fields that contradict each other or what the dataset is: its first line is looked at.
Status check(const EvaluateRequest& request);
// A report takes minutes: `begins` is told what it begins with.
Result<EvaluateAnswer> evaluate(const EvaluateRequest& request, const Services& services,
                                const std::function<void(std::string_view)>& begins);

// The contracts of docs/schemas/evaluate.schema.json and evaluate-kernels.schema.json.
std::string to_json(const EvaluateAnswer& answer);
std::string to_json(const Study& study);
std::string to_json(const EvaluatedWindows& answer);

// Every node's held-out prediction, one JSON object a line, in pieces. The errors in the study are
// the means of theirs.
void write_predictions(const EvaluatedTrees& answer,
                       const std::function<void(std::string_view)>& write);

}  // namespace wattree
