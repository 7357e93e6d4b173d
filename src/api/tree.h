// The tree use case: a model, a pass, and what comes out as JSON or CSV. No sockets, no printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/family/family.h"

namespace wattree {

// What a user asks for; empty or absent means the default.
struct TreeQuery {
  std::int64_t batch = 1;
  std::optional<std::int64_t> seq;         // The family's: 128, or less where it cannot run that.
  std::optional<std::int64_t> target_len;  // seq
  std::int64_t past = 0;
  std::string dtype;      // The config's, or else fp32.
  std::string attention;  // sdpa
  std::string as;
  std::vector<std::pair<std::string, std::string>> overrides;  // --set key=value
  bool keeps_dataflow = false;                                 // For trees that are to be run.
};

struct TreeAnswer {
  std::string model;  // As the user named it.
  std::string model_type;
  std::string class_name;
  Pass pass;
  bool is_encoder_decoder = false;  // target_len means something,
  bool has_text_source = true;      // and so does the source behind a decode step.
  ModelTree tree;
  // Of a tree that is to be run: what it takes to build it again. Empty of a TorchScript file.
  std::string config;
  std::vector<std::pair<std::string, std::string>> overrides;
};

// `config_json` is the text of a config.json, `origin` where it comes from.
Result<TreeAnswer> tree_of(const std::string& model, const std::string& config_json,
                           const std::string& origin, const TreeQuery& query);

// Which nodes to write: down to a level of detail, and to a depth below the root.
struct TreeView {
  Level level = Level::kMath;
  std::optional<int> depth;
  bool shows(const Node& node, int node_depth) const {
    return node.level <= level && (!depth || node_depth <= *depth);
  }
};

// The contract of docs/schemas/tree.schema.json.
std::string to_json(const TreeAnswer& answer, const TreeView& view, int indent = 2);
// One row a node, in execution order, parents after their children.
std::string to_csv(const TreeAnswer& answer, const TreeView& view);

std::string_view name_of(Attention attention);

}  // namespace wattree
