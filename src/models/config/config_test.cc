#include "src/models/config/config.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

Config parsed(std::string_view json) { return Config::parse(json, "test.json").value(); }

// A config with the status that its reader reports to.
struct Read {
  explicit Read(std::string_view json) : config(parsed(json)), reader(config, failure) {}
  Config config;
  Status failure;
  ConfigReader reader;
};

constexpr std::int64_t kLargest = std::int64_t{1} << 40;

TEST(Config, IsAJsonObject) {
  for (const char* text : {"", "{", "[1]", "null", "\"bert\""}) {
    const Result<Config> config = Config::parse(text, "test.json");
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(config.error().field, "config");
    EXPECT_TRUE(config.error().message.starts_with("test.json: ")) << config.error().message;
    EXPECT_NE(config.error().hint, "");
  }
  EXPECT_EQ(parsed("{}").origin(), "test.json");
}

TEST(Config, AbsentAndNullFieldsHaveTheDefault) {
  for (const char* json : {"{}", R"({"n": null})"}) {
    Read of(json);
    EXPECT_FALSE(of.reader.has({"n"})) << json;
    EXPECT_EQ(of.reader.size({"n"}, 7), 7) << json;
    EXPECT_EQ(of.reader.count({"n"}, 0), 0) << json;
    EXPECT_EQ(of.reader.layers({"n"}, 12), 12) << json;
    EXPECT_TRUE(of.reader.flag({"n"}, true)) << json;
    EXPECT_EQ(of.reader.number({"n"}, 0.5), 0.5) << json;
    EXPECT_EQ(of.reader.text({"n"}, "gelu"), "gelu") << json;
    EXPECT_EQ(of.reader.optional_text({"n"}), std::nullopt) << json;
    EXPECT_TRUE(of.reader.text_list({"n"}).empty()) << json;
    EXPECT_TRUE(of.reader.number_list({"n"}).empty()) << json;
    EXPECT_FALSE(of.reader.object("n").has_value()) << json;
    EXPECT_EQ(of.reader.object_size("n"), 0) << json;
    EXPECT_TRUE(of.failure.ok()) << json;
  }
}

TEST(Config, WhereNullMeansNoneItIsNotTheDefault) {
  Read absent("{}");
  EXPECT_EQ(absent.reader.optional_size({"window"}, 4096), 4096);
  EXPECT_TRUE(absent.reader.has({"window"}, true));
  Read null(R"({"window": null})");
  EXPECT_EQ(null.reader.optional_size({"window"}, 4096), std::nullopt);
  EXPECT_FALSE(null.reader.has({"window"}, true));
  Read given(R"({"window": 128})");
  EXPECT_EQ(given.reader.optional_size({"window"}, 4096), 128);
  EXPECT_TRUE(given.reader.has({"window"}, false));
}

TEST(Config, TheFirstSpellingThatIsThereCounts) {
  Read old(R"({"n_layer": 3})");
  EXPECT_EQ(old.reader.layers({"num_hidden_layers", "n_layer"}, 12), 3);
  Read both(R"({"n_layer": 3, "num_hidden_layers": 5})");
  EXPECT_EQ(both.reader.layers({"num_hidden_layers", "n_layer"}, 12), 5);
  Read null(R"({"n_layer": 3, "num_hidden_layers": null})");
  EXPECT_EQ(null.reader.layers({"num_hidden_layers", "n_layer"}, 12), 3);
  // A complaint names the spelling that the file has.
  Read wrong(R"({"n_layer": "three"})");
  wrong.reader.layers({"num_hidden_layers", "n_layer"}, 12);
  EXPECT_EQ(wrong.failure.error().field, "config.n_layer");
}

std::string complaint(std::string_view json,
                      std::int64_t (ConfigReader::*read)(ConfigReader::Names, std::int64_t)) {
  Read of(json);
  (of.reader.*read)({"n"}, 1);
  return of.failure.ok() ? "" : of.failure.error().message;
}

TEST(Config, NumbersHaveBounds) {
  const auto size = &ConfigReader::size;
  EXPECT_EQ(complaint(R"({"n": 1})", size), "");
  EXPECT_EQ(complaint(R"({"n": 1099511627776})", size), "");  // 2^40
  EXPECT_EQ(complaint(R"({"n": 12.0})", size), "");
  const std::string range = "; it must be between 1 and " + std::to_string(kLargest);
  EXPECT_EQ(complaint(R"({"n": 0})", size), "test.json: field \"n\" is 0" + range);
  EXPECT_EQ(complaint(R"({"n": -1})", size), "test.json: field \"n\" is -1" + range);
  EXPECT_EQ(complaint(R"({"n": 1099511627777})", size),
            "test.json: field \"n\" is 1099511627777" + range);
  for (const char* huge : {R"({"n": 18446744073709551615})", R"({"n": 1e300})"}) {
    EXPECT_NE(complaint(huge, size).find(range), std::string::npos) << huge;
  }
  EXPECT_EQ(complaint(R"({"n": 1.5})", size),
            "test.json: field \"n\" must be a whole number, not 1.5");
  EXPECT_EQ(complaint(R"({"n": true})", size),
            "test.json: field \"n\" must be a whole number, not true");

  EXPECT_EQ(complaint(R"({"n": 0})", &ConfigReader::count), "");
  EXPECT_NE(complaint(R"({"n": -1})", &ConfigReader::count), "");
  EXPECT_EQ(complaint(R"({"n": 20000})", &ConfigReader::layers), "");
  EXPECT_EQ(complaint(R"({"n": 20001})", &ConfigReader::layers),
            "test.json: field \"n\" is 20001; at most 20000 layers are supported");
}

