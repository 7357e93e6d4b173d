#include "src/predict/irene/fit.h"

#include <cmath>
#include <set>

#include "src/predict/irene/inner.h"
#include "src/predict/irene/leaves.h"

namespace wattree {
namespace {

Status check(const IreneOptions& options) {
  const auto bad = [](const std::string& what) {
    return Error{ErrorCode::kInvalidInput, what, ""};
  };
  if (!(options.tau > 0) || !std::isfinite(options.tau)) return bad("tau must be above 0");
  if (options.epochs < 0) return bad("the number of epochs must not be negative");
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    return bad("the learning rate must be above 0");
  }
  return {};
}

}  // namespace

Result<IreneFit> fit_irene(std::span<const DatasetTree* const> trees, const IreneOptions& options) {
  if (const Status failure = check(options); !failure.ok()) return failure.error();
  IreneFit out;
  out.model.options = options;
  std::set<std::string_view> models;
  for (const DatasetTree* tree : trees) models.insert(tree->model_name);
  if (models.size() == 1) {
    out.warnings.push_back("all trees are of one model, " + std::string(*models.begin()) +
                           ": nothing here says how well this serves another");
  }

  auto leaves = fit_leaves(trees, options.features, out.warnings);
  if (!leaves.ok()) return leaves.error();
  out.model.leaves = std::move(leaves).value();
  if (options.aggregate != IreneAggregate::kSum) {
    auto inner = fit_inner(trees, out.model.leaves, options, out.warnings);
    if (!inner.ok()) return inner.error();
    out.model.inner = std::move(inner).value();
  }
  return out;
}

}  // namespace wattree
