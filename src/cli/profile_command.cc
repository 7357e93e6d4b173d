#include <memory>
#include <ostream>

#include "src/api/measure/measure_model.h"
#include "src/cli/command.h"
#include "src/cli/measure_flags.h"
#include "src/cli/measured_table.h"
#include "src/cli/pass_flags.h"
#include "src/cli/script_flags.h"

namespace wattree {
namespace {

struct ProfileFlags {
  std::string model;
  PassFlags pass;
  MeasureFlags measure;
  ScriptFlags script;
  std::string output, resume;
  bool json = false;
};

CommandSyntax describe(CommandSyntax app, ProfileFlags& flags) {
  const CommandSyntax command = app.add_subcommand(
      "profile", "Run every node of a model, measure time and energy, and make a dataset of it");
  command.footer(
      "Examples:\n"
      "  wattree profile bert-base-uncased -b 16 -s 128 --dtype bf16 -o bert.jsonl\n"
      "  wattree profile gpt2 --device cpu -o gpt2.jsonl --budget 2min\n"
      "  wattree profile gpt2 --resume gpt2.jsonl\n\n"
      "The whole model, its distinct modules and its distinct kernels run by themselves, again "
      "and\n"
      "again, until the energy of a run is known to 1 %. Every measurement is written at once to\n"
      "bert.windows.jsonl beside the dataset: Ctrl-C loses nothing, and --resume continues. What\n"
      "the file already has, of any model, is not measured again. If nothing can measure energy,\n"
      "times and use are recorded and energy is null. You need the plugin that runs nodes, and a\n"
      "machine that does nothing else. See docs/measuring.md.\n");
  command.add_option("MODEL", flags.model, kModelHelp).required();
  describe_size(command, flags.pass);
  describe_pass(command, flags.pass, PrecisionUse::kRun);
  describe_inputs(command, flags.script);
  const CommandOption output =
      command.add_option("-o,--output", flags.output, "File for the dataset");
  command.add_option("--resume", flags.resume, "Continue the measurements of this dataset")
      .excludes(output);
  describe_measuring(command, flags.measure);
  command.add_flag("--json", flags.json,
                   "Print what was measured as JSON (docs/schemas/measured.schema.json)");
  return command;
}

Result<ProfileRequest> request_of(ProfileFlags& flags) {
  if (flags.output.empty() && flags.resume.empty()) {
    return Error{ErrorCode::kInvalidInput, "profile needs a file to write to",
                 "<output> data.jsonl, or <resume> data.jsonl", "output"};
  }
  if (const Status failure = read_sets(flags.pass); !failure.ok()) return failure.error();
  const Result<MeasureRequest> measure = request_of(flags.measure);
  if (!measure.ok()) return measure.error();
  ProfileRequest out;
  out.model = flags.model;
  out.pass = flags.pass.query;
  out.revision = flags.pass.revision;
  out.input = flags.script.inputs;
  out.measure = measure.value();
  out.output = flags.resume.empty() ? flags.output : flags.resume;
  out.resume = !flags.resume.empty();
  return out;
}

void print(const ProfileAnswer& answer, bool as_json, Surroundings& world) {
  for (const std::string& note : answer.notes) world.err << "wattree: " << note << "\n";
  if (as_json) {
    world.out << to_json(answer);
    return;
  }
  const MeasuredPass& pass = answer.pass;
  world.out << measured_headline(pass) << "\n"
            << measured_table(pass) << "\n"
            << additivity_text(pass) << ending_text(pass.campaign) << energy_text(pass.campaign)
            << "dataset " << answer.dataset.string() << ", windows " << answer.windows.string()
            << "\n";
}

int run(ProfileFlags& flags, Surroundings& world) {
  const Result<ProfileRequest> request = request_of(flags);
  if (!request.ok()) return usage_error(request.error(), flags.json, world);
  const Interrupts interrupts;
  std::optional<ProgressBar> bar(std::in_place, world, "profile");
  const Result<ProfileAnswer> answer =
      profile_model(request.value(), services_of(flags.measure, world), measure_host(*bar));
  bar.reset();
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  print(answer.value(), flags.json, world);
  return exit_code_of(answer.value().pass.campaign.session);
}

}  // namespace

Command profile_command(CommandSyntax app) {
  auto flags = std::make_shared<ProfileFlags>();
  const CommandSyntax command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); },
          [flags] { return flags->json; }};
}

}  // namespace wattree
