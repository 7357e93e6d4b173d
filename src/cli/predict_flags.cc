#include "src/cli/predict_flags.h"

#include <algorithm>
#include <iterator>

namespace wattree {

void describe_predictor(CommandSyntax command, PredictorRef& predictor) {
  const CommandOption file = command.add_option("--predictor", predictor.file,
                                                "A predictor file, as `wattree train` writes it");
  command
      .add_option(
          "--on", predictor.on,
          "A predictor of yours, a shipped one, or any device of `wattree hardware`, scaled "
          "from its datasheet [this machine's, or else h200]")
      .excludes(file);
  command
      .add_option("--execution", predictor.execution,
                  "How kernels are started: graph (back to back, the device's own work) or eager "
                  "(one by one from Python: the device waits for the host) [graph]")
      .offers({"graph", "eager"});
}

void describe_totals(CommandSyntax command, TotalsRequest& request) {
  command.add_option("--queries", request.queries,
                     "Add up totals for this many queries, such as 1e9 [1000000]");
  command
      .add_option("--passes-per-query", request.passes_per_query,
                  "Number of passes that one query needs, for example 150 passages to read")
      .show_default();
  command.add_option("--price", request.usd_per_kwh, "USD per kWh [0.1319, as in IrEne's Table 3]");
  const CommandOption region = command.add_option(
      "--region", request.region,
      "Region whose electricity is used: US-GA, DE, eu-central-1 [none: carbon is not shown]");
  command
      .add_option("--intensity", request.intensity, "Carbon intensity of the electricity: 325g/kWh")
      .excludes(region);
  command.add_option(
      "--pue", request.pue,
      "PUE: energy of the whole data centre per unit of its computers' energy, such as "
      "1.2, or \"average\" [none]");
  command.add_option(
      "--host-watts", request.host_watts,
      "Power that the host draws beside the accelerator, in watts [the host is not counted]");
}

bool asks_for_totals(CommandSyntax command) {
  constexpr const char* kFlags[] = {"--queries",   "--passes-per-query", "--price",
                                    "--region",    "--intensity",        "--pue",
                                    "--host-watts"};
  return std::any_of(std::begin(kFlags), std::end(kFlags),
                     [command](const char* flag) { return command.is_given(flag); });
}

}  // namespace wattree
