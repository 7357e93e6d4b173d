#include "src/predict/evaluate/irene.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "src/predict/irene/fit.h"
#include "src/predict/irene/predict.h"

namespace wattree {
namespace {

bool is_in(const Group& group, std::int32_t model) {
  return std::find(group.models.begin(), group.models.end(), model) != group.models.end();
}

// The words of a warning, as far as its first bracket.
std::string without_counts(const std::string& warning) {
  std::string out;
  for (const char c : warning.substr(0, warning.find('('))) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out;
}

// Fits on all trees but the group's, and appends what that says of the group's.
Status evaluate_fold(const EvaluationData& data, const Group& group, const IreneOptions& options,
                     std::int32_t run, std::set<std::string>& warnings, IreneEvaluation& out) {
  std::vector<const DatasetTree*> training;
  for (std::size_t t = 0; t < data.trees.size(); ++t) {
    if (!is_in(group, data.work.trees[t].model)) training.push_back(data.trees[t]);
  }
  const Result<IreneFit> fitted = fit_irene(training, options);
  if (!fitted.ok()) return fitted.error();
  warnings.insert(fitted.value().warnings.begin(), fitted.value().warnings.end());
  for (std::size_t t = 0; t < data.trees.size(); ++t) {
    if (!is_in(group, data.work.trees[t].model)) continue;
    const IrenePrediction predicted = predict_irene(fitted.value().model, *data.trees[t]);
    warnings.insert(predicted.warnings.begin(), predicted.warnings.end());
    std::vector<double> children(predicted.energies.size(), 0.0);
    for (std::size_t i = 0; i < predicted.energies.size(); ++i) {
      const auto& energy = predicted.energies[i];
      if (!energy) {
        ++out.without;
        continue;
      }
      const std::int32_t parent = data.work.trees[t].nodes[i].parent;
      if (parent >= 0) children[static_cast<std::size_t>(parent)] += energy->value;
      NodePrediction p;
      p.tree = static_cast<std::int32_t>(t);
      p.node = static_cast<std::int32_t>(i);
      p.energy = *energy;
      p.own = Joules(energy->value - children[i]);
      p.seed = run;
      out.evaluation.predictions.push_back(p);
    }
  }
  return {};
}

}  // namespace

Result<IreneEvaluation> evaluate_irene(const EvaluationData& data, const std::vector<Group>& groups,
                                       IreneOptions options, int seeds) {
  if (options.aggregate == IreneAggregate::kSum) seeds = 1;
  IreneEvaluation out;
  std::set<std::string> warnings;
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::size_t before = out.evaluation.predictions.size();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      // Other first weights in every fold too: what they do to the error is then averaged over
      // folds as well as over seeds.
      options.seed = std::int64_t{100} * seed + static_cast<std::int64_t>(g);
      if (const Status failure = evaluate_fold(data, groups[g], options, seed, warnings, out);
          !failure.ok()) {
        return failure.error();
      }
    }
    Evaluation one;
    one.predictions.assign(out.evaluation.predictions.begin() + static_cast<std::ptrdiff_t>(before),
                           out.evaluation.predictions.end());
    summarise(data.work, groups, one);
    out.by_seed.push_back(one.overall);
  }
  summarise(data.work, groups, out.evaluation);
  out.evaluation.warnings = data.work.warnings;
  // Folds say the same with other counts: once is enough.
  std::set<std::string> said;
  for (const std::string& warning : warnings) {
    if (said.insert(without_counts(warning)).second) out.evaluation.warnings.push_back(warning);
  }
  return out;
}

}  // namespace wattree
