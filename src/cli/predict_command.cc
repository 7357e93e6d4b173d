#include <algorithm>
#include <memory>
#include <ostream>

#include "src/api/model/sizes.h"
#include "src/api/predict/explain.h"
#include "src/api/predict/generate.h"
#include "src/api/predict/sweep.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"
#include "src/cli/predict_flags.h"
#include "src/cli/progress.h"
#include "src/cli/script_flags.h"
#include "src/report/table/explanation_text.h"
#include "src/report/table/generation_text.h"
#include "src/report/table/memory_text.h"
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
  PredictorRef predictor;
  ViewFlags view;
  TotalsRequest totals;
  std::int64_t top = 0;
  std::string by;
  std::optional<std::string> explain;
  std::optional<std::int64_t> generate;
  bool json = false, csv = false, must_fit = false;
  bool shows_totals = false;
};

CommandSyntax describe(CommandSyntax app, PredictFlags& flags) {
  const CommandSyntax predict = app.add_subcommand(
      "predict", "Predict the time and energy of every node of a model, before any run");
  predict.footer(
      "Examples:\n"
      "  wattree predict bert-base-uncased -b 16 -s 128\n"
      "  wattree predict gpt2 --on h200 --dtype bf16 --top 10 --by module\n"
      "  wattree predict bert-base-uncased -b 8,16 -s 32:256:32      a table of sizes, and their "
      "mean\n"
      "  wattree predict gpt2 -s 512 --generate 128                  a request, token by token\n"
      "  wattree predict gpt2 --explain transformer.h.0.mlp.c_fc     how one number is computed\n"
      "  wattree predict bert-base-uncased -s 256 --passes-per-query 150 --region US-GA\n"
      "  wattree predict ./config.json --predictor mine.json --json | jq .tree.energy_j\n\n"
      "The first lines say what the numbers hold for. A node's energy is its own work plus its\n"
      "children's. \"90 %\" is the interval that held 9 of 10 measurements of models that the\n"
      "predictor had not seen. The basis says where a number comes from. Any flag from --queries\n"
      "to --host-watts adds a table of energy, cost and CO2 for many queries. A query is one item\n"
      "(one sequence of the batch), not a pass. See docs/predicting.md.\n");
  predict.add_option("MODEL", flags.model, kModelHelp).required();
  predict.add_option("-b,--batch", flags.batches, "Batch size, a list (8,16) or a range (8:32:8)")
      .show_default();
  predict.add_option("-s,--seq", flags.lengths,
                     "Sequence length of the source, in tokens; lists and ranges too [128]");
  describe_predictor(predict, flags.predictor);
  describe_pass(predict, flags.pass, PrecisionUse::kRun);
  describe_script(predict, flags.script);
  describe_view(predict, flags.view);
  predict.add_option(
      "--top", flags.top,
      "Show this many nodes: those that take the most energy themselves, without their children");
  predict
      .add_option("--by", flags.by,
                  "Break the energy down by type of building block, by innermost module, or by the "
                  "framework's op")
      .one_of({"type", "module", "op"});
  const CommandOption explain = predict.add_option(
      "--explain", flags.explain,
      "Show how the figure of one node is computed, given its scope (\".\" is the root)");
  const CommandOption generate =
      predict
          .add_option("--generate", flags.generate,
                      "Predict a whole request: a pass over -s tokens, then this many decode steps")
          .excludes(explain);
  for (const char* other : {"--past", "--top", "--by", "--depth", "--level", "--all"}) {
    generate.excludes(other);
  }
  describe_totals(predict, flags.totals);
  predict.add_flag("--must-fit", flags.must_fit,
                   "Exit with 1 if the device has less memory than the model needs");
  const CommandOption json =
      predict.add_flag("--json", flags.json, "Print JSON (docs/schemas/predict.schema.json)");
  predict.add_flag("--csv", flags.csv, "Print CSV: one row per node, or per size")
      .excludes(json)
      .excludes(explain)
      .excludes(generate);
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
  Result<std::vector<std::int64_t>> batches = parse_sizes("batch", flags.batches);
  if (!batches.ok()) return batches.error();
  asked.batches = std::move(batches).value();
  if (flags.lengths.empty()) {
    asked.lengths = {std::nullopt};
  } else {
    const Result<std::vector<std::int64_t>> lengths = parse_sizes("seq", flags.lengths);
    if (!lengths.ok()) return lengths.error();
    asked.lengths.assign(lengths.value().begin(), lengths.value().end());
  }
  const Result<TreeView> view = view_of(flags.view, flags.json || flags.csv);
  if (!view.ok()) return view.error();
  asked.view = view.value();
  if (const Status failure = read_sets(flags.pass); !failure.ok()) return failure.error();
  if (flags.top < 0) {
    return Error{ErrorCode::kInvalidInput, "<top> " + std::to_string(flags.top) + " is below 0",
                 "give the number of nodes to show", "top"};
  }
  if (asked.is_sweep() && (flags.explain || flags.generate)) {
    const std::string field = flags.explain ? "explain" : "generate";
    return Error{ErrorCode::kInvalidInput, "<" + field + "> takes one size, not several", "",
                 field};
  }
  if ((asked.is_sweep() || flags.generate) && is_script(flags.model)) return script_has_one_size();
  return asked;
}

