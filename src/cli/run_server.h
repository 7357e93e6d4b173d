// Serves a run that is going on, with the same routes as `wattree serve`; and, where asked for,
// what EnergyVis's front end asks its own backend for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/api/runs/links.h"
#include "src/api/runs/registered_run.h"
#include "src/api/runs/track.h"
#include "src/server/beast/server.h"
#include "src/server/routes/energyvis_pages.h"

namespace wattree {

struct RunServerOptions {
  std::optional<std::uint16_t> port;            // Of Wattree's own routes; absent: not served.
  std::string address = "127.0.0.1";            // Callers from elsewhere need a token,
  bool is_public = false;                       // unless all of them may read.
  std::optional<std::string> energyvis_origin;  // Absent: not served.
  std::uint16_t energyvis_port = 5000;          // Where its front end looks.
  std::string energyvis_state;
};

class RunServer {
 public:
  // `entry` is the run's, which is about to begin. `control` must live longer.
  static Result<std::unique_ptr<RunServer>> start(const RunServerOptions& options,
                                                  const RunEntry& entry, const Services& services,
                                                  TrackControl& control);
  ~RunServer();

  // What has happened; on the tracker's thread, which never waits. A run without a journal is known
  // by its records.
  void take(const Record& record);
  // Where it can be reached, as a user reads it.
  std::vector<std::string> addresses() const;
  // Its page in a browser; empty: there is none.
  std::string page() const;
  // Behind that address, what other accounts of this machine need to pause the run.
  std::string token_fragment() const { return "#token=" + token_; }

 private:
  RunServer(const RunServerOptions& options, const RunEntry& entry, const Services& services,
            TrackControl& control, std::unique_ptr<LiveRuns> live);
  Result<Application> application();
  std::vector<WebListener> listeners() const;
  void wait_until(const std::function<bool()>& is_so) const;

  const RunServerOptions options_;
  const std::string token_;  // Of this server alone.
  const RunEntry entry_;
  std::unique_ptr<LiveRuns> live_;
  Links links_;
  Services services_;
  std::shared_ptr<LiveRun> run_;
  EnergyVisPages energyvis_;
  bool has_journal_ = true, has_ended_ = false;
  std::unique_ptr<WebServer> server_;  // Last: it ends before what it asks.
};

}  // namespace wattree
