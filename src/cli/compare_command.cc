#include <algorithm>
#include <memory>
#include <ostream>
#include <span>

#include "src/api/model/request_texts.h"
#include "src/api/predict/compare_models.h"
#include "src/api/runs/compare_runs.h"
#include "src/api/runs/open_profiles.h"
#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"
#include "src/cli/predict_flags.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/footprint_table.h"
#include "src/report/table/model_comparison_table.h"

namespace wattree {
namespace {

struct CompareFlags {
  std::vector<std::string> names;  // Of models or of runs.
  PassFlags pass;
  PredictorRef predictor;
  SettingFlags setting;
  std::optional<std::size_t> epochs;
  std::string fail_above;
  UnitFlag unit;
  FolderFlag folder;
  bool json = false;
};

// Flags that mean something to one kind of comparison only.
constexpr const char* kRunFlags[] = {"--intensity-file", "--intensity", "--region", "--pue",
                                     "--price",          "--epochs",    "--unit",   "--folder"};
constexpr const char* kModelFlags[] = {"--batch",    "--seq",       "--target-len", "--past",
                                       "--dtype",    "--attention", "--as",         "--set",
                                       "--revision", "--predictor", "--on"};

Status check_flags(const CompareFlags& flags, CommandSyntax syntax, bool are_models) {
  for (const char* name : are_models ? std::span<const char* const>(kRunFlags)
                                     : std::span<const char* const>(kModelFlags)) {
    if (!syntax.is_given(name)) continue;
    return Error{ErrorCode::kInvalidInput,
                 std::string(name) + " means nothing when " + (are_models ? "models" : "runs") +
                     " are compared",
                 "\"" + flags.names.front() + "\" is taken as a " + (are_models ? "model" : "run"),
                 name};
  }
  return {};
}

int compare_runs(CompareFlags& flags, std::optional<double> limit, const Services& services,
                 Surroundings& world) {
  if (const Status failure = flags.setting.load(); !failure.ok())
    return fail(failure.error(), flags.json, world);
  const CompareRunsRequest request{flags.names, flags.setting.query, flags.epochs, limit};
  const Result<CompareRunsAnswer> answer = compare_runs(request, services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  world.out << (flags.json ? to_json(answer.value())
                           : comparison_table(answer.value().footprints, flags.unit.unit(),
                                              answer.value().shared_epochs));
  if (answer.value().above_limit.empty()) return 0;
  world.err << "wattree: \"" << answer.value().above_limit.front() << "\" takes more than "
            << flags.fail_above << " above the first\n";
  return kAboveLimit;
}

int compare_models(CompareFlags& flags, std::optional<double> limit, Surroundings& world) {
  if (const Status failure = read_sets(flags.pass); !failure.ok())
    return usage_error(failure.error(), flags.json, world);
  CompareModelsRequest request{{}, flags.pass.query, flags.predictor, limit};
  for (const std::string& name : flags.names) request.models.push_back({name, flags.pass.revision});
  const Result<CompareModelsAnswer> answer = compare_models(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  show_notes(answer.value().notes, world);
  const ModelComparison& comparison = answer.value().comparison;
  world.out << (flags.json ? to_json(answer.value()) : comparison_table(comparison));
  const std::vector<std::string> above = comparison.above_limit();
  if (above.empty()) return 0;
  world.err << "wattree: more than " << flags.fail_above << " above the first: " << join(above)
            << "\n";
  return kAboveLimit;
}

int run(CompareFlags& flags, CommandSyntax syntax, Surroundings& world) {
  std::optional<double> limit;
  if (!flags.fail_above.empty()) {
    const Result<double> parsed = parse_limit(flags.fail_above);
    if (!parsed.ok()) return usage_error(parsed.error(), flags.json, world);
    limit = parsed.value();
  }
  Services services = world.services;
  services.store = store_file(flags.folder.folder, services);
  services.profiles = flags.folder.path(world);
  const bool are_models = names_a_model(flags.names.front(), services);
  if (const auto run =
          std::find_if_not(flags.names.begin(), flags.names.end(),
                           [&](const std::string& name) { return names_a_model(name, services); });
      are_models && run != flags.names.end()) {
    return fail({ErrorCode::kInvalidInput,
                 in_quotes(flags.names.front()) + " is a model, and " + in_quotes(*run) + " is not",
                 "compare models with models, or runs with runs", "models"},
                flags.json, world);
  }
  if (const Status failure = check_flags(flags, syntax, are_models); !failure.ok())
    return usage_error(failure.error(), flags.json, world);
  return are_models ? compare_models(flags, limit, world)
                    : compare_runs(flags, limit, services, world);
}

}  // namespace

Command compare_command(CommandSyntax app) {
  auto flags = std::make_shared<CompareFlags>();
  const CommandSyntax compare =
      app.add_subcommand("compare", "Compare models as predicted, or runs as recorded");
  compare.footer(
      "Examples:\n"
      "  wattree compare bert-base-uncased distilbert-base-uncased -b 16 -s 128\n"
      "  wattree compare main/config.json branch/config.json --fail-above 3%   an energy gate\n"
      "  wattree compare transformer-big-p100 bert-base-v100\n"
      "  wattree compare before.json after.json --fail-above 3%\n"
      "  wattree compare run.json 951kWh --region US-GA\n\n"
      "Models are predicted at the same sizes by the same predictor, and compared with the first.\n"
      "Runs are not scaled: what was measured is shown as measured, and changes are those of the\n"
      "devices' energy. With --fail-above the exit code is 1 if any takes more energy.\n");
  compare
      .add_option("MODEL", flags->names,
                  "Models, as for `wattree predict`; or runs: profiles (files, or ids of `wattree "
                  "profiles list`), or energies that others report, such as 951kWh")
      .required()
      .values(2, 100);
  compare.add_option("--fail-above", flags->fail_above,
                     "Exit with 1 if any takes this many percent more than the first: 3%");
  compare.add_flag("--json", flags->json,
                   "Print JSON (docs/schemas/compare.schema.json; of runs "
                   "compare_profiles.schema.json)");
  describe_size(compare, flags->pass);
  describe_predictor(compare, flags->predictor);
  describe_pass(compare, flags->pass, PrecisionUse::kRun);
  flags->setting.add_to(compare);
  flags->setting.add_price_to(compare);
  compare.add_option("--epochs", flags->epochs,
                     "Show each run at this many epochs: extrapolated, or cut off");
  flags->unit.add_to(compare);
  flags->folder.add_to(compare);
  return {compare, [flags, compare](Surroundings& world) { return run(*flags, compare, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
