// What a session measures, and in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/measure/windows/window.h"
#include "src/models/tree/distinct.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// One node under one state of the cache.
struct Job {
  const ModelTree* tree = nullptr;
  DistinctNode node;
  CacheState cache = CacheState::kInPlace;
  PassFacts pass;
  double weight = 0;  // What it is expected to add: where time is short, the heaviest come first.
  std::string key() const { return window_key(node.key, cache, false); }
};

// Whether it is a model, a decode step, a module or a kernel.
Subject subject_of(const Job& job);
bool is_whole(const Job& job);

// The order of jobs: whole models first; then at random, as far as `budget_s` is expected to last
// the heaviest of them before the others. Takes `seconds_each` for one; without a budget, at
// random.
void order_jobs(std::vector<Job>& jobs, double budget_s, double seconds_each, std::uint64_t seed);

}  // namespace wattree
