#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/predict.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"
#include "src/cli/predict_flags.h"
#include "src/cli/progress.h"
#include "src/cli/script_flags.h"
#include "src/cli/sizes.h"
#include "src/predict/estimate/explain.h"
#include "src/predict/estimate/generate.h"
#include "src/predict/estimate/sweep.h"
#include "src/report/table/explanation_text.h"
#include "src/report/table/generation_text.h"
#include "src/report/table/prediction_table.h"
#include "src/report/table/quantity.h"
#include "src/report/table/tree_table.h"

namespace wattree {
namespace {

struct PredictFlags {
  std::string model;
  std::string batches = "1";
  std::string lengths;
  PassFlags pass;
  ScriptFlags script;
  PredictorFlags predictor;
  ViewFlags view;
  TotalsRequest totals;
  std::size_t top = 0;
  std::string by;
  std::optional<std::string> explain;
  std::optional<std::int64_t> generate;
  bool json = false, csv = false;
};

CLI::App* describe(CLI::App& app, PredictFlags& flags) {
  CLI::App* predict = app.add_subcommand(
      "predict", "Predict the time and energy of every node of a model, before any run");
  predict->footer(
      "Examples:\n"
      "  wattree predict bert-base-uncased -b 16 -s 128\n"
      "  wattree predict gpt2 --on h200 --dtype bf16 --top 10 --by module\n"
      "  wattree predict bert-base-uncased -b 8,16 -s 32:256:32      a table of sizes, and their "
      "mean\n"
      "  wattree predict gpt2 --as GPT2LMHeadModel -s 512 --generate 128   a request, token by "
      "token\n"
      "  wattree predict gpt2 --explain h.0.mlp.c_fc                 how one number came about\n"
      "  wattree predict bert-base-uncased -s 256 --passes-per-query 150 --region US-GA\n"
      "  wattree predict ./config.json --predictor mine.json --json | jq .tree.energy_j\n\n"
      "The first line says what the numbers hold for. Children plus a node's own energy are the\n"
      "node. \"90 %\" is the interval that held 9 of 10 measurements of models that the predictor\n"
      "had not seen; basis says where a number comes from. A query is one item (one sequence of\n"
      "the batch), not a pass. See docs/predicting.md.\n");
  predict->add_option("MODEL", flags.model, kModelHelp)->required();
  predict->add_option("-b,--batch", flags.batches, "Batch size, a list (8,16) or a range (8:32:8)")
      ->capture_default_str();
  predict->add_option("-s,--seq", flags.lengths,
                      "Sequence length of the source, in tokens; lists and ranges too [128]");
  describe_predictor(*predict, flags.predictor);
  describe_pass(*predict, flags.pass);
  describe_script(*predict, flags.script);
  describe_view(*predict, flags.view);
  predict->add_option("--top", flags.top, "Show the nodes with the most energy of their own");
  predict
      ->add_option("--by", flags.by,
                   "Break the energy down by type (of building blocks), module (the innermost "
                   "ones) or op (of the framework)")
      ->check(CLI::IsMember({"type", "module", "op"}));
  CLI::Option* explain = predict->add_option(
      "--explain", flags.explain,
      "Show how the number of one node came about, by its scope (\".\" is the root)");
  CLI::Option* generate =
      predict
          ->add_option("--generate", flags.generate,
                       "A whole request: a pass over -s tokens, and this many decode steps")
          ->excludes(explain);
  for (const char* other : {"--past", "--top", "--by", "--depth", "--level", "--all"}) {
    generate->excludes(other);
  }
  describe_totals(*predict, flags.totals);
  CLI::Option* json =
      predict->add_flag("--json", flags.json, "Print JSON (docs/schemas/predict.schema.json)");
  predict->add_flag("--csv", flags.csv, "Print CSV, one row a node, or a row a size")
      ->excludes(json)
      ->excludes(explain)
      ->excludes(generate);
  return predict;
}

struct Asked {
  std::vector<std::int64_t> batches;
  std::vector<std::optional<std::int64_t>> lengths;
  TreeView view;
  bool is_sweep() const { return batches.size() * lengths.size() > 1; }
};

// What was typed, taken apart; an error is one of usage.
Result<Asked> read(PredictFlags& flags) {
  Asked asked;
  Result<std::vector<std::int64_t>> batches = parse_sizes("-b", flags.batches);
  if (!batches.ok()) return batches.error();
  asked.batches = std::move(batches).value();
  if (flags.lengths.empty()) {
    asked.lengths = {std::nullopt};
  } else {
    const Result<std::vector<std::int64_t>> lengths = parse_sizes("-s", flags.lengths);
    if (!lengths.ok()) return lengths.error();
    asked.lengths.assign(lengths.value().begin(), lengths.value().end());
  }
  const Result<TreeView> view = view_of(flags.view, flags.json || flags.csv);
  if (!view.ok()) return view.error();
  asked.view = view.value();
  if (const Status failure = read_sets(flags.pass); !failure.ok()) return failure.error();
  if (asked.is_sweep() && (flags.explain || flags.generate)) {
    return Error{
        ErrorCode::kInvalidInput,
        std::string(flags.explain ? "--explain" : "--generate") + " takes one size, not several",
        ""};
  }
  return asked;
}

PredictionExtras extras_of(const PredictFlags& flags, const Prediction& prediction) {
  PredictionExtras out;
  const ModelTree& tree = prediction.built.tree;
  if (flags.top > 0) out.top = top_nodes(tree, prediction.nodes, flags.top, flags.view.all);
  if (const auto by = parse_breakdown(flags.by)) {
    out.breakdown = break_down(tree, prediction.nodes, *by);
  }
  return out;
}

// The tree, or what was asked for instead.
void print_parts(const PredictFlags& flags, const Prediction& prediction, const TreeView& view,
                 const PredictionExtras& extras, std::ostream& out) {
  if (!extras.top.empty()) out << groups_table(extras.top, "most energy of its own") << "\n";
  if (extras.breakdown) out << groups_table(extras.breakdown->groups, flags.by) << "\n";
  if (extras.top.empty() && !extras.breakdown) {
    out << prediction_table(prediction, view, flags.view.all) << "\n";
  }
}

int run_sweep(const PredictFlags& flags, const Asked& asked, const ModelText& text,
              const LoadedPredictor& by, Surroundings& world) {
  const Result<Sweep> swept = [&] {
    ProgressBar progress(world, "predicting");
    return sweep(flags.model, text, flags.pass.query, asked.batches, asked.lengths, by,
                 [&](double done) { progress.show(done); });
  }();
  if (!swept.ok()) return fail(swept.error(), flags.json, world);
  const Sweep& sweep = swept.value();
  PredictionExtras extras;
  if (sweep.mean_tree) extras = extras_of(flags, *sweep.mean_tree);
  if (flags.json) {
    world.out << to_json(sweep, asked.view, extras);
  } else if (flags.csv) {
    world.out << to_csv(sweep);
  } else {
    world.out << prediction_headline(by, sweep.points.front().pass,
                                     "pass of " + std::to_string(sweep.points.size()) + " sizes")
              << "\n"
              << sweep.class_name << " of " << sweep.model << "\n\n"
              << sweep_table(sweep) << "\n";
    if (sweep.mean_tree) {
      world.out << "Mean over the sizes:\n\n";
      print_parts(flags, *sweep.mean_tree, asked.view, extras, world.out);
    } else {
      world.out << "Some kernels run at some sizes only, so that there is no mean of the trees.\n";
    }
  }
  return 0;
}

int run_generate(const PredictFlags& flags, const Asked& asked, const ModelText& text,
                 const LoadedPredictor& by, const TotalsOptions& options, Surroundings& world) {
  GenerateQuery query{flags.pass.query, *flags.generate};
  query.tree.batch = asked.batches.front();
  query.tree.seq = asked.lengths.front();
  const Result<Generation> generated = [&] {
    ProgressBar progress(world, "predicting");
    return generate(flags.model, text, query, by, [&](double done) { progress.show(done); });
  }();
  if (!generated.ok()) return fail(generated.error(), flags.json, world);
  const Generation& generation = generated.value();
  const double items = static_cast<double>(generation.prefill.built.pass.batch);
  const Result<QueryTotals> totals =
      totals_of(generation.request() * (1 / items), by.provenance(), "one request", options);
  if (!totals.ok()) return fail(totals.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(generation, totals.value());
  } else {
    world.out << generation_text(generation) << "\n" << totals_table(totals.value());
  }
  return 0;
}

int run_one(const PredictFlags& flags, const Asked& asked, Result<BuiltModel> answer,
            const LoadedPredictor& by, const TotalsOptions& options, Surroundings& world) {
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  const Result<Prediction> predicted = predict(std::move(answer).value(), by);
  if (!predicted.ok()) return fail(predicted.error(), flags.json, world);
  const Prediction& prediction = predicted.value();
  const BuiltModel& tree = prediction.built;
  const std::string headline = prediction_headline(by, tree.pass, pass_phrase(tree));

  if (flags.explain) {
    const Result<std::size_t> node = find_node(tree.tree, *flags.explain);
    if (!node.ok()) return fail(node.error(), flags.json, world);
    const Explanation explanation = explain(prediction, node.value());
    if (flags.json) {
      world.out << to_json(prediction, explanation);
    } else {
      world.out << headline << "\n" << explanation_text(prediction, explanation);
    }
    return 0;
  }
  PredictionExtras extras = extras_of(flags, prediction);
  Result<QueryTotals> totals = totals_of(
      prediction.root() * (1 / static_cast<double>(tree.pass.batch)), by.provenance(),
      tree.pass.past > 0 ? "one item's decode step" : "one item of a batch in one pass", options);
  if (!totals.ok()) return fail(totals.error(), flags.json, world);
  extras.totals = std::move(totals).value();
  if (flags.json) {
    world.out << to_json(prediction, asked.view, extras);
  } else if (flags.csv) {
    world.out << to_csv(prediction, asked.view);
  } else {
    const Node& root = tree.tree.root();
    world.out << headline << "\n"
              << tree.class_name << " of " << tree.model << ": "
              << with_prefix(static_cast<double>(root.params)) << " parameters, "
              << with_prefix(static_cast<double>(root.flops), "FLOP") << "\n"
              << estimate_line(prediction.root(), tree.pass.batch, tokens_per_item(tree)) << "\n\n";
    print_parts(flags, prediction, asked.view, extras, world.out);
    world.out << totals_table(*extras.totals);
  }
  return 0;
}

int run_script(const PredictFlags& flags, const Asked& asked, const PassShape& query,
               const TotalsOptions& options, Surroundings& world) {
  if (asked.is_sweep() || flags.generate) {
    return usage_error({ErrorCode::kInvalidInput,
                        "a TorchScript file is predicted at one size, and without --generate", ""},
                       flags.json, world);
  }
  const Result<LoadedPredictor> by = find_predictor(flags.predictor, world);
  if (!by.ok()) return fail(by.error(), flags.json, world);
  Result<ScriptModel> script = open_script_model(flags.model, flags.script, query);
  if (!script.ok()) return fail(script.error(), flags.json, world);
  return run_one(flags, asked, std::move(std::move(script).value().answer), by.value(), options,
                 world);
}

int run(PredictFlags& flags, Surroundings& world) {
  const Result<Asked> asked = read(flags);
  if (!asked.ok()) return usage_error(asked.error(), flags.json, world);
  const Result<TotalsOptions> options = totals_options(flags.totals);
  if (!options.ok()) return fail(options.error(), flags.json, world);
  PassShape query = flags.pass.query;
  query.batch = asked.value().batches.front();
  query.seq = asked.value().lengths.front();
  if (is_script(flags.model))
    return run_script(flags, asked.value(), query, options.value(), world);
  const Result<ModelText> text = find_model(flags.model, flags.pass, world);
  if (!text.ok()) return fail(text.error(), flags.json, world);
  const Result<LoadedPredictor> by = find_predictor(flags.predictor, world);
  if (!by.ok()) return fail(by.error(), flags.json, world);
  if (asked.value().is_sweep()) {
    return run_sweep(flags, asked.value(), text.value(), by.value(), world);
  }
  if (flags.generate)
    return run_generate(flags, asked.value(), text.value(), by.value(), options.value(), world);
  return run_one(flags, asked.value(),
                 build_model(flags.model, text.value().json, text.value().origin, query),
                 by.value(), options.value(), world);
}

}  // namespace

Command predict_command(CLI::App& app) {
  auto flags = std::make_shared<PredictFlags>();
  CLI::App* predict = describe(app, *flags);
  return {predict, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
