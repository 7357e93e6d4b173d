#include "src/cli/learn_flags.h"

#include <fmt/format.h>

#include <ostream>

namespace wattree {

void describe_model_choice(CommandSyntax command, ModelChoice& choice) {
  for (const auto& [flag, names, what] :
       {std::tuple{"--include", &choice.include, "Use only this model of the dataset (repeatable)"},
        std::tuple{"--exclude", &choice.exclude, "Leave out this model (repeatable)"}}) {
    command.add_option(flag, *names, what).repeatable("MODEL");
  }
  command.add_flag("--all-models", choice.takes_all,
                   "Include sshleifer/tiny-ctrl, which IrEne published but left out of its paper");
  command.add_flag("--skip-bad", choice.skips_bad, "Skip bad lines");
}

void describe_method(CommandSyntax command, MethodRequest& request) {
  request.aggregate = "reconciled";
  command
      .add_option("--aggregate", request.aggregate,
                  "reconciled, or as IrEne does: end2end, stepwise, sum, unstructured")
      .one_of({kAggregateNames.begin(), kAggregateNames.end()})
      .type_name("METHOD")
      .show_default();
  command
      .add_option("--features", request.features,
                  "For IrEne's methods: all, model (known without a run) or resource [all]")
      .one_of({"all", "model", "resource"})
      .type_name("SET");
}

std::string percent_cell(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.2f}", *percent) : "–";
}

void print_warnings(const std::vector<std::string>& warnings, Surroundings& world) {
  for (const std::string& warning : warnings) {
    world.err << "wattree: warning: " << with_fields_named(warning, world.flag_of) << "\n";
  }
}

}  // namespace wattree
