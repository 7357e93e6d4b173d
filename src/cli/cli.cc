#include "src/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "src/api/models.h"
#include "src/api/tree.h"
#include "src/base/json_writer.h"
#include "src/base/text.h"
#include "src/base/version.h"
#include "src/cli/completions.h"
#include "src/cli/quantity.h"
#include "src/cli/table.h"
#include "src/cli/tree_table.h"
#include "src/hub/bundled.h"
#include "src/hub/options.h"
#include "src/hub/resolve.h"

namespace wattree {
namespace {

constexpr int kUsage = 2;

int fail(const Error& error, bool as_json, Surroundings& world) {
  const ErrorMeaning meaning = meaning_of(error.code);
  if (as_json) {
    JsonWriter out;
    out.begin_object();
    out.key("error");
    out.begin_object();
    out.field("code", meaning.name);
    out.field("message", error.message);
    out.field("hint", error.hint);
    out.end_object();
    out.end_object();
    world.err << out.take() << "\n";
  } else {
    world.err << "wattree: " << error.message << "\n";
    if (!error.hint.empty()) world.err << "  hint: " << error.hint << "\n";
  }
  return meaning.exit_code;
}

// --- wattree tree ---

struct TreeFlags {
  std::string model;
  TreeQuery query;
  std::int64_t target_len = 0;
  std::vector<std::string> sets;
  std::string level;
  int depth = -1;
  std::string revision;
  bool json = false, csv = false, all = false;
};

void describe_tree(CLI::App& app, TreeFlags& flags) {
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
  tree->add_option("--target-len", flags.target_len,
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
}

int run_tree(TreeFlags& flags, Surroundings& world) {
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

// --- wattree models ---

struct ModelFlags {
  bool json = false, names = false;
};

void describe_models(CLI::App& app, ModelFlags& flags) {
  CLI::App* models = app.add_subcommand("models", "List the bundled models and the known families");
  models->footer(
      "Any other model of a known family needs no more than its config.json:\n"
      "  wattree tree ./config.json\n");
  CLI::Option* json = models->add_flag("--json", flags.json, "Print JSON");
  models->add_flag("--names", flags.names, "Print just the names, one a line")->excludes(json);
}

int run_models(const ModelFlags& flags, Surroundings& world) {
  if (flags.names) {
    for (const BundledModel& model : bundled_models()) world.out << model.name << "\n";
    return 0;
  }
  const Result<std::vector<KnownModel>> models = known_models();
  if (!models.ok()) return fail(models.error(), flags.json, world);
  const std::vector<KnownFamily> known = known_families();
  if (flags.json) {
    world.out << to_json(models.value(), known);
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const KnownModel& model : models.value()) {
    rows.push_back({model.name, model.model_type, model.class_name,
                    with_prefix(static_cast<double>(model.params))});
  }
  world.out << render_table({{"model"}, {"family"}, {"class"}, {"params", true}}, rows) << "\n";
  std::vector<std::string> types;
  for (const KnownFamily& family : known) types.emplace_back(family.model_type);
  world.out
      << "Any model of these families works from its config.json, or as org/name on the Hub:\n";
  std::string line;
  for (const std::string& type : types) {
    if (line.size() + type.size() > 90) {
      world.out << "  " << line << "\n";
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + type;
  }
  world.out << "  " << line << "\n";
  return 0;
}

// --- wattree completions ---

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> out;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words{command->get_name(), command->get_description(), {}, false};
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_snames()) words.options.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) words.options.push_back("--" + name);
      if (option->get_positional() && option->get_name(true) == "MODEL") words.takes_model = true;
    }
    out.push_back(std::move(words));
  }
  return out;
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, Surroundings world) {
  CLI::App app("Where the energy of machine-learning models goes: before, during and after a run.",
               "wattree");
  app.set_version_flag("--version", std::string("wattree ") + kVersion);
  app.require_subcommand(1);
  app.footer("`wattree COMMAND --help` shows a command's options and examples.\n");
  TreeFlags tree;
  ModelFlags models;
  std::string shell;
  describe_tree(app, tree);
  describe_models(app, models);
  CLI::App* completions =
      app.add_subcommand("completions", "Print a completion script for bash, zsh or fish");
  completions->add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->footer("Example:\n  eval \"$(wattree completions bash)\"\n");
  try {
    // CLI11 takes the arguments last to first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    app.exit(error, world.out, world.err);
    return asked ? 0 : kUsage;
  }
  if (app.got_subcommand("tree")) {
    if (app.get_subcommand("tree")->count("--target-len") > 0) {
      tree.query.target_len = tree.target_len;
    }
    return run_tree(tree, world);
  }
  if (app.got_subcommand("models")) return run_models(models, world);
  world.out << completion_script(shell, command_words(app));
  return 0;
}

}  // namespace wattree
