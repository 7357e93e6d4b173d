// What a call costs without its transport: out of the cache, and computed, as text and as gzip.
#include <benchmark/benchmark.h>

#include "src/server/routes/application.h"

namespace wattree {
namespace {

HttpCall predict_call(std::int64_t batch, std::int64_t seq, bool is_gzip) {
  HttpCall call;
  call.method = "GET";
  call.path = "/api/v1/predict";
  call.query = {{"model", "bert-base-uncased"},
                {"batch", std::to_string(batch)},
                {"seq", std::to_string(seq)}};
  call.headers = {{"host", "127.0.0.1:8080"}, {"user-agent", "bench"}, {"accept", "*/*"}};
  if (is_gzip) call.headers.emplace_back("accept-encoding", "gzip");
  call.peer = "127.0.0.1";
  return call;
}

Application application() {
  return make_application({},
                          services_from([](const char*) { return std::optional<std::string>(); }));
}

void BM_Cached(benchmark::State& state) {
  const Application server = application();
  const HttpCall call = predict_call(16, 128, state.range(0) != 0);
  server.answer(call);
  for (auto _ : state) benchmark::DoNotOptimize(server.answer_at_once(call));
}
BENCHMARK(BM_Cached)->ArgName("gzip")->Arg(0)->Arg(1);

// Another batch size and length each time.
void BM_Computed(benchmark::State& state) {
  const Application server = application();
  std::int64_t turn = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const HttpCall call = predict_call(1 + turn % 64, 1 + turn / 64 % 500, state.range(0) != 0);
    bytes = server.answer(call).body->size();
    ++turn;
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_Computed)->ArgName("gzip")->Arg(0)->Arg(1);

}  // namespace
}  // namespace wattree
