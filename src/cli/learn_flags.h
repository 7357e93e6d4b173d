// What the commands that learn from datasets have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/train.h"

namespace CLI {
class App;
}  // namespace CLI

namespace wattree {

// --include, --exclude, --all-models and --skip-bad.
void describe_model_choice(CLI::App& command, ModelChoice& choice);

// --aggregate, --features.
struct MethodFlags {
  std::string aggregate = "reconciled";
  std::string features;
};
void describe_method(CLI::App& command, MethodFlags& flags);

// As they were checked.
Aggregate aggregate_of(const MethodFlags& flags);
IreneFeatures features_of(const MethodFlags& flags);

// "1.05", or "–" where there is nothing.
std::string percent_cell(const std::optional<double>& percent);

// "a, b and c"
std::string list_of(const std::vector<std::string>& names);

}  // namespace wattree
