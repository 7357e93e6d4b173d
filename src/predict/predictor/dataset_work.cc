#include "src/predict/predictor/dataset_work.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "src/base/mib.h"
#include "src/models/tree/dtype.h"

namespace wattree {
namespace {

// K and N of a product of M rows, from flops = 2MKN + bias_adds*MN and the elements it touches,
// MK + weight_copies*KN + outputs*MN. Eliminating K leaves a quadratic in N; `larger_n` takes its
// larger root. Nothing where the counts are those of something else.
struct KAndN {
  double k = 0;
  double n = 0;
};
std::optional<KAndN> solve_product(double m, double flops, double elements, double bias_adds,
                                   double weight_copies, double outputs, bool larger_n) {
  const double p = flops / m;  // N (2K + bias_adds)
  // K = (p/N - a)/2. Touched: M K + c K N + o M N = elements, times 2N:
  //   M (p - aN) + c N (p - aN) + 2 o M N^2 - 2 N elements = 0
  const double a = bias_adds;
  const double c = weight_copies;
  const double square = 2.0 * outputs * m - c * a;
  const double linear = c * p - a * m - 2.0 * elements;
  const double constant = m * p;
  const double root = linear * linear - 4.0 * square * constant;
  if (square <= 0 || root < 0) return std::nullopt;
  const double spread = std::sqrt(root);
  for (const double n : {(-linear + (larger_n ? spread : -spread)) / (2.0 * square),
                         (-linear + (larger_n ? -spread : spread)) / (2.0 * square)}) {
    const double whole_n = std::round(n);
    if (whole_n < 1) continue;
    const double k = std::round((p / whole_n - a) / 2.0);
    // Both must be whole numbers that give the counts back.
    if (k >= 1 && std::abs(whole_n * (2.0 * k + a) - p) <= 1e-6 * p &&
        std::abs(m * k + c * k * whole_n + outputs * m * whole_n - elements) <= 1e-3 * elements) {
      return KAndN{k, whole_n};
    }
  }
  return std::nullopt;
}

Work product(double m, KAndN size, double width) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.width = work.weight_width = width;
  work.m = m;
  work.n = size.n;
  work.k = size.k;
  return work;
}

Work stream(WorkKind kind, double bytes, double rows = 0) {
  Work work;
  work.kind = kind;
  work.bytes = bytes;
  work.m = rows;
  return work;
}

std::optional<Work> leaf_by_formula(std::string_view type, double b, double s, double flops,
                                    double bytes, double width) {
  const double elements = bytes / width;
  if (type == "Linear") {
    // On b x s vectors: a product for each of the b with a copy of the weight, then the bias added.
    if (auto size = solve_product(b * s, flops, elements, 1, b, 3, false)) {
      return product(b * s, *size, width);
    }
    // On b vectors, as in a pooler: one product with the bias inside.
    if (auto size = solve_product(b, flops, elements, 0, 1, 1, false))
      return product(b, *size, width);
  }
  if (type == "Conv1D") {
    // Symmetric in K and N, so the counts do not say which is which: N is taken as the larger, as
    // the measurements do (a 4H -> H product carries the figures of the H -> 4H one).
    if (auto size = solve_product(b * s, flops, elements, 0, 1, 1, true)) {
      return product(b * s, *size, width);
    }
  }
  if (type == "MatMul") {
    // flops = 2 b h s^2 d, elements = b h (2 s d + s^2)
    const double hd = flops / (2 * b * s * s);
    const double h = std::round((elements / b - 2 * s * hd) / (s * s));
    if (h >= 1 && hd > 0) {
      Work work;
      work.kind = WorkKind::kMatmul;
      work.groups = b * h;
      work.m = work.n = s;
      work.k = hd / h;
      work.width = work.weight_width = width;
      return work;
    }
  }
  if (type == "Softmax") {
    const double values = flops / 5;
    return stream(WorkKind::kSoftmax, 2 * values * width, values / s);
  }
  if (type == "LayerNorm") return stream(WorkKind::kNormalization, bytes / 2);  // Counted 4 times.
  if (type == "Embedding") return stream(WorkKind::kGather, 2 * bytes);  // The rows' reading isn't.
  if (type == "Tanh") return stream(WorkKind::kActivation, 2 * bytes);   // Counted once.
  return std::nullopt;
}

std::int32_t index_of(std::vector<std::string>& names,
                      std::unordered_map<std::string, std::int32_t>& by_name,
                      const std::string& name) {
  const auto [it, is_new] = by_name.try_emplace(name, static_cast<std::int32_t>(names.size()));
  if (is_new) names.push_back(name);
  return it->second;
}

// Joules or seconds that a node can have taken. Beyond them sums of squares overflow.
constexpr double kMostPlausible = 1e15;
bool is_plausible(double amount) { return amount > 1e-15 && amount < kMostPlausible; }

TreeLevel level_of(const DatasetNode& node) {
  if (node.is_leaf()) return TreeLevel::kMl;
  return node.parent < 0 ? TreeLevel::kModel : TreeLevel::kModule;
}

}  // namespace

