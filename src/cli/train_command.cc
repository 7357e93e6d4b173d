#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <ostream>

#include "src/api/train.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/learn_flags.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct TrainFlags {
  std::string dataset;
  std::string output;
  MethodFlags method;
  std::optional<std::int64_t> seed;
  std::string dtypes;
  TrainQuery query;
};

CLI::App* describe(CLI::App& app, TrainFlags& flags) {
  CLI::App* command =
      app.add_subcommand("train", "Learn a predictor from measured trees and write it to a file");
  command->footer(
      "Examples:\n"
      "  wattree train data.jsonl -o my-gpu.json --name my-gpu --hardware \"RTX 4090\"\n"
      "  wattree train data.jsonl -o wall.json --meter \"wall meter\" --boundary wall\n"
      "  wattree train data.jsonl -o irene.json --aggregate end2end --seed 3\n"
      "  wattree train data/h200 -o h200.json\n"
      "  wattree train measured -o my-gpu.json          what wattree profile wrote into a "
      "folder\n\n"
      "The predictor is one readable JSON file. The table shows what was learnt: joules and\n"
      "seconds for each unit of work, and the watts that turn a GPU counter's reading into what\n"
      "the meter says. Errors and intervals come from leaving each model out once. The same data\n"
      "gives the same file, byte by byte. See docs/learning.md.\n");
  command
      ->add_option(
          "DATASET", flags.dataset,
          "A dataset in JSON Lines, plain or gzip; or windows (a file, or a folder such as "
          "data/h200)")
      ->required();
  command->add_option("-o,--output", flags.output, "The predictor's file")->required();
  TrainOptions& options = flags.query.options;
  describe_method(*command, flags.method);
  command->add_option("--seed", flags.seed, "Of the first weights of IrEne's methods [1]");
  command->add_option("--name", options.name, "What to call the predictor [the file's name]");
  command->add_option("--hardware", options.hardware,
                      "The machine that was measured, as people should read it [as windows say, or "
                      "unknown]");
  command->add_option("--meter", options.meter,
                      "What measured the energy [as windows say, or unknown]");
  command
      ->add_option("--boundary", options.boundary,
                   "What that energy covers [as windows say, or wall]")
      ->check(CLI::IsMember(std::vector<std::string>{"gpu", "host", "wall"}));
  command->add_option("--dtypes", flags.dtypes,
                      "The precisions that were measured: fp32,bf16 [as the data says, or fp32]");
  describe_model_choice(*command, flags.query.models);
  return command;
}

// Six significant digits would be noise; three tell 2.49 mJ from 2.51.
std::string amount(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

std::string coefficients(const Predictor& p) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (!p.kinds[i]) continue;
    const auto kind = static_cast<WorkKind>(i);
    const auto terms = terms_of(kind);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      rows.push_back({t == 0 ? std::string(name_of(kind)) : "", std::string(terms[t].name),
                      amount(1e3 * p.kinds[i]->energy[t]), amount(1e6 * p.kinds[i]->time[t]),
                      "per " + std::string(terms[t].unit),
                      t == 0 ? fmt::format("{}", p.kinds[i]->samples) : ""});
    }
  }
  return render_table(
      {{"kernels"}, {"term"}, {"mJ", true}, {"µs", true}, {""}, {"measurements", true}}, rows);
}

std::string power_law(const PowerLaw& law) {
  std::vector<std::vector<std::string>> rows{
      {"counter factor", fmt::format("{:.4f}", law.counter_factor), "J per J of the GPU's counter"},
      {"rest of the machine", fmt::format("{:.2f}", law.base_w), "W while it runs"},
      {"processor", fmt::format("{:.3f}", law.cpu_w_per_percent), "W per % of all threads busy"},
  };
  return render_table({{"from reading to meter"}, {"", true}, {""}}, rows);
}

std::string device_text(const Predictor& p) {
  std::string out = fmt::format("Idle: {:.1f} W.\n", p.idle_w);
  if (p.power_cap) {
    out += fmt::format(
        "At the limit of {:.0f} W a pass takes longer by (power / limit)^{:.3f}, from {} passes.\n",
        p.power_cap->limit_w, p.power_cap->exponent, p.power_cap->samples);
  }
  if (p.eager) {
    out += fmt::format(
        "Launched one by one: {:.1f} µs a kernel and {:.1f} µs a module, waiting at {:.0f} W, from "
        "{} passes.\n",
        1e6 * p.eager->per_kernel_s, 1e6 * p.eager->per_module_s, p.eager->waiting_w,
        p.eager->samples);
  }
  return out;
}

