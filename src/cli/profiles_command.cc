#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "src/api/runs/export.h"
#include "src/api/runs/profiles.h"
#include "src/api/runs/recover.h"
#include "src/base/in_quotes.h"
#include "src/cli/command.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/footprint_table.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct ProfilesFlags {
  FolderFlag folder;
  std::string name;  // Of show, export and delete.
  std::string file;  // Of import.
  std::string id;    // Of import.
  std::string format = "wattree";
  std::string region;  // Of export.
  std::string output;
  std::string journal;  // Of recover: a file or a folder.
  bool json = false, names = false;
};

std::vector<std::string> row_of(const KnownProfile& entry) {
  if (!entry.profile.ok()) {
    return {entry.id, "cannot be read: " + entry.profile.error().message, "", "", "", "", "", ""};
  }
  const Profile& profile = entry.profile.value();
  const auto energy = device_energy(profile);
  const auto time = duration(profile);
  const auto basis = provenance(profile);
  return {entry.id,
          profile.name,
          std::to_string(profile.epochs.size()),
          time ? to_text(*time) : "",
          energy ? to_text(*energy) : "",
          basis ? std::string(short_name_of(basis->basis)) : "",
          basis ? std::string(name_of(basis->boundary)) : "",
          profile.region};
}

int list(const ProfilesFlags& flags, Surroundings& world) {
  const Result<ProfilesAnswer> answer = profiles({flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  if (flags.names) {
    for (const KnownProfile& entry : answer.value().profiles) world.out << entry.id << "\n";
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const KnownProfile& entry : answer.value().profiles) rows.push_back(row_of(entry));
  world.out << render_table({{"id"},
                             {"name"},
                             {"epochs", true},
                             {"time", true},
                             {"device energy", true},
                             {"basis"},
                             {"boundary"},
                             {"region"}},
                            rows);
  return 0;
}

int show(const ProfilesFlags& flags, Surroundings& world) {
  const Result<ShowProfileAnswer> answer =
      show_profile({flags.folder.run(flags.name)}, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  const Result<Footprint>& footprint = answer.value().footprint;
  if (!footprint.ok()) return fail(footprint.error(), false, world);
  world.out << footprint_headline(footprint.value()) << "\n"
            << figures_table(footprint.value(), MassUnit::kAuto);
  return 0;
}

int import_file(const ProfilesFlags& flags, Surroundings& world) {
  const Result<ImportProfileAnswer> answer =
      import_profile({flags.file, "", flags.id, flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  const std::size_t epochs = answer.value().profile.epochs.size();
  world.out << fmt::format("{}: {} epoch{} of {}, in {}\n", answer.value().id, epochs,
                           epochs == 1 ? "" : "s", in_quotes(answer.value().profile.name),
                           answer.value().folder.string());
  return 0;
}

int export_file(const ProfilesFlags& flags, Surroundings& world) {
  const ExportRequest request{flags.folder.run(flags.name),
                              parse_export_format(flags.format).value_or(ExportFormat::kWattree),
                              flags.region};
  const Result<ExportAnswer> answer = export_profile(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  for (const std::string& note : answer.value().notes) {
    world.err << "wattree: note: " << note << "\n";
  }
  return write_output(answer.value().text, flags.output, world);
}

int remove(const ProfilesFlags& flags, Surroundings& world) {
  const Status failure = delete_profile({flags.name, flags.folder.folder}, world.services);
  return failure.ok() ? 0 : fail(failure.error(), false, world);
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

int recover(const ProfilesFlags& flags, Surroundings& world) {
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

}  // namespace

Command profiles_command(CommandSyntax app) {
  auto flags = std::make_shared<ProfilesFlags>();
  const CommandSyntax profiles = app.add_subcommand(
      "profiles", "List, show, import, export, recover and delete profiles of runs");
  profiles.require_subcommand();
  profiles.footer(
      "Examples:\n"
      "  wattree profiles list\n"
      "  wattree profiles import their_energyvis_profile.json\n"
      "  wattree profiles export my-run --format energyvis -o my_run.json\n"
      "  wattree profiles recover\n");
  constexpr char kProfile[] = "A file, or an id of `wattree profiles list`";
  const CommandSyntax listing =
      profiles.add_subcommand("list", "List the profiles that are kept here");
  const CommandOption json =
      listing.add_flag("--json", flags->json, "Print JSON (docs/schemas/profiles.schema.json)");
  listing.add_flag("--names", flags->names, "Print only the ids, one per line").excludes(json);
  const CommandSyntax showing = profiles.add_subcommand("show", "Show a profile's figures");
  showing.add_option("PROFILE", flags->name, kProfile).required();
  showing.add_flag("--json", flags->json, "Print it as JSON (docs/schemas/profile.schema.json)");
  const CommandSyntax importing = profiles.add_subcommand(
      "import", "Keep a profile: Wattree's or EnergyVis's JSON, or an HTML report");
  importing.add_option("FILE", flags->file, "The file").required();
  importing.add_option("--id", flags->id, "Its id [from its name]");
  const CommandSyntax exporting = profiles.add_subcommand("export", "Write a profile to a file");
  exporting.add_option("PROFILE", flags->name, kProfile).required();
  exporting.add_option("--format", flags->format, "wattree, energyvis or html")
      .one_of({"wattree", "energyvis", "html"})
      .show_default();
  exporting.add_option("--region", flags->region, "Region to write instead of the profile's");
  exporting.add_option("-o,--output", flags->output, "Write to this file [standard output]");
  const CommandSyntax deleting =
      profiles.add_subcommand("delete", "Delete a profile that is kept here");
  deleting.add_option("ID", flags->name, "Its id").required();
  const CommandSyntax recovering =
      profiles.add_subcommand("recover", "Recover runs whose tracker died, from their journals");
  recovering.add_option("JOURNAL|FOLDER", flags->journal,
                        "A journal or a folder of them [$XDG_STATE_HOME/wattree/journals]");
  recovering.add_option("-o,--output", flags->output,
                        "Write the profile to this file [kept among `wattree profiles list`]");
  for (CommandSyntax command : {listing, showing, importing, exporting, deleting, recovering}) {
    flags->folder.add_to(command);
  }
  return {profiles,
          [=](Surroundings& world) {
            if (listing.parsed()) return list(*flags, world);
            if (showing.parsed()) return show(*flags, world);
            if (importing.parsed()) return import_file(*flags, world);
            if (exporting.parsed()) return export_file(*flags, world);
            if (recovering.parsed()) return recover(*flags, world);
            return remove(*flags, world);
          },
          [=] { return flags->json || flags->names || exporting.parsed(); }};
}

}  // namespace wattree
