#include "src/base/run_program.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

Result<ProgramEnd> shell(const std::string& text, double limit_s = 30) {
  return run_program({"sh", "-c", text}, Seconds(limit_s));
}

TEST(RunProgram, KeepsWhatItPrintsAndHowItEnds) {
  const Result<ProgramEnd> end = shell("cat; echo out; echo err >&2; exit 3");
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end.value().out, "out\n");
  EXPECT_EQ(end.value().err, "err\n");
  EXPECT_EQ(end.value().exit_code, 3);
  EXPECT_EQ(shell("kill -9 $$").value().exit_code, 137);
}

TEST(RunProgram, TakesMoreThanAPipeHolds) {
  const Result<ProgramEnd> end =
      shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; echo end");
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().out.size(), 300004U);
  EXPECT_EQ(end.value().err.size(), 300000U);
}

TEST(RunProgram, WaitsForOneThatClosesItsOutput) {
  EXPECT_EQ(shell("exec >&- 2>&-; sleep 0.2; exit 5").value().exit_code, 5);
  EXPECT_NE(shell("exec >&- 2>&-; exec sleep 60", 0.3).error().message.find("too long"),
            std::string::npos);
}

TEST(RunProgram, SaysWhatKeepsItFromItsEnd) {
  EXPECT_NE(run_program({"no-such-program"}, Seconds(5)).error().message.find("No such file"),
            std::string::npos);
  EXPECT_NE(shell("exec sleep 60", 0.2).error().message.find("too long"), std::string::npos);
  const Result<ProgramEnd> stopped = run_program({"sleep", "60"}, Seconds(60), [] { return true; });
  EXPECT_NE(stopped.error().message.find("interrupted"), std::string::npos);
}

}  // namespace
}  // namespace wattree
