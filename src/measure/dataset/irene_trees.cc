#include "src/measure/dataset/irene_trees.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/in_quotes.h"
#include "src/measure/dataset/irene_paths.h"

namespace wattree {
namespace {

// The files name a root by its model, not by its class; a part that only that class has tells it.
struct RootSign {
  std::string_view scope;
  std::string_view class_name;
  std::string_view root;
};
constexpr std::array<RootSign, 6> kRootSigns{{
    {"root.embeddings", "BertEmbeddings", "BertModel"},
    {"root.embeddings", "RobertaEmbeddings", "RobertaModel"},
    {"root.transformer", "Transformer", "DistilBertModel"},
    {"root.wte", "Embedding", "GPT2Model"},
    {"root.tokens_embed", "Embedding", "OpenAIGPTModel"},
    {"root.w", "Embedding", "CTRLModel"},
}};

// Classes of module primitives that have no parameters.
constexpr std::array<std::string_view, 6> kNonParametric{"Tanh", "ReLU",    "GELU",
                                                         "SiLU", "Sigmoid", "Softmax"};

struct Draft {
  std::int32_t path = 0;
  const IreneRow* row = nullptr;
  std::vector<std::int32_t> children;
  std::int32_t leaves = 0;  // At or below it.
};

struct TreeDraft {
  IrenePaths* paths = nullptr;
  const IreneRow* first_row = nullptr;
  bool is_bad = false;
  std::vector<Draft> nodes;  // Parents before their children.
  std::unordered_map<std::int32_t, std::int32_t> by_path;
  std::map<std::pair<std::int32_t, std::string_view>, int> ops;  // How many of a kind, below what.
};

class Builder {
 public:
  Builder(const IreneRows& rows, Problems& problems) : rows_(rows), problems_(problems) {}

  IreneTrees run() {
    for (const IreneRow& row : rows_.rows) {
      if (row.file == IreneFile::kModule || row.file == IreneFile::kMl1) {
        paths_of(row).note(row.path);
      }
    }
    for (const IreneRow& row : rows_.rows) place(row);
    for (TreeDraft& tree : trees_) check(tree);
    for (auto& [name, paths] : paths_) name_root(name, paths);
    IreneTrees out;
    for (const TreeDraft& tree : trees_) {
      if (tree.is_bad) {
        ++out.skipped;
      } else {
        out.trees.push_back(finish(tree));
      }
    }
    return out;
  }

 private:
  IrenePaths& paths_of(const IreneRow& row) { return paths_[row.model]; }

  TreeDraft& build_model(const IreneRow& row) {
    const auto [at, is_new] =
        tree_by_key_.emplace(std::tuple(row.model, row.batch_size, row.seq_len), trees_.size());
    if (is_new) {
      trees_.emplace_back();
      trees_.back().paths = &paths_of(row);
      trees_.back().first_row = &row;
      node_at(trees_.back(), IrenePaths::kRoot);
    }
    return trees_[at->second];
  }

  // The node of a path, made together with everything above it.
  std::int32_t node_at(TreeDraft& tree, std::int32_t path) {
    if (const auto known = tree.by_path.find(path); known != tree.by_path.end()) {
      return known->second;
    }
    const std::int32_t above = (*tree.paths)[path].parent;
    const std::int32_t parent = above < 0 ? -1 : node_at(tree, above);
    const auto self = static_cast<std::int32_t>(tree.nodes.size());
    if (parent >= 0) tree.nodes[static_cast<std::size_t>(parent)].children.push_back(self);
    tree.nodes.push_back({path, nullptr, {}, 0});
    tree.by_path.emplace(path, self);
    return self;
  }

  void place(const IreneRow& row) {
    TreeDraft& tree = build_model(row);
    if (!row.is_good) {
      tree.is_bad = true;
      return;
    }
    IrenePaths& paths = *tree.paths;
    std::int32_t path = IrenePaths::kRoot;
    if (row.file != IreneFile::kModel) path = paths.find(row.path);
    if (row.file == IreneFile::kMl2) {
      path = paths.find_op(path, row.class_name, tree.ops[{path, row.class_name}]++);
    }
    Draft& node = tree.nodes[static_cast<std::size_t>(node_at(tree, path))];
    if (node.row != nullptr) {
      return report(tree, row,
                    "there is a row for " + in_quotes(paths[path].scope) + " of " +
                        in_quotes(row.model) + " at this size already, in " +
                        rows_.where(*node.row));
    }
    node.row = &row;
    if (paths[path].class_name.empty()) paths[path].class_name = row.class_name;
  }

