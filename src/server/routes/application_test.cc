#include "src/server/routes/application.h"

#include <gtest/gtest.h>

#include <thread>

#include "src/server/routes/compress.h"
#include "tests/support/calls.h"

namespace wattree {
namespace {

class ApplicationTest : public testing::Test {
 protected:
  HttpAnswer ask(const HttpCall& call) { return wattree::ask(application_, call); }
  nlohmann::json error(const HttpCall& call, int status) {
    const HttpAnswer answer = ask(call);
    EXPECT_EQ(answer.status, status) << (answer.body ? *answer.body : "");
    EXPECT_EQ(answer.type, "application/json");
    return json_of(answer).value("error", nlohmann::json::object());
  }
  Application application_ = make_application({}, test_services());
};

TEST_F(ApplicationTest, PredictsByNameAndByConfigAlike) {
  const HttpAnswer by_name = ask(get("/api/v1/predict?model=bert-base-uncased&batch=16&seq=128"));
  ASSERT_EQ(by_name.status, 200) << *by_name.body;
  const auto json = json_of(by_name);
  EXPECT_EQ(json.at("batch_size"), 16);
  EXPECT_EQ(json.at("params"), 109482240);  // As Hugging Face counts bert-base-uncased.
  EXPECT_EQ(by_name.body->find('\n'), by_name.body->size() - 1) << "one line";

  const HttpAnswer by_config =
      ask(post("/api/v1/predict",
               R"({"config": {"model_type": "bert", "num_hidden_layers": 2}, "batch": 4})"));
  ASSERT_EQ(by_config.status, 200) << *by_config.body;
  EXPECT_EQ(json_of(by_config).at("batch_size"), 4);
}

TEST_F(ApplicationTest, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&batch=many"), 400).at("field"), "batch");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&batch=0"), 400).at("field"), "batch");
  EXPECT_EQ(error(get("/api/v1/predict?batch=1"), 400).at("field"), "model");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&dtype=fp64"), 400).at("field"), "dtype");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&model=gpt2"), 400).at("field"), "model");
  EXPECT_EQ(error(get("/api/v1/predict?model="), 400).at("field"), "model");
  EXPECT_EQ(error(get("/api/v1/profiles/none"), 404).at("field"), "id");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&on=nothing"), 404).at("field"), "on");
  EXPECT_EQ(error(get("/api/v1/irene-viz?model_name=gpt2&batch_size=0"), 400).at("field"),
            "batch_size");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&seq=99999999"), 400).at("field"), "seq");
  EXPECT_EQ(error(get("/api/v1/sweep?model=gpt2&seq=128,99999999"), 400).at("field"), "seq");
  EXPECT_EQ(error(get("/api/v1/predict?model=bert-tiny&past=10"), 400).at("field"), "past");
  EXPECT_EQ(error(get("/api/v1/generate?model=bert-tiny&generate=1"), 400).at("field"), "generate");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&set=n_layer=-1"), 400).at("field"), "set");
  EXPECT_EQ(error(get("/api/v1/predict?model=gpt2&depth=-1"), 400).at("field"), "depth");
  EXPECT_EQ(error(get("/api/v1/compare?models=gpt2&models=gpt3"), 404).at("field"), "models[1]");
  EXPECT_EQ(error(get("/api/v1/carbon?region=US-GA&run=nothing"), 404).at("field"), "run");
  EXPECT_EQ(error(get("/api/v1/compare/runs?runs=1kWh&runs=nothing"), 404).at("field"), "runs[1]");
  EXPECT_EQ(error(get("/api/v1/whatif?profile=bert-base-v100&other=nothing"), 404).at("field"),
            "other");
  const char* const kBad = R"({"config": {"model_type": "gpt2", "n_layer": -1}})";
  for (const char* path : {"/api/v1/predict", "/api/v1/tree", "/api/v1/sweep", "/api/v1/suggest"}) {
    EXPECT_EQ(error(post(path, kBad), 400).at("field"), "config.n_layer") << path;
  }
  const auto misspelt = error(get("/api/v1/predict?model=gpt2&bach=2"), 400);
  EXPECT_EQ(misspelt.at("field"), "bach");
  EXPECT_EQ(misspelt.at("hint"), "did you mean batch?");
}

