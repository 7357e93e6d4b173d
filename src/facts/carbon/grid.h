// The carbon intensity that a run's electricity had: one figure, or one that changes with time.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/result.h"
#include "src/base/units.h"
#include "src/base/utc_time.h"
#include "src/facts/carbon/region.h"

namespace wattree {

// Each figure holds from its time to the next one's; the last holds as long as the one before it.
class IntensitySeries {
 public:
  // CSV with the columns "time" (ISO 8601 in UTC, rising) and "gco2e_per_kwh"; two rows at least.
  static Result<IntensitySeries> read(std::string text, const std::string& origin);

  // The mean over a stretch of time. An error where the series does not cover it: nothing is known
  // beyond its ends.
  Result<CarbonIntensity> mean(UtcTime start, Seconds duration) const;

 private:
  std::string origin_;
  std::vector<UtcTime> times_;  // One more than there are figures: the end.
  std::vector<double> figures_;
};

struct Grid {
  std::string region;  // Code; empty where the figure was given by itself.
  std::variant<CarbonIntensity, IntensitySeries> intensity;
  Basis basis = Basis::kAssumed;
  std::string by;
};

Grid grid_of(const Region& region);
// "325.4", "325.4g/kWh", "0.3254kg/kWh" or "0.7175lb/kWh", typed in by somebody.
Result<Grid> parse_grid(std::string_view text);

// What an energy emitted. A series needs to know when the energy was used.
Result<GramsCo2e> emissions(Joules energy, const Grid& grid, std::optional<UtcTime> start,
                            std::optional<Seconds> duration);

// Of energy's emissions: derived, by energy's source and the grid's.
Provenance emissions_provenance(const Provenance& energy, const Grid& grid);

}  // namespace wattree
