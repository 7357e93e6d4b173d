// The command line as a user meets it: output, errors and exit codes, without a network.
#include "src/cli/cli.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/base/test_folder.h"
#include "src/base/text.h"
#include "tests/support/fake_nvml.h"

namespace wattree {
namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code =
      run_cli(arguments, {out, err, [](const char* name) -> std::optional<std::string> {
                            if (std::string(name) == "HF_HUB_OFFLINE") return "1";
                            return std::nullopt;
                          }});
  return {code, out.str(), err.str()};
}

// On a terminal of 40 cells.
std::string shown_in_40_cells(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Surroundings terminal{out, err, [](const char*) { return std::optional<std::string>(); }};
  terminal.width = 40;
  EXPECT_EQ(run_cli(arguments, terminal), 0) << err.str();
  return out.str();
}

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("wattree_cli_test_" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Cli, ShowsATree) {
  const Outcome tree = run({"tree", "bert-base-uncased", "-b", "16", "-s", "128"});
  EXPECT_EQ(tree.code, 0) << tree.err;
  EXPECT_NE(tree.out.find("BertModel of bert-base-uncased: fp32, sdpa, one pass of 16 × 128"),
            std::string::npos)
      << tree.out;
  EXPECT_NE(tree.out.find("layer.0…11 ×12"), std::string::npos) << tree.out;
}

TEST(Cli, RefusesFlagsThatMeanNothing) {
  const std::vector<std::string> predict{"predict", "bert-tiny", "--on", "h200"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = predict;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  EXPECT_EQ(with({}).code, 0);
  EXPECT_EQ(run({"predict", "bert-tiny", "--on", ""}).err, "wattree: --on is empty\n");
  EXPECT_EQ(with({"--region", ""}).code, 2);
  EXPECT_EQ(with({"--top", "-1"}).code, 2);
  EXPECT_EQ(with({"--past", "0"}).code, 3);
  EXPECT_EQ(with({"--queries", "99999999999999999999"}).code, 3);
  EXPECT_EQ(with({"--set", "num_layer=3"}).code, 3);
  const Outcome million = with({"--queries", "1e6"});
  EXPECT_EQ(million.code, 0) << million.err;
  EXPECT_NE(million.out.find("1,000,000 queries"), std::string::npos);
}

TEST(Cli, ThePredictedClassComesFirst) {
  const Outcome bert = run({"predict", "bert-tiny", "--on", "h200"});
  EXPECT_TRUE(bert.out.starts_with("BertModel of bert-tiny: ")) << bert.out;
  const ConfigFile published(
      R"({"model_type":"bert","architectures":["BertForMaskedLM"],"num_hidden_layers":1})");
  const Outcome masked = run({"predict", published.path(), "--on", "h200"});
  EXPECT_TRUE(masked.out.starts_with("BertForMaskedLM of ")) << masked.out;
  EXPECT_NE(masked.err.find("--as BertModel leaves it out"), std::string::npos) << masked.err;
}

TEST(Cli, ATerminalBreaksTextButNoData) {
  const std::vector<std::string> text{"predict", "bert-tiny", "--on", "h200"};
  EXPECT_NE(shown_in_40_cells(text), run(text).out);
  EXPECT_NE(shown_in_40_cells({"--help"}), run({"--help"}).out);
  const std::string irene = WATTREE_SOURCE_DIR "/tests/data/irene-tiny";
  const std::string profile = WATTREE_SOURCE_DIR "/tests/data/profiles/noisy.json";
  for (const std::vector<std::string>& data :
       std::vector<std::vector<std::string>>{{"predict", "bert-tiny", "--on", "h200", "--json"},
                                             {"tree", "bert-tiny", "--csv"},
                                             {"hardware", "--names"},
                                             {"completions", "bash"},
                                             {"import", "irene", irene},
                                             {"import", "irene", irene, "-o", "-"},
                                             {"report", profile},
                                             {"profiles", "export", profile}}) {
    EXPECT_EQ(shown_in_40_cells(data), run(data).out) << data.front();
  }
  // A file that is called as a command is no wish for data.
  const TestFolder folder;
  const std::string config = (folder.path() / "report").string();
  std::ofstream(config) << R"({"model_type":"bert","num_hidden_layers":1})";
  EXPECT_NE(shown_in_40_cells({"tree", config}), run({"tree", config}).out);
}

// As a fault of the program would be: an exception that nobody expects.
Outcome run_with_a_fault(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_cli(arguments, {out, err, [](const char*) -> std::optional<std::string> {
                                         throw std::runtime_error("the fault");
                                       }});
  return {code, out.str(), err.str()};
}

TEST(Cli, AnExceptionIsAnInternalErrorAndNoAbort) {
  const Outcome text = run_with_a_fault({"tree", "some/model"});
  EXPECT_EQ(text.code, 5);
  EXPECT_TRUE(text.err.starts_with("wattree: this should not have happened: the fault\n"))
      << text.err;
  const Outcome json = run_with_a_fault({"tree", "some/model", "--json"});
  EXPECT_EQ(json.code, 5);
  EXPECT_TRUE(json.err.starts_with("{\"error\":{\"code\":\"internal\"")) << json.err;
}

TEST(Cli, HelpAndVersionSucceed) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({"tree", "--help"}).code, 0);
  EXPECT_NE(run({"tree", "--help"}).out.find("Examples"), std::string::npos);
  EXPECT_EQ(run({"--version"}).code, 0);
  EXPECT_NE(run({"--version"}).out.find("wattree "), std::string::npos);
}

