#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/calibrate.h"
#include "src/base/file.h"
#include "src/cli/command.h"
#include "src/cli/measure_flags.h"
#include "src/cli/quantity.h"
#include "src/cli/table.h"

namespace wattree {
namespace {

struct CalibrateFlags {
  CalibrateQuery query;
  MeasureFlags measure;
  std::string output;
  bool resumes = false;
};

CLI::App* describe(CLI::App& app, CalibrateFlags& flags) {
  CLI::App* command =
      app.add_subcommand("calibrate", "Measure kernels on this machine and fit a predictor for it");
  command->footer(
      "Examples:\n"
      "  wattree calibrate --on my-gpu -o my-gpu.json\n"
      "  wattree calibrate --on my-gpu -o my-gpu.json --budget 3min\n"
      "  wattree calibrate --on my-gpu -o my-gpu.json --resume --budget 10min\n"
      "  wattree predict gpt2 --predictor my-gpu.json\n\n"
      "Matrix products, attention, softmax, norms, element-wise work, copies and look-ups of many\n"
      "sizes, the most telling first, for as long as --budget allows. Each window is written to\n"
      "my-gpu.windows.jsonl at once. The table says how far kernels that were left out are off,\n"
      "from a quarter, from half and from all of what was measured: so what more time would buy.\n"
      "See docs/measuring.md.\n");
  command->add_option("--on", flags.query.name, "What to call the machine in predictions")
      ->required();
  command->add_option("-o,--output", flags.output, "The predictor's file")->required();
  command->add_option("--hardware", flags.query.hardware,
                      "The machine as people should read it [the device's own name]");
  command->add_option("--dtype", flags.query.dtype,
                      "fp32, tf32, bf16 or fp16 [bf16 on a GPU, fp32 on a processor]");
  command->add_flag("--resume", flags.resumes, "Go on with the windows that are there");
  flags.measure.budget = "10min";
  describe_measuring(*command, flags.measure);
  return command;
}

std::string learning_table(const std::vector<LearningPoint>& learning) {
  std::vector<std::vector<std::string>> rows;
  for (const LearningPoint& point : learning) {
    rows.push_back({fmt::format("{}", point.kernels), fmt::format("{:.1f}", point.energy_percent),
                    fmt::format("{:.1f}", point.time_percent)});
  }
  return render_table(
      {{"kernels fitted to", true}, {"energy of others off by, %", true}, {"time, %", true}}, rows);
}

// What more time would buy, by what the second half of it bought.
std::string outlook(const CalibrateAnswer& answer) {
  const std::size_t left = answer.candidates - std::min(answer.candidates, answer.kernels);
  if (left == 0) return "every kernel of the list was measured: more time would buy nothing\n";
  std::string out = fmt::format("{} kernels of {} were not measured", left, answer.candidates);
  if (answer.learning.size() >= 2) {
    const double gain = answer.learning[answer.learning.size() - 2].energy_percent -
                        answer.learning.back().energy_percent;
    out += gain > 0.1 ? fmt::format(
                            "; the second half of those that were took {:.1f} points off "
                            "the error: as many more may take off some of that again",
                            gain)
                      : "; the second half of those that were took nothing off the error, so more "
                        "time would buy little";
  }
  return out + "\n";
}

std::string check_text(const CalibrateAnswer& answer) {
  if (!answer.anchor) {
    return "no whole pass was measured: intervals of models allow 6 % for what kernels leave out\n";
  }
  const PassCheck& check = *answer.anchor;
  return fmt::format(
      "a pass that was not fitted to ({}): measured {} in {}, predicted {:+.1f} % and "
      "{:+.1f} %\n",
      check.model, with_any_prefix(check.measured_j, "J"), with_any_prefix(check.measured_s, "s"),
      100 * (check.predicted_j / check.measured_j - 1),
      100 * (check.predicted_s / check.measured_s - 1));
}

int run(CalibrateFlags& flags, Surroundings& world) {
  const Interrupts interrupts;
  std::optional<ProgressBar> bar(std::in_place, world, "calibrate");
  Result<MeasureQuery> measure = measuring(flags.measure, world, *bar);
  if (!measure.ok()) return usage_error(measure.error(), world);
  flags.query.measure = std::move(measure).value();
  flags.query.measure.windows = windows_beside(flags.output);
  flags.query.measure.is_resumed = flags.resumes;
  const Result<CalibrateAnswer> calibrated = calibrate(flags.query);
  bar.reset();
  if (!calibrated.ok()) return fail(calibrated.error(), false, world);
  const CalibrateAnswer& answer = calibrated.value();
  if (const Failure failure = write_file(flags.output, answer.json)) {
    return fail(*failure, false, world);
  }
  world.out << fmt::format("{}: {} on {}, {}, by {}\n", flags.output, answer.predictor.name,
                           answer.predictor.hardware, answer.dtype, answer.predictor.meter)
            << ending_text(answer.session, answer.reused) << "\n"
            << learning_table(answer.learning) << "\n"
            << outlook(answer) << check_text(answer);
  for (const std::string& warning : answer.warnings) {
    world.err << "wattree: warning: " << warning << "\n";
  }
  return exit_code_of(answer.session);
}

}  // namespace

Command calibrate_command(CLI::App& app) {
  auto flags = std::make_shared<CalibrateFlags>();
  CLI::App* command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
