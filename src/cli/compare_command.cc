#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/footprint.h"
#include "src/api/predict.h"
#include "src/api/profiles.h"
#include "src/base/csv.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/model_comparison.h"
#include "src/cli/shared_flags.h"
#include "src/models/hub/bundled.h"
#include "src/report/table/footprint_table.h"

namespace wattree {
namespace {

// The exit code of a gate that is closed: the comparison worked, and the answer is no.
constexpr int kAboveLimit = 1;

struct CompareFlags {
  std::vector<std::string> runs;  // Or models.
  ModelFlags models;
  SettingFlags setting;
  std::optional<std::size_t> epochs;
  std::string fail_above;
  UnitFlag unit;
  FolderFlag folder;
  bool json = false;
};

// "3%" is 0.03.
Result<double> parse_limit(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  const std::optional<double> percent = parse_number(number);
  if (percent && *percent >= 0) return *percent / 100;
  return Error{ErrorCode::kInvalidInput,
               "--fail-above needs a percentage of 0 or more, not \"" + std::string(text) + "\"",
               "for example --fail-above 3%"};
}

int compare_profiles(CompareFlags& flags, std::optional<double> limit, Surroundings& world) {
  if (const Status failure = flags.setting.load(); !failure.ok())
    return fail(failure.error(), flags.json, world);
  std::vector<Footprint> footprints;
  for (const std::string& run : flags.runs) {
    Result<Profile> profile = load_run(run, flags.folder.path(world));
    if (!profile.ok()) return fail(profile.error(), flags.json, world);
    Result<Footprint> footprint =
        footprint_of(std::move(profile).value(), flags.setting.query, flags.epochs);
    if (!footprint.ok()) return fail(footprint.error(), flags.json, world);
    footprints.push_back(std::move(footprint).value());
  }
  if (flags.json) {
    world.out << to_json(footprints);
  } else {
    world.out << comparison_table(footprints, flags.unit.unit());
  }
  if (!limit) return 0;
  const Joules first = footprints.front().curve.points.back().device_energy.value;
  for (const Footprint& footprint : footprints) {
    const auto more = excess(footprint.curve.points.back().device_energy.value, first);
    if (!more || *more <= *limit) continue;
    world.err << "wattree: \"" << footprint.profile.name << "\" takes more than "
              << flags.fail_above << " above the first\n";
    return kAboveLimit;
  }
  return 0;
}

// Flags that mean something to one kind of comparison only.
constexpr const char* kProfileFlags[] = {"--intensity-file", "--intensity", "--region", "--pue",
                                         "--epochs",         "--unit",      "--folder"};

bool names_a_model(const std::string& name, const std::filesystem::path& profiles) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return true;
  if (std::filesystem::exists(name, ignored)) {
    const Result<std::string> text = read_file(name);
    return text.ok() && text.value().find("\"model_type\"") != std::string::npos;
  }
  for (const BundledModel& model : bundled_models()) {
    if (model.name == name) return true;
  }
  // What is neither is more likely a model: of those there are many more.
  return !load_run(name, profiles).ok();
}

int run(CompareFlags& flags, const CLI::App& app, Surroundings& world) {
  std::optional<double> limit;
  if (!flags.fail_above.empty()) {
    const Result<double> parsed = parse_limit(flags.fail_above);
    if (!parsed.ok()) return usage_error(parsed.error(), flags.json, world);
    limit = parsed.value();
  }
  const bool are_models = names_a_model(flags.runs.front(), flags.folder.path(world));
  const auto misplaced = [&](const auto& names) -> Status {
    for (const char* name : names) {
      if (app.get_option_no_throw(name) == nullptr || app.count(name) == 0) continue;
      return Error{
          ErrorCode::kInvalidInput,
          std::string(name) + " means nothing when " + (are_models ? "models" : "runs") +
              " are compared",
          "\"" + flags.runs.front() + "\" is taken as a " + (are_models ? "model" : "run")};
    }
    return {};
  };
  if (const Status failure = are_models ? misplaced(kProfileFlags) : misplaced(kModelFlags);
      !failure.ok()) {
    return usage_error(failure.error(), flags.json, world);
  }
  if (!are_models) return compare_profiles(flags, limit, world);
  if (const Status failure = read_sets(flags.models.pass); !failure.ok())
    return usage_error(failure.error(), flags.json, world);
  const Result<ModelComparison> compared = compare_models(flags.runs, flags.models, limit, world);
  if (!compared.ok()) return fail(compared.error(), flags.json, world);
  world.out << (flags.json ? to_json(compared.value()) : comparison_table(compared.value()));
  const std::vector<std::string> above = compared.value().above_limit();
  if (above.empty()) return 0;
  world.err << "wattree: more than " << flags.fail_above << " above the first: " << join(above)
            << "\n";
  return kAboveLimit;
}

}  // namespace

Command compare_command(CLI::App& app) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* compare =
      app.add_subcommand("compare", "Compare models as predicted, or runs as recorded");
  compare->footer(
      "Examples:\n"
      "  wattree compare bert-base-uncased distilbert-base-uncased -b 16 -s 128\n"
      "  wattree compare main/config.json branch/config.json --fail-above 3%   an energy gate\n"
      "  wattree compare transformer-big-p100 bert-base-v100\n"
      "  wattree compare before.json after.json --fail-above 3%\n"
      "  wattree compare run.json 951kWh --region US-GA\n\n"
      "Models are predicted at the same sizes, by the same predictor, and compared with the\n"
      "first. Of runs nothing is scaled: what was measured is shown as measured, and changes are\n"
      "of the devices' energy. With --fail-above the exit code is 1 where one takes more "
      "energy.\n");
  compare
      ->add_option("MODEL", flags->runs,
                   "Models, as for `wattree predict`; or runs: profiles (files, or ids of `wattree "
                   "profiles list`), or energies that others report, such as 951kWh")
      ->required()
      ->expected(2, 100);
  compare->add_option("--fail-above", flags->fail_above,
                      "Exit with 1 where one takes this many percent more than the first");
  compare->add_flag("--json", flags->json,
                    "Print JSON (docs/schemas/compare.schema.json; of runs "
                    "compare_profiles.schema.json)");
  flags->models.add_to(*compare);
  flags->setting.add_to(*compare);
  compare->add_option("--epochs", flags->epochs,
                      "Extrapolate each run to, or cut it off after, so many epochs");
  flags->unit.add_to(*compare);
  flags->folder.add_to(*compare);
  return {compare, [flags, compare](Surroundings& world) { return run(*flags, *compare, world); }};
}

}  // namespace wattree
