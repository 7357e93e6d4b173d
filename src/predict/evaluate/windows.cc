#include "src/predict/evaluate/windows.h"

#include <algorithm>

namespace wattree {

Result<KernelEvaluation> evaluate_on_kernels(const KernelDataAnswer& input, LeaveOut what) {
  const KernelData& data = input.data;
  const bool is_family = what == LeaveOut::kFamily;
  const std::size_t groups = is_family ? data.families.size() : data.models.size();
  if (groups < 2) {
    return Error{ErrorCode::kInvalidInput,
                 std::string(is_family ? "leave-one-family-out" : "leave-one-model-out") +
                     " needs two " + (is_family ? "families" : "models") +
                     " at least, and these windows have " + std::to_string(groups),
                 "profile others on the same device, into the same folder"};
  }
  return evaluate_kernels(data, what);
}

std::vector<std::string> models_fitted_to(const KernelData& data, const Predictor& predictor) {
  std::vector<std::string> out;
  for (const std::string& model : data.models) {
    if (std::find(predictor.models.begin(), predictor.models.end(), model) !=
        predictor.models.end()) {
      out.push_back(model);
    }
  }
  return out;
}

}  // namespace wattree
