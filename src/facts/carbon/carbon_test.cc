// Regions, grids, PUE and equivalents against hand arithmetic and the published tables.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "src/facts/carbon/equivalents.h"
#include "src/facts/carbon/grid.h"
#include "src/facts/carbon/pue.h"
#include "src/facts/carbon/region.h"

namespace wattree {
namespace {

TEST(Regions, TheTableIsWhole) {
  EXPECT_EQ(bundled_regions().size(), 411u);
  std::set<std::string> codes;
  for (const Region& region : bundled_regions()) {
    EXPECT_TRUE(codes.insert(region.code).second) << region.code;
    EXPECT_FALSE(source_of(region).title.empty()) << region.code;
    EXPECT_GE(region.intensity.value, 0) << region.code;
    EXPECT_LT(region.intensity.value, 1500) << region.code;
    EXPECT_GT(region.year, 2000) << region.code;
  }
  for (const Region& region : bundled_regions()) {
    if (region.located_in.empty()) continue;
    EXPECT_TRUE(codes.contains(region.located_in)) << region.code;
    EXPECT_EQ(region.intensity, find_region(region.located_in).value().intensity) << region.code;
  }
}

TEST(Regions, FoundByCodeAliasAndName) {
  EXPECT_EQ(find_region("US-GA").value().intensity, CarbonIntensity(325.43));
  EXPECT_EQ(find_region("us-ga").value().name, "Georgia");
  EXPECT_EQ(find_region("wyoming").value().code, "US-WY");
  EXPECT_EQ(find_region("DE").value().code, "DEU");
  EXPECT_EQ(find_region("Türkiye").value().code, "TUR");
  EXPECT_EQ(find_region("eu-central-1").value().code, "aws:eu-central-1");
  EXPECT_EQ(find_region("Georgia", RegionKind::kUsState).value().code, "US-GA");
}

TEST(Regions, VermontAndMontanaAreNotZero) {
  // EnergyVis's table has 0.00 and 0.07 lb/kWh; eGRID2023 has 0.05 and 1.06.
  EXPECT_NEAR(find_region("US-VT").value().intensity.value / kGramsPerPound, 0.05, 0.005);
  EXPECT_NEAR(find_region("US-MT").value().intensity.value / kGramsPerPound, 1.06, 0.005);
}

TEST(Regions, DoubtIsAnErrorThatNamesTheChoices) {
  const Error both = find_region("Georgia").error();
  EXPECT_EQ(both.message, "region \"Georgia\" means more than one place");
  EXPECT_EQ(both.hint, "give the code: US-GA (Georgia) or GEO (Georgia)");
  const Error slip = find_region("Californa").error();
  EXPECT_EQ(slip.message, "region \"Californa\" is not known");
  EXPECT_EQ(slip.hint.substr(0, 33), "did you mean US-CA (California)?");
  EXPECT_EQ(find_region("TX").error().hint, "did you mean US-TX (Texas)?");
  EXPECT_FALSE(find_region("").ok());
  EXPECT_FALSE(find_region(std::string(100'000, 'x')).ok());
}

TEST(Regions, SearchFindsParts) {
  EXPECT_EQ(search_regions("").size(), 411u);
  EXPECT_EQ(search_regions("frankfurt").size(), 3u);  // One of each of the three clouds.
}

TEST(Grid, TypedInFiguresHaveUnits) {
  const auto grams = [](const char* text) {
    return std::get<CarbonIntensity>(parse_grid(text).value().intensity).value;
  };
  EXPECT_EQ(grams("325.43g/kWh"), 325.43);
  EXPECT_EQ(grams("0.5kg/kWh"), 500);
  EXPECT_NEAR(grams("1.516599 lb/kWh"), 687.9177, 1e-4);
  for (const char* bad :
       {"", "325.43", "g/kWh", "-1g/kWh", "1t/kWh", "nang/kWh", "1e999g/kWh", "1e300g/kWh"}) {
    EXPECT_FALSE(parse_grid(bad).ok()) << bad;
  }
}

TEST(Grid, EnergyTimesIntensity) {
  // 2.5 kWh at 400 g/kWh is 1 kg.
  const Grid grid = parse_grid("400g/kWh").value();
  EXPECT_EQ(emissions(Joules(9e6), grid, {}, {}).value(), GramsCo2e(1000));
  const Provenance measured{Basis::kMeasured, "NVML", Boundary::kGpu};
  EXPECT_EQ(emissions_provenance(measured, grid).basis, Basis::kAssumed);
  const Grid georgia = grid_of(find_region("US-GA").value());
  const Provenance derived = emissions_provenance(measured, georgia);
  EXPECT_EQ(derived.basis, Basis::kDerived);
  EXPECT_EQ(derived.boundary, Boundary::kGpu);
  EXPECT_NE(derived.by.find("eGRID2023"), std::string::npos);
}

constexpr char kHours[] =
    "time,gco2e_per_kwh\n"
    "2026-05-01T00:00:00Z,100\n"
    "2026-05-01T01:00:00Z,300\n"
    "2026-05-01T02:00:00Z,200\n";

TEST(Grid, ASeriesIsWeighedByTime) {
  const IntensitySeries series = IntensitySeries::read(kHours, "h.csv").value();
  const auto mean = [&](const char* start, double seconds) {
    const auto result = series.mean(*parse_utc(start), Seconds(seconds));
    return result.ok() ? result.value().value : std::nan("");
  };
  EXPECT_DOUBLE_EQ(mean("2026-05-01T00:00:00Z", 3600), 100);
  EXPECT_DOUBLE_EQ(mean("2026-05-01T00:30:00Z", 3600), 200);  // Half an hour of each.
  EXPECT_DOUBLE_EQ(mean("2026-05-01T00:30:00Z", 7200), 225);  // (50 + 300 + 100) / 2
  EXPECT_DOUBLE_EQ(mean("2026-05-01T01:15:00Z", 0), 300);     // An instant.
  EXPECT_DOUBLE_EQ(mean("2026-05-01T02:00:00Z", 3600), 200);  // The last holds for an hour, too.
  EXPECT_DOUBLE_EQ(mean("2026-05-01T03:00:00Z", 0), 200);
  EXPECT_TRUE(std::isnan(mean("2026-05-01T02:00:00Z", 3601)));
  EXPECT_TRUE(std::isnan(mean("2026-04-30T23:59:59Z", 60)));
}

TEST(Grid, ASeriesNeedsToKnowWhen) {
  const Grid grid{"", IntensitySeries::read(kHours, "h.csv").value(), Basis::kAssumed, "h.csv"};
  EXPECT_FALSE(emissions(Joules(1), grid, {}, Seconds(1)).ok());
  EXPECT_FALSE(emissions(Joules(1), grid, parse_utc("2026-05-01T00:00:00Z"), {}).ok());
  EXPECT_EQ(emissions(Joules(3.6e6), grid, parse_utc("2026-05-01T01:00:00Z"), Seconds(60)).value(),
            GramsCo2e(300));
}

TEST(Grid, BadSeriesNameTheirLine) {
  const auto message = [](const std::string& rows) {
    return IntensitySeries::read("time,gco2e_per_kwh\n" + rows, "h.csv").error().message;
  };
  EXPECT_EQ(message("yesterday,1\n"),
            "h.csv:2: time must be like 2026-05-01T12:00:00Z, not \"yesterday\"");
  EXPECT_EQ(message("2026-05-01T00:00:00Z,-1\n"),
            "h.csv:2: gco2e_per_kwh must be a number of 0 or more, not \"-1\"");
  EXPECT_EQ(message("2026-05-01T00:00:00Z,1\n2026-05-01T00:00:00Z,1\n"),
            "h.csv:3: time does not come after the row before");
  EXPECT_EQ(message("2026-05-01T00:00:00Z,1\n"), "h.csv: a series needs two rows at least");
}

TEST(Pue, BelowOneIsRefused) {
  for (const char* bad : {"0.99", "0", "-1.5", "158", "nan", "inf", "", "1.5x"}) {
    EXPECT_FALSE(parse_pue(bad).ok()) << bad;
  }
  EXPECT_EQ(parse_pue("0.9").error().message, "a PUE of 0.9 is not possible");
  EXPECT_EQ(parse_pue("1").value().value, 1.0);
  EXPECT_EQ(parse_pue("1.59").value().value, 1.59);
}

TEST(Pue, HugeNumbersAreShownShort) {
  EXPECT_EQ(parse_pue("1e300").error().message, "a PUE of 1e+300 is not possible");
}

TEST(Pue, TheAverageIsNamedAsAssumed) {
  const Pue average = parse_pue("average").value();
  EXPECT_EQ(average.value, 1.54);
  EXPECT_EQ(average.basis, Basis::kAssumed);
  EXPECT_EQ(average.by, "average of the Uptime Institute Global Data Center Survey 2025");
  const Provenance facility =
      facility_provenance({Basis::kMeasured, "NVML", Boundary::kGpu}, average);
  EXPECT_EQ(facility.boundary, Boundary::kFacility);
  EXPECT_EQ(facility.basis, Basis::kAssumed);
}

TEST(Equivalents, AreInTheUnitsTheyWerePublishedIn) {
  const std::vector<Equivalent>& all = bundled_equivalents();
  ASSERT_EQ(all.size(), 10u);
  const auto find = [&](std::string_view beginning) -> const Equivalent& {
    return *std::find_if(all.begin(), all.end(), [&](const Equivalent& equivalent) {
      return equivalent.item.starts_with(beginning);
    });
  };
  const auto of_mass = [&](double grams, std::string_view item) {
    return times(GramsCo2e(grams), Joules(0), find(item));
  };
  // Strubell et al. give a flight as 1984 lb and a car's lifetime as 126,000 lb.
  EXPECT_NEAR(of_mass(1984 * kGramsPerPound, "Air travel"), 1.0, 0.005);
  EXPECT_NEAR(of_mass(126'000 * kGramsPerPound, "Car"), 1.0, 1e-9);
  // 400 g a mile of 1.609344 km.
  EXPECT_NEAR(of_mass(400, "Driving"), 1.609344, 1e-3);
  EXPECT_NEAR(of_mass(8887, "Burning"), 3.785411784, 1e-3);
  EXPECT_NEAR(times(GramsCo2e(0), Joules(10'791 * 3.6e6), find("Electricity")), 365, 0.5);
  for (const Equivalent& equivalent : all) {
    EXPECT_GE(equivalent.year, 2000) << equivalent.item;
    EXPECT_EQ(equivalent.co2e_short_tons.has_value() + equivalent.co2e_kg.has_value() +
                  equivalent.energy_kwh.has_value(),
              1)
        << equivalent.item;
  }
}

}  // namespace
}  // namespace wattree
