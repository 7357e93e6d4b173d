// TorchScript files: the tree from what ran, and the framework's own results when it is run again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "src/measure/runner/plugin.h"
#include "src/measure/script/script_tree.h"
#include "src/models/config/config.h"
#include "src/models/families/family.h"
#include "tests/torch/plugin.h"

namespace wattree {
namespace {

// As of python/tests/small_models.py.
constexpr char kBert[] =
    R"({"model_type": "bert", "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2,
        "intermediate_size": 64, "vocab_size": 100, "max_position_embeddings": 64})";
constexpr char kGpt2[] =
    R"({"model_type": "gpt2", "n_embd": 32, "n_head": 4, "n_layer": 2, "vocab_size": 100,
        "n_positions": 64, "bos_token_id": 1, "eos_token_id": 1, "use_cache": false})";
constexpr char kLlama[] =
    R"({"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4,
        "num_key_value_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64,
        "vocab_size": 100, "max_position_embeddings": 64, "use_cache": false})";

class Scripts : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ =
        std::filesystem::temp_directory_path() / ("wattree-scripts-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    const std::string command =
        "/usr/bin/python3 -c 'import torch' 2>/dev/null && /usr/bin/python3 " WATTREE_SOURCE_DIR
        "/tests/torch/make_scripts.py " +
        folder_.string();
    is_made_ = has_plugin() && std::system(command.c_str()) == 0;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }
  void SetUp() override {
    if (!has_plugin()) GTEST_SKIP() << kWithoutPlugin;
    if (!is_made_)
      GTEST_SKIP() << "there is no PyTorch for python3 to write scripts with (Debian: apt install "
                      "python3-torch)";
  }

  static Result<std::unique_ptr<ScriptExecutor>> open(const std::string& file,
                                                      std::vector<std::string> inputs = {}) {
    return open_script({{tested_plugin()}, "cpu"},
                       {(folder_ / file).string(), std::move(inputs), 2, 8});
  }

  // Every node of the script's tree against the config's: class, shape and all counts. `dead` are
  // kernels whose result nobody uses, which the framework's tracer leaves out.
  static void expect_same_tree(const std::string& file, const char* json,
                               const std::vector<std::string>& dead) {
    const auto script = open(file);
    ASSERT_TRUE(script.ok()) << script.error().message;
    const Result<ModelTree> ours = tree_of_script(script.value()->facts());
    ASSERT_TRUE(ours.ok()) << ours.error().message;
    Pass pass;
    pass.batch = 2;
    pass.seq = pass.target_len = pass.source = 8;
    pass.attention = Attention::kEager;
    const Result<Config> config = Config::parse(json, "test");
    ASSERT_TRUE(config.ok());
    const Result<BuiltTree> built = build_tree(config.value(), {pass, ""});
    ASSERT_TRUE(built.ok()) << built.error().message;
    auto lines = [](const ModelTree& tree) {
      std::vector<std::string> out;
      for (const Node& node : tree.nodes()) {
        // Kernels of the root are numbered anew where some are left out, so by their op alone.
        std::string line(node.scope.starts_with(':') ? facts_of(node.op).aten : node.scope);
        line += " " + std::string(node.type) + " " + std::string(name_of(node.level));
        for (const std::int64_t n : node.shape) line += " " + std::to_string(n);
        if (!node.scope.empty()) {
          line += " | " + std::to_string(node.params) + " " + std::to_string(node.flops) + " " +
                  std::to_string(node.matmul_flops) + " " + std::to_string(node.bytes);
        }
        out.push_back(line);
      }
      return out;
    };
    std::vector<std::string> theirs = lines(built.value().tree);
    for (const std::string& kernel : dead) {
      const auto found = std::find_if(theirs.begin(), theirs.end(), [&](const std::string& line) {
        return line.starts_with(kernel + " ");
      });
      ASSERT_NE(found, theirs.end()) << kernel;
      theirs.erase(found);
    }
    EXPECT_EQ(lines(ours.value()), theirs);
    EXPECT_EQ(ours.value().root().params, built.value().tree.root().params);
    EXPECT_EQ(ours.value().root().matmul_flops, built.value().tree.root().matmul_flops);
  }

  static inline std::filesystem::path folder_;
  static inline bool is_made_ = false;
};

