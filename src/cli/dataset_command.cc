#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "src/api/learn/dataset.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct StatsFlags {
  StatsRequest request;
  bool json = false;
};

CommandSyntax describe(CommandSyntax app, StatsFlags& flags) {
  const CommandSyntax dataset = app.add_subcommand("dataset", "Inspect a dataset");
  dataset.require_subcommand();
  const CommandSyntax stats = dataset.add_subcommand(
      "stats", "Count trees, nodes, sizes, distinct measurements and missing values");
  stats.add_option("FILE", flags.request.dataset, "A dataset in JSON Lines, plain or gzip")
      .required();
  stats.add_flag("--skip-bad", flags.request.skip_bad, "Skip bad lines");
  stats.add_flag("--json", flags.json, "Print JSON (docs/schemas/dataset-stats.schema.json)");
  stats.footer(
      "Example:\n"
      "  wattree dataset stats data.jsonl\n\n"
      "`ml` counts leaves, `module` inner nodes and `model` roots. Depth counts the nodes from "
      "the\n"
      "root to the deepest leaf. Two nodes are copies of one measurement if all their numbers are\n"
      "equal.\n");
  dataset.footer("Example:\n  wattree dataset stats data.jsonl\n");
  return dataset;
}

// "8", or "8–32" for several.
std::string range(const std::set<std::int64_t>& values) {
  if (values.size() < 2) return fmt::format("{}", fmt::join(values, ""));
  return fmt::format("{}–{}", *values.begin(), *values.rbegin());
}

std::vector<std::string> row(const std::string& name, const ModelStats& stats) {
  return {name,
          fmt::to_string(stats.trees),
          fmt::to_string(stats.nodes.ml),
          fmt::to_string(stats.nodes.module),
          fmt::to_string(stats.nodes.model),
          fmt::to_string(stats.depth),
          range(stats.batch_sizes),
          range(stats.seq_lens),
          fmt::to_string(stats.unmeasured)};
}

std::string models_table(const DatasetStats& stats) {
  std::vector<std::vector<std::string>> rows;
  for (const ModelStats& model : stats.models()) rows.push_back(row(model.model_name, model));
  if (rows.size() > 1) rows.push_back(row("all", stats.total()));
  return render_table({{"name"},
                       {"trees", true},
                       {"ml", true},
                       {"module", true},
                       {"model", true},
                       {"depth", true},
                       {"batch", true},
                       {"seq", true},
                       {"unmeasured", true}},
                      rows);
}

std::string ops_table(const DatasetStats& stats) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, op] : stats.ops()) {
    rows.push_back({name, fmt::to_string(op.nodes), fmt::to_string(op.distinct),
                    fmt::to_string(op.models.size())});
  }
  return render_table({{"leaf"}, {"nodes", true}, {"distinct", true}, {"models", true}}, rows);
}

// What else there is to know, one line each.
std::string remarks(const DatasetStats& stats) {
  const std::size_t measured = stats.measured().all();
  const std::size_t distinct = stats.distinct().all();
  std::string out;
  if (measured > 0) {
    out += fmt::format(
        "{} measured nodes hold {} distinct measurements (ml {}, module {}, model {}); {:.0f} % "
        "are "
        "copies.\n",
        measured, distinct, stats.distinct().ml, stats.distinct().module, stats.distinct().model,
        100.0 * static_cast<double>(measured - distinct) / static_cast<double>(measured));
  } else {
    out += "No node is measured.\n";
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    if (stats.missing()[i] > 0) {
      missing.push_back(fmt::format("{} {}", kFeatureNames[i], stats.missing()[i]));
    }
  }
  out += missing.empty() ? "Every node has every feature.\n"
                         : "Nodes that lack a feature: " + join(missing) + ".\n";
  if (stats.with_ops() > 0) {
    out += fmt::format("{} nodes have kernels of their own (ops).\n", stats.with_ops());
  }
  if (stats.predicted() > 0) out += fmt::format("{} nodes are predicted.\n", stats.predicted());
  return out;
}

int run(const StatsFlags& flags, Surroundings& world) {
  const Result<StatsAnswer> answer = dataset_stats(flags.request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  const DatasetStats& stats = answer.value().stats;
  note_skipped(answer.value().skipped_lines, "line", answer.value().problems.text(), world);
  if (flags.json) {
    world.out << to_json(answer.value());
  } else {
    world.out << models_table(stats) << "\n" << ops_table(stats) << "\n" << remarks(stats);
  }
  return 0;
}

}  // namespace

Command dataset_command(CommandSyntax app) {
  auto flags = std::make_shared<StatsFlags>();
  const CommandSyntax dataset = describe(app, *flags);
  return {dataset, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
