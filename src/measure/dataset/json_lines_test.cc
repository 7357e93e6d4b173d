#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "src/base/test_folder.h"
#include "src/measure/dataset/json_lines_reader.h"
#include "src/measure/dataset/json_lines_writer.h"

namespace wattree {
namespace {

// A tree of two nodes, with a field of the leaf and one of the line put in place of others.
std::string line_with(const std::string& leaf_fields,
                      const std::string& line_fields = R"("batch_size":8)",
                      const std::string& id = "a") {
  return R"({"model_name":"m","seq_len":32,)" + line_fields + R"(,"frontend_tree":{"id":")" + id +
         R"(","scope":"root","instance_type":"M","type":"model",)" +
         R"("child_nodes_obj":[{"id":")" + id + R"(1","scope":"root.x","instance_type":"Linear",)" +
         leaf_fields + R"(}],"child_nodes":["root.x"]}})";
}
constexpr const char* kLeaf = R"("type":"ml","child_nodes_obj":[])";

std::string problems_of(const std::string& line) {
  Problems problems;
  const bool is_good = parse_tree(line, "f:1", problems).has_value();
  EXPECT_EQ(is_good, problems.empty());
  return problems.text();
}

TEST(JsonLines, ReadsEveryField) {
  const TestFolder folder;
  const auto path = folder.write(
      "d.jsonl",
      R"({"model_name":"bert","batch_size":8,"seq_len":32.0,"note":"ignored","frontend_tree":)"
      R"({"id":"0","scope":"root","parent_name":"","level":0,"instance_type":"BertModel","type":"model",)"
      R"("num_parameters":109482240,"ground_truth_energy":4.5,"predicted_energy":-0.25,"child_nodes":["root.q"],)"
      R"("ops":[{"op":"copy","calls":2,"flops":0,"mem_bytes":1.5}],)"
      R"("child_nodes_obj":[{"id":"1","scope":"root.q","parent_name":"root","level":1,"instance_type":"MatMul",)"
      R"("type":"ml-np","num_parameters":0,"flops":12.5,"mem_bytes":1.75,"cpu":8.5,"mem":10,"gpu":90,"gpu_mem":1,)"
      R"("gpu_clk":1920,"gpu_mem_clk":3802,"times_mean":2.5e-05,"gpu_energy_mean":null,"child_nodes_obj":[]}]}})"
      "\n");
  const Result<Dataset> read = read_dataset(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().trees.size(), 1U);
  const DatasetTree& tree = read.value().trees[0];
  EXPECT_EQ(tree.model_name, "bert");
  EXPECT_EQ(tree.batch_size, 8);
  EXPECT_EQ(tree.seq_len, 32);
  ASSERT_EQ(tree.nodes.size(), 2U);
  const DatasetNode& root = tree.root();
  EXPECT_EQ(root.scope, "root");
  EXPECT_EQ(root.type, NodeType::kModel);
  EXPECT_EQ(root.parent, -1);
  EXPECT_EQ(root.first, 0);
  EXPECT_EQ(root.energy, Joules(4.5));
  EXPECT_EQ(root.predicted, Joules(-0.25));
  EXPECT_EQ(root.features.get(Feature::kParameters), 109482240);
  EXPECT_FALSE(root.features.has(Feature::kFlops));
  ASSERT_EQ(root.ops.size(), 1U);
  EXPECT_EQ(root.ops[0].op, "copy");
  EXPECT_EQ(root.ops[0].mem_bytes, 1.5);
  const DatasetNode& leaf = tree.nodes[0];
  EXPECT_EQ(leaf.parent, 1);
  EXPECT_EQ(leaf.instance_type, "MatMul");
  EXPECT_TRUE(leaf.is_leaf());
  EXPECT_EQ(leaf.type, NodeType::kMlNonParametric);
  const double expected[] = {0, 12.5, 1.75, 8.5, 10, 90, 1, 1920, 3802, 2.5e-05};
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(leaf.features.get(static_cast<Feature>(i)), expected[i]);
  EXPECT_FALSE(leaf.features.has(Feature::kGpuEnergy));
  EXPECT_FALSE(leaf.energy);
  EXPECT_FALSE(leaf.predicted);
}

