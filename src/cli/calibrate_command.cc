#include <fmt/ranges.h>

#include <memory>
#include <ostream>
#include <utility>

#include "src/api/measure/calibrate.h"
#include "src/api/measure/quick_calibrate.h"
#include "src/base/file.h"
#include "src/cli/command.h"
#include "src/cli/learn_flags.h"
#include "src/cli/measure_flags.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct CalibrateFlags {
  CalibrateRequest request;
  MeasureFlags measure;
  bool is_quick = false;
  std::string over;
  std::string python;
};

CommandSyntax describe(CommandSyntax app, CalibrateFlags& flags) {
  CalibrateRequest& request = flags.request;
  const CommandSyntax command =
      app.add_subcommand("calibrate", "Measure kernels on this machine and fit a predictor for it");
  command.footer(
      "Examples:\n"
      "  wattree calibrate --quick\n"
      "  wattree calibrate --on my-gpu -o my-gpu.json\n"
      "  wattree calibrate --on my-gpu -o my-gpu.json --dtype bf16 --budget 3min\n"
      "  wattree calibrate --on my-gpu -o my-gpu.json --resume --budget 10min\n"
      "  wattree predict gpt2 --predictor my-gpu.json\n\n"
      "It measures matrix products, attention, softmax, norms, element-wise work, copies and\n"
      "look-ups of many sizes, the most informative first, until --budget is spent. Precisions\n"
      "share the budget. Every measurement is written to my-gpu.windows.jsonl at once. The table\n"
      "shows, for each precision, the error on kernels that were left out: fitted to a quarter, "
      "to\n"
      "half and to all of the measurements. So you see what more time would buy.\n\n"
      "--quick takes less than a minute on a GPU. It measures how this card and this host differ\n"
      "from a predictor that is there, and writes four factors. `wattree predict` then uses them\n"
      "by itself, or with --on NAME where you gave a name. See docs/measuring.md.\n");
  command.add_flag("--quick", flags.is_quick,
                   "Measure factors over a shipped predictor instead of fitting a new one");
  command.add_option("--over", flags.over,
                     "With --quick: the predictor, or device, to correct [that of this GPU]");
  command.add_option("--python", flags.python,
                     "With --quick: the Python whose launches are timed; it needs PyTorch and "
                     "Transformers [python3]");
  command.add_option("--on", request.on,
                     "Name of the machine in predictions [--quick: this-machine]");
  command.add_option("-o,--output", request.output,
                     "File for the predictor [--quick: in the folder of your own predictors]");
  command.add_option("--hardware", request.hardware,
                     "Name of the hardware to show [the device's own name]");
  command
      .add_option(
          "--dtype", request.dtype,
          "One of fp32 and tf32, one of bf16 and fp16, or both [bf16,fp32 on a GPU, fp32 on "
          "a processor]")
      .offers({"bf16", "fp16", "fp32", "tf32"});
  command.add_flag("--resume", request.resume, "Continue with the measurements that are there");
  flags.measure.budget = "10min";
  describe_measuring(command, flags.measure);
  return command;
}

std::string learning_table(const std::vector<CalibratedPrecision>& precisions) {
  std::vector<std::vector<std::string>> rows;
  for (const CalibratedPrecision& precision : precisions) {
    std::string dtype = precision.dtype;
    for (const LearningPoint& point : precision.learning) {
      rows.push_back({std::exchange(dtype, ""), fmt::format("{}", point.kernels),
                      fmt::format("{:.1f}", point.energy_percent),
                      fmt::format("{:.1f}", point.time_percent)});
    }
  }
  return render_table({{"precision"},
                       {"kernels fitted to", true},
                       {"half of the others off by less than, %", true},
                       {"time, %", true}},
                      rows);
}

// How sure it is, and what more time would buy, by what the second half of it bought.
std::string outlook(const CalibratedPrecision& precision) {
  std::string out = fmt::format("{}: 9 of 10 kernels within ± {:.0f} %, models within ± {:.0f} %. ",
                                precision.dtype, precision.kernel_percent, precision.model_percent);
  const std::size_t left = precision.candidates - std::min(precision.candidates, precision.kernels);
  if (left == 0) return out + "Every kernel of the list was measured: more time buys nothing.\n";
  out += fmt::format("{} kernels of {} were not measured", left, precision.candidates);
  if (precision.learning.size() >= 2) {
    const double gain = precision.learning[precision.learning.size() - 2].energy_percent -
                        precision.learning.back().energy_percent;
    out += gain > 0.1 ? fmt::format(
                            "; the second half of those that were took {:.1f} points off "
                            "the error: as many more may take off some of that again",
                            gain)
                      : "; the second half of those that were took nothing off the error, so more "
                        "time would buy little";
  }
  return out + ".\n";
}

std::string check_text(const Calibration& calibration) {
  if (!calibration.anchor) {
    return fmt::format(
        "no whole pass was measured: intervals of models allow {:.0f} % for what kernels leave "
        "out\n",
        100 * calibration.shortfall);
  }
  const PassCheck& check = *calibration.anchor;
  return fmt::format(
      "a pass that was not fitted to ({}): measured {} in {}, predicted {:+.1f} % and "
      "{:+.1f} %\n",
      check.model, with_any_prefix(check.measured_energy.value, "J"),
      with_any_prefix(check.measured_time.value, "s"),
      100 * (check.predicted_energy.value / check.measured_energy.value - 1),
      100 * (check.predicted_time.value / check.measured_time.value - 1));
}

