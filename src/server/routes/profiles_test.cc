// Routes that change what is kept: profiles and tokens.
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/test_folder.h"
#include "tests/support/calls.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr char kData[] = WATTREE_SOURCE_DIR "/tests/data/";

class ProfileRoutes : public testing::Test {
 protected:
  ProfileRoutes() : application_(make_application({}, services())) {}

  Services services() const {
    Services out = test_services();
    out.profiles = folder_.path() / "profiles";
    out.store = folder_.path() / "wattree.db";
    return out;
  }
  HttpAnswer ask(const HttpCall& call) { return wattree::ask(application_, call); }
  Json good(const HttpCall& call) {
    const HttpAnswer answer = ask(call);
    EXPECT_EQ(answer.status, 200) << call.path << ": " << (answer.body ? *answer.body : "");
    return json_of(answer);
  }
  // The field that an error names, after a look at the rest of it.
  std::string field(const HttpCall& call, int status = 400) {
    const HttpAnswer answer = ask(call);
    EXPECT_EQ(answer.status, status) << call.body << ": " << *answer.body;
    EXPECT_EQ(answer.type, "application/json");
    EXPECT_EQ(answer.body->find(folder_.path().string()), std::string::npos) << *answer.body;
    return json_of(answer).at("error").value("field", "");
  }
  std::vector<std::string> ids(const std::string& query = "") {
    std::vector<std::string> out;
    const Json list = good(get("/api/v1/profiles" + query));
    for (const Json& entry : list.at("profiles")) {
      if (!entry.at("bundled")) out.push_back(entry.at("id"));
    }
    return out;
  }
  static std::string file(const std::string& name) { return read_file(kData + name).value(); }
  static std::string sample() { return file("profiles/energyvis_sample.json"); }
  Json import(std::string text, const std::string& type, const std::string& query = "") {
    return good(call("POST", "/api/v1/profiles" + query, std::move(text), type));
  }

  const TestFolder folder_;
  Application application_;
};

using Ids = std::vector<std::string>;

TEST_F(ProfileRoutes, TakesEveryFormatByWhatIsInIt) {
  const Json theirs = import(sample(), "application/json", "?id=theirs&tags=a&tags=b");
  EXPECT_EQ(theirs.at("format"), "energyvis");
  EXPECT_EQ(theirs.at("profiles").at(0).at("id"), "theirs");
  EXPECT_EQ(theirs.at("profiles").at(0).at("tags"), Json({"a", "b"}));
  const Json runs = import(file("codecarbon/emissions.csv"), "text/csv");
  EXPECT_EQ(runs.at("format"), "codecarbon");
  EXPECT_EQ(runs.at("profiles").size(), 4u);
  // Our own formats, as this server writes them; whatever they are called.
  const std::string ours = *ask(get("/api/v1/profiles/theirs/export?format=wattree")).body;
  EXPECT_EQ(import(ours, "text/plain").at("format"), "wattree");
  const std::string page = *ask(get("/api/v1/profiles/theirs/export?format=html")).body;
  EXPECT_EQ(import(page, "text/html", "?id=page").at("format"), "html");
  const Json first = good(get("/api/v1/profiles/theirs"));
  EXPECT_EQ(good(get("/api/v1/profiles/page")), first);
  EXPECT_EQ(ids().size(), 7u);
}

TEST_F(ProfileRoutes, ListsAreFilteredSortedAndPaged) {
  import(sample(), "application/json", "?id=small&tags=mine");
  import(sample(), "application/json", "?id=other");
  EXPECT_EQ(ids("?tag=mine"), Ids{"small"});
  EXPECT_EQ(ids("?q=sample&sort=-id"), (Ids{"small", "other"}));
  const Json page = good(get("/api/v1/profiles?sort=id&limit=1"));
  EXPECT_EQ(page.at("total"), 4);
  EXPECT_EQ(page.at("profiles").size(), 1u);
  const std::string next = page.at("next");
  EXPECT_EQ(good(get("/api/v1/profiles?sort=id&limit=1&cursor=" + next)).at("profiles")[0].at("id"),
            "small");
  EXPECT_EQ(field(get("/api/v1/profiles?sort=colour")), "sort");
  EXPECT_EQ(field(get("/api/v1/profiles?limit=0")), "limit");
  EXPECT_EQ(field(get("/api/v1/profiles?cursor=nonsense")), "cursor");
  EXPECT_EQ(field(get("/api/v1/profiles?from=yesterday")), "from");
}

