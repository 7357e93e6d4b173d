#include "src/base/line_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

// "number:line" of every line; "too long" and the failure's message where there are such.
std::vector<std::string> read_all(const std::filesystem::path& path, std::size_t limit = 100) {
  Result<LineReader> opened = LineReader::open(path, limit);
  if (!opened.ok()) return {opened.error().message};
  LineReader lines = std::move(opened).value();
  std::vector<std::string> out;
  for (;;) {
    switch (lines.next()) {
      case LineReader::Found::kEnd: return out;
      case LineReader::Found::kFailed: out.push_back(lines.failure().error().message); return out;
      case LineReader::Found::kTooLong:
        out.push_back(std::to_string(lines.number()) + " is too long");
        break;
      case LineReader::Found::kLine:
        out.push_back(std::to_string(lines.number()) + ":" + std::string(lines.line()));
    }
  }
}

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

using Lines = std::vector<std::string>;

TEST(LineReader, ReadsLinesWithEveryLineEnd) {
  const TestFolder folder;
  EXPECT_EQ(read_all(folder.write("a", "one\ntwo\r\n\nfour")),
            (Lines{"1:one", "2:two", "3:", "4:four"}));
  EXPECT_EQ(read_all(folder.write("b", "\xef\xbb\xbfone\n")), (Lines{"1:one"}));
  EXPECT_EQ(read_all(folder.write("c", "")), Lines{});
  EXPECT_EQ(read_all(folder.write("d", "\n")), (Lines{"1:"}));
}

TEST(LineReader, PassesOverLinesThatAreTooLong) {
  const TestFolder folder;
  const std::string just(100, 'x');
  for (const std::size_t length : {101, 102, 300'000, 1'000'000}) {
    const std::string text = "a\n" + std::string(length, 'y') + "\n" + just + "\r\nb";
    EXPECT_EQ(read_all(folder.write("f", text)),
              (Lines{"1:a", "2 is too long", "3:" + just, "4:b"}))
        << length;
  }
  EXPECT_EQ(read_all(folder.write("f", std::string(600'000, 'y'))), (Lines{"1 is too long"}));
}

TEST(LineReader, LinesMayBeLongerThanAChunk) {
  const TestFolder folder;
  std::string text;
  for (int i = 0; i < 20; ++i) text += std::string(100'000, static_cast<char>('a' + i)) + "\n";
  const Lines lines = read_all(folder.write("f", text), 1'000'000);
  ASSERT_EQ(lines.size(), 20U);
  EXPECT_EQ(lines[19], "20:" + std::string(100'000, 't'));
}

TEST(LineReader, ReadsGzip) {
  const TestFolder folder;
  write_gzip(folder.path() / "f.gz", "one\ntwo\n");
  EXPECT_EQ(read_all(folder.path() / "f.gz"), (Lines{"1:one", "2:two"}));
  // Cut off, it is damaged, and its last lines cannot be trusted.
  const std::string packed = folder.read("f.gz");
  const auto cut = folder.write("cut.gz", packed.substr(0, packed.size() - 6));
  EXPECT_EQ(read_all(cut).back(), cut.string() + ": the gzip data is damaged or cut off");
}

TEST(LineReader, SaysWhatItCannotOpen) {
  const TestFolder folder;
  EXPECT_EQ(
      read_all(folder.path() / "no"),
      (Lines{"cannot open " + (folder.path() / "no").string() + ": No such file or directory"}));
  EXPECT_EQ(LineReader::open(folder.path(), 100).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(read_all(folder.path()),
            (Lines{"cannot read " + folder.path().string() + ": Is a directory"}));
}

}  // namespace
}  // namespace wattree
