#include "src/measure/runner/onednn_limit.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string>

namespace wattree {
namespace {

constexpr char kVariable[] = "DNNL_MAX_CPU_ISA";
constexpr char kNewVariable[] = "ONEDNN_MAX_CPU_ISA";

// The limit that is set, "" where there is none.
std::string limit() {
  const char* value = std::getenv(kVariable);
  return value == nullptr ? "" : value;
}

class OnednnLimit : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    ::unsetenv(kVariable);
    ::unsetenv(kNewVariable);
  }
};

// A library that takes the processor at its word unless it is limited to `lives_under`.
auto dies_unless_limited_to(const std::string& lives_under) {
  return [=] { return limit() == lives_under || ::raise(SIGILL) == 0; };
}

TEST_F(OnednnLimit, AProductThatRunsIsNotLimited) {
  EXPECT_EQ(limit_onednn([] { return true; }), "");
  EXPECT_EQ(limit(), "");
}

TEST_F(OnednnLimit, AProductThatFailsWithoutASignalIsNotLimited) {
  EXPECT_EQ(limit_onednn([] { return false; }), "");
  EXPECT_EQ(limit(), "");
}

TEST_F(OnednnLimit, TheWidestUnderWhichTheProductRunsIsSetAndTheUserIsTold) {
  for (const std::string isa : {"AVX512_CORE_BF16", "AVX512_CORE", "AVX2"}) {
    clear();
    const std::string note = limit_onednn(dies_unless_limited_to(isa));
    EXPECT_EQ(limit(), isa);
    EXPECT_NE(note.find("limited to " + isa + ","), std::string::npos) << note;
  }
}

TEST_F(OnednnLimit, ALimitUnderWhichTheProductFailsIsNotTaken) {
  const auto product = [] { return limit().empty() ? ::raise(SIGILL) == 0 : limit() == "AVX2"; };
  EXPECT_NE(limit_onednn(product), "");
  EXPECT_EQ(limit(), "AVX2");
}

TEST_F(OnednnLimit, WhereNoneHelpsNoneIsSet) {
  EXPECT_EQ(limit_onednn([] { return ::raise(SIGILL) == 0; }), "");
  EXPECT_EQ(limit(), "");
}

TEST_F(OnednnLimit, AUsersOwnStaysAndNothingIsTried) {
  int tried = 0;
  const auto counts = [&] { return ++tried > 0; };
  ::setenv(kVariable, "AVX2", 1);
  EXPECT_EQ(limit_onednn(dies_unless_limited_to("AVX512_CORE")), "");
  EXPECT_EQ(limit(), "AVX2");
  clear();
  ::setenv(kNewVariable, "AVX2", 1);
  EXPECT_EQ(limit_onednn(counts), "");
  EXPECT_EQ(limit(), "");
  EXPECT_EQ(tried, 0);
}

}  // namespace
}  // namespace wattree