TEST_F(ProfileRoutes, ChangesDeletesAndRestores) {
  import(sample(), "application/json", "?id=mine");
  const Json changed =
      good(call("PATCH", "/api/v1/profiles/mine", R"({"name": "New <name>", "tags": ["x", "y"]})"));
  EXPECT_EQ(changed.at("name"), "New <name>");
  EXPECT_EQ(good(get("/api/v1/profiles/mine")).at("name"), "New <name>");
  const Json deleted = good(call("DELETE", "/api/v1/profiles/mine"));
  EXPECT_EQ(deleted.at("id"), "mine");
  EXPECT_EQ(ids(), Ids{});
  EXPECT_EQ(ids("?deleted=true"), Ids{"mine"});
  EXPECT_EQ(field(get("/api/v1/profiles/mine"), 404), "id");
  EXPECT_EQ(field(call("DELETE", "/api/v1/profiles/mine"), 404), "id");
  EXPECT_EQ(good(call("POST", "/api/v1/profiles/mine/restore")).at("tags"), Json({"x", "y"}));
  EXPECT_EQ(ids(), Ids{"mine"});
  const HttpCall again = call("POST", "/api/v1/profiles/mine/restore");
  EXPECT_EQ(field(again, 404), "id");
  EXPECT_EQ(json_of(ask(again)).at("error").at("hint"),
            "/api/v1/profiles?deleted=true shows those there are");
}

TEST_F(ProfileRoutes, WhatComesWithTheProgramStays) {
  for (const HttpCall& change :
       {call("PATCH", "/api/v1/profiles/bert-base-v100", R"({"name": "x"})"),
        call("DELETE", "/api/v1/profiles/bert-base-v100")}) {
    const HttpAnswer answer = ask(change);
    EXPECT_EQ(answer.status, 400);
    EXPECT_NE(answer.body->find("comes with wattree"), std::string::npos) << *answer.body;
  }
}

TEST_F(ProfileRoutes, EstimatesAndKeepsOrOnlyShows) {
  const std::string body = R"({"name": "Their BERT", "hours": 79,
                               "hardware": "64xTesla V100 SXM2 32GB")";
  const Json shown = good(post("/api/v1/profiles/estimate", body + R"(, "keep": false})"));
  // 64 × 300 W × 79 h
  EXPECT_EQ(shown.at("epochs")[0].at("energy")[0].at("energy_j"), 64 * 300.0 * 79 * 3600);
  EXPECT_EQ(ids(), Ids{});
  EXPECT_EQ(good(post("/api/v1/profiles/estimate", body + "}")).at("id"), "their-bert");
  EXPECT_EQ(ids(), Ids{"their-bert"});
  const Json cards = good(post("/api/v1/profiles/estimate",
                               R"({"name": "x", "hours": 1, "id": "estimate", "tags": ["t"],
                                   "hardware": [{"name": "T4", "count": 2}]})"));
  EXPECT_EQ(cards.at("device_energy_j"), 2 * 70 * 3600.0);
  // A profile may be called as another operation is.
  EXPECT_EQ(good(get("/api/v1/profiles/estimate")).at("name"), "x");
  EXPECT_EQ(header(ask(call("OPTIONS", "/api/v1/profiles/estimate")), "Allow"), "POST, OPTIONS");
}

