#include "src/cli/run_server.h"

#include "src/base/error_text.h"

namespace wattree {
namespace {

constexpr std::string_view kRoot = "/api/v1/runs/current";

HttpResponse problem(int status, ErrorCode code, const std::string& message) {
  HttpResponse response;
  response.status = status;
  response.body = to_json(Error{code, message, ""});
  return response;
}
HttpResponse problem(ErrorCode code, const std::string& message) {
  return problem(meaning_of(code).http_status, code, message);
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
  std::vector<HttpListener> listeners;
  if (options.port) {
    Result<HttpListener> own = HttpListener::open({"127.0.0.1", *options.port});
    if (!own.ok()) return own.error();
    listeners.push_back(std::move(own).value());
  }
  if (options.energyvis_origin) {
    Result<HttpListener> fixed = HttpListener::open({"127.0.0.1", options.energyvis_port});
    if (!fixed.ok()) {
      // Its page looks nowhere else.
      return Error{fixed.error().code, fixed.error().message,
                   "EnergyVis's page asks this port alone: end the program that has it",
                   "energyvis"};
    }
    listeners.push_back(std::move(fixed).value());
  }
  std::unique_ptr<RunServer> out(new RunServer(options, setting, control));
  Result<std::unique_ptr<HttpServer>> server = HttpServer::start(
      std::move(listeners),
      [self = out.get()](const HttpRequest& request) { return self->answer(request); });
  if (!server.ok()) return server.error();
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

std::string RunServer::status_json(const TrackedRun& run) const {
  return to_json(status_of(run, setting_));
}

void RunServer::update(const TrackedRun& run, TrackEvent event) {
  followed_.publish();
  for (; told_epochs_ < run.epochs().size(); ++told_epochs_) {
    server_->publish("epoch", epoch_json(run, told_epochs_));
  }
  const std::string status = status_json(run);
  server_->publish(event == TrackEvent::kEnded ? "ended" : "status", status);
}

HttpResponse RunServer::answer(const HttpRequest& request) const {
  if (!is_for_this_machine(request)) {
    return problem(ErrorCode::kPermission, "this server answers for this machine only");
  }
  const bool is_own = options_.port && request.address == 0;
  return is_own ? answer_own(request) : answer_energyvis(request);
}

HttpResponse RunServer::answer_own(const HttpRequest& request) const {
  if (!request.path.starts_with(kRoot)) {
    return problem(ErrorCode::kNotFound,
                   "there is " + std::string(kRoot) +
                       ", with /events, /profile, and by POST /pause and /resume");
  }
  const std::string what = request.path.substr(kRoot.size());
  const bool is_change = what == "/pause" || what == "/resume";
  if (!is_change && !what.empty() && what != "/events" && what != "/profile") {
    return problem(ErrorCode::kNotFound, "a run has no " + what);
  }
  const char* method = is_change ? "POST" : "GET";
  if (request.method != method) {
    HttpResponse response = problem(405, ErrorCode::kInvalidInput, std::string("use ") + method);
    response.headers.emplace_back("Allow", method);
    return response;
  }
  if (!is_change) return answer_of_run(what);
  if (is_from_other_page(request, "")) {
    return problem(ErrorCode::kPermission, "another web page may not pause a run");
  }
  control_.set_paused(what == "/pause");
  return json(control_.is_paused() ? "{\"paused\":true}\n" : "{\"paused\":false}\n");
}

// "" is its status.
HttpResponse RunServer::answer_of_run(std::string_view what) const {
  HttpResponse out;
  const auto answer_with = [&](const TrackedRun& run) {
    if (what.empty()) {
      out = json(status_json(run) + "\n");
    } else if (what == "/profile") {
      out = json(profile_json(run));
    } else {
      out.type = "text/event-stream";
      out.is_stream = true;
      // Whoever comes later begins with everything so far.
      for (std::size_t i = 0; i < run.epochs().size(); ++i) {
        out.body += event_text("epoch", epoch_json(run, i));
      }
      out.body += event_text(run.ended() ? "ended" : "status", status_json(run));
    }
  };
  if (!followed_.look(answer_with)) {
    return problem(ErrorCode::kUnavailable, "the run has not begun");
  }
  return out;
}

HttpResponse RunServer::answer_energyvis(const HttpRequest& request) const {
  const std::string& origin = *options_.energyvis_origin;
  HttpResponse response;
  if (is_from_other_page(request, origin)) {
    response = problem(ErrorCode::kPermission, "only " + origin + " may ask");
  } else if (request.method == "OPTIONS") {
    response.status = 204;
    response.type.clear();
    response.headers.emplace_back("Access-Control-Allow-Methods", "GET");
  } else if (request.method != "GET") {
    response = problem(405, ErrorCode::kInvalidInput, "use GET");
  } else {
    response = energyvis_page(request);
  }
  if (request.header("origin") == origin) {
    response.headers.emplace_back("Access-Control-Allow-Origin", origin);
  }
  response.headers.emplace_back("Vary", "Origin");
  return response;
}

HttpResponse RunServer::energyvis_page(const HttpRequest& request) const {
  HttpResponse out;
  const auto answer_with = [&](const TrackedRun& run) {
    if (request.path == "/initial-setup") {
      out = json(energyvis_setup(run, options_.energyvis_state, control_.is_paused()));
    } else if (request.path == "/energy-stats") {
      out = json(energyvis_stats(run));
    } else if (request.path == "/pause") {
      control_.set_paused(!control_.is_paused());
      out =
          json(control_.is_paused() ? "{\"training_paused\":true}" : "{\"training_paused\":false}");
    } else if (request.path == "/") {
      out.type = "text/plain; charset=utf-8";
      out.body = "wattree follows " + run.begun().name + "\n";
    } else {
      out = problem(ErrorCode::kNotFound, "EnergyVis asks for nothing else");
    }
  };
  if (!followed_.look(answer_with)) {
    return problem(ErrorCode::kUnavailable, "the run has not begun");
  }
  return out;
}

}  // namespace wattree
