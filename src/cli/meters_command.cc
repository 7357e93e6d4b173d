#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "src/api/measure/meters.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/meter_flags.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct MetersFlags {
  MeterFlags meters;
  bool json = false, details = false;
};

CommandSyntax describe(CommandSyntax app, MetersFlags& flags) {
  const CommandSyntax meters =
      app.add_subcommand("meters", "Show what can be measured here, and what stands in the way");
  meters.footer(
      "Examples:\n"
      "  wattree meters\n"
      "  wattree meters --details\n"
      "  wattree meters --assume cpu=65W --json\n\n"
      "Meters marked \"yes\" under \"in sum\" are added up. The others are shown beside them, "
      "because\n"
      "another meter already includes what they measure. See docs/measuring.md.\n");
  flags.meters.add_assume(meters);
  meters.add_flag("--details", flags.details, "Also show what each meter covers, and whose it is");
  meters.add_flag("--json", flags.json, "Print JSON (docs/schemas/meters.schema.json)");
  flags.meters.add_roots(meters);
  return meters;
}

std::string level_text(const KnownMeter& meter) {
  if (!meter.now) return "";
  const Unit unit = meter.description.unit;
  switch (unit) {
    case Unit::kWatt:
    case Unit::kByte: return with_any_prefix(*meter.now, symbol_of(unit));
    case Unit::kPercent: return fmt::format("{:.1f} %", *meter.now);
    default: return fmt::format("{:.0f} {}", *meter.now, symbol_of(unit));
  }
}

std::string period_text(Seconds period) {
  return period.value > 0.0 ? with_any_prefix(period.value, "s") : "never";
}

// A least step; percent and the like have no prefixes.
std::string step_text(const Description& d) {
  switch (d.unit) {
    case Unit::kJoule:
    case Unit::kWatt:
    case Unit::kSecond:
    case Unit::kByte:
      return d.resolution > 0.0 ? with_any_prefix(d.resolution, symbol_of(d.unit)) : "";
    default: return fmt::format("{:g} {}", d.resolution, symbol_of(d.unit));
  }
}

std::string energy_table(const std::vector<KnownMeter>& meters) {
  std::vector<std::vector<std::string>> rows;
  for (const KnownMeter& meter : meters) {
    const Description& d = meter.description;
    if (!d.is_energy()) continue;
    const std::string wraps =
        d.wrap > 0 ? with_any_prefix(static_cast<double>(d.wrap) * d.resolution, symbol_of(d.unit))
                   : "";
    rows.push_back({d.name, std::string(name_of(d.kind)), level_text(meter), period_text(d.period),
                    step_text(d), wraps, std::string(short_name_of(d.basis)),
                    d.is_counted ? "yes" : "no", d.source, d.read_from});
  }
  if (rows.empty()) return "";
  return "\n" + render_table({{"energy and power"},
                              {"kind"},
                              {"now", true},
                              {"changes every", true},
                              {"step", true},
                              {"wraps at", true},
                              {"basis"},
                              {"in sum"},
                              {"by"},
                              {"read from"}},
                             rows);
}

std::string use_table(const std::vector<KnownMeter>& meters) {
  std::vector<std::vector<std::string>> rows;
  for (const KnownMeter& meter : meters) {
    const Description& d = meter.description;
    if (d.is_energy()) continue;
    rows.push_back({d.name, std::string(name_of(d.kind)), level_text(meter), period_text(d.period),
                    step_text(d), std::string(name_of(d.scope)), d.read_from});
  }
  if (rows.empty()) return "";
  return "\n" + render_table({{"use"},
                              {"kind"},
                              {"now", true},
                              {"changes every", true},
                              {"step", true},
                              {"of the"},
                              {"read from"}},
                             rows);
}

// Whose work is in the counters of the GPUs now.
std::string process_table(const std::vector<GpuProcess>& processes) {
  std::vector<std::vector<std::string>> rows;
  for (const GpuProcess& process : processes) {
    rows.push_back({process.gpu, std::to_string(process.process),
                    process.memory_bytes
                        ? with_any_prefix(static_cast<double>(*process.memory_bytes), "B")
                        : "?",
                    process.sm_percent ? fmt::format("{:.0f} %", *process.sm_percent) : "?"});
  }
  if (rows.empty()) return "";
  return "\n" +
         render_table({{"at work on"}, {"process", true}, {"memory", true}, {"SMs", true}}, rows);
}

std::string headline(const std::vector<KnownMeter>& meters) {
  std::vector<std::string> counted;
  for (const KnownMeter& meter : meters) {
    if (!meter.description.is_counted) continue;
    counted.push_back(
        fmt::format("{} ({})", meter.description.name, name_of(meter.description.basis)));
  }
  if (counted.empty()) return "No energy can be measured here.\n";
  return "Energy here is the sum of " + join(counted) + ".\n";
}

std::string details(const std::vector<KnownMeter>& meters) {
  std::string out = "\nWhat they cover:\n";
  for (const KnownMeter& meter : meters) {
    const Description& d = meter.description;
    out += fmt::format("  {}: {}\n    {}; boundary {}\n", d.name, d.covers, d.device,
                       name_of(d.boundary));
    if (!d.counted_by.empty()) out += fmt::format("    in the sum by way of {}\n", d.counted_by);
  }
  return out;
}

std::string obstacle_text(const std::vector<Obstacle>& obstacles, const FieldName& name) {
  if (obstacles.empty()) return "";
  std::string out = "\nNot measured:\n";
  for (const Obstacle& obstacle : obstacles) {
    out += fmt::format("  {}\n    why: {}\n", obstacle.what, obstacle.why);
    // Several ways stand on lines of their own.
    const std::string remedy = with_fields_named(obstacle.remedy, name);
    std::string_view rest(remedy);
    const char* lead = "    do:  ";
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      out += fmt::format("{}{}\n", lead, line);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      lead = "         ";
    }
  }
  return out;
}

std::string limit_text(const CgroupLimits& limits) {
  if (!limits.cpus && !limits.memory_bytes) return "";
  std::vector<std::string> parts;
  if (limits.cpus) parts.push_back(fmt::format("{:g} CPUs", *limits.cpus));
  if (limits.memory_bytes) {
    parts.push_back(with_any_prefix(static_cast<double>(*limits.memory_bytes), "B") + " of memory");
  }
  return "\nThe control group of this process is limited to " + join(parts, " and ") + ".\n";
}

int run(const MetersFlags& flags, Surroundings& world) {
  const Result<MetersAnswer> answer =
      meters({flags.meters.assumptions}, flags.meters.services(world));
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  const MetersAnswer& here = answer.value();
  if (flags.json) {
    world.out << to_json(here);
    return 0;
  }
  world.out << headline(here.meters) << energy_table(here.meters) << use_table(here.meters)
            << process_table(here.processes);
  if (flags.details) world.out << details(here.meters);
  world.out << obstacle_text(here.obstacles, world.flag_of) << limit_text(here.limits);
  return 0;
}

}  // namespace

Command meters_command(CommandSyntax app) {
  auto flags = std::make_shared<MetersFlags>();
  const CommandSyntax meters = describe(app, *flags);
  return {meters, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
