#include "src/runs/track/line_matcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace wattree {
namespace {

// What is found in a text, however it is cut into pieces.
std::vector<std::string> found_in(const std::string& pattern, std::string_view text,
                                  std::size_t piece = 1 << 20) {
  LineMatcher matcher = LineMatcher::compile(pattern).value();
  std::vector<std::string> out;
  const auto take = [&](std::string_view name) { out.emplace_back(name); };
  for (std::size_t at = 0; at < text.size(); at += piece)
    matcher.feed(text.substr(at, piece), take);
  matcher.finish(take);
  return out;
}

TEST(LineMatcher, FindsTheGroupOrTheWholeMatch) {
  using Names = std::vector<std::string>;
  const std::string text = "start\nepoch 1 loss 2\nEpoch 2\r\nnothing\nepoch 13\rbar\repoch 4";
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_EQ(found_in("epoch (\\d+)", text, piece), (Names{"1", "13", "4"})) << piece;
  }
  EXPECT_EQ(found_in("[Ee]poch [\\d]+", text),
            (Names{"epoch 1", "Epoch 2", "epoch 13", "epoch 4"}));
  EXPECT_EQ(found_in("^Epoch ([0-9]+)$", text), Names{"2"});
  EXPECT_EQ(found_in("(epoch 9)|(no)thing", text), Names{"no"});
  EXPECT_EQ(found_in("x*", "\n\n").size(), 2u);
}

TEST(LineMatcher, LooksAtTheBeginningOfVeryLongLines) {
  const std::string text = "epoch 1" + std::string(1 << 20, 'x') + " epoch 2\nepoch 3\n";
  EXPECT_EQ(found_in("epoch (\\d+)", text, 1000), (std::vector<std::string>{"1", "3"}));
  EXPECT_TRUE(found_in("epoch (\\d+)$", text.substr(0, text.find('\n') + 1), 65536).empty());
}

// Looking for the required text first is a short cut, and must find what the expression alone does.
TEST(LineMatcher, FindsTheSameByTheRequiredTextAsByTheExpressionAlone) {
  std::uint32_t state = 1;
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525u + 1013904223u;
    text += "epch o1\n "[state >> 16 & 7];
    if (i % 97 == 0) text += "epoch 7\n";
    if (i % 89 == 0) text += "epepoch 1 epoch 2";
  }
  for (const std::string pattern : {"epoch (\\d+)", "poch 1", "e", "ch 1\\d?"}) {
    ASSERT_FALSE(required_text(pattern).empty());
    const std::string alone = pattern + "|" + pattern;
    ASSERT_TRUE(required_text(alone).empty());
    EXPECT_EQ(found_in(pattern, text, 777), found_in(alone, text, 1000)) << pattern;
    EXPECT_FALSE(found_in(pattern, text).empty()) << pattern;
  }
}

TEST(LineMatcher, KnowsWhatEveryMatchHasInIt) {
  EXPECT_EQ(required_text("epoch (\\d+)/(\\d+)"), "epoch ");
  EXPECT_EQ(required_text("^\\[Epoch +\\d+\\] is done\\."), "] is done.");
  EXPECT_EQ(required_text("ab?cde*fgh"), "fgh");
  EXPECT_EQ(required_text("abc{2}d"), "ab");
  EXPECT_EQ(required_text("[abc]x[]]yz[^]]w"), "yz");
  EXPECT_EQ(required_text("one|two"), "");
  EXPECT_EQ(required_text("(epoch)?"), "");
  EXPECT_EQ(required_text("\\bword\\w"), "word");
}

TEST(LineMatcher, TakesTimeInProportionToTheLineWhateverThePattern) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::string(4000, 'a') + "b\n";  // 1.6 MB
  for (const char* pattern : {"a+$", "(a*)*c", "(a|aa)+$", "a.*a.*a.*a.*c", "(x+x+)+y|a+$"}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(found_in(pattern, text).empty()) << pattern;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << pattern;
  }
}

TEST(LineMatcher, ReadsBytesAndClassesOfLetters) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(found_in("\\bepoch\\s+(\\w+)", "epochs 3\nepoch\t7a!\n"), Names{"7a"});
  EXPECT_EQ(found_in("(\xc3\xa9poque|epoch) ([\\d.]+)", "\xff \xc3\xa9poque 1.5\n"),
            Names{"\xc3\xa9poque"});
  EXPECT_EQ(found_in("[[:digit:]]+ (of|off)", "3 off\n"), Names{"off"}) << "the longest";
  EXPECT_EQ(found_in("e[]x]", "e]\n"), Names{"e]"});
}

TEST(LineMatcher, RefusesWhatItDoesNotUnderstand) {
  for (const char* pattern : {"", "(", "[a", "a{2,1}", "(?:a)"}) {
    const Result<LineMatcher> matcher = LineMatcher::compile(pattern);
    ASSERT_FALSE(matcher.ok()) << pattern;
    EXPECT_EQ(matcher.error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace
}  // namespace wattree
