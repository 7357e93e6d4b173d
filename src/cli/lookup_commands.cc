// wattree regions, wattree hardware
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "src/api/lookup.h"
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
  bool json = false;
};

int run_regions(const RegionFlags& flags, Surroundings& world) {
  const std::string words = join(flags.words, " ");
  std::vector<Region> regions = search_regions(words);
  if (regions.empty()) {
    const Result<Region> none = find_region(words);
    return fail(none.error(), flags.json, world);
  }
  if (flags.json) {
    world.out << to_json(regions);
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Region& region : regions) {
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
            << "\n";
  rows.clear();
  for (const RegionSource& source : bundled_region_sources()) {
    if (std::any_of(regions.begin(), regions.end(),
                    [&](const Region& region) { return region.source == source.key; })) {
      rows.push_back({source.key, source.covers, source.title});
    }
  }
  world.out << render_table({{"source"}, {"covers"}, {"title"}}, rows);
  return 0;
}

struct HardwareFlags {
  std::vector<std::string> words;
  HardwareFileFlag file;
  bool json = false;
};

std::string shown(std::optional<double> number) { return number ? four_digits(*number) : "-"; }

int run_hardware(const HardwareFlags& flags, Surroundings& world) {
  const Result<std::vector<Device>> all = flags.file.devices();
  if (!all.ok()) return fail(all.error(), flags.json, world);
  const std::string words = join(flags.words, " ");
  std::vector<Device> devices = search_devices(words, all.value());
  if (devices.empty()) {
    // A driver's name may have words that no name in the table has.
    const Result<Device> device = find_device(words, all.value());
    if (!device.ok()) return fail(device.error(), flags.json, world);
    devices.push_back(device.value());
  }
  if (flags.json) {
    world.out << to_json(devices);
    return 0;
  }
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
  world.out << render_table({{"hardware"},
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
  if (words.empty()) {
    world.out
        << "\n"
        << devices.size()
        << " devices, those that models are trained on and not all there are: --hardware-file "
           "adds your own\n";
  }
  return 0;
}

}  // namespace

Command regions_command(CLI::App& app) {
  auto flags = std::make_shared<RegionFlags>();
  CLI::App* regions =
      app.add_subcommand("regions", "List regions and the carbon intensity of their electricity");
  regions->footer(
      "Examples:\n"
      "  wattree regions georgia\n"
      "  wattree regions aws: --unit lb\n\n"
      "Sources differ in what they cover (direct or lifecycle emissions, generation or\n"
      "consumption): compare figures of one source. See docs/carbon.md.\n");
  regions->add_option("WORDS", flags->words, "Part of a code, name or source [all]");
  flags->unit.add_to(*regions);
  regions->add_flag("--json", flags->json, "Print JSON (docs/schemas/regions.schema.json)");
  return {regions, [flags](Surroundings& world) { return run_regions(*flags, world); }};
}

Command hardware_command(CLI::App& app) {
  auto flags = std::make_shared<HardwareFlags>();
  CLI::App* hardware = app.add_subcommand("hardware", "List processors and accelerators");
  hardware->footer(
      "Examples:\n"
      "  wattree hardware rtx 40\n"
      "  wattree hardware \"NVIDIA A100-SXM4-80GB\"\n"
      "  wattree hardware --hardware-file mine.csv mine\n\n"
      "Figures are the makers'; a dash is not published. See docs/carbon.md.\n");
  hardware->add_option("WORDS", flags->words,
                       "Beginnings of words of a name, alias or maker [all]");
  flags->file.add_to(*hardware);
  hardware->add_flag("--json", flags->json, "Print JSON (docs/schemas/hardware.schema.json)");
  return {hardware, [flags](Surroundings& world) { return run_hardware(*flags, world); }};
}

}  // namespace wattree
