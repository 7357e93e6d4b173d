#include "src/cli/run_server.h"

#include <chrono>
#include <functional>
#include <thread>

#include "src/api/access/token_watch.h"
#include "src/api/access/tokens.h"
#include "src/cli/server_address.h"
#include "src/server/routes/application.h"

namespace wattree {
namespace {

constexpr char kEnergyVis[] = "energyvis";  // Its listener's name, and its flag's.
constexpr std::string_view kRun = "/api/v1/runs/current";
// At most, where the machine is too busy for what usually takes milliseconds.
constexpr std::chrono::milliseconds kPatience(1000);

// Both on one port of this machine. A listener on all addresses has EnergyVis's, too.
Status check_ports(const RunServerOptions& options) {
  const std::string& address = options.address;
  const bool is_shared = address == "127.0.0.1" || address == "localhost" || address == "0.0.0.0";
  if (!options.energyvis_origin || !is_shared || options.port.value_or(0) == 0 ||
      *options.port != options.energyvis_port) {
    return {};
  }
  return Error{ErrorCode::kInvalidInput,
               "<port> and <energyvis> both want port " + std::to_string(*options.port),
               "EnergyVis's page asks this port alone: choose another with <port>", "port"};
}

// Its page looks nowhere else.
Error energyvis_error(const Error& error) {
  return {error.code, error.message,
          "EnergyVis's page asks this port alone: end the program that has it", kEnergyVis};
}

}  // namespace

RunServer::RunServer(const RunServerOptions& options, const RunEntry& entry,
                     const Services& services, TrackControl& control,
                     std::unique_ptr<LiveRuns> live)
    : options_(options),
      token_(random_token()),
      entry_(entry),
      live_(std::move(live)),
      links_(*live_),
      services_(services),
      run_(live_->add_own(entry)),
      energyvis_(run_, {options.energyvis_origin.value_or(""), options.energyvis_state,
                        [&control] { return control.is_paused(); },
                        [&control](bool is_paused) -> Status {
                          const Status refusal = control.may_pause();
                          if (is_paused && !refusal.ok()) return refusal;
                          control.set_paused(is_paused);
                          return {};
                        }}) {
  services_.live = live_.get();
  services_.links = &links_;
  live_->set_current(entry.id);
  run_->set_pauser([&control](bool is_paused) -> Result<ControlAnswer> {
    const Status refusal = control.may_pause();
    if (is_paused && !refusal.ok()) return refusal.error();
    control.set_paused(is_paused);
    ControlAnswer out;
    if (is_paused) out.pause = control.is_waiting() ? PauseState::kStanding : PauseState::kAsked;
    return out;
  });
}

std::vector<WebListener> RunServer::listeners() const {
  std::vector<WebListener> out;
  const bool is_name = options_.address == "localhost";
  if (options_.port) out.push_back({is_name ? "127.0.0.1" : options_.address, *options_.port});
  if (options_.energyvis_origin) {
    out.push_back({"127.0.0.1", options_.energyvis_port, kEnergyVis});
  }
  return out;
}

Result<Application> RunServer::application() {
  ServerOptions options;
  options.is_public = options_.is_public;
  options.start_token = token_;
  // Who calls from this machine needs no token: a tracker then opens no store.
  if (!is_for_this_machine(options_.address)) {
    Result<TokenCheck> tokens = watched_tokens(services_);
    if (!tokens.ok()) return tokens.error();
    options.tokens = std::move(tokens).value();
  }
  const Application own = make_application(std::move(options), services_);
  Application out;
  out.counters = own.counters;
  out.answer_at_once = [own](const HttpCall& call) -> std::optional<HttpAnswer> {
    if (call.listener == kEnergyVis) return std::nullopt;
    return own.answer_at_once(call);
  };
  out.body_terms = [own](const HttpCall& call) -> BodyTerms {
    if (call.listener == kEnergyVis) return {};
    return own.body_terms(call);
  };
  out.note_refusal = own.note_refusal;
  out.answer = [own, this](const HttpCall& call) {
    return call.listener == kEnergyVis ? energyvis_.answer(call) : own.answer(call);
  };
  return out;
}

Result<std::unique_ptr<RunServer>> RunServer::start(const RunServerOptions& options,
                                                    const RunEntry& entry, const Services& services,
                                                    TrackControl& control) {
  if (const Status wrong = check_ports(options); !wrong.ok()) return wrong.error();
  Result<std::unique_ptr<LiveRuns>> live = LiveRuns::start({services.runs, services.journals});
  if (!live.ok()) return live.error();
  std::unique_ptr<RunServer> out(
      new RunServer(options, entry, services, control, std::move(live).value()));
  Result<Application> application = out->application();
  if (!application.ok()) return application.error();
  WebLimits limits;
  limits.answer_threads = 1;  // The command has the machine.
  limits.socket_threads = 1;
  Result<std::unique_ptr<WebServer>> server =
      WebServer::start(out->listeners(), std::move(application).value(), limits);
  if (!server.ok()) {
    const bool is_energyvis = server.error().field == kEnergyVis;
    return is_energyvis ? energyvis_error(server.error()) : server.error();
  }
  out->server_ = std::move(server).value();
  return out;
}

// Until the follower's thread has seen it, which takes some milliseconds.
void RunServer::wait_until(const std::function<bool()>& is_so) const {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!is_so() && std::chrono::steady_clock::now() < until) {
    live_->wake();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

RunServer::~RunServer() {
  // Readers get the run's end before the server's.
  if (has_ended_) wait_until([this] { return run_->is_over(); });
}

void RunServer::take(const Record& record) {
  if (std::holds_alternative<RunBegun>(record)) {
    std::error_code ignored;
    has_journal_ = std::filesystem::exists(entry_.journal, ignored);
  }
  has_ended_ = has_ended_ || std::holds_alternative<RunEnded>(record);
  if (has_journal_) return;
  run_->hand_over(record);
  live_->wake();
}

std::vector<std::string> RunServer::addresses() const {
  // Whoever reads the address may ask at once.
  wait_until([this] { return run_->look([](const TrackedRun&, const PowerTrace&) {}); });
  std::vector<std::string> out;
  std::size_t at = 0;
  if (options_.port) out.push_back(server_->urls()[at++] + std::string(kRun));
  if (options_.energyvis_origin) {
    out.push_back(server_->urls()[at] + " (for EnergyVis at " + *options_.energyvis_origin + ")");
  }
  return out;
}

std::string RunServer::page() const {
  const bool is_file = options_.address.starts_with("unix:");
  if (!options_.port || is_file) return {};
  return server_->urls().front() + "/track?run=" + entry_.id;
}

}  // namespace wattree
