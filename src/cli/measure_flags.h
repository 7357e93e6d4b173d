// Flags of the commands that run nodes and measure them: profile and calibrate.
#pragma once

#include <optional>
#include <string>

#include "src/api/measure/measure_request.h"
#include "src/cli/command.h"
#include "src/cli/meter_flags.h"
#include "src/cli/progress.h"

namespace wattree {

struct MeasureFlags {
  MeasureRequest request;
  MeterFlags meters;
  std::string budget;
  double node_limit_s = 0;
  std::optional<double> standby_w;
};
void describe_measuring(CommandSyntax command, MeasureFlags& flags);
Result<MeasureRequest> request_of(const MeasureFlags& flags);
// With the meters that the flags name.
Services services_of(const MeasureFlags& flags, const Surroundings& world);
// `bar` shows how far it is, and lives as long.
MeasureHost measure_host(ProgressBar& bar);

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
std::string ending_text(const Campaign& campaign);
// Why there is no energy, where there is none.
std::string energy_text(const Campaign& campaign);
// The exit code of a session: 0 where it did what was asked, else that of what stood in the way.
int exit_code_of(const SessionResult& session);

}  // namespace wattree
