#include "src/models/families/experts.h"

#include <algorithm>

namespace wattree {
namespace {

struct Routes {
  Tensor weights;  // [tokens, per_token]
  Tensor experts;  // Their numbers, likewise.
};

Routes router(const Tensor& x, const Experts& e) {
  Module self(*x.trace, "gate", e.prefix + "TopKRouter");
  const Tensor weight = x.trace->parameter({e.count, x.dim(-1)});
  const Tensor logits = linear_kernels(x, weight, nullptr);
  const Tensor shares = e.weighs_in_f32 ? softmax(logits.to(DType::kFloat32)) : softmax_f32(logits);
  const Ranked best = topk(shares, e.per_token);
  Tensor weights = best.values;
  if (e.normalizes) {
    const Tensor total = reduce(Op::kSum, weights, -1, true);
    weights = in_place(Op::kDivInPlace, weights, total);
  }
  if (!e.weighs_in_f32) weights = weights.to(logits.dtype);
  return {self.returns(weights), best.places};
}

// Rows of `x` through the matrices [experts, out, in]; `ends`: where each expert's rows end.
Tensor grouped_linear(const Tensor& x, const Tensor& weight, const Tensor& ends) {
  const Tensor matrices = weight.transpose(1, 2);
  return x.trace->emit(Op::kGroupedMm, {&x, &matrices, &ends},
                       Tensor(x.trace, x.dtype, {x.dim(0), weight.dim(1)}));
}

Tensor run_experts(const Tensor& x, const Routes& routes, const Experts& e) {
  Trace& trace = *x.trace;
  Module self(trace, "experts", e.prefix + "Experts");
  trace.set_experts_per_token(e.per_token);
  const std::int64_t hidden = x.dim(-1);
  const Tensor gate_up = trace.parameter({e.count, 2 * e.intermediate, hidden});
  const Tensor down = trace.parameter({e.count, hidden, e.intermediate});
  // A row for every pair of token and expert, sorted by expert.
  const Tensor weights = routes.weights.reshape({-1});
  const Ranked sorted = sort(routes.experts.reshape({-1}));
  const Tensor tokens = unary(Op::kFloorDivide, sorted.places);
  Tensor rows = index(x, {&tokens});
  const Tensor row_weights = index(weights, {&sorted.places});
  const Tensor numbers = sorted.values.to(DType::kInt32);
  const Tensor loads = trace.emit(Op::kHistc, {&numbers}, Tensor(&trace, DType::kInt32, {e.count}));
  const Tensor ends = cumsum(loads, DType::kInt32);
  // Rows of experts that live on other devices would be blanked here; there are none.
  const Tensor is_elsewhere = predicate(Op::kGe, sorted.values).unsqueeze(-1);
  in_place(Op::kClampInPlace, sorted.values);
  rows = in_place(Op::kMaskedFillInPlace, rows, is_elsewhere);
  const Tensor both = masked_fill(grouped_linear(rows, gate_up, ends), is_elsewhere);
  const Tensor gate = activation(both.slice(-1, 0, e.intermediate), "act_fn", e.activation);
  const Tensor wide = gate * both.slice(-1, e.intermediate, 2 * e.intermediate);
  const Tensor out = masked_fill(grouped_linear(wide, down, ends), is_elsewhere);
  const Tensor weighed = out * row_weights.unsqueeze(-1);
  // Back to the tokens' order, and summed over each token's experts.
  const Tensor order = arange(trace, rows.dim(0));
  const Tensor inverse(&trace, DType::kInt64, order.size);
  // An assignment drops leading dimensions of one: a single row is a number.
  const Tensor assigned = order.dim(0) == 1 ? order.squeeze(0) : order;
  trace.emit(Op::kIndexPutInPlace, {&inverse, &sorted.places, &assigned}, inverse);
  const Tensor restored = index(weighed, {&inverse}).view({x.dim(0), e.per_token, hidden});
  trace.keep_until_now({&rows, &out});
  return self.returns(reduce(Op::kSum, restored, 1, false).to(x.dtype));
}

}  // namespace

void read_routing(ConfigReader& c, Experts& e, std::int64_t per_token) {
  e.per_token = c.size({"num_experts_per_tok"}, per_token);
  if (e.count > 0 && e.per_token > e.count) {
    c.reject("num_experts_per_tok", "is " + std::to_string(e.per_token) +
                                        ", more than there are experts (" +
                                        std::to_string(e.count) + ")");
  }
  const std::string implementation = c.text({"experts_implementation"}, "grouped_mm");
  if (implementation != "grouped_mm") {
    c.reject("experts_implementation",
             "is \"" + implementation + "\"; only \"grouped_mm\" is supported");
  }
}

std::vector<bool> read_sparse_layers(ConfigReader& c, std::int64_t layers) {
  const std::int64_t step = c.size({"decoder_sparse_step"}, 1);
  std::vector<bool> sparse;
  for (std::int64_t i = 0; i < layers; ++i) sparse.push_back((i + 1) % step == 0);
  for (const std::int64_t dense : c.number_list({"mlp_only_layers"})) {
    if (dense >= 0 && dense < layers) sparse[static_cast<std::size_t>(dense)] = false;
  }
  return sparse;
}

void add_experts(ConfigReader& c, const Experts& e, const std::vector<bool>& sparse,
                 RopeDecoder& m) {
  const std::int64_t count =
      sparse.empty() ? m.layers : std::count(sparse.begin(), sparse.end(), true);
  if (e.count == 0 || count == 0) return;
  m.feed_forward = [e, sparse](const RopeDecoder& model, const Tensor& x, std::int64_t layer) {
    if (sparse.empty() || sparse[static_cast<std::size_t>(layer)]) return sparse_block(x, "mlp", e);
    return gated_mlp(x, "mlp", model.type("MLP"), model.intermediate, model.activation);
  };
  if (c.flag({"output_router_logits"}, false)) {
    m.after_head = [e, count](Trace& trace) { load_balancing_loss(trace, e, count); };
  }
}

Tensor sparse_block(const Tensor& x, std::string_view name, const Experts& e) {
  Module self(*x.trace, name, e.prefix + "SparseMoeBlock");
  const Tensor tokens = x.view({-1, x.dim(-1)});
  std::optional<Tensor> shared;
  if (e.shared) {
    shared = gated_mlp(tokens, "shared_expert", e.prefix + "MLP", *e.shared, e.activation);
  }
  const Routes routes = router(tokens, e);
  Tensor y = run_experts(tokens, routes, e);
  if (shared) {
    const Tensor gate = unary(Op::kSigmoid, linear(tokens, "shared_expert_gate", 1, Bias::kNo));
    const Tensor gated = gate * *shared;
    y = y + gated;
  }
  return self.returns(y.reshape(x.size));
}

void load_balancing_loss(Trace& trace, const Experts& e, std::int64_t sparse_layers) {
  const Pass& pass = trace.pass();
  const Tensor logits =
      trace.tensor(trace.dtype(), {saturating_mul(pass.batch, pass.seq), e.count});
  Tensor loads = fill(trace, Op::kZeros, DType::kFloat32, {e.count});
  Tensor shares = fill(trace, Op::kZeros, DType::kFloat32, {e.count});
  for (std::int64_t i = 0; i < sparse_layers; ++i) {
    const Tensor weights = softmax(logits);
    const Tensor chosen = topk(weights, e.per_token).places.reshape({-1});
    const Tensor counts =
        trace.emit(Op::kBincount, {&chosen}, Tensor(&trace, DType::kInt64, {e.count}));
    loads = loads + counts.to(DType::kFloat32);
    shares = shares + reduce(Op::kSum, weights.to(DType::kFloat32), 0, false);
  }
  const Tensor mean_load = loads / 1.0;
  const Tensor mean_share = shares / 1.0;
  const Tensor products = mean_load * mean_share.unsqueeze(0);
  const Tensor loss = trace.emit(Op::kSum, {&products}, Tensor(&trace, DType::kFloat32, {}));
  static_cast<void>(loss * 1.0);
}

}  // namespace wattree
