// From profiling models to a predictor of the machine, by way of the files that profiling writes.
#include "src/predict/fit/train_kernels.h"

#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/test_folder.h"
#include "src/measure/campaign/jobs.h"
#include "src/measure/protocol/simulated.h"
#include "src/models/hub/bundled.h"
#include "src/predict/evaluate/windows.h"
#include "src/predict/fit/primitives.h"
#include "src/predict/fit/single_op.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

BuiltModel bundled_tree(std::string_view name, const PassShape& query) {
  for (const BundledModel& model : bundled_models()) {
    if (model.name != name) continue;
    Result<BuiltModel> built =
        build_model(std::string(name), std::string(model.json), "bundled", query);
    EXPECT_TRUE(built.ok()) << name;
    return std::move(built).value();
  }
  ADD_FAILURE() << name;
  return {};
}

// A file does not have the tree: what it says of a kernel must be enough to know its work.
void expect_work_is_read_again(const ModelTree& tree, std::string_view name) {
  for (const DistinctNode& distinct : distinct_nodes(tree).nodes) {
    if (distinct.kernels != 1) continue;
    const Node& node = tree.nodes()[static_cast<std::size_t>(distinct.node)];
    MeasuredWindow window;
    window.node = facts_of(tree, distinct);
    const Result<ModelTree> again = tree_of_op(window);
    ASSERT_TRUE(again.ok()) << name << " " << node.scope << ": " << again.error().message;
    const Work expected = work_of(tree, node);
    const Work work = work_of(again.value(), again.value().nodes().front());
    EXPECT_TRUE(work == expected) << name << " " << node.scope << " " << node.type << " "
                                  << window.node.op << " " << name_of(kernel_kind(work)) << " "
                                  << name_of(kernel_kind(expected)) << " bytes " << work.bytes
                                  << " " << expected.bytes;
  }
}

TEST(TrainKernels, KernelsAreReadAgainAsTheyWereWritten) {
  PassShape query;
  query.batch = 2;
  query.seq = 32;
  query.dtype = "bf16";
  query.keeps_dataflow = true;
  for (const char* name : {"bert-tiny", "gpt2", "t5-small", "llama-3.2-1b", "opt-125m",
                           "albert-base-v2", "bart-base", "gemma-3-1b", "modernbert-base"}) {
    for (const char* attention : {"sdpa", "eager"}) {
      query.attention = attention;
      expect_work_is_read_again(bundled_tree(name, query).tree, name);
    }
  }
  query.past = 100;
  query.seq.reset();
  for (const char* name : {"gpt2", "llama-3.2-1b"}) {
    expect_work_is_read_again(bundled_tree(name, query).tree, name);
  }
  for (const Precision precision : {Precision::kBf16, Precision::kFp32}) {
    expect_work_is_read_again(primitive_tree(precision, {}).value(), "primitives");
  }
}

// Some 200 TFLOP/s, 3 TB/s, 2 us for each kernel and 0.4 us between two.
SimulatedWork work_below(const ModelTree& tree, std::int32_t index) {
  const auto nodes = tree.nodes();
  const Node& top = nodes[static_cast<std::size_t>(index)];
  SimulatedWork out{0, 450};
  for (auto i = static_cast<std::size_t>(top.first); i <= static_cast<std::size_t>(index); ++i) {
    if (nodes[i].op == Op::kNone) continue;
    out.run_s += 2.4e-6 + static_cast<double>(nodes[i].flops) / 2e14 +
                 static_cast<double>(nodes[i].bytes) / 3e12;
  }
  if (tree.is_leaf(top)) out.run_s -= 0.4e-6;
  return out;
}

