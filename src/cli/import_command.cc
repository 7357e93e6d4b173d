#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <set>

#include "src/api/dataset.h"
#include "src/cli/command.h"

namespace wattree {
namespace {

struct ImportFlags {
  std::string folder;
  std::string output;
  ImportOptions options;
};

CLI::App* describe(CLI::App& app, ImportFlags& flags) {
  CLI::App* import = app.add_subcommand("import", "Turn what others measured into a dataset");
  import->require_subcommand(1);
  CLI::App* irene = import->add_subcommand(
      "irene",
      "IrEne's published CSV files: {ml1,ml2,module,model}_level_features.csv, or .csv.gz");
  irene->add_option("DIR", flags.folder, "The folder with the four files")->required();
  irene->add_option("-o,--output", flags.output, "The JSON Lines file to write [standard output]");
  irene->add_flag("--skip-bad", flags.options.skips_bad,
                  "Leave out trees with bad rows; otherwise one bad row and nothing is written");
  irene->footer(
      "Example:\n"
      "  wattree import irene ./irene-data -o data.jsonl\n\n"
      "Parameters and kernels that are no nodes are worked out: docs/datasets.md says how.\n");
  return import;
}

int run(const ImportFlags& flags, Surroundings& world) {
  const Result<Dataset> read = import_irene(std::filesystem::path(flags.folder), flags.options);
  if (!read.ok()) return fail(read.error(), false, world);
  const Dataset& dataset = read.value();
  note_skipped(dataset.skipped, "tree", dataset.problems.text(), world);
  if (flags.output.empty() || flags.output == "-") {
    for (const DatasetTree& tree : dataset.trees) world.out << to_json_line(tree);
    return 0;
  }
  if (const Status failure = write_dataset(flags.output, dataset.trees); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  std::size_t nodes = 0;
  std::set<std::string_view> models;
  for (const DatasetTree& tree : dataset.trees) {
    nodes += tree.nodes.size();
    models.insert(tree.model_name);
  }
  world.out << flags.output << ": " << dataset.trees.size() << " trees of " << models.size()
            << " models, " << nodes << " nodes\n";
  return 0;
}

}  // namespace

Command import_command(CLI::App& app) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* import = describe(app, *flags);
  return {import, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