TEST_F(ProfileRoutes, BadEstimatesNameTheField) {
  const auto wrong = [&](const std::string& fields) {
    return field(post("/api/v1/profiles/estimate", "{" + fields + "}"));
  };
  const std::string rest = R"("name": "x", "hardware": "T4", "hours": )";
  EXPECT_EQ(wrong(rest + "1e999"), "");  // No number of JSON's.
  EXPECT_EQ(wrong(rest + "NaN"), "");
  EXPECT_EQ(wrong(rest + "1e300"), "hours");
  EXPECT_EQ(wrong(rest + "-1"), "hours");
  EXPECT_EQ(wrong(rest + "\"1\""), "hours");
  EXPECT_EQ(wrong(rest + "[1]"), "hours");
  EXPECT_EQ(wrong(rest + "1, \"ours\": 1"), "ours");
  EXPECT_EQ(wrong(rest + "1, \"utilisation\": 2"), "utilisation");
  EXPECT_EQ(wrong(rest + "1, \"keep\": 1"), "keep");
  EXPECT_EQ(wrong(rest + "1, \"tags\": [1]"), "tags[0]");
  EXPECT_EQ(wrong(rest + "1, \"name\": \"y\""), "name");  // Twice.
  EXPECT_EQ(wrong(R"("name": "", "hardware": "T4", "hours": 1)"), "name");
  EXPECT_EQ(wrong(R"("name": "x", "hours": 1)"), "hardware");
  EXPECT_EQ(wrong(R"("name": "x", "hours": 1, "hardware": [])"), "hardware");
  EXPECT_EQ(wrong(R"("name": "x", "hours": 1, "hardware": [{"name": "T4", "count": 1e18}])"),
            "hardware[0].count");
  EXPECT_EQ(
      field(post("/api/v1/profiles/estimate", R"({"name": "x", "hours": 1, "hardware": "Abacus"})"),
            404),
      "hardware");
  EXPECT_EQ(ids(), Ids{});
}

TEST_F(ProfileRoutes, BadFilesAreNoProfiles) {
  const auto wrong = [&](std::string text, const std::string& type = "application/json") {
    return field(call("POST", "/api/v1/profiles", std::move(text), type));
  };
  wrong("");
  wrong("{");
  wrong("{}");
  wrong("[]");
  wrong("\xff\xfe");
  wrong("{\"format\": \"wattree-profile\", \"name\": \"\xc3\"}");
  wrong(std::string(100'000, '['));
  wrong("<html></html>", "text/html");
  wrong("a,b\n1,2\n", "text/csv");
  wrong(R"({"format": "wattree-profile", "version": 1, "name": "x", "epochs": [{"energy": [
            {"component": "gpu", "kind": "gpu", "energy_j": 1e999,
             "basis": {"kind": "measured", "by": "", "boundary": "gpu"}}]}]})");
  wrong(R"({"serverData": {"gpu": {"epoch": [-1]}}})");
  field(call("POST", "/api/v1/profiles", "{}", "application/xml"), 415);
  EXPECT_EQ(field(call("POST", "/api/v1/profiles?tag=x", sample())), "tag");
  EXPECT_EQ(field(call("POST", "/api/v1/profiles?tags= ", sample())), "tags");
  EXPECT_EQ(ids(), Ids{});
}

TEST_F(ProfileRoutes, BadChangesNameTheField) {
  import(sample(), "application/json", "?id=mine");
  const auto wrong = [&](const std::string& body, int status = 400) {
    return field(call("PATCH", "/api/v1/profiles/mine", body), status);
  };
  EXPECT_EQ(wrong("{}"), "name");
  EXPECT_EQ(wrong(R"({"name": ""})"), "name");
  EXPECT_EQ(wrong(R"({"name": 3})"), "name");
  EXPECT_EQ(wrong(R"({"name": "x", "id": "y"})"), "id");
  EXPECT_EQ(wrong(R"({"tags": 1})"), "tags");
  EXPECT_EQ(wrong(R"({"tags": "x"})"), "tags");
  EXPECT_EQ(wrong(R"({"tags": [""]})"), "tags");
  EXPECT_EQ(wrong(R"({"name": "x", "tags": null})"), "tags");
  EXPECT_EQ(wrong("{\"name\": \"" + std::string(501, 'x') + "\"}"), "name");
  EXPECT_EQ(field(call("PATCH", "/api/v1/profiles/..%2f", R"({"name": "x"})"), 404), "id");
  EXPECT_EQ(good(get("/api/v1/profiles/mine")).at("name"), "Sample Profile");
}

