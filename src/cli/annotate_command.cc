#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "src/api/learn/train.h"
#include "src/cli/command.h"
#include "src/cli/learn_flags.h"

namespace wattree {
namespace {

CommandSyntax describe(CommandSyntax app, AnnotateRequest& request) {
  request.known = "node";
  const CommandSyntax command =
      app.add_subcommand("annotate", "Fill predicted_energy in every node of a dataset");
  command.footer(
      "Example:\n"
      "  wattree annotate data.jsonl --predictor my-gpu.json -o annotated.jsonl\n\n"
      "Each node gets predicted_energy, and, where the predictor has them, predicted_low_j and\n"
      "predicted_high_j (its 90 % interval), predicted_own_j (what it takes besides its children)\n"
      "and predicted_time_s. With --known node every reading in the data is used; with nothing,\n"
      "none is. Trees pass through one by one, so that the file may be larger than memory.\n");
  command.add_option("DATASET", request.dataset, "A dataset in JSON Lines, plain or gzip")
      .required();
  command.add_option("--predictor", request.predictor, "A predictor, as `wattree train` writes it")
      .required();
  command.add_option("-o,--output", request.output, "The annotated dataset").required();
  command.add_option("--known", request.known, "Which readings to use")
      .one_of({"nothing", "leaves", "children", "node", "root"})
      .show_default();
  command.add_flag("--no-twins", request.no_twins,
                   "Do not reuse measurements of leaves with the same sizes");
  command.add_flag("--skip-bad", request.skip_bad, "Skip bad lines");
  return command;
}

int run(const AnnotateRequest& request, Surroundings& world) {
  const Result<AnnotateAnswer> answer = annotate(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  world.err << fmt::format("wattree: {} nodes of {} trees annotated in {}\n", answer.value().nodes,
                           answer.value().trees, request.output.string());
  print_warnings(answer.value().warnings, world);
  return 0;
}

}  // namespace

Command annotate_command(CommandSyntax app) {
  auto request = std::make_shared<AnnotateRequest>();
  const CommandSyntax command = describe(app, *request);
  return {command, [request](Surroundings& world) { return run(*request, world); }};
}

}  // namespace wattree
