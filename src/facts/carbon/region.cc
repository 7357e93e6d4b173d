#include "src/facts/carbon/region.h"

#include <algorithm>
#include <cassert>

#include "src/base/csv.h"
#include "src/base/text.h"

namespace wattree {

std::string_view bundled_regions_csv();         // Generated from data/regions.csv,
std::string_view bundled_region_sources_csv();  // and data/region_sources.csv.

namespace {

RegionKind kind_named(std::string_view name) {
  for (const RegionKind kind :
       {RegionKind::kUsState, RegionKind::kCaProvince, RegionKind::kCloudRegion}) {
    if (name == name_of(kind)) return kind;
  }
  return RegionKind::kCountry;
}

std::string lower(std::string_view text) {
  std::string out(text.substr(0, 200));  // Bounds hostile input.
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// All the names of a region, in lower case.
std::vector<std::string> names_of(const Region& region) {
  std::vector<std::string> names{lower(region.code), lower(region.name)};
  for (const std::string& alias : region.aliases) names.push_back(lower(alias));
  return names;
}

std::string described(const Region& region) { return region.code + " (" + region.name + ")"; }

}  // namespace

std::string_view name_of(RegionKind kind) {
  switch (kind) {
    case RegionKind::kUsState: return "us_state";
    case RegionKind::kCountry: return "country";
    case RegionKind::kCaProvince: return "ca_province";
    case RegionKind::kCloudRegion: return "cloud_region";
  }
  return "country";
}

const std::vector<Region>& bundled_regions() {
  static const std::vector<Region> regions = [] {
    CsvReader csv(std::string(bundled_regions_csv()), "data/regions.csv");
    const auto columns = csv.columns(
        {"code", "name", "aliases", "kind", "gco2e_per_kwh", "year", "source", "located_in"});
    assert(columns.ok() && "the bundled table has its columns");
    std::vector<Region> out;
    while (columns.ok() && csv.next()) {
      const auto field = [&](std::size_t i) { return csv.row()[columns.value()[i]]; };
      out.push_back({std::string(field(0)), std::string(field(1)), split(field(2), ';'),
                     kind_named(field(3)), CarbonIntensity(parse_number(field(4)).value_or(0)),
                     static_cast<int>(parse_number(field(5)).value_or(0)), std::string(field(6)),
                     std::string(field(7))});
    }
    return out;
  }();
  return regions;
}

const std::vector<RegionSource>& bundled_region_sources() {
  static const std::vector<RegionSource> sources = [] {
    CsvReader csv(std::string(bundled_region_sources_csv()), "data/region_sources.csv");
    std::vector<RegionSource> out;
    while (csv.next()) {
      const auto field = [&](std::size_t i) { return std::string(csv.row()[i]); };
      assert(csv.row().size() == 6 && "the bundled table has its columns");
      out.push_back({field(0), field(1), field(2), field(3), field(4), field(5)});
    }
    return out;
  }();
  return sources;
}

const RegionSource& source_of(const Region& region) {
  const auto& sources = bundled_region_sources();
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const RegionSource& source) {
    return source.key == region.source;
  });
  assert(found != sources.end() && "every region's source is in the table");
  return *found;
}

Result<Region> find_region(std::string_view text, std::optional<RegionKind> kind) {
  const std::string wanted = lower(text);
  std::vector<const Region*> found;
  std::vector<std::string> all_names;
  std::vector<const Region*> owners;
  for (const Region& region : bundled_regions()) {
    if (kind && region.kind != *kind) continue;
    bool fits = false;
    for (std::string& name : names_of(region)) {
      fits = fits || name == wanted;
      all_names.push_back(std::move(name));
      owners.push_back(&region);
    }
    if (fits) found.push_back(&region);
  }
  if (found.size() == 1) return *found.front();
  const std::string quoted = "\"" + std::string(text) + "\"";
  std::vector<std::string> close;
  for (const Region* region : found) close.push_back(described(*region));
  if (!found.empty()) {
    return Error{ErrorCode::kInvalidInput, "region " + quoted + " means more than one place",
                 "give the code: " + join(close, " or ")};
  }
  // "TX" is US-TX, and not a country whose code differs by a letter.
  for (const Region& region : bundled_regions()) {
    if (kind && region.kind != *kind) continue;
    if (lower(region.code).ends_with("-" + wanted)) close.push_back(described(region));
  }
  const std::vector<std::string_view> views(all_names.begin(), all_names.end());
  for (const std::string& name : nearest(wanted, views, close.empty() ? 6 : 0)) {
    const auto at = std::find(all_names.begin(), all_names.end(), name) - all_names.begin();
    std::string region = described(*owners[static_cast<std::size_t>(at)]);
    const bool is_new = std::find(close.begin(), close.end(), region) == close.end();
    if (is_new && close.size() < 3) close.push_back(std::move(region));
  }
  return Error{ErrorCode::kNotFound, "region " + quoted + " is not known",
               close.empty()
                   ? "`wattree regions` lists them; <intensity> takes a figure of your own"
                   : "did you mean " + join(close, ", or ") + "?"};
}

std::vector<Region> search_regions(std::string_view words) {
  const std::string wanted = lower(words);
  std::vector<Region> out;
  for (const Region& region : bundled_regions()) {
    std::vector<std::string> texts = names_of(region);
    texts.push_back(lower(region.source));
    if (std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
          return text.find(wanted) != std::string::npos;
        })) {
      out.push_back(region);
    }
  }
  return out;
}

}  // namespace wattree