TEST(JsonLines, WritesWhatIreneReads) {
  Problems problems;
  const auto tree =
      parse_tree(line_with(R"("type":"ml","num_parameters":1000000,"flops":0.1)"), "f:1", problems);
  ASSERT_TRUE(tree);
  EXPECT_EQ(
      to_json_line(*tree),
      R"({"model_name":"m","batch_size":8,"seq_len":32,"frontend_tree":{"id":"a","scope":"root",)"
      R"("parent_name":"","level":0,"instance_type":"M","type":"model","num_parameters":null,"flops":null,)"
      R"("mem_bytes":null,"cpu":null,"mem":null,"gpu":null,"gpu_mem":null,"gpu_clk":null,"gpu_mem_clk":null,)"
      R"("times_mean":null,"gpu_energy_mean":null,"ground_truth_energy":null,"child_nodes_obj":[{"id":"a1",)"
      R"("scope":"root.x","parent_name":"root","level":1,"instance_type":"Linear","type":"ml",)"
      R"("num_parameters":1000000,"flops":0.1,"mem_bytes":null,"cpu":null,"mem":null,"gpu":null,"gpu_mem":null,)"
      R"("gpu_clk":null,"gpu_mem_clk":null,"times_mean":null,"gpu_energy_mean":null,)"
      R"("ground_truth_energy":null,"child_nodes_obj":[],"child_nodes":[]}],"child_nodes":["root.x"]}})"
      "\n");
}

TEST(JsonLines, ErrorsNameTheField) {
  EXPECT_EQ(problems_of(line_with(kLeaf)), "");
  const std::string leaf = "f:1: frontend_tree.child_nodes_obj[0].";
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","flops":-1)")),
            leaf + "flops: cannot be negative");
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","cpu":"8.5")")), leaf + "cpu: must be a number");
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","level":"1")")),
            leaf + "level: must be an integer");
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","ground_truth_energy":-2)")),
            leaf + "ground_truth_energy: cannot be negative");
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","flops":1,"flops":1)")),
            leaf + "flops: is there twice");
  EXPECT_EQ(problems_of(line_with(R"("flops":1)")), leaf + "type: is missing");
  EXPECT_EQ(problems_of(line_with(R"("type":"leaf")")),
            leaf + "type: \"leaf\" is none of model, module, ml, ml-np");
  EXPECT_EQ(problems_of(line_with(R"("type":"module")")),
            leaf + "type: is \"module\", but a node without children must be \"ml\" or \"ml-np\"");
  EXPECT_EQ(problems_of(line_with(R"("type":"model")")),
            leaf + "type: only the root's may be \"model\"");
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","ops":[{"op":"copy","calls":-1,"flops":0}])")),
            leaf + "ops[0].calls: cannot be negative\n  " + leaf + "ops[0].mem_bytes: is missing");
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","child_nodes":["root.y"])")),
            "");  // No child_nodes_obj.
  EXPECT_EQ(problems_of(line_with(R"("type":"ml","child_nodes_obj":[],"child_nodes":["root.y"])")),
            leaf + "child_nodes: names \"root.y\", which is not in child_nodes_obj");
  EXPECT_EQ(problems_of(line_with(kLeaf, R"("batch_size":0)")),
            "f:1: batch_size: must be a whole number from 1 to 1000000000");
  EXPECT_EQ(problems_of(line_with(kLeaf, R"("batch_size":1.5)")),
            "f:1: batch_size: must be a whole number from 1 to 1000000000");
  EXPECT_EQ(problems_of(line_with(kLeaf, R"("x":0)")), "f:1: batch_size: is missing");
  EXPECT_EQ(problems_of("[]"), "f:1: must be a JSON object");
}

TEST(JsonLines, RefusesTextThatIsNoJson) {
  EXPECT_TRUE(problems_of("{").starts_with("f:1: not valid JSON: "));
  EXPECT_TRUE(
      problems_of(line_with(R"("type":"ml","flops":1e999)")).starts_with("f:1: not valid JSON"));
  EXPECT_TRUE(problems_of(line_with(R"("type":"ml","flops":NaN)"))
                  .ends_with("(JSON has no NaN: write null)"));
  EXPECT_TRUE(problems_of(std::string(5000, '[')).starts_with("f:1: not valid JSON: "));
  EXPECT_TRUE(problems_of("\xff").starts_with("f:1: not valid JSON: "));
}

