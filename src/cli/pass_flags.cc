#include "src/cli/pass_flags.h"

#include <ostream>

#include "src/api/model/request_texts.h"

namespace wattree {

namespace {

void describe_precision(CommandSyntax command, std::string& dtype, PrecisionUse use) {
  std::vector<std::string> words{"fp32", "bf16", "fp16", "tf32"};
  if (use == PrecisionUse::kCounted) words.insert(words.end(), {"int8", "int4"});
  const bool is_ranked = use == PrecisionUse::kRanked;
  command
      .add_option("--dtype", dtype,
                  is_ranked ? "Precision of all models [bf16, where the predictor has it]"
                            : "Precision [the config's, or else fp32]")
      .offers(words);
}

}  // namespace

void describe_size(CommandSyntax command, PassFlags& flags) {
  command.add_option("-b,--batch", flags.query.batch, "Batch size").show_default();
  command.add_option("-s,--seq", flags.query.seq,
                     "Sequence length of the source, in tokens [128; CLIP's text has 77]");
}

void describe_pass(CommandSyntax command, PassFlags& flags, PrecisionUse use) {
  PassShape& query = flags.query;
  command.add_option("--target-len", query.target_len,
                     "Length of the decoder's input, for encoder-decoder models [as --seq]");
  command.add_option(
      "--past", query.past,
      "Take one decode step over a cache of this many tokens, instead of a full pass");
  describe_precision(command, query.dtype, use);
  command
      .add_option("--attention", query.attention,
                  "How attention is computed: by one fused kernel, or step by step [sdpa]")
      .offers({"sdpa", "eager"});
  command.add_option(
      "--as", query.as,
      "Class to build, such as BertForMaskedLM, or base, without any head [the config's, or else "
      "base]");
  command.add_option("--set", flags.sets, "Override a config field: key=value (repeatable)")
      .repeatable("KEY=VALUE");
  command.add_option("--revision", flags.revision, "Branch, tag or commit on the Hub [main]");
}

Status read_sets(PassFlags& flags) {
  for (const std::string& text : flags.sets) {
    Result<std::pair<std::string, std::string>> set = parse_set(text);
    if (!set.ok()) return set.error();
    flags.query.overrides.push_back(std::move(set).value());
  }
  return {};
}

void describe_view(CommandSyntax command, ViewFlags& flags) {
  command.add_option("--depth", flags.depth, "Show at most this many levels below the root");
  command
      .add_option(
          "--level", flags.level,
          "Show nodes down to this level: ml has layers such as Linear, math has kernels [ml; "
          "math in JSON and CSV]")
      .offers({"model", "module", "ml", "math"});
  command.add_flag("--all", flags.all, "Show every layer, instead of folding identical ones");
}

Result<TreeView> view_of(const ViewFlags& flags, bool is_data) {
  return parse_view(flags.level, flags.depth, is_data ? Level::kMath : Level::kMl);
}

void show_notes(const std::vector<std::string>& notes, Surroundings& world) {
  for (const std::string& note : notes) {
    world.err << "wattree: " << with_fields_named(note, world.flag_of) << "\n";
  }
}

}  // namespace wattree
