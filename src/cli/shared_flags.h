// Flags that several commands about runs have in common.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/api/lookup.h"
#include "src/base/amounts.h"
#include "src/cli/command.h"
#include "src/runs/whatif/setting.h"

namespace wattree {

// --region, --intensity, --intensity-file and --pue; `prefix` is "baseline-" or nothing.
struct SettingFlags {
  SettingQuery query;
  std::string series_file;

  void add_to(CLI::App& command, const std::string& prefix = "");
  // Reads the file; an error where it cannot be read.
  Status load();
};

// --unit
struct UnitFlag {
  std::string name;
  void add_to(CLI::App& command);
  MassUnit unit() const { return parse_mass_unit(name).value_or(MassUnit::kAuto); }
};

// --folder: where profiles are kept.
struct FolderFlag {
  std::string folder;
  void add_to(CLI::App& command);
  // The flag, or XDG's data folder, which is below the home folder by default.
  std::filesystem::path path(const Surroundings& world) const;
};

// --hardware-file
struct HardwareFileFlag {
  std::string file;
  void add_to(CLI::App& command);
  // The bundled devices, with the file's before them.
  Result<std::vector<Device>> devices() const;
};

}  // namespace wattree
