#include "src/base/utf8.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Utf8, TellsTextFromBytes) {
  for (const char* good : {"", "a", "×", "日本", "😀", "\x7f"}) EXPECT_TRUE(is_utf8(good)) << good;
  // A byte alone, a cut-off character, one longer than it needs to be, half of a surrogate pair,
  // and one beyond the last.
  for (const char* bad : {"\xff", "\x80", "a\xc3", "\xe2\x82", "\xc0\xaf", "\xe0\x80\x80",
                          "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
  EXPECT_EQ(utf8_length("×a"), 2u);
}

}  // namespace
}  // namespace wattree