TEST(Config, ValuesOfAnotherKindAreComplaints) {
  const auto field_after = [](const auto& read) {
    Read of(R"({"text": "a", "list": [1, "b"], "one": 1})");
    read(of.reader);
    return of.failure.ok() ? "" : of.failure.error().field;
  };
  EXPECT_EQ(field_after([](ConfigReader& r) { r.flag({"one"}, false); }), "config.one");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.number({"text"}, 1); }), "config.text");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.text({"one"}, ""); }), "config.one");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.text_list({"text"}); }), "config.text");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.text_list({"list"}); }), "config.list");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.number_list({"list"}); }), "config.list");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.object("text"); }), "config.text");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.divide(64, 7, "hidden", "one"); }), "config.one");
  EXPECT_EQ(field_after([](ConfigReader& r) { r.divide(64, 0, "hidden", "one"); }), "config.one");
  EXPECT_EQ(field_after([](ConfigReader& r) { EXPECT_EQ(r.divide(64, 8, "hidden", "one"), 8); }),
            "");
}

TEST(Config, RepeatedTextsAreWrittenOut) {
  Read good(R"({"kinds": [[["a", "b"], 2], [["c"], 1]]})");
  EXPECT_EQ(good.reader.repeated_texts({"kinds"}),
            (std::vector<std::string>{"a", "b", "a", "b", "c"}));
  EXPECT_TRUE(good.failure.ok());
  for (const char* bad :
       {R"({"kinds": ["a"]})", R"({"kinds": [[["a"], -1]]})", R"({"kinds": [[["a"], 20001]]})",
        R"({"kinds": 3})", R"({"kinds": [[["a", "b"], 20000]]})"}) {
    Read of(bad);
    EXPECT_TRUE(of.reader.repeated_texts({"kinds"}).empty()) << bad;
    EXPECT_FALSE(of.failure.ok()) << bad;
  }
}

TEST(Config, TheFirstFailureIsKept) {
  Read of(R"({"a": -1, "b": "x", "part": {"c": 0}})");
  EXPECT_TRUE(of.reader.ok());
  EXPECT_EQ(of.reader.size({"a"}, 5), 1);  // Harmless: the family reads on.
  ConfigReader copy = of.reader;
  copy.size({"b"}, 5);
  of.reader.part("part").size({"c"}, 5);
  of.reader.reject("d", "is wrong, too");
  EXPECT_FALSE(copy.ok());
  EXPECT_EQ(of.reader.failure().error().field, "config.a");
}

TEST(Config, NestedFieldsAreNamedWithTheirPath) {
  Read of(R"({"text_config": {"rope": {"factor": "x"}}})");
  ConfigReader rope = of.reader.part("text_config").part("rope");
  rope.number({"factor"}, 1);
  EXPECT_EQ(of.failure.error().message,
            "test.json: field \"text_config.rope.factor\" must be a number, not \"x\"");
  EXPECT_EQ(of.failure.error().field, "config.text_config.rope.factor");
  Read empty("{}");
  EXPECT_EQ(empty.reader.part("text_config").size({"n"}, 9), 9);
  EXPECT_TRUE(empty.failure.ok());
}

TEST(Config, ARequestThatAsksTooMuchIsOfItsOwnField) {
  Read of(R"({"n_positions": 1024})");
  of.reader.reject_request("seq", "n_positions", "is 1024, but the sequence is longer");
  EXPECT_EQ(of.failure.error().field, "seq");
  EXPECT_EQ(of.failure.error().message,
            "test.json: field \"n_positions\" is 1024, but the sequence is longer");
}

TEST(Config, ReadersTellWhatWasAskedFor) {
  const Config config = parsed(R"({"n_layer": 1})");
  Status failure;
  std::set<std::string> asked;
  ConfigReader reader(config, failure, &asked);
  reader.layers({"num_hidden_layers", "n_layer"}, 1);
  reader.part("vision").size({"width"}, 1);
  EXPECT_EQ(asked,
            (std::set<std::string>{"num_hidden_layers", "n_layer", "vision", "vision.width"}));
}

std::int64_t layers_of(const Config& config) {
  Status failure;
  return ConfigReader(config, failure).layers({"n_layer"}, 12);
}

TEST(Config, WithChangesACopy) {
  const Config config = parsed(R"({"n_layer": 2})");
  const Config more = config.with("n_layer", "24").value();
  EXPECT_EQ(layers_of(more), 24);
  EXPECT_EQ(layers_of(config), 2);
  EXPECT_EQ(more.origin(), "test.json");
  EXPECT_EQ(layers_of(more.with("n_layer", "null").value()), 12);
}

TEST(Config, WithTakesJsonOrElseAString) {
  const Config config = parsed(R"({"part": 3})")
                            .with("act", "gelu")
                            .value()
                            .with("part.inner.list", "[1, 2]")  // 3 gives way to an object.
                            .value();
  EXPECT_EQ(config.fields(),
            (std::set<std::string>{"act", "part", "part.inner", "part.inner.list"}));
  Status failure;
  ConfigReader reader(config, failure);
  EXPECT_EQ(reader.text({"act"}, ""), "gelu");
  EXPECT_EQ(reader.part("part").part("inner").number_list({"list"}),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(Config, WithRefusesKeysThatMakeNoSense) {
  const Config config = parsed("{}");
  std::string deep = "a";
  for (int i = 0; i < 65; ++i) deep += ".a";
  const std::string nested = std::string(10'000, '[') + std::string(10'000, ']');
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"", "1"}, {deep, "1"}, {"n", nested}}) {
    const Result<Config> changed = config.with(key, value);
    ASSERT_FALSE(changed.ok()) << key.substr(0, 10);
    EXPECT_EQ(changed.error().field, "set");
  }
}

}  // namespace
}  // namespace wattree
