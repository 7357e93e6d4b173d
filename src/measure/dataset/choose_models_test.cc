#include "src/measure/dataset/choose_models.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

DatasetTree tree(const std::string& model, const std::string& protocol) {
  DatasetTree out;
  out.model_name = model;
  out.protocol = protocol;
  return out;
}

TEST(ChooseModels, TreesOfDifferentProtocolsAreNotMixed) {
  const std::vector<DatasetTree> trees{tree("a", "wattree-torch-1"), tree("b", "wattree-native-1"),
                                       tree("c", "")};
  const Result<ChosenTrees> mixed = choose_models(trees, {});
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().message,
            "b was measured by the protocol wattree-native-1, and a by wattree-torch-1");
  ModelChoice choice;
  choice.exclude = {"b"};
  EXPECT_EQ(choose_models(trees, choice).value().trees.size(), 2U);  // Files that do not say pass.
}

}  // namespace
}  // namespace wattree
