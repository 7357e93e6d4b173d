#include "src/cli/pass_flags.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "src/models/hub/options.h"

namespace wattree {

void describe_size(CLI::App& command, PassFlags& flags) {
  command.add_option("-b,--batch", flags.query.batch, "Batch size")->capture_default_str();
  command.add_option("-s,--seq", flags.query.seq,
                     "Sequence length of the source, in tokens [128; CLIP's text has 77]");
}

void describe_pass(CLI::App& command, PassFlags& flags) {
  PassShape& query = flags.query;
  command.add_option("--target-len", query.target_len,
                     "Decoder length of an encoder-decoder [as --seq]");
  command.add_option("--past", query.past,
                     "One decode step over a cache of this many tokens, instead of a full pass");
  command.add_option("--dtype", query.dtype,
                     "fp32, tf32, bf16, fp16, int8 or int4 [the config's, or else fp32]");
  command.add_option("--attention", query.attention, "sdpa or eager [sdpa]");
  command.add_option(
      "--as", query.as,
      "Class to build, such as BertForMaskedLM [the config's, or else the base model]");
  command.add_option("--set", flags.sets, "Override a config field: key=value (repeatable)")
      ->take_all()
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false);
  command.add_option("--revision", flags.revision, "Branch, tag or commit on the Hub [main]");
}

Status read_sets(PassFlags& flags) {
  for (const std::string& set : flags.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kInvalidInput, "--set needs key=value, not \"" + set + "\"", ""};
    }
    flags.query.overrides.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  return {};
}

void describe_view(CLI::App& command, ViewFlags& flags) {
  command.add_option("--depth", flags.depth, "Show at most this many levels below the root");
  command.add_option("--level", flags.level,
                     "Show down to model, module, ml or math [ml; math in JSON and CSV]");
  command.add_flag("--all", flags.all, "Give every layer rows of its own");
}

Result<TreeView> view_of(const ViewFlags& flags, bool is_data) {
  TreeView view;
  view.level = is_data ? Level::kMath : Level::kMl;
  if (!flags.level.empty()) {
    const std::optional<Level> level = parse_level(flags.level);
    if (!level) {
      return Error{ErrorCode::kInvalidInput, "level \"" + flags.level + "\" is not known",
                   "choose model, module, ml or math"};
    }
    view.level = *level;
  }
  if (flags.depth >= 0) view.depth = flags.depth;
  return view;
}

Result<ModelText> find_model(const std::string& model, const PassFlags& flags,
                             Surroundings& world) {
  HubOptions hub = hub_options_from(world.environment);
  if (!flags.revision.empty()) hub.revision = flags.revision;
  Result<ModelText> text = resolve_model(model, hub);
  if (text.ok() && !text.value().note.empty()) {
    world.err << "wattree: " << text.value().note << "\n";
  }
  return text;
}

}  // namespace wattree
