// Flags that several commands about runs have in common.
#pragma once

#include <filesystem>
#include <string>

#include "src/api/runs/run_request.h"
#include "src/base/amounts.h"
#include "src/cli/command.h"

namespace wattree {

// --region, --intensity, --intensity-file and --pue; `prefix` is "baseline-" or nothing.
struct SettingFlags {
  SettingQuery query;
  std::string series_file;
  std::string series_field;  // What a request calls it.

  void add_to(CommandSyntax command, const std::string& prefix = "");
  void add_price_to(CommandSyntax command);  // --price
  // Reads the file; an error where it cannot be read.
  Status load();
};

// --unit
struct UnitFlag {
  std::string name;
  void add_to(CommandSyntax command);
  MassUnit unit() const { return parse_mass_unit(name).value_or(MassUnit::kAuto); }
};

// --folder: where profiles are kept.
struct FolderFlag {
  std::string folder;
  void add_to(CommandSyntax command);
  // The flag, or the user's own folder.
  std::filesystem::path path(const Surroundings& world) const;
  // A run by its file, or by its id in that folder.
  RunRef run(const std::string& name) const { return {name, folder, true}; }
};

// --hardware-file
struct HardwareFileFlag {
  std::string file;
  void add_to(CommandSyntax command);
  // What is in it; an error where it cannot be read.
  Result<OwnDevices> load() const;
};

// Writes to the file, or to standard output where it is empty, and returns the exit code.
int write_output(const std::string& text, const std::string& file, Surroundings& world);

}  // namespace wattree
