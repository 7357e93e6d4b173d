// Choosing models, files of both kinds, and annotating.
#include <gtest/gtest.h>

#include <cmath>

#include "src/measure/dataset/choose_models.h"
#include "src/predict/fit/annotate.h"
#include "src/predict/fit/synthetic_trees.h"
#include "src/predict/fit/train.h"
#include "src/predict/irene/fit.h"
#include "src/predict/irene/test_trees.h"
#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

std::vector<DatasetTree> named(const std::vector<std::string>& names) {
  std::vector<DatasetTree> out;
  for (const std::string& name : names) out.push_back(synthetic_tree(name, 2, 32, 64));
  return out;
}

TEST(ChooseModels, LeavesTheModelOutThatThePaperDoesNotUse) {
  const auto trees = named({"a", "sshleifer/tiny-ctrl", "b", "a"});
  const auto chosen = choose_models(trees, {});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen.value().models, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(chosen.value().left_out, (std::vector<std::string>{"sshleifer/tiny-ctrl"}));
  EXPECT_EQ(chosen.value().trees,
            (std::vector<const DatasetTree*>{&trees[0], &trees[2], &trees[3]}));
  EXPECT_EQ(choose_models(trees, {{}, {}, true}).value().models.size(), 3U);
  EXPECT_EQ(choose_models(trees, {{"sshleifer/tiny-ctrl"}, {}, false}).value().trees.size(), 1U);
  EXPECT_EQ(choose_models(trees, {{}, {"a"}, false}).value().models,
            (std::vector<std::string>{"b"}));
}

TEST(ChooseModels, RefusesNamesItDoesNotKnowAndEmptyChoices) {
  const auto trees = named({"a", "b"});
  const auto unknown = choose_models(trees, {{"c"}, {}, false});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_NE(unknown.error().hint.find("a, b"), std::string::npos);
  EXPECT_FALSE(choose_models(trees, {{}, {"a", "b"}, false}).ok());
  EXPECT_FALSE(choose_models({}, {}).ok());
}

IrenePredictor irene_predictor(IreneAggregate aggregate) {
  const auto trees = sample_trees(1.05);
  std::vector<const DatasetTree*> all;
  for (const DatasetTree& tree : trees) all.push_back(&tree);
  IreneOptions options;
  options.aggregate = aggregate;
  options.epochs = 1;
  IrenePredictor p;
  p.name = "p";
  p.hardware = "a machine";
  p.meter = "a meter";
  p.dtypes = {"fp32"};
  p.models = {"a", "b"};
  p.trees = 16;
  p.errors = {1.5, std::nullopt, 2.5};
  p.model = fit_irene(all, options).value().model;
  return p;
}

Predictor own_predictor() {
  const auto trees = synthetic_trees({"a", "b", "c"});
  std::vector<const DatasetTree*> all;
  for (const DatasetTree& tree : trees) all.push_back(&tree);
  return train_predictor(work_of(all), {"p", "a machine", "a meter"}).value().predictor;
}

TEST(AnyPredictor, ReadsBackWhatItWrote) {
  for (const IreneAggregate aggregate : kIreneAggregates) {
    const IrenePredictor p = irene_predictor(aggregate);
    const std::string text = to_json(p);
    const auto read = parse_any_predictor(text, "p.json");
    ASSERT_TRUE(read.ok()) << read.error().message;
    const auto* irene = std::get_if<IrenePredictor>(&read.value());
    ASSERT_NE(irene, nullptr);
    EXPECT_EQ(irene->model, p.model);
    EXPECT_EQ(irene->errors, p.errors);
    EXPECT_EQ(to_json(*irene), text);
  }
  const std::string own = to_json(own_predictor());
  const auto read = parse_any_predictor(own, "p.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(std::get<Predictor>(read.value())), own);
}

TEST(AnyPredictor, RefusesWhatIsWrongAndSaysWhere) {
  const std::string good = to_json(irene_predictor(IreneAggregate::kEnd2End));
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& says) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = parse_any_predictor(text, "p.json");
    ASSERT_FALSE(read.ok()) << to;
    EXPECT_EQ(read.error().message.rfind("p.json: ", 0), 0U) << read.error().message;
    EXPECT_NE(read.error().message.find(says), std::string::npos) << read.error().message;
  };
  refused("\"version\": 1", "\"version\": 2", "version 2");
  refused("wattree-predictor", "something-else", "format");
  refused("\"kind\": \"end2end\"", "\"kind\": \"magic\"", "magic");
  refused("\"kind\": \"end2end\"", "\"kind\": \"stepwise\"", "irene.aggregate");
  refused("\"boundary\": \"wall\"", "\"boundary\": \"moon\"", "boundary");
  refused("\"trees\": 16", "\"trees\": -1", "training.trees");
  refused("\"ml\": 1.5", "\"ml\": \"good\"", "errors_percent.ml");
  refused("\"irene\":", "\"irene2\":", "\"irene\" is missing");
  refused("\"tau\": 10", "\"tau\": 0", "tau");
  refused("\"tau\": 10", "\"tau\": NaN", "JSON");
  for (const char* text : {"", "[]", "{", "null", "{}"}) {
    EXPECT_FALSE(parse_any_predictor(text, "p.json").ok()) << text;
  }
}

