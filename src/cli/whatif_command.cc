#include <memory>
#include <ostream>

#include "src/api/runs/whatif.h"
#include "src/cli/command.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/footprint_table.h"

namespace wattree {
namespace {

struct WhatIfFlags {
  std::string profile;
  WhatIfQuery query;
  SettingFlags baseline, alternative;
  HardwareFileFlag hardware_file;
  std::string keep = "work", formula = "precision", precision;
  UnitFlag unit;
  FolderFlag folder;
  bool json = false;
};

// The request, but for what stands in files.
WhatIfRequest request_of(const WhatIfFlags& flags) {
  WhatIfRequest out{flags.folder.run(flags.profile), flags.query, {}};
  out.query.baseline = flags.baseline.query;
  out.query.alternative = flags.alternative.query;
  out.query.keep = parse_keep(flags.keep).value_or(Keep::kWork);
  out.query.rule = {parse_hardware_formula(flags.formula).value_or(HardwareFormula::kPrecision),
                    parse_compute_units(flags.precision)};
  return out;
}

int run(WhatIfFlags& flags, Surroundings& world) {
  for (SettingFlags* setting : {&flags.baseline, &flags.alternative}) {
    if (const Status failure = setting->load(); !failure.ok()) {
      return fail(failure.error(), flags.json, world);
    }
  }
  Result<OwnDevices> own_devices = flags.hardware_file.load();
  if (!own_devices.ok()) return fail(own_devices.error(), flags.json, world);
  WhatIfRequest request = request_of(flags);
  request.own_devices = std::move(own_devices).value();
  const Result<WhatIfAnswer> answer = what_if(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
  } else {
    world.out << footprint_headline(answer.value().baseline)
              << what_if_table(answer.value(), flags.unit.unit(), world.flag_of);
  }
  return 0;
}

}  // namespace

Command whatif_command(CommandSyntax app) {
  auto flags = std::make_shared<WhatIfFlags>();
  const CommandSyntax whatif = app.add_subcommand(
      "whatif", "Show a run in another region, on other hardware, or with more epochs");
  whatif.footer(
      "Examples:\n"
      "  wattree whatif transformer-big-p100 --region US-WY\n"
      "  wattree whatif transformer-big-p100 --hardware 8xA100-SXM4-40GB --pue 1.1\n"
      "  wattree whatif run.json --hardware 4xT4 --keep hours --epochs 40\n\n"
      "The profile itself never changes. Other hardware is compared by data sheets: the peak rate\n"
      "of the precision that the run computes in, the memory bandwidth and the TDP. See\n"
      "docs/carbon.md.\n");
  whatif.add_option("PROFILE", flags->profile, "A file, or an id of `wattree profiles list`")
      .required();
  flags->alternative.add_to(whatif);
  whatif.add_option("--hardware", flags->query.hardware,
                    "Other hardware, such as 4xT4 or \"4xT4,2xEPYC 7742\"");
  whatif
      .add_option("--keep", flags->keep,
                  "What stays the same on other hardware: the work, or the hours")
      .one_of({"work", "hours"})
      .show_default();
  whatif
      .add_option("--precision", flags->precision,
                  "Precision that the run computes in [the profile's, or else 16 bits; fp32 on "
                  "hardware without 16-bit units]")
      .one_of({"fp32", "tf32", "bf16", "fp16"});
  whatif
      .add_option("--formula", flags->formula,
                  "How hardware is compared: by the run's precision, or as EnergyVis does, by TDP "
                  "and FP32 peaks")
      .one_of({"precision", "energyvis"})
      .show_default();
  whatif.add_option("--epochs", flags->query.epochs,
                    "Show both at this many epochs: extrapolated, or cut off");
  flags->baseline.add_to(whatif, "baseline-");
  whatif.add_option("--baseline-hardware", flags->query.baseline_hardware,
                    "Hardware of the run, if the profile does not name it");
  flags->hardware_file.add_to(whatif);
  flags->unit.add_to(whatif);
  flags->folder.add_to(whatif);
  whatif.add_flag("--json", flags->json, "Print JSON (docs/schemas/whatif.schema.json)");
  return {whatif, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