std::string errors(const Predictor& p) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    if (!p.errors[k]) continue;
    std::vector<std::string> row{std::string(name_of(static_cast<Known>(k)))};
    for (const double error : {p.errors[k]->ml, p.errors[k]->module, p.errors[k]->model}) {
      row.push_back(percent_cell(error));
    }
    for (std::size_t l = 0; l < 3; ++l) {
      row.push_back(p.spreads[k] ? "± " + percent_cell(100 * p.spreads[k]->energy[l]) : "–");
    }
    rows.push_back(std::move(row));
  }
  return render_table({{"error and 90 % interval, in %, by what is known"},
                       {"ml", true},
                       {"module", true},
                       {"model", true},
                       {"ml", true},
                       {"module", true},
                       {"model", true}},
                      rows);
}

// The weights of standardised features: joules for one standard deviation of each.
std::string leaves_of(const IreneModel& model) {
  const auto names = feature_names(model.options.features);
  std::vector<Column> columns{{"J per standard deviation of"}};
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view name : names) rows.push_back({std::string(name)});
  rows.push_back({"intercept"});
  rows.push_back({"rows"});
  for (const auto& [type, leaf] : model.leaves) {
    columns.push_back({type, true});
    for (std::size_t i = 0; i < names.size(); ++i)
      rows[i].push_back(amount(leaf.linear.weights[i]));
    rows[names.size()].push_back(amount(leaf.linear.intercept));
    rows[names.size() + 1].push_back(std::to_string(leaf.rows));
  }
  return render_table(columns, rows);
}

std::string text_of(const Predictor& p) {
  std::string out =
      p.is_by_kernel
          ? fmt::format("from {} measurements of {} models' kernels, modules and passes\n\n",
                        p.measurements, p.models.size())
          : fmt::format("from {} trees of {} models, {} distinct leaves, {} twins\n\n", p.trees,
                        p.models.size(), p.measurements, p.twins.size());
  out += coefficients(p);
  if (p.power_law) out += "\n" + power_law(*p.power_law);
  if (p.is_by_kernel) out += "\n" + device_text(p);
  return out + "\n" + errors(p);
}

std::string text_of(const IrenePredictor& p) {
  std::string out = fmt::format("from {} trees of {} models\n\n", p.trees, p.models.size());
  out += leaves_of(p.model);
  if (p.model.options.aggregate != IreneAggregate::kSum) {
    out += fmt::format("\nInner nodes: {} weights of monomials up to degree {}\n",
                       p.model.inner.linear.weights.size(), kIreneDegree);
  }
  return out + "\n" +
         render_table(
             {{"error in %, leave-one-model-out"}, {"ml", true}, {"module", true}, {"model", true}},
             {{"all nodes", percent_cell(p.errors[0]), percent_cell(p.errors[1]),
               percent_cell(p.errors[2])}});
}

int run(TrainFlags& flags, Surroundings& world) {
  TrainQuery& query = flags.query;
  query.aggregate = aggregate_of(flags.method);
  query.features = features_of(flags.method);
  if (query.aggregate == Aggregate::kReconciled && (flags.seed || !flags.method.features.empty())) {
    world.err << "wattree: --features and --seed go with IrEne's methods, not with reconciled\n";
    return kUsage;
  }
  query.seed = flags.seed.value_or(query.seed);
  TrainOptions& options = query.options;
  if (options.name.empty()) options.name = std::filesystem::path(flags.output).stem().string();
  if (!flags.dtypes.empty()) options.dtypes = split(flags.dtypes, ',');
  const Result<TrainAnswer> trained = train_on(flags.dataset, query);
  if (!trained.ok()) return fail(trained.error(), false, world);
  const TrainAnswer& answer = trained.value();
  if (const Status failure = write_file(flags.output, answer.json); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  world.out << flags.output << ": " << name_of(query.aggregate) << ", "
            << std::visit([](const auto& p) { return text_of(p); }, answer.predictor);
  if (!answer.models_left_out.empty()) {
    world.out << "\nNot taken in: " << list_of(answer.models_left_out) << "\n";
  }
  for (const std::string& warning : answer.warnings) {
    world.err << "wattree: warning: " << warning << "\n";
  }
  return 0;
}

}  // namespace

Command train_command(CLI::App& app) {
  auto flags = std::make_shared<TrainFlags>();
  CLI::App* command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
