#include "src/runs/live/journal_follower.h"

#include <gtest/gtest.h>

#include <fstream>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

using Found = JournalFollower::Found;

std::string note(int number) { return to_line(RunNote{number, "note " + std::to_string(number)}); }

// The lines of a journal, header included.
std::string journal_of(int records) {
  std::uint32_t checksum = 0;
  std::string out = std::string(kJournalHeader) + "\n";
  for (int i = 1; i <= records; ++i) out += journal_line(note(i), checksum);
  return out;
}

class JournalFollowing : public ::testing::Test {
 protected:
  Found read() {
    return follower_.read(
        [&](const Record& record) { taken_.push_back(std::get<RunNote>(record).at); });
  }
  void append(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::app) << bytes;
  }
  std::vector<Nanos> taken() { return std::exchange(taken_, {}); }

  TestFolder folder_;
  std::filesystem::path path_ = folder_.path() / "run.journal";
  JournalFollower follower_{path_};
  std::vector<Nanos> taken_;
};

TEST_F(JournalFollowing, ReadsOnlyWhatWasAppended) {
  EXPECT_EQ(read(), Found::kNoFile);
  const std::string all = journal_of(3);
  const std::string two = journal_of(2);
  append(two);
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), (std::vector<Nanos>{1, 2}));
  EXPECT_EQ(read(), Found::kNothing);
  append(all.substr(two.size()));
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), std::vector<Nanos>{3});
  EXPECT_EQ(follower_.bytes(), all.size());
  EXPECT_EQ(follower_.bytes_from(two.size(), 1000), all.substr(two.size()));
}

TEST_F(JournalFollowing, EveryByteByItself) {
  const std::string all = journal_of(4);
  std::vector<Nanos> whole;
  for (const char byte : all) {
    append({&byte, 1});
    read();
    for (const Nanos at : taken()) whole.push_back(at);
    EXPECT_EQ(follower_.damage(), "");
  }
  EXPECT_EQ(whole, (std::vector<Nanos>{1, 2, 3, 4}));
}

// A writer without room takes half a record back and writes another one there.
TEST_F(JournalFollowing, HalfALineThatIsTakenBackWasNeverThere) {
  const std::string one = journal_of(1);
  append(one + "0123abcd {\"record\":\"no");
  EXPECT_EQ(read(), Found::kRecords);
  std::filesystem::resize_file(path_, one.size());
  EXPECT_EQ(read(), Found::kNothing);
  append(journal_of(2).substr(one.size()));
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), (std::vector<Nanos>{1, 2}));
}

TEST_F(JournalFollowing, AFileThatIsCutOffOrReplacedBeginsAnew) {
  append(journal_of(3));
  read();
  taken();
  std::filesystem::resize_file(path_, journal_of(1).size());
  EXPECT_EQ(read(), Found::kAnother);
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), std::vector<Nanos>{1});
  folder_.write("other", journal_of(2));
  std::filesystem::rename(folder_.path() / "other", path_);
  EXPECT_EQ(read(), Found::kAnother);
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), (std::vector<Nanos>{1, 2}));
}

TEST_F(JournalFollowing, AFileThatIsRemovedIsReadToItsEnd) {
  append(journal_of(1));
  read();
  taken();
  append(journal_of(2).substr(journal_of(1).size()));
  std::filesystem::remove(path_);
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), std::vector<Nanos>{2});
}

TEST_F(JournalFollowing, DamageEndsTheReadingAndIsTold) {
  std::string bytes = journal_of(3);
  bytes[journal_of(1).size() + 12] ^= 1;
  append(bytes);
  read();
  EXPECT_EQ(taken(), std::vector<Nanos>{1});
  EXPECT_NE(follower_.damage().find("checksum"), std::string::npos);
}

TEST_F(JournalFollowing, ARecordOfANewerProgramIsLeftOut) {
  std::uint32_t checksum = 0;
  append(std::string(kJournalHeader) + "\n");
  append(journal_line(note(1), checksum));
  append(journal_line(R"({"record":"weather","at_ns":5})", checksum));
  append(journal_line(note(2), checksum));
  EXPECT_EQ(read(), Found::kRecords);
  EXPECT_EQ(taken(), (std::vector<Nanos>{1, 2}));
  EXPECT_NE(follower_.damage(), "");
}

}  // namespace
}  // namespace wattree
