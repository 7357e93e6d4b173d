#include "src/cli/meter_flags.h"

#include <CLI/CLI.hpp>

namespace wattree {

void MeterFlags::add_assume(CLI::App& command) {
  command
      .add_option("--assume", assumptions,
                  "Declare the power of something that cannot be measured: cpu=65W (repeatable)")
      ->take_all()
      ->type_name("WHAT=POWER")
      ->expected(1)
      ->allow_extra_args(false);
}

void MeterFlags::add_roots(CLI::App& command) {
  command.add_option("--sys-root", sys_root)->group("");
  command.add_option("--proc-root", proc_root)->group("");
  command.add_option("--nvml", nvml)->group("");
}

MeterQuery MeterFlags::query(const Surroundings& world) const {
  MeterQuery query = world.services.meters;
  query.sys_root = sys_root;
  query.proc_root = proc_root;
  query.nvml_library = nvml;
  return query;
}

Services MeterFlags::services(const Surroundings& world) const {
  Services services = world.services;
  services.meters = query(world);
  return services;
}

}  // namespace wattree
