#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/models.h"
#include "src/cli/command.h"
#include "src/models/hub/bundled.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct ModelFlags {
  bool json = false, names = false;
};

CLI::App* describe(CLI::App& app, ModelFlags& flags) {
  CLI::App* models = app.add_subcommand("models", "List the bundled models and the known families");
  models->footer(
      "Any other model of a known family needs no more than its config.json:\n"
      "  wattree tree ./config.json\n");
  CLI::Option* json = models->add_flag("--json", flags.json, "Print JSON");
  models->add_flag("--names", flags.names, "Print just the names, one a line")->excludes(json);
  return models;
}

int run(const ModelFlags& flags, Surroundings& world) {
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

}  // namespace

Command models_command(CLI::App& app) {
  auto flags = std::make_shared<ModelFlags>();
  CLI::App* models = describe(app, *flags);
  return {models, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
