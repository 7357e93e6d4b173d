// Passes a command's output on, byte for byte and at once, and watches it for epochs.
//
// Only where the user asked for it: otherwise the command has the tracker's own streams and nothing
// is in between. Each stream has a process of its own, which outlives the tracker if it must:
// killing the tracker does not take the command's output away.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/meter/clock.h"
#include "src/runs/track/line_matcher.h"

namespace wattree {

// A line that matched, as it comes through the pipe to the tracker.
struct EpochLine {
  Nanos at = 0;
  char name[248] = {};  // Ends in a zero.
};

// The command's end of things; the tracker's is `lines`.
class OutputRelay {
 public:
  // `outputs` are the tracker's own standard output and error. Where both lead to the same place
  // they share one way, so that their order stays. A terminal becomes a pseudo-terminal of the same
  // size, everything else a pipe. To be called before any thread is started.
  static Result<OutputRelay> start(const LineMatcher& matcher, int out, int err,
                                   const Clock& clock);
  OutputRelay(OutputRelay&& other) noexcept;
  OutputRelay& operator=(OutputRelay&&) = delete;
  ~OutputRelay();

  int command_out() const { return command_out_; }
  int command_err() const { return command_err_; }
  // To be called when the command has its ends: the relay then ends with the command.
  void close_command_ends();

  int lines() const { return lines_; }  // Readable when a line has matched.
  std::optional<EpochLine> next_line() const;
  // Lines that matched and found no room, because the tracker was thousands of them behind.
  std::uint64_t missed() const;
  // Waits until all output is passed on, or the time is over because something the command left
  // behind still holds it. The relay goes on for that by itself.
  bool wait(Nanos patience) const;

 private:
  OutputRelay() = default;
  int command_out_ = -1, command_err_ = -1, lines_ = -1;
  std::atomic<std::uint64_t>* missed_ = nullptr;  // In memory that the processes share.
  std::vector<pid_t> processes_;
};

}  // namespace wattree
