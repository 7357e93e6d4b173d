#include <memory>
#include <ostream>

#include "src/api/predict/suggest.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"
#include "src/cli/predict_flags.h"
#include "src/report/table/suggestion_table.h"

namespace wattree {
namespace {

struct SuggestFlags {
  std::string model;
  PassFlags pass;
  PredictorRef predictor;
  bool json = false;
};

int run(SuggestFlags& flags, Surroundings& world) {
  if (const Status failure = read_sets(flags.pass); !failure.ok()) {
    return usage_error(failure.error(), flags.json, world);
  }
  const SuggestRequest request{
      {flags.model, flags.pass.revision}, flags.pass.query, flags.predictor};
  const Result<SuggestAnswer> answer = suggest(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  show_notes(answer.value().notes, world);
  world.out << suggestions_text(answer.value().suggestions);
  return 0;
}

}  // namespace

Command suggest_command(CommandSyntax app) {
  auto flags = std::make_shared<SuggestFlags>();
  const CommandSyntax suggest =
      app.add_subcommand("suggest", "Show what would take less energy, and how much less");
  suggest.footer(
      "Examples:\n"
      "  wattree suggest gpt2 -b 4 -s 512\n"
      "  wattree suggest ./config.json --dtype bf16 --on a100-sxm4-80gb\n\n"
      "Other precisions, batches, lengths, smaller models of the family and other devices are\n"
      "predicted, and those that save energy are listed, the largest saving first.\n");
  suggest.add_option("MODEL", flags->model, kModelHelp).required();
  describe_size(suggest, flags->pass);
  describe_predictor(suggest, flags->predictor);
  describe_pass(suggest, flags->pass, PrecisionUse::kRun);
  suggest.add_flag("--json", flags->json, "Print JSON (docs/schemas/suggest.schema.json)");
  return {suggest, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
