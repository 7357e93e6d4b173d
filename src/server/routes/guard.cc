#include "src/server/routes/guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/server/http/target.h"
#include "src/server/routes/error_answer.h"

namespace wattree {
namespace {

HttpAnswer denied(int status, std::string message, std::string hint) {
  return error_answer(status, {ErrorCode::kPermission, std::move(message), std::move(hint)});
}

// An answer of a second counts as so many calls.
constexpr double kCallsPerSecond = 100;

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_address(const std::string& name) {
  in6_addr ignored{};
  return inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
}

bool is_loopback_address(const std::string& name) {
  in_addr v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, name.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool is_change(const HttpCall& call) {
  return call.method != "GET" && call.method != "HEAD" && call.method != "OPTIONS";
}

std::string_view bearer_token(const HttpCall& call) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view header = call.header("authorization");
  if (header.size() < kScheme.size() || lower(header.substr(0, kScheme.size())) != kScheme) {
    return {};
  }
  return trimmed(header.substr(kScheme.size()));
}

// Takes as long wherever they differ.
bool is_same_secret(std::string_view given, std::string_view secret) {
  if (secret.empty() || given.size() != secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  }
  return difference == 0;
}

}  // namespace

Caller Guard::caller_of(const HttpCall& call) const {
  Caller out{call.peer, false, false, call.is_encrypted};
  if (!has(options_.trusted_proxies, call.peer)) {
    out.is_local = call.is_from_here && !call.came_through_proxy();
    // Who looks local to a public server may be anybody: a proxy that says nothing stands there.
    out.is_own = out.is_local && call.is_own_user && !options_.is_public;
    return out;
  }
  out.is_encrypted = call.is_encrypted || call.all_headers("x-forwarded-proto") == "https";
  // The last address that no proxy of ours has: what stands before it may be made up.
  // A proxy may add a line of its own to the one that a client made up.
  const std::vector<std::string> hops = split(call.all_headers("x-forwarded-for"), ',');
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    out.address = std::string(trimmed(*hop));
    if (!has(options_.trusted_proxies, out.address)) break;
  }
  return out;
}

bool Guard::is_our_host(std::string_view host, const Caller& caller) const {
  const std::optional<std::string> known = host_name(host);
  if (!known) return false;
  const std::string& name = *known;
  if (has(options_.host_names, name)) return true;
  if (caller.is_local) return name == "localhost" || is_loopback_address(name);
  // A page's name can be made to lead here; an address cannot be made to be a page's.
  return name == "localhost" || is_address(name);
}

bool Guard::is_allowed_origin(std::string_view origin) const {
  return has(options_.allowed_origins, origin);
}

std::optional<HttpAnswer> Guard::refuse_source(const HttpCall& call, const Caller& caller) const {
  const std::string_view host = call.header("host");
  if (!is_our_host(host, caller)) {
    return denied(403, "this server does not answer for the host " + in_quotes(host),
                  "call it by its address, or start it with that name");
  }
  const std::string_view origin = call.header("origin");
  if (!origin.empty()) {
    const std::string own = (caller.is_encrypted ? "https://" : "http://") + std::string(host);
    if (lower(origin) == lower(own) || is_allowed_origin(origin)) return std::nullopt;
    return denied(403, "pages of " + in_quotes(origin) + " may not ask",
                  "the server must be started with that origin");
  }
  const std::string_view site = call.header("sec-fetch-site");
  if (site != "cross-site" && site != "same-site") return std::nullopt;
  // A link on another page may lead here.
  if (!is_change(call) && call.header("sec-fetch-mode") == "navigate") return std::nullopt;
  return denied(403, "pages of other sites may not ask", "open the server's own page");
}

std::optional<TokenScope> Guard::scope_of(const HttpCall& call) const {
  const std::string_view token = bearer_token(call);
  if (token.empty()) return std::nullopt;
  if (is_same_secret(token, options_.start_token)) return TokenScope::kAdmin;
  return options_.tokens ? options_.tokens(token) : std::nullopt;
}

std::optional<HttpAnswer> Guard::refuse_route(const HttpCall& call, const Caller& caller,
                                              const Route& route) const {
  if (route.anonymous == Anonymous::kAlways) return std::nullopt;
  const bool has_credentials = !call.header("authorization").empty();
  // Other users of this machine may read.
  const bool is_let_in = caller.is_own || (caller.is_local && route.scope == TokenScope::kRead);
  if (is_let_in && !has_credentials) return std::nullopt;
  const std::optional<TokenScope> scope = scope_of(call);
  if (scope && *scope >= route.scope) return std::nullopt;
  if (scope) {
    return denied(
        403,
        "the token does not allow this: it needs the scope " + std::string(name_of(route.scope)),
        "make one with `wattree token create`");
  }
  const bool is_open = options_.is_public && route.scope == TokenScope::kRead &&
                       route.anonymous == Anonymous::kIfPublic;
  if (is_open && !has_credentials) return std::nullopt;
  HttpAnswer out = denied(401, has_credentials ? "the token is not known" : "this needs a token",
                          "send Authorization: Bearer TOKEN; `wattree token create` makes one");
  out.headers.emplace_back("WWW-Authenticate",
                           has_credentials ? "Bearer realm=\"wattree\", error=\"invalid_token\""
                                           : "Bearer realm=\"wattree\"");
  return out;
}

std::optional<HttpAnswer> Guard::refuse_rate(const HttpCall& call, const Caller& caller) {
  if (is_known(call, caller)) return std::nullopt;
  const std::optional<int> wait = limiter_.take(counted_address(caller.address), options_.now());
  if (!wait) return std::nullopt;
  HttpAnswer out = error_answer(429, {ErrorCode::kUnavailable, "too many calls from one address",
                                      "ask again in " + std::to_string(*wait) + " s"});
  out.headers.emplace_back("Retry-After", std::to_string(*wait));
  return out;
}

void Guard::charge(const HttpCall& call, const Caller& caller, std::chrono::nanoseconds took) {
  if (is_known(call, caller)) return;
  const double seconds = std::chrono::duration<double>(took).count();
  limiter_.charge(counted_address(caller.address), seconds * kCallsPerSecond);
}

bool Guard::is_known(const HttpCall& call, const Caller& caller) const {
  return caller.is_own || scope_of(call).has_value();
}

void Guard::add_cors(const HttpCall& call, HttpAnswer& answer, bool is_preflight) const {
  if (options_.allowed_origins.empty()) return;
  answer.headers.emplace_back("Vary", "Origin");
  const std::string_view origin = call.header("origin");
  if (origin.empty() || !is_allowed_origin(origin)) return;
  answer.headers.emplace_back("Access-Control-Allow-Origin", std::string(origin));
  if (!is_preflight) {
    answer.headers.emplace_back("Access-Control-Expose-Headers", "ETag, Retry-After");
    return;
  }
  answer.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE");
  answer.headers.emplace_back("Access-Control-Allow-Headers",
                              "Authorization, Content-Type, If-None-Match, Last-Event-ID");
  answer.headers.emplace_back("Access-Control-Max-Age", "600");
}

}  // namespace wattree
