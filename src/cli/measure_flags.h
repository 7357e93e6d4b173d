// Flags of the commands that run nodes and measure them: profile and calibrate.
#pragma once

#include <string>

#include "src/api/measure_model.h"
#include "src/cli/command.h"
#include "src/cli/meter_flags.h"
#include "src/cli/progress.h"

namespace wattree {

struct MeasureFlags {
  MeasureQuery query;
  MeterFlags meters;
  std::string device;
  std::string plugin;
  std::string budget;
};
void describe_measuring(CLI::App& command, MeasureFlags& flags);
// The query, filled in; `bar` shows how far it is. Lives as long as the flags.
Result<MeasureQuery> measuring(const MeasureFlags& flags, Surroundings& world, ProgressBar& bar);

// While one of these lives, the first Ctrl-C is a wish to end and keep what is there; the second
// ends the program.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();
  static bool is_wanted();
};

// The exit code of what Ctrl-C has ended, as shells have it.
inline constexpr int kInterrupted = 130;

// "measured 23 windows in 41 s": how it ended, and what was left out and why.
std::string ending_text(const SessionResult& session, std::size_t reused);
// Why there is no energy, where there is none.
std::string energy_text(const MachineFacts& machine, const std::vector<Obstacle>& obstacles);
// The exit code of a session: 0 where it did what was asked, else that of what stood in the way.
int exit_code_of(const SessionResult& session);

}  // namespace wattree
