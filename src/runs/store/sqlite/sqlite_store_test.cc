#include "src/runs/store/sqlite/sqlite_store.h"

#include <gtest/gtest.h>

#include <thread>

#include "src/base/test_folder.h"
#include "src/runs/profile/folder.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/store/inbox.h"
#include "src/runs/store/profile_store.h"

namespace wattree {
namespace {

UtcTime day(int number) { return UtcTime(std::chrono::days(20'000 + number)); }

Profile run(const std::string& name, double joules = 100, const std::string& region = "US-GA") {
  Profile out;
  out.name = name;
  out.region = region;
  out.hardware = {{DeviceKind::kGpu, "H200", 2}};
  Epoch& epoch = out.epochs.emplace_back();
  epoch.duration = Seconds(10);
  epoch.energy = {{"gpu",
                   ComponentKind::kGpu,
                   Joules(joules),
                   std::nullopt,
                   Joules(1),
                   {Basis::kMeasured, "NVML energy counter", Boundary::kGpu}}};
  return out;
}

NewProfile fresh(const Profile& profile, int added = 0, std::vector<std::string> tags = {}) {
  return {profile, profile_id(profile.name), ProfileOrigin::kImported, std::move(tags), day(added)};
}

std::vector<std::string> ids(const Result<ProfilePage>& page) {
  std::vector<std::string> out;
  if (!page.ok()) return {page.error().message};
  for (const ProfileSummary& profile : page.value().profiles) out.push_back(profile.id);
  return out;
}

using Ids = std::vector<std::string>;

class Store : public testing::Test {
 protected:
  std::shared_ptr<ProfileStore> open(StoreAccess access = StoreAccess::kWrite) {
    const auto store = sqlite_stores().open(file_, access);
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().message);
    return store.value();
  }

  const TestFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "data" / "wattree.db";
  const std::filesystem::path inbox_ = folder_.path() / "profiles";
};

TEST_F(Store, KeepsProfilesToTheLastBit) {
  Profile profile = run("A run", 1.0 / 3);
  profile.notes = "</script>'; DROP TABLE profiles; -- \x1b[2J ×" + std::string(3, '\0') + "end";
  profile.epochs.front().start = UtcTime(std::chrono::microseconds(1'780'000'000'123'456));
  ASSERT_TRUE(open()->add({fresh(profile, 3, {"paper", "b", "paper"})}).ok());
  const auto store = open();  // Another connection.
  const Result<KeptProfile> kept = store->find("a-run");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept.value().profile, profile);
  const ProfileSummary& summary = kept.value().summary;
  EXPECT_EQ(summary.hardware, "2 × H200");
  EXPECT_EQ(summary.energy, Joules(1.0 / 3));
  EXPECT_EQ(summary.duration, Seconds(10));
  EXPECT_EQ(summary.provenance->by, "NVML energy counter");
  EXPECT_EQ(summary.started, profile.epochs.front().start);
  EXPECT_EQ(summary.added, day(3));
  EXPECT_EQ(summary.tags, (Ids{"b", "paper"}));
  EXPECT_EQ(store->list({}).value().profiles.at(0), summary);
  EXPECT_EQ(store->find("another").error().code, ErrorCode::kNotFound);
}

TEST_F(Store, AnIdIsNeverGivenTwice) {
  const auto store = open();
  EXPECT_EQ(store->add({fresh(run("x")), fresh(run("x"))}).value().at(1).id, "x-2");
  ASSERT_TRUE(store->remove("x", day(1)).ok());
  EXPECT_EQ(store->add({fresh(run("x"))}).value().at(0).id, "x-3");  // It may come back.
}

TEST_F(Store, FiltersSayWhatIsListed) {
  const auto store = open();
  Profile planned = run("Planned 100%", 300, "DEU");
  planned.planned_epochs = 9;
  Profile elsewhere = run("elsewhere", 50, "");
  elsewhere.location = "Atlantis";
  elsewhere.epochs.front().start = day(-5);
  ASSERT_TRUE(store
                  ->add({fresh(run("alpha", 100), 1, {"paper", "a_b"}), fresh(planned, 2, {"axb"}),
                         fresh(elsewhere, 3)})
                  .ok());
  const auto found = [&](auto change) {
    ProfileQuery query;
    change(query);
    return ids(store->list(query));
  };
  EXPECT_EQ(found([](auto& q) { q.words = "ALPHA h200"; }), Ids{"alpha"});
  EXPECT_EQ(found([](auto& q) { q.words = "100%"; }), Ids{"planned-100"});  // No wildcard.
  EXPECT_EQ(found([](auto& q) { q.words = "a_b"; }), Ids{"alpha"});
  EXPECT_EQ(found([](auto& q) { q.words = "' OR 1"; }), Ids{});
  EXPECT_EQ(found([](auto& q) { q.tags = {"paper"}; }), Ids{"alpha"});
  EXPECT_EQ(found([](auto& q) { q.tags = {"paper", "axb"}; }), Ids{});
  EXPECT_EQ(found([](auto& q) { q.region = "DEU"; }), Ids{"planned-100"});
  EXPECT_EQ(found([](auto& q) { q.region = "atlantis"; }), Ids{"elsewhere"});
  EXPECT_EQ(found([](auto& q) { q.hardware = "h2"; }).size(), 3u);
  EXPECT_EQ(found([](auto& q) { q.status = ProfileStatus::kUnfinished; }), Ids{"planned-100"});
  EXPECT_EQ(found([](auto& q) { q.from = day(2); }), Ids{"planned-100"});
  EXPECT_EQ(found([](auto& q) { q.to = day(0); }), Ids{"elsewhere"});  // When it ran.
}

TEST_F(Store, PagesShowEveryProfileOnceInEveryOrder) {
  const auto store = open();
  std::vector<NewProfile> many;
  for (int i = 0; i < 23; ++i) {
    Profile profile = run("run " + std::to_string(i), (i * 7) % 5);  // Many are equal.
    if (i % 6 == 0) profile.epochs.clear();                          // And some are unknown.
    many.push_back(fresh(profile, i % 3));
  }
  ASSERT_TRUE(store->add(many).ok());
  ASSERT_TRUE(take_in(inbox_, *store, day(0)).ok());  // Those that come with the program.
  for (const auto sort : {ProfileSort::kId, ProfileSort::kName, ProfileSort::kEnergy,
                          ProfileSort::kDuration, ProfileSort::kStarted, ProfileSort::kAdded}) {
    for (const bool is_descending : {false, true}) {
      ProfileQuery query;
      query.sort = sort;
      query.is_descending = is_descending;
      const Ids whole = ids(store->list(query));
      ASSERT_EQ(whole.size(), 25u);
      const auto bundled = std::find(whole.begin(), whole.end(), "transformer-big-p100");
      EXPECT_GE(bundled - whole.begin(), 23);
      query.limit = 4;
      Ids seen;
      do {
        const Result<ProfilePage> page = store->list(query);
        ASSERT_TRUE(page.ok()) << page.error().message;
        EXPECT_EQ(page.value().total, 25);
        for (const std::string& id : ids(page)) seen.push_back(id);
        query.cursor = page.value().next;
      } while (!query.cursor.empty());
      EXPECT_EQ(seen, whole) << name_of(sort) << is_descending;
    }
  }
  ProfileQuery query;
  query.limit = 4;
  query.cursor = store->list(query).value().next;
  query.sort = ProfileSort::kEnergy;
  EXPECT_EQ(store->list(query).error().field, "cursor");
  for (const char* bad : {"x", "00", "5b5d", "5b"}) {
    query.cursor = bad;
    EXPECT_EQ(store->list(query).error().field, "cursor") << bad;
  }
}

TEST_F(Store, NamesAndTagsChangeAndTheProfileStays) {
  const auto store = open();
  ASSERT_TRUE(store->add({fresh(run("x"), 0, {"a", "b"})}).ok());
  ProfileChange change;
  change.name = "A better <name>";
  change.add_tags = {"c", "a"};
  change.remove_tags = {"b"};
  const Result<ProfileSummary> changed = store->change("x", change);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed.value().name, "A better <name>");
  EXPECT_EQ(changed.value().tags, (Ids{"a", "c"}));
  EXPECT_EQ(store->find("x").value().profile.name, "A better <name>");
  change = {};
  change.tags = Ids(51, "t");
  EXPECT_EQ(store->change("x", change).error().field, "tags");
  change.tags = Ids{" t"};
  EXPECT_EQ(store->change("x", change).error().field, "tags");
  EXPECT_EQ(store->find("x").value().summary.tags, (Ids{"a", "c"}));
  EXPECT_EQ(store->change("y", {}).error().code, ErrorCode::kNotFound);
}

TEST_F(Store, WhatIsDeletedComesBackUntilItIsPurged) {
  const auto store = open();
  ASSERT_TRUE(store->add({fresh(run("x"), 0, {"t"}), fresh(run("y"))}).ok());
  ASSERT_TRUE(store->remove("x", day(1)).ok());
  EXPECT_EQ(ids(store->list({})), Ids{"y"});
  EXPECT_EQ(store->find("x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store->remove("x", day(1)).error().code, ErrorCode::kNotFound);
  ProfileQuery deleted;
  deleted.is_deleted = true;
  EXPECT_EQ(ids(store->list(deleted)), Ids{"x"});
  ASSERT_TRUE(store->restore("x").ok());
  EXPECT_EQ(store->find("x").value().summary.tags, Ids{"t"});
  EXPECT_EQ(store->restore("x").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(store->remove("x", day(1)).ok());
  ASSERT_TRUE(store->purge(day(1)).ok());  // Not before, but at that moment.
  EXPECT_EQ(ids(store->list(deleted)), Ids{"x"});
  ASSERT_TRUE(store->purge(day(2)).ok());
  EXPECT_EQ(ids(store->list(deleted)), Ids{});
  EXPECT_EQ(ids(store->list({})), Ids{"y"});
}

TEST_F(Store, TakesAFolderInOnceAndLeavesItAsItIs) {
  ASSERT_TRUE(save_profile(inbox_, run("one", 10)).ok());
  ASSERT_TRUE(save_profile(inbox_, run("Two", 20), "two").ok());
  folder_.write("profiles/broken.json", "{");
  folder_.write("profiles/note.txt", "no profile");
  const auto store = open();
  for (int again = 0; again < 3; ++again) ASSERT_TRUE(take_in(inbox_, *store, day(again)).ok());
  EXPECT_EQ(ids(store->list({})),
            (Ids{"broken", "one", "two", "bert-base-v100", "transformer-big-p100"}));
  EXPECT_EQ(store->find("two").value().profile, run("Two", 20));
  EXPECT_EQ(store->find("two").value().summary.origin, ProfileOrigin::kTracked);
  const Result<KeptProfile> broken = store->find("broken");
  EXPECT_NE(broken.error().message.find("broken.json: not valid JSON"), std::string::npos);
  EXPECT_EQ(broken.error().message.find(folder_.path()), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(inbox_ / "one.json"));
  // What a tracker writes later appears; what was changed is taken in anew, and keeps its tags.
  ProfileChange change;
  change.tags = Ids{"mine"};
  ASSERT_TRUE(store->change("one", change).ok());
  ASSERT_TRUE(save_profile(inbox_, run("one", 30)).ok());  // one-2
  folder_.write("profiles/one.json", write_profile_json(run("one", 11)));
  folder_.write("profiles/broken.json", write_profile_json(run("repaired", 12)));
  ASSERT_TRUE(take_in(inbox_, *store, day(9)).ok());
  EXPECT_EQ(ids(store->list({})).size(), 6u);
  EXPECT_EQ(store->find("one").value().summary.energy, Joules(11));
  EXPECT_EQ(store->find("one").value().summary.tags, Ids{"mine"});
  EXPECT_EQ(store->find("broken").value().profile.name, "repaired");
}

TEST_F(Store, ADeletedFileStaysDeletedAndGoesWithThePurge) {
  ASSERT_TRUE(save_profile(inbox_, run("x")).ok());
  const auto store = open();
  ASSERT_TRUE(take_in(inbox_, *store, day(0)).ok());
  ASSERT_TRUE(store->remove("x", day(1)).ok());
  ASSERT_TRUE(take_in(inbox_, *store, day(1)).ok());
  EXPECT_EQ(store->find("x").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(std::filesystem::exists(inbox_ / "x.json"));
  const auto purged = store->purge(day(9));
  ASSERT_EQ(purged.value().size(), 1u);
  ASSERT_TRUE(take_in(inbox_, *store, day(9)).ok());  // A crash before the file is gone.
  EXPECT_EQ(store->find("x").error().code, ErrorCode::kNotFound);
  delete_purged(inbox_, store->purge(day(9)).value());
  EXPECT_FALSE(std::filesystem::exists(inbox_ / "x.json"));
  ASSERT_TRUE(save_profile(inbox_, run("x", 7)).ok());  // A new run of that name.
  ASSERT_TRUE(take_in(inbox_, *store, day(9)).ok());
  EXPECT_EQ(store->find("x").value().summary.energy, Joules(7));
}

TEST_F(Store, AFileThatSomebodyChangedIsNotPurged) {
  ASSERT_TRUE(save_profile(inbox_, run("x")).ok());
  const auto store = open();
  ASSERT_TRUE(take_in(inbox_, *store, day(0)).ok());
  ASSERT_TRUE(store->remove("x", day(1)).ok());
  folder_.write("profiles/x.json", write_profile_json(run("x", 1234567)));
  delete_purged(inbox_, store->purge(day(9)).value());
  EXPECT_TRUE(std::filesystem::exists(inbox_ / "x.json"));
}

TEST_F(Store, WhatComesWithTheProgramCannotBeChangedAndGivesWay) {
  ASSERT_TRUE(save_profile(inbox_, run("my own"), "bert-base-v100").ok());
  const auto store = open();
  ASSERT_TRUE(take_in(inbox_, *store, day(0)).ok());
  EXPECT_EQ(store->find("bert-base-v100").value().profile.name, "my own");
  EXPECT_EQ(store->remove("transformer-big-p100", day(0)).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(store->change("transformer-big-p100", {}).error().code, ErrorCode::kInvalidInput);
}

TEST_F(Store, ReadingMakesNoFile) {
  ASSERT_TRUE(save_profile(inbox_, run("x")).ok());
  const auto store = open(StoreAccess::kRead);
  ASSERT_TRUE(take_in(inbox_, *store, day(0)).ok());
  EXPECT_TRUE(store->find("x").ok());
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_FALSE(std::filesystem::exists(file_.parent_path()));
}

TEST_F(Store, IsReadByItsUserAlone) {
  const auto store = open();
  ASSERT_TRUE(store->add({fresh(run("x"))}).ok());
  const std::filesystem::path copy = folder_.path() / "backup";
  ASSERT_TRUE(store->backup(copy).ok());
  for (const std::filesystem::path& file :
       {file_, std::filesystem::path(file_.string() + "-wal"), copy}) {
    EXPECT_EQ(std::filesystem::status(file).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << file;
  }
}

TEST_F(Store, KeepsLinksAndNeverGivesAnIdTwice) {
  EXPECT_EQ(open()->add_link({0, "node7:8080", ""}).value(), 1);
  EXPECT_EQ(open()->add_link({0, "http://node8", "wt_secret"}).value(), 2);
  const auto store = open();
  EXPECT_EQ(store->links().value(),
            (std::vector<KeptLink>{{1, "node7:8080", ""}, {2, "http://node8", "wt_secret"}}));
  EXPECT_TRUE(store->remove_link(2).ok());
  EXPECT_TRUE(store->remove_link(2).ok());
  EXPECT_EQ(store->add_link({0, "node9", ""}).value(), 3);
  EXPECT_EQ(open(StoreAccess::kRead)->links().value().size(), 2u);
}

TEST_F(Store, IsForManyThreads) {
  const auto store = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(store->add({fresh(run("t" + std::to_string(t)))}).ok());
        EXPECT_TRUE(store->list({}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->list({}).value().total, 40);
}

}  // namespace
}  // namespace wattree
