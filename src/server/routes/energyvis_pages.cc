#include "src/server/routes/energyvis_pages.h"

#include "src/api/runs/run_status.h"
#include "src/server/routes/error_answer.h"
#include "src/server/routes/handler.h"

namespace wattree {
namespace {

// A page of somebody else's whose name leads here (DNS rebinding) still has that name in "Host".
bool is_for_this_machine(const HttpCall& call) {
  const std::string_view host = call.header("host");
  const std::string_view name =
      host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
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

Error not_begun() { return {ErrorCode::kUnavailable, "the run has not begun", ""}; }

}  // namespace

Result<HttpAnswer> EnergyVisPages::page(const HttpCall& call) const {
  const Result<std::shared_ptr<LiveRun>> run = live_.find(run_);
  if (!run.ok()) return not_begun();
  std::string text;
  const auto show = [&](const TrackedRun& tracked, const PowerTrace&) {
    if (call.path == "/initial-setup") {
      text = energyvis_setup(tracked, state_, tracked.pause() != PauseState::kNone);
    } else if (call.path == "/energy-stats") {
      text = energyvis_stats(tracked);
    } else if (call.path == "/") {
      text = "wattree follows " + tracked.begun().name + "\n";
    } else {
      text = tracked.pause() == PauseState::kNone ? "pause" : "resume";
    }
  };
  if (call.path != "/initial-setup" && call.path != "/energy-stats" && call.path != "/" &&
      call.path != "/pause") {
    return Error{ErrorCode::kNotFound, "EnergyVis asks for nothing else", ""};
  }
  if (!run.value()->look(show)) return not_begun();
  if (call.path == "/pause") {
    const Result<ControlAnswer> answer = live_.set_paused(run_, text == "pause");
    if (!answer.ok()) return answer.error();
    text = answer.value().pause == PauseState::kNone ? "{\"training_paused\":false}"
                                                     : "{\"training_paused\":true}";
  }
  HttpAnswer out = json_answer(std::move(text));
  if (call.path == "/") out.type = "text/plain; charset=utf-8";
  return out;
}

HttpAnswer EnergyVisPages::answer(const HttpCall& call) const {
  HttpAnswer out;
  if (!is_for_this_machine(call)) {
    out = error_answer({ErrorCode::kPermission, "this server answers for this machine only", ""});
  } else if (is_from_other_page(call, origin_)) {
    out = error_answer({ErrorCode::kPermission, "only " + origin_ + " may ask", ""});
  } else if (call.method == "OPTIONS") {
    out.status = 204;
    out.type.clear();
    out.headers.emplace_back("Access-Control-Allow-Methods", "GET");
  } else if (call.method != "GET") {
    out = error_answer(405, {ErrorCode::kInvalidInput, "use GET", ""});
  } else {
    Result<HttpAnswer> made = page(call);
    out = made.ok() ? std::move(made).value() : error_answer(made.error());
  }
  if (call.header("origin") == origin_) {
    out.headers.emplace_back("Access-Control-Allow-Origin", origin_);
  }
  out.headers.emplace_back("Vary", "Origin");
  return out;
}

}  // namespace wattree
