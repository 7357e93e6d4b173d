// A measured window: what ran, how, and what it took. Files hold them (read_windows.h), a session
// writes them down (src/measure/protocol), and predictors learn from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/measure/windows/resources.h"
#include "src/models/tree/execution.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// How windows were measured. Figures of different protocols are not alike: one runs the framework's
// modules from Python, one the executor's kernels, one as IrEne's authors did.
inline constexpr std::string_view kNativeProtocol = "wattree-native-1";  // This program's.
inline constexpr std::string_view kTorchProtocol = "wattree-torch-1";    // python/wattree's.
inline constexpr std::string_view kIreneProtocol = "irene";

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

enum class Subject : std::uint8_t { kModel, kDecode, kModule, kOp };

// The columns that say what was measured.
struct NodeFacts {
  Subject subject = Subject::kOp;
  std::string key;  // Of the node; with the cache's name it is that of a window.
  std::string scope, type, op;
  Level level = Level::kModule;
  std::int64_t params = 0, flops = 0, kernels = 0;
  std::vector<std::string> inputs, outputs;
  bool is_causal = false;  // Attention by itself: no token sees those after it.
};

// What a node took, as it is written down and read again.
struct NodeFigures {
  std::string key;  // The node's.
  CacheState cache = CacheState::kNatural;
  bool is_paused = false;
  Execution execution = Execution::kGraph;
  std::optional<Joules> energy;  // Of one run, rest taken off.
  Seconds time;
  std::optional<Joules> idle_energy;  // What idling would have taken in that time.
  double relative_error = 0;
  double drift = 0;
  bool is_capped = false;
  bool is_settled = false;
  Resources resources;
  std::vector<std::string> doubts;
};

// Why a window may be wrong. Files hold them as texts, among those of other programs.
enum class Doubt : std::uint8_t {
  kPowerReadings,  // They disagree with the counter.
  kNotSettled,     // The time ran out before the aims were met.
  kOthersOnGpu,    // Other processes used the GPU,
  kOthersOnHost,   // or the processors.
};
std::string_view name_of(Doubt doubt);
std::optional<Doubt> parse_doubt(std::string_view text);

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
  std::string plan;    // The kind of work that it was measured for; empty: no kind of its own.
  double experts_at_work = 0;  // In the mean over its layers; 0: has none, or nobody looked.
};

std::string_view name_of(Subject subject);

std::optional<Subject> parse_subject(std::string_view name);

// By window_key().
using Figures = std::map<std::string, NodeFigures>;

}  // namespace wattree
