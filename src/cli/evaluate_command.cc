#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/evaluate.h"
#include "src/api/evaluate_windows.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/cli/command.h"
#include "src/cli/learn_flags.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/predictor/loaded_predictor.h"
#include "src/report/document/accuracy_report.h"
#include "src/report/document/kernel_report.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct EvaluateFlags {
  std::string dataset;
  bool by_model = false, by_family = false, no_twins = false, json = false;
  MethodFlags method;
  std::string known;
  std::optional<int> seeds;
  std::string predictions;
  std::string predictor;
  std::string report;
  ModelChoice models;
};

CLI::App* describe(CLI::App& app, EvaluateFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Say how far predictions are off on models left out of the training");
  command->footer(
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
      ->add_option(
          "DATASET", flags.dataset,
          "A dataset in JSON Lines, plain or gzip; or windows (a file, or a folder such as "
          "data/h200)")
      ->required();
  CLI::Option* by_model = command->add_flag("--leave-one-model-out", flags.by_model,
                                            "Leave each model out by itself (default)");
  CLI::Option* by_family =
      command
          ->add_flag("--leave-one-family-out", flags.by_family,
                     "Leave all models of one architecture out together: stricter")
          ->excludes(by_model);
  command
      ->add_option("--predictor", flags.predictor,
                   "Of windows: say how far this predictor is off (a file, or a name as of "
                   "`predict --on`), and fit nothing")
      ->excludes(by_model)
      ->excludes(by_family);
  describe_method(*command, flags.method);
  command->add_option("--seeds", flags.seeds, "Runs of IrEne's methods, which begin at random [10]")
      ->check(CLI::Range(1, 100));
  command->add_option("--known", flags.known, "What has been run of the new model [nothing]")
      ->check(
          CLI::IsMember(std::vector<std::string>{"nothing", "leaves", "children", "node", "root"}));
  command->add_flag(
      "--no-twins", flags.no_twins,
      "Do not look up leaves that were measured in another model with the same sizes");
  describe_model_choice(*command, flags.models);
  command->add_option("--predictions", flags.predictions,
                      "Write every node's held-out prediction to this file, as JSON Lines");
  command->add_option("--report", flags.report,
                      "Evaluate every method, and write a page (.html) or Markdown (.md) with the "
                      "figures of IrEne's paper beside");
  command->add_flag("--json", flags.json,
                    "Print JSON (docs/schemas/evaluate.schema.json; of windows "
                    "evaluate-kernels.schema.json)");
  return command;
}

std::vector<std::string> row(std::string title, const LevelValues& values) {
  return {std::move(title), percent_cell(values.at[0]), percent_cell(values.at[1]),
          percent_cell(values.at[2])};
}

bool has_any(const LevelValues& values) { return values.at[0] || values.at[1] || values.at[2]; }

std::string headline(const EvaluateAnswer& answer, const EvaluateInput& input) {
  const EvaluateQuery& query = answer.query;
  std::int64_t measured = 0;
  for (const WorkTree& tree : input.data.work.trees) {
    for (const WorkNode& node : tree.nodes) measured += node.energy_j.has_value();
  }
  const bool is_own = query.aggregate == Aggregate::kReconciled;
  std::string out =
      fmt::format("{}, {}, {}\n{}: {} trees of {} models, {} measured nodes\n",
                  name_of(query.hold_out), name_of(query.aggregate),
                  is_own ? std::string(name_of(query.known)) + " known"
                         : std::string(features_of(query)) + " features",
                  answer.dataset, input.data.trees.size(), answer.models.size(), measured);
  if (!answer.models_left_out.empty()) {
    out += "Not taken in: " + list_of(answer.models_left_out) + "\n";
  }
  return out;
}

std::string text_of(const EvaluateAnswer& answer, const EvaluateInput& input) {
  const Evaluation& e = answer.evaluation;
  const auto table = [](std::string title, const std::vector<std::vector<std::string>>& rows) {
    return "\n" + render_table(
                      {{std::move(title)}, {"ml", true}, {"module", true}, {"model", true}}, rows);
  };
  std::vector<std::vector<std::string>> rows;
  for (const FoldErrors& fold : e.rows) rows.push_back(row(fold.left_out, fold.errors));
  rows.push_back(row("all nodes", e.overall));
  rows.push_back(row("mean of the rows", e.overall_macro));
  if (!answer.by_seed.empty()) {
    std::vector<std::string> least{"least of " + std::to_string(answer.by_seed.size()) + " seeds"};
    std::vector<std::string> most{"most of them"};
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      const auto range = seed_range(answer, l);
      least.push_back(percent_cell(range ? std::optional(range->first) : std::nullopt));
      most.push_back(percent_cell(range ? std::optional(range->second) : std::nullopt));
    }
    rows.push_back(std::move(least));
    rows.push_back(std::move(most));
  }
  std::string out = headline(answer, input) + table("error in %, left out", rows);

  rows.clear();
  for (const auto& [name, index] : {std::pair{"half of the nodes within", 0},
                                    {"90 % of the nodes within", 1},
                                    {"99 % of the nodes within", 2}}) {
    LevelValues values;
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      values.at[l] = e.quantiles[l].at[static_cast<std::size_t>(index)];
    }
    rows.push_back(row(name, values));
  }
  if (has_any(e.coverage)) {
    rows.push_back(row("inside their 90 % interval, % of nodes", e.coverage));
    rows.push_back(row("half-width of that interval", e.width));
  }
  if (has_any(e.time)) rows.push_back(row("error of the predicted time", e.time));
  for (const Baseline& baseline : answer.baselines) {
    const std::string name = baseline.name == "time_only"    ? "measured time only"
                             : baseline.name == "flops_only" ? "FLOPs only"
                                                             : "predicted sum";
    rows.push_back(row("baseline: " + name, baseline.errors));
  }
  rows.push_back(row("floor: the same computation again", answer.floor));
  out += table("to compare with, in %", rows);

  rows.clear();
  for (const auto& [type, errors] : e.by_type) rows.push_back({type, percent_cell(errors.at[0])});
  out += "\n" + render_table({{"error in %, leaves"}, {"ml", true}}, rows);
  if (answer.query.aggregate == Aggregate::kReconciled && e.looked_up > 0) {
    out += fmt::format(
        "\n{:.0f} % of the leaves were looked up: the same kernel was measured in another model\n"
        "(--no-twins predicts them too).\n",
        100 * e.looked_up);
  }
  for (const std::string& note : answer.notes) out += "\nNote: " + note + ".\n";
  return out;
}

