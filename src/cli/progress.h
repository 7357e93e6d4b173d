// A progress bar on standard error, for work that takes over a second in front of a person.
#pragma once

#include <chrono>
#include <string>

#include "src/cli/cli.h"

namespace wattree {

class ProgressBar {
 public:
  ProgressBar(Surroundings& world, std::string what);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  // Takes the bar away.

  // From 0 to 1, and what else there is to say.
  void show(double done, const std::string& more = {});

 private:
  using Clock = std::chrono::steady_clock;
  Surroundings& world_;
  std::string what_;
  Clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace wattree
