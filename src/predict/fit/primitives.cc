#include "src/predict/fit/primitives.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "src/models/symbolic/nn.h"
#include "src/models/tree/cost.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

constexpr std::int64_t kTokens[] = {1, 16, 128, 512, 2048, 8192};
struct Weight {
  std::int64_t in, out;
};
constexpr Weight kWeights[] = {{256, 256},   {768, 768},   {768, 3072},  {3072, 768},
                               {1024, 4096}, {2048, 2048}, {2048, 8192}, {8192, 2048},
                               {4096, 4096}, {4096, 14336}};
constexpr std::int64_t kGroups[] = {12, 48, 192, 512};
constexpr std::int64_t kLengths[] = {32, 128, 512, 1024};
constexpr std::int64_t kPasts[] = {128, 512, 2048};  // Tokens in the cache of a decode step.
constexpr std::int64_t kWidths[] = {768, 2048, 4096};
constexpr std::int64_t kRows[] = {16, 128, 1024, 8192, 32768};
constexpr std::int64_t kHead = 64;
constexpr std::int64_t kTable = 30'000;  // Rows of an embedding.

class Primitives {
 public:
  Primitives(Trace& trace, const PrimitiveLimits& limits) : trace_(trace), limits_(limits) {}

  void add_all() {
    for (const Weight& weight : kWeights) {
      // With a bias and without, in turn: they are different kernels.
      Bias bias = Bias::kYes;
      for (const std::int64_t tokens : kTokens) {
        add_linear(tokens, weight, bias);
        bias = bias == Bias::kYes ? Bias::kNo : Bias::kYes;
      }
    }
    for (const std::int64_t groups : kGroups) {
      for (const std::int64_t length : kLengths) add_attention(groups, length);
      for (const std::int64_t past : kPasts) add_step(groups, past);
    }
    for (const std::int64_t width : kWidths) {
      for (const std::int64_t rows : kRows) add_streams(rows, width);
    }
  }

 private:
  bool fits(double flops, double elements) const {
    return flops <= limits_.flops &&
           elements * static_cast<double>(byte_size(trace_.dtype())) <= limits_.bytes;
  }
  std::string next(const char* kind) { return std::string(kind) + std::to_string(count_++); }
  Tensor values(const Dims& size) { return trace_.tensor(trace_.dtype(), size); }

  void add_linear(std::int64_t tokens, const Weight& weight, Bias bias) {
    const auto m = static_cast<double>(tokens);
    const auto k = static_cast<double>(weight.in);
    const auto n = static_cast<double>(weight.out);
    if (!fits(2 * m * k * n, m * k + k * n + m * n)) return;
    linear(values({tokens, weight.in}), next("linear"), weight.out, bias);
  }

  // Products of activations, the softmax between them, what is added to scores, and all of it
  // fused.
  void add_attention(std::int64_t groups, std::int64_t length) {
    const auto scores = static_cast<double>(groups * length * length);
    if (!fits(2 * scores * kHead, 3 * scores)) return;
    bmm(values({groups, length, kHead}), values({groups, kHead, length}));
    bmm(values({groups, length, length}), values({groups, length, kHead}));
    softmax(values({groups, length, length}));
    const Tensor plain = values({groups, length, length});
    trace_.emit(Op::kSafeSoftmax, {&plain}, Tensor(&trace_, plain.dtype, plain.size));
    values({groups, length, length}) + values({1, 1, length});
    const Tensor q = values({1, groups, length, kHead});
    const Tensor k = values({1, groups, length, kHead});
    const Tensor v = values({1, groups, length, kHead});
    scaled_dot_product_attention(q, k, v, {});
    SdpaOptions masked;
    masked.mask = values({1, 1, length, length});
    scaled_dot_product_attention(values({1, groups, length, kHead}),
                                 values({1, groups, length, kHead}),
                                 values({1, groups, length, kHead}), masked);
  }

  // A new token's attention to those before it, and what it adds to the cache of their keys.
  void add_step(std::int64_t groups, std::int64_t past) {
    const auto cached = static_cast<double>(groups * past * kHead);
    if (!fits(4 * cached, 2 * cached)) return;
    const Tensor q = values({1, groups, 1, kHead});
    const Tensor k = values({1, groups, past, kHead});
    const Tensor v = values({1, groups, past, kHead});
    scaled_dot_product_attention(q, k, v, {});
    const Tensor keys = values({1, groups, past, kHead});
    const Tensor key = values({1, groups, 1, kHead});
    cat({&keys, &key}, 2);
  }

  void add_streams(std::int64_t rows, std::int64_t width) {
    if (!fits(0, 3.0 * static_cast<double>(rows * width))) return;
    layer_norm(values({rows, width}), next("norm"));
    values({rows, width}) + values({rows, width});
    values({rows, width}) * values({width});
    unary(Op::kGelu, values({rows, width}));
    unary(Op::kSilu, values({rows, width}));
    clone(values({width, rows}).transpose(0, 1));
    embedding(trace_.tensor(DType::kInt64, {rows}), next("embedding"), kTable, width);
    fill(trace_, Op::kZeros, trace_.dtype(), {rows, width});
    // The two halves of each row, swapped, as in rotary embeddings; and one block after another.
    const Tensor row = values({rows, width});
    const Tensor front = row.slice(1, 0, width / 2);
    const Tensor back = row.slice(1, width / 2, width);
    cat({&back, &front}, 1);
    const Tensor first = values({rows, width});
    const Tensor second = values({rows, width});
    cat({&first, &second}, 0);
    add_wide(rows, width);
  }