TEST_F(ProfileRoutes, TokensAreMadeListedAndRevoked) {
  const Json made = good(post("/api/v1/tokens", R"({"name": "ci", "scope": "read", "days": 9})"));
  EXPECT_EQ(made.at("token").get<std::string>().size(), 67u);
  const HttpAnswer listed = ask(get("/api/v1/tokens"));
  EXPECT_EQ(json_of(listed).at("tokens").at(0).at("name"), "ci");
  EXPECT_EQ(listed.body->find(made.at("token").get<std::string>()), std::string::npos);
  EXPECT_EQ(header(listed, "Cache-Control"), "no-store");
  EXPECT_EQ(good(call("DELETE", "/api/v1/tokens/1")).at("tokens").at(0).at("state"), "revoked");
  EXPECT_EQ(field(call("DELETE", "/api/v1/tokens/1"), 404), "id");
  EXPECT_EQ(field(call("DELETE", "/api/v1/tokens/one")), "id");
  EXPECT_EQ(field(call("DELETE", "/api/v1/tokens/0")), "id");
  EXPECT_EQ(field(post("/api/v1/tokens", R"({"name": "x", "scope": "root"})")), "scope");
  EXPECT_EQ(field(post("/api/v1/tokens", R"({"name": "x", "scope": "read", "days": 1e9})")),
            "days");
  EXPECT_EQ(field(post("/api/v1/tokens", R"({"scope": "read"})")), "name");
}

// Whoever may read, or send profiles, may not make tokens.
TEST_F(ProfileRoutes, EachNeedsItsScope) {
  ServerOptions options;
  options.is_public = true;
  options.tokens = [](std::string_view token) {
    return token == "read"     ? std::optional(TokenScope::kRead)
           : token == "ingest" ? std::optional(TokenScope::kIngest)
                               : std::nullopt;
  };
  const Application server = make_application(options, services());
  const auto status = [&](HttpCall call, const std::string& token) {
    call.peer = "198.51.100.7";
    call.is_from_here = false;
    if (!token.empty()) call.headers.emplace_back("authorization", "Bearer " + token);
    return wattree::ask(server, call).status;
  };
  const HttpCall import = call("POST", "/api/v1/profiles", sample());
  EXPECT_EQ(status(import, ""), 401);
  EXPECT_EQ(status(import, "read"), 403);
  EXPECT_EQ(status(import, "ingest"), 200);
  EXPECT_EQ(status(call("DELETE", "/api/v1/profiles/sample-profile"), "read"), 403);
  for (const HttpCall& tokens :
       {get("/api/v1/tokens"), post("/api/v1/tokens", R"({"name": "x", "scope": "admin"})"),
        call("DELETE", "/api/v1/tokens/1")}) {
    EXPECT_EQ(status(tokens, ""), 401);
    EXPECT_EQ(status(tokens, "ingest"), 403);
  }
  EXPECT_EQ(status(get("/api/v1/profiles"), ""), 200);
}

TEST_F(ProfileRoutes, DatasetsStandBesidePredictions) {
  const std::string tree = R"({"model_name": "bert-tiny", "batch_size": 2, "seq_len": 16, )"
                           R"("frontend_tree": {"id": "0", "scope": "root", "instance_type": )"
                           R"("BertModel", "type": "model", "ground_truth_energy": 0.01, )"
                           R"("child_nodes_obj": [{"id": "1", "scope": "root.pooler.dense", )"
                           R"("instance_type": "Linear", "type": "ml", )"
                           R"("ground_truth_energy": 0.001, "child_nodes_obj": []}]}})";
  for (const char* type : {"application/jsonl", "application/json", "text/plain"}) {
    const Json answer =
        good(call("POST", "/api/v1/datasets?on=h200", tree + "\n" + tree + "\n", type));
    ASSERT_EQ(answer.at("trees").size(), 2u);
    const Json& root = answer.at("trees")[0].at("tree");
    EXPECT_EQ(root.at("measured_j"), 0.01);
    EXPECT_GT(root.at("energy_j").get<double>(), 0);
    EXPECT_NEAR(root.at("error").get<double>(), root.at("energy_j").get<double>() / 0.01 - 1, 1e-9);
  }
  EXPECT_EQ(field(call("POST", "/api/v1/datasets?on=abacus", tree), 404), "on");
  field(call("POST", "/api/v1/datasets", tree + "\nx\n"));
  field(call("POST", "/api/v1/datasets", "[1, 2]"));
  field(call("POST", "/api/v1/datasets", "{\"frontend_tree\": \"\xff\"}"));
}

}  // namespace
}  // namespace wattree
