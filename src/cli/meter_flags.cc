#include "src/cli/meter_flags.h"

namespace wattree {

void MeterFlags::add_assume(CommandSyntax command) {
  command
      .add_option("--assume", assumptions,
                  "Declare the power of something that cannot be measured: cpu=65W (repeatable)")
      .repeatable("WHAT=POWER");
}

void MeterFlags::add_roots(CommandSyntax command) {
  command.add_option("--sys-root", sys_root).hidden();
  command.add_option("--proc-root", proc_root).hidden();
  command.add_option("--nvml", nvml).hidden();
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
