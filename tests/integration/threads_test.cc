// Requests may run side by side: predictions on many threads are, bit for bit, those on one.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "src/models/hub/resolve.h"
#include "src/predict/estimate/breakdown.h"
#include "src/predict/estimate/prediction.h"
#include "src/predict/estimate/totals.h"

namespace wattree {
namespace {

// One of each family, so that as much code as can be runs side by side.
constexpr const char* kModels[] = {"bert-base-uncased",
                                   "distilbert-base-uncased",
                                   "roberta-base",
                                   "albert-base-v2",
                                   "deberta-v3-base",
                                   "modernbert-base",
                                   "gpt2",
                                   "gpt-neo-125m",
                                   "pythia-160m",
                                   "opt-125m",
                                   "bloom-560m",
                                   "llama-3.2-1b",
                                   "qwen2.5-0.5b",
                                   "gemma-3-1b",
                                   "phi-3-mini-4k",
                                   "qwen1.5-moe-a2.7b",
                                   "t5-small",
                                   "whisper-tiny",
                                   "vit-base-patch16-224",
                                   "clip-vit-base-patch32"};
constexpr std::size_t kCount = std::size(kModels);
static_assert(kCount == 20);

// Everything that a request for a prediction does below its JSON, with nothing handed over from one
// to the next: the model's text, the shipped predictor, the tree, its estimates and their totals.
Result<Prediction> predict_by_name(const std::string& name) {
  HubOptions hub;
  hub.offline = true;
  const Result<ModelText> text = resolve_model(name, hub);
  if (!text.ok()) return text.error();
  const Result<LoadedPredictor> by = load_predictor({"", std::string(kDefaultPredictor), ""});
  if (!by.ok()) return by.error();
  PassShape pass;
  pass.batch = 4;
  pass.dtype = "bf16";
  Result<BuiltModel> built = build_model(name, text.value().json, text.value().origin, pass);
  if (!built.ok()) return built.error();
  TotalsRequest request;
  request.region = "US-GA";
  const Result<TotalsOptions> totals = totals_options(request);
  if (!totals.ok()) return totals.error();
  return predict(std::move(built).value(), by.value());
}

void expect_same(const Prediction& a, const Prediction& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size()) << a.built.model;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const NodeEstimate& x = a.nodes[i];
    const NodeEstimate& y = b.nodes[i];
    const bool is_same = x.energy_j == y.energy_j && x.own_j == y.own_j && x.time_s == y.time_s &&
                         x.energy_spread == y.energy_spread && x.time_spread == y.time_spread &&
                         x.stand_in == y.stand_in && x.is_looked_up == y.is_looked_up;
    ASSERT_TRUE(is_same) << a.built.model << " " << a.built.tree.nodes()[i].scope;
  }
}

TEST(Threads, PredictAsOneDoes) {
  // The threads go first: whatever is made at its first use is then made by several at once.
  std::vector<std::vector<Result<Prediction>>> found(kCount);
  std::atomic<std::size_t> next = 0;
  constexpr std::size_t kTimes = 2;  // Each model by two threads, mostly at the same time.
  for (auto& results : found) {
    for (std::size_t i = 0; i < kTimes; ++i) results.emplace_back(Error{});
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (std::size_t job = next++; job < kTimes * kCount; job = next++) {
        found[job / kTimes][job % kTimes] = predict_by_name(kModels[job / kTimes]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < kCount; ++i) {
    const Result<Prediction> alone = predict_by_name(kModels[i]);
    ASSERT_TRUE(alone.ok()) << kModels[i] << ": " << alone.error().message;
    for (const Result<Prediction>& one : found[i]) {
      ASSERT_TRUE(one.ok()) << kModels[i] << ": " << one.error().message;
      expect_same(alone.value(), one.value());
    }
  }
}

TEST(Threads, ShareOneConfigAndOnePredictor) {
  const Result<Config> config =
      Config::parse(R"({"model_type": "bert", "num_hidden_layers": 2})", "test");
  ASSERT_TRUE(config.ok());
  const Result<LoadedPredictor> by = load_predictor({"", std::string(kDefaultPredictor), ""});
  ASSERT_TRUE(by.ok());
  std::atomic<int> rejected = 0;
  std::vector<std::vector<NodeEstimate>> found(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      BuildRequest request;
      request.pass.precision = Precision::kBf16;
      const Result<BuiltTree> built = build_tree(config.value(), request);
      if (built.ok()) {
        found[i] =
            predict_tree(*by.value().predictor, *by.value().index, built.value().tree).value();
      }
      // A failed build leaves nothing behind in the config that all share.
      request.pass.seq = 4096;
      request.pass.target_len = request.pass.source = 4096;
      if (!build_tree(config.value(), request).ok()) ++rejected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(rejected, 8);
  ASSERT_FALSE(found[0].empty());
  for (const std::vector<NodeEstimate>& one : found) {
    ASSERT_EQ(one.size(), found[0].size());
    EXPECT_EQ(one.back().energy_j, found[0].back().energy_j);
  }
}

}  // namespace
}  // namespace wattree
