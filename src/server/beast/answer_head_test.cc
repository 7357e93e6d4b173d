#include "src/server/beast/answer_head.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

std::string head_of(const HttpAnswer& answer, const AnswerForm& form = {}) {
  std::string out;
  append_head(out, answer, form);
  return out;
}

TEST(AnswerHead, IsWhatTheStandardWants) {
  HttpAnswer answer;
  answer.body = std::make_shared<const std::string>("{}\n");
  answer.headers = {{"ETag", "\"1\""}};
  EXPECT_EQ(head_of(answer, {11, true, "now"}),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n"
            "Date: now\r\nETag: \"1\"\r\n\r\n");
  answer.status = 304;
  EXPECT_EQ(head_of(answer, {10, true, ""}),
            "HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\nETag: \"1\"\r\n\r\n");
}

TEST(AnswerHead, KnowsDates) {
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110's own example.
}

TEST(AnswerHead, RefusesWhatWouldBreakTheAnswer) {
  const auto is_sendable_with = [](const std::string& name, const std::string& value) {
    HttpAnswer answer;
    answer.headers = {{name, value}};
    return is_sendable(answer);
  };
  EXPECT_TRUE(is_sendable_with("X-A", "b c\té"));
  EXPECT_FALSE(is_sendable_with("X-A", "b\r\nSet-Cookie: c"));
  EXPECT_FALSE(is_sendable_with("X-A", "b\n"));
  EXPECT_FALSE(is_sendable_with("X-A", std::string("b\0", 2)));
  EXPECT_FALSE(is_sendable_with("X A", "b"));
  EXPECT_FALSE(is_sendable_with("X-A:", "b"));
  EXPECT_FALSE(is_sendable_with("", "b"));
  EXPECT_FALSE(is_sendable_with("Content-length", "5"));
  EXPECT_FALSE(is_sendable_with("TRANSFER-ENCODING", "chunked"));
  HttpAnswer answer;
  answer.type = "text/html\r\nX: y";
  EXPECT_FALSE(is_sendable(answer));
  answer = {};
  answer.status = 100;
  EXPECT_FALSE(is_sendable(answer));
}

TEST(AnswerHead, WritesErrorsAsTheContractSays) {
  const HttpAnswer answer =
      problem_answer({ErrorCode::kUnavailable, "too much; see <dtype>", "wait", "dtype"});
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(*answer.body,
            "{\"error\":{\"code\":\"unavailable\",\"message\":\"too much; see dtype\","
            "\"field\":\"dtype\",\"hint\":\"wait\"}}\n");
  EXPECT_EQ(answer.headers, (HttpFields{{"Retry-After", "1"}}));
}

}  // namespace
}  // namespace wattree