  // Norms that models write out themselves run in fp32 whatever the precision.
  void add_wide(std::int64_t rows, std::int64_t width) {
    const Tensor wide = trace_.tensor(DType::kFloat32, {rows, width});
    reduce(Op::kMean, wide, -1, true);
    if (trace_.dtype() == DType::kFloat32) return;
    to_copy(values({rows, width}), DType::kFloat32);
    to_copy(trace_.tensor(DType::kFloat32, {rows, width}), trace_.dtype());
    values({rows, width}) * trace_.tensor(DType::kFloat32, {rows, width});
  }

  Trace& trace_;
  PrimitiveLimits limits_;
  int count_ = 0;
};

// What a kernel takes as shares of launch, arithmetic, and bytes of activations, weights and
// results: errors that count are relative. Only what is telling is asked here; prices are fitted
// later.
constexpr std::size_t kShares = 5;
using Shares = std::array<double, kShares>;
Shares shares_of(const ModelTree& tree, const Node& node) {
  // Seconds on a large GPU.
  constexpr double kLaunch = 3e-6;
  constexpr double kFlop = 2e-15;
  constexpr double kByte = 4e-13;
  Shares out{kLaunch, kFlop * static_cast<double>(node.flops), 0, 0, 0};
  for (const Operand& input : tree.inputs(node)) {
    out[input.is_weight ? 3 : 2] += kByte * static_cast<double>(byte_count(input, tree.precision));
  }
  for (const Operand& output : tree.outputs(node)) {
    out[4] += kByte * static_cast<double>(byte_count(output, tree.precision));
  }
  double sum = 0;
  for (const double part : out) sum += part;
  for (double& part : out) part /= sum;
  return out;
}

// The inverse of the information that the chosen rows have, kept up to date row by row.
class Design {
 public:
  Design() {
    for (std::size_t i = 0; i < kShares; ++i) inverse_[i][i] = 1e6;  // Next to nothing is known.
  }
  // How uncertain the price of this kernel is, before it is measured.
  double leverage(const Shares& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < kShares; ++i) sum += x[i] * times(x, i);
    return sum;
  }
  // (A + x x')^-1 = A^-1 - A^-1 x x' A^-1 / (1 + x' A^-1 x) (Sherman and Morrison).
  void add(const Shares& x) {
    Shares v{};
    for (std::size_t i = 0; i < kShares; ++i) v[i] = times(x, i);
    const double scale = 1 + leverage(x);
    for (std::size_t i = 0; i < kShares; ++i) {
      for (std::size_t j = 0; j < kShares; ++j) inverse_[i][j] -= v[i] * v[j] / scale;
    }
  }

 private:
  double times(const Shares& x, std::size_t row) const {
    double sum = 0;
    for (std::size_t j = 0; j < kShares; ++j) sum += inverse_[row][j] * x[j];
    return sum;
  }
  std::array<std::array<double, kShares>, kShares> inverse_{};
};

// How often a kind has its turn: products are most of a Transformer.
int turns_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kLinear16:
    case WorkKind::kLinear32: return 4;
    case WorkKind::kBatched16:
    case WorkKind::kBatched32:
    case WorkKind::kFused16:
    case WorkKind::kFused32:
    case WorkKind::kFusedStep16: return 2;
    default: return 1;
  }
}

}  // namespace

Result<ModelTree> primitive_tree(Precision precision, const PrimitiveLimits& limits) {
  Pass pass;
  pass.batch = pass.seq = pass.source = pass.target_len = 1;
  pass.precision = precision;
  pass.keeps_dataflow = true;
  Trace trace(pass);
  {
    const Module root(trace, "", "Primitives");
    Primitives(trace, limits).add_all();
  }
  Result<ModelTree> tree = trace.finish();
  if (!tree.ok()) return tree.error();
  ModelTree out = std::move(tree).value();
  if (const Status failure = add_costs(out); !failure.ok()) return failure.error();
  return out;
}

std::vector<double> information_of(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<double> out(nodes.size(), 0);
  struct Waiting {
    std::vector<std::size_t> nodes;
    Design design;
  };
  std::map<WorkKind, Waiting> kinds;  // Kernels of one kind share prices.
  std::vector<Shares> shares(nodes.size());
  std::size_t left = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op == Op::kNone) continue;
    shares[i] = shares_of(tree, nodes[i]);
    kinds[kernel_kind(work_of(tree, nodes[i]))].nodes.push_back(i);
    ++left;
  }
  auto rank = static_cast<double>(left);
  while (left > 0) {
    for (auto& [kind, waiting] : kinds) {
      for (int turn = turns_of(kind); turn > 0 && !waiting.nodes.empty(); --turn) {
        const Design& design = waiting.design;
        const auto best = std::max_element(
            waiting.nodes.begin(), waiting.nodes.end(), [&](std::size_t a, std::size_t b) {
              return design.leverage(shares[a]) < design.leverage(shares[b]);
            });
        waiting.design.add(shares[*best]);
        out[*best] = rank--;
        waiting.nodes.erase(best);
        --left;
      }
    }
  }
  return out;
}

}  // namespace wattree
