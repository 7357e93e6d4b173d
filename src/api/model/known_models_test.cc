// Models that somebody dropped into a folder, and the lists of models and predictors.
#include "src/api/model/known_models.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/api/model/model_source.h"
#include "src/api/model/models.h"
#include "src/api/model/predictors.h"
#include "src/base/file.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

Services with_models(const TestFolder& folder) {
  Services out = services_from([](const char*) { return std::nullopt; });
  out.hub.offline = true;
  out.hub.allow_files = false;
  out.hub.cache.clear();
  out.predictors.clear();
  out.models = std::make_shared<ModelsFolder>(folder.path(), std::uint64_t{1} << 20);
  return out;
}

std::vector<std::string> dropped_names(const Services& services) {
  std::vector<std::string> out;
  const ModelsAnswer answer = std::move(models(services)).value();
  for (const KnownModel& model : answer.models) {
    if (model.is_dropped) out.push_back(model.name);
  }
  return out;
}

constexpr const char* kConfig = R"({"model_type":"bert","num_hidden_layers":1,"hidden_size":64,)"
                                R"("num_attention_heads":2,"intermediate_size":128})";

TEST(DroppedModels, AppearAndGoWithoutARestart) {
  const TestFolder folder;
  const Services services = with_models(folder);
  EXPECT_TRUE(dropped_names(services).empty());
  folder.write("small.json", kConfig);
  folder.write("folder/config.json", kConfig);
  EXPECT_EQ(dropped_names(services), (std::vector<std::string>{"folder", "small"}));
  const Result<OpenedModel> opened = open_model({"small"}, {}, services);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened.value().built.class_name, "BertModel");
  std::filesystem::remove(folder.path() / "small.json");
  EXPECT_EQ(dropped_names(services), std::vector<std::string>{"folder"});
  EXPECT_FALSE(open_model({"small"}, {}, services).ok());
}

TEST(DroppedModels, ChangesAreSeen) {
  const TestFolder folder;
  const Services services = with_models(folder);
  const auto layers = [&] {
    const auto opened = open_model({"m"}, {}, services);
    std::size_t count = 0;
    for (const Node& node : opened.value().built.tree.nodes()) count += node.type == "BertLayer";
    return count;
  };
  folder.write("m.json", kConfig);
  EXPECT_EQ(layers(), 1U);
  std::string more = kConfig;
  more.replace(more.find("layers\":1"), 9, "layers\":12");
  folder.write("m.json", more);
  EXPECT_EQ(layers(), 12U);
}

TEST(DroppedModels, BadFilesAreListedAndNotFatal) {
  const TestFolder folder;
  folder.write("broken.json", "{");
  folder.write("unknown.json", R"({"model_type":"abacus"})");
  folder.write("bert-tiny.json", kConfig);  // Bundled.
  folder.write("good.json", kConfig);
  folder.write("a b.json", kConfig);
  folder.write("notes.txt", "not looked at");
  const Services services = with_models(folder);
  EXPECT_EQ(dropped_names(services), std::vector<std::string>{"good"});
  const ModelsAnswer answer = std::move(models(services)).value();
  ASSERT_EQ(answer.problems.size(), 4U);
  const std::string json = to_json(answer);
  EXPECT_EQ(json.find(folder.path().string()), std::string::npos);  // No path of the machine.
  for (const DroppedProblem& problem : answer.problems) EXPECT_FALSE(problem.why.empty());
}

TEST(DroppedModels, NamesAreNoPaths) {
  EXPECT_TRUE(is_model_name("my-model_v1.2"));
  for (const char* name : {"", ".hidden", "../x", "a/b", "a b", "-x", "a\n"}) {
    EXPECT_FALSE(is_model_name(name)) << name;
  }
}