// What was not written was not done.
TEST(Cli, OutputThatCannotBeWrittenIsAnError) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  const auto nothing = [](const char*) { return std::optional<std::string>(); };
  EXPECT_EQ(run_cli({"regions"}, {full, err, nothing}), 4);
  EXPECT_NE(err.str().find("cannot be written"), std::string::npos) << err.str();
}

TEST(Cli, AnEnergyWithoutItsUnitIsToldSo) {
  for (const char* energy : {"2.5", "2.5kw", "1e400kWh", "-3kWh"}) {
    const Outcome carbon = run({"carbon", energy, "--region", "US-GA"});
    EXPECT_EQ(carbon.code, 3);
    EXPECT_NE(carbon.err.find("has a unit of J"), std::string::npos) << carbon.err;
  }
}

TEST(Cli, ComparesARunWithAnEnergyThatSomebodyReports) {
  // 12,042 W for 79 h are 951.318 kWh; 1902.636 kWh are twice that.
  for (const auto& [first, second, change] :
       {std::tuple("bert-base-v100", "1902.636kWh", "+100.0 %"),
        std::tuple("951.318kWh", "bert-base-v100", "+0.0 %")}) {
    const Outcome compared = run({"compare", first, second, "--region", "US-GA"});
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_NE(compared.out.find(change), std::string::npos) << compared.out;
    EXPECT_NE(compared.out.find("the bases differ"), std::string::npos) << compared.out;
  }
  EXPECT_NE(run({"carbon", "1kWh"}).err.find("the region is not given"), std::string::npos);
}

// A profile may come from anybody; a terminal obeys what stands after an escape.
TEST(Cli, NamesOfOthersDoNotReachTheTerminalAsTheyAre) {
  const ConfigFile profile(R"({"format": "wattree-profile", "version": 1, "name": "\u001b[31mred",
    "notes": "one\ntwo\u001b[2J", "region": "US-GA", "epochs": [{"energy": [{"component": "c\u0007",
    "kind": "cpu", "energy_j": 5, "basis": {"kind": "measured", "by": "\u001b]0;x", "boundary": "host"}}]}]})");
  for (const auto& arguments : {std::vector<std::string>{"carbon", profile.path()},
                                {"compare", profile.path(), profile.path()},
                                {"whatif", profile.path()},
                                {"report", profile.path()}}) {
    const Outcome shown = run(arguments);
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.out.find_first_of("\x1b\x07"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("[31mred"), std::string::npos) << shown.out;
  }
}

TEST(Cli, UsageErrorsAreTwo) {
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({"tree"}).code, 2);
  EXPECT_EQ(run({"tree", "gpt2", "--nonsense"}).code, 2);
  EXPECT_EQ(run({"tree", "gpt2", "-b", "many"}).code, 2);
  EXPECT_EQ(run({"tree", "gpt2", "--json", "--csv"}).code, 2);
  EXPECT_EQ(run({"tree", "gpt2", "--level", "atom"}).code, 2);
  EXPECT_EQ(run({"tree", "gpt2", "--set", "n_layer"}).code, 2);
  EXPECT_EQ(run({"completions", "tcsh"}).code, 2);
}

// What is wrong, on what, and what to do: in that order, in plain words.
TEST(Cli, UsageErrorsSayWhatToDo) {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::string usage = " --help` shows the usage and examples\n";
  for (const Case& given : std::vector<Case>{
           {{},
            "wattree: a command is missing\n  hint: begin with `wattree predict "
            "bert-base-uncased`; `wattree --help` lists the commands\n"},
           {{"predict"}, "wattree: MODEL is required\n  hint: `wattree predict" + usage},
           {{"token"},
            "wattree: token needs one of these words: create, list, revoke\n  hint: `wattree "
            "token" +
                usage},
           {{"profiles", "show"},
            "wattree: PROFILE is required\n  hint: `wattree profiles show" + usage},
           {{"predict", "gpt2", "--price", "cheap"},
            "wattree: --price = cheap is not a number that can be used\n  hint: `wattree predict" +
                usage},
           {{"predict", "gpt2", "distilgpt2"},
            "wattree: unexpected argument: distilgpt2\n  hint: `wattree predict" + usage}}) {
    const Outcome outcome = run(given.arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, given.says);
    EXPECT_EQ(outcome.out, "");
  }
  const Outcome large = run({"predict", "gpt2", "-b", "99999999999999999999"});
  EXPECT_NE(large.err.find("the number is too large"), std::string::npos) << large.err;
  const Outcome mixed = run({"compare", "gpt2", "bert-base-v100"});
  EXPECT_EQ(mixed.code, 3);
  EXPECT_NE(mixed.err.find("\"gpt2\" is a model, and \"bert-base-v100\" is not"), std::string::npos)
      << mixed.err;
}

