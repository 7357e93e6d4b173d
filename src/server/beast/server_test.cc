// The transport as well-behaved clients meet it, over real sockets.
#include "src/server/beast/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "src/base/test_folder.h"
#include "src/server/beast/test_application.h"
#include "src/server/beast/test_client.h"

namespace wattree {
namespace {

TEST(WebServer, HandsTheCallOverWhole) {
  const auto server = serve(test_application(), {}, {{"127.0.0.1", 0, "main"}});
  TestClient client(server->urls().at(0));
  const TestAnswer answer = client.ask(
      "POST /a/./b%20c?model=org%2Fname&x=1+2&x= HTTP/1.1\r\nHost: here:80\r\n"
      "X-Thing: One\r\nx-thing: Two\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            "POST /a/b c\n? model=org/name\n? x=1 2\n? x=\nH host=here:80\nH x-thing=One\n"
            "H x-thing=Two\nH content-length=5\nbody hello\nfrom 127.0.0.1 here by [main]\n");
  EXPECT_EQ(answer.header("Content-Type"), "text/plain");
  EXPECT_EQ(answer.header("Server"), "");
  EXPECT_EQ(answer.header("Connection"), "");
  EXPECT_EQ(answer.header("Date").size(), 29U);
}

TEST(WebServer, KeepsAConnection) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(client.get("/fast").body, "fast");
    EXPECT_EQ(client.get("/cached").body, std::string(200'000, 'c'));
    EXPECT_EQ(client.get("/echo").status, 200);
  }
  EXPECT_EQ(server->counts().accepted, 1U);
  EXPECT_EQ(server->counts().requests, 60U);
}

TEST(WebServer, ClosesWhereTheClientWantsIt) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  const TestAnswer answer =
      client.ask("GET /fast HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answer.body, "fast");
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(client.is_ended());
}

TEST(WebServer, SpeaksTheOlderVersion) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  const TestAnswer kept = client.ask("GET /fast HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(kept.body, "fast");
  EXPECT_EQ(kept.header("Connection"), "keep-alive");
  const TestAnswer last = client.ask("GET /fast HTTP/1.0\r\n\r\n");
  EXPECT_EQ(last.body, "fast");
  EXPECT_EQ(last.header("Connection"), "close");
  EXPECT_TRUE(client.is_ended());
}

TEST(WebServer, AnswersPipelinedRequestsInOrder) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  std::string all;
  for (int i = 0; i < 300; ++i) {
    all += "GET /n" + std::to_string(i) + " HTTP/1.1\r\nHost: here\r\n\r\n";
    all += "POST /p HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\nabc";
  }
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 300; ++i) {
    EXPECT_TRUE(client.answer().body.starts_with("GET /n" + std::to_string(i) + "\n"));
    EXPECT_TRUE(client.answer().body.starts_with("POST /p\n"));
  }
  sender.join();
}

// An application whose answers hold for as long as a flag says so.
struct Repeating {
  std::atomic<int> asked = 0, repeated = 0;
  std::atomic<bool> holds = true;

  Application application() {
    Application out;
    out.answer_at_once = [this](const HttpCall& call) -> std::optional<HttpAnswer> {
      ++asked;
      HttpAnswer answer = text_answer(call.path + " for " + std::string(call.header("x-who")));
      answer.holds = [this] {
        if (holds) ++repeated;
        return holds.load();
      };
      return answer;
    };
    return out;
  }
};

TEST(WebServer, RepeatsAnAnswerToTheSameBytes) {
  Repeating asked;
  WebLimits limits;
  limits.socket_threads = 1;
  const auto server = serve(asked.application(), limits);
  TestClient client(server->urls().at(0)), other(server->urls().at(0));
  const std::string request = "GET /a HTTP/1.1\r\nHost: here\r\nX-Who: me\r\n\r\n";
  const TestAnswer first = client.ask(request);
  EXPECT_EQ(first.body, "/a for me");
  TestAnswer again = client.ask(request);
  EXPECT_EQ(again.body, first.body);
  for (const char* name : {"Content-Type", "Content-Length", "Connection"}) {
    EXPECT_EQ(again.header(name), first.header(name));
  }
  EXPECT_EQ(again.header("Date").size(), 29U);
  EXPECT_EQ(other.ask(request).body, first.body);
  EXPECT_EQ(asked.asked, 1);
  EXPECT_EQ(asked.repeated, 2);
  EXPECT_EQ(server->counts().requests, 3U);
  EXPECT_EQ(server->counts().repeated, 2U);
  EXPECT_EQ(client.ask("GET /a HTTP/1.1\r\nHost: here\r\nX-Who: you\r\n\r\n").body, "/a for you");
  EXPECT_EQ(asked.asked, 2);
  asked.holds = false;
  EXPECT_EQ(client.ask(request).body, first.body);
  EXPECT_EQ(asked.asked, 3);
}