TEST_F(ApplicationTest, AnswersTheRequestOfIreneViz) {
  const HttpAnswer answer =
      ask(get("/api/v1/irene-viz?model_name=bert-base-uncased&batch_size=8&seq_len=64"));
  ASSERT_EQ(answer.status, 200) << *answer.body;
  EXPECT_EQ(json_of(answer),
            json_of(ask(get("/api/v1/predict?model=bert-base-uncased&batch=8&seq=64"))));
}

TEST_F(ApplicationTest, SaysWhatAPathTakes) {
  HttpCall wrong = get("/api/v1/regions");
  wrong.method = "DELETE";
  EXPECT_EQ(header(ask(wrong), "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask(wrong).status, 405);
  wrong.method = "OPTIONS";
  EXPECT_EQ(ask(wrong).status, 204);
  EXPECT_EQ(header(ask(wrong), "Allow"), "GET, HEAD, OPTIONS");
  wrong.method = "HEAD";
  EXPECT_EQ(ask(wrong).status, 200);
  EXPECT_EQ(error(get("/api/v1/modells"), 404).at("hint"), "did you mean /api/v1/models?");
}

TEST_F(ApplicationTest, RefusesBodiesThatCannotBeMeant) {
  EXPECT_EQ(error(post("/api/v1/predict", "{"), 400).at("code"), "invalid_input");
  EXPECT_EQ(
      error(post("/api/v1/predict", R"({"model": "gpt2", "model": "bert"})"), 400).at("field"),
      "model");
  EXPECT_EQ(error(post("/api/v1/predict", "{\"model\": \"\xff\"}"), 400).at("code"),
            "invalid_input");
  EXPECT_EQ(error(post("/api/v1/predict", "[1]"), 400).at("code"), "invalid_input");
  error(post("/api/v1/predict", std::string(100, '[') + std::string(100, ']')), 400);
  HttpCall text = post("/api/v1/predict", "{}");
  text.headers.back().second = "text/plain";
  error(text, 415);
  error(post("/api/v1/predict", std::string((4 << 20) + 1, ' ')), 413);
  HttpCall with_body = get("/api/v1/models");
  with_body.body = "{}";
  error(with_body, 400);
}

TEST_F(ApplicationTest, OpensNoFileAndShowsNoPath) {
  for (const char* name :
       {"/etc/passwd", "../../etc/passwd", "/proc/self/environ", WATTREE_SOURCE_DIR "/README.md",
        WATTREE_SOURCE_DIR "/data/profiles/bert-base-v100.json"}) {
    const auto problem = error(get(std::string("/api/v1/tree?model=") + name), 404);
    EXPECT_EQ(problem.at("message").get<std::string>().find("such file"), std::string::npos);
    EXPECT_EQ(ask(get(std::string("/api/v1/carbon?region=US-GA&run=") + name)).status, 404);
    EXPECT_EQ(ask(get(std::string("/api/v1/compare/runs?runs=1kWh&runs=") + name)).status, 404);
    EXPECT_EQ(ask(get(std::string("/api/v1/whatif?profile=") + name)).status, 404);
  }
  EXPECT_EQ(error(post("/api/v1/predict", R"({"model": "gpt2", "predictor": "/etc/passwd"})"), 400)
                .at("field"),
            "predictor");
}

TEST_F(ApplicationTest, HintsAtWhatCallersCanDo) {
  const char* const kWrong[] = {"/api/v1/predict?model=nothing-like-it",
                                "/api/v1/predict?model=org/name",
                                "/api/v1/predict?model=gpt2&on=nothing",
                                "/api/v1/predict?model=gpt2&on=../../x",
                                "/api/v1/predict?model=gpt2&region=nowhere",
                                "/api/v1/predict?model=gpt2&set=n_layer",
                                "/api/v1/explain?model=gpt2&node=nothing.at.all",
                                "/api/v1/compare?models=gpt2",
                                "/api/v1/compare?models=gpt2&models=bert-base-uncased&fail_above=x",
                                "/api/v1/generate?model=bert-base-uncased&generate=0",
                                "/api/v1/hardware?words=nothing",
                                "/api/v1/regions?words=nothing",
                                "/api/v1/profiles/xyzzy",
                                "/api/v1/whatif?profile=bert-base-v100&hardware=nothing",
                                "/api/v1/carbon?run=1kWh",
                                "/api/v1/carbon?run=bert-base-v100&intensity=x"};
  for (const char* target : kWrong) {
    const HttpAnswer answer = ask(get(target));
    EXPECT_GE(answer.status, 400) << target;
    const std::string& body = *answer.body;
    EXPECT_FALSE(json_of(answer).at("error").value("field", "").empty()) << target << body;
    EXPECT_EQ(body.find("--"), std::string::npos) << target << body;
    EXPECT_EQ(body.find("`wattree "), std::string::npos) << target << body;
    EXPECT_EQ(body.find('<'), std::string::npos) << target << body;
  }
}

TEST_F(ApplicationTest, KnowsAnAnswerByItsTag) {
  const std::string target = "/api/v1/tree?model=gpt2&depth=3";
  const HttpAnswer first = ask(get(target));
  const std::string tag = header(first, "ETag");
  ASSERT_FALSE(tag.empty());
  const HttpAnswer again = ask(get(target, {{"if-none-match", tag}}));
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, nullptr);
  EXPECT_EQ(ask(get(target, {{"if-none-match", "\"other\""}})).status, 200);
  const HttpAnswer packed = ask(get(target, {{"accept-encoding", "gzip"}}));
  EXPECT_NE(header(packed, "ETag"), tag) << "other bytes, other tag";
}

TEST_F(ApplicationTest, PacksWhatIsAskedForPacked) {
  const HttpAnswer plain = ask(get("/api/v1/predict?model=gpt2"));
  const HttpAnswer packed = ask(get("/api/v1/predict?model=gpt2", {{"accept-encoding", "gzip"}}));
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(packed, "Vary"), "Accept-Encoding");
  EXPECT_LT(packed.body->size() * 3, plain.body->size());
  EXPECT_EQ(gunzip(*packed.body), *plain.body);
}

