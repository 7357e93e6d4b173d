#include "src/runs/track/idle.h"

#include <poll.h>

#include <algorithm>

namespace wattree {
namespace {

constexpr Nanos kLastLook = 5;  // Milliseconds

}  // namespace

IdleOutcome measure_idle(Seconds duration, RunMeters& meters, const SignalWatch& signals) {
  IdleOutcome out;
  if (duration <= Seconds(0) || meters.is_empty()) return out;
  const Clock& clock = meters.clock();
  const Nanos begun = clock.now();
  const Nanos ended = begun + static_cast<Nanos>(duration.value * 1e9);
  // Until the window has settled: before the tick after its end, a counter that is read seldom
  // would show less than there was.
  const Nanos patience = ended + meters.most_settling();
  const int window = meters.windows().begin("idle", begun);
  meters.mark();
  while (!out.measured) {
    const Nanos left = (ended - clock.now()) / kNanosPerMillisecond;
    pollfd signalled{signals.descriptor(), POLLIN, 0};
    ::poll(&signalled, 1, static_cast<int>(std::clamp<Nanos>(left, kLastLook, 200)));
    if (clock.now() >= ended) {
      meters.windows().end(window, ended);
      meters.mark();
    }
    meters.drain([](const std::string&) {});  // There is no run yet to write it down for.
    while (const auto caught = signals.next()) {
      if (caught->ends_a_program()) {
        out.interrupted = 128 + caught->number;
        return out;
      }
    }
    for (const Window& done : meters.windows().take_finished(clock.now() >= patience)) {
      out.measured =
          IdleMeasured{Seconds(seconds(done.ended - done.begun)), energies(done.amounts)};
    }
  }
  return out;
}

}  // namespace wattree
