#include "src/measure/campaign/jobs.h"

#include "src/base/text.h"
#include "src/models/hub/bundled.h"

namespace wattree {
namespace {

constexpr std::string_view kAnchorModel = "bert-base-uncased";

Result<BuiltModel> anchor_of(std::int64_t batch, std::int64_t length) {
  PassShape query;
  query.batch = batch;
  query.seq = length;
  query.dtype = "bf16";
  query.keeps_dataflow = true;
  const BundledModel* model = find_bundled(kAnchorModel);
  if (model == nullptr) {
    return Error{ErrorCode::kInternal, "the anchor's model is not bundled", ""};
  }
  return build_model(std::string(model->name), std::string(model->json), "bundled", query);
}

}  // namespace

Result<BuiltModel> anchor_tree() { return anchor_of(16, 128); }
Result<BuiltModel> launched_tree() { return anchor_of(1, 16); }

PassFacts pass_facts(const BuiltModel& tree) {
  const Pass& pass = tree.pass;
  PassFacts out;
  out.model = tree.model;
  out.family = tree.model_type;
  out.dtype = name_of(pass.precision);
  out.attention = name_of(pass.attention);
  out.batch = pass.batch;
  out.seq = pass.seq;
  out.past = pass.past;
  if (tree.is_encoder_decoder) {
    if (pass.past > 0) out.source_len = pass.source;
    if (pass.past == 0 && pass.target_len != pass.seq) out.target_len = pass.target_len;
  }
  out.overrides = tree.overrides;
  return out;
}

Result<std::vector<CacheState>> parse_caches(const std::string& list) {
  std::vector<CacheState> out;
  for (const std::string& name : split(list.empty() ? "in_place" : list, ',')) {
    const auto cache = parse_cache(name);
    if (!cache || *cache == CacheState::kNatural) {
      return Error{ErrorCode::kInvalidInput, "cache \"" + name + "\" is not known",
                   "choose of in_place, cold and warm", "cache"};
    }
    out.push_back(*cache);
  }
  return out;
}

std::vector<Job> jobs_of(const ModelTree& tree, const DistinctNodes& distinct,
                         const PassFacts& pass, const std::vector<CacheState>& caches) {
  std::vector<Job> out;
  for (const DistinctNode& node : distinct.nodes) {
    const Node& first = tree.nodes()[static_cast<std::size_t>(node.node)];
    Job job{&tree, node, CacheState::kNatural, pass, 0};
    // What it is likely to take: an H100 does some 100 FLOP in the time of a byte.
    job.weight = static_cast<double>(node.count) *
                 (static_cast<double>(first.bytes) + static_cast<double>(first.flops) / 100.0);
    if (first.level == Level::kModel) {
      out.push_back(job);
      continue;
    }
    for (const CacheState cache : caches) {
      job.cache = cache;
      out.push_back(job);
    }
  }
  return out;
}

}  // namespace wattree
