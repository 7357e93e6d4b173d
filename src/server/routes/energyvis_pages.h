// What EnergyVis's front end asks its own backend for, of a run of ours: four routes, for the pages
// of one origin.
#pragma once

#include <string>

#include "src/api/runs/runs.h"
#include "src/server/http/http.h"

namespace wattree {

class EnergyVisPages {
 public:
  // `live` must live longer. `state` is the full name of a US state.
  EnergyVisPages(LiveRuns& live, std::string run, std::string origin, std::string state)
      : live_(live), run_(std::move(run)), origin_(std::move(origin)), state_(std::move(state)) {}

  HttpAnswer answer(const HttpCall& call) const;

 private:
  Result<HttpAnswer> page(const HttpCall& call) const;

  LiveRuns& live_;
  const std::string run_, origin_, state_;
};

}  // namespace wattree
