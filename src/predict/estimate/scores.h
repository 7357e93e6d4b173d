// Published accuracies of bundled models on tasks: data/scores.csv. Few, and each with its source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattree {

struct TaskScore {
  std::string model;
  std::string task;    // "MMLU"
  std::string metric;  // "5-shot accuracy in %"
  double value = 0;    // More is better.
  std::string source;
  int year = 0;
};

// Read when somebody first asks.
const std::vector<TaskScore>& published_scores();
// Null where nothing is published, or not cited here.
const TaskScore* find_score(std::string_view model, std::string_view task);
// Each once, in the order of the table.
std::vector<std::string> scored_tasks();

}  // namespace wattree
