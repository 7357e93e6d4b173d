#include "src/report/document/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattree {
namespace {

std::string digits(double value, int count = 1) { return fmt::format("{:.{}f}", value, count); }

DocumentTable table_of(std::string title, const NamedErrors& rows) {
  DocumentTable table;
  table.titles = {std::move(title), "windows",     "mean",        "by energy",
                  "bias",           "p50",         "p90",         "p99",
                  "time",           "p99 of time", "inside 90 %", "half-width"};
  for (const auto& [name, e] : rows) {
    table.rows.push_back({name, std::to_string(e.count), digits(e.mean), digits(e.weighted),
                          fmt::format("{:+.1f}", e.bias), digits(e.p50), digits(e.p90),
                          digits(e.p99), digits(e.time_mean), digits(e.time_p99),
                          digits(e.coverage), digits(e.width)});
  }
  return table;
}

void add_hold_out(Document& document, const KernelEvaluation& evaluation) {
  const bool is_family = evaluation.left_out == LeaveOut::kFamily;
  const std::string what = is_family ? "family" : "model";
  document.blocks.emplace_back(Heading{is_family ? "Nothing known, each family left out"
                                                 : "Nothing known, each model left out"});
  document.blocks.emplace_back(Paragraph{
      fmt::format("Prediction proper: no kernel of the {0} was measured for it. Everything of one "
                  "{0} is left out, with all single kernels "
                  "that do the same work as one of its kernels; prices are fitted on the rest, and "
                  "every window of the {0} is predicted. "
                  "Mean error of whole passes: 90 % of bootstrap samples of models lie between {1} "
                  "and {2} %. Rank correlation of predicted "
                  "and measured energy over whole passes: {3}.",
                  what, digits(evaluation.mean_range.first), digits(evaluation.mean_range.second),
                  digits(evaluation.rank_correlation, 4))});
  document.blocks.emplace_back(table_of("error in %", evaluation.by_subject));
  document.blocks.emplace_back(table_of("passes and steps, by precision", evaluation.by_dtype));
  document.blocks.emplace_back(table_of("whole passes, by their time", evaluation.by_time));
  document.blocks.emplace_back(table_of("passes and steps, by " + what, evaluation.by_group));
}

}  // namespace

Document kernel_report(const std::string& dataset, const KernelDataAnswer& input,
                       const KernelEvaluation& families, const KernelEvaluation& models,
                       const MeasurementChecks& checks) {
  const KernelData& data = input.data;
  Document document;
  document.title = "How far predictions for the " + data.hardware + " are off";
  document.blocks.emplace_back(
      Paragraph{fmt::format("Written by `wattree evaluate {} <report> FILE`. {} windows of {} "
                            "models in {} families, measured by the {}; {} more are "
                            "doubtful and left out. An error is 100 |predicted - measured| / "
                            "measured; energies of different cards are brought to the "
                            "middle one by their anchors. \"By energy\" weighs every window by its "
                            "energy. Intervals are tested on families (models) that had no "
                            "part in making them, and on the energy of the card itself.",
                            dataset, data.samples.size(), data.models.size(), data.families.size(),
                            data.meter, input.doubtful)});
  add_hold_out(document, families);
  add_hold_out(document, models);
  document.blocks.emplace_back(Heading{"Leaves known: do the parts add up?"});
  document.blocks.emplace_back(
      Paragraph{"Additivity, not prediction: kernels that were measured by themselves (weights "
                "cold, activations in the cache), added up "
                "by their counts, over the whole pass. Passes of which kernels with 90 % of the "
                "energy were measured, below the power "
                "limit; for the rest the prices stand in."});
  DocumentTable parts;
  parts.titles = {"pass", "measured, % of energy", "energy, sum over whole",
                  "time, sum over whole"};
  for (const Additivity& a : checks.additivity) {
    parts.rows.push_back({a.name, digits(100 * a.covered), digits(a.energy, 3), digits(a.time, 3)});
  }
  document.blocks.emplace_back(std::move(parts));
  document.blocks.emplace_back(Heading{"Node known: does a measurement repeat?"});
  document.blocks.emplace_back(Paragraph{fmt::format(
      "{} passes were measured twice, some on another card. Over the anchors they are {} % apart "
      "(median), {} % at most.",
      checks.repeats, digits(checks.repeat_median, 2), digits(checks.repeat_most, 2))});
  return document;
}

Document check_report(const std::string& dataset, const KernelDataAnswer& input,
                      const Predictor& predictor, const KernelEvaluation& check) {
  const KernelData& data = input.data;
  const std::size_t seen = models_fitted_to(data, predictor).size();
  Document document;
  document.title = "How far the predictor " + predictor.name + " is off on " + data.hardware;
  document.blocks.emplace_back(Paragraph{fmt::format(
      "Written by `wattree evaluate {} <predictor> {} <report> FILE`. {} windows of {} models in "
      "{} "
      "families, measured by the {}; {} more are doubtful and left out. The predictor was fitted "
      "to "
      "{}. An error is 100 |predicted - measured| / measured; how this card differs from those "
      "that "
      "the predictor was fitted to is in it. Intervals are the predictor's own. Mean error of "
      "whole "
      "passes: 90 % of bootstrap samples of models lie between {} and {} %. Rank correlation of "
      "predicted and measured energy over whole passes: {}.",
      dataset, predictor.name, data.samples.size(), data.models.size(), data.families.size(),
      data.meter, input.doubtful,
      seen == 0 ? "none of these models" : std::to_string(seen) + " of these models",
      digits(check.mean_range.first), digits(check.mean_range.second),
      digits(check.rank_correlation, 4))});
  document.blocks.emplace_back(table_of("error in %", check.by_subject));
  if (!check.by_kind.empty()) {
    document.blocks.emplace_back(table_of("passes and steps, by kind of work", check.by_kind));
  }
  document.blocks.emplace_back(table_of("passes and steps, by precision", check.by_dtype));
  if (!check.over_anchor.empty()) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "Over the card's anchor, predictions of energy are scaled: the anchor pass takes {} J "
        "here, and {} J on the middle one of the cards that the predictor was fitted to.",
        digits(data.anchor.energy.value, 3), digits(predictor.anchor.energy.value, 3))});
    document.blocks.emplace_back(
        table_of("passes and steps, over the card's anchor", check.over_anchor));
  }
  document.blocks.emplace_back(table_of("whole passes, by their time", check.by_time));
  document.blocks.emplace_back(table_of("passes and steps, by model", check.by_group));
  DocumentTable rows;
  rows.titles = {"pass or step", "measured, J", "error, %", "measured, ms", "error, %"};
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!sample.is_pass() || sample.is_eager) continue;
    const SampleEstimate& estimate = *check.estimates[i];
    rows.rows.push_back({sample.name, digits(sample.raw_energy().value, 3),
                         fmt::format("{:+.1f}", 100 * (estimate.energy / sample.raw_energy() - 1)),
                         digits(1e3 * sample.time.value, 3),
                         fmt::format("{:+.1f}", 100 * (estimate.time / sample.time - 1))});
  }
  document.blocks.emplace_back(Heading{"One by one"});
  document.blocks.emplace_back(std::move(rows));
  return document;
}

}  // namespace wattree
