// How a server answers: what the shell that starts it decides.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/server/routes/answer_cache.h"
#include "src/server/routes/route.h"

namespace wattree {

// What a bearer token allows; none where it is not known, has expired or was revoked. Asked for
// every call that carries one, on the thread that reads sockets: it must not wait for a disk. Keeps
// hashes only, and compares them in constant time.
using TokenBook = std::function<std::optional<TokenScope>(std::string_view token)>;

// A token bucket: `burst` calls at once, and then so many a second.
struct RateLimit {
  double per_second = 50;
  double burst = 200;
};

// What one call may cost: nodes of the trees that it has built, and bytes.
struct CallLimits {
  WorkLimits work;
  std::size_t answer = std::size_t{256} << 20;
  std::size_t body = std::size_t{64} << 20;     // Routes may take less.
  std::size_t bodies = std::size_t{256} << 20;  // Together with those of others, at a time.
};

struct ServerOptions {
  // Names that this server is called by, beside those of loopback and addresses: "example.org".
  std::vector<std::string> host_names;
  std::vector<std::string> allowed_origins;  // Of web pages elsewhere: "https://example.org".
  TokenBook tokens;                          // None: no token is right.
  std::string start_token;  // Of this server alone, for everything; empty: there is none.
  // Callers from elsewhere may read without a token.
  bool is_public = false;
  // Strangers may name models of the Hub: public ones, which are fetched anew each time.
  bool hub_for_strangers = false;
  std::vector<std::string> trusted_proxies;  // Addresses whose X-Forwarded-For is believed.
  RateLimit public_rate;                     // Of each caller without a token from elsewhere.
  CacheLimits cache;
  // Several times the largest bundled model, layer by layer; a sweep of thousands of sizes.
  CallLimits of_strangers{
      {20'000, 10'000'000}, std::size_t{16} << 20, std::size_t{4} << 20, std::size_t{16} << 20};
  CallLimits of_known{{200'000, 200'000'000}};  // With a token, or the server's own user.
  Routes more_routes;                           // Of other parts of the program.
  // One line of JSON for each call that was answered; none: nothing is logged.
  std::function<void(std::string_view line)> log;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

}  // namespace wattree
