#include "src/server/routes/application.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "src/api/model/predictor_memory.h"
#include "src/base/thread.h"
#include "src/server/routes/answer_key.h"
#include "src/server/routes/caller_services.h"
#include "src/server/routes/compress.h"
#include "src/server/routes/data_watch.h"
#include "src/server/routes/error_answer.h"
#include "src/server/routes/guard.h"
#include "src/server/routes/metrics.h"
#include "src/server/routes/openapi.h"
#include "src/server/routes/request_log.h"
#include "src/server/routes/router.h"
#include "src/server/routes/security_headers.h"
#include "src/server/routes/tables.h"
#include "src/server/routes/web_files.h"

namespace wattree {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

// Branches on the Hub move: an answer about one is asked for anew after this time.
constexpr std::chrono::minutes kHubAnswersLast(5);
constexpr std::size_t kSmallestGzip = 860;  // Less fits into a packet as it is.

// A body that is kept must not hold the room that it grew in.
void keep_exactly(std::shared_ptr<const std::string>& body) {
  if (body && body->capacity() > body->size() + body->size() / 8) {
    body = std::make_shared<const std::string>(*body);
  }
}

bool is_read(const HttpCall& call) { return call.method == "GET" || call.method == "HEAD"; }

// Where files lie that answers are made from.
std::vector<std::filesystem::path> folders_of(const Services& services) {
  std::vector<std::filesystem::path> out{services.predictors};
  if (services.models) out.push_back(services.models->folder());
  return out;
}

class Server {
 public:
  Server(ServerOptions options, const Services& services)
      : options_(std::move(options)),
        services_(for_callers(services)),
        for_strangers_(for_strangers(services_, options_)),
        hidden_(services_),
        router_(make_routes()),
        guard_(options_),
        cache_(options_.cache),
        metrics_(router_.routes()),
        watch_(folders_of(services_)) {}

  std::optional<HttpAnswer> answer_at_once(const HttpCall& call);
  HttpAnswer answer(const HttpCall& call);
  BodyTerms body_terms(const HttpCall& call);
  void note_refusal(const HttpCall& call, const HttpAnswer& answer);
  const std::shared_ptr<WebCounters>& counters() const { return counters_; }

 private:
  Routes make_routes();
  std::shared_ptr<const CachedAnswer> find_cached(const HttpCall& call, const Caller& caller);
  bool holds(const HttpCall& call, const Caller& caller, const CachedAnswer& cached,
             std::uint64_t generation);
  HttpAnswer without_route(const HttpCall& call, const RouteMatch& match) const;
  HttpAnswer computed(const HttpCall& call, const Caller& caller, const RouteMatch& match);
  Result<HttpAnswer> handled(const HttpCall& call, const Route& route, const Json& fields,
                             bool is_known) const;
  const CallLimits& limits_of(bool is_known) const {
    return is_known ? options_.of_known : options_.of_strangers;
  }
  void forget_answers();
  HttpAnswer failed(const Route& route, const Error& error) const;
  void render(const HttpCall& call, const Route& route, HttpAnswer& answer, std::string& tag) const;
  HttpAnswer sent(const HttpCall& call, const CachedAnswer& cached) const;
  HttpAnswer finished(const HttpCall& call, const Caller& caller, std::size_t operation,
                      HttpAnswer answer, Clock::time_point begin);
  void count(const HttpCall& call, const Caller& caller, std::size_t operation,
             const HttpAnswer& answer, Clock::time_point begin);

