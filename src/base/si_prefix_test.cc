#include "src/base/si_prefix.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(SiPrefix, ThreeDigitsAndAPrefix) {
  EXPECT_EQ(with_si_prefix(0.0012, "J"), "1.20 mJ");
  EXPECT_EQ(with_si_prefix(31.5e-6, "s"), "31.5 µs");
  EXPECT_EQ(with_si_prefix(12.34, "J"), "12.3 J");
  EXPECT_EQ(with_si_prefix(4500, "J"), "4.50 kJ");
  EXPECT_EQ(with_si_prefix(999.6, "J"), "1.00 kJ");
  EXPECT_EQ(with_si_prefix(0, "J"), "0 J");
  EXPECT_EQ(with_si_prefix(-0.5, "J"), "-500 mJ");
}

}  // namespace
}  // namespace wattree