TEST(AddModel, KeepsAConfig) {
  const TestFolder folder;
  const Services services = with_models(folder);
  const Json config = Json::parse(kConfig);
  const auto request = add_model_request({{"name", "mine"}, {"config", config}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const Result<KnownModel> added = add_model(request.value(), services);
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_TRUE(added.value().is_dropped);
  EXPECT_EQ(Json::parse(folder.read("mine.json")), config);
  EXPECT_EQ(dropped_names(services), std::vector<std::string>{"mine"});
  const auto field = [&](const Json& body) {
    const auto wrong = add_model_request(body);
    if (!wrong.ok()) return wrong.error().field;
    return add_model(wrong.value(), services).error().field;
  };
  EXPECT_EQ(field({{"name", "../x"}, {"config", config}}), "name");
  EXPECT_EQ(field({{"name", "gpt2"}, {"config", config}}), "name");
  EXPECT_EQ(field({{"name", "x"}, {"config", {{"model_type", "abacus"}}}}), "config.model_type");
  EXPECT_EQ(field({{"name", "x"}}), "config");
}

TEST(Models, SayWhatTheyAre) {
  const Json answer = Json::parse(to_json(std::move(models()).value()));
  for (const Json& model : answer.at("models")) {
    if (model.at("name") == "gpt2") {
      EXPECT_EQ(model.at("kind"), "decoder");
      EXPECT_EQ(model.at("source"), "bundled");
      EXPECT_EQ(model.at("dtype"), "fp32");
    }
    if (model.at("name") == "llama-3-8b") {
      EXPECT_EQ(model.at("dtype"), "bf16");
    }
  }
}

TEST(Predictors, SayWhereTheyComeFrom) {
  const TestFolder folder;
  Services services = with_models(folder);
  services.predictors = folder.path();
  folder.write("mine.json",
               read_file(WATTREE_SOURCE_DIR "/tests/data/predictors/imaginary.json").value());
  folder.write("broken.json", "{");
  const std::string text = to_json(predictors(services));
  const Json answer = Json::parse(text);
  ASSERT_EQ(answer.at("predictors").size(), 2U) << text;
  const Json& shipped = answer.at("predictors")[0];
  EXPECT_EQ(shipped.at("name"), "h200");
  EXPECT_EQ(shipped.at("origin"), "shipped");
  EXPECT_EQ(shipped.at("hardware"), "NVIDIA H200");
  // As data/predictors/h200.json has it.
  const Json file = Json::parse(read_file(WATTREE_SOURCE_DIR "/data/predictors/h200.json").value());
  const Json& training = file.at("training");
  EXPECT_EQ(shipped.at("measurements"), training.at("measurements"));
  EXPECT_EQ(shipped.at("errors").at("model"),
            training.at("errors_percent").at("nothing").at("model"));
  EXPECT_EQ(answer.at("predictors")[1].at("origin"), "own");
  // What a prediction may be asked for: both, and every accelerator with a datasheet.
  const Json& hardware = answer.at("hardware");
  EXPECT_EQ(hardware[0].at("on"), "h200");
  EXPECT_EQ(hardware[0].at("known_by"), "measured");
  EXPECT_EQ(hardware[0].at("error_percent"), shipped.at("errors").at("model"));
  EXPECT_EQ(hardware[1].at("on"), "mine");
  std::size_t found = 0;
  for (const Json& device : hardware) {
    if (device.at("hardware") != "L4") continue;
    ++found;
    EXPECT_EQ(device.at("known_by"), "datasheet");
    EXPECT_EQ(device.at("interval"), 0.6);
    EXPECT_EQ(device.at("device_bytes"), std::int64_t{24} << 30);
    EXPECT_EQ(device.at("dtypes"), hardware[0].at("dtypes"));
  }
  EXPECT_EQ(found, 1U);
  EXPECT_EQ(answer.at("problems").size(), 1U);
  EXPECT_EQ(text.find(folder.path().string()), std::string::npos);  // No path of the machine.
}

}  // namespace
}  // namespace wattree
