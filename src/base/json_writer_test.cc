#include "src/base/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace wattree {
namespace {

TEST(JsonWriter, ListsOfTextsAreArrays) {
  JsonWriter out;
  out.begin_object();
  out.field("names", std::vector<std::string>{"a", "b\"c"});
  out.field("none", std::vector<std::string>{});
  out.end_object();
  EXPECT_EQ(out.take(), R"({"names":["a","b\"c"],"none":[]})");
}

TEST(JsonWriter, NestsAndSeparates) {
  JsonWriter out;
  out.begin_object();
  out.field("a", std::int64_t{1});
  out.key("b");
  out.begin_array();
  out.value(true);
  out.null();
  out.begin_object();
  out.end_object();
  out.end_array();
  out.field("c", "x");
  out.end_object();
  EXPECT_EQ(out.take(), R"({"a":1,"b":[true,null,{}],"c":"x"})");
}

TEST(JsonWriter, EscapesWhatJsonForbids) {
  JsonWriter out;
  out.value("a\"b\\c\n\x01");
  EXPECT_EQ(out.take(), R"("a\"b\\c\n\u0001")");
}

TEST(JsonWriter, ReplacesBytesThatAreNoUtf8) {
  JsonWriter out;
  out.value("\xc3\xa9 \xf0\x9f\x98\x80 \xff \xc3 \xed\xa0\x80");
  EXPECT_EQ(out.take(), "\"\xc3\xa9 \xf0\x9f\x98\x80 \\ufffd \\ufffd \\ufffd\\ufffd\\ufffd\"");
}

TEST(JsonWriter, NumbersReadBackTheSameAndNanIsNull) {
  JsonWriter out;
  out.begin_array();
  out.value(0.1);
  out.value(std::numeric_limits<double>::quiet_NaN());
  out.value(std::numeric_limits<std::int64_t>::max());
  out.end_array();
  EXPECT_EQ(out.take(), "[0.1,null,9223372036854775807]");
}

TEST(JsonWriter, NumbersThatFitNoIntegerHaveAnExponent) {
  JsonWriter out;
  out.begin_array();
  out.value(422771121426498846720.0);
  out.value(-18446744073709551616.0);
  out.value(4611686018427387904.0);
  out.end_array();
  EXPECT_EQ(out.take(), "[4.2277112142649885e+20,-1.8446744073709552e+19,4611686018427387904]");
}

TEST(JsonWriter, Indents) {
  JsonWriter out(2);
  out.begin_object();
  out.key("a");
  out.begin_array();
  out.value(std::int64_t{1});
  out.end_array();
  out.end_object();
  EXPECT_EQ(out.take(), "{\n  \"a\": [\n    1\n  ]\n}");
}

}  // namespace
}  // namespace wattree