// With --json, which field of an error is wrong: as the flag or the argument of --help.
TEST(Cli, ErrorsNameTheFlagOrTheArgument) {
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string field;
  };
  const TestFolder folder;
  const std::string nowhere = (folder.path() / "nowhere").string();
  const std::string output = (folder.path() / "data.jsonl").string();
  const ConfigFile broken(R"({"model_type":"gpt2","n_layer":-1})");
  // The field that is wrong in a file is no flag.
  folder.write("run.json", R"({"format":"wattree-profile","version":1,"name":3})");
  folder.write("predictor.json", "{}");
  const std::string profile = (folder.path() / "run.json").string();
  const std::string predictor = (folder.path() / "predictor.json").string();
  const std::string windows = WATTREE_SOURCE_DIR "/data/h200-check";
  for (const Case& given : std::vector<Case>{
           // What the parser refuses.
           {{"predict"}, 2, "MODEL"},
           {{"carbon"}, 2, "ENERGY|PROFILE"},
           {{"compare", "gpt2"}, 2, "MODEL"},
           {{"predict", "gpt2", "--generate", "x"}, 2, "--generate"},
           {{"predict", "gpt2", "--by", "foo"}, 2, "--by"},
           {{"predict", "gpt2", "--on", ""}, 2, "--on"},
           {{"predict", "gpt2", "--passes-per-query", "x"}, 2, "--passes-per-query"},
           {{"predict", "gpt2", "--bogus"}, 2, "--bogus"},
           {{"tree", "gpt2", "-b", "x"}, 2, "-b"},
           {{"profiles", "list", "--limit", "x"}, 2, "--limit"},
           {{"profiles", "show"}, 2, "PROFILE"},
           // What commands refuse.
           {{"predict", "gpt2", "--top", "-1"}, 2, "--top"},
           {{"predict", "gpt2", "--depth", "-1"}, 2, "--depth"},
           {{"tree", "gpt2", "--depth", "-1"}, 2, "--depth"},
           {{"predict", "gpt2", "-b", "1,2", "--generate", "3"}, 2, "--generate"},
           {{"profile", "gpt2"}, 2, "-o"},
           {{"profile", "gpt2", "-o", output, "--budget", "foo"}, 2, "--budget"},
           // What is found out below them.
           {{"predict", "gpt2", "-s", "99999999"}, 3, "-s"},
           {{"predict", "gpt2", "-s", "8,99999999"}, 3, "-s"},
           {{"predict", "gpt2", "--set", "n_layer=-1"}, 3, "--set"},
           {{"predict", "bert-tiny", "--past", "10"}, 3, "--past"},
           {{"predict", "bert-tiny", "--generate", "1"}, 3, "--generate"},
           {{"predict", broken.path()}, 3, "MODEL"},
           {{"predict", nowhere}, 3, "MODEL"},
           {{"compare", "gpt2", broken.path()}, 3, "MODEL"},
           {{"compare", "1kWh", nowhere}, 3, "MODEL"},
           {{"evaluate", nowhere}, 3, "DATASET"},
           {{"dataset", "stats", nowhere}, 3, "FILE"},
           {{"evaluate", windows, "--predictor", predictor}, 3, "--predictor"},
           {{"predict", "gpt2", "--predictor", predictor}, 3, "--predictor"},
           {{"carbon", "nothing"}, 3, "ENERGY|PROFILE"},
           {{"carbon", profile}, 3, "ENERGY|PROFILE"},
           {{"carbon", "3kw"}, 3, "ENERGY|PROFILE"},
           {{"carbon", broken.path()}, 3, "ENERGY|PROFILE"},
           {{"carbon", "1kWh", "--intensity-file", nowhere}, 3, "--intensity-file"},
           {{"whatif", "nothing"}, 3, "PROFILE"},
           {{"whatif", "bert-base-v100", "--baseline-intensity-file", nowhere},
            3,
            "--baseline-intensity-file"},
           {{"whatif", "bert-base-v100", "--hardware-file", nowhere}, 3, "--hardware-file"},
           {{"profiles", "show", "nothing"}, 3, "PROFILE"},
           {{"hardware", "nothing-like-it"}, 3, "WORDS"},
           {{"regions", "nothing-like-it"}, 3, "WORDS"}}) {
    std::vector<std::string> arguments = given.arguments;
    arguments.push_back("--json");
    const Outcome outcome = run(arguments);
    const std::string typed = join(given.arguments, " ");
    EXPECT_EQ(outcome.code, given.code) << typed << outcome.err;
    EXPECT_NE(outcome.err.find("\"field\":\"" + given.field + "\""), std::string::npos)
        << typed << "\n"
        << outcome.err;
    EXPECT_EQ(outcome.err.find('<'), std::string::npos) << outcome.err;
  }
}

TEST(Cli, ShortWordsGetNoFarFetchedSuggestion) {
  const Outcome hardware = run({"whatif", "bert-base-v100", "--hardware", "gpu"});
  EXPECT_EQ(hardware.code, 3);
  EXPECT_EQ(hardware.err.find("did you mean"), std::string::npos) << hardware.err;
  const Outcome region = run({"carbon", "2kWh", "--region", "XX"});
  EXPECT_EQ(region.err.find("Afghanistan"), std::string::npos) << region.err;
}

TEST(Cli, TheUsageOfTrackNamesTheCommand) {
  const Outcome help = run({"track", "--help"});
  EXPECT_NE(help.out.find("\nUsage: wattree track [OPTIONS] -- COMMAND [ARGUMENTS...]\n"),
            std::string::npos)
      << help.out;
  EXPECT_EQ(help.out.find("Usage:"), help.out.rfind("Usage:")) << help.out;
}

TEST(Cli, AFileThatIsNoProfileSaysWhatIsExpected) {
  for (const char* content : {"", "{", "[]"}) {
    const ConfigFile file(content);
    const Outcome carbon = run({"carbon", file.path(), "--region", "US-GA"});
    EXPECT_EQ(carbon.code, 3);
    EXPECT_NE(carbon.err.find("hint: `wattree track` writes profiles"), std::string::npos)
        << carbon.err;
  }
}

