// Files of windows, read again: to go on with a session, and to learn from
// (docs/schemas/window.schema.json). Those of `wattree profile` and `calibrate`, and data/h200.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/measure/windows/window.h"

namespace wattree {

// One go on one machine: what stands from one header to the next.
struct MeasuredSession {
  std::string where;   // "data.windows.jsonl:1": its header.
  std::string device;  // "NVIDIA H200"
  std::string card;    // Which of them, as far as the file tells; empty where it does not.
  std::string device_kind;
  std::string boundary;
  std::string protocol;
  std::string meter;  // Empty: the file does not say.
  double power_limit_w = 0;
  double idle_power_w = 0;
  double native_kernel_s = 0;  // To launch one by this program on the host; 0: not said.
  double cache_bytes = 0;
  std::int64_t multiprocessors = 0;
  // Of the pass that was measured again and again: as the header sums it up, and every one.
  std::optional<double> anchor_energy_j;
  std::vector<double> anchors_j;
  std::vector<MeasuredModel> models;
  std::vector<MeasuredWindow> windows;  // Without those of blocks that were thrown out.
};

// Every message names file, line and field. A last line without its end was cut short when the
// program was killed: it is passed over.
Result<std::vector<MeasuredSession>> parse_windows(std::string_view lines,
                                                   const std::string& origin);
// All sessions of a folder (windows-*.jsonl, *.windows.jsonl), or those of a file.
Result<std::vector<MeasuredSession>> read_windows(const std::filesystem::path& path);
// Whether it looks like one: a folder, or a file whose first line is a session's header.
bool holds_windows(const std::filesystem::path& path);

// What the windows say, by key; of two with the same the later. kInvalidInput where they were
// measured on something else than `device`.
Result<Figures> figures_of(std::vector<MeasuredSession> sessions, const std::string& device);

}  // namespace wattree
