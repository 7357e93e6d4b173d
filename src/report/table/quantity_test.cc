#include "src/report/table/quantity.h"

#include <gtest/gtest.h>

#include "src/base/text.h"

namespace wattree {
namespace {

TEST(Quantity, ThreeSignificantDigitsAndAPrefix) {
  EXPECT_EQ(with_prefix(0), "0");
  EXPECT_EQ(with_prefix(768), "768");
  EXPECT_EQ(with_prefix(1536), "1.54 k");
  EXPECT_EQ(with_prefix(999.6), "1.00 k");
  EXPECT_EQ(with_prefix(22047621120.0), "22.0 G");
  EXPECT_EQ(with_prefix(109482240, "B"), "109 MB");
  EXPECT_EQ(with_prefix(4.2e18), "4.20 E");
}

TEST(Quantity, BarsShowWhatIsThere) {
  EXPECT_EQ(bar(0, 4), "");
  EXPECT_EQ(bar(0.001, 4), "▏");
  EXPECT_EQ(bar(1e-9, 4), "");
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(2.0, 4), "████");
}

TEST(Quantity, WidthCountsCharactersNotBytes) { EXPECT_EQ(display_width("×12 ▏"), 5u); }

TEST(Quantity, PrefixesBelowOneToo) {
  EXPECT_EQ(with_any_prefix(0, "J"), "0 J");
  EXPECT_EQ(with_any_prefix(0.0123, "J"), "12.3 mJ");
  EXPECT_EQ(with_any_prefix(4.5e-6, "s"), "4.50 µs");
  EXPECT_EQ(with_any_prefix(0.99996, "s"), "1.00 s");
  EXPECT_EQ(with_any_prefix(999.6, "W"), "1.00 kW");
  EXPECT_EQ(with_any_prefix(123, "W"), "123 W");
  EXPECT_EQ(with_any_prefix(2e-12, "J"), "0.00 nJ");
  EXPECT_EQ(with_commas(1'000'000), "1,000,000");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(-123'456), "-123,456");
  EXPECT_EQ(plus_minus(0.042), "±4.2 %");
  EXPECT_EQ(plus_minus(0.7), "±70 %");
}

}  // namespace
}  // namespace wattree
