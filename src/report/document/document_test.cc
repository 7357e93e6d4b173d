#include "src/report/document/document.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string markdown_of(const std::string& paragraph) {
  return to_markdown({"T", {Paragraph{paragraph}}});
}

TEST(Document, MarkdownWrapsProseAndNoTable) {
  const std::string nine = repeated("123456789 ", 9);  // 10 cells each.
  EXPECT_EQ(markdown_of(nine + "123456789 ends"), "# T\n\n" + nine + "123456789\nends\n");
  EXPECT_EQ(markdown_of(nine + "1234567890 ends"), "# T\n\n" + nine + "1234567890\nends\n");
  EXPECT_EQ(markdown_of(nine + "12345678901 ends"),
            "# T\n\n" + nine.substr(0, 89) + "\n12345678901 ends\n");
  // Characters count, not bytes.
  EXPECT_EQ(markdown_of(nine + "××××××××××"), "# T\n\n" + nine + "××××××××××\n");
  const std::string cell = nine + nine;
  EXPECT_EQ(to_markdown({"T", {DocumentTable{{"a"}, {{cell}}, {}, false}}}),
            "# T\n\n| a |\n|---|\n| " + cell + " |\n");
}

TEST(Document, MentionsOfFieldsAreInTheShellsWords) {
  const Document document{"T", {Paragraph{"Written with <report> and <other>."}}};
  const auto flag = [](std::string_view field) {
    return field == "report" ? std::string("--report") : std::string();
  };
  EXPECT_EQ(to_markdown(with_fields_named(document, flag)),
            "# T\n\nWritten with --report and <other>.\n");
}

// As words of a sentence they are none of Markdown's.
TEST(Document, NoLineBeginsAList) {
  const std::string nine = repeated("123456789 ", 9);
  for (const std::string word : {"-", "+", "*", "#", "1.", "12)", "|"}) {
    const std::string text = markdown_of(nine + "123456789 " + word + " more words");
    EXPECT_EQ(text, "# T\n\n" + nine + "123456789 " + word + "\nmore words\n");
  }
  EXPECT_NE(markdown_of(nine + "123456789 1.5 words").find("\n1.5 words"), std::string::npos);
}

}  // namespace
}  // namespace wattree
