#include "src/models/hub/resolve.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "src/base/test_folder.h"
#include "src/models/hub/bundled.h"
#include "src/models/hub/json_object.h"
#include "src/models/hub/test_server.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Ends only tests that hang: a busy machine is slow. Those of time-outs set their own.
constexpr milliseconds kPatience(10'000);
const char* const kCommit = "86b5e0934494bd15c9632b12f734a8a67f723594";
const char* const kConfig = R"({"model_type": "bert"})";

void answer_config(TestConnection& connection, const TestRequest&) {
  connection.reply(200, kConfig, std::string("X-Repo-Commit: ") + kCommit + "\r\n");
}

HubOptions options_for(const TestServer& server, const fs::path& cache) {
  HubOptions options;
  options.endpoint = server.url();
  options.cache = cache;
  options.connect_timeout = kPatience;
  options.total_timeout = kPatience;
  return options;
}

HubOptions no_network() {
  HubOptions options;
  options.offline = true;
  return options;
}

// For relative paths. Tests run one after the other in their program.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~InFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

TEST(Bundled, ModelsAreSortedJsonObjects) {
  ASSERT_FALSE(bundled_models().empty());
  std::string_view before;
  for (const BundledModel& model : bundled_models()) {
    EXPECT_LT(before, model.name);
    EXPECT_TRUE(is_json_object(model.json)) << model.name;
    before = model.name;
  }
}

TEST(Bundled, TextIsTheFiles) {
  for (const BundledModel& model : bundled_models()) {
    const fs::path file =
        fs::path(WATTREE_SOURCE_DIR) / "data/models" / (std::string(model.name) + ".json");
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>()};
    EXPECT_EQ(model.json, text) << file;
  }
}

TEST(Resolve, FindsABundledName) {
  const auto result = resolve_model("bert-base-uncased", no_network());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().source, ModelSource::kBundled);
  EXPECT_EQ(result.value().origin, "bert-base-uncased");
  EXPECT_NE(result.value().json.find("30522"), std::string::npos);
  EXPECT_EQ(result.value().note, "");
}

TEST(Resolve, ReadsAFileOrItsFolder) {
  TestFolder folder;
  const fs::path file = folder.write("model/config.json", kConfig);
  for (const fs::path& argument : {file, file.parent_path(), file.parent_path() / ""}) {
    const auto result = resolve_model(argument.string(), no_network());
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result.value().source, ModelSource::kFile);
    EXPECT_EQ(result.value().json, kConfig);
    EXPECT_TRUE(fs::equivalent(result.value().origin, file));
  }
}

TEST(Resolve, PrefersAPathToEverythingElse) {
  TestFolder folder;
  const InFolder here(folder.path());
  folder.write("bert-base-uncased", kConfig);
  folder.write("org/name/config.json", kConfig);
  EXPECT_EQ(resolve_model("bert-base-uncased", no_network()).value().source, ModelSource::kFile);
  EXPECT_EQ(resolve_model("org/name", no_network()).value().origin, "org/name/config.json");
}

TEST(Resolve, LooksPastAFolderWithoutAConfig) {
  TestFolder folder;
  const InFolder here(folder.path());
  fs::create_directories("bert-base-uncased");
  fs::create_directories("org/name");
  fs::create_directories("other");
  EXPECT_EQ(resolve_model("bert-base-uncased", no_network()).value().source, ModelSource::kBundled);

  const auto named = resolve_model("org/name", no_network());
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.error().code, ErrorCode::kNotFound);
  EXPECT_NE(named.error().message.find("holds no config.json"), std::string::npos);
  EXPECT_NE(named.error().hint.find("org/name@main"), std::string::npos);
  EXPECT_FALSE(resolve_model("other", no_network()).ok());

  TestServer server(answer_config);
  EXPECT_EQ(resolve_model("org/name@main", options_for(server, "")).value().source,
            ModelSource::kHub);
}

