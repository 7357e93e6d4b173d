#include "src/measure/runner/trial.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace wattree {
namespace {

TEST(Trial, SaysHowItEnded) {
  EXPECT_TRUE(try_in_child([] { return true; }).is_good);
  EXPECT_FALSE(try_in_child([] { return false; }).is_good);
  const Trial thrown = try_in_child([]() -> bool { throw std::runtime_error("no"); });
  EXPECT_FALSE(thrown.is_good);
  EXPECT_EQ(thrown.signal, 0);
}

TEST(Trial, ASignalEndsTheChildAlone) {
  for (const int number : {SIGILL, SIGSEGV, SIGABRT, SIGKILL}) {
    const Trial trial = try_in_child([=] { return ::raise(number) == 0; });
    EXPECT_FALSE(trial.is_good);
    EXPECT_EQ(trial.signal, number);
  }
}

TEST(Trial, WhatItChangesAndPrintsStaysInTheChild) {
  int changed = 0;
  testing::internal::CaptureStdout();
  const Trial trial = try_in_child([&] {
    changed = 1;
    return ::write(STDOUT_FILENO, "seen", 4) == 4;
  });
  EXPECT_TRUE(trial.is_good);
  EXPECT_EQ(changed, 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Trial, AHandlerOfTheProgramsDoesNotHideASignal) {
  const auto before = ::signal(SIGILL, [](int) { ::_exit(0); });
  EXPECT_EQ(try_in_child([] { return ::raise(SIGILL) == 0; }).signal, SIGILL);
  ::signal(SIGILL, before);
}

}  // namespace
}  // namespace wattree
