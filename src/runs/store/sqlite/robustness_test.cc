// What a store survives: programs that are killed while they write, others that write at once,
// folders and files that are not as they should be.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "src/base/random.h"
#include "src/base/test_folder.h"
#include "src/runs/store/inbox.h"
#include "src/runs/store/profile_store.h"
#include "src/runs/store/sqlite/migrations.h"
#include "src/runs/store/sqlite/open_database.h"
#include "src/runs/store/sqlite/sqlite_store.h"
#include "tests/support/not_root.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

Profile run(const std::string& name, int epochs) {
  Profile out;
  out.name = name;
  for (int i = 0; i < epochs; ++i) {
    out.epochs.emplace_back().energy = {{"gpu",
                                         ComponentKind::kGpu,
                                         Joules(i),
                                         std::nullopt,
                                         std::nullopt,
                                         {Basis::kMeasured, "test", Boundary::kGpu}}};
  }
  return out;
}

NewProfile fresh(const std::string& id, int epochs = 1) {
  return {run(id, epochs), id, ProfileOrigin::kImported, {"tag-" + id}, UtcTime()};
}

Result<std::shared_ptr<ProfileStore>> open(const fs::path& file,
                                           StoreAccess access = StoreAccess::kWrite) {
  return sqlite_stores().open(file, access);
}

std::string integrity(const fs::path& file) {
  const auto database = Database::open(file, DatabaseMode::kExisting);
  return database.ok() ? database.value()->text("PRAGMA integrity_check")
                       : database.error().message;
}

// A child that adds profiles until it is killed. It tells of each that was answered, by a byte.
[[noreturn]] void write_until_killed(const fs::path& file, const std::string& name, int acks) {
  const auto store = open(file);
  for (int i = 0; store.ok(); ++i) {
    const std::string id = name + "-" + std::to_string(i);
    if (!store.value()->add({fresh(id, 300)}).ok()) break;
    if (i % 3 == 0 && !store.value()->remove(id, UtcTime(std::chrono::hours(1))).ok()) break;
    if (::write(acks, "x", 1) != 1) break;
  }
  ::_exit(1);
}

int bytes_in(int pipe) {
  int out = 0;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(pipe, buffer, sizeof buffer)) > 0;) {
    out += static_cast<int>(got);
  }
  return out;
}

// 20 kills, or as many as WATTREE_STORE_KILLS says.
int kills() {
  const char* wanted = std::getenv("WATTREE_STORE_KILLS");
  return wanted == nullptr ? 20 : std::atoi(wanted);
}