struct BadInput {
  std::string name;
  std::string config;
  std::vector<std::string> flags;
  std::string says;  // Part of the message: the field, mostly.
};

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, AreClearErrorsWithExitCodeThree) {
  const BadInput& bad = GetParam();
  const ConfigFile file(bad.config);
  std::vector<std::string> arguments{"tree", file.path()};
  arguments.insert(arguments.end(), bad.flags.begin(), bad.flags.end());
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(bad.says), std::string::npos) << outcome.err;
  // The file is named where the file is at fault.
  if (bad.flags.empty()) {
    EXPECT_NE(outcome.err.find(file.path()), std::string::npos) << outcome.err;
  }
  // With --json the same goes to standard error as JSON.
  arguments.push_back("--json");
  const Outcome json = run(arguments);
  EXPECT_EQ(json.code, 3);
  EXPECT_EQ(json.out, "");
  EXPECT_EQ(json.err.rfind("{\"error\":{\"code\":\"", 0), 0u) << json.err;
}

INSTANTIATE_TEST_SUITE_P(
    Configs, BadInputs,
    testing::Values(
        BadInput{"empty", "", {}, "it is empty"},
        BadInput{"truncated", R"({"model_type": "bert", "hidd)", {}, "not valid JSON"},
        BadInput{"not_json", "hello: world", {}, "not valid JSON"},
        BadInput{"a_list", "[1, 2]", {}, "JSON object"},
        BadInput{"no_model_type", "{}", {}, "model_type"},
        BadInput{"unknown_model_type", R"({"model_type":"bertt"})", {}, "nearest: bert"},
        BadInput{"too_deep",
                 R"({"model_type":"bert","hidden_size":)" + std::string(1'000'000, '[') +
                     std::string(1'000'000, ']') + "}",
                 {},
                 "nested"},
        BadInput{"set_too_deep",
                 R"({"model_type":"bert"})",
                 {"--set", "hidden_size=" + std::string(100'000, '[') + std::string(100'000, ']')},
                 "nested"},
        BadInput{"model_type_is_a_number", R"({"model_type":7})", {}, "model_type"},
        BadInput{"wrong_type", R"({"model_type":"bert","hidden_size":"big"})", {}, "hidden_size"},
        BadInput{"fraction", R"({"model_type":"bert","hidden_size":76.5})", {}, "hidden_size"},
        BadInput{"negative", R"({"model_type":"bert","hidden_size":-768})", {}, "hidden_size"},
        BadInput{
            "zero", R"({"model_type":"llama","num_attention_heads":0})", {}, "num_attention_heads"},
        BadInput{"absurd",
                 R"({"model_type":"llama","num_hidden_layers":1000000000000})",
                 {},
                 "num_hidden_layers"},
        BadInput{"absurd_float",
                 R"({"model_type":"llama","num_hidden_layers":1e300})",
                 {},
                 "num_hidden_layers"},
        BadInput{"huge_sizes",
                 R"({"model_type":"llama","hidden_size":1099511627776,"num_attention_heads":1})",
                 {},
                 "elements"},
        BadInput{"heads_do_not_divide",
                 R"({"model_type":"bert","num_attention_heads":7})",
                 {},
                 "does not divide hidden_size (768)"},
        BadInput{"kv_heads_do_not_divide",
                 R"({"model_type":"llama","num_attention_heads":32,"num_key_value_heads":5})",
                 {},
                 "num_key_value_heads"},
        BadInput{
            "unknown_activation", R"({"model_type":"bert","hidden_act":"wobble"})", {}, "wobble"},
        BadInput{"odd_number_turns",
                 R"({"model_type":"phi","hidden_size":12,"num_attention_heads":2})",
                 {},
                 "partial_rotary_factor"},
        BadInput{"unknown_class",
                 R"({"model_type":"bert","architectures":["BertForFun"]})",
                 {"-b", "1"},
                 "BertForFun"},
        BadInput{"unknown_dtype",
                 R"({"model_type":"bert","torch_dtype":"float1"})",
                 {"-b", "1"},
                 "float1"},
        BadInput{"positions_too_few",
                 R"({"model_type":"bert","max_position_embeddings":64})",
                 {"-s", "65"},
                 "max_position_embeddings"},
        BadInput{"zero_batch", R"({"model_type":"bert"})", {"-b", "0"}, "-b"},
        BadInput{"negative_length", R"({"model_type":"bert"})", {"-s", "-5"}, "-s"},
        BadInput{"absurd_length", R"({"model_type":"gpt2"})", {"-s", "1000000000000"}, "-s"},
        BadInput{"encoder_does_not_decode", R"({"model_type":"bert"})", {"--past", "8"}, "cache"},
        BadInput{
            "unknown_attention", R"({"model_type":"bert"})", {"--attention", "flash"}, "flash"},
        // A decode step does not call the encoder, whose weights are there all the same.
        BadInput{"huge_unused_weights",
                 R"({"model_type":"whisper","d_model":1048576,"encoder_ffn_dim":1099511627776,
                     "encoder_attention_heads":1,"decoder_attention_heads":1,"encoder_layers":8})",
                 {"--past", "1"},
                 "elements"},
        BadInput{"parameters_overflow",
                 R"({"model_type":"whisper","d_model":1048576,"encoder_ffn_dim":1073741824,
                     "encoder_attention_heads":1,"decoder_attention_heads":1,
                     "encoder_layers":8192})",
                 {"--past", "1"},
                 "63 bits"},
        BadInput{"huge_batch_and_heads",
                 R"({"model_type":"bloom","hidden_size":4294967296,"n_head":4294967296})",
                 {"-b", "4294967296", "-s", "1"},
                 "elements"},
        BadInput{"costs_overflow",
                 R"({"model_type":"llama"})",
                 {"-b", "4000000000", "-s", "4000000000"},
                 "elements"}),
    [](const testing::TestParamInfo<BadInput>& bad) { return bad.param.name; });

