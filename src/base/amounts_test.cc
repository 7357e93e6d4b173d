#include "src/base/amounts.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Amounts, AreReadByPeople) {
  EXPECT_EQ(to_text(GramsCo2e(310.46)), "310.5 g");
  EXPECT_EQ(to_text(GramsCo2e(1650)), "1.65 kg");
  EXPECT_EQ(to_text(GramsCo2e(453.59237), MassUnit::kPound), "1 lb");
  EXPECT_EQ(to_text(CarbonIntensity(325.43), MassUnit::kPound), "0.7175 lb/kWh");
  EXPECT_EQ(to_text(Joules(2.16e6)), "0.6 kWh");
  EXPECT_EQ(to_text(Joules(1500)), "1.5 kJ");
  EXPECT_EQ(to_text(Joules(0.25)), "0.25 J");
  EXPECT_EQ(to_text(Joules(1500), EnergyScale::kWithoutKilo), "1500 J");
  EXPECT_EQ(to_text(Joules(2.16e6), EnergyScale::kWithoutKilo), "0.6 kWh");
  EXPECT_EQ(to_text(Seconds(12.5)), "12.5 s");
  EXPECT_EQ(to_text(Seconds(200)), "3 min 20 s");
  EXPECT_EQ(to_text(Seconds(302400)), "84 h 0 min");
  EXPECT_EQ(four_digits(123456.7), "123457");
  EXPECT_EQ(four_digits(0), "0");
}

TEST(Amounts, EnergiesHaveUnits) {
  EXPECT_EQ(parse_energy("2.5kWh").value(), Joules(9e6));
  EXPECT_EQ(parse_energy("3.6e3 kJ").value(), Joules(3.6e6));
  for (const char* bad : {"", "2.5", "kWh", "-1kWh", "1 kwh", "1e400J", "2.5kWhs"}) {
    EXPECT_FALSE(parse_energy(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace wattree
