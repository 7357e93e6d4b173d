#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/tree.h"
#include "src/cli/command.h"
#include "src/cli/tree_table.h"
#include "src/hub/options.h"
#include "src/hub/resolve.h"

namespace wattree {
namespace {

struct TreeFlags {
  std::string model;
  TreeQuery query;
  std::vector<std::string> sets;
  std::string level;
  int depth = -1;
  std::string revision;
  bool json = false, csv = false, all = false;
};

CLI::App* describe(CLI::App& app, TreeFlags& flags) {
  CLI::App* tree =
      app.add_subcommand("tree", "Show a model's tree with parameters, FLOPs and bytes");
  tree->footer(
      "Examples:\n"
      "  wattree tree bert-base-uncased -b 16 -s 128\n"
      "  wattree tree meta-llama/Llama-3.2-1B --past 1024 --dtype bf16 --level math\n"
      "  wattree tree ./my-model/config.json --json | jq .params\n"
      "  wattree tree gpt2 --set n_layer=24 --as GPT2LMHeadModel --csv > tree.csv\n\n"
      "A module's figures are the sums over its children, but for tied weights, which count once.\n"
      "FLOPs count a multiply-add as 2; bytes are what must be read and written once each. See\n"
      "docs/trees.md.\n");
  tree->add_option(
          "MODEL", flags.model,
          "A bundled name (see `wattree models`), a config.json or its folder, or org/name "
          "on the Hugging Face Hub")
      ->required();
  tree->add_option("-b,--batch", flags.query.batch, "Batch size")->capture_default_str();
  tree->add_option("-s,--seq", flags.query.seq,
                   "Sequence length of the source, in tokens [128; CLIP's text has 77]");
  tree->add_option("--target-len", flags.query.target_len,
                   "Decoder length of an encoder-decoder [as --seq]");
  tree->add_option("--past", flags.query.past,
                   "One decode step over a cache of this many tokens, instead of a full pass");
  tree->add_option("--dtype", flags.query.dtype,
                   "fp32, tf32, bf16, fp16, int8 or int4 [the config's, or else fp32]");
  tree->add_option("--attention", flags.query.attention, "sdpa or eager [sdpa]");
  tree->add_option(
      "--as", flags.query.as,
      "Class to build, such as BertForMaskedLM [the config's, or else the base model]");
  tree->add_option("--set", flags.sets, "Override a config field: key=value (repeatable)")
      ->take_all()
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false);
  tree->add_option("--depth", flags.depth, "Show at most this many levels below the root");
  tree->add_option("--level", flags.level,
                   "Show down to model, module, ml or math [ml; math in JSON and CSV]");
  tree->add_option("--revision", flags.revision, "Branch, tag or commit on the Hub [main]");
  tree->add_flag("--all", flags.all, "Give every layer rows of its own");
  CLI::Option* json =
      tree->add_flag("--json", flags.json, "Print JSON (docs/schemas/tree.schema.json)");
  tree->add_flag("--csv", flags.csv, "Print CSV, one row a node")->excludes(json);
  return tree;
}

int run(TreeFlags& flags, Surroundings& world) {
  const bool is_data = flags.json || flags.csv;
  TreeView view;
  view.level = is_data ? Level::kMath : Level::kMl;
  if (!flags.level.empty()) {
    const std::optional<Level> level = parse_level(flags.level);
    if (!level) {
      world.err << "wattree: level \"" << flags.level << "\" is not known\n"
                << "  hint: choose model, module, ml or math\n";
      return kUsage;
    }
    view.level = *level;
  }
  if (flags.depth >= 0) view.depth = flags.depth;
  for (const std::string& set : flags.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      world.err << "wattree: --set needs key=value, not \"" << set << "\"\n";
      return kUsage;
    }
    flags.query.overrides.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  HubOptions hub = hub_options_from(world.environment);
  if (!flags.revision.empty()) hub.revision = flags.revision;
  const Result<ModelText> text = resolve_model(flags.model, hub);
  if (!text.ok()) return fail(text.error(), flags.json, world);
  if (!text.value().note.empty()) world.err << "wattree: " << text.value().note << "\n";
  const Result<TreeAnswer> answer =
      tree_of(flags.model, text.value().json, text.value().origin, flags.query);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value(), view);
  } else if (flags.csv) {
    world.out << to_csv(answer.value(), view);
  } else {
    world.out << tree_headline(answer.value()) << "\n"
              << tree_table(answer.value(), view, flags.all);
  }
  return 0;
}

}  // namespace

Command tree_command(CLI::App& app) {
  auto flags = std::make_shared<TreeFlags>();
  CLI::App* tree = describe(app, *flags);
  return {tree, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
