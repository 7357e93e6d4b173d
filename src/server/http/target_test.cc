#include "src/server/http/target.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

std::string path_of(std::string_view target) {
  const Result<HttpTarget> parsed = parse_http_target(target);
  return parsed.ok() ? parsed.value().path : "refused";
}

TEST(HttpTarget, DecodesAndNormalisesPaths) {
  EXPECT_EQ(path_of("/"), "/");
  EXPECT_EQ(path_of("/api/v1/runs/bert-3"), "/api/v1/runs/bert-3");
  EXPECT_EQ(path_of("/a%20b+c"), "/a b+c");
  EXPECT_EQ(path_of("/%C3%A9"), "/é");
  EXPECT_EQ(path_of("/\xc3\xa9"), "/é");
  EXPECT_EQ(path_of("/a/./b//c/"), "/a/b/c/");
  EXPECT_EQ(path_of("/%2e"), "/");
  EXPECT_EQ(path_of("//"), "/");
  EXPECT_EQ(path_of("/a..b/..."), "/a..b/...");
}

TEST(HttpTarget, RefusesPathsThatEscape) {
  for (const char* target :
       {"/..",   "/a/../b", "/%2e%2e/etc", "/.%2E/",      "/a%2Fb",   "/a%2fb",      "/a%5Cb",
        "/a\\b", "/%00",    "/a%00",       "/%0d%0a",     "/%7f",     "/%",          "/%4",
        "/%zz",  "/%C3",    "/%ff%fe",     "/%C0%AF",     "/\xff",    "/a#b",        "",
        "*",     "a/b",     "host:80",     "ftp://host/", "http:///", "http://host", "/a b"}) {
    EXPECT_EQ(path_of(target), "refused") << target;
  }
  EXPECT_EQ(path_of(std::string_view("/a\0b", 4)), "refused");
}

TEST(HttpTarget, DecodesQueries) {
  const Result<HttpTarget> parsed =
      parse_http_target("/p?model=org%2Fname&a=1+1%2B1&a=&b&=c&&d=e=f?/..&%C3%A9=%C3%A9");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().query, (HttpFields{{"model", "org/name"},
                                              {"a", "1 1+1"},
                                              {"a", ""},
                                              {"b", ""},
                                              {"", "c"},
                                              {"d", "e=f?/.."},
                                              {"é", "é"}}));
  EXPECT_TRUE(parse_http_target("/p?").value().query.empty());
}

TEST(HttpTarget, NamesTheParameterThatIsWrong) {
  for (const char* target : {"/p?model=%", "/p?model=%2", "/p?model=%ff", "/p?model=a%00b"}) {
    const Result<HttpTarget> parsed = parse_http_target(target);
    ASSERT_FALSE(parsed.ok()) << target;
    EXPECT_EQ(parsed.error().field, "model") << target;
  }
  EXPECT_FALSE(parse_http_target("/p?%ff=1").ok());
  EXPECT_FALSE(parse_http_target("/p?%0a=1").ok());
}

TEST(HttpTarget, BoundsTheNumberOfParameters) {
  EXPECT_TRUE(parse_http_target("/p?a&b&c", 3).ok());
  EXPECT_FALSE(parse_http_target("/p?a&b&c&d", 3).ok());
}

TEST(HttpTarget, TakesTheFormThatProxiesSend) {
  const Result<HttpTarget> parsed = parse_http_target("http://example.org:8080/a?b=c");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().authority, "example.org:8080");
  EXPECT_EQ(parsed.value().path, "/a");
  EXPECT_EQ(parsed.value().query, (HttpFields{{"b", "c"}}));
}

}  // namespace
}  // namespace wattree
