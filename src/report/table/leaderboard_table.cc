#include "src/report/table/leaderboard_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {

std::string leaderboard_table(const Leaderboard& board, std::string_view per,
                              const std::string& basis) {
  double most = 0;
  bool has_scores = false;
  for (const LeaderboardRow& row : board.rows) {
    if (row.unit) most = std::max(most, row.unit->energy.value);
    has_scores = has_scores || row.score != nullptr;
  }
  std::vector<Column> columns{{"model"},
                              {"class"},
                              {"dtype"},
                              {"params", true},
                              {"energy per " + std::string(per), true},
                              {"90 %", true},
                              {"basis"},
                              {"time", true},
                              {"memory"}};
  if (has_scores) columns.push_back({"score", true});
  columns.push_back({"front"});
  columns.push_back({""});
  std::vector<std::vector<std::string>> rows;
  for (const LeaderboardRow& row : board.rows) {
    const double share = row.unit && most > 0 ? row.unit->energy.value / most : 0;
    std::vector<std::string>& cells = rows.emplace_back();
    cells = {row.model,
             row.class_name,
             std::string(row.dtype),
             with_prefix(static_cast<double>(row.params)),
             row.unit ? with_any_prefix(row.unit->energy) : "–",
             row.unit ? plus_minus(row.unit->energy_spread()) : "",
             row.unit ? basis : "",
             row.pass.time > Seconds() ? with_any_prefix(row.pass.time) : "–",
             row.memory.fits() ? (row.meets_budgets ? "fits" : "fits, over the budget")
                               : "does not fit"};
    if (has_scores) {
      cells.push_back(row.score != nullptr ? fmt::format("{:.1f}", row.score->value) : "–");
    }
    cells.emplace_back(row.is_on_params_front ? "*" : "");
    cells.push_back(bar(share, kBarCells));
  }
  std::string out = render_table(columns, rows);
  out += "* no model of the list has as many parameters for less energy\n";
  for (const Leaderboard::LeftOut& left : board.left_out) {
    out += "left out: " + left.model + ": " + left.why + "\n";
  }
  return out;
}

}  // namespace wattree