TEST(WebServer, RepeatsPipelinedRequestsInOrder) {
  Repeating asked;
  const auto server = serve(asked.application());
  TestClient client(server->urls().at(0));
  std::string all;
  for (int i = 0; i < 300; ++i) {
    for (const char* path : {"/a", "/b"}) {
      all += "GET " + std::string(path) + " HTTP/1.1\r\nHost: here\r\nX-Who: me\r\n\r\n";
    }
  }
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(client.answer().body, "/a for me");
    EXPECT_EQ(client.answer().body, "/b for me");
  }
  sender.join();
  EXPECT_GT(asked.repeated, 500);
}

// The same first bytes, but another request: what follows them belongs to it.
TEST(WebServer, RepeatsNoRequestWithABody) {
  Repeating asked;
  const auto server = serve(asked.application());
  TestClient client(server->urls().at(0));
  const std::string chunked =
      "GET /a HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  const std::string sized = "GET /a HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\n\r\n\r\n";
  const std::string last = "GET /a HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    for (const std::string& request : {chunked, sized}) {
      EXPECT_EQ(client.ask(request).status, 200);
      EXPECT_EQ(client.ask("HEAD /a HTTP/1.1\r\nHost: here\r\n\r\n", true).status, 200);
    }
    TestClient once(server->urls().at(0));
    EXPECT_EQ(once.ask(last).header("Connection"), "close");
    EXPECT_TRUE(once.is_ended());
  }
  EXPECT_EQ(asked.asked, 15);
  EXPECT_EQ(server->counts().repeated, 0U);
  EXPECT_EQ(client.unread(), "");
}

TEST(WebServer, CountsWhatGoesInAndOut) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  const std::string request = "GET /cached HTTP/1.1\r\nHost: here\r\n\r\n";
  const TestAnswer answer = client.ask(request);
  EXPECT_EQ(server->counts().received_bytes, request.size());
  EXPECT_EQ(server->counts().sent_bytes, answer.head.size() + answer.body.size());
  client.send("GET /slow HTTP/1.1\r\nHost: here\r\n\r\n");
  while (server->counts().in_flight == 0) std::this_thread::yield();
  EXPECT_EQ(client.answer().status, 200);
  while (server->counts().in_flight > 0) std::this_thread::yield();
}

TEST(WebServer, AnswersHeadWithoutABody) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  const TestAnswer head = client.ask("HEAD /cached HTTP/1.1\r\nHost: here\r\n\r\n", true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "200000");
  EXPECT_EQ(client.get("/fast").body, "fast");  // No byte of a body came between.
}

TEST(WebServer, PassesOnWhatAsksForTheWholeServer) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  EXPECT_TRUE(client.ask("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").body.starts_with("OPTIONS *\n"));
  // As a proxy asks: the target's host counts.
  const TestAnswer proxied = client.ask("GET http://b:8/c HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(proxied.body.starts_with("GET /c\nH host=b:8\nbody")) << proxied.body;
}

TEST(WebServer, SendsNoBodyWhereThereIsNone) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  const TestAnswer answer = client.get("/nothing");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("Content-Length"), "");
  EXPECT_EQ(client.get("/fast").body, "fast");
}

TEST(WebServer, TellsToContinue) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  client.send(
      "POST /size HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(client.wait_for("HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_EQ(client.ask("12345").body, "5");
  // Who does not wait for it is not told.
  const TestAnswer whole = client.ask(
      "POST /size HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, "2");
}

TEST(WebServer, ReadsBodiesInChunks) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  const std::string head = "POST /x HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
  const TestAnswer answer =
      client.ask(head + "3\r\nabc\r\n2;why=not\r\nde\r\n0\r\nHost: evil\r\n\r\n");
  EXPECT_NE(answer.body.find("body abcde\n"), std::string::npos) << answer.body;
  EXPECT_EQ(answer.body.find("evil"), std::string::npos) << "a trailer became a header";
  // Byte by byte.
  for (const char c : head + "1\r\nq\r\n0\r\n\r\n") client.send({&c, 1});
  EXPECT_NE(client.answer().body.find("body q\n"), std::string::npos);
}

