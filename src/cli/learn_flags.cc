#include "src/cli/learn_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace wattree {

void describe_model_choice(CLI::App& command, ModelChoice& choice) {
  for (const auto& [flag, names, what] :
       {std::tuple{"--include", &choice.include, "Only this model of the dataset (repeatable)"},
        std::tuple{"--exclude", &choice.exclude, "Without this model (repeatable)"}}) {
    command.add_option(flag, *names, what)
        ->take_all()
        ->type_name("MODEL")
        ->expected(1)
        ->allow_extra_args(false);
  }
  command.add_flag("--all-models", choice.takes_all,
                   "Also sshleifer/tiny-ctrl, which IrEne published and its paper leaves out");
  command.add_flag("--skip-bad", choice.skips_bad, "Pass over bad lines");
}

void describe_method(CLI::App& command, MethodFlags& flags) {
  command
      .add_option("--aggregate", flags.aggregate,
                  "reconciled, or as IrEne does: end2end, stepwise, sum, unstructured")
      ->check(
          CLI::IsMember(std::vector<std::string>(kAggregateNames.begin(), kAggregateNames.end())))
      ->type_name("METHOD")
      ->capture_default_str();
  command
      .add_option("--features", flags.features,
                  "For IrEne's methods: all, model (known without a run) or resource [all]")
      ->check(CLI::IsMember(std::vector<std::string>{"all", "model", "resource"}))
      ->type_name("SET");
}

Aggregate aggregate_of(const MethodFlags& flags) {
  return parse_aggregate(flags.aggregate).value_or(Aggregate::kReconciled);
}

IreneFeatures features_of(const MethodFlags& flags) {
  for (const IreneFeatures set : kIreneFeatureSets) {
    if (name_of(set) == flags.features) return set;
  }
  return IreneFeatures::kAll;
}

std::string percent_cell(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.2f}", *percent) : "–";
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return out;
}

}  // namespace wattree
