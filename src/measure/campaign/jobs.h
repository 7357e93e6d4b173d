// From a model's tree to what is measured of it.
#pragma once

#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/protocol/session.h"
#include "src/models/families/build_model.h"

namespace wattree {

// "in_place,cold": states of the cache that nodes are measured in; empty means in_place.
Result<std::vector<CacheState>> parse_caches(const std::string& list);

// What windows of a tree's nodes say of the pass.
PassFacts pass_facts(const BuiltModel& tree);

// Jobs of a tree's distinct nodes, each under every one of the states; whole models as they are.
std::vector<Job> jobs_of(const ModelTree& tree, const DistinctNodes& distinct,
                         const PassFacts& pass, const std::vector<CacheState>& caches);

// The pass that shows whether a machine drifts: BERT-base in bf16 at 16 x 128.
Result<BuiltModel> anchor_tree();
// The same of one short sentence, 1 x 16: launched one by one, its kernels wait for the host.
Result<BuiltModel> launched_tree();

}  // namespace wattree
