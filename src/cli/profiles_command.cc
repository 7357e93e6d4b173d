#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/export.h"
#include "src/api/profiles.h"
#include "src/api/recover.h"
#include "src/api/track.h"
#include "src/base/file.h"
#include "src/base/in_quotes.h"
#include "src/cli/command.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/footprint_table.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct ProfileFlags {
  FolderFlag folder;
  std::string name;  // Of show, export and delete.
  std::string file;  // Of import.
  std::string id;    // Of import.
  std::string format = "wattree";
  std::string region;  // Of export.
  std::string output;
  std::string journal;  // Of recover: a file or a folder.
  bool json = false;
};

int list(const ProfileFlags& flags, Surroundings& world) {
  const Result<std::vector<KnownProfile>> known = known_profiles(flags.folder.path(world));
  if (!known.ok()) return fail(known.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(known.value());
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const KnownProfile& entry : known.value()) {
    if (!entry.profile.ok()) {
      rows.push_back(
          {entry.id, "cannot be read: " + entry.profile.error().message, "", "", "", "", "", ""});
      continue;
    }
    const Profile& profile = entry.profile.value();
    const auto energy = device_energy(profile);
    const auto time = duration(profile);
    const auto basis = provenance(profile);
    rows.push_back({entry.id, profile.name, std::to_string(profile.epochs.size()),
                    time ? to_text(*time) : "", energy ? to_text(*energy) : "",
                    basis ? std::string(short_name_of(basis->basis)) : "",
                    basis ? std::string(name_of(basis->boundary)) : "", profile.region});
  }
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

int show(const ProfileFlags& flags, Surroundings& world) {
  Result<Profile> profile = load_profile(flags.name, flags.folder.path(world));
  if (!profile.ok()) return fail(profile.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(profile.value());
    return 0;
  }
  const Result<Footprint> footprint = footprint_of(std::move(profile).value(), {});
  if (!footprint.ok()) return fail(footprint.error(), false, world);
  world.out << footprint_headline(footprint.value()) << "\n"
            << figures_table(footprint.value(), MassUnit::kAuto);
  return 0;
}

int import_file(const ProfileFlags& flags, Surroundings& world) {
  const auto folder = flags.folder.path(world);
  const Result<ImportedProfile> imported = import_profile(flags.file, folder, flags.id);
  if (!imported.ok()) return fail(imported.error(), false, world);
  world.out << fmt::format("{}: {} epochs of {}, in {}\n", imported.value().id,
                           imported.value().profile.epochs.size(),
                           in_quotes(imported.value().profile.name), folder.string());
  return 0;
}

int export_profile(const ProfileFlags& flags, Surroundings& world) {
  Result<Profile> profile = load_profile(flags.name, flags.folder.path(world));
  if (!profile.ok()) return fail(profile.error(), false, world);
  const Result<ExportedProfile> file =
      export_as(std::move(profile).value(), flags.format, flags.region);
  if (!file.ok()) return fail(file.error(), false, world);
  for (const std::string& note : file.value().notes) world.err << "wattree: note: " << note << "\n";
  if (flags.output.empty()) {
    world.out << file.value().text;
  } else if (const Status failure = write_file(flags.output, file.value().text); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  return 0;
}

int remove(const ProfileFlags& flags, Surroundings& world) {
  if (const Status failure = delete_profile(flags.folder.path(world), flags.name); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  return 0;
}

// Where the profile of a journal is: a file that the user names, or the folder, where its id is the
// journal's name. Empty: it is there already.
Result<std::string> keep_recovered(const RecoveredRun& run, const ProfileFlags& flags,
                                   const std::filesystem::path& folder) {
  if (!flags.output.empty()) {
    if (const Status failure = write_file(flags.output, to_json(run.profile)); !failure.ok())
      return failure.error();
    return flags.output;
  }
  const std::string id = profile_id(run.journal.stem().string());
  const Result<std::filesystem::path> path = profile_path(folder, id);
  if (!path.ok()) return path.error();
  std::error_code ignored;
  if (std::filesystem::exists(path.value(), ignored)) return std::string();
  const Result<std::string> saved = save_profile(folder, run.profile, id);
  if (!saved.ok()) return saved.error();
  return path.value().string();
}

int recover(const ProfileFlags& flags, Surroundings& world) {
  const std::filesystem::path where = flags.journal.empty()
                                          ? default_journal_folder(world.environment)
                                          : std::filesystem::path(flags.journal);
  const Result<std::vector<std::filesystem::path>> journals = find_journals(where);
  if (!journals.ok()) return fail(journals.error(), false, world);
  if (journals.value().size() > 1 && !flags.output.empty()) {
    return fail({ErrorCode::kInvalidInput, where.string() + " has more than one journal",
                 "name one of them to write it with -o"},
                false, world);
  }
  int code = 0;
  for (const std::filesystem::path& journal : journals.value()) {
    const Result<RecoveredRun> run = recover_run(journal);
    if (!run.ok()) {
      code = fail(run.error(), false, world);
      continue;
    }
    const Result<std::string> kept = keep_recovered(run.value(), flags, flags.folder.path(world));
    if (!kept.ok()) {
      code = fail(kept.error(), false, world);
      continue;
    }
    const Profile& profile = run.value().profile;
    const auto energy = device_energy(profile);
    world.out << fmt::format("{}: {}, {} epoch{}{}, {}\n", journal.filename().string(),
                             in_quotes(profile.name), profile.epochs.size(),
                             profile.epochs.size() == 1 ? "" : "s",
                             energy ? ", " + to_text(*energy) : "",
                             kept.value().empty() ? "recovered before" : "now in " + kept.value());
    for (const std::string& note : run.value().notes) world.out << "  " << note << "\n";
  }
  if (journals.value().empty()) world.out << "no journals in " << where.string() << "\n";
  return code;
}

}  // namespace

Command profiles_command(CLI::App& app) {
  auto flags = std::make_shared<ProfileFlags>();
  CLI::App* profiles = app.add_subcommand(
      "profiles", "List, show, import, export, recover and delete profiles of runs");
  profiles->require_subcommand(1);
  profiles->footer(
      "Examples:\n"
      "  wattree profiles list\n"
      "  wattree profiles import their_energyvis_profile.json\n"
      "  wattree profiles export my-run --format energyvis -o my_run.json\n"
      "  wattree profiles recover\n");
  constexpr char kProfile[] = "A file, or an id of `wattree profiles list`";
  CLI::App* listing = profiles->add_subcommand("list", "List the profiles that are kept here");
  listing->add_flag("--json", flags->json, "Print JSON (docs/schemas/profiles.schema.json)");
  CLI::App* showing = profiles->add_subcommand("show", "Show a profile's figures");
  showing->add_option("PROFILE", flags->name, kProfile)->required();
  showing->add_flag("--json", flags->json, "Print it as JSON (docs/schemas/profile.schema.json)");
  CLI::App* importing = profiles->add_subcommand(
      "import", "Keep a profile: Wattree's or EnergyVis's JSON, or an HTML report");
  importing->add_option("FILE", flags->file, "The file")->required();
  importing->add_option("--id", flags->id, "Its id [from its name]");
  CLI::App* exporting = profiles->add_subcommand("export", "Write a profile to a file");
  exporting->add_option("PROFILE", flags->name, kProfile)->required();
  exporting->add_option("--format", flags->format, "wattree, energyvis or html")
      ->check(CLI::IsMember({"wattree", "energyvis", "html"}))
      ->capture_default_str();
  exporting->add_option("--region", flags->region, "Region to write instead of the profile's");
  exporting->add_option("-o,--output", flags->output, "Write to this file [standard output]");
  CLI::App* deleting = profiles->add_subcommand("delete", "Delete a profile that is kept here");
  deleting->add_option("ID", flags->name, "Its id")->required();
  CLI::App* recovering = profiles->add_subcommand(
      "recover", "Make the profiles of runs whose tracker died, from their journals");
  recovering->add_option("JOURNAL|FOLDER", flags->journal,
                         "A journal or a folder of them [$XDG_STATE_HOME/wattree/journals]");
  recovering->add_option("-o,--output", flags->output,
                         "Write the profile to this file [kept among `wattree profiles list`]");
  for (CLI::App* command : {listing, showing, importing, exporting, deleting, recovering}) {
    flags->folder.add_to(*command);
  }
  return {profiles, [=](Surroundings& world) {
            if (listing->parsed()) return list(*flags, world);
            if (showing->parsed()) return show(*flags, world);
            if (importing->parsed()) return import_file(*flags, world);
            if (exporting->parsed()) return export_profile(*flags, world);
            if (recovering->parsed()) return recover(*flags, world);
            return remove(*flags, world);
          }};
}

}  // namespace wattree
