#include "src/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace wattree {
namespace {

TEST(Utf8, KnowsCharactersOfEveryLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\xb3"));  // a, é, €, a tree
}

TEST(Utf8, RefusesWhatIsCutOverlongOrASurrogate) {
  for (const std::string bytes :
       {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\xaf", "a\x80"}) {
    EXPECT_FALSE(is_utf8(bytes)) << bytes.size();
  }
}

}  // namespace
}  // namespace wattree
