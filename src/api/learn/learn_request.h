// What the requests that learn from datasets have in common.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/json_fields.h"
#include "src/measure/dataset/choose_models.h"
#include "src/predict/fit/aggregate.h"

namespace wattree {

// include, exclude, all_models and skip_bad.
ModelChoice read_model_choice(JsonFields& fields);

// Windows may lie in several places; <further> are all but the first.
std::vector<std::filesystem::path> all_paths(const std::string& dataset,
                                             const std::vector<std::string>& further);
// As on a command line.
std::string all_names(const std::string& dataset, const std::vector<std::string>& further);
// An error of reading windows. It is of the dataset, unless one of several may be meant; a field
// that the error names is one of the files' own, and of no request.
Error of_windows(const std::vector<std::string>& further, Error error);
// Trees lie in one.
Status check_single(const std::string& dataset, const std::vector<std::string>& further);

// By which method, as a user writes it.
struct MethodRequest {
  std::string aggregate;  // "reconciled" (also empty), or of IrEne's: "end2end", "stepwise", …
  std::string features;   // Of IrEne's methods only: "all" (also empty), "model", "resource".
};
MethodRequest read_method_request(JsonFields& fields);

struct Method {
  Aggregate aggregate = Aggregate::kReconciled;
  IreneFeatures features = IreneFeatures::kAll;
};
Result<Method> parse_method(const MethodRequest& request);

}  // namespace wattree
