#include "src/cli/predict_flags.h"

#include <CLI/CLI.hpp>

namespace wattree {

void describe_predictor(CLI::App& command, PredictorRef& predictor) {
  CLI::Option* file = command.add_option("--predictor", predictor.file,
                                         "A predictor file, as `wattree train` writes it");
  command
      .add_option("--on", predictor.on,
                  "A predictor by name: your own, or a shipped one [this machine's, or else h200]")
      ->excludes(file);
  command
      .add_option("--execution", predictor.execution,
                  "How kernels are started: graph (back to back, the device's own work) or eager "
                  "(one by one from Python: the device waits for the host) [graph]")
      ->check(CLI::IsMember(std::vector<std::string>{"graph", "eager"}));
}

void describe_totals(CLI::App& command, TotalsRequest& request) {
  command.add_option("--queries", request.queries,
                     "Totals for this many queries, such as 1e9 [1000000]");
  command
      .add_option("--passes-per-query", request.passes_per_query,
                  "Passes that one query needs, such as 150 passages to read")
      ->capture_default_str();
  command.add_option("--price", request.usd_per_kwh, "USD per kWh [0.1319, as in IrEne's Table 3]");
  CLI::Option* region = command.add_option(
      "--region", request.region,
      "Whose electricity it is, for its carbon: US-GA, DE, eu-central-1 [none: no carbon]");
  command.add_option("--intensity", request.intensity, "Carbon of the electricity: 325g/kWh")
      ->excludes(region);
  command
      .add_option("--pue", request.pue,
                  "What the data centre draws for each kWh of its computers: a number, or average")
      ->capture_default_str();
  command.add_option("--host-watts", request.host_watts,
                     "What the host draws beside the accelerator [none: it is not counted]");
}

}  // namespace wattree
