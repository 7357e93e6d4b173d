// What a service takes for a number of queries: energy, money and carbon, each part apart with its
// basis (as IrEne's Table 3, and further: host and data centre).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/units.h"
#include "src/facts/carbon/grid.h"
#include "src/facts/carbon/pue.h"
#include "src/predict/estimate/pass_estimate.h"

namespace wattree {

inline constexpr double kDefaultUsdPerKwh = 0.1319;  // As IrEne's Table 3 takes it.

// As a user gives them; empty or absent means the default.
struct TotalsRequest {
  double queries = 1'000'000;  // A whole number; as a double, so that 1e6 can be typed.
  double passes_per_query = 1;
  std::optional<double> usd_per_kwh;
  std::optional<double> host_watts;
  std::string region;
  std::string intensity;
  std::string pue;  // "1.2" or "average"; none by default: nobody knows the building.
};

struct TotalsOptions {
  std::int64_t queries = 1'000'000;
  double passes_per_query = 1;
  double usd_per_kwh = kDefaultUsdPerKwh;
  std::string price_by = "as in IrEne's Table 3";
  std::optional<Watts> host;  // Of the host while the accelerator works; counted at boundary gpu.
  std::optional<Grid> grid;   // None: no carbon.
  std::optional<Pue> pue;     // None: nothing beyond the machine.
};

struct TotalsRow {
  std::string part;  // "gpu", "host", "wall", "facility", "pue", "total"
  double energy_kwh = 0;
  double cost_usd = 0;
  std::optional<double> carbon_gco2e;
  Provenance provenance;
};

struct QueryTotals {
  TotalsOptions options;
  std::string query;  // What one is: "one item", "one request".
  PassEstimate per_query;
  std::vector<TotalsRow> rows;    // The parts, then their sum.
  bool is_host_left_out = false;  // The boundary is gpu, and nothing is known of the host.
};

// Looks regions and averages up.
Result<TotalsOptions> totals_options(const TotalsRequest& request);

// `one` is the energy of one query's one pass, from `provenance`.
Result<QueryTotals> totals_of(const PassEstimate& one, const Provenance& provenance,
                              std::string query, const TotalsOptions& options);

}  // namespace wattree