TEST_F(ApplicationTest, ComputesTheSameCallOnce) {
  const auto count = [&](const std::string& name) {
    const std::string text = *ask(get("/metrics")).body;
    const std::size_t at = text.find("\n" + name + " ");
    return std::stoi(text.substr(at + name.size() + 2));
  };
  ask(get("/api/v1/predict?model=gpt2&batch=2&seq=64"));
  EXPECT_EQ(count("wattree_cache_misses_total"), 1);
  EXPECT_EQ(count("wattree_cache_hits_total"), 0);
  ask(get("/api/v1/predict?seq=64&batch=2&model=gpt2"));  // Another order, the same call.
  EXPECT_EQ(count("wattree_cache_misses_total"), 1);
  EXPECT_EQ(count("wattree_cache_hits_total"), 1);
  EXPECT_TRUE(
      application_.answer_at_once(get("/api/v1/predict?seq=64&batch=2&model=gpt2")).has_value());
  EXPECT_EQ(count("wattree_cache_hits_total"), 2);
  ask(get("/api/v1/predict?model=gpt2&batch=2&seq=65"));
  EXPECT_EQ(count("wattree_cache_misses_total"), 2);
}

TEST_F(ApplicationTest, SaysForHowLongAnAnswerHolds) {
  auto now = std::chrono::steady_clock::now();
  bool is_token_good = true;
  ServerOptions options;
  options.now = [&now] { return now; };
  options.is_public = true;
  options.public_rate = {0.001, 4};
  options.tokens = [&](std::string_view) {
    return is_token_good ? std::optional(TokenScope::kAdmin) : std::nullopt;
  };
  std::string logged;
  options.log = [&logged](std::string_view line) { logged = line; };
  const Application application = make_application(options, test_services());
  const auto count = [&](const std::string& name) {
    const HttpCall call = get("/metrics", {{"authorization", "Bearer known"}});
    const std::string text = *wattree::ask(application, call).body;
    const std::size_t at = text.find("\n" + name + " ");
    return std::stoi(text.substr(at + name.size() + 2));
  };
  const std::string target = "/api/v1/models";
  const HttpCall by_known = get(target, {{"authorization", "Bearer known"}});
  EXPECT_FALSE(wattree::ask(application, by_known).holds) << "it was computed";
  const HttpAnswer local = wattree::ask(application, by_known);
  ASSERT_TRUE(local.holds);
  const int hits = count("wattree_cache_hits_total");
  EXPECT_TRUE(local.holds());
  EXPECT_EQ(count("wattree_cache_hits_total"), hits + 1);
  EXPECT_TRUE(local.holds());
  EXPECT_NE(logged.find("\"operation\":\"models\""), std::string::npos) << logged;

  HttpCall from_elsewhere = get(target);
  from_elsewhere.is_from_here = false;
  from_elsewhere.peer = "192.0.2.1";
  EXPECT_FALSE(wattree::ask(application, from_elsewhere).holds) << "strangers have their own";
  const HttpAnswer open = wattree::ask(application, from_elsewhere);
  ASSERT_TRUE(open.holds);
  EXPECT_TRUE(open.holds());
  EXPECT_TRUE(open.holds());
  EXPECT_FALSE(open.holds()) << "four calls were allowed";

  from_elsewhere.headers.emplace_back("authorization", "Bearer secret");
  const HttpAnswer known = wattree::ask(application, from_elsewhere);
  ASSERT_TRUE(known.holds);
  EXPECT_TRUE(known.holds());
  EXPECT_EQ(logged.find("secret"), std::string::npos) << logged;
  is_token_good = false;
  EXPECT_FALSE(known.holds()) << "the token was revoked";
  is_token_good = true;

  // A call that changes something makes every answer old.
  ASSERT_TRUE(local.holds());
  HttpCall change = get("/api/v1/links/none", {{"authorization", "Bearer known"}});
  change.method = "DELETE";
  EXPECT_NE(wattree::ask(application, change).status, 405);
  EXPECT_FALSE(local.holds());
}

