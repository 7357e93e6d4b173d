// Every distinct node of a model's pass, measured.
#pragma once

#include <optional>
#include <vector>

#include "src/measure/campaign/campaign.h"
#include "src/models/families/build_model.h"

namespace wattree {

// Sums of parts against a whole.
struct SumOfParts {
  double energy = 0;  // Of the parts over the whole; 0 where it is not known.
  double time = 0;
  std::int64_t kernels = 0;  // Of the pass,
  std::int64_t known = 0;    // and how many of them were measured.
};

struct MeasuredPass {
  BuiltModel tree;
  DistinctNodes distinct;
  std::string protocol;
  // By distinct node: what it takes in the model.
  std::vector<std::optional<NodeFigures>> in_place;
  SumOfParts ops;  // Every kernel by itself, added up.
  Campaign campaign;
};

// Nodes are measured in each of the cache's states; the first is what counts. The tree has its
// dataflow, and its config is written down beside its windows, where it has one.
Result<MeasuredPass> measure_pass(BuiltModel tree, const std::vector<CacheState>& caches, Rig& rig,
                                  CampaignOptions options);

}  // namespace wattree
