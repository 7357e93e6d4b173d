#include "src/predict/estimate/scores.h"

#include <algorithm>

#include "src/base/csv.h"

namespace wattree {

std::string_view published_scores_csv();  // data/scores.csv

const std::vector<TaskScore>& published_scores() {
  static const std::vector<TaskScore> all = [] {
    std::vector<TaskScore> out;
    CsvReader csv(std::string(published_scores_csv()), "data/scores.csv");
    while (csv.next()) {
      const auto row = csv.row();
      out.push_back({std::string(row[0]), std::string(row[1]), std::string(row[2]),
                     parse_number(row[3]).value_or(0), std::string(row[4]),
                     static_cast<int>(parse_number(row[5]).value_or(0))});
    }
    return out;
  }();
  return all;
}

const TaskScore* find_score(std::string_view model, std::string_view task) {
  for (const TaskScore& score : published_scores()) {
    if (score.model == model && score.task == task) return &score;
  }
  return nullptr;
}

std::vector<std::string> scored_tasks() {
  std::vector<std::string> out;
  for (const TaskScore& score : published_scores()) {
    if (std::find(out.begin(), out.end(), score.task) == out.end()) out.push_back(score.task);
  }
  return out;
}

}  // namespace wattree
