// Who may call: the Host and Origin of a call, its token, and how often it comes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "src/server/http/http.h"
#include "src/server/routes/rate_limiter.h"
#include "src/server/routes/server_options.h"

namespace wattree {

// Who called, as far as it can be believed.
struct Caller {
  std::string address;        // Behind a trusted proxy, the one that the proxy names.
  bool is_local = false;      // On this machine, and not through a proxy.
  bool is_own = false;        // And of the server's own user, so that no token is needed.
  bool is_encrypted = false;  // Its own connection, also to a proxy.
};

class Guard {
 public:
  explicit Guard(const ServerOptions& options) : options_(options), limiter_(options.public_rate) {}

  Caller caller_of(const HttpCall& call) const;

  // An answer that refuses the call, before its route is known: a foreign Host (DNS rebinding) or
  // the page of another origin.
  std::optional<HttpAnswer> refuse_source(const HttpCall& call, const Caller& caller) const;
  // Of a call to this route: a missing or wrong token, a scope that it lacks.
  std::optional<HttpAnswer> refuse_route(const HttpCall& call, const Caller& caller,
                                         const Route& route) const;
  // 429 with Retry-After where a caller without a token comes too often. Each call counts once.
  std::optional<HttpAnswer> refuse_rate(const HttpCall& call, const Caller& caller);

  // What the answer took counts, too: a caller whose answers take long may ask less often.
  void charge(const HttpCall& call, const Caller& caller, std::chrono::nanoseconds took);
  // Whether the caller may cost more than strangers may.
  bool is_known(const HttpCall& call, const Caller& caller) const;

  // Access-Control headers where the page of an allowed origin asks; `is_preflight`: of OPTIONS.
  void add_cors(const HttpCall& call, HttpAnswer& answer, bool is_preflight) const;

 private:
  bool is_our_host(std::string_view host, const Caller& caller) const;
  bool is_allowed_origin(std::string_view origin) const;
  std::optional<TokenScope> scope_of(const HttpCall& call) const;

  const ServerOptions& options_;
  RateLimiter limiter_;
};

}  // namespace wattree