  void report(TreeDraft& tree, const IreneRow& row, const std::string& what) {
    tree.is_bad = true;
    problems_.add(rows_.where(row) + ": " + what);
  }

  // Leaves must be leaves and a root must have some. Counts the leaves at every path.
  void check(TreeDraft& tree) {
    if (tree.is_bad) return;
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
      Draft& node = tree.nodes[i];
      IrenePaths::Path& path = (*tree.paths)[node.path];
      for (const std::int32_t child : node.children) {
        node.leaves += tree.nodes[static_cast<std::size_t>(child)].leaves;
      }
      if (node.children.empty()) node.leaves = 1;
      path.leaves = std::max(path.leaves, node.leaves);
      const bool is_op = node.row != nullptr &&
                         (node.row->file == IreneFile::kMl1 || node.row->file == IreneFile::kMl2);
      if (is_op && !node.children.empty()) {
        const Draft& below = tree.nodes[static_cast<std::size_t>(node.children.front())];
        report(tree, *node.row,
               in_quotes(path.scope) + " is an operation, but " +
                   in_quotes((*tree.paths)[below.path].scope) + " is below it");
      }
    }
    if (tree.nodes.front().children.empty()) {
      report(tree, *tree.first_row, "the model has no other row at this size");
    }
  }

  void name_root(std::string_view model, IrenePaths& paths) {
    IrenePaths::Path& root = paths[IrenePaths::kRoot];
    root.class_name = model;
    for (std::size_t i = 1; i < paths.size(); ++i) {
      const IrenePaths::Path& path = paths[static_cast<std::int32_t>(i)];
      for (const RootSign& sign : kRootSigns) {
        if (path.scope == sign.scope && path.class_name == sign.class_name) {
          root.class_name = sign.root;
        }
      }
    }
  }

  static NodeType type_of(const Draft& draft, const std::string& class_name) {
    if (draft.path == IrenePaths::kRoot) return NodeType::kModel;
    if (!draft.children.empty()) return NodeType::kModule;
    const bool has_none =
        draft.row->file == IreneFile::kMl2 ||
        std::find(kNonParametric.begin(), kNonParametric.end(), class_name) != kNonParametric.end();
    return has_none ? NodeType::kMlNonParametric : NodeType::kMl;
  }

  // Appends the subtree, children first.
  std::int32_t append(IreneTree& out, const TreeDraft& tree, std::int32_t index) {
    const Draft& draft = tree.nodes[static_cast<std::size_t>(index)];
    const IrenePaths::Path& path = (*tree.paths)[draft.path];
    std::vector<DatasetNode>& nodes = out.tree.nodes;
    DatasetNode node;
    node.first = static_cast<std::int32_t>(nodes.size());
    std::vector<std::int32_t> children;
    for (const std::int32_t child : draft.children) children.push_back(append(out, tree, child));
    const auto self = static_cast<std::int32_t>(nodes.size());
    for (const std::int32_t child : children) {
      nodes[static_cast<std::size_t>(child)].parent = self;
    }
    node.scope = path.scope;
    node.id = out.tree.model_name + "/" + std::to_string(out.tree.batch_size) + "x" +
              std::to_string(out.tree.seq_len) + "/" + path.scope;
    node.instance_type = path.class_name.empty() ? "Module" : path.class_name;
    if (draft.row != nullptr) {
      if (!draft.row->class_name.empty()) node.instance_type = draft.row->class_name;
      node.features = draft.row->features;
      node.energy = draft.row->energy;
    }
    node.type = type_of(draft, node.instance_type);
    nodes.push_back(std::move(node));
    out.is_whole.push_back(draft.row != nullptr && draft.leaves == path.leaves);
    return self;
  }

  IreneTree finish(const TreeDraft& tree) {
    IreneTree out;
    out.tree.model_name = tree.first_row->model;
    out.tree.protocol = "irene-published";  // By a wall meter, of which nothing else is.
    out.tree.batch_size = tree.first_row->batch_size;
    out.tree.seq_len = tree.first_row->seq_len;
    out.tree.nodes.reserve(tree.nodes.size());
    append(out, tree, 0);
    return out;
  }

  const IreneRows& rows_;
  Problems& problems_;
  std::map<std::string_view, IrenePaths> paths_;  // By model.
  std::vector<TreeDraft> trees_;
  std::map<std::tuple<std::string_view, std::int64_t, std::int64_t>, std::size_t> tree_by_key_;
};

}  // namespace

IreneTrees build_irene_trees(const IreneRows& rows, Problems& problems) {
  return Builder(rows, problems).run();
}

}  // namespace wattree
