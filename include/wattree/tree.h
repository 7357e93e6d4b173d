// The tree of a model's forward pass or decode step, from its config alone: every module and every
// kernel, with parameters, FLOPs and bytes. docs/trees.md has the conventions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattree/result.h"

namespace wattree {

// A model: the text of its config.json, as the framework writes it, and a name to show.
struct ModelConfig {
  std::string name;
  std::string json;
};

// The configs that come with Wattree, by name, such as "bert-base-uncased".
std::vector<std::string> bundled_config_names();
Result<ModelConfig> bundled_config(std::string_view name);

// The pass to look at. Fields that are left empty take the defaults of the command line.
struct PassOptions {
  std::int64_t batch = 1;
  std::optional<std::int64_t> seq;         // Tokens of the source: 128, or what the model can take.
  std::optional<std::int64_t> target_len;  // Of an encoder-decoder: as `seq`.
  std::int64_t past = 0;  // Above 0: one decode step over a cache of so many tokens.
  std::string dtype;      // "bf16"; empty: the config's, or else fp32.
  std::string attention;  // "sdpa" or "eager"; empty: sdpa.
  std::string as;         // The class to build; empty: the config's, or else the base model.
  std::vector<std::pair<std::string, std::string>> set;  // Fields of the config to override.
};

enum class NodeLevel {
  kModel,
  kModule,
  kMl,    // A building block: Linear, LayerNorm, Softmax.
  kMath,  // A kernel: addmm, gelu.
};
std::string_view name_of(NodeLevel level);  // "model", "module", "ml", "math"

struct TreeNode {
  std::string scope;  // The module's dotted path, "" of the root; "parent:op" of a kernel.
  std::string type;   // The module's class, or the op.
  NodeLevel level = NodeLevel::kModule;
  std::int32_t parent = -1;         // Index in Tree::nodes; -1 of the root.
  std::int32_t first = 0;           // The nodes [first, this one] are its subtree.
  std::int32_t run = -1;            // Which run of a module that runs repeatedly; -1: it runs once.
  std::vector<std::int64_t> shape;  // Of its (first) output.
  std::int64_t params = 0;
  std::int64_t flops = 0;         // A multiply-add is two.
  std::int64_t matmul_flops = 0;  // Of matrix products, convolutions and attention products.
  std::int64_t bytes = 0;         // To be read and written once each.
};

struct Tree {
  std::string model;
  std::string class_name;
  // The pass with its defaults filled in.
  std::int64_t batch = 1;
  std::int64_t seq = 0;
  std::int64_t past = 0;
  std::string dtype;
  std::string attention;
  std::vector<TreeNode> nodes;  // Children before their parents; the root is the last one.

  const TreeNode& root() const { return nodes.back(); }
};

// Fails with kInvalidInput where the text is no config, its family is not known, or the pass does
// not fit the model.
Result<Tree> build_tree(const ModelConfig& model, const PassOptions& pass = {});

}  // namespace wattree
