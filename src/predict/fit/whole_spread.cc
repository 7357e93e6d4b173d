#include "src/predict/fit/whole_spread.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "src/base/random.h"
#include "src/predict/fit/reference_passes.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

constexpr double kSpreadCoverage = 0.9;
constexpr int kDraws = 200;
constexpr std::size_t kEnough = 5;  // Errors, to stand for a kind.

// What was measured over what was predicted, less one.
struct Miss {
  double energy = 0;
  double time = 0;
};

class Misses {
 public:
  Misses(const KernelData& data, const HeldOutSamples& held_out, bool is_single) {
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      const KernelSample& sample = data.samples[i];
      if (sample.subject != KernelSample::Subject::kKernel || sample.is_single != is_single ||
          sample.is_assumed || !sample.is_as_in_a_pass() || !held_out[i] ||
          held_out[i]->energy.value <= 0 || held_out[i]->time.value <= 0) {
        continue;
      }
      const Miss miss{sample.raw_energy().value / held_out[i]->energy.value - 1,
                      sample.time.value / held_out[i]->time.value - 1};
      by_kind_[kernel_kind(sample.kernels.front().work, data.chip)].push_back(miss);
      all_.push_back(miss);
    }
  }
  bool is_empty() const { return all_.empty(); }
  const Miss& draw(WorkKind kind, Random& random) const {
    const auto found = by_kind_.find(kind);
    const auto& from =
        found != by_kind_.end() && found->second.size() >= kEnough ? found->second : all_;
    return from[random.next() % from.size()];
  }

 private:
  std::map<WorkKind, std::vector<Miss>> by_kind_;
  std::vector<Miss> all_;
};

// A kernel of a module or pass, as often as it runs there.
struct Part {
  Work work;
  WorkKind kind = WorkKind::kElementwise;
  Joules energy;
  Seconds time;
};

std::vector<Part> parts_of(const Predictor& predictor, const ModelTree& tree, const Node& whole,
                           std::int32_t index) {
  std::vector<Part> parts;
  const auto nodes = tree.nodes();
  for (std::int32_t i = whole.first; i < index; ++i) {
    const Node& node = nodes[static_cast<std::size_t>(i)];
    if (node.op == Op::kNone) continue;
    const Work work = work_of(tree, node);
    const Price price = price_of(predictor, work);
    auto same = std::find_if(parts.begin(), parts.end(),
                             [&](const Part& part) { return part.work == work; });
    if (same == parts.end())
      same = parts.insert(parts.end(), {work, kernel_kind(work, predictor.chip), {}, {}});
    same->energy += price.energy;
    same->time += price.time;
  }
  return parts;
}

// How far off the whole is, each time its kernels are drawn.
void add_draws(const std::vector<Part>& parts, const Misses& misses, Random& random,
               std::vector<Miss>& out) {
  Joules energy;
  Seconds time;
  for (const Part& part : parts) {
    energy += part.energy;
    time += part.time;
  }
  if (energy <= Joules() || time <= Seconds()) return;
  for (int i = 0; i < kDraws; ++i) {
    Miss sum;
    for (const Part& part : parts) {
      const Miss& miss = misses.draw(part.kind, random);
      sum.energy += miss.energy * part.energy.value / energy.value;
      sum.time += miss.time * part.time.value / time.value;
    }
    out.push_back({std::abs(sum.energy), std::abs(sum.time)});
  }
}

void set_quantile(std::vector<Miss> misses, TreeLevel level, Spread& spread) {
  if (misses.empty()) return;
  const auto at =
      static_cast<std::ptrdiff_t>(kSpreadCoverage * static_cast<double>(misses.size() - 1));
  const auto by = [&](double Miss::*figure) {
    std::nth_element(misses.begin(), misses.begin() + at, misses.end(),
                     [&](const Miss& a, const Miss& b) { return a.*figure < b.*figure; });
    return std::min(1.0, misses[static_cast<std::size_t>(at)].*figure);
  };
  spread.energy[static_cast<std::size_t>(level)] = by(&Miss::energy);
  spread.time[static_cast<std::size_t>(level)] = by(&Miss::time);
}

Status set_spread(const Misses& misses, const Predictor& predictor, const std::string& dtype,
                  Spread& spread) {
  Random random(1);
  std::vector<Miss> modules;
  std::vector<Miss> models;
  for (const ReferencePass& reference : kReferencePasses) {
    const Result<ModelTree> tree = reference_tree(reference, dtype);
    if (!tree.ok()) return tree.error();
    const auto nodes = tree.value().nodes();
    const auto root = static_cast<std::int32_t>(nodes.size()) - 1;
    add_draws(parts_of(predictor, tree.value(), nodes.back(), root), misses, random, models);
    std::vector<std::string_view> seen;  // Classes: one of each is enough.
    for (std::int32_t i = 0; i < root; ++i) {
      const Node& node = nodes[static_cast<std::size_t>(i)];
      if (node.op != Op::kNone || std::find(seen.begin(), seen.end(), node.type) != seen.end())
        continue;
      seen.push_back(node.type);
      const std::vector<Part> parts = parts_of(predictor, tree.value(), node, i);
      if (parts.size() > 1) add_draws(parts, misses, random, modules);
    }
  }
  set_quantile(std::move(modules), TreeLevel::kModule, spread);
  set_quantile(std::move(models), TreeLevel::kModel, spread);
  return {};
}

}  // namespace

Status set_whole_spreads(const KernelData& data, const HeldOutSamples& held_out,
                         Predictor& predictor) {
  auto& half = predictor.spreads[static_cast<std::size_t>(Known::kNothing)];
  for (const bool is_single : {false, true}) {
    const Misses misses(data, held_out, is_single);
    auto& spread = is_single && predictor.single_spread ? predictor.single_spread : half;
    if (misses.is_empty() || !spread) continue;
    if (Status failure = set_spread(misses, predictor, is_single ? "fp32" : "bf16", *spread);
        !failure.ok()) {
      return failure;
    }
  }
  return {};
}

}  // namespace wattree
