#include "src/runs/track/journal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

struct ReadBack {
  std::vector<std::string> records;
  JournalEnd end;
};
ReadBack read_back(const std::filesystem::path& path) {
  ReadBack out;
  const Result<JournalEnd> end = read_journal(path, [&](std::string_view record) {
    out.records.emplace_back(record);
    return true;
  });
  EXPECT_TRUE(end.ok()) << end.error().message;
  if (end.ok()) out.end = end.value();
  return out;
}

std::string write_records(const TestFolder& folder, const std::vector<std::string>& records) {
  {
    auto journal = JournalWriter::create(folder.path() / "a.journal");
    EXPECT_TRUE(journal.ok());
    for (const std::string& record : records) EXPECT_TRUE(journal.value()->append(record).ok());
  }
  return folder.read("a.journal");
}

// The checksums are those of `crc32` (zlib, polynomial 0xedb88320), the second run on from the
// first: python3 -c 'import zlib; a = zlib.crc32(b"one"); print("%08x %08x" % (a,
// zlib.crc32(b"two", a)))'
TEST(Journal, IsTextWithChecksumsThatRunOn) {
  TestFolder folder;
  EXPECT_EQ(write_records(folder, {"one", "two"}),
            "wattree-journal 1\n7a6c86f1 one\n8c118145 two\n");
}

TEST(Journal, ReadsWhatWasWritten) {
  TestFolder folder;
  std::vector<std::string> records;
  for (int i = 0; i < 5000; ++i) records.push_back("record " + std::to_string(i));
  const std::string text = write_records(folder, records);
  const ReadBack back = read_back(folder.path() / "a.journal");
  EXPECT_EQ(back.records, records);
  EXPECT_EQ(back.end.damage, "");
  EXPECT_EQ(back.end.good_bytes, text.size());
}

TEST(Journal, ATailTornAtAnyByteLosesItsRecordAlone) {
  TestFolder folder;
  const std::vector<std::string> records{"first", "second", "{\"the\":\"third\"}"};
  const std::string text = write_records(folder, records);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t length = last; length < text.size(); ++length) {
    const auto torn = folder.write("torn.journal", text.substr(0, length));
    const ReadBack back = read_back(torn);
    ASSERT_EQ(back.records, (std::vector<std::string>{"first", "second"})) << length;
    EXPECT_EQ(back.end.good_bytes, last);
    EXPECT_EQ(back.end.is_torn, length > last);
    EXPECT_EQ(back.end.damage.empty(), length == last);
  }
}

TEST(Journal, EveryChangedByteIsFoundAndWhatCameBeforeIsKept) {
  TestFolder folder;
  const std::string text = write_records(folder, {"first", "second", "third"});
  const std::size_t second = text.find('\n', text.find('\n') + 1) + 1;
  const std::size_t third = text.find('\n', second) + 1;
  for (std::size_t at = second; at < third; ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 0x04);
    const ReadBack back = read_back(folder.write("changed.journal", changed));
    EXPECT_EQ(back.records, std::vector<std::string>{"first"}) << at;
    EXPECT_NE(back.end.damage.find("byte " + std::to_string(second)), std::string::npos)
        << back.end.damage;
    EXPECT_FALSE(back.end.is_torn);
  }
  // A record that is gone shows too: the checksum runs on.
  const ReadBack back =
      read_back(folder.write("gone.journal", text.substr(0, second) + text.substr(third)));
  EXPECT_EQ(back.records, std::vector<std::string>{"first"});
  EXPECT_NE(back.end.damage, "");
}

TEST(Journal, OtherFilesAreRefusedAndNotRead) {
  TestFolder folder;
  for (const char* text : {"", "wattree-journal 2\n", "wattree-journal 1", "{}\n"}) {
    const Result<JournalEnd> end =
        read_journal(folder.write("x", text), [](std::string_view) { return true; });
    ASSERT_FALSE(end.ok()) << text;
    EXPECT_NE(end.error().message.find("is no journal"), std::string::npos);
  }
  EXPECT_FALSE(read_journal(folder.path() / "none", [](std::string_view) { return true; }).ok());
}

