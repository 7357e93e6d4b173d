// The transport as clients meet it that ask for more than they need.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "src/server/beast/test_application.h"
#include "src/server/beast/test_client.h"

namespace wattree {
namespace {

// An application that works until it is told to stop.
Application patient_application(std::atomic<int>& working) {
  Application out;
  out.answer_at_once = [](const HttpCall& call) -> std::optional<HttpAnswer> {
    if (call.path == "/fast") return text_answer("fast");
    return std::nullopt;
  };
  out.answer = [&working](const HttpCall& call) {
    ++working;
    while (!call.cancellation->is_cancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    --working;
    return text_answer("cancelled");
  };
  return out;
}

bool comes_true(const std::function<bool()>& is_so) {
  for (int i = 0; i < 3000 && !is_so(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return is_so();
}

TEST(GreedyClients, KeepNoThreadAtWorkOnceTheyAreGone) {
  std::atomic<int> working = 0;
  WebLimits limits;
  limits.abandoned_time = std::chrono::milliseconds(50);
  const auto server = serve(patient_application(working), limits);
  for (const bool breaks_off : {false, true}) {
    TestClient client(server->urls().at(0));
    client.send("GET /work HTTP/1.1\r\nHost: here\r\n\r\n");
    ASSERT_TRUE(comes_true([&] { return working == 1; }));
    if (breaks_off) {
      client.break_off();
    } else {
      client.close();
    }
    EXPECT_TRUE(comes_true([&] { return working == 0; })) << breaks_off;
  }
  EXPECT_EQ(server->counts().abandoned, 2U);
}

TEST(GreedyClients, DoNotKeepAServerFromStopping) {
  std::atomic<int> working = 0;
  WebLimits limits;
  limits.stop_time = std::chrono::milliseconds(200);
  const auto server = serve(patient_application(working), limits);
  TestClient client(server->urls().at(0));
  client.send("GET /work HTTP/1.1\r\nHost: here\r\n\r\n");
  ASSERT_TRUE(comes_true([&] { return working == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  server->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

// Whoever may not call is told so before the body comes, and holds no room for it.
TEST(GreedyClients, SendNoBodyThatNobodyReads) {
  Application application = test_application();
  application.body_terms = [](const HttpCall& call) -> BodyTerms {
    if (call.path == "/closed") {
      HttpAnswer refusal = text_answer("no");
      refusal.status = 401;
      refusal.headers.emplace_back("WWW-Authenticate", "Bearer");
      return {std::move(refusal)};
    }
    return {std::nullopt, 1000, 500'000};
  };
  const auto server = serve(std::move(application));
  const std::string to = " HTTP/1.1\r\nHost: here\r\n";
  for (const char* form : {"Content-Length: 50000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n",
                           "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"}) {
    TestClient client(server->urls().at(0));
    const TestAnswer refused = client.ask("POST /closed" + to + form);
    EXPECT_EQ(refused.status, 401) << form;
    EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(refused.header("Connection"), "close");
  }
  TestClient announced(server->urls().at(0)), chunked(server->urls().at(0));
  EXPECT_EQ(announced.ask("POST /size" + to + "Content-Length: 1001\r\n\r\n").status, 413);
  EXPECT_EQ(chunked
                .ask("POST /size" + to + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                     std::string(1001, 'x') + "\r\n")
                .status,
            413);
  TestClient fits(server->urls().at(0));
  fits.send("POST /size" + to + "Content-Length: 1000\r\n\r\n");
  EXPECT_EQ(fits.ask(std::string(1000, 'x')).body, "1000");
}

TEST(GreedyClients, ShareTheRoomForAnswers) {
  const auto large = std::make_shared<const std::string>(8'000'000, 'l');
  Application application;
  application.answer_at_once = [large](const HttpCall& call) -> std::optional<HttpAnswer> {
    if (call.path == "/fast") return text_answer("fast");
    HttpAnswer answer;
    answer.body = large;
    return answer;
  };
  WebLimits limits;
  limits.answers = 10'000'000;
  const auto server = serve(std::move(application), limits);
  TestClient slow(server->urls().at(0));
  slow.send("GET /large HTTP/1.1\r\nHost: here\r\n\r\n");
  ASSERT_TRUE(comes_true([&] { return server->counts().answer_bytes == large->size(); }));
  TestClient other(server->urls().at(0));
  EXPECT_EQ(other.get("/large").status, 503);
  EXPECT_EQ(other.get("/fast").status, 200);
  slow.close();
  EXPECT_TRUE(comes_true([&] { return server->counts().answer_bytes == 0; }));
  EXPECT_EQ(other.get("/large").status, 200);
}

TEST(GreedyClients, AreToldInTheLog) {
  std::atomic<int> noted = 0;
  Application application = test_application();
  application.note_refusal = [&](const HttpCall& call, const HttpAnswer& answer) {
    if (answer.status == 400 && call.peer == "127.0.0.1") ++noted;
  };
  const auto server = serve(std::move(application));
  for (const char* request : {"GET /a HTTP/1.1\r\n\r\n", "nothing\r\n\r\n"}) {
    TestClient client(server->urls().at(0));
    EXPECT_EQ(client.ask(request).status, 400);
  }
  EXPECT_EQ(noted, 2);
}

}  // namespace
}  // namespace wattree
