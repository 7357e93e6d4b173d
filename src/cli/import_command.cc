#include <memory>
#include <ostream>

#include "src/api/learn/dataset.h"
#include "src/cli/command.h"

namespace wattree {
namespace {

CommandSyntax describe(CommandSyntax app, ImportRequest& request) {
  const CommandSyntax import =
      app.add_subcommand("import", "Turn what others measured into a dataset");
  import.require_subcommand();
  const CommandSyntax irene = import.add_subcommand(
      "irene",
      "IrEne's published CSV files: {ml1,ml2,module,model}_level_features.csv, or .csv.gz");
  irene.add_option("DIR", request.folder, "The folder with the four files").required();
  irene.add_option("-o,--output", request.output, "The JSON Lines file to write [standard output]");
  irene.add_flag("--skip-bad", request.skip_bad,
                 "Leave out trees with bad rows [a bad row stops the import]");
  irene.footer(
      "Example:\n"
      "  wattree import irene ./irene-data -o data.jsonl\n\n"
      "Parameters, and kernels that are not nodes, are computed: see docs/datasets.md.\n");
  import.footer("Example:\n  wattree import irene ./irene-data -o data.jsonl\n");
  return import;
}

int run(ImportRequest& request, Surroundings& world) {
  if (request.output == "-") request.output.clear();
  const Result<ImportAnswer> answer = import_published(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  const Dataset& dataset = answer.value().dataset;
  note_skipped(dataset.skipped, "tree", dataset.problems.text(), world);
  if (request.output.empty()) {
    world.out << to_json_lines(answer.value());
    return 0;
  }
  world.out << request.output.string() << ": " << dataset.trees.size() << " trees of "
            << answer.value().models << " models, " << answer.value().nodes << " nodes\n";
  return 0;
}

}  // namespace

Command import_command(CommandSyntax app) {
  auto request = std::make_shared<ImportRequest>();
  const CommandSyntax import = describe(app, *request);
  return {import, [request](Surroundings& world) { return run(*request, world); },
          [request] { return request->output.empty() || request->output == "-"; }};
}

}  // namespace wattree
