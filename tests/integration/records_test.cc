// Every tree against what the framework itself says: modules, parameters, FLOPs, and every kernel
// with its shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/integration/record.h"

namespace wattree {

void PrintTo(const Record& record, std::ostream* out) { *out << record.name; }

namespace {

std::string label(const testing::TestParamInfo<Record>& info) { return label_of(info.param); }

Result<BuiltTree> build(const Record& record) {
  Result<Config> config = Config::parse(record.config, record.name);
  if (!config.ok()) return config.error();
  return build_tree(config.value(), {record.pass, record.class_name});
}

class Records : public testing::TestWithParam<Record> {};
// Not every reference has everything: PyTorch cannot count a model that looks at values without
// running it, and the bundled models are too large to be run.
class CountedRecords : public Records {};
class RunRecords : public Records {};

TEST_P(Records, ModulesClassesAndParametersAreTheFrameworks) {
  const Record& record = GetParam();
  const Result<BuiltTree> built = build(record);
  ASSERT_TRUE(built.ok()) << built.error().message;
  std::map<std::string, const Node*> ours;
  for (const Node& node : built.value().tree.nodes()) {
    if (node.scope.find(':') == std::string_view::npos)
      ours.emplace(std::string(node.scope), &node);
  }
  std::set<std::string> theirs;
  for (const RecordedModule& module : record.modules) {
    theirs.insert(module.scope);
    const auto found = ours.find(module.scope);
    if (found == ours.end()) {
      ADD_FAILURE() << "missing module \"" << module.scope << "\" (" << module.type << ")";
      continue;
    }
    EXPECT_EQ(found->second->type, module.type) << module.scope;
    EXPECT_EQ(found->second->params, module.params) << module.scope;
  }
  for (const auto& [scope, node] : ours)
    EXPECT_TRUE(theirs.contains(scope)) << "no such module: \"" << scope << "\"";
  EXPECT_EQ(built.value().tree.root().params, record.params);
}

// The FLOP counter does not see the grouped products of a mixture of experts, nor what is above
// them.
bool counts_experts(const Record& record, const std::string& scope) {
  return std::any_of(
      record.modules.begin(), record.modules.end(), [&](const RecordedModule& module) {
        return module.type.ends_with("Experts") &&
               (scope.empty() || module.scope == scope || module.scope.starts_with(scope + "."));
      });
}

// What the counter has for a module. One whose parts are called past it (OPTForCausalLM runs
// model.decoder, never model) is not counted itself: it has what they have.
std::int64_t counted_flops(const Record& record, const std::string& scope) {
  const auto found = record.flops.find(scope);
  if (found != record.flops.end()) return found->second;
  std::int64_t sum = 0;
  std::string outer;
  for (auto part = record.flops.lower_bound(scope + "."); part != record.flops.end(); ++part) {
    if (!part->first.starts_with(scope + ".")) break;
    if (!outer.empty() && part->first.starts_with(outer + ".")) continue;
    outer = part->first;
    sum += part->second;
  }
  return sum;
}

TEST_P(CountedRecords, MatmulFlopsAreTheFrameworksCounters) {
  const Record& record = GetParam();
  const Result<BuiltTree> built = build(record);
  ASSERT_TRUE(built.ok()) << built.error().message;
  std::map<std::string, std::int64_t> ours;
  for (const Node& node : built.value().tree.nodes()) {
    if (node.scope.find(':') == std::string_view::npos)
      ours[std::string(node.scope)] += node.matmul_flops;
  }
  for (const RecordedModule& module : record.modules) {
    if (counts_experts(record, module.scope)) continue;
    EXPECT_EQ(ours[module.scope], counted_flops(record, module.scope))
        << "\"" << module.scope << "\"";
  }
}

TEST_P(RunRecords, EveryKernelAndItsShapesAreTheFrameworks) {
  const Record& record = GetParam();
  const Result<BuiltTree> built = build(record);
  ASSERT_TRUE(built.ok()) << built.error().message;
  const std::vector<std::string> ours = ops_of(built.value().tree);
  for (std::size_t i = 0; i < std::max(ours.size(), record.ops.size()); ++i) {
    const std::string mine = i < ours.size() ? ours[i] : "(nothing)";
    const std::string theirs = i < record.ops.size() ? record.ops[i] : "(nothing)";
    if (mine == theirs) continue;
    std::string context;
    for (std::size_t j = i >= 3 ? i - 3 : 0; j < i; ++j) context += "\n      " + ours[j];
    FAIL() << "kernel " << i << " after" << context << "\n  ours:   " << mine
           << "\n  theirs: " << theirs;
  }
}

std::vector<Record> all_records() {
  std::vector<Record> all;
  for (const std::string folder : {"records", "reference-trees", "bundled"}) {
    for (Record& record : read_records(WATTREE_SOURCE_DIR "/tests/data/" + folder)) {
      record.name = folder + "." + record.name;
      all.push_back(std::move(record));
    }
  }
  return all;
}

template <class Predicate>
std::vector<Record> records_where(Predicate holds) {
  static const std::vector<Record> all = all_records();
  std::vector<Record> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), holds);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Framework, Records,
                         testing::ValuesIn(records_where([](const Record&) { return true; })),
                         label);
INSTANTIATE_TEST_SUITE_P(
    Framework, CountedRecords,
    testing::ValuesIn(records_where([](const Record& record) { return record.has_flops; })), label);
INSTANTIATE_TEST_SUITE_P(
    Framework, RunRecords,
    testing::ValuesIn(records_where([](const Record& record) { return record.has_ops; })), label);

}  // namespace
}  // namespace wattree
