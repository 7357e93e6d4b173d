#include "src/predict/estimate/explain.h"

#include <cmath>

#include "src/base/text.h"
#include "src/models/tree/folding.h"

namespace wattree {
namespace {

// Bounds the search for names like a mistyped one.
constexpr std::size_t kMostCandidates = 100'000;

void add_terms_of_kind(const Predictor& predictor, const Work& work, Explanation& out) {
  const Coefficients* coefficients = predictor.find(work.kind);
  if (coefficients == nullptr) return;
  const Terms counts = count_terms(work, predictor.chip);
  const auto facts = terms_of(work.kind);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    out.terms.push_back({std::string(facts[i].name), std::string(facts[i].unit), counts[i],
                         Joules(coefficients->energy[i]), Seconds(coefficients->time[i])});
  }
}

void add_terms(const Predictor& predictor, const Work& work, Explanation& out) {
  const Coefficients* coefficients = predictor.find(work.kind);
  if (coefficients == nullptr) return;
  out.priced_as = work.kind;
  out.samples = coefficients->samples;
  add_terms_of_kind(predictor, work, out);
  for (const WorkKind extra : kExtras) {
    if (takes_besides(work, extra)) add_terms_of_kind(predictor, seen_as(work, extra), out);
  }
}

// What the terms so far leave of a node's own figures, as one more term.
void add_rest(std::string name, Joules energy, Seconds time, Explanation& out) {
  double size_j = 0;
  double size_s = 0;
  for (const ExplainedTerm& term : out.terms) {
    size_j += std::abs(term.energy().value);
    size_s += std::abs(term.time().value);
    energy = energy - term.energy();
    time = time - term.time();
  }
  if (std::abs(energy.value) > 1e-9 * size_j || std::abs(time.value) > 1e-9 * size_s) {
    out.terms.push_back({std::move(name), "", 1, energy, time});
  }
}

void explain_kernel(const LoadedPredictor& by, const ModelTree& tree, const Node& node,
                    Explanation& out) {
  const Predictor& predictor = *by.predictor;
  Work work = work_of(tree, node);
  const double cache_mib = predictor.chip.cache_mib;
  work.fetches_weight = has_weight(work) && weight_mib(tree, cache_mib) > cache_mib;
  out.work = work;
  if (const Twin* twin = by.index->find(node.type, work)) out.twin = *twin;
  const Price price = price_of(predictor, work);
  if (!price.is_known) return;  // Then the twin is all there is.
  out.is_stand_in = price.is_stand_in;
  out.is_far = price.is_far;
  add_terms(predictor, seen_as(work, price.kind), out);
  // A kind that is priced by traffic alone stands in for a module with the price of its call.
  add_rest("call, as of a module", price.energy - price.lifted_energy,
           price.time - price.lifted_time, out);
  if (price.lifted_time > Seconds()) {
    out.terms.push_back(
        {"no faster than the chip allows", "", 1, price.lifted_energy, price.lifted_time});
  }
  if (const Price follow = price_to_follow(predictor); follow.time > Seconds()) {
    out.terms.push_back({"after another kernel", "kernel", 1, follow.energy, follow.time});
  }
  if (!work.fetches_weight) return;
  if (const Price fetch = price_to_fetch(predictor); fetch.time > Seconds()) {
    out.terms.push_back({"weight not in the cache", "kernel", 1, fetch.energy, fetch.time});
  }
}

std::string rest_of(const LoadedPredictor& by) {
  return by.execution == Execution::kEager ? "power limit and waiting for the host"
                                           : "slower clock at the power limit";
}

}  // namespace

Result<std::size_t> find_node(const ModelTree& tree, std::string_view text) {
  const auto nodes = tree.nodes();
  if (text.empty() || text == ".") return nodes.size() - 1;
  std::string_view scope = text;
  std::int32_t run = -1;
  if (const std::size_t mark = text.rfind('#'); mark != std::string_view::npos) {
    run = 0;
    for (const char c : text.substr(mark + 1)) {
      if (c < '0' || c > '9' || run > 1'000'000)
        return Error{ErrorCode::kInvalidInput,
                     "\"" + std::string(text) + "\": a run is a number, as in scope#0", "", "node"};
      run = 10 * run + (c - '0');
    }
    scope = text.substr(0, mark);
  }
  std::vector<std::string_view> candidates;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].scope == scope && (run < 0 || nodes[i].run == run)) return i;
    if (candidates.size() < kMostCandidates && !nodes[i].scope.empty()) {
      candidates.push_back(nodes[i].scope);
    }
  }
  const std::vector<std::string> near = nearest(scope, candidates);
  return Error{ErrorCode::kNotFound, "the tree has no node \"" + std::string(text) + "\"",
               near.empty() ? "`wattree tree` with <level> math and <all> lists every scope"
                            : "nearest: " + join(near),
               "node"};
}

Explanation explain(const Prediction& prediction, std::size_t index) {
  const ModelTree& tree = prediction.built.tree;
  const Node& node = tree.nodes()[index];
  Explanation out;
  out.node = index;
  if (node.op != Op::kNone) {
    explain_kernel(prediction.by, tree, node, out);
    const NodeEstimate& estimate = prediction.nodes[index];
    if (!out.twin) {
      add_rest(rest_of(prediction.by), estimate.energy, estimate.time, out);
    }
    return out;
  }
  std::vector<std::int32_t> children;
  tree.children(static_cast<std::int32_t>(index), children);
  for (const std::int32_t child : children) out.children.push_back(static_cast<std::size_t>(child));
  if (prediction.nodes[index].own > Joules()) {
    Work call;
    call.kind = WorkKind::kModuleCall;
    add_terms(*prediction.by.predictor, call, out);
    if (prediction.by.execution == Execution::kEager) {
      const EagerHost& host = *prediction.by.predictor->eager;
      const double own_j = prediction.nodes[index].own.value;
      out.terms.push_back(
          {"waiting for the host", "", 1, Joules(own_j), Seconds(own_j / host.waiting_w)});
    }
  }
  return out;
}

std::string_view name_of(WaterfallStep::Kind kind) {
  constexpr std::string_view kStepNames[] = {"term", "looked_up", "children", "own"};
  return kStepNames[static_cast<std::size_t>(kind)];
}

std::vector<WaterfallStep> waterfall(const Prediction& prediction, const Explanation& explanation) {
  using Kind = WaterfallStep::Kind;
  std::vector<WaterfallStep> out;
  Joules sum;
  const auto add = [&](Kind kind, std::string label, std::int64_t count, Joules energy) {
    out.push_back({kind, std::move(label), count, energy, sum});
    sum = sum + energy;
  };
  const ModelTree& tree = prediction.built.tree;
  const NodeEstimate& node = prediction.nodes[explanation.node];
  if (explanation.twin) {
    add(Kind::kLookedUp, "the same kernel was measured", 1, node.energy);
    return out;
  }
  if (tree.nodes()[explanation.node].op != Op::kNone) {
    for (const ExplainedTerm& term : explanation.terms) {
      add(Kind::kTerm, term.name, 1, term.energy());
    }
    return out;
  }
  std::vector<Fold> children;
  folded_children(tree, static_cast<std::int32_t>(explanation.node), true, children);
  for (const Fold& fold : children) {
    const auto first = static_cast<std::size_t>(fold.first);
    add(Kind::kChildren, std::string(tree.nodes()[first].scope), fold.count,
        prediction.nodes[first].energy * static_cast<double>(fold.count));
  }
  if (node.own > Joules()) add(Kind::kOwn, "calling the module", 1, node.own);
  return out;
}

}  // namespace wattree
