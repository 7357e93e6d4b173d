#include "include/wattree/tree.h"

#include "src/facade/plain_error.h"
#include "src/facade/public_tree.h"
#include "src/models/hub/bundled.h"

namespace wattree {
namespace {

NodeLevel public_level(Level level) {
  switch (level) {
    case Level::kModel: return NodeLevel::kModel;
    case Level::kModule: return NodeLevel::kModule;
    case Level::kMl: return NodeLevel::kMl;
    case Level::kMath: return NodeLevel::kMath;
  }
  return NodeLevel::kMath;
}

TreeNode public_node(const Node& node) {
  TreeNode out;
  out.scope = node.scope;
  out.type = node.type;
  out.level = public_level(node.level);
  out.parent = node.parent;
  out.first = node.first;
  out.run = node.run;
  out.shape.assign(node.shape.begin(), node.shape.end());
  out.params = node.params;
  out.flops = node.flops;
  out.matmul_flops = node.matmul_flops;
  out.bytes = node.bytes;
  return out;
}

}  // namespace

std::string_view name_of(NodeLevel level) {
  switch (level) {
    case NodeLevel::kModel: return name_of(Level::kModel);
    case NodeLevel::kModule: return name_of(Level::kModule);
    case NodeLevel::kMl: return name_of(Level::kMl);
    case NodeLevel::kMath: return name_of(Level::kMath);
  }
  return "";
}

std::vector<std::string> bundled_config_names() {
  std::vector<std::string> names;
  for (const BundledModel& model : bundled_models()) names.emplace_back(model.name);
  return names;
}

Result<ModelConfig> bundled_config(std::string_view name) {
  if (const BundledModel* model = find_bundled(name)) {
    return ModelConfig{std::string(model->name), std::string(model->json)};
  }
  return Error{ErrorCode::kNotFound, "there is no bundled config \"" + std::string(name) + "\"",
               "bundled_config_names() lists them"};
}

PassShape shape_of(const PassOptions& pass) {
  PassShape out;
  out.batch = pass.batch;
  out.seq = pass.seq;
  out.target_len = pass.target_len;
  if (pass.past != 0) out.past = pass.past;
  out.dtype = pass.dtype;
  out.attention = pass.attention;
  out.as = pass.as;
  out.overrides = pass.set;
  return out;
}

Tree public_tree(const BuiltModel& built) {
  Tree out;
  out.model = built.model;
  out.class_name = built.class_name;
  out.batch = built.pass.batch;
  out.seq = built.pass.seq;
  out.past = built.pass.past;
  out.dtype = name_of(built.pass.precision);
  out.attention = name_of(built.pass.attention);
  out.nodes.reserve(built.tree.nodes().size());
  for (const Node& node : built.tree.nodes()) out.nodes.push_back(public_node(node));
  return out;
}

Result<Tree> build_tree(const ModelConfig& model, const PassOptions& pass) {
  const Result<BuiltModel> built = build_model(model.name, model.json, model.name, shape_of(pass));
  if (!built.ok()) return plain(built.error());
  return public_tree(built.value());
}

}  // namespace wattree