std::string text_of(const CalibrateAnswer& answer, const std::string& file) {
  const Calibration& calibration = answer.calibration;
  const Predictor& predictor = calibration.predictor;
  std::string out =
      fmt::format("{}: {} on {}, {}, by {}\n", file, predictor.name, predictor.hardware,
                  fmt::join(predictor.dtypes, " and "), predictor.meter);
  out += ending_text(answer.campaign) + "\n" + learning_table(calibration.precisions) + "\n";
  for (const CalibratedPrecision& precision : calibration.precisions) out += outlook(precision);
  return out + check_text(calibration);
}

std::string quick_text(const QuickCalibrateAnswer& answer) {
  const MachineOverlay& overlay = answer.overlay;
  std::vector<std::vector<std::string>> rows;
  for (const MachineOverlay::Reading& reading : overlay.readings) {
    const auto pair = [](double measured, double predicted, const char* unit) {
      return measured > 0 && predicted > 0
                 ? std::vector{with_any_prefix(measured, unit), with_any_prefix(predicted, unit)}
                 : std::vector<std::string>{"–", "–"};
    };
    std::vector<std::string>& row = rows.emplace_back(std::vector{reading.what});
    for (const auto& cells : {pair(reading.measured_j, reading.predicted_j, "J"),
                              pair(reading.measured_s, reading.predicted_s, "s")}) {
      row.insert(row.end(), cells.begin(), cells.end());
    }
  }
  return fmt::format("{}: factors over {}, of {} with {}, measured in {:.0f} s\n",
                     answer.output.string(), overlay.over, overlay.card, overlay.host,
                     answer.duration.value) +
         render_table({{"reading"},
                       {"measured", true},
                       {overlay.over, true},
                       {"measured", true},
                       {overlay.over, true}},
                      rows) +
         fmt::format(
             "arithmetic: energy × {:.3f}, time × {:.3f}; traffic: energy × {:.3f}, time × {:.3f}; "
             "idle power × {:.3f}; launches one by one × {:.2f}\n",
             overlay.compute.energy, overlay.compute.time, overlay.memory.energy,
             overlay.memory.time, overlay.idle, overlay.launch);
}

Status check_quick(const CalibrateFlags& flags) {
  const auto refuse = [](std::string message, std::string hint) {
    return Error{ErrorCode::kInvalidInput, std::move(message), std::move(hint)};
  };
  const CalibrateRequest& request = flags.request;
  if (!flags.is_quick) {
    if (!flags.over.empty()) return refuse("--over belongs to --quick", "add --quick");
    if (!flags.python.empty()) return refuse("--python belongs to --quick", "add --quick");
    if (request.on.empty()) return refuse("--on is required", "name the machine: --on my-gpu");
    if (request.output.empty())
      return refuse("--output is required", "name a file: -o my-gpu.json");
    return {};
  }
  if (request.resume) return refuse("--resume does not go with --quick", "a quick one begins anew");
  if (!request.dtype.empty()) {
    return refuse("--dtype does not go with --quick", "its factors are of all precisions");
  }
  if (request.on.find_first_of("/\\") != std::string::npos) {
    return refuse("--on \"" + request.on + "\" is not a name", "name a file with -o");
  }
  return {};
}

int run_quick(const CalibrateFlags& flags, Surroundings& world) {
  const CalibrateRequest& asked = flags.request;
  const QuickCalibrateRequest request{asked.on, flags.over, asked.measure, flags.python,
                                      asked.output};
  const Interrupts interrupts;
  std::optional<ProgressBar> bar(std::in_place, world, "calibrate");
  const Result<QuickCalibrateAnswer> answer =
      quick_calibrate(request, services_of(flags.measure, world), measure_host(*bar));
  bar.reset();
  if (!answer.ok()) {
    const int code = fail(answer.error(), false, world);
    return Interrupts::is_wanted() ? kInterrupted : code;
  }
  const QuickCalibrateAnswer& found = answer.value();
  if (const Status failure = write_file(found.output, found.json); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  world.out << quick_text(found);
  print_warnings(found.warnings, world);
  return 0;
}

int run(CalibrateFlags& flags, Surroundings& world) {
  CalibrateRequest& request = flags.request;
  if (const Status failure = check_quick(flags); !failure.ok()) {
    return usage_error(failure.error(), false, world);
  }
  const Result<MeasureRequest> measure = request_of(flags.measure);
  if (!measure.ok()) return usage_error(measure.error(), false, world);
  request.measure = measure.value();
  if (flags.is_quick) return run_quick(flags, world);
  const Interrupts interrupts;
  std::optional<ProgressBar> bar(std::in_place, world, "calibrate");
  const Result<CalibrateAnswer> answer =
      calibrate(request, services_of(flags.measure, world), measure_host(*bar));
  bar.reset();
  if (!answer.ok()) {
    const int code = fail(answer.error(), false, world);
    return Interrupts::is_wanted() ? kInterrupted : code;
  }
  if (const Status failure = write_file(request.output, answer.value().json); !failure.ok()) {
    return fail(failure.error(), false, world);
  }
  world.out << text_of(answer.value(), request.output.string());
  print_warnings(answer.value().calibration.warnings, world);
  return exit_code_of(answer.value().campaign.session);
}

}  // namespace

Command calibrate_command(CommandSyntax app) {
  auto flags = std::make_shared<CalibrateFlags>();
  const CommandSyntax command = describe(app, *flags);
  return {command, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