// Profiles the model as the command does, into NAME.windows.jsonl.
void profile(const BuiltModel& model, const std::filesystem::path& windows) {
  SimulatedMachine machine;
  SimulatedExecutor executor(
      machine,
      [](const ModelTree& tree, std::int32_t node, const LaunchOptions&) -> Result<SimulatedWork> {
        return work_below(tree, node);
      });
  Watch watch(machine.meters(), Component::kGpu, {}, machine.clock());
  machine.attach(watch);
  machine.pass(kNanosPerSecond, 100);
  Result<AppendFile> opened = AppendFile::open(windows);
  ASSERT_TRUE(opened.ok());
  AppendFile records = std::move(opened).value();
  SessionOptions options;
  options.model = {model.model, model.class_name, model.config};
  Figures figures;
  const auto result = run_session(
      jobs_of(model.tree, distinct_nodes(model.tree), pass_facts(model), {CacheState::kInPlace}),
      executor, watch, machine.conduct(), options, records, figures, [](const SessionProgress&) {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().ending, Ending::kDone);
}

TEST(TrainKernels, ModelsThatWereProfiledMakeAPredictor) {
  const TestFolder folder;
  for (const char* name :
       {"bert-mini", "bert-small", "distilbert-base-uncased", "gpt2", "opt-125m", "t5-small",
        "electra-small-discriminator", "pythia-70m", "gpt-neo-125m", "roberta-base"}) {
    for (const char* dtype : {"bf16", "fp32"}) {
      PassShape query;
      query.batch = 4;
      query.seq = 64;
      query.dtype = dtype;
      query.keeps_dataflow = true;
      profile(bundled_tree(name, query),
              folder.path() / (std::string(name) + "-" + dtype + ".windows.jsonl"));
    }
  }
  // A model of the user's own, with a setting, that nothing bundled tells of.
  PassShape query;
  query.batch = 3;
  query.seq = 50;
  query.dtype = "bf16";
  query.overrides = {{"num_hidden_layers", "3"}};
  query.keeps_dataflow = true;
  const Result<BuiltModel> own = build_model(
      "mine",
      R"({"model_type":"bert","hidden_size":320,"num_hidden_layers":9,"num_attention_heads":5,)"
      R"("intermediate_size":640,"vocab_size":1000,"max_position_embeddings":64})",
      "test", query);
  ASSERT_TRUE(own.ok());
  profile(own.value(), folder.path() / "mine.windows.jsonl");

  const Result<KernelDataAnswer> read = read_kernel_data({folder.path()});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const KernelDataAnswer& input = read.value();
  EXPECT_TRUE(input.problems.empty()) << input.problems.front();
  EXPECT_EQ(input.doubtful, 0);
  EXPECT_EQ(input.data.models.size(), 11U);
  EXPECT_EQ(input.data.hardware, "Simulated");
  EXPECT_EQ(input.dtypes, (std::vector<std::string>{"fp32", "bf16"}));

  // Beside windows, times of products.
  const TestFolder times;
  std::string grid = R"({"rows":[1,2],"widths":[64,128])";
  for (const std::string way : {"bias", "plain", "untransposed"}) {
    grid += ",\"" + way + R"(":"AAAAAAAAAAAAAAAA",")" + way + R"(_cached":"AAAAAAAA")";
  }
  grid += "}";
  const auto with_times = [&](const std::string& text) {
    EXPECT_TRUE(write_file(times.path() / "survey.json", text).ok());
    return read_kernel_data({folder.path(), times.path()});
  };
  const auto surveyed =
      with_times(R"({"format":"wattree-survey","half":)" + grid + R"(,"single":)" + grid + "}");
  ASSERT_TRUE(surveyed.ok()) << surveyed.error().message;
  EXPECT_NE(surveyed.value().data.chip.survey, nullptr);
  EXPECT_EQ(surveyed.value().data.samples.size(), input.data.samples.size());
  EXPECT_FALSE(with_times(R"({"format":"else","half":)" + grid + "}").ok());

  const Result<KernelEvaluation> evaluation = evaluate_kernels(input.data, LeaveOut::kFamily);
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().message;
  const auto& passes = evaluation.value().by_subject.front();
  EXPECT_EQ(passes.first, "whole passes");
  EXPECT_EQ(passes.second.count, 21);
  EXPECT_LT(passes.second.mean, 3);

  const Result<Predictor> trained = train_on_kernels(input, "mine");
  ASSERT_TRUE(trained.ok()) << trained.error().message;
  EXPECT_EQ(trained.value().boundary, "gpu");
  EXPECT_EQ(trained.value().meter, "gpu0.energy (simulation)");
  EXPECT_EQ(trained.value().dtypes, (std::vector<std::string>{"fp32", "bf16"}));
  // A model that was not among them.
  query.overrides.clear();
  const BuiltModel other = bundled_tree("bert-medium", query);
  const auto estimates =
      predict_tree(trained.value(), TwinIndex(trained.value()), other.tree).value();
  const SimulatedWork real = work_below(other.tree, other.tree.node_count() - 1);
  EXPECT_NEAR(estimates.back().time.value, real.run_s, 0.05 * real.run_s);
  EXPECT_NEAR(estimates.back().energy.value, real.run_s * real.watts,
              0.05 * real.run_s * real.watts);
}

}  // namespace
}  // namespace wattree
