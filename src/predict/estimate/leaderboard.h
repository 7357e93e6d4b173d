// Models side by side for one size and device: who takes least, and what is worth its energy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/models/families/model_kind.h"
#include "src/predict/estimate/compare_models.h"
#include "src/predict/estimate/scores.h"

namespace wattree {

enum class Per : std::uint8_t { kItem, kToken, kPass };
std::string_view name_of(Per per);
std::optional<Per> parse_per(std::string_view text);

struct LeaderboardQuery {
  std::vector<NamedModel> models;
  PassShape pass;
  LoadedPredictor by;
  Per per = Per::kItem;
  std::optional<ModelKind> kind;      // Only these,
  std::string family;                 // and only those of this model_type.
  std::string task;                   // Whose published scores stand beside; empty: none.
  std::optional<Joules> most_energy;  // Budgets: of one item, token or pass,
  std::optional<Seconds> most_time;   // and of a pass.
};

struct LeaderboardRow {
  std::string model;
  std::string model_type;
  std::string class_name;
  ModelKind kind = ModelKind::kEncoder;
  std::int64_t params = 0;
  std::string_view dtype;
  PassEstimate pass;
  std::optional<PassEstimate> unit;  // Of one item, token or pass. Absent: it reads no tokens.
  MemoryFit memory;
  const TaskScore* score = nullptr;
  bool meets_budgets = true;
  // Whether no other model of the list does better in one thing without taking more energy: has
  // more parameters, takes less time, or has the higher score. Only what fits counts.
  bool is_on_params_front = false;
  bool is_on_time_front = false;
  bool is_on_score_front = false;
};

struct Leaderboard {
  std::vector<LeaderboardRow> rows;  // Least energy first; those without a figure last.
  struct LeftOut {
    std::string model;
    std::string why;
  };
  std::vector<LeftOut> left_out;  // They cannot run such a pass.
  std::string headline;
};

// Takes some threads for long lists.
Leaderboard leaderboard(const LeaderboardQuery& query);

}  // namespace wattree
