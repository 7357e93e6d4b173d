// What profiling and calibrating share: from a query to a session that has ended.
#pragma once

#include "src/api/measure_model.h"

namespace wattree {

struct MeasuredJobs {
  Figures figures;
  std::size_t reused = 0;
  SessionResult session;
  std::vector<Obstacle> obstacles;
};
Result<MeasuredJobs> measure_jobs(std::vector<Job> jobs, const MeasureQuery& query);

// The pass that shows whether a machine drifts: BERT-base in bf16 at 16 x 128.
Result<BuiltModel> anchor_tree();

// What windows of a tree's nodes say of the pass.
PassFacts pass_facts(const BuiltModel& tree);

Result<std::vector<CacheState>> parse_caches(const std::string& text);

// Jobs of a tree's distinct nodes, each under every one of the states; whole models as they are.
std::vector<Job> jobs_of(const ModelTree& tree, const DistinctNodes& distinct,
                         const PassFacts& pass, const std::vector<CacheState>& caches);

}  // namespace wattree
