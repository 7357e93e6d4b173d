#include <memory>
#include <ostream>

#include "src/api/learn/evaluate.h"
#include "src/base/error_field.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/cli/command.h"
#include "src/cli/evaluate_text.h"
#include "src/cli/learn_flags.h"

namespace wattree {
namespace {

struct EvaluateFlags {
  EvaluateRequest request;
  bool by_model = false, json = false;
  std::string predictions, report;
};

CommandSyntax describe(CommandSyntax app, EvaluateFlags& flags) {
  EvaluateRequest& request = flags.request;
  const CommandSyntax command = app.add_subcommand(
      "evaluate", "Show how far predictions are off for models left out of the training");
  command.footer(
      "Examples:\n"
      "  wattree evaluate data.jsonl --leave-one-model-out\n"
      "  wattree evaluate data.jsonl --leave-one-family-out --known leaves --json\n"
      "  wattree evaluate data.jsonl --leave-one-model-out --predictions nodes.jsonl\n"
      "  wattree evaluate data.jsonl --report accuracy.html\n"
      "  wattree evaluate data.jsonl --aggregate end2end --features model --seeds 20\n"
      "  wattree evaluate data/h200 --leave-one-family-out --report accuracy.md\n"
      "  wattree evaluate data/h200-check --predictor h200\n\n"
      "Every model (or family) is left out once, everything is fitted on the others, and each of\n"
      "its nodes is predicted. An error is 100 |predicted - measured| / measured.\n\n"
      "--known says what of the new model has been run:\n"
      "  nothing   no measurement at all: this is prediction\n"
      "  leaves    its leaves, one by one: do the parts add up to the whole?\n"
      "  children  the children of each node, but not the node\n"
      "  node      the node itself, by time and the GPU's counter: is the reading right?\n"
      "  root      only the whole: is it shared out right?\n"
      "See docs/learning.md.\n");
  command
      .add_option("DATASET", request.dataset,
                  "A dataset in JSON Lines, plain or gzip; or windows (a file, or a folder such as "
                  "data/h200)")
      .required();
  command.add_option("MORE", request.further, "More measurements of the same hardware");
  const CommandOption by_model = command.add_flag("--leave-one-model-out", flags.by_model,
                                                  "Leave each model out by itself (default)");
  const CommandOption by_family =
      command
          .add_flag("--leave-one-family-out", request.leave_one_family_out,
                    "Leave all models of one architecture out together: stricter")
          .excludes(by_model);
  command
      .add_option("--predictor", request.predictor,
                  "For a folder of measurements: check this predictor (a file, or a name as for "
                  "`predict --on`) and fit nothing")
      .excludes(by_model)
      .excludes(by_family);
  describe_method(command, request.method);
  command
      .add_option("--seeds", request.seeds,
                  "Number of runs of IrEne's methods, which start at random [10]")
      .between(1, 100);
  command
      .add_option("--known", request.known,
                  "Which parts of the new model have been measured [nothing]")
      .one_of({"nothing", "leaves", "children", "node", "root"});
  command.add_flag("--no-twins", request.no_twins,
                   "Do not reuse measurements of leaves with the same sizes in other models");
  describe_model_choice(command, request.models);
  command.add_option("--predictions", flags.predictions,
                     "Write every node's held-out prediction to this file, as JSON Lines");
  command.add_option("--report", flags.report,
                     "Evaluate every method, and write a page (.html) or Markdown (.md) beside the "
                     "figures of IrEne's paper");
  command.add_flag("--json", flags.json,
                   "Print JSON (docs/schemas/evaluate.schema.json; of windows "
                   "evaluate-kernels.schema.json)");
  return command;
}

// As the file's ending says.
Status write_document(const std::string& path, const Document& document) {
  return write_file(path, path.ends_with(".html") ? to_html(document) : to_markdown(document));
}

Status write_files(const EvaluateFlags& flags, const EvaluateAnswer& answer,
                   const FieldName& name) {
  if (answer.report) {
    const Status failure = write_document(flags.report, with_fields_named(*answer.report, name));
    if (!failure.ok()) return of_field("report", failure.error());
  }
  const auto* trees = std::get_if<EvaluatedTrees>(&answer.of);
  if (flags.predictions.empty() || trees == nullptr) return {};
  OutputFile file(flags.predictions);
  write_predictions(*trees, [&](std::string_view text) { file.write(text); });
  if (const Status failure = file.finish(); !failure.ok()) {
    return of_field("predictions", failure.error());
  }
  return {};
}

int run(EvaluateFlags& flags, Surroundings& world) {
  EvaluateRequest& request = flags.request;
  request.predictions = !flags.predictions.empty();
  request.report = !flags.report.empty();
  request.checks = flags.json;
  if (const Status wrong = check(request); !wrong.ok())
    return usage_error(wrong.error(), flags.json, world);
  const Result<EvaluateAnswer> answer =
      evaluate(request, world.services,
               [&](std::string_view what) { world.err << "wattree: " << what << "\n"; });
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (const Status failure = write_files(flags, answer.value(), world.flag_of); !failure.ok())
    return fail(failure.error(), flags.json, world);
  world.out << (flags.json ? to_json(answer.value()) : text_of(answer.value()));
  // The JSON of trees has them.
  const bool are_told = flags.json && std::holds_alternative<EvaluatedTrees>(answer.value().of);
  if (!are_told) print_warnings(answer.value().warnings, world);
  return 0;
}

}  // namespace

Command evaluate_command(CommandSyntax app) {
  auto flags = std::make_shared<EvaluateFlags>();
  const CommandSyntax command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
