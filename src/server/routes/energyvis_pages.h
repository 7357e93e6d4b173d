// What EnergyVis's front end asks its own backend for, of a run of ours: four routes, for the pages
// of one origin.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/api/runs/runs.h"
#include "src/server/http/http.h"

namespace wattree {

struct EnergyVisOptions {
  std::string origin;  // Of its pages.
  std::string state;   // The full name of a US state.
  // The tracker's own switch, which is ahead of the run's records.
  std::function<bool()> is_paused;
  std::function<Status(bool)> set_paused;
};

class EnergyVisPages {
 public:
  EnergyVisPages(std::shared_ptr<LiveRun> run, EnergyVisOptions options)
      : run_(std::move(run)), options_(std::move(options)) {}

  HttpAnswer answer(const HttpCall& call) const;

 private:
  Result<HttpAnswer> page(const HttpCall& call) const;

  const std::shared_ptr<LiveRun> run_;
  const EnergyVisOptions options_;
};

}  // namespace wattree
