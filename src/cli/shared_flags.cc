#include "src/cli/shared_flags.h"

#include <CLI/CLI.hpp>

#include "src/base/environment.h"
#include "src/base/file.h"

namespace wattree {

void SettingFlags::add_to(CLI::App& command, const std::string& prefix) {
  const std::string of = prefix.empty() ? "" : " of the baseline";
  CLI::Option* region = command.add_option(
      "--" + prefix + "region", query.region,
      "Region" + of + ": a code, name or cloud region of `wattree regions` [the profile's]");
  CLI::Option* intensity =
      command
          .add_option("--" + prefix + "intensity", query.intensity,
                      "Carbon intensity" + of + ", such as 325.4g/kWh or 0.7175lb/kWh")
          ->excludes(region);
  command
      .add_option("--" + prefix + "intensity-file", series_file,
                  "Carbon intensity" + of + " over time: CSV with time (UTC) and gco2e_per_kwh")
      ->excludes(region)
      ->excludes(intensity);
  command.add_option("--" + prefix + "pue", query.pue,
                     "PUE" + of +
                         ": 1 or more, or \"average\" for the latest survey [the "
                         "profile's, or else none]");
}

Status SettingFlags::load() {
  if (series_file.empty()) return {};
  Result<std::string> text = read_maybe_gzip(series_file);
  if (!text.ok()) return text.error();
  query.series = std::move(text).value();
  query.series_origin = series_file;
  return {};
}

void UnitFlag::add_to(CLI::App& command) {
  command.add_option("--unit", name, "Unit of mass: g, kg or lb [g or kg, by size]")
      ->check(CLI::IsMember({"g", "kg", "lb"}));
}

void FolderFlag::add_to(CLI::App& command) {
  command.add_option("--folder", folder,
                     "Folder of profiles [$XDG_DATA_HOME/wattree/profiles, or below "
                     "~/.local/share]");
}

std::filesystem::path FolderFlag::path(const Surroundings& world) const {
  if (!folder.empty()) return folder;
  const std::filesystem::path data = xdg_folder(XdgFolder::kData, world.environment);
  return data.empty() ? "wattree-profiles" : data / "wattree/profiles";
}

void HardwareFileFlag::add_to(CLI::App& command) {
  command.add_option("--hardware-file", file,
                     "CSV of own hardware: name,kind,tdp_w,fp32_gflops and, if known, the other "
                     "columns of data/hardware.csv");
}

Result<std::vector<Device>> HardwareFileFlag::devices() const {
  if (file.empty()) return bundled_devices();
  Result<std::string> text = read_file(file);
  if (!text.ok()) return text.error();
  Result<std::vector<Device>> own = read_devices(std::move(text).value(), file);
  if (!own.ok()) return own;
  return with_own_devices(std::move(own).value(), file);
}

}  // namespace wattree