TEST_F(ApplicationTest, TellsWhatTheTransportCounts) {
  application_.counters->connections = 7;
  application_.counters->refused_peer = 3;
  application_.counters->no_thread = 2;
  const std::string text = *ask(get("/metrics")).body;
  for (const char* line :
       {"wattree_connections_open 7", "wattree_connections_refused_total{reason=\"peer\"} 3",
        "wattree_connections_refused_total{reason=\"all\"} 0",
        "wattree_requests_refused_total{reason=\"no_thread\"} 2", "wattree_answers_waiting 0"}) {
    EXPECT_NE(text.find("\n" + std::string(line) + "\n"), std::string::npos) << line;
  }
}

TEST_F(ApplicationTest, TellsBrowsersWhatNotToDo) {
  const HttpAnswer data = ask(get("/api/v1/models"));
  EXPECT_EQ(header(data, "Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'");
  EXPECT_EQ(header(data, "X-Content-Type-Options"), "nosniff");
  for (const char* path : {"/", "/api/v1/docs"}) {
    const HttpAnswer page = ask(get(path));
    ASSERT_EQ(page.status, 200);
    const std::string policy = header(page, "Content-Security-Policy");
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_NE(policy.find("default-src 'self'"), std::string::npos);
    EXPECT_EQ(page.body->find("<style"), std::string::npos);
    EXPECT_EQ(page.body->find("<script>"), std::string::npos);
  }
}

TEST_F(ApplicationTest, AnswersManyThreadsAsItAnswersOne) {
  std::vector<HttpCall> calls;
  for (int batch = 1; batch <= 6; ++batch) {
    const std::string size = "&batch=" + std::to_string(batch);
    calls.push_back(get("/api/v1/predict?model=gpt2&depth=2" + size));
    calls.push_back(
        get("/api/v1/tree?model=t5-small&depth=1" + size, {{"accept-encoding", "gzip"}}));
    calls.push_back(get("/api/v1/predict?model=nothing" + size));
    calls.push_back(
        post("/api/v1/explain", R"({"model": "gpt2", "batch": )" + std::to_string(batch) + "}"));
  }
  calls.push_back(get("/api/v1/models"));
  calls.push_back(get("/api/v1/profiles"));
  std::vector<std::string> expected;
  for (const HttpCall& call : calls) expected.push_back(*ask(call).body);

  ServerOptions options;
  options.cache = {std::size_t{1} << 20, 8};  // So small that answers push each other out.
  const Application fresh = make_application(options, test_services());
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 2 * calls.size(); ++i) {
        const std::size_t at = (i * 7 + t * 5) % calls.size();
        if (*wattree::ask(fresh, calls[at]).body != expected[at]) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace wattree