TEST(Resolve, ReadsNoFilesWhereTheyAreForbidden) {
  TestFolder folder;
  const InFolder here(folder.path());
  folder.write("config.json", kConfig);
  folder.write("bert-base-uncased", kConfig);
  HubOptions options = no_network();
  options.allow_files = false;
  for (const std::string& argument :
       {std::string("config.json"), std::string("."), std::string("/etc/passwd"),
        (folder.path() / "config.json").string()}) {
    const auto result = resolve_model(argument, options);
    ASSERT_FALSE(result.ok()) << argument;
    EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  }
  EXPECT_EQ(resolve_model("bert-base-uncased", options).value().source, ModelSource::kBundled);
}

TEST(Resolve, BoundsFiles) {
  TestFolder folder;
  HubOptions options = no_network();
  options.size_limit = 100;
  const std::string file = folder.write("config.json", std::string(101, ' ')).string();
  const auto large = resolve_model(file, options);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(resolve_model("/dev/zero", options).ok());
}

TEST(Resolve, NamesTheNearest) {
  for (const char* argument : {"bert-base-uncasd", "bert", "./bert-base-uncasd", "x.json"}) {
    const auto result = resolve_model(argument, no_network());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
    EXPECT_NE(result.error().message.find(argument), std::string::npos);
    EXPECT_NE(result.error().hint.find("org/name as on the Hugging Face Hub"), std::string::npos);
    EXPECT_EQ(result.error().hint.starts_with("did you mean bert-"),
              std::string(argument) != "x.json")
        << result.error().hint;
  }
}

class HostileArgument : public testing::TestWithParam<std::string> {};
TEST_P(HostileArgument, ReachesNothing) {
  TestFolder folder;
  const InFolder here(folder.path());
  TestServer server(answer_config);
  const auto result = resolve_model(GetParam(), options_for(server, folder.path() / "cache"));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().code == ErrorCode::kNotFound ||
              result.error().code == ErrorCode::kInvalidInput);
  EXPECT_LT(result.error().message.size(), 400u);
  EXPECT_EQ(result.error().message.find('\x1b'), std::string::npos);
  EXPECT_TRUE(server.requests().empty());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}