TEST(StoreRobustness, AWriterMayBeKilledAtAnyMoment) {
  const TestFolder folder;
  const fs::path file = folder.path() / "wattree.db";
  Random random(7);
  int answered = 0;
  for (int round = 0; round < kills(); ++round) {
    const std::string name = "r" + std::to_string(round);
    int acks[2];
    ASSERT_EQ(::pipe(acks), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(acks[0]);
      write_until_killed(file, name, acks[1]);
    }
    ::close(acks[1]);
    // From before the file is made to some dozens of profiles later.
    const auto pause = std::chrono::microseconds(static_cast<int>(random.uniform(0, 60'000)));
    std::this_thread::sleep_for(pause);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    const int acked = bytes_in(acks[0]);
    ::close(acks[0]);
    answered += acked;
    const auto store = open(file);
    ASSERT_TRUE(store.ok()) << store.error().message;
    for (int i = 0; i < acked; ++i) {
      const std::string id = name + "-" + std::to_string(i);
      if (i % 3 == 0) {
        ASSERT_TRUE(store.value()->restore(id).ok()) << id;
      }
      const Result<KeptProfile> kept = store.value()->find(id);
      ASSERT_TRUE(kept.ok()) << kept.error().message;
      EXPECT_EQ(kept.value().profile, run(id, 300));
      EXPECT_EQ(kept.value().summary.tags.size(), 1u);
    }
  }
  EXPECT_EQ(integrity(file), "ok");
  EXPECT_GT(answered, 0);
}

TEST(StoreRobustness, TwoProgramsWriteAtOnce) {
  const TestFolder folder;
  const fs::path file = folder.path() / "wattree.db";
  constexpr int kEach = 40;
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() != 0) continue;
    const auto store = open(file);  // All at once: one of them makes the tables.
    int failures = store.ok() ? 0 : 1;
    for (int i = 0; store.ok() && i < kEach; ++i) {
      failures += store.value()->add({fresh("same")}).ok() ? 0 : 1;
    }
    ::_exit(failures);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(open(file).value()->list({}).value().total, 3 * kEach);
  EXPECT_EQ(integrity(file), "ok");
}

TEST(StoreRobustness, TwoProgramsTakeAFolderInAtOnce) {
  const TestFolder folder;
  const fs::path file = folder.path() / "wattree.db";
  for (int i = 0; i < 30; ++i) {
    folder.write(
        "profiles/p" + std::to_string(i) + ".json",
        R"({"format":"wattree-profile","version":1,"name":"x","hardware":[],"epochs":[]})");
  }
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() != 0) continue;
    const auto store = open(file);
    ::_exit(store.ok() && take_in(folder.path() / "profiles", *store.value(), UtcTime()).ok() ? 0
                                                                                              : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(open(file).value()->list({}).value().total, 32);
}

// Runs as a user whom permissions bind, also where the tests are root's.
class AsNobody {
 public:
  explicit AsNobody(const fs::path& folder) {
    if (::geteuid() != 0) return;
    constexpr uid_t kNobody = 65534;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      EXPECT_EQ(::chown(entry.path().c_str(), kNobody, kNobody), 0);
    }
    EXPECT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(::seteuid(kNobody), 0);
    was_root_ = true;
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }

 private:
  bool was_root_ = false;
};

TEST(StoreRobustness, AFolderThatCannotBeWrittenToIsReadAllTheSame) {
  const TestFolder folder;
  const fs::path place = folder.path() / "place", file = place / "wattree.db";
  ASSERT_TRUE(open(file).value()->add({fresh("kept")}).ok());
  {
    const AsNobody nobody(folder.path());
    if (std::error_code ignored; !fs::exists(file, ignored)) {
      GTEST_SKIP() << "another user cannot enter the folder for temporary files";
    }
    fs::permissions(file, fs::perms::owner_read);
    fs::permissions(place, fs::perms::owner_read | fs::perms::owner_exec);
    const auto store = open(file, StoreAccess::kRead);
    EXPECT_TRUE(store.ok() && store.value()->find("kept").ok());
    EXPECT_TRUE(store.ok() && take_in(folder.path() / "none", *store.value(), UtcTime()).ok());
    const auto writing = open(file, StoreAccess::kWrite);
    EXPECT_EQ(writing.ok() ? ErrorCode::kInternal : writing.error().code, ErrorCode::kPermission)
        << (writing.ok() ? "" : writing.error().message);
    EXPECT_EQ(open(place / "new/wattree.db").error().code, ErrorCode::kPermission);
    fs::permissions(place, fs::perms::owner_all);
  }
}

TEST(StoreRobustness, AFullDiskChangesNothing) {
  const TestFolder folder;
  const fs::path disk = folder.path() / "disk";
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=512k") != 0) {
    GTEST_SKIP() << "a disk of 512 kB cannot be mounted here: it takes root";
  }
  {
    const fs::path file = disk / "wattree.db";
    const auto store = open(file);
    EXPECT_TRUE(store.ok());
    std::int64_t kept = 0;
    Status failure;
    Random random(1);
    while (failure.ok() && kept < 10'000) {
      NewProfile next = fresh("p" + std::to_string(kept));
      for (int i = 0; i < 2'000; ++i)
        next.profile.notes += static_cast<char>(random.uniform(35, 90));
      const auto added = store.value()->add({next});
      if (added.ok()) {
        ++kept;
      } else {
        failure = added.error();
      }
    }
    EXPECT_FALSE(failure.ok());
    EXPECT_EQ(failure.error().code, ErrorCode::kUnavailable) << failure.error().message;
    EXPECT_NE(failure.error().message.find("disk"), std::string::npos) << failure.error().message;
    EXPECT_GT(kept, 10);
    EXPECT_EQ(store.value()->list({}).value().total, kept);
    EXPECT_FALSE(store.value()->backup(disk / "backup").ok());
    EXPECT_FALSE(fs::exists(disk / "backup"));
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST(StoreRobustness, ADamagedFileIsAnErrorAndStaysWhereItIs) {
  const TestFolder folder;
  const fs::path file = folder.write("wattree.db", "this was never a database, whatever its name");
  for (const StoreAccess access : {StoreAccess::kRead, StoreAccess::kWrite}) {
    const auto store = open(file, access);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(store.error().message.find("damaged"), std::string::npos) << store.error().message;
    EXPECT_NE(store.error().hint.find("restore"), std::string::npos);
  }
  EXPECT_EQ(folder.read("wattree.db"), "this was never a database, whatever its name");
}

TEST(StoreRobustness, ADamagedPageIsAnErrorToo) {
  const TestFolder folder;
  const fs::path file = folder.path() / "wattree.db", backup = folder.path() / "backup";
  {
    const auto store = open(file);
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(store.value()->add({fresh("p" + std::to_string(i), 40)}).ok());
    }
    ASSERT_TRUE(store.value()->backup(backup).ok());
  }
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(4096);
    bytes << std::string(fs::file_size(file) - 4096, 'x');
  }
  const auto store = open(file);
  if (store.ok()) {
    const auto page = store.value()->list({});
    ASSERT_FALSE(page.ok());
    EXPECT_NE(page.error().message.find("damaged"), std::string::npos) << page.error().message;
  }
  // The backup takes its place, and the damaged file is kept.
  const auto kept = sqlite_stores().restore(backup, file);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_TRUE(fs::exists(kept.value()));
  EXPECT_EQ(open(file).value()->list({}).value().total, 50);
}

TEST(StoreRobustness, FilesOfNewerAndOfOtherProgramsAreRefused) {
  const TestFolder folder;
  const fs::path file = folder.path() / "wattree.db";
  ASSERT_TRUE(open(file).value()->add({fresh("x")}).ok());
  {
    const auto database = Database::open(file, DatabaseMode::kExisting);
    database.value()->run("PRAGMA user_version = 1000");
    ASSERT_TRUE(database.value()->take_failure().ok());
  }
  const auto newer = open(file);
  ASSERT_FALSE(newer.ok());
  EXPECT_NE(newer.error().message.find("newer wattree"), std::string::npos);
  EXPECT_FALSE(open(file, StoreAccess::kRead).ok());
  const fs::path other = folder.path() / "other.db";
  {
    const auto database = Database::open(other, DatabaseMode::kCreate);
    database.value()->run("CREATE TABLE songs (title TEXT)");
    ASSERT_TRUE(database.value()->take_failure().ok());
  }
  const auto foreign = open(other);
  ASSERT_FALSE(foreign.ok());
  EXPECT_NE(foreign.error().message.find("another program"), std::string::npos);
  EXPECT_FALSE(sqlite_stores().restore(other, file).ok());
}

TEST(StoreRobustness, ABackupIsMadeAndBroughtBackWhileOthersHaveTheFileOpen) {
  const TestFolder folder;
  const fs::path file = folder.path() / "wattree.db", backup = folder.path() / "my backup?#%.db";
  const auto store = open(file).value();
  ASSERT_TRUE(store->add({fresh("before")}).ok());
  ASSERT_TRUE(store->backup(backup).ok());
  EXPECT_EQ(store->backup(backup).error().field, "file");  // None is overwritten.
  ASSERT_TRUE(store->add({fresh("after")}).ok());
  const auto kept = sqlite_stores().restore(backup, file);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_TRUE(store->find("before").ok());  // By the connection that was open all the time.
  EXPECT_EQ(store->find("after").error().code, ErrorCode::kNotFound);
  const auto former = open(kept.value());
  EXPECT_TRUE(former.ok() && former.value()->find("after").ok());
  ASSERT_TRUE(store->add({fresh("more")}).ok());
  EXPECT_EQ(integrity(file), "ok");
  EXPECT_FALSE(sqlite_stores().restore(folder.path() / "none", file).ok());
  EXPECT_FALSE(sqlite_stores().restore(folder.write("empty", ""), file).ok());
  EXPECT_TRUE(store->find("more").ok());
}

TEST(StoreRobustness, ABackupWhereNothingCanBeWrittenIsAnErrorThatNamesIt) {
  const TestFolder folder;
  const auto store = open(folder.path() / "wattree.db").value();
  const fs::path locked = folder.path() / "locked";
  fs::create_directory(locked);
  fs::permissions(locked, fs::perms::none);
  {
    const NotRoot somebody;
    const Status failure = store->backup(locked / "in" / "x");
    ASSERT_FALSE(failure.ok());
    EXPECT_EQ(failure.error().code, ErrorCode::kPermission);
    EXPECT_NE(failure.error().message.find((locked / "in" / "x").string()), std::string::npos);
  }
  fs::permissions(locked, fs::perms::owner_all);
  // The working folder has been deleted meanwhile.
  const fs::path before = fs::current_path();
  fs::current_path(locked);
  fs::remove(locked);
  const Status failure = store->backup("x.db");
  fs::current_path(before);
  ASSERT_FALSE(failure.ok());
  EXPECT_EQ(failure.error().code, ErrorCode::kNotFound);
  EXPECT_NE(failure.error().message.find("x.db"), std::string::npos) << failure.error().message;
}

TEST(StoreRobustness, FilesOfEveryEarlierVersionAreBroughtForward) {
  // tests/data/stores/N.sql makes a file of version N, as that version wrote it.
  for (int version = 1; version <= store_version(); ++version) {
    const TestFolder folder;
    const fs::path file = folder.path() / "wattree.db";
    const std::string name = WATTREE_SOURCE_DIR "/tests/data/stores/" + std::to_string(version);
    std::ifstream script(name + ".sql");
    const std::string sql{std::istreambuf_iterator<char>(script), {}};
    ASSERT_FALSE(sql.empty()) << name;
    {
      const auto database = Database::open(file, DatabaseMode::kCreate);
      database.value()->run(sql.c_str());
      ASSERT_TRUE(database.value()->take_failure().ok()) << name;
      ASSERT_EQ(database.value()->number("PRAGMA user_version"), version);
    }
    const auto store = open(file);
    ASSERT_TRUE(store.ok()) << store.error().message;
    const Result<KeptProfile> kept = store.value()->find("small");
    ASSERT_TRUE(kept.ok()) << kept.error().message;
    EXPECT_EQ(kept.value().summary.energy, Joules(26'000));
    EXPECT_EQ(kept.value().profile.steps.at(0).name, "forward");
    EXPECT_EQ(kept.value().summary.tags, (std::vector<std::string>{"old", "paper"}));
    ProfileQuery deleted;
    deleted.is_deleted = true;
    EXPECT_EQ(store.value()->list(deleted).value().total, 1);
    const auto database = Database::open(file, DatabaseMode::kExisting);
    EXPECT_EQ(database.value()->number("PRAGMA user_version"), store_version());
  }
}

}  // namespace
}  // namespace wattree
