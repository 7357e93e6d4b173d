#include <memory>
#include <ostream>

#include "src/api/model/models.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct ModelFlags {
  std::vector<std::string> words;
  bool json = false, names = false;
};

CommandSyntax describe(CommandSyntax app, ModelFlags& flags) {
  const CommandSyntax models =
      app.add_subcommand("models", "List the bundled models and the known families");
  models.footer(
      "For any other model of a known family its config.json is enough:\n"
      "  wattree tree ./config.json\n");
  models.add_option("WORDS", flags.words, "Parts of a name, family or class [all]");
  const CommandOption json = models.add_flag("--json", flags.json, "Print JSON");
  models.add_flag("--names", flags.names, "Print only the names, one per line").excludes(json);
  return models;
}

std::string models_table(const ModelsAnswer& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const KnownModel& model : answer.models) {
    rows.push_back({model.name, model.model_type, model.class_name,
                    with_prefix(static_cast<double>(model.params))});
  }
  return render_table({{"model"}, {"family"}, {"class"}, {"params", true}}, rows);
}

// Lines of at most 90 columns or so.
std::string families_text(const ModelsAnswer& answer) {
  std::string out;
  std::string line;
  for (const KnownFamily& family : answer.families) {
    if (line.size() + family.model_type.size() > 90) {
      out += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + std::string(family.model_type);
  }
  return out + "  " + line + "\n";
}

int run(const ModelFlags& flags, Surroundings& world) {
  if (flags.names && flags.words.empty()) {
    for (const std::string_view name : model_names()) world.out << name << "\n";
    return 0;
  }
  const Result<ModelsAnswer> answer = models_with(flags.words);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  if (flags.names) {
    for (const KnownModel& model : answer.value().models) world.out << model.name << "\n";
    return 0;
  }
  world.out
      << models_table(answer.value()) << "\n"
      << "Any model of these families works from its config.json, or as org/name on the Hub:\n"
      << families_text(answer.value());
  return 0;
}

}  // namespace

Command models_command(CommandSyntax app) {
  auto flags = std::make_shared<ModelFlags>();
  const CommandSyntax models = describe(app, *flags);
  return {models, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json || flags->names; }};
}

}  // namespace wattree
