#include "src/base/utc_time.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(UtcTime, CountsSecondsSince1970) {
  // `date -u -d 2026-05-01T12:00:00Z +%s`
  EXPECT_EQ(parse_utc("2026-05-01T12:00:00Z")->time_since_epoch(),
            std::chrono::seconds(1777636800));
  EXPECT_EQ(parse_utc("1970-01-01T00:00:00.25+00:00")->time_since_epoch(),
            std::chrono::milliseconds(250));
}

TEST(UtcTime, WrittenTimesReadBack) {
  for (const std::string text : {"2026-05-01T12:00:00Z", "1999-12-31T23:59:59.000001Z",
                                 "2024-02-29T00:00:00.1Z", "1969-12-31T23:59:59.5Z"}) {
    ASSERT_TRUE(parse_utc(text)) << text;
    EXPECT_EQ(to_string(*parse_utc(text)), text);
  }
}

TEST(UtcTime, RefusesWhatIsNoInstant) {
  for (const char* bad : {"", "2026-05-01", "2026-05-01T12:00:00", "2026-05-01T12:00:00+02:00",
                          "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-05-01T24:00:00Z",
                          "2026-05-01T12:00:00.Z", "2026-05-01T12:00:00.5", "2026-05-01 12:00:00Z",
                          "2026-05-01T12:00:00Zx", "-026-05-01T12:00:00Z"}) {
    EXPECT_FALSE(parse_utc(bad)) << bad;
  }
}

}  // namespace
}  // namespace wattree
