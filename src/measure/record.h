// What is written down of a session, one JSON object a line: the machine, windows, anchors with
// their verdicts, failures. The columns of a window are those of data/h200
// (docs/schemas/window.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/exec/launch.h"
#include "src/measure/distinct.h"
#include "src/measure/machine.h"
#include "src/measure/protocol.h"

namespace wattree {

// The pass that a node is part of.
struct PassFacts {
  std::string model;
  std::string family;
  std::string dtype;
  std::string attention;
  std::int64_t batch = 0;
  std::int64_t seq = 0;
  std::int64_t past = 0;
  std::int64_t source_len = 0;  // What the encoder has read before a decode step; 0: no encoder.
  std::int64_t target_len = 0;  // Of an encoder-decoder's decoder; 0: as long as the source.
  std::vector<std::pair<std::string, std::string>> overrides;  // Of the model's config.
};

// What a model is built from: with this at hand its windows can be learnt from anywhere.
struct MeasuredModel {
  std::string model;
  std::string class_name;
  std::string config;  // JSON text.
};
std::string to_line(const std::string& session, const MeasuredModel& model);

enum class Subject : std::uint8_t { kModel, kDecode, kModule, kOp };
std::string_view name_of(Subject subject);
std::optional<Subject> parse_subject(std::string_view name);

// The columns that say what was measured.
struct NodeFacts {
  Subject subject = Subject::kOp;
  std::string key;  // Of the node; with the cache's name it is that of a window.
  std::string scope, type, op;
  Level level = Level::kModule;
  std::int64_t params = 0, flops = 0, kernels = 0;
  std::vector<std::string> inputs, outputs;
};
NodeFacts facts_of(const ModelTree& tree, const DistinctNode& node);

// What a node took, as it is written down and read again.
struct NodeFigures {
  std::string key;  // The node's.
  CacheState cache = CacheState::kNatural;
  bool is_paused = false;
  Execution execution = Execution::kGraph;
  std::optional<double> energy_j;  // Of one run, rest taken off.
  double time_s = 0;
  std::optional<double> idle_j;
  std::optional<double> gpu_energy_j;  // By the GPU's own counter.
  double relative_error = 0;
  double drift = 0;
  bool is_capped = false;
  bool is_settled = false;
  Resources resources;
  std::vector<std::string> doubts;
};

// A key of data/h200: "<node>/<cache>", "<node>/<cache>/paused".
std::string window_key(std::string_view node, CacheState cache, bool is_paused);

// A window, as it is read again (read_windows.h).
struct MeasuredWindow {
  std::string key;  // No two windows of a session have the same.
  std::int64_t block = 0;
  PassFacts pass;
  NodeFacts node;
  NodeFigures figures;
  std::string values;  // What its tensors held; empty: what is usual.
};

// And what is written down beside that.
struct WindowRecord : MeasuredWindow {
  std::string session;
  std::int64_t at_s = 0;  // Since 1970.
  Measurement measurement;
  std::string why_eager;
  int copies = 0;
  int other_processes = 0;
  std::optional<double> software_j;  // See software_baseline.h.
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
// Whether a doubt is that others used the machine.
bool is_about_others(std::string_view doubt);

}  // namespace wattree
