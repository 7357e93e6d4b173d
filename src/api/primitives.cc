#include "src/api/primitives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "src/cost/cost.h"
#include "src/predict/tree_predict.h"
#include "src/trace/nn.h"

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
constexpr std::int64_t kWidths[] = {768, 2048, 4096};
constexpr std::int64_t kRows[] = {16, 128, 1024, 8192, 32768};
constexpr std::int64_t kHead = 64;
constexpr std::int64_t kTable = 30'000;  // Rows of an embedding.

class Primitives {
 public:
  Primitives(Trace& trace, const PrimitiveLimits& limits) : trace_(trace), limits_(limits) {}

  void add_all() {
    for (const Weight& weight : kWeights) {
      for (const std::int64_t tokens : kTokens) add_linear(tokens, weight);
    }
    for (const std::int64_t groups : kGroups) {
      for (const std::int64_t length : kLengths) add_attention(groups, length);
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

  void add_linear(std::int64_t tokens, const Weight& weight) {
    const auto m = static_cast<double>(tokens);
    const auto k = static_cast<double>(weight.in);
    const auto n = static_cast<double>(weight.out);
    if (!fits(2 * m * k * n, m * k + k * n + m * n)) return;
    linear(values({tokens, weight.in}), next("linear"), weight.out);
  }

  // Products of activations, the softmax between them, what is added to scores, and all of it
  // fused.
  void add_attention(std::int64_t groups, std::int64_t length) {
    const auto scores = static_cast<double>(groups * length * length);
    if (!fits(2 * scores * kHead, 3 * scores)) return;
    bmm(values({groups, length, kHead}), values({groups, kHead, length}));
    bmm(values({groups, length, length}), values({groups, length, kHead}));
    softmax(values({groups, length, length}));
    values({groups, length, length}) + values({1, 1, length});
    const Tensor q = values({1, groups, length, kHead});
    const Tensor k = values({1, groups, length, kHead});
    const Tensor v = values({1, groups, length, kHead});
    scaled_dot_product_attention(q, k, v, {});
  }

  void add_streams(std::int64_t rows, std::int64_t width) {
    if (!fits(0, 3.0 * static_cast<double>(rows * width))) return;
    layer_norm(values({rows, width}), next("norm"));
    values({rows, width}) + values({rows, width});
    unary(Op::kGelu, values({rows, width}));
    clone(values({width, rows}).transpose(0, 1));
    embedding(trace_.tensor(DType::kInt64, {rows}), next("embedding"), kTable, width);
  }

  Trace& trace_;
  PrimitiveLimits limits_;
  int count_ = 0;
};

// The inverse of the information that the chosen rows have, kept up to date row by row.
class Design {
 public:
  explicit Design(std::size_t terms) : terms_(terms) {
    for (std::size_t i = 0; i < terms_; ++i) inverse_[i][i] = 1e6;  // Next to nothing is known.
  }
  // How uncertain the price of this kernel is, before it is measured.
  double leverage(const Terms& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < terms_; ++i) sum += x[i] * times(x, i);
    return sum;
  }
  // (A + x x')^-1 = A^-1 - A^-1 x x' A^-1 / (1 + x' A^-1 x) (Sherman and Morrison).
  void add(const Terms& x) {
    std::array<double, kMaxTerms> v{};
    for (std::size_t i = 0; i < terms_; ++i) v[i] = times(x, i);
    const double scale = 1 + leverage(x);
    for (std::size_t i = 0; i < terms_; ++i) {
      for (std::size_t j = 0; j < terms_; ++j) inverse_[i][j] -= v[i] * v[j] / scale;
    }
  }

 private:
  double times(const Terms& x, std::size_t row) const {
    double sum = 0;
    for (std::size_t j = 0; j < terms_; ++j) sum += inverse_[row][j] * x[j];
    return sum;
  }
  std::size_t terms_;
  std::array<std::array<double, kMaxTerms>, kMaxTerms> inverse_{};
};

// A kernel's terms as shares of what it is likely to take: errors that count are relative.
Terms relative_terms(const Work& work) {
  // Seconds for one of each on a large GPU, which is all that matters here.
  const auto price = [](std::string_view unit) {
    if (unit == "launch") return 3e-6;
    if (unit == "GFLOP") return 2e-6;
    if (unit == "MiB") return 4e-7;
    return 1e-6;
  };
  Terms terms = count_terms(work, 100);
  const auto facts = terms_of(work.kind);
  double sum = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    terms[i] *= price(facts[i].unit);
    sum += terms[i];
  }
  for (std::size_t i = 0; i < facts.size(); ++i) terms[i] /= std::max(sum, 1e-12);
  return terms;
}

// How often a kind has its turn: products are most of a Transformer.
int turns_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kGemm: return 4;
    case WorkKind::kAttention:
    case WorkKind::kMatmul: return 2;
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
  if (Failure failure = add_costs(out)) return *failure;
  return out;
}

std::vector<double> information_of(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<double> out(nodes.size(), 0);
  std::array<std::vector<std::size_t>, kWorkKinds> waiting;
  std::vector<Terms> terms(nodes.size());
  std::vector<Design> designs;
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    designs.emplace_back(terms_of(static_cast<WorkKind>(i)).size());
  }
  std::size_t left = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op == Op::kNone) continue;
    const Work work = work_of(tree, nodes[i]);
    terms[i] = relative_terms(work);
    waiting[static_cast<std::size_t>(work.kind)].push_back(i);
    ++left;
  }
  auto rank = static_cast<double>(left);
  while (left > 0) {
    for (std::size_t kind = 0; kind < kWorkKinds; ++kind) {
      std::vector<std::size_t>& candidates = waiting[kind];
      for (int turn = turns_of(static_cast<WorkKind>(kind)); turn > 0 && !candidates.empty();
           --turn) {
        const auto best = std::max_element(
            candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
              return designs[kind].leverage(terms[a]) < designs[kind].leverage(terms[b]);
            });
        designs[kind].add(terms[*best]);
        out[*best] = rank--;
        candidates.erase(best);
        --left;
      }
    }
  }
  return out;
}

}  // namespace wattree
