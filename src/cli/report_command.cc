#include <memory>
#include <ostream>

#include "src/api/runs/report.h"
#include "src/cli/command.h"
#include "src/cli/shared_flags.h"

namespace wattree {
namespace {

struct ReportFlags {
  std::string profile;
  SettingFlags setting;
  std::optional<std::size_t> epochs;
  UnitFlag unit;
  FolderFlag folder;
  std::string output;
  bool markdown = false, html = false;
};

int run(ReportFlags& flags, Surroundings& world) {
  if (const Status failure = flags.setting.load(); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  const Result<ReportAnswer> answer =
      report({flags.folder.run(flags.profile), flags.setting.query, flags.epochs, flags.unit.unit(),
              flags.html ? ReportFormat::kHtml : ReportFormat::kMarkdown},
             world.services);
  if (!answer.ok()) return fail(answer.error(), false, world);
  return write_output(answer.value().text, flags.output, world);
}

}  // namespace

Command report_command(CommandSyntax app) {
  auto flags = std::make_shared<ReportFlags>();
  const CommandSyntax report = app.add_subcommand(
      "report", "Write a statement of a run's energy and emissions, to paste or to keep");
  report.footer(
      "Examples:\n"
      "  wattree report run.json --markdown\n"
      "  wattree report run.json --html -o run.html\n\n"
      "The HTML page needs no network and contains its profile:\n"
      "`wattree profiles import run.html` reads it back.\n");
  report.add_option("PROFILE", flags->profile, "A file, or an id of `wattree profiles list`")
      .required();
  const CommandOption markdown =
      report.add_flag("--markdown", flags->markdown, "Write Markdown (the default)");
  report.add_flag("--html", flags->html, "Write one HTML page").excludes(markdown);
  report.add_option("-o,--output", flags->output, "Write to this file [standard output]");
  flags->setting.add_to(report);
  flags->setting.add_price_to(report);
  report.add_option("--epochs", flags->epochs,
                    "Show the run at this many epochs: extrapolated, or cut off");
  flags->unit.add_to(report);
  flags->folder.add_to(report);
  return {report, [flags](Surroundings& world) { return run(*flags, world); }, [] { return true; }};
}

}  // namespace wattree