TEST(Cli, AMissingFileNamesTheNearestModels) {
  const Outcome outcome = run({"tree", "bert-base-uncase"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("bert-base-uncased"), std::string::npos) << outcome.err;
}

TEST(Cli, OfflineSaysSo) {
  const Outcome outcome = run({"tree", "some-org/some-model"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("HF_HUB_OFFLINE"), std::string::npos) << outcome.err;
}

// A device of the catalogue that nobody measured: which of several it is, that it is assumed, and a
// wide interval, in words and in data.
TEST(Cli, DatasheetsStandInForPredictors) {
  const auto headline = [](const std::string& name) {
    const Outcome outcome = run({"predict", "bert-tiny", "--dtype", "bf16", "--on", name});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("±60 %"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("pred "), std::string::npos) << outcome.out;
    const std::size_t begin = outcome.out.find('\n') + 1;  // Below the model and its class.
    return outcome.out.substr(begin, outcome.out.find('\n', begin) - begin);
  };
  EXPECT_EQ(headline("a100-sxm4-80gb"),
            "1× A100 SXM4 80GB, GPU only, bf16, sdpa attention, graph execution, per pass of "
            "1 × 128; assumed by datasheet (scaled from h200)");
  EXPECT_NE(headline("rtx4090").find("GeForce RTX 4090, "), std::string::npos);
  const Outcome data =
      run({"predict", "bert-tiny", "--dtype", "bf16", "--on", "a100 sxm4 80gb", "--csv"});
  EXPECT_NE(data.out.find("assumed"), std::string::npos) << data.out;
  const Outcome none = run({"predict", "bert-tiny", "--on", "zx81"});
  EXPECT_EQ(none.code, 4);
  EXPECT_NE(none.err.find("wattree hardware"), std::string::npos) << none.err;
}

TEST(Cli, OtherProgramsWordsGetASuggestion) {
  const auto hint = [](std::vector<std::string> arguments) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_NE(outcome.code, 0);
    return outcome.err.substr(std::min(outcome.err.find("hint: "), outcome.err.size()));
  };
  const std::string of_batch = hint({"predict", "gpt2", "--batch-size", "8"});
  EXPECT_EQ(of_batch, "hint: did you mean --batch?\n");
  EXPECT_EQ(hint({"predict", "gpt2", "--seq-len", "8"}), "hint: did you mean --seq?\n");
  EXPECT_NE(hint({"predict", "gpt2", "--gpus", "8"}).find("one device"), std::string::npos);
  EXPECT_NE(hint({"predict", "gpt2", "--on", "4xT4"}).find("name one with --on: T4"),
            std::string::npos);
  EXPECT_EQ(hint({"predict", "gpt2", "--dtype", "fp8"}).find(", int8"), std::string::npos);
  EXPECT_NE(hint({"carbon", "2.5kwh"}).find("did you mean 2.5kWh?"), std::string::npos);
  EXPECT_NE(hint({"import", "emissions.csv"}).find("wattree profiles import"), std::string::npos);
  EXPECT_EQ(hint({"track", "python", "-c", "1 + 1"}),
            "hint: put -- before the command: wattree track -- python -c 1 + 1\n");
  EXPECT_NE(hint({"track", "-o", "-", "--", "true"}).find("name a file"), std::string::npos);
}

TEST(Cli, MisspeltWordsGetASuggestion) {
  const Outcome command = run({"predicct", "gpt2"});
  EXPECT_EQ(command.code, 2);
  EXPECT_NE(command.err.find("there is no command \"predicct\""), std::string::npos) << command.err;
  EXPECT_NE(command.err.find("did you mean predict"), std::string::npos) << command.err;
  const Outcome option = run({"predict", "gpt2", "--dtpye", "bf16"});
  EXPECT_EQ(option.code, 2);
  EXPECT_NE(option.err.find("predict has no option --dtpye"), std::string::npos) << option.err;
  EXPECT_NE(option.err.find("--dtype"), std::string::npos) << option.err;
  const Outcome nothing = run({"xyzzy", "--json"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("wattree --help"), std::string::npos) << nothing.err;
}

TEST(Cli, CompletionsOfferWhatMayFollow) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = run({"completions", shell}).out;
    for (const char* hidden : {"sys-root", "energyvis-port"}) {
      EXPECT_EQ(script.find(hidden), std::string::npos) << shell;
    }
    for (const char* asked :
         {"wattree models --names", "wattree regions --names", "wattree hardware --names",
          "wattree profiles list --names", "fp32 bf16 fp16", "sdpa eager", "graph eager",
          "in_place cold warm", "model module ml math"}) {
      EXPECT_NE(script.find(asked), std::string::npos) << shell << ": " << asked;
    }
  }
}

// The words between `begin` and the next `end`.
std::vector<std::string> words_in(const std::string& text, const std::string& begin, char end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t first = at + begin.size();
  return split(text.substr(first, text.find(end, first) - first), ',');
}

