#include "src/measure/meter/assumed.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Assumption, ReadsComponentAndPower) {
  EXPECT_EQ(parse_assumption("cpu=65W").value().power, Watts(65));
  EXPECT_EQ(parse_assumption("cpu=65W").value().component, Component::kCpu);
  EXPECT_EQ(parse_assumption("platform=0.5 kW").value().power, Watts(500));
  EXPECT_EQ(parse_assumption("other=250mW").value().power, Watts(0.25));
}

TEST(Assumption, SaysWhatIsWrong) {
  for (const char* text : {"", "cpu", "cpu=", "cpu=65", "cpu=65J", "cpu=-1W", "cpu=nanW",
                           "cpu=infW", "cpu=1e9W", "brain=20W", "=65W", "cpu=W"}) {
    const Result<Assumption> result = parse_assumption(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
    EXPECT_FALSE(result.error().hint.empty());
  }
}

TEST(Assumption, IsAlwaysShownAsAssumed) {
  const auto meter = make_assumed_meter({Component::kCpu, Watts(65)});
  EXPECT_EQ(meter->description().basis, Basis::kAssumed);
  EXPECT_DOUBLE_EQ(meter->read().level, 65.0);
}

}  // namespace
}  // namespace wattree
