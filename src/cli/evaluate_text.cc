#include "src/cli/evaluate_text.h"

#include <fmt/format.h>

#include "src/base/text.h"
#include "src/cli/learn_flags.h"
#include "src/report/document/accuracy_report.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

std::vector<std::string> row(std::string title, const LevelValues& values) {
  return {std::move(title), percent_cell(values.at[0]), percent_cell(values.at[1]),
          percent_cell(values.at[2])};
}

bool has_any(const LevelValues& values) { return values.at[0] || values.at[1] || values.at[2]; }

std::string headline(const Study& answer, const StudyData& input) {
  const StudyOptions& query = answer.query;
  std::int64_t measured = 0;
  for (const WorkTree& tree : input.data.work.trees) {
    for (const WorkNode& node : tree.nodes) measured += node.energy.has_value();
  }
  const bool is_own = query.aggregate == Aggregate::kReconciled;
  std::string out =
      fmt::format("{}, {}, {}\n{}: {} trees of {} models, {} measured nodes\n",
                  name_of(query.hold_out), name_of(query.aggregate),
                  is_own ? std::string(name_of(query.known)) + " known"
                         : std::string(features_of(query)) + " features",
                  answer.dataset, input.data.trees.size(), answer.models.size(), measured);
  if (!answer.models_left_out.empty()) {
    out += "Not taken in: " + in_words(answer.models_left_out) + "\n";
  }
  return out;
}

using Rows = std::vector<std::vector<std::string>>;

std::string level_table(std::string title, const Rows& rows) {
  return "\n" +
         render_table({{std::move(title)}, {"ml", true}, {"module", true}, {"model", true}}, rows);
}

Rows fold_rows(const Study& study) {
  const Evaluation& e = study.evaluation;
  Rows rows;
  for (const FoldErrors& fold : e.rows) rows.push_back(row(fold.left_out, fold.errors));
  rows.push_back(row("all nodes", e.overall));
  rows.push_back(row("mean of the rows", e.overall_macro));
  if (study.by_seed.empty()) return rows;
  std::vector<std::string> least{"least of " + std::to_string(study.by_seed.size()) + " seeds"};
  std::vector<std::string> most{"most of them"};
  for (std::size_t l = 0; l < kTreeLevels; ++l) {
    const auto range = seed_range(study, l);
    least.push_back(percent_cell(range ? std::optional(range->first) : std::nullopt));
    most.push_back(percent_cell(range ? std::optional(range->second) : std::nullopt));
  }
  rows.push_back(std::move(least));
  rows.push_back(std::move(most));
  return rows;
}

Rows comparison_rows(const Study& study) {
  const Evaluation& e = study.evaluation;
  Rows rows;
  for (const auto& [name, index] : {std::pair{"half of the nodes within", 0},
                                    {"90 % of the nodes within", 1},
                                    {"99 % of the nodes within", 2}}) {
    LevelValues values;
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      values.at[l] = e.quantiles[l].at[static_cast<std::size_t>(index)];
    }
    rows.push_back(row(name, values));
  }
  if (has_any(e.coverage)) {
    rows.push_back(row("inside their 90 % interval, % of nodes", e.coverage));
    rows.push_back(row("half-width of that interval", e.width));
  }
  if (has_any(e.time)) rows.push_back(row("error of the predicted time", e.time));
  for (const Baseline& baseline : study.baselines) {
    rows.push_back(row("baseline: " + title_of(baseline), baseline.errors));
  }
  rows.push_back(row("floor: the same computation again", study.floor));
  return rows;
}

std::string text_of(const EvaluatedTrees& answer) {
  const Study& study = answer.study;
  const Evaluation& e = study.evaluation;
  std::string out = headline(study, answer.data) +
                    level_table("error in %, left out", fold_rows(study)) +
                    level_table("to compare with, in %", comparison_rows(study));
  Rows types;
  for (const auto& [type, errors] : e.by_type) types.push_back({type, percent_cell(errors.at[0])});
  out += "\n" + render_table({{"error in %, leaves"}, {"ml", true}}, types);
  if (study.query.aggregate == Aggregate::kReconciled && e.looked_up > 0) {
    out += fmt::format(
        "\n{:.0f} % of the leaves were looked up: the same kernel was measured in another model\n"
        "(--no-twins predicts them too).\n",
        100 * e.looked_up);
  }
  for (const std::string& note : study.notes) out += "\nNote: " + note + ".\n";
  return out;
}

std::string window_table(std::string title, const NamedErrors& all) {
  Rows rows;
  for (const auto& [name, errors] : all) {
    rows.push_back({name, std::to_string(errors.count), percent_cell(errors.mean),
                    percent_cell(errors.weighted), percent_cell(errors.p50),
                    percent_cell(errors.p90), percent_cell(errors.p99),
                    percent_cell(errors.time_mean), percent_cell(errors.coverage),
                    percent_cell(errors.width)});
  }
  return "\n" + render_table({{std::move(title)},
                              {"windows", true},
                              {"mean", true},
                              {"by energy", true},
                              {"p50", true},
                              {"p90", true},
                              {"p99", true},
                              {"time", true},
                              {"in 90 %", true},
                              {"± half", true}},
                             rows);
}

std::string text_of(const EvaluatedWindows& answer) {
  const KernelDataAnswer& input = answer.data;
  const KernelEvaluation& e = answer.evaluation;
  const bool is_family = e.left_out && *e.left_out == LeaveOut::kFamily;
  std::string out = fmt::format(
      "{}, nothing known\n{}: {} windows of {} models in {} families; {} doubtful ones left out\n",
      !e.left_out ? "predicted by a predictor that was there before"
      : is_family ? "leave-one-family-out"
                  : "leave-one-model-out",
      input.data.hardware, input.data.samples.size(), input.data.models.size(),
      input.data.families.size(), input.doubtful);
  out += window_table("error in %", e.by_subject);
  out += window_table("passes and steps, by precision", e.by_dtype);
  if (!e.over_anchor.empty()) {
    out += window_table("passes and steps, over the card's anchor", e.over_anchor);
  }
  if (!e.by_kind.empty()) out += window_table("passes and steps, by kind of work", e.by_kind);
  out += window_table(is_family ? "passes and steps, by family" : "passes and steps, by model",
                      e.by_group);
  out += fmt::format("\nRank correlation over whole passes: {:.4f}\n", e.rank_correlation);
  return out;
}

}  // namespace

std::string text_of(const EvaluateAnswer& answer) {
  return std::visit([](const auto& of) { return text_of(of); }, answer.of);
}

}  // namespace wattree
