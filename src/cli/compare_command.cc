#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/profiles.h"
#include "src/base/csv.h"
#include "src/cli/command.h"
#include "src/cli/footprint_table.h"
#include "src/cli/shared_flags.h"

namespace wattree {
namespace {

// The exit code of a gate that is closed: the comparison worked, and the answer is no.
constexpr int kAboveLimit = 1;

struct CompareFlags {
  std::vector<std::string> runs;
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

int compare_profiles(CompareFlags& flags, Surroundings& world) {
  if (const Failure failure = flags.setting.load()) return fail(*failure, flags.json, world);
  std::vector<Footprint> footprints;
  for (const std::string& run : flags.runs) {
    Result<Profile> profile = load_profile(run, flags.folder.path(world));
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
  if (flags.fail_above.empty()) return 0;
  const Result<double> limit = parse_limit(flags.fail_above);
  if (!limit.ok()) return fail(limit.error(), flags.json, world);
  const Joules first = footprints.front().curve.points.back().device_energy.value;
  for (const Footprint& footprint : footprints) {
    const auto more = excess(footprint.curve.points.back().device_energy.value, first);
    if (!more || *more <= limit.value()) continue;
    world.err << "wattree: \"" << footprint.profile.name << "\" takes more than "
              << flags.fail_above << " above the first\n";
    return kAboveLimit;
  }
  return 0;
}

}  // namespace

Command compare_command(CLI::App& app) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* compare = app.add_subcommand("compare", "Compare runs, each as it was recorded");
  compare->footer(
      "Examples:\n"
      "  wattree compare transformer-big-p100 bert-base-v100\n"
      "  wattree compare before.json after.json --fail-above 3%\n\n"
      "Nothing is scaled: what was measured is shown as measured. Changes are of the devices'\n"
      "energy, against the first run. With --fail-above the exit code is 1 where one takes "
      "more.\n");
  compare->add_option("RUN", flags->runs, "Profiles: files, or ids of `wattree profiles list`")
      ->required()
      ->expected(2, 100);
  flags->setting.add_to(*compare);
  compare->add_option("--epochs", flags->epochs,
                      "Extrapolate each to, or cut off after, so many epochs");
  compare->add_option("--fail-above", flags->fail_above,
                      "Exit with 1 where a run takes this many percent more than the first");
  flags->unit.add_to(*compare);
  flags->folder.add_to(*compare);
  compare->add_flag("--json", flags->json,
                    "Print JSON (docs/schemas/compare_profiles.schema.json)");
  return {compare, [flags](Surroundings& world) { return compare_profiles(*flags, world); }};
}

}  // namespace wattree
