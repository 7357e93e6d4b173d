// What is written down of a session, one JSON object a line: the machine, windows, anchors with
// their verdicts, failures. The columns of a window are those of data/h200
// (docs/schemas/window.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/protocol/machine.h"
#include "src/measure/protocol/protocol.h"
#include "src/measure/windows/window.h"
#include "src/models/tree/distinct.h"

namespace wattree {

std::string to_line(const std::string& session, const MeasuredModel& model);
NodeFacts facts_of(const ModelTree& tree, const DistinctNode& node);

// And what is written down beside that.
struct WindowRecord : MeasuredWindow {
  std::string session;
  std::int64_t at_s = 0;  // Since 1970.
  Measurement measurement;
  std::string why_eager;
  int copies = 0;
  int other_processes = 0;
  std::optional<Joules> software_energy;  // See software_baseline.h.
  std::string software_covers;
};
std::string to_line(const WindowRecord& record);

struct AnchorRecord {
  std::string session;
  int block = 0;
  Measurement measurement;
  double deviation = 0;  // From the session's first anchor.
};
std::string to_line(const AnchorRecord& record);
std::string verdict_line(const std::string& session, int block, bool is_good, double deviation);
std::string failure_line(const std::string& session, const std::string& key, const Error& why);

struct HeaderRecord {
  std::string session;
  std::int64_t at_s = 0;
  MachineFacts machine;
  Idle idle;
  std::optional<double> waited_for_standby_s;
  WindowSettings whole, node;
  int other_processes = 0;
  std::optional<double> other_cpu_percent;
};
std::string to_line(const HeaderRecord& record);
std::string footer_line(const std::string& session, std::int64_t windows, std::int64_t readings,
                        std::string_view ended_by);

// Counter and power readings should agree; so should halves; nobody else should be at work.
std::vector<std::string> doubts_about(const Measurement& measurement, int other_processes);

}  // namespace wattree
