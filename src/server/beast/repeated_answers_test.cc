#include "src/server/beast/repeated_answers.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

const ConnectionOrigin kHere{"127.0.0.1", "", "", nullptr};

RepeatedAnswer answer(const std::string& body, bool holds = true) {
  return {kHere, "head", std::make_shared<const std::string>(body), [holds] { return holds; }};
}

TEST(RepeatedAnswers, AreOfOneOrigin) {
  RepeatedAnswers answers;
  answers.put("GET", answer("a"));
  ASSERT_NE(answers.find("GET", kHere), nullptr);
  EXPECT_EQ(*answers.find("GET", kHere)->body, "a");
  EXPECT_EQ(answers.find("GE", kHere), nullptr);
  // The same bytes of a proxy, or by another listener, may have another answer.
  EXPECT_EQ(answers.find("GET", {"127.0.0.2", "", "", nullptr}), nullptr);
  EXPECT_EQ(answers.find("GET", {"127.0.0.1", "", "other", nullptr}), nullptr);
  EXPECT_NE(answers.find("GET", kHere), nullptr);
}

TEST(RepeatedAnswers, GoWhenTheyHoldNoMore) {
  RepeatedAnswers answers;
  answers.put("GET", answer("a", false));
  EXPECT_EQ(answers.find("GET", kHere), nullptr);
  EXPECT_EQ(answers.size(), 0U);
}

TEST(RepeatedAnswers, StayBounded) {
  RepeatedAnswers answers;
  answers.put(std::string(RepeatedAnswers::kLongestRequest + 1, 'x'), answer("a"));
  answers.put("GET", answer(std::string(RepeatedAnswers::kLongestBody + 1, 'x')));
  EXPECT_EQ(answers.size(), 0U);
  for (int i = 0; i < 1000; ++i) {
    answers.put(std::to_string(i), answer("a"));
    EXPECT_NE(answers.find(std::to_string(i), kHere), nullptr);
    EXPECT_LE(answers.size(), RepeatedAnswers::kMost);
  }
}

}  // namespace
}  // namespace wattree
