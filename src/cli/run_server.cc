#include "src/cli/run_server.h"

#include "src/api/export.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::string_view kRoot = "/api/v1/runs/current";

HttpResponse problem(int status, std::string_view code, const std::string& message) {
  JsonWriter out;
  out.begin_object();
  out.key("error");
  out.begin_object();
  out.field("code", code);
  out.field("message", message);
  out.field("hint", "");
  out.end_object();
  out.end_object();
  HttpResponse response;
  response.status = status;
  response.body = out.take() + "\n";
  return response;
}

HttpResponse json(std::string text) {
  HttpResponse response;
  response.body = std::move(text);
  return response;
}

// A page of somebody else's whose name leads here (DNS rebinding) still has that name in "Host".
bool is_for_this_machine(const HttpRequest& request) {
  const std::string host = request.header("host");
  const std::string name =
      host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

// Other web pages that are open in the user's browser must not pause a training.
bool is_from_other_page(const HttpRequest& request, const std::string& allowed) {
  const std::string origin = request.header("origin");
  if (!origin.empty()) return origin != allowed && origin != "http://" + request.header("host");
  const std::string site = request.header("sec-fetch-site");
  return site == "cross-site" || site == "same-site";
}

}  // namespace

Result<std::unique_ptr<RunServer>> RunServer::start(const RunServerOptions& options,
                                                    const Setting& setting, TrackControl& control) {
  std::unique_ptr<RunServer> out(new RunServer(options, setting, control));
  std::vector<HttpAddress> addresses;
  if (options.port) addresses.push_back({"127.0.0.1", *options.port});
  if (options.energyvis_origin) addresses.push_back({"127.0.0.1", options.energyvis_port});
  Result<std::unique_ptr<HttpServer>> server = HttpServer::start(
      addresses, [self = out.get()](const HttpRequest& request) { return self->answer(request); });
  if (!server.ok()) {
    Error error = server.error();
    // Its page looks nowhere else.
    const std::string fixed = url_of({"127.0.0.1", options.energyvis_port});
    if (options.energyvis_origin && error.message.find(fixed) != std::string::npos) {
      error.hint = "EnergyVis's page asks this port alone: end the program that has it";
    }
    return error;
  }
  out->server_ = std::move(server).value();
  return out;
}

std::vector<std::string> RunServer::addresses() const {
  std::vector<std::string> out;
  std::size_t at = 0;
  if (options_.port) {
    out.push_back(url_of(server_->addresses()[at++]) + std::string(kRoot));
  }
  if (options_.energyvis_origin) {
    out.push_back(url_of(server_->addresses()[at]) + " (for EnergyVis at " +
                  *options_.energyvis_origin + ")");
  }
  return out;
}

std::shared_ptr<const TrackedRun> RunServer::latest() const {
  const std::lock_guard lock(mutex_);
  return run_;
}

std::string RunServer::status_json(const TrackedRun& run) const {
  RunStatus status = status_of(run, setting_);
  status.is_paused = control_.is_paused();
  status.is_waiting = control_.is_waiting();
  return to_json(status);
}

void RunServer::update(const TrackedRun& run, TrackEvent event) {
  auto copy = std::make_shared<const TrackedRun>(run);
  {
    const std::lock_guard lock(mutex_);
    run_ = std::move(copy);
  }
  for (; told_epochs_ < run.epochs().size(); ++told_epochs_) {
    server_->publish("epoch", epoch_json(run, told_epochs_));
  }
  const std::string status = status_json(run);
  server_->publish(event == TrackEvent::kEnded ? "ended" : "status", status);
}

HttpResponse RunServer::answer(const HttpRequest& request) const {
  if (!is_for_this_machine(request)) {
    return problem(403, "permission", "this server answers for this machine only");
  }
  const bool is_own = options_.port && request.address == 0;
  return is_own ? answer_own(request) : answer_energyvis(request);
}

HttpResponse RunServer::answer_own(const HttpRequest& request) const {
  const auto run = latest();
  if (!request.path.starts_with(kRoot)) {
    return problem(404, "not_found",
                   "there is " + std::string(kRoot) +
                       ", with /events, /profile, and by POST /pause and /resume");
  }
  const std::string what = request.path.substr(kRoot.size());
  const bool is_change = what == "/pause" || what == "/resume";
  if (!is_change && !what.empty() && what != "/events" && what != "/profile") {
    return problem(404, "not_found", "a run has no " + what);
  }
  const char* method = is_change ? "POST" : "GET";
  if (request.method != method) {
    HttpResponse response = problem(405, "invalid_input", std::string("use ") + method);
    response.headers.emplace_back("Allow", method);
    return response;
  }
  if (is_change) {
    if (is_from_other_page(request, "")) {
      return problem(403, "permission", "another web page may not pause a run");
    }
    control_.set_paused(what == "/pause");
    return json(control_.is_paused() ? "{\"paused\":true}\n" : "{\"paused\":false}\n");
  }
  if (run == nullptr) return problem(503, "unavailable", "the run has not begun");
  if (what.empty()) return json(status_json(*run) + "\n");
  if (what == "/profile") return json(to_json(run->profile()));
  HttpResponse response;
  response.type = "text/event-stream";
  response.is_stream = true;
  // Whoever comes later begins with everything so far.
  for (std::size_t i = 0; i < run->epochs().size(); ++i) {
    response.body += event_text("epoch", epoch_json(*run, i));
  }
  response.body += event_text(run->ended() ? "ended" : "status", status_json(*run));
  return response;
}

HttpResponse RunServer::answer_energyvis(const HttpRequest& request) const {
  const std::string& origin = *options_.energyvis_origin;
  HttpResponse response;
  if (is_from_other_page(request, origin)) {
    response = problem(403, "permission", "only " + origin + " may ask");
  } else if (request.method == "OPTIONS") {
    response.status = 204;
    response.type.clear();
    response.headers.emplace_back("Access-Control-Allow-Methods", "GET");
  } else if (request.method != "GET") {
    response = problem(405, "invalid_input", "use GET");
  } else if (const auto run = latest(); run == nullptr) {
    response = problem(503, "unavailable", "the run has not begun");
  } else if (request.path == "/initial-setup") {
    response = json(energyvis_setup(*run, options_.energyvis_state));
  } else if (request.path == "/energy-stats") {
    response = json(energyvis_stats(*run));
  } else if (request.path == "/pause") {
    control_.set_paused(!control_.is_paused());
    response =
        json(control_.is_paused() ? "{\"training_paused\":true}" : "{\"training_paused\":false}");
  } else if (request.path == "/") {
    response.type = "text/plain; charset=utf-8";
    response.body = "wattree follows " + run->begun().name + "\n";
  } else {
    response = problem(404, "not_found", "EnergyVis asks for nothing else");
  }
  if (request.header("origin") == origin) {
    response.headers.emplace_back("Access-Control-Allow-Origin", origin);
  }
  response.headers.emplace_back("Vary", "Origin");
  return response;
}

}  // namespace wattree
