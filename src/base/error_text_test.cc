#include "src/base/error_text.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

std::string as_flag(std::string_view field) {
  return field == "dtype" || field == "on" ? "--" + std::string(field) : "";
}

TEST(ErrorText, NamesTheFieldsThatAShellKnows) {
  EXPECT_EQ(with_fields_named("choose with <dtype> or <on>", as_flag),
            "choose with --dtype or --on");
}

TEST(ErrorText, LeavesEverythingElseAsItIs) {
  for (const char* text :
       {"i64[16,128]<30522", "<script>", "a < b > c", "<>", "<dtype", "<Dtype>"}) {
    EXPECT_EQ(with_fields_named(text, as_flag), text);
  }
}

TEST(ErrorText, NamesTheFieldInEveryPartOfAnError) {
  const Error error = with_fields_named(
      {ErrorCode::kInvalidInput, "<dtype> is \"x\"", "leave <dtype> out", "dtype"}, as_flag);
  EXPECT_EQ(error.message, "--dtype is \"x\"");
  EXPECT_EQ(error.hint, "leave --dtype out");
  EXPECT_EQ(error.field, "--dtype");
}

TEST(ErrorText, WritesTheContract) {
  EXPECT_EQ(to_json(Error{ErrorCode::kNotFound, "no \"x\"", "try y", "model"}),
            "{\"error\":{\"code\":\"not_found\",\"message\":\"no \\\"x\\\"\",\"field\":\"model\","
            "\"hint\":\"try y\"}}\n");
  EXPECT_EQ(to_json(Error{ErrorCode::kInternal, "m", ""}),
            "{\"error\":{\"code\":\"internal\",\"message\":\"m\",\"hint\":\"\"}}\n");
}

}  // namespace
}  // namespace wattree
