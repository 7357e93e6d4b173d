#include "src/predict/evaluate/baselines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "src/predict/regress/relative_fit.h"

namespace wattree {
namespace {

struct Point {
  std::size_t group = 0;
  double figure = 0;
  Joules energy;
};

std::optional<double> figure_of(const EvaluationData& data, std::size_t tree, std::size_t node,
                                Feature feature) {
  const Features& features = data.trees[tree]->nodes[node].features;
  if (!features.has(feature) || !(features.get(feature) > 0)) return std::nullopt;
  return features.get(feature);
}

// The mean error where each group is predicted by a fit to the others.
std::optional<double> held_out_error(const std::vector<Point>& points, std::size_t groups) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    Rows rows(1);
    std::vector<double> energy;
    std::set<std::pair<double, double>> seen;  // Copies of a measurement count once.
    for (const Point& point : points) {
      if (point.group == g || !seen.insert({point.figure, point.energy.value}).second) continue;
      rows.add(std::span(&point.figure, 1));
      energy.push_back(point.energy.value);
    }
    if (energy.empty()) continue;
    const double c = fit_relative(rows, energy, energy)[0];
    for (const Point& point : points) {
      if (point.group != g) continue;
      sum += error_percent(Joules(c * point.figure), point.energy);
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

std::uint64_t mixed(std::uint64_t hash, const Work& work) {
  hash = mixed(hash, static_cast<std::uint64_t>(work.kind));
  for (const double size :
       {work.groups, work.m, work.n, work.k, work.width, work.weight_width, work.bytes}) {
    hash = mixed(hash, std::bit_cast<std::uint64_t>(size));
  }
  return hash;
}

}  // namespace

std::vector<Baseline> one_figure_baselines(const EvaluationData& data,
                                           const std::vector<Group>& groups) {
  std::vector<std::size_t> group_of(data.work.models.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::int32_t m : groups[g].models) group_of[static_cast<std::size_t>(m)] = g;
  }
  std::vector<Baseline> out;
  for (const auto& [name, feature] :
       {std::pair{"time_only", Feature::kTime}, std::pair{"flops_only", Feature::kFlops}}) {
    std::array<std::vector<Point>, kTreeLevels> points;
    for (std::size_t t = 0; t < data.trees.size(); ++t) {
      const WorkTree& tree = data.work.trees[t];
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const WorkNode& node = tree.nodes[i];
        const auto figure = figure_of(data, t, i, feature);
        if (!node.energy || !figure) continue;
        points[static_cast<std::size_t>(node.level)].push_back(
            {group_of[static_cast<std::size_t>(tree.model)], *figure, *node.energy});
      }
    }
    Baseline baseline{name, {}};
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      baseline.errors.at[l] = held_out_error(points[l], groups.size());
    }
    out.push_back(std::move(baseline));
  }
  return out;
}

LevelValues repeatability(const EvaluationData& data) {
  std::array<std::map<std::uint64_t, std::set<double>>, kTreeLevels> by_computation;
  for (std::size_t t = 0; t < data.trees.size(); ++t) {
    const WorkTree& tree = data.work.trees[t];
    std::vector<std::uint64_t> hashes(tree.nodes.size(), 0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const WorkNode& node = tree.nodes[i];
      std::uint64_t& hash = hashes[i];
      for (std::uint32_t w = 0; w < node.work_count; ++w) {
        hash = mixed(hash, tree.works[node.works + w]);
      }
      // Leaves of two classes may have the same sizes; modules are what is in them.
      if (node.level == TreeLevel::kMl) hash = mixed(hash, static_cast<std::uint64_t>(node.type));
      if (node.energy) {
        by_computation[static_cast<std::size_t>(node.level)][hash].insert(node.energy->value);
      }
      if (node.parent >= 0) {
        std::uint64_t& parent = hashes[static_cast<std::size_t>(node.parent)];
        parent = mixed(parent, hash);
      }
    }
  }
  LevelValues out;
  for (std::size_t l = 0; l < kTreeLevels; ++l) {
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& [hash, energies] : by_computation[l]) {
      if (energies.size() < 2) continue;
      double total = 0;
      for (const double energy : energies) total += energy;
      for (const double energy : energies) {
        const double others = (total - energy) / static_cast<double>(energies.size() - 1);
        sum += error_percent(Joules(others), Joules(energy));
        ++count;
      }
    }
    if (count > 0) out.at[l] = sum / static_cast<double>(count);
  }
  return out;
}

}  // namespace wattree
