// Where electricity comes from and how much carbon a kWh of it carries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/base/units.h"

namespace wattree {

enum class RegionKind { kUsState, kCountry, kCaProvince, kCloudRegion };
std::string_view name_of(RegionKind kind);  // As in the table: "us_state".

// One row of data/regions.csv.
struct Region {
  std::string code;  // "US-GA", "DEU", "aws:eu-central-1"
  std::string name;
  std::vector<std::string> aliases;  // "DE", "eu-central-1"
  RegionKind kind = RegionKind::kCountry;
  CarbonIntensity intensity;
  int year = 0;
  std::string source;      // Key of a RegionSource.
  std::string located_in;  // Of a cloud region that takes another region's figure: its code.
};

// One row of data/region_sources.csv. Sources differ in what they cover: shown beside a figure.
struct RegionSource {
  std::string key;
  std::string title;
  std::string covers;  // "lifecycle, generation-based, CO2e"
  std::string year;
  std::string licence;
  std::string note;
};

const std::vector<Region>& bundled_regions();
const std::vector<RegionSource>& bundled_region_sources();
// The source of a region; every region's key is in the table.
const RegionSource& source_of(const Region& region);

// By code, alias or name, whatever the case; only of `kind` where it is given. "Georgia" is a state
// and a country: an error that names both. An unknown name is an error with the nearest ones.
Result<Region> find_region(std::string_view text, std::optional<RegionKind> kind = std::nullopt);

// Every region whose code, name, alias or source has `words` in it; all where it is empty.
std::vector<Region> search_regions(std::string_view words);

}  // namespace wattree
