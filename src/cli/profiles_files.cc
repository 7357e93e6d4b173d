#include "src/cli/profiles_files.h"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "src/api/runs/export.h"
#include "src/api/runs/profile_estimate.h"
#include "src/api/runs/profile_import.h"
#include "src/api/runs/recover.h"
#include "src/api/runs/store_upkeep.h"
#include "src/base/in_quotes.h"
#include "src/cli/shared_flags.h"

namespace wattree {
namespace {

struct FilesFlags {
  FolderFlag folder;
  std::string name;  // Of export.
  std::string file;  // Of import, backup and restore.
  std::string id;    // Of import.
  std::vector<std::string> tags;
  std::string format = "wattree";
  std::string region;  // Of export.
  bool command = false;
  std::string output;
  std::string journal;  // Of recover: a file or a folder.
  EstimateProfileRequest estimate;
};

std::string kept_text(const ProfileSummary& profile) {
  return fmt::format("{}: {} epoch{} of {}{}\n", profile.id, profile.epochs,
                     profile.epochs == 1 ? "" : "s", in_quotes(profile.name),
                     profile.energy ? ", " + to_text(*profile.energy) : "");
}

int import_file(const FilesFlags& flags, Surroundings& world) {
  const Result<ImportProfileAnswer> answer =
      import_profile({flags.file, "", flags.id, flags.tags, flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  for (const std::string& note : answer.value().notes) {
    world.err << "wattree: note: " << note << "\n";
  }
  for (const ProfileSummary& profile : answer.value().profiles) world.out << kept_text(profile);
  return 0;
}

int estimate(const FilesFlags& flags, Surroundings& world) {
  EstimateProfileRequest request = flags.estimate;
  request.id = flags.id;
  request.tags = flags.tags;
  request.folder = flags.folder.folder;
  const Result<EstimateProfileAnswer> answer = estimate_profile(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  if (answer.value().kept) world.out << kept_text(*answer.value().kept);
  return 0;
}

int export_file(const FilesFlags& flags, Surroundings& world) {
  const ExportRequest request{flags.folder.run(flags.name),
                              parse_export_format(flags.format).value_or(ExportFormat::kWattree),
                              flags.region, flags.command};
  const Result<ExportAnswer> answer = export_profile(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  for (const std::string& note : answer.value().notes) {
    world.err << "wattree: note: " << note << "\n";
  }
  return write_output(answer.value().text, flags.output, world);
}

std::string recovered_text(const RecoveredRun& run) {
  const std::size_t epochs = run.profile.epochs.size();
  const auto energy = device_energy(run.profile);
  std::string out = fmt::format(
      "{}: {}, {} epoch{}{}, {}\n", run.journal.filename().string(), in_quotes(run.profile.name),
      epochs, epochs == 1 ? "" : "s", energy ? ", " + to_text(*energy) : "",
      run.kept.empty() ? "recovered before" : "now in " + run.kept.string());
  for (const std::string& note : run.notes) out += "  " + note + "\n";
  return out;
}

int recover(const FilesFlags& flags, Surroundings& world) {
  const Result<RecoverAnswer> answer =
      recover_runs({flags.journal, flags.output, flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  int code = 0;
  for (const Result<RecoveredRun>& run : answer.value().runs) {
    if (run.ok()) {
      world.out << recovered_text(run.value());
    } else {
      code = fail(run.error(), false, world);
    }
  }
  if (answer.value().runs.empty()) {
    world.out << "nothing to recover: there are no journals in " << answer.value().where.string()
              << "\n";
  }
  return code;
}

int backup(const FilesFlags& flags, Surroundings& world) {
  const Status failure = backup_profiles({flags.file, flags.folder.folder}, world.services);
  if (!failure.ok()) return fail(failure.error(), false, world);
  world.out << "all profiles are in " << flags.file << "\n";
  return 0;
}

int restore(const FilesFlags& flags, Surroundings& world) {
  const Result<RestoreAnswer> answer =
      restore_profiles({flags.file, flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  world.out << "the profiles are those of " << flags.file;
  if (!answer.value().kept.empty()) {
    world.out << "; those that were here before are kept in " << answer.value().kept.string();
  }
  world.out << "\n";
  return 0;
}

CommandSyntax add_import(CommandSyntax profiles, FilesFlags& flags) {
  const CommandSyntax command = profiles.add_subcommand(
      "import",
      "Keep profiles: Wattree's or EnergyVis's JSON, an HTML report, or CodeCarbon's "
      "emissions.csv");
  command.add_option("FILE", flags.file, "The file").required();
  command.add_option("--id", flags.id, "Its id [from its name]");
  command.add_option("--tag", flags.tags, "Give it this tag").repeatable("TAG");
  return command;
}

CommandSyntax add_estimate(CommandSyntax profiles, FilesFlags& flags) {
  const CommandSyntax command = profiles.add_subcommand(
      "estimate", "Estimate a run from its hardware, hours and region, and keep it as a profile");
  command.add_option("NAME", flags.estimate.name, "What to call it").required();
  command
      .add_option("--hardware", flags.estimate.fleet,
                  "What it ran on, by names of `wattree hardware`: 8xV100, or 4xT4,EPYC 7742")
      .required();
  command.add_option("--hours", flags.estimate.hours, "How long it ran").required();
  command.add_option("--region", flags.estimate.region, "Where, by names of `wattree regions`");
  command.add_option("--pue", flags.estimate.pue, "PUE: 1 or more, or \"average\" [not known]");
  command
      .add_option("--utilisation", flags.estimate.utilisation,
                  "Average power as a part of the devices' rated power")
      .show_default();
  command.add_option("--author", flags.estimate.author, "Whose run it was");
  command.add_option("--source", flags.estimate.source, "Where these figures are published");
  command.add_option("--id", flags.id, "Its id [from its name]");
  command.add_option("--tag", flags.tags, "Give it this tag").repeatable("TAG");
  return command;
}

CommandSyntax add_export(CommandSyntax profiles, FilesFlags& flags) {
  const CommandSyntax command = profiles.add_subcommand("export", "Write a profile to a file");
  command.add_option("PROFILE", flags.name, "A file, or an id of `wattree profiles list`")
      .required();
  command.add_option("--format", flags.format, "wattree, energyvis or html")
      .one_of({"wattree", "energyvis", "html"})
      .show_default();
  command.add_option("--region", flags.region, "Region to write instead of the profile's");
  command.add_flag("--command", flags.command,
                   "Keep the run's command line in the notes, which others may then read");
  command.add_option("-o,--output", flags.output, "Write to this file [standard output]");
  return command;
}

CommandSyntax add_recover(CommandSyntax profiles, FilesFlags& flags) {
  const CommandSyntax command =
      profiles.add_subcommand("recover", "Recover runs whose tracker died, from their journals");
  command.add_option("JOURNAL|FOLDER", flags.journal,
                     "A journal or a folder of them [$XDG_STATE_HOME/wattree/journals]");
  command.add_option("-o,--output", flags.output,
                     "Write the profile to this file [kept among `wattree profiles list`]");
  return command;
}

}  // namespace

std::vector<Command> profiles_files_commands(CommandSyntax profiles) {
  auto flags = std::make_shared<FilesFlags>();
  const CommandSyntax saving = profiles.add_subcommand(
      "backup", "Copy all profiles and tokens to a file; runs may go on meanwhile");
  saving.add_option("FILE", flags->file, "A new file").required();
  const CommandSyntax restoring = profiles.add_subcommand(
      "restore", "Restore a backup; the present profiles are kept beside it");
  restoring.add_option("FILE", flags->file, "A backup").required();
  std::vector<Command> commands{
      {add_import(profiles, *flags),
       [=](Surroundings& world) { return import_file(*flags, world); }},
      {add_estimate(profiles, *flags),
       [=](Surroundings& world) { return estimate(*flags, world); }},
      {add_export(profiles, *flags),
       [=](Surroundings& world) { return export_file(*flags, world); }, [] { return true; }},
      {add_recover(profiles, *flags), [=](Surroundings& world) { return recover(*flags, world); }},
      {saving, [=](Surroundings& world) { return backup(*flags, world); }},
      {restoring, [=](Surroundings& world) { return restore(*flags, world); }}};
  for (const Command& command : commands) flags->folder.add_to(command.syntax);
  return commands;
}

}  // namespace wattree
