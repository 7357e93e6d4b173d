#include "src/report/table/model_comparison_table.h"

#include <fmt/format.h>

#include "src/report/table/prediction_table.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/report/table/tree_table.h"

namespace wattree {

std::string comparison_table(const ModelComparison& comparison) {
  const Prediction& first = comparison.models.front().prediction;
  std::vector<std::vector<std::string>> rows;
  bool differs = false;  // In precision or attention: a config may decide them.
  for (const ComparedModel& model : comparison.models) {
    const BuiltModel& answer = model.prediction.built;
    differs = differs || answer.pass.precision != first.built.pass.precision ||
              answer.pass.attention != first.built.pass.attention;
    const PassEstimate e = model.prediction.root();
    const double per_item = e.energy_per(static_cast<double>(answer.pass.batch)).value;
    const auto tokens = tokens_per_item(answer);
    const bool is_first = &model == &comparison.models.front();
    const bool is_above = comparison.limit && model.ratio > 1 + *comparison.limit;
    rows.push_back(
        {answer.model, answer.class_name,
         fmt::format("{}, {}", name_of(answer.pass.precision), name_of(answer.pass.attention)),
         with_prefix(static_cast<double>(answer.tree.root().params)),
         model.prediction.has_times() ? with_any_prefix(e.time.value, "s") : "–",
         with_any_prefix(e.energy.value, "J"), plus_minus(e.energy_spread()),
         tokens ? with_any_prefix(per_item / static_cast<double>(*tokens), "J") : "–",
         basis_text(model.prediction.by), is_first ? "1" : fmt::format("{:.3f}", model.ratio),
         is_first ? "" : fmt::format("{:.3f} to {:.3f}", model.ratio_low, model.ratio_high),
         is_above ? "above the limit" : ""});
  }
  return prediction_headline(first.by, first.built.pass, pass_phrase(first.built)) +
         (differs ? " (precision and attention: see each)" : "") + "\n\n" +
         render_table({{"model"},
                       {"class"},
                       {"as"},
                       {"params", true},
                       {"time", true},
                       {"energy", true},
                       {"90 %", true},
                       {"per token", true},
                       {"basis"},
                       {"ratio", true},
                       {"90 %"},
                       {""}},
                      rows) +
         "The errors of kernels that both models run cancel in a ratio. The more energy these "
         "kernels take,\nthe narrower is the ratio's interval.\n";
}

}  // namespace wattree