TEST_F(Scripts, BertIsTheConfigsTree) { expect_same_tree("bert.pt", kBert, {}); }

TEST_F(Scripts, Gpt2IsTheConfigsTree) {
  expect_same_tree("gpt2.pt", kGpt2,
                   {"sub", "cat", "sub", "ne", "cumsum", "eq", "all", "arange arange math 1",
                    "arange arange math 2"});
}

TEST_F(Scripts, LlamaIsTheConfigsTree) {
  expect_same_tree("llama.pt", kLlama,
                   {"sub", "cat", "sub", "ne", "cumsum", "eq", "all", "arange arange math 1",
                    "arange arange math 2"});
}

TEST_F(Scripts, ReturnWhatTheFrameworkReturns) {
  for (const char* file : {"bert.pt", "gpt2.pt", "llama.pt"}) {
    const auto script = open(file);
    ASSERT_TRUE(script.ok()) << script.error().message;
    const Result<ModelTree> tree = tree_of_script(script.value()->facts());
    ASSERT_TRUE(tree.ok()) << tree.error().message;
    const Result<double> difference = script.value()->difference(tree.value());
    ASSERT_TRUE(difference.ok()) << file << ": " << difference.error().message;
    EXPECT_EQ(difference.value(), 0) << file;
  }
}

TEST_F(Scripts, AnyNodeRunsByItself) {
  const auto script = open("bert.pt");
  ASSERT_TRUE(script.ok()) << script.error().message;
  const Result<ModelTree> tree = tree_of_script(script.value()->facts());
  ASSERT_TRUE(tree.ok());
  for (std::int32_t i = 0; i < tree.value().node_count(); ++i) {
    const auto launch = script.value()->prepare(tree.value(), i, {CacheState::kWarm, 1, true});
    ASSERT_TRUE(launch.ok()) << launch.error().message;
    EXPECT_EQ(launch.value()->unlinked(), 0)
        << tree.value().nodes()[static_cast<std::size_t>(i)].scope;
    EXPECT_TRUE(launch.value()->start().ok());
  }
}

// Loops, branches, helper methods and dictionaries of a scripted module; an op of its own.
TEST_F(Scripts, AreFollowedThroughTheirControlFlow) {
  const auto script = open("branching.pt", {"f32[3,6]"});
  ASSERT_TRUE(script.ok()) << script.error().message;
  const Result<ModelTree> tree = tree_of_script(script.value()->facts());
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  std::vector<std::string> scopes;
  for (const Node& node : tree.value().nodes())
    scopes.push_back(std::string(node.scope) + " " + std::string(node.type));
  EXPECT_EQ(scopes, (std::vector<std::string>{"layers.0 Linear", ":relu relu", "layers.1 Linear",
                                              ":relu.1 relu", ":mul mul", ":other logaddexp",
                                              ":mul.1 mul", ":other.1 logaddexp", "norm LayerNorm",
                                              ":cat cat", " Branching"}));
  const Result<double> difference = script.value()->difference(tree.value());
  ASSERT_TRUE(difference.ok()) << difference.error().message;
  EXPECT_EQ(difference.value(), 0);
}

