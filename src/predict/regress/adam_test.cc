#include "src/predict/regress/adam.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

TEST(Adam, StepsAsThePaperSays) {
  Adam adam(1);
  std::vector<double> w{1};
  adam.step(w, std::vector<double>{2});
  // Corrected means 2 and 4: 1 - 0.001 · 2 / (2 + 1e-8).
  EXPECT_NEAR(w[0], 0.999, 1e-11);
  adam.step(w, std::vector<double>{-1});
  // Mean 0.9·0.2 - 0.1 = 0.08, corrected by 1 - 0.81; square 0.999·0.004 + 0.001, by 1 - 0.998001.
  EXPECT_NEAR(w[0], 0.999 - 0.001 * (0.08 / 0.19) / std::sqrt(0.004996 / 0.001999), 1e-10);
}

TEST(Adam, FindsTheMinimum) {
  Adam adam(2, {.learning_rate = 0.05});
  std::vector<double> w{5, -5};
  for (int i = 0; i < 2000; ++i) {
    adam.step(w, std::vector<double>{2 * (w[0] - 1), 200 * (w[1] - 2)});
  }
  EXPECT_NEAR(w[0], 1, 1e-3);
  EXPECT_NEAR(w[1], 2, 1e-3);
}

TEST(Adam, LeavesAWeightWithoutGradientAlone) {
  Adam adam(1);
  std::vector<double> w{3};
  adam.step(w, std::vector<double>{0});
  EXPECT_EQ(w[0], 3);
}

}  // namespace
}  // namespace wattree
