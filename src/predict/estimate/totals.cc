#include "src/predict/estimate/totals.h"

#include <cmath>

namespace wattree {
namespace {

Result<TotalsRow> row_of(std::string part, Joules energy, Provenance provenance,
                         const TotalsOptions& options) {
  TotalsRow row;
  row.part = std::move(part);
  row.energy_kwh = energy.value / kJoulesPerKwh;
  row.cost_usd = row.energy_kwh * options.usd_per_kwh;
  if (options.grid) {
    const Result<GramsCo2e> carbon = emissions(energy, *options.grid, std::nullopt, std::nullopt);
    if (!carbon.ok()) return carbon.error();
    row.carbon_gco2e = carbon.value().value;
  }
  row.provenance = std::move(provenance);
  return row;
}

constexpr double kMostQueries = 1e15;

Error bad(std::string field, std::string message) {
  return {ErrorCode::kInvalidInput, std::move(message), "", std::move(field)};
}

Error of_field(Error error, std::string field) {
  error.field = std::move(field);
  return error;
}

Status check(const TotalsOptions& options) {
  const auto is_size = [](double x) { return std::isfinite(x) && x > 0; };
  if (options.queries < 1)
    return bad("queries", "the number of queries (<queries>) must be at least 1");
  if (!is_size(options.passes_per_query))
    return bad("passes_per_query", "<passes_per_query> must be more than 0");
  if (!std::isfinite(options.usd_per_kwh) || options.usd_per_kwh < 0) {
    return bad("price", "<price> must be 0 or more, in USD per kWh");
  }
  if (options.host && !(std::isfinite(options.host->value) && options.host->value >= 0)) {
    return bad("host_watts", "<host_watts> must be 0 or more");
  }
  return {};
}

}  // namespace

Result<TotalsOptions> totals_options(const TotalsRequest& request) {
  TotalsOptions options;
  if (!(request.queries >= 1 && request.queries <= kMostQueries) ||
      request.queries != std::floor(request.queries)) {
    return bad("queries", "the number of queries (<queries>) must be a whole number from 1 to " +
                              std::to_string(static_cast<std::int64_t>(kMostQueries)));
  }
  options.queries = static_cast<std::int64_t>(request.queries);
  options.passes_per_query = request.passes_per_query;
  if (request.usd_per_kwh) {
    options.usd_per_kwh = *request.usd_per_kwh;
    options.price_by = "given";
  }
  if (request.host_watts) options.host = Watts(*request.host_watts);
  if (!request.pue.empty()) {
    Result<Pue> pue = parse_pue(request.pue);
    if (!pue.ok()) return of_field(pue.error(), "pue");
    options.pue = std::move(pue).value();
  }
  if (!request.region.empty()) {
    const Result<Region> region = find_region(request.region);
    if (!region.ok()) return of_field(region.error(), "region");
    options.grid = grid_of(region.value());
  } else if (!request.intensity.empty()) {
    Result<Grid> grid = parse_grid(request.intensity);
    if (!grid.ok()) return of_field(grid.error(), "intensity");
    options.grid = std::move(grid).value();
  }
  if (const Status failure = check(options); !failure.ok()) return failure.error();
  return options;
}

Result<QueryTotals> totals_of(const PassEstimate& one, const Provenance& provenance,
                              std::string query, const TotalsOptions& options) {
  if (const Status failure = check(options); !failure.ok()) return failure.error();
  QueryTotals out;
  out.options = options;
  out.query = std::move(query);
  out.per_query = one * options.passes_per_query;
  const PassEstimate all = out.per_query * static_cast<double>(options.queries);

  Joules sum;
  Provenance sum_by = provenance;
  Status failure;
  const auto add = [&](std::string part, Joules energy, const Provenance& by) {
    if (!failure.ok()) return;
    Result<TotalsRow> row = row_of(std::move(part), energy, by, options);
    if (!row.ok()) {
      failure = row.error();
      return;
    }
    out.rows.push_back(std::move(row).value());
  };
  add(std::string(name_of(provenance.boundary)), all.energy, provenance);
  sum = all.energy;
  if (provenance.boundary == Boundary::kGpu) {
    // Without times there is nothing to multiply the watts by.
    out.is_host_left_out = !options.host || !(all.time > Seconds());
    if (!out.is_host_left_out) {
      const Joules host = *options.host * all.time;
      const Provenance by{Basis::kAssumed, "host power as given × predicted time", Boundary::kHost};
      add("host", host, by);
      sum = sum + host;
      sum_by = of_sum(sum_by, by);
    }
  }
  if (options.pue && provenance.boundary != Boundary::kFacility) {
    const Provenance by = facility_provenance(sum_by, *options.pue);
    add("pue", sum * (options.pue->value - 1), {by.basis, options.pue->by, Boundary::kFacility});
    sum = sum * options.pue->value;
    sum_by = by;
  }
  if (out.rows.size() > 1) add("total", sum, sum_by);
  if (!failure.ok()) return failure.error();
  return out;
}

}  // namespace wattree