  const ServerOptions options_;
  const Services services_;
  const Services for_strangers_;
  const PathsHidden hidden_;
  const Router router_;
  Guard guard_;
  AnswerCache cache_;
  const std::shared_ptr<WebCounters> counters_ = std::make_shared<WebCounters>();
  Metrics metrics_;
  DataWatch watch_;
};

Routes Server::make_routes() {
  Routes out = all_routes({[this] { return metrics_.text(cache_.counts(), *counters_); },
                           [this] { return openapi_json(router_.routes()); }});
  append(out, options_.more_routes);
  return out;
}

// Once what they are made from has changed.
void Server::forget_answers() {
  services_.known_predictors->clear();
  cache_.clear();
}

// An error of the route's, as its callers may see it.
HttpAnswer Server::failed(const Route& route, const Error& error) const {
  Error shown = error;
  shown.hint = with_paths_for_commands(std::move(shown.hint));
  return error_answer(hidden_.in(with_fields_named(std::move(shown), field_names_of(route))));
}

HttpAnswer Server::without_route(const HttpCall& call, const RouteMatch& match) const {
  if (call.method == "OPTIONS" && (!match.allowed.empty() || call.path == "*")) {
    HttpAnswer out;
    out.status = 204;
    out.type.clear();
    out.headers.emplace_back("Allow", allow_header(match.allowed));
    guard_.add_cors(call, out, true);
    return out;
  }
  if (!match.allowed.empty()) {
    const std::string allowed = allow_header(match.allowed);
    HttpAnswer out = error_answer(
        405,
        {ErrorCode::kInvalidInput, "this path does not take the method", "it takes " + allowed});
    out.headers.emplace_back("Allow", allowed);
    return out;
  }
  if (is_read(call)) {
    if (const WebFile* file = find_web_file(web_files(), call.path)) return web_answer(*file, call);
    if (call.path == "/") {
      HttpAnswer out;
      out.type = "text/html; charset=utf-8";
      out.body = std::make_shared<const std::string>(plain_home_page());
      return out;
    }
  }
  const std::string near = router_.nearest_path(call.path);
  return error_answer(
      {ErrorCode::kNotFound, "there is nothing at this path",
       near.empty() ? "/api/v1/docs lists what there is" : "did you mean " + near + "?"});
}

// Its encoding, its tag and what caches may do with it.
void Server::render(const HttpCall& call, const Route& route, HttpAnswer& answer,
                    std::string& tag) const {
  if (!answer.body) return;
  const bool can_gzip = answer.body->size() >= kSmallestGzip;
  const bool is_gzip = can_gzip && accepts_gzip(call.header("accept-encoding"));
  tag = entity_tag(*answer.body, is_gzip ? "-gzip" : "");
  if (is_gzip) {
    answer.body = std::make_shared<const std::string>(gzip(*answer.body));
    answer.headers.emplace_back("Content-Encoding", "gzip");
  }
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  const bool is_for_all = route.anonymous != Anonymous::kNever;
  answer.headers.emplace_back("Cache-Control", !is_for_all          ? "no-store"
                                               : route.is_cacheable ? "no-cache"
                                                                    : "private, no-cache");
  if (is_read(call)) answer.headers.emplace_back("ETag", tag);
}

HttpAnswer Server::sent(const HttpCall& call, const CachedAnswer& cached) const {
  HttpAnswer out = cached.answer;
  const std::string_view known = call.header("if-none-match");
  if (known.empty() || !is_read(call) || !matches_tag(known, cached.tag)) return out;
  out.status = 304;
  out.body = nullptr;
  std::erase_if(out.headers, [](const auto& field) { return field.first == "Content-Encoding"; });
  return out;
}

// What the use case answers, within the limits.
Result<HttpAnswer> Server::handled(const HttpCall& call, const Route& route, const Json& fields,
                                   bool is_known) const {
  const CallLimits& limits = limits_of(is_known);
  Services services = is_known ? services_ : for_strangers_;
  services.budget = std::make_shared<WorkBudget>(limits.work, call.cancellation);
  Result<HttpAnswer> out = route.handle({fields, call, services});
  // Some use cases leave out what they cannot build; without the time for it that is no answer.
  if (const Status over = services.budget->status(); !over.ok()) return over.error();
  if (out.ok() && out.value().body && out.value().body->size() > limits.answer) {
    return Error{ErrorCode::kInvalidInput,
                 "the answer would have more than " + std::to_string(limits.answer >> 20) + " MiB",
                 "ask for less of it: folded layers, fewer levels, or a page at a time"};
  }
  return out;
}

HttpAnswer Server::computed(const HttpCall& call, const Caller& caller, const RouteMatch& match) {
  const Route& route = *match.route;
  const bool is_known = guard_.is_known(call, caller);
  auto read = request_fields(route, match.path, call, limits_of(is_known).body);
  if (const auto* problem = std::get_if<FieldsError>(&read)) {
    return error_answer(problem->status, problem->error);
  }
  const Json& fields = std::get<Json>(read);
  const CachedForm form = form_of(call, is_known);
  const std::string key =
      route.is_cacheable ? canonical_key(match.index, fields, form) : std::string();
  const std::uint64_t generation = cache_.generation();
  if (route.is_cacheable) {
    if (const auto cached = cache_.find(key)) {
      if (is_read(call)) cache_.add_key(key, raw_key(call, form));
      return sent(call, *cached);
    }
    cache_.count_miss();
  }
  Result<HttpAnswer> made = handled(call, route, fields, is_known);
  if (route.changes_answers) forget_answers();
  if (!made.ok()) return failed(route, made.error());
  auto answer = std::make_shared<CachedAnswer>();
  answer->answer = std::move(made).value();
  answer->operation = match.index;
  if (answer->answer.events) {
    // A token may be revoked, or expire, while somebody reads.
    answer->answer.may_go_on = [this, call, caller, &route] {
      return !guard_.refuse_route(call, caller, route);
    };
  }
  if (answer->answer.events || answer->answer.status != 200) return answer->answer;
  render(call, route, answer->answer, answer->tag);
  if (route.is_cacheable) {
    add_security_headers(answer->answer);
    const std::string model = fields.value("model", Json()).is_string()
                                  ? fields.at("model").get<std::string>()
                                  : std::string();
    const bool is_hubs = model.find('/') != std::string::npos || fields.contains("models");
    if (is_hubs) answer->until = options_.now() + kHubAnswersLast;
    keep_exactly(answer->answer.body);
    cache_.put(key, answer, generation);
    if (is_read(call)) cache_.add_key(key, raw_key(call, form));
  }
  return sent(call, *answer);
}

std::shared_ptr<const CachedAnswer> Server::find_cached(const HttpCall& call,
                                                        const Caller& caller) {
  if (!is_read(call) || !call.body.empty()) return nullptr;
  return cache_.find(raw_key(call, form_of(call, guard_.is_known(call, caller))));
}

// Whether a call that had this answer before, and still has the same Host and Origin, has it again.
// If so, it is answered.
bool Server::holds(const HttpCall& call, const Caller& caller, const CachedAnswer& cached,
                   std::uint64_t generation) {
  const Clock::time_point begin = options_.now();
  if (watch_.has_changed(begin)) forget_answers();
  if (generation != cache_.generation() || (cached.until && begin >= *cached.until)) return false;
  const Route& route = router_.routes()[cached.operation];
  if (guard_.refuse_route(call, caller, route) || guard_.refuse_rate(call, caller)) return false;
  cache_.count_hit();
  count(call, caller, cached.operation, cached.answer, begin);
  return true;
}

std::optional<HttpAnswer> Server::answer_at_once(const HttpCall& call) {
  const Clock::time_point begin = options_.now();
  const Caller caller = guard_.caller_of(call);
  std::size_t operation = metrics_.no_route();
  const RouteMatch match = router_.find(call.method, call.path);
  const bool is_instant = match.route != nullptr && match.route->is_instant;
  auto out = guard_.refuse_source(call, caller);
  if (!out && !is_instant) out = guard_.refuse_rate(call, caller);
  if (watch_.has_changed(begin)) forget_answers();
  const std::uint64_t generation = cache_.generation();
  const auto cached = out ? nullptr : find_cached(call, caller);
  if (cached) {
    operation = cached->operation;
    out = guard_.refuse_route(call, caller, router_.routes()[operation]);
    if (!out) out = sent(call, *cached);
  }
  if (!out) {
    if (match.route == nullptr) {
      out = without_route(call, match);
    } else {
      operation = match.index;
      out = guard_.refuse_route(call, caller, *match.route);
      if (!out && is_instant) out = computed(call, caller, match);
    }
  }
  if (!out) return std::nullopt;
  HttpAnswer answer = finished(call, caller, operation, *std::move(out), begin);
  if (cached && answer.status == 200) {
    answer.holds = [this, call, caller, cached, generation] {
      return holds(call, caller, *cached, generation);
    };
  }
  return answer;
}

HttpAnswer Server::answer(const HttpCall& call) {
  const Clock::time_point begin = options_.now();
  const Caller caller = guard_.caller_of(call);
  std::size_t operation = metrics_.no_route();
  auto out = guard_.refuse_source(call, caller);
  if (!out) {
    const RouteMatch match = router_.find(call.method, call.path);
    if (match.route == nullptr) {
      out = without_route(call, match);
    } else {
      operation = match.index;
      out = guard_.refuse_route(call, caller, *match.route);
      if (!out) out = computed(call, caller, match);
    }
  }
  guard_.charge(call, caller, options_.now() - begin);
  return finished(call, caller, operation, *std::move(out), begin);
}

// Whoever may not call a route does not send it a body, and holds no room for one.
BodyTerms Server::body_terms(const HttpCall& call) {
  const Clock::time_point begin = options_.now();
  const Caller caller = guard_.caller_of(call);
  const RouteMatch match = router_.find(call.method == "HEAD" ? "GET" : call.method, call.path);
  const CallLimits& limits = limits_of(guard_.is_known(call, caller));
  BodyTerms out{guard_.refuse_source(call, caller), limits.body, limits.bodies};
  if (!out.refusal && match.route == nullptr) out.refusal = without_route(call, match);
  if (!out.refusal) out.refusal = guard_.refuse_route(call, caller, *match.route);
  if (match.route != nullptr) out.most_bytes = std::min(limits.body, match.route->body_limit);
  if (!out.refusal) return out;
  // Calls that are let in are counted when they are answered.
  if (std::optional<HttpAnswer> busy = guard_.refuse_rate(call, caller)) out.refusal = busy;
  const std::size_t operation = match.route != nullptr ? match.index : metrics_.no_route();
  out.refusal = finished(call, caller, operation, *std::move(out.refusal), begin);
  return out;
}

void Server::note_refusal(const HttpCall& call, const HttpAnswer& answer) {
  count(call, guard_.caller_of(call), metrics_.no_route(), answer, options_.now());
}

HttpAnswer Server::finished(const HttpCall& call, const Caller& caller, std::size_t operation,
                            HttpAnswer answer, Clock::time_point begin) {
  const auto has = [&](std::string_view name) {
    for (const auto& field : answer.headers) {
      if (field.first == name) return true;
    }
    return false;
  };
  if (!has("Content-Security-Policy")) add_security_headers(answer);
  if (call.is_encrypted) {
    answer.headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
  }
  if (!has("Cache-Control")) answer.headers.emplace_back("Cache-Control", "no-store");
  if (call.method != "OPTIONS") guard_.add_cors(call, answer, false);
  count(call, caller, operation, answer, begin);
  return answer;
}

void Server::count(const HttpCall& call, const Caller& caller, std::size_t operation,
                   const HttpAnswer& answer, Clock::time_point begin) {
  const auto took = options_.now() - begin;
  metrics_.count(operation, answer.status, took);
  if (!options_.log) return;
  const Routes& routes = router_.routes();
  const std::string_view name =
      operation < routes.size() ? std::string_view(routes[operation].operation) : "none";
  const std::int64_t now = services_.seconds_since_1970 ? services_.seconds_since_1970() : 0;
  options_.log(log_line(call, answer, name, caller.address, now, took));
}

HttpAnswer broken() {
  return error_answer({ErrorCode::kInternal, "the server failed on this call",
                       "tell its maintainers what you asked"});
}

}  // namespace

Application make_application(ServerOptions options, const Services& services) {
  const auto server = std::make_shared<Server>(std::move(options), services);
  Application out;
  out.counters = server->counters();
  out.answer_at_once = [server](const HttpCall& call) -> std::optional<HttpAnswer> {
    try {
      return server->answer_at_once(call);
    } catch (const std::exception&) {
      return broken();
    }
  };
  out.answer = [server](const HttpCall& call) -> HttpAnswer {
    try {
      return server->answer(call);
    } catch (const std::exception&) {
      return broken();
    }
  };
  out.note_refusal = [server](const HttpCall& call, const HttpAnswer& answer) {
    attempt([&] { server->note_refusal(call, answer); });
  };
  out.body_terms = [server](const HttpCall& call) -> BodyTerms {
    try {
      return server->body_terms(call);
    } catch (const std::exception&) {
      return {broken()};
    }
  };
  return out;
}

std::string openapi_document(int indent) {
  const auto nothing = [] { return std::string(); };
  return openapi_json(all_routes({nothing, nothing}), indent);
}

}  // namespace wattree