TEST(Cli, EveryWordThatHelpOffersIsTaken) {
  const std::string help = run({"tree", "--help"}).out;
  for (const std::string flag : {"--dtype", "--attention", "--level"}) {
    const std::vector<std::string> words = words_in(help, flag + " TEXT:{", '}');
    EXPECT_GE(words.size(), 2U) << flag;
    for (const std::string& word : words) {
      const Outcome tree = run({"tree", "bert-tiny", flag, word});
      EXPECT_EQ(tree.code, 0) << flag << " " << word << ": " << tree.err;
    }
    const Outcome other = run({"tree", "bert-tiny", flag, "other"});
    EXPECT_NE(other.code, 0) << flag;
    for (const std::string& word : words) {
      EXPECT_NE(other.err.find(word), std::string::npos) << word << " in " << other.err;
    }
  }
  // As a config file spells it: no word to offer, but one to take.
  EXPECT_EQ(run({"tree", "bert-tiny", "--dtype", "bfloat16"}).code, 0);
}

// One of several is nobody's to choose but the user's.
TEST(Cli, ANameOfSeveralDevicesIsAnError) {
  for (const std::string name : {"v100", "h100", "gpu", "rtx"}) {
    const Outcome outcome = run({"predict", "bert-tiny", "--dtype", "fp16", "--on", name});
    EXPECT_EQ(outcome.code, 3) << name;
    EXPECT_NE(outcome.err.find("\"" + name + "\" may be "), std::string::npos) << outcome.err;
  }
  const Outcome several = run({"predict", "bert-tiny", "--dtype", "fp16", "--on", "v100"});
  EXPECT_NE(several.err.find("\"Tesla V100S PCIe 32GB\""), std::string::npos) << several.err;
}

TEST(Cli, PrecisionsWithoutUnitsAreFlagged) {
  const auto notes = [](const std::string& device, const std::string& dtype) {
    return run({"predict", "bert-tiny", "--dtype", dtype, "--on", device}).err;
  };
  EXPECT_NE(notes("t4", "bf16").find("T4 has no units for bf16: it is priced at the rate of fp16"),
            std::string::npos);
  EXPECT_NE(notes("gtx 1070", "bf16").find("at the rate of fp32"), std::string::npos);
  EXPECT_EQ(notes("t4", "fp16"), "");
  EXPECT_EQ(notes("rtx4090", "bf16"), "");
}

TEST(Cli, SetOverridesTheConfig) {
  const Outcome outcome =
      run({"tree", "gpt2", "--set", "n_layer=3", "--set", "activation_function=relu", "--csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\ntransformer.h.2,"), std::string::npos);
  EXPECT_EQ(outcome.out.find("\ntransformer.h.3,"), std::string::npos);
  EXPECT_NE(outcome.out.find("h.0.mlp.act:relu"), std::string::npos);
}

TEST(Cli, ClassNamesAreFoundInAnyCase) {
  const ConfigFile file(R"({"model_type":"mpt","architectures":["MPTForCausalLM"]})");
  const Outcome outcome = run({"tree", file.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("MptForCausalLM of ", 0), 0u) << outcome.out;
}

TEST(Cli, DepthAndLevelCutTheTreeButNotItsSums) {
  const Outcome outcome = run({"tree", "bert-base-uncased", "--csv", "--depth", "1"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'),
            5);  // Title, 3 children, root.
  const Outcome modules = run({"tree", "bert-base-uncased", "--csv", "--level", "module"});
  EXPECT_EQ(modules.out.find(",ml,"), std::string::npos);
}

const std::string kPredictor = WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json";

TEST(Cli, PredictsATree) {
  const Outcome outcome =
      run({"predict", "bert-base-uncased", "-b", "16", "-s", "64", "--predictor", kPredictor});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("BertModel of bert-base-uncased: 109 M parameters, 177 GFLOP\n"
                              "1× imaginary GPU, GPU only, fp32, sdpa attention, per pass of "
                              "16 × 64; predicted by imaginary (",
                              0),
            0u)
      << outcome.out;
  EXPECT_NE(outcome.out.find("* nothing near was measured (kind attention)"), std::string::npos);
}

TEST(Cli, TotalsOfManyQueriesAreShownToThoseWhoAsk) {
  const auto shows_totals = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{"predict", "gpt2", "--predictor", kPredictor};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const bool has_table = outcome.out.find("kg CO2e") != std::string::npos;
    EXPECT_NE(has_table, outcome.out.find("add --queries 1e6") != std::string::npos) << outcome.out;
    return has_table;
  };
  EXPECT_FALSE(shows_totals({}));
  EXPECT_FALSE(shows_totals({"--generate", "2", "-s", "8"}));
  for (const auto& [flag, value] :
       std::vector<std::pair<std::string, std::string>>{{"--queries", "1e6"},
                                                        {"--passes-per-query", "2"},
                                                        {"--price", "0.3"},
                                                        {"--region", "US-GA"},
                                                        {"--intensity", "325g/kWh"},
                                                        {"--pue", "1.1"},
                                                        {"--host-watts", "100"}}) {
    EXPECT_TRUE(shows_totals({flag, value})) << flag;
    EXPECT_TRUE(shows_totals({"--generate", "2", "-s", "8", flag, value})) << flag;
  }
}

// BERT's config names no precision, Llama's names bf16.
TEST(Cli, FullPrecisionIsExplainedToThoseWhoDidNotChooseIt) {
  const auto explains = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "predict");
    arguments.insert(arguments.end(), {"--on", "h200"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.find(
               "\nfp32, because the model's config asks for nothing smaller; --dtype "
               "bf16 ") != std::string::npos;
  };
  EXPECT_TRUE(explains({"bert-tiny"}));
  EXPECT_TRUE(explains({"bert-tiny", "-b", "1,2"}));
  EXPECT_TRUE(explains({"bert-tiny", "--explain", "pooler"}));
  EXPECT_TRUE(explains({"gpt2", "-s", "8", "--generate", "2"}));
  EXPECT_FALSE(explains({"bert-tiny", "--dtype", "fp32"}));
  EXPECT_FALSE(explains({"llama-3.2-1b"}));
  // A predictor that has no half precision offers none.
  const Outcome narrow = run({"predict", "gpt2", "--predictor", kPredictor});
  const bool covers_bf16 =
      run({"predict", "gpt2", "--predictor", kPredictor, "--dtype", "bf16"}).code == 0;
  EXPECT_EQ(narrow.out.find("--dtype bf16 predicts") != std::string::npos, covers_bf16);
}