TEST(Journal, ARecordLongerThanAnyIsNotKeptInMemory) {
  TestFolder folder;
  const auto path = folder.write(
      "long.journal", "wattree-journal 1\n00000000 " + std::string(3 * kMaxJournalRecord, 'x'));
  const ReadBack back = read_back(path);
  EXPECT_TRUE(back.records.empty());
  EXPECT_NE(back.end.damage.find("longer"), std::string::npos);
}

TEST(Journal, WritesNeitherOverAnotherNorTwoLines) {
  TestFolder folder;
  auto journal = JournalWriter::create(folder.path() / "a.journal");
  ASSERT_TRUE(journal.ok());
  EXPECT_FALSE(JournalWriter::create(folder.path() / "a.journal").ok());
  EXPECT_FALSE(journal.value()->append("two\nlines").ok());
  EXPECT_FALSE(journal.value()->append(std::string(kMaxJournalRecord + 1, 'x')).ok());
  EXPECT_TRUE(is_being_written(folder.path() / "a.journal"));
  std::move(journal).value().reset();
  EXPECT_FALSE(is_being_written(folder.path() / "a.journal"));
}

// A full disk, as a limit on the size of files: it is hit in the middle of a record, lifted, and
// nothing is missing in the end.
TEST(Journal, AFullDiskDelaysRecordsAndTearsNothing) {
  TestFolder folder;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = before;
  little.rlim_cur = 100;
  std::vector<std::string> records;
  auto journal = JournalWriter::create(folder.path() / "a.journal");
  ASSERT_TRUE(journal.ok());
  int complaints = 0;
  for (int i = 0; i < 20; ++i) {
    records.push_back("a record of the run " + std::to_string(i));
    if (i == 2) {
      ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
    }
    if (i == 15) {
      EXPECT_TRUE(journal.value()->is_behind());
      const ReadBack back = read_back(folder.path() / "a.journal");
      EXPECT_EQ(back.records, (std::vector<std::string>{records[0], records[1]}));
      EXPECT_EQ(back.end.damage, "");
      ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    }
    complaints += journal.value()->append(records.back()).ok() ? 0 : 1;
  }
  EXPECT_EQ(complaints, 1);
  EXPECT_EQ(journal.value()->lost(), 0u);
  std::move(journal).value().reset();
  EXPECT_EQ(read_back(folder.path() / "a.journal").records, records);
}

// What append() has returned from survives the death of the program, whenever it comes.
TEST(Journal, KillingTheWriterLosesNothingThatWasAcknowledged) {
  for (int round = 0; round < 10; ++round) {
    TestFolder folder;
    int acknowledged[2];
    ASSERT_EQ(::pipe(acknowledged), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      auto journal = JournalWriter::create(folder.path() / "a.journal");
      for (std::uint32_t i = 0; journal.ok(); ++i) {
        if (!journal.value()->append("record " + std::to_string(i)).ok()) break;
        if (::write(acknowledged[1], &i, sizeof i) != sizeof i) break;
      }
      ::_exit(1);
    }
    ::close(acknowledged[1]);
    std::uint32_t last = 0;
    for (int i = 0; i < 100 + 37 * round; ++i) {
      ASSERT_EQ(::read(acknowledged[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
    }
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    while (::read(acknowledged[0], &last, sizeof last) == sizeof last) {
    }
    ::close(acknowledged[0]);
    const ReadBack back = read_back(folder.path() / "a.journal");
    ASSERT_GT(back.records.size(), last);
    for (std::size_t i = 0; i < back.records.size(); ++i) {
      ASSERT_EQ(back.records[i], "record " + std::to_string(i));
    }
  }
}

}  // namespace
}  // namespace wattree
