#include <memory>
#include <ostream>

#include "src/api/runs/carbon.h"
#include "src/cli/command.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/footprint_table.h"

namespace wattree {
namespace {

struct CarbonFlags {
  std::string what;
  SettingFlags setting;
  UnitFlag unit;
  FolderFlag folder;
  std::optional<std::size_t> epochs;
  bool json = false;
};

int run(CarbonFlags& flags, Surroundings& world) {
  if (const Status failure = flags.setting.load(); !failure.ok()) {
    return fail(failure.error(), flags.json, world);
  }
  const Result<CarbonAnswer> answer =
      carbon({flags.folder.run(flags.what), flags.setting.query, flags.epochs}, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  const Footprint& footprint = answer.value().footprint;
  // An energy by itself says all of it in the table.
  if (!answer.value().is_energy) world.out << footprint_headline(footprint) << "\n";
  world.out << figures_table(footprint, flags.unit.unit()) << "\n"
            << equivalents_table(footprint.curve.points.back().emissions->value,
                                 footprint.curve.points.back().energy.value);
  return 0;
}

}  // namespace

Command carbon_command(CommandSyntax app) {
  auto flags = std::make_shared<CarbonFlags>();
  const CommandSyntax carbon = app.add_subcommand(
      "carbon", "Show the CO2 emissions of an amount of energy or of a run, in a region");
  carbon.footer(
      "Examples:\n"
      "  wattree carbon 2.5kWh --region US-GA --pue average\n"
      "  wattree carbon bert-base-v100 --unit lb\n"
      "  wattree carbon run.json --intensity-file hourly.csv\n\n"
      "Emissions = energy × PUE × intensity. See docs/carbon.md.\n");
  carbon
      .add_option("ENERGY|PROFILE", flags->what,
                  "An energy such as 2.5kWh, or a profile: a file or an id of `wattree profiles "
                  "list`")
      .required();
  flags->setting.add_to(carbon);
  flags->setting.add_price_to(carbon);
  carbon.add_option("--epochs", flags->epochs,
                    "Show the run at this many epochs: extrapolated, or cut off");
  flags->unit.add_to(carbon);
  flags->folder.add_to(carbon);
  carbon.add_flag("--json", flags->json, "Print JSON (docs/schemas/footprint.schema.json)");
  return {carbon, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
