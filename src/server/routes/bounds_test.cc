// What callers may cost, and what they may see of others.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "src/server/routes/application.h"
#include "tests/support/calls.h"

namespace wattree {
namespace {

class BoundsTest : public testing::Test {
 protected:
  HttpAnswer ask(const HttpCall& call) { return wattree::ask(application_, call); }
  nlohmann::json error(const HttpCall& call, int status) {
    const HttpAnswer answer = ask(call);
    EXPECT_EQ(answer.status, status) << (answer.body ? *answer.body : "");
    return json_of(answer).value("error", nlohmann::json::object());
  }
  Application application_ = make_application({}, test_services());
};

TEST_F(BoundsTest, BoundsWhatOneCallMayCost) {
  ServerOptions options;
  options.of_known = {{2'000, 10'000}, 100'000};
  application_ = make_application(options, test_services());
  for (const char* path : {"/api/v1/predict", "/api/v1/tree", "/api/v1/sweep", "/api/v1/suggest"}) {
    const auto tall = error(get(std::string(path) + "?model=gpt2&set=n_layer=5000"), 400);
    EXPECT_EQ(tall.at("field"), "set") << path;
    EXPECT_NE(tall.at("message").get<std::string>().find("2000"), std::string::npos) << path;
    EXPECT_EQ(error(get(std::string(path) + "?model=llama-3-70b"), 400).at("field"), "model");
  }
  // Trees that are small one by one.
  EXPECT_EQ(ask(get("/api/v1/sweep?model=gpt2&seq=1:16:1")).status, 200);
  for (const char* many :
       {"/api/v1/sweep?model=gpt2&seq=1:512:1", "/api/v1/generate?model=gpt2&seq=1&generate=400",
        "/api/v1/leaderboard", "/api/v1/suggest?model=gpt2-xl"}) {
    EXPECT_NE(error(get(many), 400).at("message").get<std::string>().find("10000"),
              std::string::npos)
        << many;
  }
  // Modules of a part that is not called are nodes, too.
  EXPECT_EQ(
      error(get("/api/v1/tree?model=flan-t5-base&past=1&set=num_layers=20000"), 400).at("field"),
      "set");
  EXPECT_EQ(error(get("/api/v1/tree?model=bert-large-uncased&fold=no"), 400).at("hint"),
            "ask for less of it: folded layers, fewer levels, or a page at a time");
}

TEST_F(BoundsTest, WorksForStrangersWithinTheirLimits) {
  ServerOptions options;
  options.is_public = true;
  application_ = make_application(options, test_services());
  HttpCall call = get("/api/v1/predict?model=gpt2&set=n_layer=20000&fold=no");
  call.is_from_here = false;
  EXPECT_EQ(error(call, 400).at("field"), "set");
  // The largest that comes with the program, layer by layer.
  call.query = {{"model", "llama-3-70b"}, {"fold", "no"}};
  EXPECT_EQ(ask(call).status, 200);
  call.path = "/api/v1/sweep";
  call.query = {{"model", "llama-3-70b"}, {"batch", "1:8:1"}, {"seq", "128:2048:128"}};
  EXPECT_EQ(ask(call).status, 200);
  call.path = "/api/v1/leaderboard";
  call.query.clear();
  EXPECT_EQ(ask(call).status, 200);
}

TEST_F(BoundsTest, LaysOutSoManyEpochsForStrangers) {
  ServerOptions options;
  options.is_public = true;
  application_ = make_application(options, test_services());
  const std::string runs =
      "/api/v1/compare/runs?runs=bert-base-v100&runs=bert-base-v100&region=US-GA";
  for (const std::string& target :
       {std::string("/api/v1/whatif?profile=bert-base-v100&epochs=1000000"),
        std::string("/api/v1/whatif?profile=bert-base-v100&other_model=gpt2&epochs=1000000"),
        std::string("/api/v1/carbon?run=bert-base-v100&region=US-GA&epochs=1000000"),
        runs + "&epochs=10000"}) {
    HttpCall call = get(target);
    call.is_own_user = false;
    EXPECT_EQ(error(call, 400).at("field"), "epochs") << target;
  }
  HttpCall call = get("/api/v1/whatif?profile=bert-base-v100&region=US-WA&epochs=1000&points=500");
  call.is_own_user = false;
  EXPECT_EQ(ask(call).status, 200);
}

TEST_F(BoundsTest, HoldsSoManyTreesAtATime) {
  ServerOptions options;
  options.is_public = true;
  application_ = make_application(options, test_services());
  HttpCall call = get("/api/v1/compare");
  call.is_own_user = false;
  call.query = {{"set", "n_layer=860"}};
  for (int i = 0; i < 100; ++i) call.query.emplace_back("models", "gpt2");
  EXPECT_EQ(error(call, 400).at("field"), "models");
  call.query.erase(call.query.begin());
  EXPECT_EQ(ask(call).status, 200) << "as they are";
}

TEST_F(BoundsTest, StopsWhenNobodyWaits) {
  const auto cancellation = std::make_shared<Cancellation>();
  HttpCall call = get("/api/v1/sweep?model=llama-3-70b&batch=1:64:1&seq=1:64:1");
  call.cancellation = cancellation;
  const auto begin = std::chrono::steady_clock::now();
  std::jthread client([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancellation->cancel();
  });
  EXPECT_EQ(application_.answer(call).status, 503);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(ask(get("/api/v1/regions")).status, 200);
}

TEST_F(BoundsTest, SaysAtOnceThatItLives) {
  ServerOptions options;
  options.is_public = true;
  options.public_rate = {.per_second = 0.001, .burst = 1};
  application_ = make_application(options, test_services());
  HttpCall call = get("/healthz");
  call.is_from_here = false;
  for (int i = 0; i < 5; ++i) {
    const auto answer = application_.answer_at_once(call);
    ASSERT_TRUE(answer.has_value()) << "no thread of the pool is asked";
    EXPECT_EQ(answer->status, 200) << "however often it is asked";
  }
}

TEST_F(BoundsTest, CountsWhatAnAnswerTook) {
  auto now = std::chrono::steady_clock::time_point{};
  ServerOptions options;
  options.is_public = true;
  options.public_rate = {.per_second = 1, .burst = 200};
  options.now = [&] { return now += std::chrono::milliseconds(900); };
  application_ = make_application(options, test_services());
  HttpCall call = get("/api/v1/predict?model=gpt2");
  call.is_from_here = false;
  int answered = 0;
  for (int seq = 1; seq < 20; ++seq) {
    call.query = {{"model", "gpt2"}, {"seq", std::to_string(seq)}};
    if (ask(call).status == 200) ++answered;
  }
  EXPECT_GT(answered, 0);
  EXPECT_LT(answered, 10) << "each took most of a second";
}

TEST_F(BoundsTest, RefusesBodiesThatExpand) {
  std::string numbers = "{\"config\": {\"model_type\": \"bert\", \"x\": [1";
  while (numbers.size() < 3'000'000) numbers += ",1";
  const auto refused = error(post("/api/v1/predict", numbers + "]}}"), 400);
  EXPECT_NE(refused.at("message").get<std::string>().find("too many values"), std::string::npos);
  ServerOptions options;
  options.is_public = true;
  application_ = make_application(options, test_services());
  std::string many = "[1";
  while (many.size() < 3'000'000) many += ",1";
  HttpCall stranger = wattree::call("POST", "/api/v1/datasets", many + "]", "application/json");
  stranger.is_from_here = false;
  error(stranger, 400);
  stranger.body += std::string(2'000'000, ' ');
  EXPECT_EQ(error(stranger, 413).at("hint"), "with a token, this operation takes more");
}

TEST_F(BoundsTest, FetchesNothingForStrangers) {
  Services services = test_services();
  services.hub.token = "hf_secret";
  services.hub.offline = false;
  services.hub.endpoint = "http://127.0.0.1:1";  // Nobody is there.
  ServerOptions options;
  options.is_public = true;
  HttpCall call = get("/api/v1/predict?model=org/private");
  call.is_from_here = false;
  for (const char* path :
       {"/api/v1/predict?model=org/private", "/api/v1/compare?a=gpt2&b=org/private",
        "/api/v1/compare?models=gpt2&models=org/private",
        "/api/v1/whatif?profile=bert-base-v100&other_model=org/private"}) {
    call.query = get(path).query;
    call.path = get(path).path;
    application_ = make_application(options, services);
    const auto refused = error(call, 403);
    EXPECT_NE(refused.at("hint").get<std::string>().find("Bearer"), std::string::npos) << path;
    options.hub_for_strangers = true;
    application_ = make_application(options, services);
    EXPECT_EQ(error(call, 503).value("code", ""), "unavailable") << "it was asked for";
    options.hub_for_strangers = false;
  }
  // Who is known has it fetched.
  application_ = make_application({}, services);
  error(get("/api/v1/predict?model=org/private"), 503);
}

TEST_F(BoundsTest, ChecksRightsAndSizeBeforeTheBody) {
  ServerOptions options;
  options.is_public = true;
  options.tokens = [](std::string_view token) -> std::optional<TokenScope> {
    if (token == "sender") return TokenScope::kIngest;
    return std::nullopt;
  };
  application_ = make_application(options, test_services());
  const auto terms = [&](const std::string& path, const std::string& token = "") {
    HttpCall call = post(path, "");
    call.is_from_here = false;
    if (!token.empty()) call.headers.emplace_back("authorization", "Bearer " + token);
    return application_.body_terms(call);
  };
  EXPECT_EQ(terms("/api/v1/profiles").refusal->status, 401);
  EXPECT_EQ(terms("/api/v1/profiles", "forged").refusal->status, 401);
  EXPECT_EQ(terms("/api/v1/tokens", "sender").refusal->status, 403);
  EXPECT_EQ(terms("/api/v1/nothing").refusal->status, 404);
  EXPECT_EQ(terms("/api/v1/regions").refusal->status, 405);
  EXPECT_FALSE(terms("/api/v1/datasets").refusal);
  EXPECT_EQ(terms("/api/v1/datasets").most_bytes, std::size_t{4} << 20);
  EXPECT_EQ(terms("/api/v1/datasets", "sender").most_bytes, std::size_t{64} << 20);
  EXPECT_EQ(terms("/api/v1/predict", "sender").most_bytes, std::size_t{4} << 20);
  EXPECT_LT(terms("/api/v1/predict").most_of_all, terms("/api/v1/predict", "sender").most_of_all);
}

}  // namespace
}  // namespace wattree