TEST(Cli, WithoutAPredictorItSaysWhatToDo) {
  const auto expect = [](const std::vector<std::string>& flags, int exit_code,
                         const std::string& code) {
    std::vector<std::string> arguments{"predict", "gpt2"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("hint:"), std::string::npos) << outcome.err;
    arguments.push_back("--json");
    EXPECT_EQ(run(arguments).err.rfind("{\"error\":{\"code\":\"" + code + "\"", 0), 0u);
  };
  expect({"--on", "nowhere"}, 4, "unavailable");
  expect({"--predictor", kPredictor, "--dtype", "int8"}, 3, "invalid_input");
}

TEST(Cli, PredictRefusesWhatMakesNoSense) {
  const auto code = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"predict", "bert-tiny", "--predictor", kPredictor});
    return run(flags).code;
  };
  for (const char* sizes : {"", "many", "8,", "8:4:1", "8:16", "8:16:0", "1:2:3:4", "1:100000:1",
                            "8;16", "99999999999999999999"}) {
    EXPECT_EQ(code({"-b", sizes}), 2) << sizes;
  }
  EXPECT_EQ(code({"-s", "0:9223372036854775807:9223372036854775807"}), 3);
  EXPECT_EQ(code({"-b", "0"}), 3);
  EXPECT_EQ(code({"-b", "1:1000:1", "-s", "1:1000:1"}), 3);
  EXPECT_EQ(code({"--by", "colour"}), 2);
  EXPECT_EQ(code({"--csv", "--json"}), 2);
  EXPECT_EQ(code({"-b", "1,2", "--explain", "."}), 2);
  EXPECT_EQ(code({"--explain", "encoder.layr"}), 3);
  EXPECT_EQ(code({"--pue", "0.1"}), 3);
  EXPECT_EQ(code({"--region", "Atlantis"}), 3);
  EXPECT_EQ(code({"--on", "h200"}), 2);  // Two predictors.
}

TEST(Cli, GeneratesARequest) {
  const auto outcome = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {"predict", "gpt2", "--predictor", kPredictor, "--generate", "4", "-s", "8"});
    return run(flags);
  };
  EXPECT_EQ(outcome({}).code, 0) << outcome({}).err;
  EXPECT_NE(outcome({"--as", "base"}).out.find("--as GPT2LMHeadModel"), std::string::npos);
  EXPECT_EQ(outcome({"--past", "3"}).code, 2);
  EXPECT_EQ(outcome({"--by", "op"}).code, 2);
  EXPECT_EQ(outcome({"-b", "1,2"}).code, 2);
  EXPECT_EQ(outcome({"--set", "n_positions=10"}).code, 3);
}

TEST(Cli, AnEnergyGateForModels) {
  const auto compare = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    arguments.insert(arguments.end(), {"--predictor", kPredictor});
    return run(arguments);
  };
  EXPECT_EQ(compare({"bert-tiny", "bert-mini"}).code, 0);
  const Outcome closed = compare({"bert-tiny", "bert-mini", "--fail-above", "3%"});
  EXPECT_EQ(closed.code, 1);
  EXPECT_NE(closed.err.find("bert-mini"), std::string::npos) << closed.err;
  EXPECT_NE(closed.out.find("above the limit"), std::string::npos) << closed.out;
  EXPECT_EQ(compare({"bert-mini", "bert-tiny", "--fail-above", "3%"}).code, 0);
  EXPECT_EQ(compare({"bert-tiny", "bert-mini", "--fail-above", "lots"}).code, 2);
  EXPECT_EQ(compare({"bert-tiny", "bert-mini", "--epochs", "3"}).code, 2);
  EXPECT_EQ(compare({"bert-tiny", "bert-mini", "--set", "x"}).code, 2);
  EXPECT_EQ(compare({"bert-tiny"}).code, 2);
  EXPECT_EQ(compare({"bert-tiny", "bert-minni"}).code, 3);
  EXPECT_EQ(compare({"bert-minni", "bert-tiny"}).code, 3);
  EXPECT_EQ(compare({"transformer-big-p100", "bert-base-v100"}).code,
            2);  // Runs have no predictor.
}

TEST(Cli, OneNameALineForCompletions) {
  EXPECT_NE(run({"models", "--names"}).out.find("\ngpt2\n"), std::string::npos);
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run({"completions", shell});
    EXPECT_EQ(script.code, 0);
    EXPECT_NE(script.out.find("past"), std::string::npos) << shell;
  }
}

constexpr const char* kTinyIrene = WATTREE_SOURCE_DIR "/tests/data/irene-tiny";

TEST(Cli, ImportsADatasetAndCountsIt) {
  const TestFolder folder;
  const std::string file = (folder.path() / "d.jsonl").string();
  const Outcome import = run({"import", "irene", kTinyIrene, "-o", file});
  EXPECT_EQ(import.code, 0) << import.err;
  EXPECT_EQ(import.out, file + ": 3 trees of 2 models, 33 nodes\n");
  // Without -o, the same on standard output.
  EXPECT_EQ(run({"import", "irene", kTinyIrene}).out, folder.read("d.jsonl"));
  const Outcome stats = run({"dataset", "stats", file});
  EXPECT_EQ(stats.code, 0) << stats.err;
  EXPECT_NE(stats.out.find("tiny-bert      1   6       7      1      5"), std::string::npos)
      << stats.out;
}