TEST(WebServer, ReadsLargeBodies) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  // NOLINTNEXTLINE(bugprone-string-constructor): as large as that.
  const std::string body(20'000'000, 'b');
  const TestAnswer answer =
      client.ask("POST /size HTTP/1.1\r\nHost: here\r\nContent-Length: 20000000\r\n\r\n" + body);
  EXPECT_EQ(answer.body, "20000000");
  EXPECT_EQ(client.get("/fast").body, "fast");
}

TEST(WebServer, AnswersAPeerThatHasEndedSending) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  client.send("GET /slow HTTP/1.1\r\nHost: here\r\n\r\n");
  client.end_sending();
  EXPECT_EQ(client.answer().status, 200);
}

TEST(WebServer, ListensInSeveralPlaces) {
  const TestFolder folder;
  const std::string path = "unix:" + (folder.path() / "socket").string();
  const auto server = serve(test_application(), {},
                            {{"127.0.0.1", 0, "four"}, {"::1", 0, "six"}, {path, 0, "file"}});
  const auto last_line = [&](std::size_t i) {
    const std::string body = TestClient(server->urls().at(i)).get("/x").body;
    return body.substr(body.find("from"));
  };
  EXPECT_EQ(last_line(0), "from 127.0.0.1 here by [four]\n");
  EXPECT_EQ(last_line(1), "from ::1 here by [six]\n");
  EXPECT_EQ(last_line(2), "from  here by [file]\n");
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(folder.path() / "socket").permissions(),
            perms::owner_read | perms::owner_write);
  server->stop();
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "socket"));
}

TEST(WebServer, SaysWhyItCannotListen) {
  const auto server = serve(test_application());
  const std::string url = server->urls().at(0);
  const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  const auto taken = WebServer::start({{"127.0.0.1", port}}, test_application());
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().field, "port");
  const auto named =
      WebServer::start({{"127.0.0.1", 0}, {"127.0.0.1", port, "second"}}, test_application());
  EXPECT_EQ(named.error().field, "second");  // Which of several it was.
  EXPECT_NE(taken.error().message.find(url), std::string::npos) << taken.error().message;
  const auto name = WebServer::start({{"localhost", 0}}, test_application());
  ASSERT_FALSE(name.ok());
  EXPECT_EQ(name.error().field, "address");
  const auto file = WebServer::start({{"unix:/proc/version", 0}}, test_application());
  ASSERT_FALSE(file.ok());
}

TEST(WebServer, TakesOverASocketThatAKilledServerLeft) {
  const TestFolder folder;
  const std::string path = (folder.path() / "socket").string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(left);
  const auto server = serve(test_application(), {}, {{"unix:" + path}});
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(TestClient(server->urls().at(0)).get("/fast").status, 200);
  const auto second = WebServer::start({{"unix:" + path}}, test_application());
  EXPECT_FALSE(second.ok()) << "a live server's socket was taken";
  EXPECT_EQ(TestClient(server->urls().at(0)).get("/fast").status, 200);
}

TEST(WebServer, FinishesAnswersWhenItStops) {
  auto server = serve(test_application());
  TestClient busy(server->urls().at(0));
  TestClient idle(server->urls().at(0));
  EXPECT_EQ(idle.get("/fast").status, 200);
  busy.send("GET /slow HTTP/1.1\r\nHost: here\r\n\r\n");
  while (server->counts().requests < 2) std::this_thread::yield();
  std::thread stopper([&] { server->stop(); });
  const TestAnswer answer = busy.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(idle.is_ended(2000));
  busy.close();
  stopper.join();
  EXPECT_FALSE(TestClient(server->urls().at(0)).is_connected());
}

TEST(WebServer, StopsInTimeWhateverClientsDo) {
  WebLimits limits;
  limits.stop_time = std::chrono::milliseconds(300);
  auto server = serve(test_application(), limits);
  TestClient half(server->urls().at(0));
  half.send("GET /fast HT");
  TestClient whole(server->urls().at(0));
  EXPECT_EQ(whole.get("/fast").status, 200);
  const auto began = std::chrono::steady_clock::now();
  server->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
}

}  // namespace
}  // namespace wattree
