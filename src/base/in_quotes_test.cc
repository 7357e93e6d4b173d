#include "src/base/in_quotes.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(InQuotes, TakesControlCharactersOut) {
  EXPECT_EQ(in_quotes("bert"), "\"bert\"");
  EXPECT_EQ(in_quotes("\x1b[31mred\r\n\x7f"), "\"?[31mred???\"");
  EXPECT_EQ(in_quotes("café"), "\"café\"");
  EXPECT_EQ(printable("a\u009b31mb\u00a0"), "a?31mb\u00a0");  // Some terminals obey U+009B.
}

TEST(InQuotes, CutsBetweenCharacters) {
  EXPECT_EQ(in_quotes("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(in_quotes("abcdef", 5), "\"abcde...\"");
  EXPECT_EQ(in_quotes("abcé", 4), "\"abc...\"");
  EXPECT_EQ(in_quotes("abc€x", 5), "\"abc...\"");
}

}  // namespace
}  // namespace wattree
