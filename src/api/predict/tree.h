// The tree of a model's pass: its nodes with parameters, FLOPs and bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/models/tree/view.h"

namespace wattree {

struct TreeRequest {
  ModelRef model;
  PassShape pass;
  TreeView view;
};
Result<TreeRequest> tree_request(const nlohmann::json& body);

struct TreeAnswer {
  BuiltModel built;
  TreeView view;
  std::vector<std::string> notes;
};
Result<TreeAnswer> tree(const TreeRequest& request, const Services& services);

// The contract of docs/schemas/tree.schema.json.
std::string to_json(const TreeAnswer& answer, int indent = 2);
// One row a node, in execution order, parents after their children.
std::string to_csv(const TreeAnswer& answer);

}  // namespace wattree
