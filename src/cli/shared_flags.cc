#include "src/cli/shared_flags.h"

#include <ostream>

#include "src/base/error_field.h"
#include "src/base/file.h"

namespace wattree {

void SettingFlags::add_to(CommandSyntax command, const std::string& prefix) {
  series_field = prefix.empty() ? "intensity_file" : "baseline_intensity_file";
  const std::string of = prefix.empty() ? "" : " of the baseline";
  const CommandOption region = command.add_option(
      "--" + prefix + "region", query.region,
      "Region" + of + ": a code, name or cloud region of `wattree regions` [the profile's]");
  const CommandOption intensity =
      command
          .add_option("--" + prefix + "intensity", query.intensity,
                      "Carbon intensity" + of + ", such as 325.4g/kWh or 0.7175lb/kWh")
          .excludes(region);
  command
      .add_option("--" + prefix + "intensity-file", series_file,
                  "Carbon intensity" + of + " over time: CSV with time (UTC) and gco2e_per_kwh")
      .excludes(region)
      .excludes(intensity);
  command.add_option("--" + prefix + "pue", query.pue,
                     "PUE" + of +
                         ": 1 or more, or \"average\" for the latest survey [the "
                         "profile's, or else none]");
}

void SettingFlags::add_price_to(CommandSyntax command) {
  command.add_option("--price", query.usd_per_kwh,
                     "USD per kWh: shows what the energy costs, as assumed [no cost]");
}

Status SettingFlags::load() {
  if (series_file.empty()) return {};
  Result<std::string> text = read_maybe_gzip(series_file);
  if (!text.ok()) return of_field(series_field, text.error());
  query.series = std::move(text).value();
  query.series_origin = series_file;
  return {};
}

void UnitFlag::add_to(CommandSyntax command) {
  command.add_option("--unit", name, "Unit of mass: g, kg or lb [g or kg, by size]")
      .one_of({"g", "kg", "lb"});
}

void FolderFlag::add_to(CommandSyntax command) {
  command.add_option("--folder", folder,
                     "Folder of profiles [$XDG_DATA_HOME/wattree/profiles, or below "
                     "~/.local/share]");
}

std::filesystem::path FolderFlag::path(const Surroundings& world) const {
  return profile_folder(folder, world.services);
}

void HardwareFileFlag::add_to(CommandSyntax command) {
  command.add_option("--hardware-file", file,
                     "CSV file with hardware of your own: name,kind,tdp_w,fp32_gflops and, if "
                     "known, the other columns of data/hardware.csv");
}

Result<OwnDevices> HardwareFileFlag::load() const {
  if (file.empty()) return OwnDevices{};
  Result<std::string> text = read_file(file);
  if (!text.ok()) return of_field("hardware_file", text.error());
  return OwnDevices{std::move(text).value(), file};
}

int write_output(const std::string& text, const std::string& file, Surroundings& world) {
  if (file.empty()) {
    world.out << text;
    return 0;
  }
  const Status failure = write_file(file, text);
  return failure.ok() ? 0 : fail(of_field("output", failure.error()), false, world);
}

}  // namespace wattree
