#include "src/runs/track/budget.h"

#include <signal.h>

namespace wattree {

bool Budget::check(Nanos now) {
  const auto device = recorder_.run().energy();
  if (!device) return false;
  const Joules energy = *device * (options_.run.pue ? options_.run.pue->value : 1.0);
  if (options_.warn_above && energy > options_.warn_above->most && !has_warned_) {
    has_warned_ = true;
    recorder_.note("the run took more than " + options_.warn_above->text);
    recorder_.say("this run has taken more than " + options_.warn_above->text);
  }
  if (!options_.stop_above || energy <= options_.stop_above->most || is_stopped_) return false;
  is_stopped_ = true;
  kill_at_ = now + static_cast<Nanos>(options_.grace.value * 1e9);
  recorder_.note("stopped: " + reason());
  recorder_.say("this run has taken more than " + options_.stop_above->text +
                " and is asked to end (SIGTERM); the exit code will be " +
                std::to_string(kOverBudget));
  process_.signal(SIGTERM);
  return true;
}

std::string Budget::reason() const {
  return is_stopped_ ? "the run took more than " + options_.stop_above->text : "";
}

void Budget::end_by_force() {
  has_killed_ = true;
  recorder_.say("it has not ended and is ended by force (SIGKILL)");
  process_.signal_all(SIGKILL);
}

}  // namespace wattree
