#include "src/measure/dataset/irene_import.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <map>

#include "src/base/test_folder.h"
#include "src/measure/dataset/irene_parameters.h"
#include "src/measure/dataset/json_lines_writer.h"

namespace wattree {
namespace {

constexpr const char* kHeader =
    "batch_size,seq_len,flops,mem_bytes,cpu,mem,gpu,gpu_mem,gpu_clk,gpu_mem_clk,times_mean,"
    "gpu_energy_mean,energy_mean,level_name,model_name\n";

struct Size {
  int batch = 2;
  int seq = 4;
};

std::string row(const std::string& name, double mflops = 1, double mib = 1, Size size = {},
                const std::string& model = "m", const std::string& energy = "0.5") {
  std::string out;
  for (const double value : {double(size.batch), double(size.seq), mflops, mib, 8.5, 10.0, 90.0,
                             1.0, 1900.0, 3800.0, 2.5e-5, 0.25}) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g,", value);
    out += text;
  }
  return out + energy + "," + name + "," + model + "\n";
}

IreneTexts texts(const std::string& model, const std::string& module, const std::string& ml1,
                 const std::string& ml2) {
  return {IreneText{"model.csv", kHeader + model}, IreneText{"module.csv", kHeader + module},
          IreneText{"ml1.csv", kHeader + ml1}, IreneText{"ml2.csv", kHeader + ml2}};
}

Result<Dataset> import(const std::string& model, const std::string& module, const std::string& ml1,
                       const std::string& ml2, bool skips_bad = false) {
  return import_irene(texts(model, module, ml1, ml2), "test", {skips_bad});
}

// "scope Class type parent's scope", children first; "-" behind nodes without energy.
std::vector<std::string> outline(const DatasetTree& tree) {
  std::vector<std::string> out;
  for (const DatasetNode& node : tree.nodes) {
    out.push_back(
        node.scope + " " + node.instance_type + " " + std::string(name_of(node.type)) +
        (node.parent < 0 ? "" : " " + tree.nodes[static_cast<std::size_t>(node.parent)].scope) +
        (node.energy ? "" : " -"));
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(IreneImport, PathsMakeTheTree) {
  const Result<Dataset> read =
      import(row("m"),
             row("encoder.layer.0.attention:Attn") + row("encoder.layer.0:Layer") +
                 row("encoder:Encoder") + row("ffn:Sequential") + row("ffn.1:ReLU"),
             row("encoder.layer.0.attention.query:Linear") + row("ffn.0:Linear") +
                 row("pooler.activation:Tanh"),
             row("encoder.layer.0.attention:MatMul") + row("encoder.layer.0.attention:MatMul") +
                 row("encoder.layer.0.attention:Softmax"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().trees.size(), 1U);
  const DatasetTree& tree = read.value().trees[0];
  EXPECT_EQ(
      outline(tree),
      (Lines{"root.encoder.0.attention.query Linear ml root.encoder.0.attention",
             "root.encoder.0.attention:matmul MatMul ml-np root.encoder.0.attention",
             "root.encoder.0.attention:matmul.1 MatMul ml-np root.encoder.0.attention",
             "root.encoder.0.attention:softmax Softmax ml-np root.encoder.0.attention",
             "root.encoder.0.attention Attn module root.encoder.0",
             "root.encoder.0 Layer module root.encoder", "root.encoder Encoder module root",
             // ffn has a row, so it is no list of modules; without children, a module is a leaf.
             "root.ffn.1 ReLU ml-np root.ffn", "root.ffn.0 Linear ml root.ffn",
             "root.ffn Sequential module root",
             // The pooler has no row.
             "root.pooler.activation Tanh ml-np root.pooler", "root.pooler Module module root -",
             "root m model"}));
  EXPECT_EQ(tree.nodes[0].id, "m/2x4/root.encoder.0.attention.query");
  const double expected[] = {1, 1, 8.5, 10, 90, 1, 1900, 3800, 2.5e-5, 0.25};
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(tree.nodes[0].features.get(static_cast<Feature>(i + 1)), expected[i]);
  }
  EXPECT_EQ(tree.nodes[0].energy, Joules(0.5));
}

TEST(IreneImport, TreesWithoutARootComeLastAndTakeTheirClassesFromOthers) {
  const Size other{8, 16};
  const Result<Dataset> read =
      import(row("m") + row("n", 1, 1, {}, "n"), row("h.0.attn:Attention") + row("h.0:Block"),
             row("h.0.ln:LayerNorm") + row("w:Embedding", 1, 1, {}, "n"),
             row("h.0.attn:MatMul", 1, 1, other) + row("h.0.attn:MatMul"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().trees.size(), 3U);
  EXPECT_EQ(read.value().trees[1].model_name, "n");
  EXPECT_EQ(read.value().trees[2].batch_size, 8);
  EXPECT_EQ(
      outline(read.value().trees[2]),
      (Lines{"root.0.attn:matmul MatMul ml-np root.0.attn", "root.0.attn Attention module root.0 -",
             "root.0 Block module root -", "root m model -"}));
  const DatasetNode& root = read.value().trees[2].root();
  for (std::size_t i = 0; i < kFeatureCount; ++i)
    EXPECT_FALSE(root.features.has(static_cast<Feature>(i)));
}

TEST(IreneImport, ColumnsMayComeInAnyOrderAndValuesMayBeAbsent) {
  const std::string header =
      "model_name,energy_mean,extra,level_name,seq_len,batch_size,flops,mem_bytes,cpu,mem,gpu,"
      "gpu_mem,gpu_clk,gpu_mem_clk,times_mean,gpu_energy_mean\r\n";
  const IreneTexts files{
      IreneText{"a", "\xef\xbb\xbf" + header + "m,4,?,m,32.0,8.0,1,2,3,4,5,6,7,8,9,10\r\n"},
      IreneText{"b", header}, IreneText{"c", header + "m,,?,x:Foo,32,8,1,,3,4,5,6,7,8,9,10\r\n"},
      IreneText{"d", header}};
  const Result<Dataset> read = import_irene(files, "test");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const DatasetTree& tree = read.value().trees[0];
  EXPECT_EQ(tree.batch_size, 8);
  EXPECT_EQ(tree.seq_len, 32);
  EXPECT_EQ(tree.root().energy, Joules(4));
  EXPECT_EQ(tree.root().features.get(Feature::kMemory), 2);
  EXPECT_EQ(tree.root().features.get(Feature::kGpuEnergy), 10);
  EXPECT_FALSE(tree.nodes[0].energy);
  EXPECT_FALSE(tree.nodes[0].features.has(Feature::kMemory));
  EXPECT_FALSE(tree.nodes[0].features.has(Feature::kParameters));  // Nobody knows what a Foo is.
  EXPECT_FALSE(tree.root().features.has(Feature::kParameters));
}

TEST(IreneImport, SaysAllThatIsBad) {
  const Size good{4, 4};
  const std::string model =
      row("m") + row("m", 1, 1, good) + row("m", 1, 1, {0, 4}) + row("z", 1, 1, {}, "z");
  const std::string ml1 = row("a:Linear", -1) + row("b:Linear", 1, 1, {}, "m", "x") + row("c") +
                          row("d:Tanh", 1, 1, good) + row("e:Linear") + row("e:Linear") +
                          row("e.f:Linear", 1, 1, {6, 6}) + row("e:Linear", 1, 1, {6, 6}) +
                          row("a:Linear", 1, 1, {}, "");
  const Result<Dataset> strict = import(model, "", ml1, "");
  ASSERT_FALSE(strict.ok());
  EXPECT_EQ(
      strict.error().message,
      "test has 8 problems:\n"
      "  model.csv:4: batch_size \"0\" is not a whole number from 1 to 1000000000\n"
      "  ml1.csv:2: flops cannot be negative\n"
      "  ml1.csv:3: energy_mean \"x\" is not a number\n"
      "  ml1.csv:4: level_name \"c\" is not of the form path:Class\n"
      "  ml1.csv:10: model_name is empty\n"
      "  ml1.csv:7: there is a row for \"root.e\" of \"m\" at this size already, in ml1.csv:6\n"
      "  model.csv:5: the model has no other row at this size\n"
      "  ml1.csv:9: \"root.e\" is an operation, but \"root.e.f\" is below it");
  EXPECT_NE(strict.error().hint, "");
  const Result<Dataset> lenient = import(model, "", ml1, "", true);
  ASSERT_TRUE(lenient.ok()) << lenient.error().message;
  EXPECT_EQ(lenient.value().trees.size(), 1U);
  EXPECT_EQ(lenient.value().trees[0].batch_size, 4);
  EXPECT_EQ(lenient.value().skipped, 3U);
  EXPECT_EQ(lenient.value().problems.count(), 8U);
}

TEST(IreneImport, RefusesWhatIsNoTable) {
  EXPECT_EQ(import("", "", "", "").error().message, "test has no rows");
  EXPECT_EQ(import("1,2\n", "", "", "").error().message,
            "model.csv:2: the header has 15 fields, this row 2");
  IreneTexts files = texts(row("m"), "", row("a:Tanh"), "");
  files[3].text = "";
  EXPECT_EQ(import_irene(files, "test").error().message, "ml2.csv:1: there is no header line");
  files[3].text = "batch_size,seq_len\n";
  EXPECT_EQ(import_irene(files, "test").error().message,
            "ml2.csv: there is no column \"model_name\"");
  std::string deep = "a";
  for (int i = 0; i < 5000; ++i) deep += ".a";
  EXPECT_EQ(import(row("m"), "", row(deep + ":Linear"), "").error().message,
            "ml1.csv:2: level_name has more than 200 parts");
}

TEST(IreneImport, ReadsAFolderPlainOrPacked) {
  const TestFolder folder;
  EXPECT_EQ(import_irene(folder.path()).error().message,
            folder.path().string() +
                " lacks model_level_features.csv, module_level_features.csv, "
                "ml1_level_features.csv, ml2_level_features.csv");
  folder.write("model_level_features.csv", kHeader + row("m"));
  folder.write("module_level_features.csv", kHeader);
  folder.write("ml1_level_features.csv", kHeader + row("a:Tanh"));
  EXPECT_EQ(import_irene(folder.path()).error().message,
            folder.path().string() + " lacks ml2_level_features.csv");
  const std::string text = kHeader + row(":MatMul");
  gzFile packed = gzopen((folder.path() / "ml2_level_features.csv.gz").c_str(), "wb");
  gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(packed);
  const Result<Dataset> read = import_irene(folder.path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(outline(read.value().trees[0]),
            (Lines{"root.a Tanh ml-np root", "root:matmul MatMul ml-np root", "root m model"}));
  EXPECT_EQ(import_irene(folder.path() / "no").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(import_irene(folder.path() / "ml1_level_features.csv").ok());
}

// What the files count for a layer from K to N at 2 × 4, in 10^6 FLOPs and MiB. (By hand: a Linear
// from 3 to 5 is 2·2·4·15 + 2·4·5 = 280 FLOPs and 4(2(12 + 15 + 20) + 80) = 696 bytes.)
double mega(double flops) { return flops / 1e6; }
double mib(double bytes) { return bytes / 1048576; }

TEST(IreneImport, WorksParametersOut) {
  const auto parameters = [](const std::string& name, double flops,
                             double bytes) -> std::optional<double> {
    // A LayerNorm of width 8 on 2 × 4: 8·64 FLOPs.
    const Result<Dataset> read = import(
        row("m"), "", row("ln:LayerNorm", mega(512)) + row(name, mega(flops), mib(bytes)), "");
    EXPECT_TRUE(read.ok());
    EXPECT_EQ(read.value().trees[0].nodes[0].features.get(Feature::kParameters), 16);
    const DatasetTree& tree = read.value().trees[0];
    const bool knows = tree.nodes[1].features.has(Feature::kParameters);
    EXPECT_EQ(tree.root().features.has(Feature::kParameters), knows);
    if (!knows) return std::nullopt;
    const double own = tree.nodes[1].features.get(Feature::kParameters);
    EXPECT_EQ(tree.root().features.get(Feature::kParameters), 16 + own);
    return own;
  };
  EXPECT_EQ(parameters("x:Linear", 280, 696), 20);
  EXPECT_EQ(parameters("x:Linear", 281, 696), std::nullopt);
  // On two dimensions, 8 to 8: 2·2·64 FLOPs, 4(16 + 64 + 16) bytes.
  EXPECT_EQ(parameters("pooler:Linear", 256, 384), 72);
  // Conv1D between 8 and 32: 2·8·256 FLOPs, 4(64 + 256 + 256) bytes.
  EXPECT_EQ(parameters("c_fc:Conv1D", 4096, 2304), 256 + 32);
  EXPECT_EQ(parameters("c_proj:Conv1D", 4096, 2304), 256 + 8);
  // Between 4 and 16, neither of which is the width: nobody knows which way.
  EXPECT_EQ(parameters("c_fc:Conv1D", 1024, 896), std::nullopt);
  EXPECT_EQ(parameters("x:Tanh", 1, 1), 0);
  EXPECT_EQ(parameters("x:Embedding", 0, 1), std::nullopt);
  EXPECT_EQ(parameters("x:Linear", 1e300, 1e300), std::nullopt);
  EXPECT_EQ(parameters("x:Linear", 0, 0), std::nullopt);
}

TEST(IreneImport, AModuleThatLacksLeavesHasNoParameters) {
  const Size other{8, 16};
  const Result<Dataset> read =
      import(row("m") + row("m", 1, 1, other), row("a:A") + row("a:A", 1, 1, other),
             row("a.x:Tanh") + row("a.y:Tanh") + row("a.x:Tanh", 1, 1, other), "");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read.value().trees[0].root().features.has(Feature::kParameters));
  EXPECT_FALSE(read.value().trees[1].root().features.has(Feature::kParameters));
}

TEST(IreneImport, KnowsKernelsOutsideOfNodes) {
  // Width 8 at 2 × 4: a hidden state has 256 bytes. 3 heads: the scores have 96 elements, 384
  // bytes.
  const Result<Dataset> read =
      import(row("m"), row("attn:Attention") + row("mlp:MLP") + row("other:Other"),
             row("wte:Embedding") + row("ln:LayerNorm", mega(512)) + row("mlp.a:Tanh") +
                 row("other.a:Tanh"),
             row("attn:Softmax", mega(480)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::map<std::string, std::vector<Kernels>> ops;
  for (const DatasetNode& node : read.value().trees[0].nodes) ops[node.scope] = node.ops;
  EXPECT_EQ(read.value().trees[0].root().instance_type, "GPT2Model");
  ASSERT_EQ(ops["root.attn"].size(), 2U);
  EXPECT_EQ(ops["root.attn"][0].op, "copy");
  EXPECT_EQ(ops["root.attn"][0].calls, 6);
  EXPECT_DOUBLE_EQ(ops["root.attn"][0].mem_bytes, mib(12 * 256));
  EXPECT_EQ(ops["root.attn"][1].op, "scores");
  EXPECT_EQ(ops["root.attn"][1].calls, 2);
  EXPECT_DOUBLE_EQ(ops["root.attn"][1].mem_bytes, mib(4 * 384));
  ASSERT_EQ(ops["root.mlp"].size(), 1U);
  EXPECT_DOUBLE_EQ(ops["root.mlp"][0].mem_bytes, mib(72 * 256));
  ASSERT_EQ(ops["root"].size(), 1U);
  EXPECT_DOUBLE_EQ(ops["root"][0].mem_bytes, mib(2 * 256));
  EXPECT_TRUE(ops["root.other"].empty());
  EXPECT_TRUE(ops["root.mlp.a"].empty());
}

// The published data, where it is at hand; imported once.
const std::optional<Result<Dataset>>& published() {
  static const std::optional<Result<Dataset>> data = []() -> std::optional<Result<Dataset>> {
    const std::filesystem::path folder =
        std::filesystem::path(WATTREE_SOURCE_DIR) / "../shared/irene-dataset";
    if (!std::filesystem::exists(folder)) return std::nullopt;
    return import_irene(folder);
  }();
  return data;
}

class Published : public testing::Test {
 protected:
  void SetUp() override {
    if (!published()) GTEST_SKIP() << "IrEne's published data is not at hand";
    ASSERT_TRUE(published()->ok()) << published()->error().message;
  }
  static const std::vector<DatasetTree>& trees() { return published()->value().trees; }
};

TEST_F(Published, HasEveryRow) {
  std::size_t measured = 0;
  std::size_t unmeasured = 0;
  for (const DatasetTree& tree : trees()) {
    for (const DatasetNode& node : tree.nodes) ++(node.energy ? measured : unmeasured);
  }
  EXPECT_EQ(trees().size(), 194U);
  EXPECT_EQ(measured, 12741U + 5166U + 7424U + 193U);  // The lines of the four files.
  // One tree has nothing but its MatMul and Softmax rows: 12 blocks, 12 attentions, one root.
  EXPECT_EQ(unmeasured, 25U);
  EXPECT_FALSE(trees().back().root().energy);
  EXPECT_EQ(trees().back().root().instance_type, "OpenAIGPTModel");
  EXPECT_EQ(trees().back().nodes.size(), 61U);
}

TEST_F(Published, ParametersAddUpToTheArchitectures) {
  const std::map<std::string, double> known{{"bert-base-uncased", 109482240},
                                            {"roberta-base", 124645632},
                                            {"distilbert-base-uncased", 66362880},
                                            {"gpt2", 124439808},
                                            {"distilgpt2", 81912576},
                                            {"openai-gpt", 116534784}};
  for (const DatasetTree& tree : trees()) {
    const auto expected = known.find(tree.model_name);
    if (expected == known.end() || !tree.root().energy) continue;
    EXPECT_EQ(tree.root().features.get(Feature::kParameters), expected->second) << tree.root().id;
    for (const DatasetNode& node : tree.nodes) {
      EXPECT_TRUE(node.features.has(Feature::kParameters)) << node.id;
    }
  }
}

TEST_F(Published, ReadsBackFromJsonLines) {
  const TestFolder folder;
  ASSERT_TRUE(write_dataset(folder.path() / "d.jsonl", trees()).ok());
  const Result<Dataset> back = read_dataset(folder.path() / "d.jsonl");
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back.value().trees.size(), trees().size());
  for (std::size_t i = 0; i < trees().size(); ++i) {
    ASSERT_EQ(to_json_line(back.value().trees[i]), to_json_line(trees()[i]));
  }
}

}  // namespace
}  // namespace wattree
