#include "src/server/routes/compress.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Compress, GivesBackWhatItPacked) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919) + ",";
  for (const std::string& each : {std::string(), std::string("a"), text}) {
    EXPECT_EQ(gunzip(gzip(each)), each);
  }
  EXPECT_EQ(gunzip("no gzip"), "");
}

TEST(Compress, TakesNoMoreRoomThanItNeeds) {
  const std::string text(40'000, 'x');
  const std::string packed = gzip(text);
  EXPECT_LT(packed.capacity(), 1'000U);
  EXPECT_EQ(gunzip(packed), text);
}

TEST(Compress, ReadsWhatClientsAccept) {
  for (const char* header :
       {"gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.5", "*", "deflate,gzip"}) {
    EXPECT_TRUE(accepts_gzip(header)) << header;
  }
  for (const char* header : {"", "br", "identity", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzipped"}) {
    EXPECT_FALSE(accepts_gzip(header)) << header;
  }
}

TEST(Compress, TagsDependOnEveryByte) {
  const std::string text(1000, 'a');
  const std::string tag = entity_tag(text);
  EXPECT_EQ(tag.size(), 34u);
  EXPECT_EQ(tag, entity_tag(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    EXPECT_NE(entity_tag(other), tag) << i;
  }
  EXPECT_NE(entity_tag(text + "a"), tag);
  EXPECT_NE(entity_tag(text, "-gzip"), tag);
}

TEST(Compress, KnowsTagsInALineOfThem) {
  EXPECT_TRUE(matches_tag("\"a\"", "\"a\""));
  EXPECT_TRUE(matches_tag("\"b\", W/\"a\"", "\"a\""));
  EXPECT_TRUE(matches_tag("*", "\"a\""));
  EXPECT_FALSE(matches_tag("\"b\"", "\"a\""));
  EXPECT_FALSE(matches_tag("a", "\"a\""));
}

}  // namespace
}  // namespace wattree
