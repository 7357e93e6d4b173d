#include "src/models/tree/text_blocks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace wattree {
namespace {

TEST(TextBlocks, JoinsPieces) {
  TextBlocks texts;
  EXPECT_EQ(texts.join("", "", ""), "");
  EXPECT_EQ(texts.join("layer.0", ":add", ".3"), "layer.0:add.3");
}

TEST(TextBlocks, TextsStayWhereTheyAreAcrossBlocksAndMoves) {
  TextBlocks texts;
  const std::string_view first = texts.join("first", "", "");
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(texts.join(large, "!", ""), large + "!");
  std::vector<std::string_view> kept;
  for (int i = 0; i < 20'000; ++i) kept.push_back(texts.join("scope.", std::to_string(i), ":op"));
  TextBlocks moved = std::move(texts);
  texts = TextBlocks();
  EXPECT_EQ(moved.join("more", "", ""), "more");
  EXPECT_EQ(first, "first");
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(kept[static_cast<std::size_t>(i)], "scope." + std::to_string(i) + ":op");
  }
}

TEST(TextBlocks, WhatWasMovedFromStartsAfresh) {
  TextBlocks texts;
  texts.join("old", "", "");
  const TextBlocks moved = std::move(texts);
  EXPECT_EQ(texts.join("new", "", ""), "new");  // NOLINT(bugprone-use-after-move): the point.
}

}  // namespace
}  // namespace wattree