double element_width(const DatasetTree& tree) {
  const auto precision = parse_precision(tree.dtype).value_or(Precision::kFp32);
  return static_cast<double>(byte_size(activation_dtype(precision)));
}

Work work_of_leaf(std::string_view type, double batch, double seq, double flops, double bytes,
                  double width) {
  if (batch >= 1 && seq >= 1 && flops >= 0 && bytes > 0) {
    if (const auto work = leaf_by_formula(type, batch, seq, flops, bytes, width)) return *work;
  }
  return stream(WorkKind::kActivation, std::max(bytes, 0.0));
}

WorkKind kind_of_kernel(std::string_view op) {
  if (op == "copy") return WorkKind::kCopy;
  if (op == "scores") return WorkKind::kScores;
  if (op == "gelu") return WorkKind::kTranscendental;
  return WorkKind::kElementwise;
}

WorkTrees work_of(const std::vector<const DatasetTree*>& trees) {
  WorkTrees out;
  std::unordered_map<std::string, std::int32_t> models;
  std::unordered_map<std::string, std::int32_t> types;
  std::int64_t not_positive = 0;
  std::set<std::string> dtypes;
  for (const DatasetTree* tree : trees) {
    dtypes.insert(tree->dtype.empty() ? "fp32" : tree->dtype);
    WorkTree& work = out.trees.emplace_back();
    work.model = index_of(out.models, models, tree->model_name);
    work.nodes.reserve(tree->nodes.size());
    std::vector<bool> has_leaf(tree->nodes.size(), false);
    for (const DatasetNode& node : tree->nodes) {
      if (node.is_leaf() && node.parent >= 0)
        has_leaf[static_cast<std::size_t>(node.parent)] = true;
    }
    for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
      const DatasetNode& node = tree->nodes[i];
      WorkNode& target = work.nodes.emplace_back();
      target.parent = node.parent;
      target.first = node.first;
      target.level = level_of(node);
      target.type = index_of(out.types, types, node.instance_type);
      target.works = static_cast<std::uint32_t>(work.works.size());
      const Features& f = node.features;
      if (node.is_leaf()) {
        const double flops = f.has(Feature::kFlops) ? f.get(Feature::kFlops) * 1e6 : 0;
        const double bytes = f.has(Feature::kMemory) ? f.get(Feature::kMemory) * kMiB : 0;
        work.works.push_back(work_of_leaf(node.instance_type, static_cast<double>(tree->batch_size),
                                          static_cast<double>(tree->seq_len), flops, bytes,
                                          element_width(*tree)));
      } else {
        for (const Kernels& kernels : node.ops) {
          work.works.push_back(stream(kind_of_kernel(kernels.op), kernels.mem_bytes * kMiB));
        }
        if (has_leaf[i]) work.works.push_back(stream(WorkKind::kModuleCall, 0));
      }
      target.work_count = static_cast<std::uint32_t>(work.works.size()) - target.works;
      const bool has_time = f.has(Feature::kTime) && is_plausible(f.get(Feature::kTime));
      if (has_time && f.has(Feature::kGpuEnergy) && f.get(Feature::kGpuEnergy) < kMostPlausible) {
        target.reading =
            NodeReading{Joules(f.get(Feature::kGpuEnergy)), Seconds(f.get(Feature::kTime)),
                        f.has(Feature::kCpu) ? f.get(Feature::kCpu) : 0.0};
      }
      if (has_time) target.time = Seconds(f.get(Feature::kTime));
      if (node.energy) {
        if (is_plausible(node.energy->value)) {
          target.energy = node.energy;
        } else {
          ++not_positive;
        }
      }
    }
  }
  if (dtypes.size() > 1) {
    out.warnings.emplace_back(
        "trees of several precisions share one set of prices: choose those of one, or learn from "
        "windows");
  }
  if (not_positive > 0) {
    out.warnings.push_back(
        std::to_string(not_positive) +
        " nodes have a measured energy of zero or less, or beyond any machine, and "
        "were left out");
  }
  return out;
}

}  // namespace wattree
