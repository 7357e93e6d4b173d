#include "src/cli/quantity.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace wattree
