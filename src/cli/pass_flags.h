// Flags that every command about a model's pass has, and what they mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/predict/tree.h"
#include "src/cli/command.h"

namespace wattree {

inline constexpr const char* kModelHelp =
    "A bundled name (see `wattree models`), a config.json or its folder, or org/name on the "
    "Hugging Face Hub";

// What a command does with precisions, which decides which ones it offers. Quantised weights are
// counted, but nobody has measured them.
// kRanked: all models have one.
enum class PrecisionUse { kCounted, kRun, kRanked };

struct PassFlags {
  PassShape query;
  std::vector<std::string> sets;
  std::string revision;
};
// -b and -s, of commands that take one of each.
void describe_size(CommandSyntax command, PassFlags& flags);
// All others: some commands take lists of those.
void describe_pass(CommandSyntax command, PassFlags& flags, PrecisionUse use);
// Takes --set apart, into the query.
Status read_sets(PassFlags& flags);

struct ViewFlags {
  std::string level;
  std::optional<int> depth;
  bool all = false;
};
void describe_view(CommandSyntax command, ViewFlags& flags);
// Data shows every node unless told otherwise, a table building blocks.
Result<TreeView> view_of(const ViewFlags& flags, bool is_data);

// What the user should know beside the answer.
void show_notes(const std::vector<std::string>& notes, Surroundings& world);

}  // namespace wattree
