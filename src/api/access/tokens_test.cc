#include "src/api/access/tokens.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "src/api/access/token_watch.h"
#include "src/base/test_folder.h"
#include "src/runs/store/profile_store.h"
#include "src/runs/store/sqlite/sqlite_store.h"
#include "tests/support/no_threads.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

class Tokens : public testing::Test {
 protected:
  Tokens() {
    services_.store = folder_.path() / "wattree.db";
    services_.stores = sqlite_stores();
    services_.seconds_since_1970 = [this] { return clock_; };
  }
  std::string create(const Json& json) {
    return create_token(create_token_request(json).value(), services_).value().text;
  }

  const TestFolder folder_;
  std::int64_t clock_ = 1'800'000'000;
  Services services_ = services_from([](const char*) { return std::nullopt; });
};

TEST_F(Tokens, AllowWhatTheirScopeSaysUntilTheyAreRevoked) {
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  TokenWatch& book = *watch;
  EXPECT_FALSE(book("wt_anything"));  // There is no store yet.
  const std::string reader = create({{"name", "laptop"}, {"scope", "read"}});
  const std::string admin = create({{"name", "me"}, {"scope", "admin"}});
  EXPECT_NE(reader, admin);
  EXPECT_EQ(reader.size(), 67u);
  book.refresh();
  EXPECT_EQ(book(reader), TokenScope::kRead);
  EXPECT_EQ(book(admin), TokenScope::kAdmin);
  for (const std::string& forged :
       {std::string(), reader + " ", reader.substr(1), "WT_" + reader.substr(3), token_hash(reader),
        std::string(1'000'000, 'a')}) {
    EXPECT_FALSE(book(forged));
  }
  ASSERT_TRUE(revoke_token(revoke_token_request(Json{{"id", 1}}).value(), services_).ok());
  book.refresh();
  EXPECT_FALSE(book(reader));
  EXPECT_EQ(book(admin), TokenScope::kAdmin);
  EXPECT_EQ(revoke_token({1}, services_).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(revoke_token({9}, services_).error().field, "id");
}

TEST_F(Tokens, Expire) {
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  TokenWatch& book = *watch;
  const std::string token = create({{"name", "ci"}, {"scope", "ingest"}, {"days", 2}});
  book.refresh();
  clock_ += 2 * 86'400 - 1;
  EXPECT_EQ(book(token), TokenScope::kIngest);
  clock_ += 1;
  EXPECT_FALSE(book(token));
  EXPECT_EQ(Json::parse(to_json(tokens(services_).value()))["tokens"][0]["state"], "expired");
}

TEST_F(Tokens, AreKeptByTheirHashAlone) {
  const std::string token = create({{"name", "x'); --"}, {"scope", "read"}});
  std::string bytes;
  for (const char* file : {"wattree.db", "wattree.db-wal"}) bytes += folder_.read(file);
  EXPECT_NE(bytes.find("x'); --"), std::string::npos);
  EXPECT_EQ(bytes.find(token), std::string::npos);
  EXPECT_EQ(bytes.find(token.substr(3)), std::string::npos);
  const std::string listed = to_json(tokens(services_).value());
  EXPECT_EQ(listed.find(token.substr(3)), std::string::npos);
  EXPECT_EQ(listed.find("sha256"), std::string::npos);
}

TEST_F(Tokens, SayWhenTheyWereUsedLastToAMinute) {
  const std::string token = create({{"name", "a"}, {"scope", "read"}});
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  TokenWatch& book = *watch;
  const auto used = [&] {
    book.refresh();
    const Json json = Json::parse(to_json(tokens(services_).value()))["tokens"][0];
    return json.value("last_used", "never");
  };
  EXPECT_EQ(used(), "never");
  clock_ = 1'800'000'060;
  EXPECT_TRUE(book(token));
  EXPECT_EQ(used(), "2027-01-15T08:01:00Z");
  clock_ += 30;
  EXPECT_TRUE(book(token));
  EXPECT_EQ(used(), "2027-01-15T08:01:00Z");
  clock_ += 30;
  EXPECT_TRUE(book(token));
  EXPECT_EQ(used(), "2027-01-15T08:02:00Z");
}

TEST_F(Tokens, AreSeenByAWatchWithinSeconds) {
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  TokenWatch& book = *watch;
  const std::string token = create({{"name", "a"}, {"scope", "read"}});
  const auto start = std::chrono::steady_clock::now();
  while (!book(token) && std::chrono::steady_clock::now() < start + std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(book(token));
}

TEST_F(Tokens, AreThoseOfTheFileThatIsThereNow) {
  const std::string token = create({{"name", "a"}, {"scope", "admin"}});
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  EXPECT_TRUE((*watch)(token));
  // Another store is put in its place, as by a restore that this program did not make.
  Services other = services_;
  other.store = folder_.path() / "other.db";
  const CreateTokenRequest request =
      create_token_request({{"name", "b"}, {"scope", "read"}}).value();
  const std::string others = create_token(request, other).value().text;
  {
    const auto store = other.stores.open(other.store, StoreAccess::kRead).value();
    ASSERT_TRUE(store->backup(folder_.path() / "whole.db").ok());
  }
  std::filesystem::rename(folder_.path() / "whole.db", services_.store);
  watch->refresh();
  EXPECT_FALSE((*watch)(token)) << "it is not in there";
  EXPECT_TRUE((*watch)(others));
  // And what is written goes into it.
  const std::string third = create({{"name", "c"}, {"scope", "read"}});
  watch->refresh();
  EXPECT_TRUE((*watch)(third));
  std::filesystem::remove(services_.store);
  watch->refresh();
  EXPECT_FALSE((*watch)(others)) << "no file, no tokens";
}

TEST_F(Tokens, AreForgottenWhereTheStoreCannotBeRead) {
  const std::string token = create({{"name", "a"}, {"scope", "admin"}});
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  std::filesystem::remove(services_.store);
  std::ofstream(services_.store) << std::string(4096, 'x');
  watch->refresh();
  EXPECT_TRUE((*watch)(token)) << "it may be for a moment";
  for (int i = 0; i < 10; ++i) watch->refresh();
  EXPECT_FALSE((*watch)(token));
}

TEST_F(Tokens, AreLookedUpByManyThreads) {
  const std::string token = create({{"name", "a"}, {"scope", "ingest"}});
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  TokenWatch& book = *watch;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(book(token), TokenScope::kIngest);
        EXPECT_FALSE(book("wt_forged"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Tokens, AreWatchedOnWhereTheStoreThrows) {
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> thrown = 0;
  services_.stores.open = [&](const std::filesystem::path& file, StoreAccess access) {
    if (std::this_thread::get_id() != own && ++thrown < 3) throw std::bad_alloc();
    return sqlite_stores().open(file, access);
  };
  const std::shared_ptr<TokenWatch> watch = TokenWatch::start(services_).value();
  const std::string token = create({{"name", "a"}, {"scope", "read"}});
  const auto start = std::chrono::steady_clock::now();
  while (!(*watch)(token) && std::chrono::steady_clock::now() < start + std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE((*watch)(token));
}

TEST_F(Tokens, WithoutAThreadIsAnError) {
  const NoThreads none;
  const Result<TokenCheck> check = watched_tokens(services_);
  ASSERT_FALSE(check.ok());
  EXPECT_EQ(check.error().code, ErrorCode::kUnavailable);
}

TEST_F(Tokens, WhatIsWrongNamesItsField) {
  const auto field = [](const Json& json) { return create_token_request(json).error().field; };
  EXPECT_EQ(field({{"scope", "read"}}), "name");
  EXPECT_EQ(field({{"name", "a"}}), "scope");
  EXPECT_EQ(field({{"name", "a"}, {"scope", "root"}}), "scope");
  EXPECT_EQ(field({{"name", "a"}, {"scope", "read"}, {"days", 0}}), "days");
  EXPECT_EQ(field({{"name", "a"}, {"scope", "read"}, {"day", 1}}), "day");
  EXPECT_EQ(create_token({"", TokenScope::kRead, {}}, services_).error().field, "name");
  EXPECT_EQ(create_token({"a\xff", TokenScope::kRead, {}}, services_).error().field, "name");
  EXPECT_EQ(revoke_token_request(Json{{"id", "1"}}).error().field, "id");
}

}  // namespace
}  // namespace wattree
