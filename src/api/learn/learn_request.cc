#include "src/api/learn/learn_request.h"

#include <algorithm>

#include "src/base/text.h"

namespace wattree {

ModelChoice read_model_choice(JsonFields& fields) {
  ModelChoice out;
  out.include = fields.texts("include");
  out.exclude = fields.texts("exclude");
  out.takes_all = fields.flag("all_models");
  out.skips_bad = fields.flag("skip_bad");
  return out;
}

std::vector<std::filesystem::path> all_paths(const std::string& dataset,
                                             const std::vector<std::string>& further) {
  std::vector<std::filesystem::path> out{dataset};
  out.insert(out.end(), further.begin(), further.end());
  return out;
}

std::string all_names(const std::string& dataset, const std::vector<std::string>& further) {
  std::string out = dataset;
  for (const std::string& name : further) out += " " + name;
  return out;
}

Error of_windows(const std::vector<std::string>& further, Error error) {
  error.field = further.empty() ? "dataset" : "";
  return error;
}

Status check_single(const std::string& dataset, const std::vector<std::string>& further) {
  if (further.empty()) return {};
  return Error{ErrorCode::kInvalidInput,
               "only windows are read from several places, and " + dataset + " holds trees",
               "give one dataset of trees", "further"};
}

MethodRequest read_method_request(JsonFields& fields) {
  return {fields.text("aggregate"), fields.text("features")};
}

Result<Method> parse_method(const MethodRequest& request) {
  Method out;
  if (!request.aggregate.empty()) {
    const auto aggregate = parse_aggregate(request.aggregate);
    if (!aggregate) {
      return Error{ErrorCode::kInvalidInput, "aggregate \"" + request.aggregate + "\" is not known",
                   "choose of " + join(std::vector<std::string>(kAggregateNames.begin(),
                                                                kAggregateNames.end())),
                   "aggregate"};
    }
    out.aggregate = *aggregate;
  }
  if (request.features.empty()) return out;
  const auto found =
      std::find_if(std::begin(kIreneFeatureSets), std::end(kIreneFeatureSets),
                   [&](IreneFeatures features) { return name_of(features) == request.features; });
  if (found == std::end(kIreneFeatureSets)) {
    return Error{ErrorCode::kInvalidInput, "features \"" + request.features + "\" are not known",
                 "choose all, model or resource", "features"};
  }
  out.features = *found;
  return out;
}

}  // namespace wattree