TEST(Cli, BadDataIsRefusedOrSkipped) {
  const TestFolder folder;
  for (const char* name : {"model", "module", "ml1", "ml2"}) {
    const std::string file = std::string(name) + "_level_features.csv";
    std::filesystem::copy(std::filesystem::path(kTinyIrene) / file, folder.path() / file);
  }
  std::string text = folder.read("model_level_features.csv");
  text.replace(text.find("\n2.0,4.0,0.0,") + 9, 3, "-1.");
  folder.write("model_level_features.csv", text);
  const std::string output = (folder.path() / "d.jsonl").string();
  const Outcome strict = run({"import", "irene", folder.path().string(), "-o", output});
  EXPECT_EQ(strict.code, 3);
  EXPECT_NE(strict.err.find("model_level_features.csv:2: flops cannot be negative\n  hint: "),
            std::string::npos)
      << strict.err;
  EXPECT_FALSE(std::filesystem::exists(output));
  const Outcome lenient =
      run({"import", "irene", folder.path().string(), "-o", output, "--skip-bad"});
  EXPECT_EQ(lenient.code, 0) << lenient.err;
  EXPECT_TRUE(lenient.err.starts_with("wattree: left out what is bad, 1 tree:\n  ")) << lenient.err;
  EXPECT_EQ(lenient.out, output + ": 2 trees of 2 models, 20 nodes\n");

  folder.write("d.jsonl", folder.read("d.jsonl") + "{\n");
  EXPECT_EQ(run({"dataset", "stats", output}).code, 3);
  EXPECT_TRUE(run({"dataset", "stats", output, "--json"}).err.starts_with("{\"error\":{"));
  const Outcome skipped = run({"dataset", "stats", output, "--skip-bad"});
  EXPECT_EQ(skipped.code, 0);
  EXPECT_TRUE(skipped.err.starts_with("wattree: left out what is bad, 1 line:\n  ")) << skipped.err;
}

TEST(Cli, CompletionsKnowCommandsOfCommands) {
  const std::string script = run({"completions", "bash"}).out;
  EXPECT_NE(script.find("*) words=\"irene -h --help -o"), std::string::npos) << script;
  EXPECT_NE(
      run({"completions", "fish"}).out.find("__fish_seen_subcommand_from dataset' -a stats\n"),
      std::string::npos);
}

TEST(Cli, ShowsTheMetersOfAGpu) {
  const FakeNvml fake(
      "gpu 0 GPU-a NVIDIA H200\n0 0 energy_mj 5000\n0 0 power_mw 123456\n0 0 gpu_percent 37\n");
  const TestFolder none;
  const std::vector<std::string> arguments{
      "meters", "--sys-root",  none.path().string(), "--proc-root", none.path().string(),
      "--nvml", fake.library()};
  const Outcome table = run(arguments);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("Energy here is the sum of gpu0.energy (measured)."), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("123 W"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("37.0 %"), std::string::npos) << table.out;
}

TEST(Cli, ShowsWhoIsAtWorkOnAGpu) {
  const FakeNvml fake(
      "gpu 0 GPU-a NVIDIA H200\n0 0 power_mw 1\nprocess 0 4711 1048576 55\nprocess 0 12 5 1\n");
  const std::vector<std::string> meters{"meters", "--nvml", fake.library()};
  const Outcome text = run(meters);
  EXPECT_NE(text.out.find("gpu0           4711  1.05 MB  55 %"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("gpu0             12"), std::string::npos) << text.out;
  const Outcome json = run({"meters", "--nvml", fake.library(), "--json"});
  EXPECT_NE(json.out.find("\"memory_bytes\": 1048576"), std::string::npos) << json.out;
}

TEST(Cli, AMachineWithoutMetersIsToldWhy) {
  const TestFolder none;
  const Outcome meters = run({"meters", "--sys-root", none.path().string(), "--proc-root",
                              none.path().string(), "--nvml", "/nonexistent"});
  EXPECT_EQ(meters.code, 0);
  EXPECT_NE(meters.out.find("No energy can be measured here."), std::string::npos) << meters.out;
  EXPECT_NE(meters.out.find("--assume"), std::string::npos);
}

TEST(Cli, ABadAssumptionIsInvalidInput) {
  const Outcome meters = run({"meters", "--assume", "cpu=65"});
  EXPECT_EQ(meters.code, 3);
  EXPECT_NE(meters.err.find("the unit is missing"), std::string::npos) << meters.err;
}

TEST(Cli, WhatDoesNotFitIsSaidFirstAndMayBeAGate) {
  const std::vector<std::string> large{"predict", "llama-3-8b", "--dtype", "bf16",
                                       "--on",    "gtx-1070",   "--depth", "0"};
  const Outcome told = run(large);
  EXPECT_EQ(told.code, 0);
  EXPECT_TRUE(told.out.starts_with("DOES NOT FIT: the pass takes 15.0 GiB")) << told.out;
  std::vector<std::string> gate = large;
  gate.emplace_back("--must-fit");
  EXPECT_EQ(run(gate).code, 1);
  gate[1] = "bert-tiny";
  EXPECT_EQ(run(gate).code, 0);
}

}  // namespace
}  // namespace wattree