// A number is given as such; a module whose forward() has several forms is a node all the same.
TEST_F(Scripts, TakeNumbersAndHoldRecurrentModules) {
  const auto script = open("counting.pt", {"f32[5,2,4]", "2", "0.5", "1"});
  ASSERT_TRUE(script.ok()) << script.error().message;
  const Result<ModelTree> tree = tree_of_script(script.value()->facts());
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  std::vector<std::string> modules;
  for (const Node& node : tree.value().nodes()) {
    if (node.op == Op::kNone) modules.push_back(std::string(node.type));
  }
  EXPECT_EQ(modules, (std::vector<std::string>{"LSTM", "LSTM", "Counting"}));
  const Result<double> difference = script.value()->difference(tree.value());
  ASSERT_TRUE(difference.ok()) << difference.error().message;
  EXPECT_EQ(difference.value(), 0);
}

TEST_F(Scripts, ThatDoNotTakeTheirInputsSayWhy) {
  const auto says = [](const std::string& file, std::vector<std::string> inputs) {
    const auto script = open(file, std::move(inputs));
    if (script.ok()) return std::string("it ran");
    EXPECT_EQ(script.error().code, ErrorCode::kInvalidInput) << script.error().message;
    EXPECT_FALSE(script.error().hint.empty()) << script.error().message;
    return script.error().message;
  };
  EXPECT_NE(says("counting.pt", {"f32[5,2,4]", "4", "0.5", "1"}).find("more than three times"),
            std::string::npos);
  EXPECT_NE(says("counting.pt", {"f32[5,2,4]", "1.5", "0.5", "1"}).find("a whole number"),
            std::string::npos);
  EXPECT_NE(says("counting.pt", {"f32[5,2,4]", "i64[2]", "0.5", "1"}).find("a number"),
            std::string::npos);
  EXPECT_NE(says("counting.pt", {"3", "1", "0.5", "1"}).find("no sizes"), std::string::npos);
  EXPECT_NE(says("lists.pt", {"f32[5]"}).find("\"tensors: Tensor[]\" cannot be given"),
            std::string::npos);
}

TEST_F(Scripts, TracedOnAnotherDeviceRunOnThisOne) {
  const auto script = open("elsewhere.pt", {"f32[4]"});
  ASSERT_TRUE(script.ok()) << script.error().message;
  const Result<ModelTree> tree = tree_of_script(script.value()->facts());
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  const Result<double> difference = script.value()->difference(tree.value());
  ASSERT_TRUE(difference.ok()) << difference.error().message;
  EXPECT_EQ(difference.value(), 0);
}

TEST_F(Scripts, WhoseInputsCannotBeGuessedSayWhichFlagGivesThem) {
  const auto script = open("two.pt");
  ASSERT_FALSE(script.ok());
  EXPECT_EQ(script.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(script.error().message.find("forward(image: Tensor, mask: Tensor)"), std::string::npos)
      << script.error().message;
  EXPECT_NE(script.error().hint.find("<input>"), std::string::npos);
  EXPECT_TRUE(open("two.pt", {"f32[4]", "f32[4]"}).ok());
  EXPECT_FALSE(open("two.pt", {"f32[4]"}).ok());
  EXPECT_FALSE(open("two.pt", {"f32[4]", "f32[5]"}).ok()) << "sizes that do not fit";
}

TEST_F(Scripts, InputsThatAreNoneAreRefused) {
  for (const char* text : {"", "f32", "f32[", "f32[0]", "f32[a]", "u7[3]", "i64[3]<", "i64[3]<0",
                           "i64[3]x", "f32[1000000000,1000000000]", "f32[-1]"}) {
    const auto script = open("two.pt", {text, "f32[4]"});
    ASSERT_FALSE(script.ok()) << text;
    EXPECT_EQ(script.error().code, ErrorCode::kInvalidInput) << text;
  }
}

TEST_F(Scripts, FilesThatAreNoneAreRefused) {
  const auto weights = open("weights.pt");
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().code, ErrorCode::kInvalidInput) << weights.error().message;
  EXPECT_NE(weights.error().hint.find("torch.jit"), std::string::npos);
  EXPECT_FALSE(open("nowhere.pt").ok());
}

}  // namespace
}  // namespace wattree
