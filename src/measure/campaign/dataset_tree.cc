#include "src/measure/campaign/dataset_tree.h"

#include <algorithm>

#include "src/base/file.h"
#include "src/base/mib.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"
#include "src/models/tree/cost.h"

namespace wattree {
namespace {

// FLOPs, and elements read and written, as IrEne's columns have them: a predictor takes a leaf's
// sizes from these (docs/datasets.md).
struct IreneCounts {
  double flops = 0;
  double elements = 0;
  double bytes = 0;  // Besides the elements.
};

double count(const Operand& operand) { return static_cast<double>(element_count(operand.size)); }

std::optional<IreneCounts> counts_of_product(const ModelTree& tree, const Node& node,
                                             std::string_view type, double b, double s) {
  // Input, then weight; a bias comes before both.
  const auto inputs = tree.inputs(node);
  const std::size_t first = node.op == Op::kAddmm ? 1 : 0;
  if (inputs.size() < first + 2) return std::nullopt;
  const double n =
      static_cast<double>(node.shape.rank() > 0 ? node.shape[node.shape.rank() - 1] : 0);
  const double mn = count(tree.outputs(node).front());
  const double kn = count(inputs[first + 1]);
  if (n <= 0 || mn <= 0) return std::nullopt;
  const double m = mn / n;
  const double k = kn / n;
  if (type == "Linear" && m == b * s) {
    return IreneCounts{2 * m * k * n + m * n, m * k + b * k * n + 3 * m * n, 0};
  }
  return IreneCounts{2 * m * k * n, m * k + k * n + m * n, 0};
}

std::optional<IreneCounts> counts_of(const ModelTree& tree, const Node& node, double b, double s) {
  const std::string_view type = node.type;
  const auto values = static_cast<double>(element_count(node.shape));
  if (type == "Tanh") return IreneCounts{4 * values, values, 0};
  if (node.outputs == 0) return std::nullopt;
  if (type == "Linear" || type == "Conv1D") return counts_of_product(tree, node, type, b, s);
  if (type == "MatMul" && node.op == Op::kBmm) {
    double elements = values;
    for (const Operand& input : tree.inputs(node)) elements += count(input);
    return IreneCounts{static_cast<double>(node.matmul_flops), elements, 0};
  }
  if (type == "Softmax") return IreneCounts{5 * values, 3 * values, 0};
  if (type == "LayerNorm") return IreneCounts{8 * values, 4 * values, 0};
  if (type == "Embedding") {
    const auto inputs = tree.inputs(node);
    const double ids = inputs.size() > 1 ? count(inputs[1]) : 0;
    return IreneCounts{0, values, 8 * ids};
  }
  return std::nullopt;
}

void set_if(Features& features, Feature feature, const std::optional<double>& value) {
  if (value) features.set(feature, *value);
}

class DatasetBuilder {
 public:
  explicit DatasetBuilder(const MeasuredPass& pass)
      : pass_(pass), tree_(pass.tree.tree), place_(tree_.nodes().size(), -1) {}

