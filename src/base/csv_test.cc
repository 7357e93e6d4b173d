#include "src/base/csv.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Every row after the header; what went wrong is the last row.
Rows read_all(std::string text) {
  CsvReader csv(std::move(text), "t.csv");
  Rows rows;
  while (csv.next()) rows.emplace_back(csv.row().begin(), csv.row().end());
  if (!csv.failure().ok()) rows.push_back({csv.failure().error().message});
  return rows;
}

TEST(Csv, ReadsPlainFields) { EXPECT_EQ(read_all("a,b\n1,\n,2"), (Rows{{"1", ""}, {"", "2"}})); }

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  EXPECT_EQ(read_all("a,b\n\"x,y\",\"say \"\"hi\"\"\nthere\"\n3,\"\"\n"),
            (Rows{{"x,y", "say \"hi\"\nthere"}, {"3", ""}}));
}

TEST(Csv, LineEndsOfWindowsABomAndBlankLines) {
  EXPECT_EQ(read_all("\xef\xbb\xbf"
                     "a,b\r\n\r\n1,\"2\"\r\n\n3,4\r\n"),
            (Rows{{"1", "2"}, {"3", "4"}}));
}

TEST(Csv, ErrorsNameTheLineWhereTheRowBegins) {
  EXPECT_EQ(read_all("a,b\n\"1\n2\",x\n\n1,2,3\n"),
            (Rows{{"1\n2", "x"}, {"t.csv:5: the header has 2 fields, this row 3"}}));
  EXPECT_EQ(read_all("a\n1\n\"2\n"), (Rows{{"1"}, {"t.csv:3: a quoted field is not closed"}}));
  EXPECT_EQ(read_all("a\n\"1\"x\n"), (Rows{{"t.csv:2: text stands after a closing quote"}}));
  EXPECT_EQ(read_all(""), (Rows{{"t.csv:1: there is no header line"}}));
}

TEST(Csv, FindsColumnsByName) {
  const CsvReader csv("time_s,power_w\n", "t.csv");
  EXPECT_EQ(csv.columns({"power_w", "time_s"}).value(), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(csv.columns({"power_w", "energy_j"}).error().message,
            "t.csv: there is no column \"energy_j\"");
  EXPECT_FALSE(csv.column("energy_j"));
}

TEST(Csv, FieldsLiveAsLongAsTheReader) {
  CsvReader csv("a\n\"o\"\"ne\"\ntwo\n", "t.csv");
  ASSERT_TRUE(csv.next());
  const std::string_view first = csv.row()[0];
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(first, "o\"ne");
}

TEST(Csv, NumbersAreWholeFieldsAndFinite) {
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  for (const char* bad : {"", " 1", "1 ", "1x", "nan", "inf", "1e999", "0x10"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(Csv, WrittenFieldsReadBack) {
  for (const std::string text : {"plain", "a,b", "q\"q", "line\nend", "cr\r", ""}) {
    EXPECT_EQ(read_all("a,b\nx," + csv_field(text) + "\n"), (Rows{{"x", text}})) << text;
  }
}

}  // namespace
}  // namespace wattree
