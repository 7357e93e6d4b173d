#include "src/httpd/request.h"

#include <gtest/gtest.h>

#include "src/httpd/server.h"

namespace wattree {
namespace {

TEST(HttpRequest, IsTakenApart) {
  HttpRequest request;
  const std::string text =
      "POST /a/b?c=1&d HTTP/1.1\r\nHost: localhost:80\r\nX-Y:  z \r\nContent-Length: "
      "3\r\n\r\nabcdef";
  ASSERT_EQ(parse_request(text, request), HttpParse::kDone);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/a/b");
  EXPECT_EQ(request.query, "c=1&d");
  EXPECT_EQ(request.header("host"), "localhost:80");
  EXPECT_EQ(request.header("x-y"), "z");
  EXPECT_EQ(request.body, "abc");
  for (std::size_t length = 0; length < text.size() - 3; ++length) {
    EXPECT_EQ(parse_request(text.substr(0, length), request), HttpParse::kMore) << length;
  }
}

TEST(HttpRequest, RefusesWhatIsNone) {
  HttpRequest request;
  const auto parse = [&](const std::string& text) { return parse_request(text, request); };
  for (const char* text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        "G@T / HTTP/1.1\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n", "GET / HTTP/2\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\na b: x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\na: \x01\r\n\r\n"}) {
    EXPECT_EQ(parse(text), HttpParse::kBad) << text;
  }
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
            HttpParse::kTooLarge);
  EXPECT_EQ(parse(std::string(kMaxHttpHead + 1, 'x')), HttpParse::kTooLarge);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), HttpParse::kUnknown);
}

TEST(HttpEvents, HaveALineForEveryLine) {
  EXPECT_EQ(event_text("a", "b"), "event: a\ndata: b\n\n");
  EXPECT_EQ(event_text("a", "b\nc\n"), "event: a\ndata: b\ndata: c\n\n");
  EXPECT_EQ(event_text("a", ""), "event: a\ndata: \n\n");
  EXPECT_EQ(url_of({"::1", 80}), "http://[::1]:80");
}

TEST(HttpServer, AnswersPublishesAndEnds) {
  Result<HttpListener> listener = HttpListener::open({"127.0.0.1", 0});
  ASSERT_TRUE(listener.ok()) << listener.error().message;
  std::vector<HttpListener> listeners;
  listeners.push_back(std::move(listener).value());
  auto server =
      HttpServer::start(std::move(listeners), [](const HttpRequest&) { return HttpResponse{}; });
  ASSERT_TRUE(server.ok()) << server.error().message;
  EXPECT_GT(server.value()->addresses()[0].port, 0);
  for (int i = 0; i < 10'000; ++i) server.value()->publish("x", "y");  // To nobody; it never waits.
  EXPECT_EQ(HttpListener::open(server.value()->addresses()[0]).error().field, "port");
  EXPECT_FALSE(HttpListener::open({"localhost", 0}).ok());
}

}  // namespace
}  // namespace wattree
