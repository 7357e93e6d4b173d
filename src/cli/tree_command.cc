#include <memory>
#include <ostream>

#include "src/api/predict/tree.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"
#include "src/cli/script_flags.h"
#include "src/report/table/tree_table.h"

namespace wattree {
namespace {

struct TreeFlags {
  std::string model;
  PassFlags pass;
  ScriptFlags script;
  ViewFlags view;
  bool json = false, csv = false;
};

CommandSyntax describe(CommandSyntax app, TreeFlags& flags) {
  const CommandSyntax tree =
      app.add_subcommand("tree", "Show a model's tree with parameters, FLOPs and bytes");
  tree.footer(
      "Examples:\n"
      "  wattree tree bert-base-uncased -b 16 -s 128\n"
      "  wattree tree meta-llama/Llama-3.2-1B --past 1024 --dtype bf16 --level math\n"
      "  wattree tree ./my-model/config.json --json | jq .params\n"
      "  wattree tree model.pt --input \"i64[16,128]<30522\"\n"
      "  wattree tree gpt2 --set n_layer=24 --as base --csv > tree.csv\n\n"
      "A module's figures are the sums of its children's; tied weights count once. FLOPs count a\n"
      "multiply-add as 2. Bytes are what must be read and written at least once. See\n"
      "docs/trees.md.\n");
  tree.add_option("MODEL", flags.model, kModelHelp).required();
  describe_size(tree, flags.pass);
  describe_pass(tree, flags.pass, PrecisionUse::kCounted);
  describe_script(tree, flags.script);
  describe_view(tree, flags.view);
  const CommandOption json =
      tree.add_flag("--json", flags.json, "Print JSON (docs/schemas/tree.schema.json)");
  tree.add_flag("--csv", flags.csv, "Print CSV, one row per node").excludes(json);
  return tree;
}

int run(TreeFlags& flags, Surroundings& world) {
  const Result<TreeView> view = view_of(flags.view, flags.json || flags.csv);
  if (!view.ok()) return usage_error(view.error(), flags.json, world);
  if (const Status failure = read_sets(flags.pass); !failure.ok())
    return usage_error(failure.error(), flags.json, world);
  const TreeRequest request{model_ref(flags.model, flags.pass, flags.script), flags.pass.query,
                            view.value()};
  const Result<TreeAnswer> answered = tree(request, world.services);
  if (!answered.ok()) return fail(answered.error(), flags.json, world);
  const TreeAnswer& answer = answered.value();
  show_notes(answer.notes, world);
  if (flags.json) {
    world.out << to_json(answer);
  } else if (flags.csv) {
    world.out << to_csv(answer);
  } else {
    world.out << tree_headline(answer.built) << "\n"
              << tree_table(answer.built, answer.view, flags.view.all);
  }
  return 0;
}

}  // namespace

Command tree_command(CommandSyntax app) {
  auto flags = std::make_shared<TreeFlags>();
  const CommandSyntax tree = describe(app, *flags);
  return {tree, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json || flags->csv; }};
}

}  // namespace wattree
