// What the commands that learn from datasets have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/learn/learn_request.h"
#include "src/cli/command.h"

namespace wattree {

// --include, --exclude, --all-models and --skip-bad.
void describe_model_choice(CommandSyntax command, ModelChoice& choice);

// --aggregate, --features.
void describe_method(CommandSyntax command, MethodRequest& request);

// "1.05", or "–" where there is nothing.
std::string percent_cell(const std::optional<double>& percent);

// Tells the user, each on a line of its own.
void print_warnings(const std::vector<std::string>& warnings, Surroundings& world);

}  // namespace wattree