INSTANTIATE_TEST_SUITE_P(Resolve, HostileArgument,
                         testing::Values("", "../x", "org/..", "a/b/c", "a/b@../../../x",
                                         "a/b.json", "\x1b[31m/x", "a/b?x",
                                         "https://huggingface.co/a/b", "gpt-2000", "~", "a/b@",
                                         std::string("a/b\0", 4), std::string(1, '\0'),
                                         std::string(100'000, 'a'), std::string(100'000, '/'),
                                         std::string(50'000, 'a') + "/b"));

TEST(Resolve, FetchesAndKeepsAModelOfTheHub) {
  TestFolder cache;
  TestServer server(answer_config);
  const HubOptions options = options_for(server, cache.path());
  const auto result = resolve_model("org/name", options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().source, ModelSource::kHub);
  EXPECT_EQ(result.value().origin, "org/name@main");
  EXPECT_EQ(result.value().json, kConfig);
  EXPECT_EQ(result.value().note, "");
  EXPECT_EQ(cache.read("models--org--name/refs/main"), kCommit);
  EXPECT_EQ(cache.read(std::string("models--org--name/snapshots/") + kCommit + "/config.json"),
            kConfig);

  // A branch may move: it is asked for again. A commit does not.
  EXPECT_EQ(resolve_model("org/name", options).value().source, ModelSource::kHub);
  EXPECT_EQ(resolve_model(std::string("org/name@") + kCommit, options).value().source,
            ModelSource::kCache);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(Resolve, TakesTheRevisionOfTheOptions) {
  TestServer server(answer_config);
  HubOptions options = options_for(server, "");
  options.revision = "v2";
  EXPECT_EQ(resolve_model("org/name", options).value().origin, "org/name@v2");
  EXPECT_EQ(resolve_model("org/name@v3", options).value().origin, "org/name@v3");
  EXPECT_EQ(server.requests().at(0).target, "/org/name/resolve/v2/config.json");
  EXPECT_EQ(server.requests().at(1).target, "/org/name/resolve/v3/config.json");
}

TEST(Resolve, NeedsNoCache) {
  TestFolder folder;
  TestServer server(answer_config);
  const fs::path unwritable = folder.write("file", "not a folder");
  EXPECT_TRUE(resolve_model("org/name", options_for(server, unwritable)).ok());
  EXPECT_TRUE(resolve_model("org/name", options_for(server, "")).ok());
}

TEST(Resolve, AsksNobodyWhenOffline) {
  TestFolder cache;
  TestServer server(answer_config);
  HubOptions options = options_for(server, cache.path());
  options.offline = true;
  const auto absent = resolve_model("google-bert/bert-base-uncased", options);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(absent.error().message.find(cache.path().string()), std::string::npos);
  EXPECT_NE(absent.error().hint.find("HF_HUB_OFFLINE"), std::string::npos);
  EXPECT_NE(absent.error().hint.find("bert-base-uncased, without the organisation, is bundled"),
            std::string::npos);

  cache.write("models--org--name/refs/main", kCommit);
  cache.write(std::string("models--org--name/snapshots/") + kCommit + "/config.json", kConfig);
  const auto present = resolve_model("org/name", options);
  ASSERT_TRUE(present.ok()) << present.error().message;
  EXPECT_EQ(present.value().source, ModelSource::kCache);
  EXPECT_EQ(present.value().json, kConfig);
  EXPECT_EQ(present.value().note, "");
  EXPECT_TRUE(server.requests().empty());
}

TEST(Resolve, UsesTheCacheWhenTheHubIsDown) {
  TestFolder cache;
  std::atomic<bool> is_down = false;
  TestServer server([&](TestConnection& connection, const TestRequest& request) {
    if (is_down) {
      connection.reply(503, "");
    } else {
      answer_config(connection, request);
    }
  });
  const HubOptions options = options_for(server, cache.path());
  ASSERT_TRUE(resolve_model("org/name", options).ok());
  is_down = true;
  const auto in_trouble = resolve_model("org/name", options);
  ASSERT_TRUE(in_trouble.ok()) << in_trouble.error().message;
  EXPECT_EQ(in_trouble.value().source, ModelSource::kCache);
  EXPECT_NE(in_trouble.value().note.find("HTTP 503"), std::string::npos);
  EXPECT_FALSE(resolve_model("org/other", options).ok());

  server.stop();
  const auto gone = resolve_model("org/name", options);
  ASSERT_TRUE(gone.ok()) << gone.error().message;
  EXPECT_EQ(gone.value().json, kConfig);
  EXPECT_NE(gone.value().note.find("cannot connect"), std::string::npos);
  const auto never_seen = resolve_model("org/other", options);
  ASSERT_FALSE(never_seen.ok());
  EXPECT_EQ(never_seen.error().code, ErrorCode::kUnavailable);
}

TEST(Resolve, BelievesTheHubThatAModelIsGone) {
  TestFolder cache;
  cache.write("models--org--bert/refs/main", kCommit);
  cache.write(std::string("models--org--bert/snapshots/") + kCommit + "/config.json", kConfig);
  for (const int status : {401, 403, 404}) {
    TestServer server(
        [&](TestConnection& connection, const TestRequest&) { connection.reply(status, ""); });
    const auto result = resolve_model("org/bert", options_for(server, cache.path()));
    ASSERT_FALSE(result.ok()) << status;
    EXPECT_EQ(result.error().code, status == 404 ? ErrorCode::kNotFound : ErrorCode::kPermission);
    if (status == 404) {
      EXPECT_TRUE(result.error().hint.starts_with("did you mean bert-")) << result.error().hint;
    }
  }
}

TEST(Resolve, KeepsNothingThatIsNoConfig) {
  TestFolder cache;
  TestServer server([](TestConnection& connection, const TestRequest&) {
    connection.reply(200, "<html>", std::string("X-Repo-Commit: ") + kCommit + "\r\n");
  });
  EXPECT_FALSE(resolve_model("org/name", options_for(server, cache.path())).ok());
  EXPECT_TRUE(fs::is_empty(cache.path()));
}

}  // namespace
}  // namespace wattree