// As the file's ending says.
Status write_document(const std::string& path, const Document& document) {
  return write_file(path, path.ends_with(".html") ? to_html(document) : to_markdown(document));
}

Status write_report(const EvaluateInput& input, const std::string& path, int seeds,
                    Surroundings& world) {
  const Result<Document> report = accuracy_report(
      input, seeds, [&](std::string_view what) { world.err << "wattree: " << what << "\n"; });
  if (!report.ok()) return report.error();
  return write_document(path, report.value());
}

// Flags that the chosen method would silently pass over.
std::string misused(const EvaluateFlags& flags) {
  if (aggregate_of(flags.method) == Aggregate::kReconciled) {
    if (!flags.method.features.empty())
      return "--features goes with IrEne's methods; --known says what reconciled looks at";
    if (flags.seeds && flags.report.empty())
      return "--seeds goes with IrEne's methods; reconciled draws nothing at random";
    return "";
  }
  if (!flags.known.empty())
    return "--known goes with --aggregate reconciled; --features says what " +
           flags.method.aggregate + " looks at";
  if (flags.no_twins)
    return "--no-twins goes with --aggregate reconciled; IrEne's methods look nothing up";
  return "";
}

std::string text_of(const KernelDataAnswer& input, const KernelEvaluation& e) {
  const auto table = [](std::string title, const NamedErrors& all) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, row] : all) {
      rows.push_back({name, std::to_string(row.count), percent_cell(row.mean),
                      percent_cell(row.weighted), percent_cell(row.p50), percent_cell(row.p90),
                      percent_cell(row.p99), percent_cell(row.time_mean),
                      percent_cell(row.coverage), percent_cell(row.width)});
    }
    return "\n" + render_table({{std::move(title)},
                                {"windows", true},
                                {"mean", true},
                                {"by energy", true},
                                {"p50", true},
                                {"p90", true},
                                {"p99", true},
                                {"time", true},
                                {"in 90 %", true},
                                {"± half", true}},
                               rows);
  };
  const bool is_family = e.left_out && *e.left_out == LeaveOut::kFamily;
  std::string out = fmt::format(
      "{}, nothing known\n{}: {} windows of {} models in {} families; {} doubtful ones left out\n",
      !e.left_out ? "predicted by a predictor that was there before"
      : is_family ? "leave-one-family-out"
                  : "leave-one-model-out",
      input.data.hardware, input.data.samples.size(), input.data.models.size(),
      input.data.families.size(), input.doubtful);
  out += table("error in %", e.by_subject);
  out += table("passes and steps, by precision", e.by_dtype);
  out +=
      table(is_family ? "passes and steps, by family" : "passes and steps, by model", e.by_group);
  out += fmt::format("\nRank correlation over whole passes: {:.4f}\n", e.rank_correlation);
  return out;
}

