// Requests may run side by side: predictions on many threads are, bit for bit, those on one.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "src/api/predict/predict.h"
#include "src/api/services/services.h"

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

// One request after another, or side by side: all of them share the services and nothing else.
Result<std::string> predict_by_name(const std::string& name, const Services& services) {
  PredictRequest request;
  request.model.name = name;
  request.pass.batch = 4;
  request.pass.dtype = "bf16";
  request.predictor.on = std::string(kDefaultPredictor);
  request.extras.top = 5;
  request.extras.by = BreakdownBy::kModule;
  request.totals.region = "US-GA";
  const Result<PredictAnswer> answer = predict(request, services);
  if (!answer.ok()) return answer.error();
  return to_json(answer.value());
}

Services without_network() {
  Services services = services_from([](const char*) { return std::nullopt; });
  services.hub.offline = true;
  return services;
}

TEST(Threads, PredictAsOneDoes) {
  // The threads go first: whatever is made at its first use is then made by several at once.
  const Services services = without_network();
  std::vector<std::vector<Result<std::string>>> found(kCount);
  std::atomic<std::size_t> next = 0;
  constexpr std::size_t kTimes = 2;  // Each model by two threads, mostly at the same time.
  for (auto& results : found) {
    for (std::size_t i = 0; i < kTimes; ++i) results.emplace_back(Error{});
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (std::size_t job = next++; job < kTimes * kCount; job = next++) {
        found[job / kTimes][job % kTimes] = predict_by_name(kModels[job / kTimes], services);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < kCount; ++i) {
    const Result<std::string> alone = predict_by_name(kModels[i], services);
    ASSERT_TRUE(alone.ok()) << kModels[i] << ": " << alone.error().message;
    for (const Result<std::string>& one : found[i]) {
      ASSERT_TRUE(one.ok()) << kModels[i] << ": " << one.error().message;
      EXPECT_TRUE(one.value() == alone.value()) << kModels[i];  // Texts of megabytes.
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
    EXPECT_EQ(one.back().energy, found[0].back().energy);
  }
}

}  // namespace
}  // namespace wattree
