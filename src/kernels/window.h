// Windows: what measuring single kernels, modules and passes writes, one JSON object a line
// (data/h200/README.md, docs/schemas/h200-window.schema.json).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// One measurement. Of a pass or module the fields up to `source_len` say what ran; of a single op
// `op`, `inputs` and `outputs` do.
struct Window {
  std::string key;
  std::string subject;  // model, decode, module, op
  std::string model;
  std::string family;
  std::vector<std::pair<std::string, std::string>> overrides;  // Of the model's config.
  std::string dtype;
  std::string attention;
  std::int64_t batch = 1;
  std::int64_t seq = 1;
  std::int64_t past = 0;
  std::int64_t source_len = 0;  // 0: not an encoder-decoder's decode step.

  std::string scope;  // Of a module.
  std::string type;
  std::string op;
  std::vector<std::string> inputs;  // "bf16[16,128]{1,16}"
  std::vector<std::string> outputs;

  std::string execution;  // graph, eager
  std::string cache;      // natural, cold, in_place, warm
  double energy_j = 0;    // Of one run; without pauses, where there were some.
  double time_s = 0;
  bool is_capped = false;  // And has no pauses that keep its clock up.
};

// The windows of one session: one machine, one card, one go.
struct Session {
  std::string hardware;
  double power_limit_w = 0;
  double idle_power_w = 0;
  double anchor_energy_j = 0;  // Of the pass that was measured again and again; 0: none was.
  double cache_bytes = 0;
  std::vector<Window> windows;
  std::int64_t left_out = 0;  // Doubtful, or with other inputs than usual.
};

// All sessions of a folder (windows-*.jsonl), or the one of a file.
Result<std::vector<Session>> read_sessions(const std::filesystem::path& path);
// Whether it looks like one: a folder, or a file whose first line is a session's header.
bool holds_windows(const std::filesystem::path& path);

}  // namespace wattree
