#include "src/server/routes/openapi.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "src/server/routes/application.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

Routes routes() {
  const auto nothing = [] { return std::string(); };
  return all_routes({nothing, nothing});
}

void collect_references(const Json& json, std::set<std::string>& out) {
  if (json.is_object() && json.contains("$ref")) out.insert(json.at("$ref").get<std::string>());
  for (const Json& part : json) {
    if (part.is_structured()) collect_references(part, out);
  }
}

TEST(OpenApi, CommittedDocumentIsCurrent) {
  std::ifstream file(WATTREE_SOURCE_DIR "/docs/openapi.json");
  const std::string committed((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(committed == openapi_document())
      << "write it anew: ninja -C build/release write_openapi && "
         "build/release/bin/write_openapi > docs/openapi.json";
}

TEST(OpenApi, HasEveryRouteOnce) {
  const Json document = Json::parse(openapi_document());
  std::set<std::string> operations;
  std::size_t count = 0;
  for (const auto& [path, methods] : document.at("paths").items()) {
    for (const auto& [method, operation] : methods.items()) {
      operations.insert(operation.at("operationId").get<std::string>());
      ++count;
    }
  }
  EXPECT_EQ(count, routes().size());
  EXPECT_EQ(operations.size(), count) << "names of operations are unique";
}

TEST(OpenApi, RefersOnlyToWhatItHas) {
  const Json document = Json::parse(openapi_document());
  std::set<std::string> references;
  collect_references(document, references);
  EXPECT_GT(references.size(), 10u);
  for (const std::string& reference : references) {
    ASSERT_TRUE(reference.starts_with("#/")) << reference;
    EXPECT_TRUE(document.contains(Json::json_pointer(reference.substr(1)))) << reference;
  }
}

TEST(OpenApi, DescribesEveryParameterWithAnExample) {
  for (const Route& route : routes()) {
    EXPECT_FALSE(route.summary.empty()) << route.operation;
    EXPECT_TRUE(route.summary.ends_with('.')) << route.operation;
    EXPECT_TRUE(route.handle) << route.operation;
    for (const Parameter& parameter : route.parameters) {
      EXPECT_TRUE(parameter.description.ends_with('.')) << route.operation << " " << parameter.name;
      EXPECT_FALSE(parameter.example.empty()) << route.operation << " " << parameter.name;
      // No flags of the command line.
      EXPECT_EQ(parameter.description.find("--"), std::string::npos) << parameter.name;
    }
  }
}

}  // namespace
}  // namespace wattree