TEST(JsonLines, SaysAllThatIsBadAndReadsNothing) {
  const TestFolder folder;
  const auto path = folder.write(
      "d", line_with(kLeaf, R"("batch_size":8)", "a") + "\n{\n\n" +
               line_with(R"("type":"ml","gpu":-1,"mem":true)", R"("batch_size":8)", "b") + "\n" +
               line_with(kLeaf, R"("batch_size":8)", "c") + "\n" +
               line_with(kLeaf, R"("batch_size":8)", "a") + "\n");
  const Result<Dataset> strict = read_dataset(path);
  ASSERT_FALSE(strict.ok());
  const std::string& message = strict.error().message;
  const std::string name = path.string();
  EXPECT_TRUE(message.starts_with(name + " has 5 problems:\n  " + name + ":2: not valid JSON"))
      << message;
  for (const std::string part : {":4: frontend_tree.child_nodes_obj[0].gpu: cannot be negative",
                                 ":4: frontend_tree.child_nodes_obj[0].mem: must be a number",
                                 ":6: the id \"a1\" of \"root.x\" is taken already, on line 1"}) {
    EXPECT_NE(message.find(name + part), std::string::npos) << message;
  }
  ReadOptions options;
  options.skips_bad = true;
  const Result<Dataset> lenient = read_dataset(path, options);
  ASSERT_TRUE(lenient.ok()) << lenient.error().message;
  EXPECT_EQ(lenient.value().trees.size(), 2U);
  EXPECT_EQ(lenient.value().skipped, 3U);
  EXPECT_EQ(lenient.value().problems.count(), 5U);
}

TEST(JsonLines, TheListOfProblemsIsBounded) {
  const TestFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "{\n";
  const Result<Dataset> read = read_dataset(folder.write("d", text));
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(read.error().message.ends_with("\n  and 980 more")) << read.error().message;
}

TEST(JsonLines, FilesWithoutTreesAreErrors) {
  const TestFolder folder;
  for (const char* text : {"", "\n\n", "\xef\xbb\xbf"}) {
    const auto path = folder.write("d", text);
    const Result<Dataset> read = read_dataset(path);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().message, path.string() + " has no trees");
  }
  EXPECT_FALSE(read_dataset(folder.path()).ok());
  EXPECT_FALSE(read_dataset(folder.path() / "no").ok());
  ReadOptions options;
  options.skips_bad = true;
  EXPECT_FALSE(read_dataset(folder.write("d", "{\n"), options).ok());
}

TEST(JsonLines, ReadsCrlfAndBom) {
  const TestFolder folder;
  const auto path = folder.write("d", "\xef\xbb\xbf" + line_with(kLeaf) + "\r\n\r\n");
  const Result<Dataset> read = read_dataset(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().trees.size(), 1U);
}

TEST(JsonLines, AVeryLongLineIsPassedOver) {
  const TestFolder folder;
  ReadOptions options;
  options.skips_bad = true;
  options.max_line_bytes = 1000;
  const auto path = folder.write("d", std::string(2'000'000, '[') + "\n" + line_with(kLeaf) + "\n");
  const Result<Dataset> read = read_dataset(path, options);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().trees.size(), 1U);
  EXPECT_EQ(read.value().problems.kept()[0],
            path.string() + ":1: the line is longer than 1000 bytes");
}