ModelRef model_of(const PredictFlags& flags) {
  return model_ref(flags.model, flags.pass, flags.script);
}

PassShape pass_of(const PredictFlags& flags, const Asked& asked) {
  PassShape pass = flags.pass.query;
  pass.batch = asked.batches.front();
  pass.seq = asked.lengths.front();
  return pass;
}

ExtrasRequest extras_of(const PredictFlags& flags) {
  return {static_cast<std::size_t>(flags.top), parse_breakdown(flags.by), flags.view.all};
}

// The tree, or what was asked for instead.
void print_parts(const PredictFlags& flags, const Prediction& prediction, const TreeView& view,
                 const PredictionExtras& extras, std::ostream& out) {
  const std::string basis = basis_text(prediction.by);
  if (!extras.top.empty()) {
    out << groups_table(extras.top, "largest energy of their own", basis) << "\n";
  }
  if (extras.breakdown) out << groups_table(extras.breakdown->groups, flags.by, basis) << "\n";
  if (extras.top.empty() && !extras.breakdown) {
    out << prediction_table(prediction, view, flags.view.all) << "\n";
  }
}

std::string headline_of(const Prediction& prediction) {
  const BuiltModel& built = prediction.built;
  return prediction_headline(prediction.by, built.pass, pass_phrase(built)) + "\n";
}

// Many configs name no precision or fp32, though people deploy in half precision: whoever did not
// choose one should know, and see how to.
std::string precision_line(const PredictFlags& flags, const Pass& pass, const LoadedPredictor& by) {
  const bool is_chosen = !flags.pass.query.dtype.empty() || is_script(flags.model);
  if (is_chosen || pass.precision != Precision::kFp32) return "";
  const std::vector<std::string>& dtypes = by.predictor->dtypes;
  if (std::find(dtypes.begin(), dtypes.end(), "bf16") == dtypes.end()) return "";
  return "fp32, because the model's config asks for nothing smaller; --dtype bf16 predicts half "
         "precision\n";
}

std::string totals_text(const PredictFlags& flags, const QueryTotals& totals,
                        const Surroundings& world) {
  if (flags.shows_totals) return with_fields_named(totals_table(totals), world.flag_of);
  return "Cost and CO2 of many queries: add --queries 1e6, --price 0.30 or --region US-GA.\n";
}

// The exit code, where what was asked for must fit.
int check_fit(const PredictFlags& flags, const MemoryFit& memory, const LoadedPredictor& by,
              Surroundings& world) {
  if (!flags.must_fit) return 0;
  if (!memory.device_bytes) {
    return fail({ErrorCode::kUnavailable,
                 "whether it fits cannot be said: the catalogue does not say how much memory " +
                     by.predictor->hardware + " has",
                 "`wattree hardware` lists the devices it knows"},
                flags.json, world);
  }
  if (memory.fits()) return 0;
  world.err << "wattree: " << misfit_line(memory, flags.model, by.predictor->hardware);
  return kAboveLimit;
}

void print(const PredictFlags& flags, const SweepAnswer& answer, std::ostream& out) {
  const Sweep& sweep = answer.sweep;
  out << misfit_line(sweep.largest().memory, "the largest of these passes",
                     sweep.by.predictor->hardware)
      << sweep.class_name << " of " << sweep.model << "\n"
      << prediction_headline(sweep.by, sweep.points.front().pass,
                             "pass of " + std::to_string(sweep.points.size()) + " sizes")
      << "\n"
      << precision_line(flags, sweep.points.front().pass, sweep.by) << "\n"
      << sweep_table(sweep) << "\n";
  if (sweep.mean_tree) {
    out << "Mean over the sizes:\n\n";
    print_parts(flags, *sweep.mean_tree, answer.view, answer.extras, out);
  } else {
    out << "Some kernels run at some sizes only, so that there is no mean of the trees.\n";
  }
}

