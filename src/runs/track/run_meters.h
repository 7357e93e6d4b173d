// The meters of a run: read by the sampler, added up in windows, and shared with other trackers of
// the same job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/meter/sampler.h"
#include "src/measure/meter/window.h"
#include "src/runs/track/record.h"
#include "src/runs/track/track_options.h"

namespace wattree {

// What the meters of a window say, as records have it.
std::vector<MeterEnergy> energies(const std::vector<Amount>& amounts);

class RunMeters {
 public:
  RunMeters(Meters meters, const TrackOptions& options);

  const Clock& clock() const { return sampler_.clock(); }
  bool is_empty() const { return sampler_.meters().empty(); }
  std::vector<RunMeter> descriptions() const;

  // Begins to read, and waits for a first reading of every meter.
  Status start();
  void stop() { sampler_.stop(); }
  void mark() { sampler_.mark(); }  // Something begins or ends: every meter is read at once.
  Windows& windows() { return windows_; }

  // Takes in what the sampler has read. `is_silent` is told of a meter that does not answer.
  void drain(const std::function<void(const std::string& text)>& is_silent);
  // How long the last windows are waited for.
  Nanos most_settling() const;

  // What another tracker of the job counted and, having ended, no longer does, is counted here:
  // from the last reading on that is in its totals. Returns what is worth telling.
  std::vector<std::string> take_over();
  // What the totals of that moment have in them, for the tracker that may have to go on from here.
  void note_counted(Nanos at) const;

 private:
  void prime();
  bool take_point(const SampleEvent& event);
  std::vector<std::size_t> elsewhere() const;
  const Description& meter(std::size_t index) const {
    return sampler_.meters()[index]->description();
  }

  DeviceClaims* claims_;
  Nanos period_;
  Sampler sampler_;
  Windows windows_;
  std::vector<std::optional<Point>> latest_;  // Of every meter.
};

}  // namespace wattree
