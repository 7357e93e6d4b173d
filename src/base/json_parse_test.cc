#include "src/base/json_parse.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace wattree {
namespace {

using Json = nlohmann::json;

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(JsonParse, GivesWhatTheLibraryGives) {
  for (const char* text :
       {"null", "true", "-3", "18446744073709551615", "1.5e-7", "\"a\\u00e9\\n\"", "[]", "{}",
        R"({"a":[1,{"b":null},[]],"a":2,"c":{"d":[[],[0]]}})"}) {
    EXPECT_EQ(parse_json(text, "t").value(), Json::parse(text)) << text;
  }
}

TEST(JsonParse, ErrorsNameTheTextAndThePlace) {
  EXPECT_EQ(parse_json(" \n", "f.json").error().message, "f.json: it is empty");
  for (const char* text : {"{", "[1,]", "{\"a\":}", "nul", "1 2", "\"\xff\"", "1e999", "{'a':1}"}) {
    const std::string message = parse_json(text, "f.json").error().message;
    EXPECT_EQ(message.find("f.json: not valid JSON: "), 0u) << message;
  }
  EXPECT_NE(parse_json("{\n!", "f").error().message.find("line 2, column 1"), std::string::npos);
}

TEST(JsonParse, NestingIsBounded) {
  EXPECT_TRUE(parse_json(repeated("[", 64) + repeated("]", 64), "t").ok());
  const auto deep = parse_json(repeated("[", 1'000'000), "t");
  EXPECT_EQ(deep.error().message, "t: nested more than 64 levels deep");
  EXPECT_FALSE(parse_json(repeated("{\"a\":", 65) + "1" + repeated("}", 65), "t").ok());
}

TEST(JsonParse, TakesTimeInProportionToTheText) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_json("[{}" + repeated(",{}", 299'999) + "]", "t").value().size(), 300'000u);
  // A search of all neighbours at the end of each would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(JsonParse, HandsElementsOverOneByOne) {
  std::vector<std::string> seen;
  const auto take = [&](const Json& element, std::size_t index) {
    seen.push_back(std::to_string(index) + element.dump());
  };
  const std::string text =
      R"({"a":[9],"long":[{"long":[1]},2,[3]],"below":{"long":[4]},"b":{"c":1}})";
  const Result<Json> rest = parse_json(text, "t", "long", take);
  EXPECT_EQ(rest.value(), Json::parse(R"({"a":[9],"long":[],"below":{"long":[4]},"b":{"c":1}})"));
  EXPECT_EQ(seen, (std::vector<std::string>{R"(0{"long":[1]})", "12", "2[3]"}));
  seen.clear();
  // An object of that name is no array.
  EXPECT_EQ(parse_json(R"({"long":{"x":[1]}})", "t", "long", take).value()["long"]["x"], Json({1}));
  EXPECT_EQ(parse_json(R"([[1]])", "t", "long", take).value(), Json::parse("[[1]]"));
  EXPECT_TRUE(seen.empty());
}

TEST(JsonParse, KnowsWhatADocumentTakes) {
  // An array of a million numbers: 16 bytes for each, and as much again where it has grown.
  EXPECT_GT(document_bytes("[1" + repeated(",1", 999'999) + "]"), 30'000'000u);
  EXPECT_GT(document_bytes("[[]" + repeated(",[]", 999'999) + "]"), 60'000'000u);
  // Text is what it is, whatever stands in it.
  EXPECT_LT(document_bytes("[\"" + repeated(",[{:\\\"", 1000) + "\"]"), 8000u);
}

TEST(JsonParse, FindsAFieldWithoutReadingAll) {
  const std::vector<std::string_view> names{"format", "serverData"};
  EXPECT_EQ(first_field(R"({"x":{"format":1},"serverData":{)", names), "serverData");
  EXPECT_EQ(first_field(R"({"x":[{"format":1}],"y":2})", names), "");
  EXPECT_EQ(first_field(R"([{"format":1}])", names), "");
  EXPECT_EQ(first_field("", names), "");
  EXPECT_EQ(first_field("3", names), "");
}

}  // namespace
}  // namespace wattree
