// Serves a run that is going on: events, the profile so far, pause and resume; and, where asked
// for, what EnergyVis's front end asks its own backend for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/runs/run_status.h"
#include "src/api/runs/track.h"
#include "src/httpd/server.h"

namespace wattree {

struct RunServerOptions {
  std::optional<std::uint16_t> port;            // Of Wattree's own routes; absent: not served.
  std::optional<std::string> energyvis_origin;  // Absent: not served.
  std::uint16_t energyvis_port = 5000;          // Where its front end looks.
  std::string energyvis_state;
};

class RunServer {
 public:
  // `control` must live longer.
  static Result<std::unique_ptr<RunServer>> start(const RunServerOptions& options,
                                                  const Setting& setting, TrackControl& control);

  // What has happened; on the tracker's thread. What it costs does not grow with the run.
  void take(const Record& record) { followed_.take(record); }
  void update(const TrackedRun& run, TrackEvent event);
  // Where it can be reached, as a user reads it.
  std::vector<std::string> addresses() const;

  HttpResponse answer(const HttpRequest& request) const;  // For the server's thread, and tests.

 private:
  RunServer(const RunServerOptions& options, const Setting& setting, TrackControl& control)
      : options_(options), setting_(setting), control_(control) {}
  std::string status_json(const TrackedRun& run) const;
  HttpResponse answer_own(const HttpRequest& request) const;
  HttpResponse answer_of_run(std::string_view what) const;
  HttpResponse answer_energyvis(const HttpRequest& request) const;
  HttpResponse energyvis_page(const HttpRequest& request) const;

  RunServerOptions options_;
  Setting setting_;
  TrackControl& control_;
  FollowedRun followed_;
  std::size_t told_epochs_ = 0;
  std::unique_ptr<HttpServer> server_;  // Last: it ends before what it asks.
};

}  // namespace wattree
