#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/measure_model.h"
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

CLI::App* describe(CLI::App& app, ProfileFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "profile", "Run every node of a model, measure time and energy, and make a dataset of it");
  command->footer(
      "Examples:\n"
      "  wattree profile bert-base-uncased -b 16 -s 128 --dtype bf16 -o bert.jsonl\n"
      "  wattree profile gpt2 --device cpu -o gpt2.jsonl --budget 2min\n"
      "  wattree profile gpt2 --resume gpt2.jsonl\n\n"
      "The whole model, its distinct modules and its distinct kernels run by themselves, over and\n"
      "over, until the energy of a run is known to 1 %. Every window is written at once, to\n"
      "bert.windows.jsonl beside the dataset: Ctrl-C loses nothing, and --resume goes on. What "
      "the\n"
      "file has already, of any model, is not measured again. Where nothing measures energy, "
      "times\n"
      "and use are recorded and energy is null. It needs the plugin that runs nodes, and the\n"
      "machine for itself. See docs/measuring.md.\n");
  command->add_option("MODEL", flags.model, kModelHelp)->required();
  describe_size(*command, flags.pass);
  describe_pass(*command, flags.pass);
  describe_inputs(*command, flags.script);
  CLI::Option* output = command->add_option("-o,--output", flags.output, "The dataset's file");
  command->add_option("--resume", flags.resume, "Go on with the files of this dataset")
      ->excludes(output);
  describe_measuring(*command, flags.measure);
  command->add_flag("--json", flags.json,
                    "Print what was measured as JSON (docs/schemas/measured.schema.json)");
  return command;
}

int run(ProfileFlags& flags, Surroundings& world) {
  if (flags.output.empty() && flags.resume.empty()) {
    return usage_error({ErrorCode::kInvalidInput, "profile needs a file to write to",
                        "-o data.jsonl, or --resume data.jsonl"},
                       flags.json, world);
  }
  if (const Status failure = read_sets(flags.pass); !failure.ok())
    return usage_error(failure.error(), flags.json, world);
  flags.pass.query.keeps_dataflow = true;
  flags.script.plugin = flags.measure.plugin;
  flags.script.device = flags.measure.device;
  std::optional<ScriptModel> script;
  if (is_script(flags.model)) {
    Result<ScriptModel> opened = open_script_model(flags.model, flags.script, flags.pass.query);
    if (!opened.ok()) return fail(opened.error(), flags.json, world);
    script = std::move(opened).value();
  }
  Result<BuiltModel> tree = script ? Result<BuiltModel>(std::move(script->answer))
                                   : find_tree(flags.model, flags.pass, flags.script, world);
  if (!tree.ok()) return fail(tree.error(), flags.json, world);

  const std::filesystem::path dataset = flags.resume.empty() ? flags.output : flags.resume;
  const Interrupts interrupts;
  std::optional<ProgressBar> bar(std::in_place, world, "profile");
  Result<MeasureQuery> query = measuring(flags.measure, world, *bar);
  if (!query.ok()) return usage_error(query.error(), flags.json, world);
  MeasureQuery asked = std::move(query).value();
  asked.windows = windows_beside(dataset);
  asked.is_resumed = !flags.resume.empty();
  if (script) {
    asked.open_executor = [&script]() -> Result<std::unique_ptr<Executor>> {
      return shared_executor(*script);
    };
  }
  Result<MeasureAnswer> measured = measure_model(std::move(tree).value(), asked);
  bar.reset();
  if (!measured.ok()) return fail(measured.error(), flags.json, world);
  const MeasureAnswer answer = std::move(measured).value();
  if (const Status failure = add_to_dataset(to_dataset(answer), dataset); !failure.ok())
    return fail(failure.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer);
  } else {
    world.out << measured_headline(answer) << "\n" << measured_table(answer) << "\n";
    world.out << additivity_text(answer);
    world.out << ending_text(answer.session, answer.reused);
    world.out << energy_text(answer.session.machine, answer.obstacles);
    world.out << "dataset " << dataset.string() << ", windows " << asked.windows.string() << "\n";
  }
  return exit_code_of(answer.session);
}

}  // namespace

Command profile_command(CLI::App& app) {
  auto flags = std::make_shared<ProfileFlags>();
  CLI::App* command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