int check_on_windows(const EvaluateFlags& flags, const KernelDataAnswer& input,
                     Surroundings& world) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(flags.predictor, error);
  const Result<LoadedPredictor> loaded =
      load_predictor({is_file ? flags.predictor : "", is_file ? "" : flags.predictor,
                      user_predictors(world.environment)});
  if (!loaded.ok()) return fail(loaded.error(), flags.json, world);
  const Predictor& predictor = *loaded.value().predictor;
  if (!predictor.is_by_kernel) {
    return fail(Error{ErrorCode::kInvalidInput,
                      "the predictor " + predictor.name + " was fitted to a dataset of trees",
                      "check one that was fitted to windows"},
                flags.json, world);
  }
  const KernelEvaluation check = check_predictor(input.data, predictor);
  const std::vector<std::string> seen = models_fitted_to(input.data, predictor);
  if (!seen.empty()) {
    world.err << "wattree: warning: this is no check of " << list_of(seen) << ": the predictor "
              << predictor.name << " was fitted to them\n";
  }
  if (!flags.report.empty()) {
    const Document document = check_report(flags.dataset, input, predictor, check);
    if (const Status failure = write_document(flags.report, document); !failure.ok()) {
      return fail(failure.error(), flags.json, world);
    }
  }
  if (!flags.json) {
    world.out << text_of(input, check);
    return 0;
  }
  const auto checks = check_measurements(input.data);
  if (!checks.ok()) return fail(checks.error(), flags.json, world);
  world.out << to_json(flags.dataset, input, check, checks.value());
  return 0;
}

int run_on_windows(const EvaluateFlags& flags, Surroundings& world) {
  if (!flags.known.empty() || flags.no_twins || !flags.predictions.empty() || flags.seeds) {
    world.err << "wattree: --known, --no-twins, --predictions and --seeds go with datasets of "
                 "trees, not with windows\n";
    return kUsage;
  }
  const Result<KernelDataAnswer> read = read_kernel_data(flags.dataset);
  if (!read.ok()) return fail(read.error(), flags.json, world);
  for (const std::string& problem : read.value().problems) {
    world.err << "wattree: warning: " << problem << "\n";
  }
  if (!flags.predictor.empty()) return check_on_windows(flags, read.value(), world);
  const auto evaluate = [&](bool by_family) {
    return evaluate_on_kernels(read.value(), by_family ? LeaveOut::kFamily : LeaveOut::kModel);
  };
  const auto asked = evaluate(flags.by_family);
  if (!asked.ok()) return fail(asked.error(), flags.json, world);
  if (!flags.json && flags.report.empty()) {
    world.out << text_of(read.value(), asked.value());
    return 0;
  }
  const auto checks = check_measurements(read.value().data);
  if (!checks.ok()) return fail(checks.error(), flags.json, world);
  if (!flags.report.empty()) {
    const auto other = evaluate(!flags.by_family);
    if (!other.ok()) return fail(other.error(), flags.json, world);
    const auto& families = flags.by_family ? asked : other;
    const auto& models = flags.by_family ? other : asked;
    const Document document = kernel_report(flags.dataset, read.value(), families.value(),
                                            models.value(), checks.value());
    if (const Status failure = write_document(flags.report, document); !failure.ok()) {
      return fail(failure.error(), flags.json, world);
    }
  }
  world.out << (flags.json ? to_json(flags.dataset, read.value(), asked.value(), checks.value())
                           : text_of(read.value(), asked.value()));
  return 0;
}

int run(const EvaluateFlags& flags, Surroundings& world) {
  if (holds_windows(flags.dataset)) return run_on_windows(flags, world);
  if (!flags.predictor.empty()) {
    world.err << "wattree: --predictor goes with windows, such as data/h200; datasets of trees are "
                 "evaluated by leaving models out\n";
    return kUsage;
  }
  if (const std::string misuse = misused(flags); !misuse.empty()) {
    world.err << "wattree: " << misuse << "\n";
    return kUsage;
  }
  const Result<EvaluateInput> read = read_evaluate_input(flags.dataset, flags.models);
  if (!read.ok()) return fail(read.error(), flags.json, world);
  const EvaluateInput& input = read.value();
  EvaluateQuery query;
  query.hold_out = flags.by_family ? HoldOut::kFamily : HoldOut::kModel;
  query.aggregate = aggregate_of(flags.method);
  query.features = features_of(flags.method);
  query.seeds = flags.seeds.value_or(query.seeds);
  query.known = parse_known(flags.known).value_or(query.known);
  query.use_twins = !flags.no_twins;
  if (!flags.report.empty()) {
    const Status failure = write_report(input, flags.report, query.seeds, world);
    if (!failure.ok()) return fail(failure.error(), flags.json, world);
  }
  const Result<EvaluateAnswer> answer = evaluate_dataset(input, query);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (!flags.predictions.empty()) {
    OutputFile file(flags.predictions);
    write_predictions(input, answer.value(), [&](std::string_view text) { file.write(text); });
    if (const Status failure = file.finish(); !failure.ok())
      return fail(failure.error(), flags.json, world);
  }
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  world.out << text_of(answer.value(), input);
  for (const std::string& warning : answer.value().evaluation.warnings) {
    world.err << "wattree: warning: " << warning << "\n";
  }
  return 0;
}

}  // namespace

Command evaluate_command(CLI::App& app) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
