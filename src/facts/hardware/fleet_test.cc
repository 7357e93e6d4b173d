#include "src/facts/hardware/fleet.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

Result<Fleet> parse(const std::string& text) { return parse_fleet(text, bundled_devices()); }

TEST(Fleet, ReadsCountsAndNames) {
  EXPECT_EQ(to_string(parse("4xT4").value()), "4 × T4");
  EXPECT_EQ(to_string(parse("4 × Tesla T4, Intel i7 2600K").value()),
            "4 × T4, 1 × Intel Core i7-2600K");
  EXPECT_EQ(to_string(parse("2 X h200").value()), "2 × H200 SXM 141GB");
}

TEST(Fleet, RefusesNoneAndUnknown) {
  for (const char* bad : {"", "4x", "T4,", "0xT4", "-1xT4", "99999999999xT4", "3xGTX 9999"}) {
    EXPECT_FALSE(parse(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace wattree
