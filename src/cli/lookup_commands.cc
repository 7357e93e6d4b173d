// wattree regions, wattree hardware
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "src/api/runs/lookup.h"
#include "src/base/amounts.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct RegionFlags {
  std::vector<std::string> words;
  UnitFlag unit;
  bool json = false, names = false;
};

std::string sources_table(const std::vector<RegionSource>& sources) {
  std::vector<std::vector<std::string>> rows;
  for (const RegionSource& source : sources) {
    rows.push_back({source.key, source.covers, source.title});
  }
  return render_table({{"source"}, {"covers"}, {"title"}}, rows);
}

int run_regions(const RegionFlags& flags, Surroundings& world) {
  const Result<RegionsAnswer> answer = regions({join(flags.words, " ")}, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  if (flags.names) {
    for (const Region& region : answer.value().regions) world.out << region.code << "\n";
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Region& region : answer.value().regions) {
    rows.push_back({region.code, region.name, to_text(region.intensity, flags.unit.unit()), "pub",
                    std::to_string(region.year), region.source, region.located_in});
  }
  world.out << render_table({{"code"},
                             {"region"},
                             {"CO2e", true},
                             {"basis"},
                             {"year", true},
                             {"source"},
                             {"as in"}},
                            rows)
            << "\n"
            << sources_table(answer.value().sources);
  return 0;
}

struct HardwareFlags {
  std::vector<std::string> words;
  HardwareFileFlag file;
  bool json = false, names = false;
};

// As one word that find_device() knows: "a100-sxm4-80gb".
std::string typed_name(const Device& device) {
  std::string name = reduced_name(device.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string shown(std::optional<double> number) { return number ? four_digits(*number) : "-"; }

std::string hardware_table(const std::vector<Device>& devices) {
  std::vector<std::vector<std::string>> rows;
  for (const Device& device : devices) {
    std::string efficiency = "-";
    if (device.tdp && device.fp32_gflops) {
      efficiency = four_digits(*device.fp32_gflops / device.tdp->value);
    }
    rows.push_back({device.name, std::string(name_of(device.kind)),
                    device.tdp ? four_digits(device.tdp->value) : "-", shown(device.fp32_gflops),
                    efficiency, shown(device.tensor_or_fp16_gflops), shown(device.memory_gb),
                    shown(device.memory_gb_per_s), device.year ? std::to_string(*device.year) : "-",
                    std::string(short_name_of(device.basis)), device.source});
  }
  return render_table({{"hardware"},
                       {"kind"},
                       {"TDP W", true},
                       {"FP32 GFLOPS", true},
                       {"per W", true},
                       {"tensor/FP16", true},
                       {"GB", true},
                       {"GB/s", true},
                       {"year", true},
                       {"basis"},
                       {"from"}},
                      rows);
}

int run_hardware(const HardwareFlags& flags, Surroundings& world) {
  Result<OwnDevices> own_devices = flags.file.load();
  if (!own_devices.ok()) return fail(own_devices.error(), flags.json, world);
  const HardwareRequest request{join(flags.words, " "), std::move(own_devices).value()};
  const Result<HardwareAnswer> answer = hardware(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  if (flags.names) {
    for (const Device& device : answer.value().devices) world.out << typed_name(device) << "\n";
    return 0;
  }
  world.out << hardware_table(answer.value().devices);
  if (request.words.empty()) {
    world.out
        << "\n"
        << answer.value().devices.size()
        << " devices, those that models are trained on and not all there are: --hardware-file "
           "adds your own\n";
  }
  return 0;
}

}  // namespace

Command regions_command(CommandSyntax app) {
  auto flags = std::make_shared<RegionFlags>();
  const CommandSyntax regions =
      app.add_subcommand("regions", "List regions and the carbon intensity of their electricity");
  regions.footer(
      "Examples:\n"
      "  wattree regions georgia\n"
      "  wattree regions aws: --unit lb\n\n"
      "Sources differ in what they cover (direct or lifecycle emissions, generation or\n"
      "consumption): compare figures of one source. See docs/carbon.md.\n");
  regions.add_option("WORDS", flags->words, "Part of a code, name or source [all]");
  flags->unit.add_to(regions);
  const CommandOption json =
      regions.add_flag("--json", flags->json, "Print JSON (docs/schemas/regions.schema.json)");
  regions.add_flag("--names", flags->names, "Print only the codes, one per line").excludes(json);
  return {regions, [flags](Surroundings& world) { return run_regions(*flags, world); },
          [flags] { return flags->json || flags->names; }};
}

Command hardware_command(CommandSyntax app) {
  auto flags = std::make_shared<HardwareFlags>();
  const CommandSyntax hardware = app.add_subcommand("hardware", "List processors and accelerators");
  hardware.footer(
      "Examples:\n"
      "  wattree hardware rtx 40\n"
      "  wattree hardware \"NVIDIA A100-SXM4-80GB\"\n"
      "  wattree hardware --hardware-file mine.csv mine\n\n"
      "Figures are the makers'; a dash is not published. See docs/carbon.md.\n");
  hardware.add_option("WORDS", flags->words,
                      "Words, or beginnings of words, of a name, alias or maker [all]");
  flags->file.add_to(hardware);
  const CommandOption json =
      hardware.add_flag("--json", flags->json, "Print JSON (docs/schemas/hardware.schema.json)");
  hardware.add_flag("--names", flags->names, "Print only the names, one per line, each as one word")
      .excludes(json);
  return {hardware, [flags](Surroundings& world) { return run_hardware(*flags, world); },
          [flags] { return flags->json || flags->names; }};
}

}  // namespace wattree
