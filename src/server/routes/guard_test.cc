#include "src/server/routes/guard.h"

#include <gtest/gtest.h>

#include "tests/support/calls.h"

namespace wattree {
namespace {

using namespace std::chrono_literals;

HttpCall from_elsewhere(HttpCall call, const std::string& peer = "192.0.2.7") {
  call.peer = peer;
  call.is_from_here = false;
  return call;
}

HttpCall with(HttpCall call, const std::string& name, const std::string& value) {
  std::erase_if(call.headers, [&](const auto& field) { return field.first == name; });
  call.headers.emplace_back(name, value);
  return call;
}

ServerOptions with_tokens() {
  ServerOptions options;
  options.tokens = [](std::string_view token) -> std::optional<TokenScope> {
    if (token == "reader") return TokenScope::kRead;
    if (token == "sender") return TokenScope::kIngest;
    if (token == "owner") return TokenScope::kAdmin;
    return std::nullopt;
  };
  return options;
}

int status(const ServerOptions& options, const HttpCall& call) {
  return ask(make_application(options, test_services()), call).status;
}

const HttpCall kHealth = get("/healthz");
const HttpCall kModels = get("/api/v1/regions?words=georgia");

TEST(Guard, AnswersForNamesOfThisMachineOnly) {
  for (const char* host :
       {"127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "127.1.2.3"}) {
    EXPECT_EQ(status({}, with(kHealth, "host", host)), 200) << host;
  }
  // Names that can be made to lead here, and addresses that are not loopback's.
  for (const char* host : {"evil.example", "evil.example:8080", "localhost.evil.example", "",
                           "0.0.0.0", "127.0.0.1.evil.example", "192.0.2.1", "[::1]evil.example",
                           "localhost:evil.example", "[::1].evil.example", "[::1",
                           "127.0.0.1:8080:1", "localhost:80@evil.example", "[evil.example]"}) {
    EXPECT_EQ(status({}, with(kHealth, "host", host)), 403) << host;
  }
  ServerOptions named;
  named.host_names = {"watts.example"};
  EXPECT_EQ(status(named, with(kHealth, "host", "watts.example:443")), 200);
}

TEST(Guard, LetsOnlyItsOwnPagesAsk) {
  EXPECT_EQ(status({}, with(kHealth, "origin", "http://127.0.0.1:8080")), 200);
  for (const char* origin : {"https://127.0.0.1:8080", "http://127.0.0.1:9090",
                             "http://evil.example", "null", "http://127.0.0.1:8080.evil.example"}) {
    EXPECT_EQ(status({}, with(kHealth, "origin", origin)), 403) << origin;
  }
  EXPECT_EQ(status({}, with(kHealth, "sec-fetch-site", "same-origin")), 200);
  EXPECT_EQ(status({}, with(kHealth, "sec-fetch-site", "cross-site")), 403);
  // A link leads here; a form that posts does not.
  const HttpCall link =
      with(with(kHealth, "sec-fetch-site", "cross-site"), "sec-fetch-mode", "navigate");
  EXPECT_EQ(status({}, link), 200);
  HttpCall form = link;
  form.method = "POST";
  EXPECT_EQ(status({}, form), 403);
}

TEST(Guard, ServesConfiguredOriginsByCors) {
  ServerOptions options;
  options.allowed_origins = {"https://pages.example"};
  const Application application = make_application(options, test_services());
  const HttpAnswer allowed = ask(application, with(kModels, "origin", "https://pages.example"));
  EXPECT_EQ(allowed.status, 200);
  EXPECT_EQ(header(allowed, "Access-Control-Allow-Origin"), "https://pages.example");
  HttpCall preflight = with(kModels, "origin", "https://pages.example");
  preflight.method = "OPTIONS";
  EXPECT_EQ(ask(application, preflight).status, 204);
  EXPECT_NE(
      header(ask(application, preflight), "Access-Control-Allow-Headers").find("Authorization"),
      std::string::npos);
  const HttpAnswer other = ask(application, with(kModels, "origin", "https://other.example"));
  EXPECT_EQ(other.status, 403);
  EXPECT_EQ(header(other, "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(header(ask(application, kModels), "Access-Control-Allow-Origin"), "");
}

TEST(Guard, AsksOthersForAToken) {
  const ServerOptions options = with_tokens();
  const HttpCall call = from_elsewhere(kModels);
  EXPECT_EQ(status(options, call), 401);
  const HttpAnswer refused = ask(make_application(options, test_services()), call);
  EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer realm=\"wattree\"");
  EXPECT_EQ(status(options, with(call, "authorization", "Bearer reader")), 200);
  EXPECT_EQ(status(options, with(call, "authorization", "bearer owner")), 200);
  EXPECT_EQ(status(options, with(call, "authorization", "Bearer forged")), 401);
  EXPECT_EQ(status(options, with(call, "authorization", "Basic cmVhZGVyOg==")), 401);
  EXPECT_EQ(status(options, with(call, "authorization", "Bearer sender")), 200);
  EXPECT_EQ(status({}, with(call, "authorization", "Bearer reader")), 401) << "no book of tokens";
  EXPECT_EQ(status(options, from_elsewhere(kHealth)), 200) << "whether it lives is no secret";
}

TEST(Guard, LetsATokenDoWhatItsScopeAllows) {
  const HttpCall change = from_elsewhere(
      post("/api/v1/models", R"({"name": "mine", "config": {"model_type": "bert"}})"));
  EXPECT_EQ(status(with_tokens(), with(change, "authorization", "Bearer reader")), 403);
  // Allowed, but this server has no folder of models.
  EXPECT_EQ(status(with_tokens(), with(change, "authorization", "Bearer sender")), 503);
  EXPECT_EQ(status(with_tokens(), with(change, "authorization", "Bearer owner")), 503);
  ServerOptions open = with_tokens();
  open.is_public = true;
  EXPECT_EQ(status(open, change), 401) << "the public may only read";
}

TEST(Guard, RefusesAWrongTokenOnThisMachineToo) {
  EXPECT_EQ(status(with_tokens(), kModels), 200);
  EXPECT_EQ(status(with_tokens(), with(kModels, "authorization", "Bearer forged")), 401);
}

TEST(Guard, AsksOtherUsersOfThisMachineForAToken) {
  ServerOptions options = with_tokens();
  options.start_token = "started";
  const auto by_other = [](HttpCall call) {
    call.is_own_user = false;
    return call;
  };
  const HttpCall change =
      post("/api/v1/models", R"({"name": "mine", "config": {"model_type": "bert"}})");
  const HttpCall pause = call("POST", "/api/v1/runs/current/pause");
  const HttpCall token = post("/api/v1/tokens", R"({"name": "x", "scope": "admin"})");
  for (const HttpCall& call : {change, pause, token, get("/api/v1/tokens")}) {
    EXPECT_EQ(status(options, by_other(call)), 401) << call.path;
    EXPECT_NE(status(options, call), 401) << call.path;
    for (const char* known : {"Bearer owner", "Bearer started"}) {
      EXPECT_NE(status(options, with(by_other(call), "authorization", known)), 401) << call.path;
    }
    EXPECT_EQ(status({}, with(by_other(call), "authorization", "Bearer ")), 401)
        << "no start token";
  }
  EXPECT_EQ(status(options, by_other(kModels)), 200) << "reading is no change";
  EXPECT_EQ(status(options, by_other(get("/metrics"))), 200);
  // What came through a proxy came from whoever the proxy lets in.
  for (const char* name : {"x-forwarded-for", "forwarded", "x-real-ip", "via"}) {
    EXPECT_EQ(status(options, with(change, name, "1")), 401) << name;
    // A caller may send an empty line of its own before the proxy's.
    HttpCall hidden = with(change, name, "");
    hidden.headers.emplace_back(name, "203.0.113.9");
    EXPECT_EQ(status(options, hidden), 401) << name;
  }
  options.trusted_proxies = {"127.0.0.1"};
  EXPECT_EQ(status(options, change), 401);
  options.trusted_proxies.clear();
  options.is_public = true;  // Where a proxy that says nothing may stand before it.
  EXPECT_EQ(status(options, change), 401);
  EXPECT_EQ(status(options, kModels), 200);
  EXPECT_EQ(status(options, with(change, "authorization", "Bearer started")), 503);
}

TEST(Guard, LetsReadersIntoAPublicServer) {
  ServerOptions options = with_tokens();
  options.is_public = true;
  EXPECT_EQ(status(options, from_elsewhere(kModels)), 200);
  EXPECT_EQ(status(options, from_elsewhere(get("/metrics"))), 401);
  EXPECT_EQ(
      status(options, with(from_elsewhere(get("/metrics")), "authorization", "Bearer reader")),
      200);
}

TEST(Guard, ChecksAnswersOutOfTheCacheToo) {
  const Application application = make_application(with_tokens(), test_services());
  ASSERT_EQ(ask(application, kModels).status, 200);
  EXPECT_TRUE(application.answer_at_once(kModels).has_value());
  EXPECT_EQ(ask(application, from_elsewhere(kModels)).status, 401);
}

TEST(Guard, DoesNotTakeAProxyForThisMachine) {
  ServerOptions options = with_tokens();
  // A proxy here that nobody told of: its clients may be anyone.
  EXPECT_EQ(status(options, with(kModels, "x-forwarded-for", "127.0.0.1")), 401);
  options.trusted_proxies = {"127.0.0.1"};
  options.host_names = {"watts.example"};
  EXPECT_EQ(status(options, with(kModels, "host", "watts.example")), 401);

  const Guard guard(options);
  HttpCall call = with(kModels, "x-forwarded-for", "198.51.100.1, 203.0.113.9");
  EXPECT_EQ(guard.caller_of(call).address, "203.0.113.9") << "the first may be made up";
  call = with(call, "x-forwarded-for", "203.0.113.9, 127.0.0.1");
  EXPECT_EQ(guard.caller_of(call).address, "203.0.113.9");
  EXPECT_FALSE(guard.caller_of(call).is_local);
  call = with(call, "x-forwarded-for", "198.51.100.1");
  call.headers.emplace_back("x-forwarded-for", "203.0.113.9, 127.0.0.1");
  EXPECT_EQ(guard.caller_of(call).address, "203.0.113.9") << "lines are one list";
  EXPECT_EQ(guard.caller_of(from_elsewhere(call)).address, "192.0.2.7") << "not a proxy of ours";
}

TEST(Guard, SlowsDownThoseWhoAskTooOften) {
  auto now = std::chrono::steady_clock::time_point{};
  ServerOptions options;
  options.is_public = true;
  options.public_rate = {.per_second = 0.5, .burst = 2};
  options.now = [&] { return now; };
  const Application application = make_application(options, test_services());
  const HttpCall call = from_elsewhere(kModels);
  EXPECT_EQ(ask(application, call).status, 200);
  EXPECT_EQ(ask(application, call).status, 200);
  const HttpAnswer refused = ask(application, call);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(header(refused, "Retry-After"), "2");
  EXPECT_EQ(ask(application, from_elsewhere(kModels, "192.0.2.8")).status, 200) << "somebody else";
  now += 2s;
  EXPECT_EQ(ask(application, call).status, 200);
  EXPECT_EQ(ask(application, call).status, 429);
}

TEST(Guard, CountsCallersOfAProxyWhateverTheyMakeUp) {
  ServerOptions options;
  options.is_public = true;
  options.trusted_proxies = {"127.0.0.1"};
  options.public_rate = {.per_second = 0.001, .burst = 3};
  const auto now = std::chrono::steady_clock::now();
  options.now = [now] { return now; };
  const Application application = make_application(options, test_services());
  int answered = 0;
  for (int i = 0; i < 20; ++i) {
    HttpCall call = with(kModels, "x-forwarded-for", "198.51.100." + std::to_string(i));
    call.headers.emplace_back("x-forwarded-for", "203.0.113.9");
    if (ask(application, call).status == 200) ++answered;
  }
  EXPECT_EQ(answered, 3);
}

TEST(RateLimiter, CountsASubscriberOnce) {
  EXPECT_EQ(counted_address("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(counted_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(counted_address("2001:db8:1:2:ffff::1"), "2001:db8:1:2::");
  EXPECT_EQ(counted_address("::ffff:192.0.2.7"), "192.0.2.7");
}

TEST(RateLimiter, ForgetsCallersThatAreGone) {
  RateLimiter limiter({.per_second = 1, .burst = 1}, 3);
  const auto begin = RateLimiter::Time{};
  for (const char* caller : {"a", "b", "c"}) EXPECT_FALSE(limiter.take(caller, begin));
  EXPECT_TRUE(limiter.take("a", begin));
  EXPECT_FALSE(limiter.take("d", begin + 10s));
  EXPECT_FALSE(limiter.take("a", begin + 10s));
}

}  // namespace
}  // namespace wattree
