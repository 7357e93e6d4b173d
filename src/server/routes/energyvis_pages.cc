#include "src/server/routes/energyvis_pages.h"

#include "src/api/runs/run_status.h"
#include "src/server/http/target.h"
#include "src/server/routes/error_answer.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/security_headers.h"

namespace wattree {
namespace {

// A page of somebody else's whose name leads here (DNS rebinding) still has that name in "Host".
bool is_for_this_machine(const HttpCall& call) {
  const std::optional<std::string> name = host_name(call.header("host"));
  return name == "127.0.0.1" || name == "localhost" || name == "::1";
}

// Other web pages that are open in the user's browser must not pause a training.
bool is_from_other_page(const HttpCall& call, const std::string& allowed) {
  const std::string_view origin = call.header("origin");
  if (!origin.empty()) {
    return origin != allowed && origin != "http://" + std::string(call.header("host"));
  }
  const std::string_view site = call.header("sec-fetch-site");
  return site == "cross-site" || site == "same-site";
}

// A pause is a change, which no link and no image may make; EnergyVis's page asks by GET, and a
// browser then says whose page it is.
bool is_right_method(const HttpCall& call, const std::string& allowed) {
  if (call.path != "/pause") return call.method == "GET";
  return call.method == "POST" || (call.method == "GET" && call.header("origin") == allowed);
}

}  // namespace

Result<HttpAnswer> EnergyVisPages::page(const HttpCall& call) const {
  if (call.path == "/pause") {
    if (!call.is_own_user || call.came_through_proxy()) {
      return Error{ErrorCode::kPermission, "only the user of the run may pause it", ""};
    }
    const Status failure = options_.set_paused(!options_.is_paused());
    if (!failure.ok()) return failure.error();
    return json_answer(options_.is_paused() ? "{\"training_paused\":true}"
                                            : "{\"training_paused\":false}");
  }
  if (call.path != "/initial-setup" && call.path != "/energy-stats" && call.path != "/") {
    return Error{ErrorCode::kNotFound, "EnergyVis asks for nothing else", ""};
  }
  std::string text;
  const bool has_begun = run_->look([&](const TrackedRun& run, const PowerTrace&) {
    if (call.path == "/initial-setup") {
      text = energyvis_setup(run, options_.state, options_.is_paused());
    } else if (call.path == "/energy-stats") {
      text = energyvis_stats(run);
    } else {
      text = "wattree follows " + run.begun().name + "\n";
    }
  });
  if (!has_begun) return Error{ErrorCode::kUnavailable, "the run has not begun", ""};
  HttpAnswer out = json_answer(std::move(text));
  if (call.path == "/") out.type = "text/plain; charset=utf-8";
  return out;
}

HttpAnswer EnergyVisPages::answer(const HttpCall& call) const {
  HttpAnswer out;
  if (!is_for_this_machine(call)) {
    out = error_answer({ErrorCode::kPermission, "this server answers for this machine only", ""});
  } else if (is_from_other_page(call, options_.origin)) {
    out = error_answer({ErrorCode::kPermission, "only " + options_.origin + " may ask", ""});
  } else if (call.method == "OPTIONS") {
    out.status = 204;
    out.type.clear();
    out.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  } else if (!is_right_method(call, options_.origin)) {
    out = error_answer(
        405, {ErrorCode::kInvalidInput, call.path == "/pause" ? "use POST" : "use GET", ""});
  } else {
    Result<HttpAnswer> made = page(call);
    out = made.ok() ? std::move(made).value() : error_answer(made.error());
  }
  if (call.header("origin") == options_.origin) {
    out.headers.emplace_back("Access-Control-Allow-Origin", options_.origin);
  }
  out.headers.emplace_back("Vary", "Origin");
  add_security_headers(out);
  return out;
}

}  // namespace wattree