int run_sweep(const PredictFlags& flags, const Asked& asked, Surroundings& world) {
  const SweepRequest request{model_of(flags), flags.pass.query, asked.batches,   asked.lengths,
                             flags.predictor, asked.view,       extras_of(flags)};
  const Result<SweepAnswer> answer = [&] {
    ProgressBar progress(world, "predicting");
    return sweep(request, world.services, [&](double done) { progress.show(done); });
  }();
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  show_notes(answer.value().notes, world);
  if (flags.json) {
    world.out << to_json(answer.value());
  } else if (flags.csv) {
    world.out << to_csv(answer.value());
  } else {
    print(flags, answer.value(), world.out);
  }
  const Sweep& swept = answer.value().sweep;
  return check_fit(flags, swept.largest().memory, swept.by, world);
}

int run_generate(const PredictFlags& flags, const Asked& asked, Surroundings& world) {
  const GenerateRequest request{model_of(flags), pass_of(flags, asked), *flags.generate,
                                flags.predictor, flags.totals};
  const Result<GenerateAnswer> answer = [&] {
    ProgressBar progress(world, "predicting");
    return generate(request, world.services, [&](double done) { progress.show(done); });
  }();
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  show_notes(answer.value().notes, world);
  if (flags.json) {
    world.out << to_json(answer.value());
  } else {
    const Generation& generation = answer.value().generation;
    world.out << with_fields_named(generation_text(generation), world.flag_of)
              << precision_line(flags, generation.prefill.built.pass, generation.prefill.by) << "\n"
              << totals_text(flags, answer.value().totals, world);
  }
  const Generation& generation = answer.value().generation;
  return check_fit(flags, generation.memory, generation.prefill.by, world);
}

int run_explain(const PredictFlags& flags, const Asked& asked, Surroundings& world) {
  const ExplainRequest request{model_of(flags), pass_of(flags, asked), flags.predictor,
                               *flags.explain};
  const Result<ExplainAnswer> answer = explain(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  show_notes(answer.value().notes, world);
  if (flags.json) {
    world.out << to_json(answer.value());
  } else {
    const BuiltModel& built = answer.value().prediction.built;
    world.out << built.class_name << " of " << built.model << "\n"
              << headline_of(answer.value().prediction)
              << precision_line(flags, built.pass, answer.value().prediction.by)
              << explanation_text(answer.value().prediction, answer.value().explanation);
  }
  return 0;
}

void print(const PredictFlags& flags, const PredictAnswer& answer, Surroundings& world) {
  const Prediction& prediction = answer.prediction;
  const BuiltModel& built = prediction.built;
  const Node& root = built.tree.root();
  world.out << misfit_line(prediction.memory, "the pass", prediction.by.predictor->hardware)
            << built.class_name << " of " << built.model << ": "
            << with_prefix(static_cast<double>(root.params)) << " parameters, "
            << with_prefix(static_cast<double>(root.flops), "FLOP") << "\n"
            << headline_of(prediction) << precision_line(flags, built.pass, prediction.by)
            << estimate_line(prediction.root(), built.pass.batch, tokens_per_item(built)) << "\n"
            << where_energy_goes(answer.extras.roles) << "\n"
            << memory_line(prediction.memory) << "\n\n";
  print_parts(flags, prediction, answer.view, answer.extras, world.out);
  world.out << totals_text(flags, *answer.extras.totals, world);
}

int run_one(const PredictFlags& flags, const Asked& asked, Surroundings& world) {
  const PredictRequest request{model_of(flags), pass_of(flags, asked), flags.predictor,
                               asked.view,      extras_of(flags),      flags.totals};
  const Result<PredictAnswer> answer = predict(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  show_notes(answer.value().notes, world);
  if (flags.json) {
    world.out << to_json(answer.value());
  } else if (flags.csv) {
    world.out << to_csv(answer.value());
  } else {
    print(flags, answer.value(), world);
  }
  const Prediction& prediction = answer.value().prediction;
  return check_fit(flags, prediction.memory, prediction.by, world);
}

int run(PredictFlags& flags, Surroundings& world) {
  const Result<Asked> asked = read(flags);
  if (!asked.ok()) return usage_error(asked.error(), flags.json, world);
  // Also where no totals are shown: what was typed should make sense.
  if (const Result<TotalsOptions> totals = totals_options(flags.totals); !totals.ok()) {
    return fail(totals.error(), flags.json, world);
  }
  if (asked.value().is_sweep()) return run_sweep(flags, asked.value(), world);
  if (flags.generate) return run_generate(flags, asked.value(), world);
  if (flags.explain) return run_explain(flags, asked.value(), world);
  return run_one(flags, asked.value(), world);
}

}  // namespace

Command predict_command(CommandSyntax app) {
  auto flags = std::make_shared<PredictFlags>();
  const CommandSyntax predict = describe(app, *flags);
  return {predict,
          [flags, predict](Surroundings& world) {
            flags->shows_totals = asks_for_totals(predict);
            return run(*flags, world);
          },
          [flags] { return flags->json || flags->csv; }};
}

}  // namespace wattree