  DatasetTree build() {
    out_.model_name = pass_.tree.model;
    out_.batch_size = pass_.tree.pass.batch;
    out_.seq_len = pass_.tree.pass.seq;
    out_.dtype = std::string(name_of(pass_.tree.pass.precision));
    out_.protocol = pass_.protocol;
    const auto nodes = tree_.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_node(i)) add(i);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!is_node(i)) add_kernel(i);
    }
    return std::move(out_);
  }

 private:
  // What runs, down to ml; the kernels below stand in `ops` of the node around them.
  bool is_node(std::size_t i) const {
    return pass_.distinct.of[i] >= 0 && tree_.nodes()[i].level != Level::kMath;
  }
  std::int32_t ancestor(std::size_t i) const {
    for (std::int32_t up = tree_.nodes()[i].parent; up >= 0;
         up = tree_.nodes()[static_cast<std::size_t>(up)].parent) {
      if (place_[static_cast<std::size_t>(up)] >= 0) return place_[static_cast<std::size_t>(up)];
    }
    return -1;
  }

  void add(std::size_t i) {
    const Node& node = tree_.nodes()[i];
    const auto index = static_cast<std::int32_t>(out_.nodes.size());
    place_[i] = index;
    DatasetNode& target = out_.nodes.emplace_back();
    target.scope = node.scope.empty() ? "root" : "root." + std::string(node.scope);
    target.id = out_.model_name + "/" + out_.dtype + "/" + std::to_string(out_.batch_size) + "x" +
                std::to_string(out_.seq_len) + "/" + std::to_string(i);
    target.instance_type = node.type;
    // The subtree: from the first of the nodes below it that are in.
    target.first = index;
    while (target.first > 0 &&
           out_.nodes[static_cast<std::size_t>(target.first) - 1].parent == -1 &&
           source_[static_cast<std::size_t>(target.first) - 1] >= node.first) {
      const DatasetNode& child = out_.nodes[static_cast<std::size_t>(target.first) - 1];
      const std::int32_t next = child.first;
      out_.nodes[static_cast<std::size_t>(target.first) - 1].parent = index;
      target.first = next;
    }
    source_.push_back(static_cast<std::int32_t>(i));
    const bool is_leaf = target.first == index;
    target.type = i + 1 == tree_.nodes().size() ? NodeType::kModel
                  : !is_leaf                    ? NodeType::kModule
                  : node.params > 0             ? NodeType::kMl
                                                : NodeType::kMlNonParametric;
    add_features(i, node, is_leaf, target);
  }

  void add_features(std::size_t i, const Node& node, bool is_leaf, DatasetNode& target) const {
    Features& features = target.features;
    features.set(Feature::kParameters, static_cast<double>(node.params));
    features.set(Feature::kFlops, static_cast<double>(node.flops) / 1e6);
    features.set(Feature::kMemory, static_cast<double>(node.bytes) / kMiB);
    if (is_leaf) {
      if (const auto counts = counts_of(tree_, node, static_cast<double>(out_.batch_size),
                                        static_cast<double>(out_.seq_len))) {
        const auto width =
            static_cast<double>(byte_size(activation_dtype(pass_.tree.pass.precision)));
        features.set(Feature::kFlops, counts->flops / 1e6);
        features.set(Feature::kMemory, (counts->elements * width + counts->bytes) / kMiB);
      }
    }
    const auto& figures = pass_.in_place[static_cast<std::size_t>(pass_.distinct.of[i])];
    if (!figures) return;
    const Resources& r = figures->resources;
    set_if(features, Feature::kCpu, r.cpu_percent);
    set_if(features, Feature::kRam, r.ram_percent);
    set_if(features, Feature::kGpu, r.gpu_percent);
    set_if(features, Feature::kGpuMemory, r.gpu_memory_percent);
    set_if(features, Feature::kGpuClock, r.sm_clock_mhz);
    set_if(features, Feature::kGpuMemClock, r.memory_clock_mhz);
    features.set(Feature::kTime, figures->time.value);
    // Not kGpuEnergy: where the GPU's counter is the meter, it is the energy to predict.
    target.energy = figures->energy;
  }

  void add_kernel(std::size_t i) {
    const Node& node = tree_.nodes()[i];
    if (pass_.distinct.of[i] < 0 || !tree_.is_leaf(node)) return;
    const std::int32_t parent = ancestor(i);
    if (parent < 0) return;
    DatasetNode& target = out_.nodes[static_cast<std::size_t>(parent)];
    const std::string_view op = facts_of(node.op).op_class == OpClass::kCopy ? "copy" : node.type;
    auto found = std::find_if(target.ops.begin(), target.ops.end(),
                              [&](const Kernels& kernels) { return kernels.op == op; });
    if (found == target.ops.end()) found = target.ops.insert(found, Kernels{std::string(op)});
    found->calls += 1;
    found->flops += static_cast<double>(node.flops) / 1e6;
    found->mem_bytes += static_cast<double>(node.bytes) / kMiB;
  }

  const MeasuredPass& pass_;
  const ModelTree& tree_;
  std::vector<std::int32_t> place_;   // By node of the model's tree: that of the dataset's.
  std::vector<std::int32_t> source_;  // The other way.
  DatasetTree out_;
};

}  // namespace

DatasetTree to_dataset(const MeasuredPass& pass) { return DatasetBuilder(pass).build(); }

Status add_to_dataset(const DatasetTree& tree, const std::filesystem::path& path) {
  std::vector<DatasetTree> trees;
  const Result<bool> is_there = file_exists(path);
  if (!is_there.ok()) return is_there.error();
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown)) {
    Result<Dataset> read = read_dataset(path);
    if (!read.ok()) return read.error();
    trees = std::move(read).value().trees;
  }
  const auto is_same = [&](const DatasetTree& other) { return other.root().id == tree.root().id; };
  trees.erase(std::remove_if(trees.begin(), trees.end(), is_same), trees.end());
  trees.push_back(tree);
  return write_dataset(path, trees);
}

}  // namespace wattree
