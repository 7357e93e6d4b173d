// The transport as clients meet it that are slow, broken or worse: the right status, no crash, and
// others are served meanwhile.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "src/server/beast/test_application.h"
#include "src/server/beast/test_client.h"

namespace wattree {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::string kHost = "Host: here\r\n";

WebLimits hasty() {
  WebLimits out;
  out.idle = milliseconds(700);
  out.head_time = milliseconds(500);
  out.transfer_time = milliseconds(500);
  out.slowest_bytes_per_second = 1'000'000;
  return out;
}

// A status, with the contract's body, and the end of the connection.
void expect_refused(const WebServer& server, const std::string& request, int status,
                    const std::string& code = "invalid_input") {
  TestClient client(server.urls().at(0));
  client.send(request);
  const TestAnswer answer = client.answer();
  EXPECT_EQ(answer.status, status) << request.substr(0, 200);
  EXPECT_TRUE(answer.body.starts_with("{\"error\":{\"code\":\"" + code + "\",\"message\":\""))
      << answer.body;
  EXPECT_EQ(answer.header("Connection"), "close");
  client.end_sending();
  EXPECT_TRUE(client.is_ended());
}

void expect_serving(const WebServer& server) {
  TestClient client(server.urls().at(0));
  EXPECT_EQ(client.get("/fast").body, "fast");
  EXPECT_EQ(client.get("/echo").status, 200);
}

TEST(HostileClients, GetTheRightStatus) {
  const auto server = serve(test_application());
  const auto get = [](const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\n" + kHost + "\r\n";
  };
  expect_refused(*server, "rubbish\r\n\r\n", 400);
  expect_refused(*server, std::string("\0\1\2\3\r\n\r\n", 8), 400);
  expect_refused(*server, "\x16\x03\x01\x02\x01\x01\r\n", 400);  // TLS.
  expect_refused(*server, "GET /\r\n\r\n", 400);
  expect_refused(*server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
  expect_refused(*server, "GET / HTTP/1.9\r\n\r\n", 505);
  expect_refused(*server, "GET / HTTP/1.1\r\n\r\n", 400);  // No host.
  expect_refused(*server, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400);
  expect_refused(*server, "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400);
  expect_refused(*server, "GET / HTTP/1.1\nHost: a\n\n", 400);  // Bare line feeds.
  expect_refused(*server, std::string("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29), 400);
  expect_refused(*server, "GET / HTTP/1.1\r\n" + kHost + "Expect: wonders\r\n\r\n", 417);
  expect_refused(*server, "GET * HTTP/1.1\r\n" + kHost + "\r\n", 400);
  expect_refused(*server, "CONNECT a:80 HTTP/1.1\r\n" + kHost + "\r\n", 400);
  for (const char* target : {"/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/a%2Fb", "/%00",
                             "/%zz", "/%ff", "/\xff", "/x?a=%ff", "/x?a=%", "/a\\b"}) {
    expect_refused(*server, get(target), 400);
  }
  expect_serving(*server);
}

TEST(HostileClients, CannotSmuggleRequests) {
  const auto server = serve(test_application());
  const std::string post = "POST / HTTP/1.1\r\n" + kHost;
  expect_refused(*server, post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 400);
  expect_refused(*server, post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                 400);
  expect_refused(*server, post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400);
  expect_refused(*server, post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400);
  expect_refused(*server, post + "Content-Length: 5, 5\r\n\r\nhello", 400);
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  expect_refused(*server, post + chunked + chunked + "\r\n0\r\n\r\n", 400);
  expect_refused(*server, post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400);
  expect_refused(*server, post + "Transfer-Encoding: chunked\r\n\t\r\n\r\n0\r\n\r\n", 400);
  expect_refused(*server, post + "X-Any: a\r\n b\r\nContent-Length: 0\r\n\r\n", 400);
  expect_refused(*server, post + "Content-Length: +5\r\n\r\nhello", 400);
  expect_refused(*server, post + "Content-Length: -1\r\n\r\n", 400);
  expect_refused(*server, post + "Content-Length: 99999999999999999999999\r\n\r\n", 400);
  expect_refused(*server, post + "Transfer-Encoding: gzip\r\n\r\n", 501);
  expect_refused(*server, post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501);
  expect_refused(*server, post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400);
  expect_refused(*server, post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 400);
  expect_refused(*server, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  expect_serving(*server);
}

TEST(HostileClients, MayNotSendTooMuch) {
  WebLimits limits;
  limits.body = 1000;
  const auto server = serve(test_application(), limits);
  const std::string post = "POST /size HTTP/1.1\r\n" + kHost;
  expect_refused(*server, "GET /" + std::string(20'000, 'a'), 414);
  expect_refused(*server, "GET / HTTP/1.1\r\n" + kHost + "A: " + std::string(20'000, 'a'), 431);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "A: b\r\n";
  expect_refused(*server, "GET / HTTP/1.1\r\n" + kHost + many + "\r\n", 431);
  std::string query = "GET /?";
  for (int i = 0; i < 300; ++i) query += "a&";
  expect_refused(*server, query + " HTTP/1.1\r\n" + kHost + "\r\n", 400);
  // By what it says, before a byte of it comes; also where it waits to be told to continue.
  expect_refused(*server, post + "Content-Length: 1001\r\n\r\n", 413);
  expect_refused(*server, post + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n", 413);
  const std::string chunks = post + "Transfer-Encoding: chunked\r\n\r\n";
  expect_refused(*server, chunks + "3e9\r\n", 413);
  expect_refused(*server, chunks + "1f4\r\n" + std::string(500, 'a') + "\r\n1f5\r\n", 413);
  expect_refused(*server, chunks + "ffffffffffffffff1\r\n", 400);
  expect_refused(*server, chunks + "1;" + std::string(20'000, 'a'), 431);
  expect_refused(*server, chunks + "0\r\nA: " + std::string(20'000, 'a'), 431);
  expect_serving(*server);
}

TEST(HostileClients, ShareTheRoomForBodies) {
  WebLimits limits;
  limits.bodies = 100'000;
  const auto server = serve(test_application(), limits);
  const std::string head = "POST /size HTTP/1.1\r\n" + kHost + "Content-Length: 90000\r\n\r\n";
  TestClient first(server->urls().at(0));
  first.send(head + std::string(80'000, 'a'));
  while (server->counts().body_bytes < 80'000) std::this_thread::yield();
  TestClient second(server->urls().at(0));
  second.send(head + std::string(80'000, 'a'));
  // One of them is too many; the other one is answered.
  const TestAnswer refused = second.answer(false, 2000);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(first.ask(std::string(10'000, 'a')).body, "90000");
  // The room is free again.
  TestClient third(server->urls().at(0));
  EXPECT_EQ(third.ask(head + std::string(90'000, 'a')).body, "90000");
}

TEST(HostileClients, AreCutWhereTheyAreSlow) {
  const auto server = serve(test_application(), hasty());
  const auto began = steady_clock::now();
  TestClient silent(server->urls().at(0));
  TestClient slow_head(server->urls().at(0));
  slow_head.send("GET / HT");
  TestClient slow_body(server->urls().at(0));
  slow_body.send("POST / HTTP/1.1\r\n" + kHost + "Content-Length: 100\r\n\r\nabc");
  // Drops of a head or a body do not make for more time.
  TestClient dripping(server->urls().at(0));
  std::atomic<bool> is_over = false;
  std::thread dripper([&] {
    dripping.send("GET / HTTP/1.1\r\n");
    while (!is_over && dripping.send("A: b\r\n")) std::this_thread::sleep_for(milliseconds(50));
  });
  expect_serving(*server);
  for (TestClient* client : {&slow_head, &slow_body, &dripping}) {
    const TestAnswer answer = client->answer();
    EXPECT_EQ(answer.status, 408);
    EXPECT_TRUE(answer.body.starts_with("{\"error\":{\"code\":\"unavailable\"")) << answer.body;
  }
  is_over = true;
  dripper.join();
  EXPECT_TRUE(silent.is_ended());
  EXPECT_TRUE(silent.unread().empty());
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_EQ(server->counts().timed_out, 3U);
}

TEST(HostileClients, AreCutWhereTheyDoNotRead) {
  Application application;
  const auto large = std::make_shared<const std::string>(30'000'000, 'l');
  application.answer_at_once = [large](const HttpCall&) {
    HttpAnswer answer;
    answer.body = large;
    return answer;
  };
  WebLimits limits = hasty();
  limits.slowest_bytes_per_second = 100'000'000;
  const auto server = serve(application, limits);
  TestClient client(server->urls().at(0));
  client.send("GET / HTTP/1.1\r\n" + kHost + "\r\n");
  while (server->counts().timed_out == 0) std::this_thread::yield();
  while (server->counts().connections > 0) std::this_thread::yield();
}

TEST(HostileClients, MayGoAtAnyMoment) {
  const auto server = serve(test_application());
  const std::string whole =
      "POST /size HTTP/1.1\r\n" + kHost + "Content-Length: 4\r\n\r\nabcdGET /cached HTTP/1.1\r\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    TestClient client(server->urls().at(0));
    client.send(whole.substr(0, size));
    if (size % 2 == 0) client.break_off();
  }
  for (int i = 0; i < 20; ++i) {
    TestClient client(server->urls().at(0));
    client.send("GET /cached HTTP/1.1\r\n" + kHost + "\r\n");
    client.break_off();
  }
  expect_serving(*server);
}

TEST(HostileClients, CannotMakeTheApplicationInject) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  for (const char* query : {"X-A=b%0d%0aSet-Cookie:%20c", "X-A=b%0a", "Content-Length=1",
                            "Transfer-Encoding=chunked", "X%20A=b"}) {
    const TestAnswer answer = client.get("/inject?" + std::string(query));
    EXPECT_EQ(answer.status, 500) << query;
    EXPECT_EQ(answer.head.find("Set-Cookie"), std::string::npos) << query;
  }
  EXPECT_EQ(client.get("/inject?X-A=b").header("X-A"), "b");
  EXPECT_EQ(client.get("/throw").status, 500);
  EXPECT_EQ(client.get("/fast").status, 200);
}

TEST(HostileClients, MayUseMethodsThatNobodyKnows) {
  const auto server = serve(test_application());
  TestClient client(server->urls().at(0));
  EXPECT_TRUE(client.ask("BREW /pot HTTP/1.1\r\n" + kHost + "\r\n").body.starts_with("BREW /pot"));
  EXPECT_TRUE(client.ask("get /pot HTTP/1.1\r\n" + kHost + "\r\n").body.starts_with("get /pot"));
}

TEST(HostileClients, WaitInALineThatEnds) {
  WebLimits limits;
  limits.answer_threads = 1;
  limits.waiting_answers = 2;
  const auto server = serve(test_application(), limits);
  std::vector<TestClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(server->urls().at(0));
    clients.back().send("GET /slow HTTP/1.1\r\n" + kHost + "\r\n");
  }
  EXPECT_EQ(TestClient(server->urls().at(0)).get("/fast").body, "fast");  // It needs no thread.
  int answered = 0, refused = 0;
  for (TestClient& client : clients) {
    const TestAnswer answer = client.answer();
    answered += answer.status == 200 ? 1 : 0;
    refused += answer.status == 503 && answer.header("Retry-After") == "1" ? 1 : 0;
  }
  EXPECT_GE(answered, 2);
  EXPECT_LE(answered, 3);
  EXPECT_EQ(answered + refused, 8);
  EXPECT_EQ(server->counts().no_thread, static_cast<std::uint64_t>(refused));
  EXPECT_EQ(server->counts().waiting, 0U);
}

TEST(HostileClients, GetAnErrorWhereTheAnswerTakesTooLong) {
  WebLimits limits;
  limits.answer_time = milliseconds(100);
  const auto server = serve(test_application(), limits);
  TestClient client(server->urls().at(0));
  EXPECT_EQ(client.get("/slow").status, 503);
  EXPECT_EQ(server->counts().late, 1U);
  EXPECT_EQ(client.get("/fast").status, 200);
}

TEST(HostileClients, AreCountedByConnection) {
  WebLimits limits;
  limits.connections = 3;
  limits.requests_per_connection = 2;
  const auto server = serve(test_application(), limits);
  std::vector<TestClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server->urls().at(0));
    EXPECT_EQ(clients.back().get("/fast").status, 200);
  }
  TestClient fourth(server->urls().at(0));
  const TestAnswer refused = fourth.answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(server->counts().refused_all, 1U);
  EXPECT_EQ(clients[0].get("/fast").header("Connection"), "close");  // Its second, and last.
  EXPECT_TRUE(clients[0].is_ended());
  clients[0].close();
  while (server->counts().connections > 2) std::this_thread::yield();
  expect_serving(*server);
}

// Of a process of its own: the descriptors of both ends might be too many for one.
class IdleClients {
 public:
  explicit IdleClients(std::size_t wanted) {
    if (::pipe(to_.data()) != 0 || ::pipe(from_.data()) != 0) return;
    process_ = ::fork();
    if (process_ == 0) run(wanted);
    ::close(to_[0]);
    ::close(from_[1]);
  }
  IdleClients(const IdleClients&) = delete;
  IdleClients& operator=(const IdleClients&) = delete;
  ~IdleClients() {
    ::close(to_[1]);  // Tells it to end.
    ::close(from_[0]);
    ::waitpid(process_, nullptr, 0);
  }

  // Returns when all are connected; false where some are not.
  bool connect(const std::string& url) const {
    char is_done = 'n';
    return ::write(to_[1], url.c_str(), url.size() + 1) > 0 && ::read(from_[0], &is_done, 1) == 1 &&
           is_done == 'y';
  }

 private:
  [[noreturn]] void run(std::size_t wanted) const {
    ::close(to_[1]);
    char url[100] = {};
    bool is_fine = ::read(to_[0], url, sizeof url - 1) > 0;
    std::vector<TestClient> idle;
    idle.reserve(wanted);
    for (std::size_t i = 0; is_fine && i < wanted; ++i) {
      idle.emplace_back(url);
      is_fine = idle.back().is_connected();
      // Half of them in mid-sentence.
      if (is_fine && i % 2 == 0) idle.back().send("GET /fast HTTP/1.1\r\n");
    }
    if (is_fine) is_fine = idle.front().ask(kHost + "\r\n").body == "fast";
    if (is_fine) is_fine = idle.back().get("/fast").body == "fast";
    const char answer = is_fine ? 'y' : 'n';
    const bool is_told = ::write(from_[1], &answer, 1) == 1;
    while (::read(to_[0], url, sizeof url) > 0) {
    }
    ::_exit(is_told ? 0 : 1);
  }

  std::array<int, 2> to_{-1, -1}, from_{-1, -1};
  pid_t process_ = -1;
};

// WATTREE_SOAK=1 (make soak) opens ten thousand.
TEST(HostileClients, MayIdleInGreatNumbers) {
  const std::size_t wanted = std::getenv("WATTREE_SOAK") != nullptr ? 10'000 : 1'000;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < wanted + 100) {
    GTEST_SKIP() << "a process may open only " << files.rlim_cur << " files here";
  }
  const IdleClients idle(wanted);  // Before the server's threads: those do not follow a fork.
  const auto server = serve(test_application());
  ASSERT_TRUE(idle.connect(server->urls().at(0)));
  EXPECT_GE(server->counts().connections, wanted);
  const auto began = steady_clock::now();
  expect_serving(*server);
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(2));
}

}  // namespace
}  // namespace wattree
