#include "src/measure/campaign/measured_pass.h"

#include <utility>

#include "src/measure/campaign/jobs.h"

namespace wattree {
namespace {

// What a node takes within the model. At the power cap by itself, it is not so among lighter ones,
// unless the whole is at the cap too.
const NodeFigures* figures_in_place(const Figures& figures, const std::string& key,
                                    CacheState cache, bool is_whole_capped) {
  const auto alone = figures.find(window_key(key, cache, false));
  if (alone == figures.end()) return nullptr;
  const auto paused = figures.find(window_key(key, cache, true));
  const bool takes_paused = alone->second.is_capped && !is_whole_capped && paused != figures.end();
  return takes_paused ? &paused->second : &alone->second;
}

void choose_figures(MeasuredPass& pass, CacheState cache) {
  const std::int32_t root = pass.distinct.of.back();
  const NodeFigures* whole =
      root < 0 ? nullptr
               : figures_in_place(pass.campaign.figures,
                                  pass.distinct.nodes[static_cast<std::size_t>(root)].key,
                                  CacheState::kNatural, true);
  const bool is_capped = whole != nullptr && whole->is_capped;
  for (std::size_t i = 0; i < pass.distinct.nodes.size(); ++i) {
    const bool is_root = static_cast<std::int32_t>(i) == root;
    const NodeFigures* figures =
        is_root
            ? whole
            : figures_in_place(pass.campaign.figures, pass.distinct.nodes[i].key, cache, is_capped);
    pass.in_place.push_back(figures != nullptr ? std::optional(*figures) : std::nullopt);
  }
}

SumOfParts add_up(const MeasuredPass& pass) {
  SumOfParts out;
  double energy = 0;
  double time = 0;
  for (std::size_t i = 0; i < pass.distinct.nodes.size(); ++i) {
    const DistinctNode& node = pass.distinct.nodes[i];
    if (node.kernels != 1) continue;
    out.kernels += node.count;
    if (!pass.in_place[i]) continue;
    out.known += node.count;
    energy += static_cast<double>(node.count) * pass.in_place[i]->energy.value_or(Joules()).value;
    time += static_cast<double>(node.count) * pass.in_place[i]->time.value;
  }
  const std::int32_t root = pass.distinct.of.back();
  if (root < 0 || !pass.in_place[static_cast<std::size_t>(root)]) return out;
  const NodeFigures& whole = *pass.in_place[static_cast<std::size_t>(root)];
  if (whole.energy) out.energy = energy / whole.energy->value;
  out.time = time / whole.time.value;
  return out;
}

}  // namespace

Result<MeasuredPass> measure_pass(BuiltModel tree, const std::vector<CacheState>& caches, Rig& rig,
                                  CampaignOptions options) {
  MeasuredPass out;
  out.tree = std::move(tree);
  out.distinct = distinct_nodes(out.tree.tree);
  out.protocol = options.session.whole.protocol;
  if (!out.tree.config.empty()) {
    options.session.model = {out.tree.model, out.tree.class_name, out.tree.config};
  }
  Result<Campaign> measured = run_campaign(
      jobs_of(out.tree.tree, out.distinct, pass_facts(out.tree), caches), rig, std::move(options));
  if (!measured.ok()) return measured.error();
  out.campaign = std::move(measured).value();
  choose_figures(out, caches.front());
  out.ops = add_up(out);
  return out;
}

}  // namespace wattree
