#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/train.h"
#include "src/cli/command.h"

namespace wattree {
namespace {

struct AnnotateFlags {
  std::string dataset, predictor, output;
  std::string known = "node";
  bool no_twins = false;
  bool skips_bad = false;
};

CLI::App* describe(CLI::App& app, AnnotateFlags& flags) {
  CLI::App* command =
      app.add_subcommand("annotate", "Fill predicted_energy in every node of a dataset");
  command->footer(
      "Example:\n"
      "  wattree annotate data.jsonl --predictor my-gpu.json -o annotated.jsonl\n\n"
      "Each node gets predicted_energy, and, where the predictor has them, predicted_low_j and\n"
      "predicted_high_j (its 90 % interval), predicted_own_j (what it takes besides its children)\n"
      "and predicted_time_s. With --known node every reading in the data is used; with nothing,\n"
      "none is. Trees pass through one by one, so that the file may be larger than memory.\n");
  command->add_option("DATASET", flags.dataset, "A dataset in JSON Lines, plain or gzip")
      ->required();
  command->add_option("--predictor", flags.predictor, "A predictor, as `wattree train` writes it")
      ->required();
  command->add_option("-o,--output", flags.output, "The annotated dataset")->required();
  command->add_option("--known", flags.known, "Which readings to use")
      ->check(
          CLI::IsMember(std::vector<std::string>{"nothing", "leaves", "children", "node", "root"}))
      ->capture_default_str();
  command->add_flag("--no-twins", flags.no_twins,
                    "Do not look up leaves that were measured before");
  command->add_flag("--skip-bad", flags.skips_bad, "Pass over bad lines");
  return command;
}

int run(const AnnotateFlags& flags, Surroundings& world) {
  const AnnotateOptions options{{parse_known(flags.known).value_or(Known::kNode), !flags.no_twins},
                                flags.skips_bad};
  const Result<AnnotateAnswer> answer =
      annotate_file(flags.dataset, flags.predictor, flags.output, options);
  if (!answer.ok()) return fail(answer.error(), false, world);
  world.err << fmt::format("wattree: {} nodes of {} trees annotated in {}\n", answer.value().nodes,
                           answer.value().trees, flags.output);
  for (const std::string& warning : answer.value().warnings) {
    world.err << "wattree: warning: " << warning << "\n";
  }
  return 0;
}

}  // namespace

Command annotate_command(CLI::App& app) {
  auto flags = std::make_shared<AnnotateFlags>();
  CLI::App* command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