// Any tree at all: shapes, absent values, odd texts, from a seed.
DatasetTree random_tree(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto any_double = [&] {
    return std::ldexp(static_cast<double>(below(1U << 30)), static_cast<int>(below(120)) - 80);
  };
  const auto any_text = [&] {
    static const std::vector<std::string> kParts{"a",    "é", "\"", "\\", "\n",
                                                 "\x01", "…", "/",  "x:y"};
    std::string out = "t";
    for (std::uint64_t i = below(6); i > 0; --i) out += kParts[below(kParts.size())];
    return out;
  };
  DatasetTree tree;
  tree.model_name = any_text();
  tree.batch_size = 1 + static_cast<std::int64_t>(below(1000));
  tree.seq_len = 1 + static_cast<std::int64_t>(below(1000));
  if (below(2) == 0) tree.dtype = "bf16";
  const auto grow = [&](auto& self, int depth) -> std::int32_t {
    DatasetNode node;
    node.first = static_cast<std::int32_t>(tree.nodes.size());
    const std::uint64_t count = depth >= 5 ? 0 : below(5) + (depth == 0 ? 1 : 0);
    for (std::uint64_t i = 0; i < count; ++i) self(self, depth + 1);
    node.type = depth == 0      ? NodeType::kModel
                : count > 0     ? NodeType::kModule
                : below(2) == 0 ? NodeType::kMl
                                : NodeType::kMlNonParametric;
    node.scope = any_text();
    node.instance_type = any_text();
    for (std::size_t i = 0; i < kFeatureCount; ++i) {
      if (below(3) > 0) node.features.set(static_cast<Feature>(i), any_double());
    }
    if (below(2) == 0) node.energy = Joules(any_double());
    if (below(2) == 0) node.predicted = Joules(any_double() - any_double());
    for (std::uint64_t i = below(3); i > 0; --i) {
      node.ops.push_back({any_text(), any_double(), any_double(), any_double()});
    }
    const auto index = static_cast<std::int32_t>(tree.nodes.size());
    node.id = any_text() + std::to_string(index);
    tree.nodes.push_back(std::move(node));
    for (const std::int32_t child : children_of(tree, index)) {
      tree.nodes[static_cast<std::size_t>(child)].parent = index;
    }
    return index;
  };
  grow(grow, 0);
  return tree;
}

TEST(JsonLines, WhatIsWrittenReadsBackTheSame) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const DatasetTree tree = random_tree(random);
    const std::string line = to_json_line(tree);
    Problems problems;
    const std::optional<DatasetTree> back = parse_tree(line, "f:1", problems);
    ASSERT_TRUE(back) << problems.text();
    ASSERT_EQ(to_json_line(*back), line);
    // The text does not show the indices.
    ASSERT_EQ(back->nodes.size(), tree.nodes.size());
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      ASSERT_EQ(back->nodes[n].parent, tree.nodes[n].parent);
      ASSERT_EQ(back->nodes[n].first, tree.nodes[n].first);
    }
  }
}

TEST(JsonLines, FilesReadBackPlainAndPacked) {
  const TestFolder folder;
  std::mt19937_64 random(2);
  std::vector<DatasetTree> trees;
  std::string text;
  for (int i = 0; i < 5; ++i) {
    trees.push_back(random_tree(random));
    for (DatasetNode& node : trees.back().nodes) node.id += "/" + std::to_string(i);
    text += to_json_line(trees.back());
  }
  ASSERT_TRUE(write_dataset(folder.path() / "d.jsonl", trees).ok());
  EXPECT_EQ(folder.read("d.jsonl"), text);
  gzFile packed = gzopen((folder.path() / "d.gz").c_str(), "wb");
  gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(packed);
  for (const char* name : {"d.jsonl", "d.gz"}) {
    const Result<Dataset> read = read_dataset(folder.path() / name);
    ASSERT_TRUE(read.ok()) << read.error().message;
    std::string again;
    for (const DatasetTree& tree : read.value().trees) again += to_json_line(tree);
    EXPECT_EQ(again, text) << name;
  }
}

TEST(DatasetTree, ChildrenAndLevels) {
  std::mt19937_64 random(3);
  const DatasetTree tree = random_tree(random);
  const std::vector<std::int32_t> levels = levels_of(tree);
  std::size_t seen = 1;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(tree.nodes.size()); ++i) {
    std::int32_t last = -1;
    for (const std::int32_t child : children_of(tree, i)) {
      EXPECT_EQ(tree.nodes[static_cast<std::size_t>(child)].parent, i);
      EXPECT_EQ(levels[static_cast<std::size_t>(child)], levels[static_cast<std::size_t>(i)] + 1);
      EXPECT_GT(child, last);
      last = child;
      ++seen;
    }
  }
  EXPECT_EQ(seen, tree.nodes.size());
  EXPECT_EQ(levels.back(), 0);
}

}  // namespace
}  // namespace wattree
