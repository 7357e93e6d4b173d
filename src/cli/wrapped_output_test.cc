#include "src/cli/wrapped_output.h"

#include <gtest/gtest.h>

#include <sstream>

#include "src/report/table/quantity.h"

namespace wattree {
namespace {

TEST(WrappedOutput, KeepsLinesThatFit) {
  EXPECT_EQ(wrapped("a  b", 40), "a  b");
  EXPECT_EQ(wrapped("", 40), "");
}

TEST(WrappedOutput, BreaksUnderTheLastColumn) {
  EXPECT_EQ(wrapped("energy   2.5 kWh  from the meter of the rack that it stands in", 42),
            "energy   2.5 kWh  from the meter of the\n"
            "                  rack that it stands in");
}

TEST(WrappedOutput, BreaksTextAfterASmallIndent) {
  EXPECT_EQ(wrapped("one two three four five six seven", 20),
            "one two three four\n"
            "    five six seven");
}

TEST(WrappedOutput, LosesNoWord) {
  const std::string line =
      "  encoder.layer.11  BertLayer  ×12  1.23 mJ  ±6.8 %  ▇▇▇▇▇  "
      "a-word-that-is-longer-than-any-line";
  for (std::size_t width = 20; width < 120; ++width) {
    std::string words = wrapped(line, width);
    std::string expected = line;
    for (std::string* text : {&words, &expected}) {
      std::istringstream in(*text);
      std::string word;
      std::string joined;
      while (in >> word) joined += word + " ";
      *text = joined;
    }
    EXPECT_EQ(words, expected) << width;
  }
}

TEST(WrappedOutput, WritesWhatIsNotALineYet) {
  std::ostringstream out;
  {
    WrappedOutput buffer(out, 20);
    std::ostream wrapping(&buffer);
    wrapping << "one two three four five\nsix" << std::flush;
    EXPECT_EQ(out.str(), "one two three four\n    five\nsix");
    wrapping << " seven";
  }
  EXPECT_EQ(out.str(), "one two three four\n    five\nsix seven");
}

}  // namespace
}  // namespace wattree
