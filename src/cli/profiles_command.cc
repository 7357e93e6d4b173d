#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "src/api/runs/profile_list.h"
#include "src/api/runs/profiles.h"
#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/profiles_files.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/footprint_table.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct ListFlags {
  ProfileQuery query;
  std::string status, from, to, sort;
  bool json = false, names = false;
};

struct ProfilesFlags {
  FolderFlag folder;
  ListFlags list;
  std::string name;               // Of show, tag, rename, delete and undelete.
  std::string new_name;           // Of rename.
  std::vector<std::string> tags;  // Of tag.
  bool is_removed = false, json = false;
};

std::vector<std::string> row_of(const ProfileSummary& profile, bool has_tags) {
  std::vector<std::string> out;
  if (profile.status == ProfileStatus::kUnreadable) {
    out = {profile.id, "cannot be read: " + profile.error, "", "", "", "", "", ""};
  } else {
    const auto& basis = profile.provenance;
    out = {profile.id,
           profile.name,
           std::to_string(profile.epochs),
           profile.duration ? to_text(*profile.duration) : "",
           profile.energy ? to_text(*profile.energy) : "",
           basis ? std::string(short_name_of(basis->basis)) : "",
           basis ? std::string(name_of(basis->boundary)) : "",
           profile.region};
  }
  if (has_tags) out.push_back(join(profile.tags));
  return out;
}

std::string table_of(const ProfilesAnswer& answer) {
  bool has_tags = false;
  for (const ProfileSummary& profile : answer.profiles) has_tags |= !profile.tags.empty();
  std::vector<Column> columns{
      {"id"},    {"name"},     {"epochs", true}, {"time", true}, {"device energy", true},
      {"basis"}, {"boundary"}, {"region"}};
  if (has_tags) columns.push_back({"tags"});
  std::vector<std::vector<std::string>> rows;
  for (const ProfileSummary& profile : answer.profiles) {
    rows.push_back(row_of(profile, has_tags));
  }
  return render_table(columns, rows);
}

Result<ProfileQuery> query_of(const ListFlags& flags) {
  ProfileQuery query = flags.query;
  if (!flags.status.empty()) query.status = parse_profile_status(flags.status);
  if (Status failure = read_sort(flags.sort, query); !failure.ok()) return failure.error();
  for (const auto& [text, field, time] :
       {std::tuple(&flags.from, "from", &query.from), std::tuple(&flags.to, "to", &query.to)}) {
    if (text->empty()) continue;
    const Result<UtcTime> parsed = parse_day_or_time(*text, field);
    if (!parsed.ok()) return parsed.error();
    *time = parsed.value();
  }
  return query;
}

