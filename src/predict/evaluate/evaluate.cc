#include "src/predict/evaluate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace wattree {
namespace {

LeftOut mask_of(std::size_t models, const Group& group) {
  LeftOut mask(models, false);
  for (const std::int32_t m : group.models) mask[static_cast<std::size_t>(m)] = true;
  return mask;
}

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  std::optional<double> value() const {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

std::optional<double> quantile_if_any(std::vector<double>& values, double share) {
  if (values.empty()) return std::nullopt;
  const auto rank =
      static_cast<std::ptrdiff_t>(std::min(std::floor(share * static_cast<double>(values.size())),
                                           static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

// The architecture in a model's name, as far as its first known word: distil models are their own,
// because distillation changed the modules of one but not of the other, except that distilgpt2 is
// GPT2.
std::string family_of(const std::string& model) {
  std::string lower;
  for (const char c : model)
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* word :
       {"gpt", "distilbert", "albert", "roberta", "deberta", "electra", "bert", "ctrl", "t5",
        "bart", "opt", "llama", "qwen", "gemma", "mistral", "phi"}) {
    if (lower.find(word) == std::string::npos) continue;
    const std::string_view found(word);
    return found == "roberta" ? "bert" : std::string(found);
  }
  return model;
}

}  // namespace

std::vector<Group> model_groups(const WorkTrees& trees) {
  std::vector<Group> groups;
  for (std::size_t m = 0; m < trees.models.size(); ++m) {
    groups.push_back({trees.models[m], {static_cast<std::int32_t>(m)}});
  }
  return groups;
}

std::vector<Group> family_groups(const WorkTrees& trees) {
  std::vector<Group> groups;
  for (std::size_t m = 0; m < trees.models.size(); ++m) {
    const std::string family = family_of(trees.models[m]);
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.name == family; });
    if (it == groups.end()) it = groups.insert(groups.end(), {family, {}});
    it->models.push_back(static_cast<std::int32_t>(m));
  }
  return groups;
}

void summarise(const WorkTrees& trees, const std::vector<Group>& groups, Evaluation& evaluation) {
  std::vector<std::size_t> group_of(trees.models.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::int32_t m : groups[g].models) group_of[static_cast<std::size_t>(m)] = g;
  }
  using Means = std::array<Mean, kTreeLevels>;
  std::vector<Means> by_group(groups.size());
  Means overall, covered, width, time;
  std::array<std::vector<double>, kTreeLevels> errors;
  std::map<std::string, Mean> by_type;
  for (const NodePrediction& p : evaluation.predictions) {
    const WorkTree& tree = trees.trees[static_cast<std::size_t>(p.tree)];
    const WorkNode& node = tree.nodes[static_cast<std::size_t>(p.node)];
    const auto level = static_cast<std::size_t>(node.level);
    if (p.time && node.time) time[level].add(100 * std::abs(*p.time / *node.time - 1));
    if (!node.energy) continue;
    const double error = error_percent(p.energy, *node.energy);
    overall[level].add(error);
    by_group[group_of[static_cast<std::size_t>(tree.model)]][level].add(error);
    errors[level].push_back(error);
    if (level == 0) by_type[trees.types[static_cast<std::size_t>(node.type)]].add(error);
    if (p.low && p.high) {
      covered[level].add(*p.low <= *node.energy && *node.energy <= *p.high ? 100 : 0);
      if (p.energy > Joules()) {
        width[level].add(100 * (p.high->value - p.low->value) / (2 * p.energy.value));
      }
    }
  }
  Means macro;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    FoldErrors row{groups[g].name, {}};
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      row.errors.at[l] = by_group[g][l].value();
      if (row.errors.at[l]) macro[l].add(*row.errors.at[l]);
    }
    evaluation.rows.push_back(row);
  }
  for (std::size_t l = 0; l < kTreeLevels; ++l) {
    evaluation.overall.at[l] = overall[l].value();
    evaluation.overall_macro.at[l] = macro[l].value();
    evaluation.coverage.at[l] = covered[l].value();
    evaluation.width.at[l] = width[l].value();
    evaluation.time.at[l] = time[l].value();
    evaluation.quantiles[l].at = {quantile_if_any(errors[l], 0.5), quantile_if_any(errors[l], 0.9),
                                  quantile_if_any(errors[l], 0.99)};
  }
  for (const auto& [type, mean] : by_type) {
    evaluation.by_type.push_back({type, LevelValues{{mean.value(), std::nullopt, std::nullopt}}});
  }
}

Result<Evaluation> evaluate_reconciled(const WorkTrees& trees, const std::vector<Group>& groups,
                                       const ReconciledOptions& options) {
  Evaluation evaluation;
  evaluation.warnings = trees.warnings;
  const Samples samples(trees);
  const std::size_t models = trees.models.size();
  // Fits by what they leave out. Intervals for a left-out group come from leaving out one more
  // model at a time, and the fit without a and b serves both a and b.
  std::map<LeftOut, Predictor> fits;
  const auto fit_without = [&](const LeftOut& mask) -> Result<const Predictor*> {
    if (const auto it = fits.find(mask); it != fits.end()) return &it->second;
    Result<Predictor> fitted = fit(samples, mask, options.fit);
    if (!fitted.ok()) return fitted.error();
    return &fits.emplace(mask, std::move(fitted).value()).first->second;
  };
  std::int64_t leaves = 0;
  std::int64_t twins = 0;
  for (const Group& group : groups) {
    const LeftOut mask = mask_of(models, group);
    HeldOut held_out;
    for (std::size_t m = 0; m < models; ++m) {
      if (mask[m]) continue;
      LeftOut more = mask;
      more[m] = true;
      const auto fitted = fit_without(more);
      if (!fitted.ok()) continue;  // The last model cannot be left out too.
      add_held_out(*fitted.value(), samples, static_cast<std::int32_t>(m), options.predict,
                   held_out);
    }
    const auto fitted = fit_without(mask);
    if (!fitted.ok()) return fitted.error();
    Predictor predictor = *fitted.value();
    const bool is_calibrated = !held_out.energy[2].empty();
    if (is_calibrated) {
      predictor.spreads[static_cast<std::size_t>(options.predict.known)] =
          spread_of(std::move(held_out));
    }
    const TwinIndex index(predictor);
    for (std::size_t t = 0; t < trees.trees.size(); ++t) {
      const WorkTree& tree = trees.trees[t];
      if (!mask[static_cast<std::size_t>(tree.model)]) continue;
      const auto estimates = predict_tree(predictor, index, trees.types, tree, options.predict);
      for (std::size_t i = 0; i < estimates.size(); ++i) {
        const DatasetEstimate& e = estimates[i];
        leaves += tree.nodes[i].level == TreeLevel::kMl;
        twins += e.source == Source::kTwin;
        NodePrediction p{static_cast<std::int32_t>(t),
                         static_cast<std::int32_t>(i),
                         e.energy,
                         e.own,
                         {},
                         {},
                         {}};
        if (is_calibrated) {
          p.low = std::max(Joules(), e.energy * (1 - e.spread));
          p.high = e.energy * (1 + e.spread);
        }
        if (options.fit.with_times) p.time = e.time;
        evaluation.predictions.push_back(p);
      }
    }
  }
  evaluation.looked_up =
      leaves > 0 ? static_cast<double>(twins) / static_cast<double>(leaves) : 0.0;
  summarise(trees, groups, evaluation);
  return evaluation;
}

}  // namespace wattree
