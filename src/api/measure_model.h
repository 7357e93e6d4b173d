// The profile use case: runs every distinct node of a model's tree, measures it, and makes a
// dataset of it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/dataset/dataset.h"
#include "src/measure/meter/find.h"
#include "src/measure/protocol/session.h"
#include "src/models/families/build_model.h"

namespace wattree {

// As the user writes it; empty means the default. Calibrating takes the same.
struct MeasureQuery {
  std::filesystem::path windows;  // Records are added to this file as they come.
  bool is_resumed = false;  // The file may be there already: what is in it is not measured again.
  std::string caches;       // "in_place,cold": of nodes; the first is what goes into the dataset.
  std::string protocol;     // "wattree" or "irene"
  std::string execution;    // "graph" or "eager"
  double budget_s = 0;
  double node_limit_s = 0;
  std::optional<double> standby_w;
  std::optional<WindowSettings> settings;  // Other aims than the protocol's.
  std::optional<MeasuredModel> model;      // To write down; profiling a config does it by itself.
  std::int64_t seed = 1;
  bool needs_energy = false;  // An error where nothing measures it, before anything runs.
  bool allow_load = false;
  bool without_anchor = false;
  bool without_pauses = false;

  // The surroundings.
  MeterQuery meters;
  int process = 0;  // This one's id: its part of the machine's load is not another's.
  std::function<Result<std::unique_ptr<Executor>>()> open_executor;
  std::function<bool()> is_stopped = [] { return false; };
  std::function<void(const SessionProgress&)> show = [](const SessionProgress&) {};
  std::function<std::int64_t()> seconds_since_1970 = [] { return std::int64_t{0}; };
};

// Sums of parts against a whole.
struct SumOfParts {
  double energy = 0;  // Of the parts over the whole; 0 where it is not known.
  double time = 0;
  std::int64_t kernels = 0;  // Of the pass,
  std::int64_t known = 0;    // and how many of them were measured.
};

struct MeasureAnswer {
  BuiltModel tree;
  DistinctNodes distinct;
  Figures figures;  // Every window, by key.
  std::vector<std::optional<NodeFigures>>
      in_place;            // By distinct node: what it takes in the model.
  std::size_t reused = 0;  // Windows that the file had already.
  SumOfParts ops;          // Every kernel by itself, added up.
  SessionResult session;
  std::vector<Obstacle> obstacles;  // Why there is no energy, where there is none.
};

// An error where nothing could be measured; where it was cut short, session.ending tells.
Result<MeasureAnswer> measure_model(BuiltModel tree, const MeasureQuery& query);

// The tree in the format of docs/datasets.md, one line of it.
DatasetTree to_dataset(const MeasureAnswer& answer);

// Adds the tree to a dataset's file, in the place of one of the same pass. The file is there whole
// or as it was.
Status add_to_dataset(const DatasetTree& tree, const std::filesystem::path& path);

// The contract of docs/schemas/measured.schema.json.
std::string to_json(const MeasureAnswer& answer);

// "data.jsonl" -> "data.windows.jsonl"
std::filesystem::path windows_beside(const std::filesystem::path& dataset);

}  // namespace wattree