int list(const ProfilesFlags& flags, Surroundings& world) {
  const Result<ProfileQuery> query = query_of(flags.list);
  if (!query.ok()) return usage_error(query.error(), flags.list.json, world);
  const Result<ProfilesAnswer> answer =
      profiles({query.value(), flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.list.json, world);
  if (flags.list.json) {
    world.out << to_json(answer.value());
  } else if (flags.list.names) {
    for (const ProfileSummary& profile : answer.value().profiles) world.out << profile.id << "\n";
  } else {
    world.out << table_of(answer.value());
    if (!answer.value().next.empty()) {
      world.err << "wattree: note: " << answer.value().profiles.size() << " of "
                << answer.value().total << "; --cursor " << answer.value().next
                << " goes on from here\n";
    }
  }
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

int change(const ProfilesFlags& flags, bool is_rename, Surroundings& world) {
  ChangeProfileRequest request{flags.name, {}, flags.folder.folder};
  if (is_rename) {
    request.change.name = flags.new_name;
  } else {
    (flags.is_removed ? request.change.remove_tags : request.change.add_tags) = flags.tags;
  }
  const Result<ProfileSummary> answer = change_profile(request, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  world.out << answer.value().id << ": "
            << (is_rename ? in_quotes(answer.value().name) : printable(join(answer.value().tags)))
            << "\n";
  return 0;
}

int remove(const ProfilesFlags& flags, Surroundings& world) {
  const auto deleted = delete_profile({flags.name, flags.folder.folder}, world.services);
  if (!deleted.ok()) return fail(deleted.error(), false, world);
  world.out << flags.name << ": deleted; `wattree profiles undelete " << flags.name
            << "` brings it back within 30 days\n";
  return 0;
}

int undelete(const ProfilesFlags& flags, Surroundings& world) {
  const Result<ProfileSummary> answer =
      undelete_profile({flags.name, flags.folder.folder}, world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  world.out << answer.value().id << ": " << in_quotes(answer.value().name) << " is back\n";
  return 0;
}

CommandSyntax add_list(CommandSyntax profiles, ListFlags& flags) {
  const CommandSyntax listing =
      profiles.add_subcommand("list", "List the profiles that are kept here");
  listing.add_option("--q", flags.query.words,
                     "Words that stand in the id, name, author, hardware, region or tags");
  listing.add_option("--tag", flags.query.tags, "Only with this tag").repeatable("TAG");
  listing.add_option("--region", flags.query.region, "Only of this region");
  listing.add_option("--hardware", flags.query.hardware, "Only with this in a device's name");
  listing.add_option("--status", flags.status, "complete, unfinished or unreadable")
      .one_of({"complete", "unfinished", "unreadable"});
  listing.add_option("--from", flags.from, "Only runs that began on this day (UTC) or later");
  listing.add_option("--to", flags.to, "Only runs that began before this day (UTC)");
  listing.add_option("--sort", flags.sort,
                     "id, name, energy, duration, epochs, started or added; -energy begins with "
                     "the most [id]");
  listing.add_option("--limit", flags.query.limit, "At most so many [all]").between(1, 1'000'000);
  listing.add_option("--cursor", flags.query.cursor, "Go on where a list with --limit ended");
  listing.add_flag("--deleted", flags.query.is_deleted, "Those that were deleted instead");
  const CommandOption json =
      listing.add_flag("--json", flags.json, "Print JSON (docs/schemas/profiles.schema.json)");
  listing.add_flag("--names", flags.names, "Print only the ids, one per line").excludes(json);
  return listing;
}

}  // namespace

Command profiles_command(CommandSyntax app) {
  auto flags = std::make_shared<ProfilesFlags>();
  const CommandSyntax profiles = app.add_subcommand(
      "profiles", "List, show, import, export, tag, recover and delete profiles of runs");
  profiles.require_subcommand();
  profiles.footer(
      "Examples:\n"
      "  wattree profiles list --tag paper --sort=-energy\n"
      "  wattree profiles import emissions.csv\n"
      "  wattree profiles estimate \"their GPT\" --hardware 8xA100-SXM4-40GB --hours 300 --region "
      "US-VA\n"
      "  wattree profiles export my-run --format energyvis -o my_run.json\n"
      "  wattree profiles recover\n");
  const CommandSyntax listing = add_list(profiles, flags->list);
  const CommandSyntax showing = profiles.add_subcommand("show", "Show a profile's figures");
  showing.add_option("PROFILE", flags->name, "A file, or an id of `wattree profiles list`")
      .required();
  showing.add_flag("--json", flags->json, "Print it as JSON (docs/schemas/profile.schema.json)");
  const CommandSyntax tagging = profiles.add_subcommand("tag", "Give a profile tags");
  tagging.add_option("ID", flags->name, "Its id").required();
  tagging.add_option("TAG", flags->tags, "The tags").required().values(1, 50);
  tagging.add_flag("--remove", flags->is_removed, "Take them away instead");
  const CommandSyntax renaming = profiles.add_subcommand("rename", "Give a profile another name");
  renaming.add_option("ID", flags->name, "Its id, which stays").required();
  renaming.add_option("NAME", flags->new_name, "The name").required();
  const CommandSyntax deleting = profiles.add_subcommand(
      "delete", "Delete a profile that is kept here; for 30 days it can be brought back");
  deleting.add_option("ID", flags->name, "Its id").required();
  const CommandSyntax undeleting =
      profiles.add_subcommand("undelete", "Bring a deleted profile back");
  undeleting.add_option("ID", flags->name, "Its id").required();
  for (CommandSyntax command : {listing, showing, tagging, renaming, deleting, undeleting}) {
    flags->folder.add_to(command);
  }
  const std::vector<Command> files = profiles_files_commands(profiles);
  return {profiles,
          [=](Surroundings& world) {
            if (listing.parsed()) return list(*flags, world);
            if (showing.parsed()) return show(*flags, world);
            if (tagging.parsed()) return change(*flags, false, world);
            if (renaming.parsed()) return change(*flags, true, world);
            if (deleting.parsed()) return remove(*flags, world);
            if (undeleting.parsed()) return undelete(*flags, world);
            for (const Command& command : files) {
              if (command.syntax.parsed()) return command.run(world);
            }
            return kUsage;
          },
          [=] {
            if (flags->json || flags->list.json || flags->list.names) return true;
            return std::any_of(files.begin(), files.end(), [](const Command& command) {
              return command.syntax.parsed() && command.prints_data && command.prints_data();
            });
          }};
}

}  // namespace wattree