TEST(Annotate, FillsEveryNodeSoThatItAddsUp) {
  Annotator annotator(own_predictor());
  DatasetTree tree = synthetic_tree("new", 3, 77, 320);
  tree.nodes[0].predicted = Joules(-1);  // From somebody else.
  annotator.annotate(tree, {Known::kNode, true});
  std::vector<double> children(tree.nodes.size(), 0.0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const DatasetNode& node = tree.nodes[i];
    ASSERT_TRUE(node.predicted && node.predicted_own && node.predicted_low && node.predicted_high);
    EXPECT_NEAR(node.predicted->value / node.energy->value, 1, 0.01);
    EXPECT_NEAR(node.predicted_own->value + children[i], node.predicted->value,
                1e-9 * node.predicted->value);
    EXPECT_LE(node.predicted_low->value, node.predicted->value);
    EXPECT_GE(node.predicted_high->value, node.predicted->value);
    if (node.parent >= 0) children[static_cast<std::size_t>(node.parent)] += node.predicted->value;
  }
}

TEST(Annotate, GivesANodeTheIntervalOfWhatIsKnownOfIt) {
  Predictor predictor = own_predictor();
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    Spread spread;
    spread.energy.fill(0.1 * static_cast<double>(k + 1));
    spread.twin_energy = 0.9;
    predictor.spreads[k] = spread;
  }
  Annotator annotator(predictor);
  DatasetTree tree = synthetic_tree("new", 3, 77, 320);
  const std::size_t root = tree.nodes.size() - 1;
  const auto half_width = [&](std::size_t node) {
    return tree.nodes[node].predicted_high->value / tree.nodes[node].predicted->value - 1;
  };
  annotator.annotate(tree, {Known::kNode, true});
  EXPECT_NEAR(half_width(root), 0.4, 1e-9);  // Read itself.
  Features& of_root = tree.nodes[root].features;
  of_root = Features{};
  annotator.annotate(tree, {Known::kNode, true});
  EXPECT_NEAR(half_width(root), 0.2, 1e-9);  // Its leaves were read.
  tree.nodes[0].features.set(Feature::kTime, 0);
  annotator.annotate(tree, {Known::kNode, true});
  EXPECT_NEAR(half_width(root), 0.1, 1e-9);  // Not all of them.
}

TEST(Annotate, LeavesOutWhatIreneCannotSay) {
  Annotator annotator(irene_predictor(IreneAggregate::kSum));
  DatasetTree tree = sample_trees(1.05)[0];
  annotator.annotate(tree, {});
  EXPECT_TRUE(tree.root().predicted.has_value());
  EXPECT_FALSE(tree.root().predicted_low.has_value());
  tree.nodes[0].instance_type = "Unheard";
  annotator.annotate(tree, {});
  EXPECT_FALSE(tree.nodes[0].predicted.has_value());
  EXPECT_FALSE(tree.root().predicted.has_value());
  EXPECT_TRUE(tree.nodes[1].predicted.has_value());
  EXPECT_EQ(annotator.warnings().size(), 1U);
}

}  // namespace
}  // namespace wattree
