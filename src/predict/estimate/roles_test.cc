// Energy here is proportional to FLOPs of matrix products, so that shares follow from the sizes in
// a config by hand.
#include "src/predict/estimate/roles.h"

#include <gtest/gtest.h>

#include <map>

#include "src/base/file.h"
#include "src/models/families/build_model.h"

namespace wattree {
namespace {

BuiltModel build(const std::string& name, const PassShape& query = {}) {
  const Result<std::string> config = read_file(WATTREE_SOURCE_DIR "/data/models/" + name + ".json");
  EXPECT_TRUE(config.ok()) << config.error().message;
  Result<BuiltModel> built = build_model(name, config.value(), "test", query);
  EXPECT_TRUE(built.ok()) << built.error().message;
  return std::move(built).value();
}

// A joule for each FLOP of a product, and `each` for every kernel.
std::vector<NodeEstimate> estimates_of(const ModelTree& tree, double each) {
  std::vector<NodeEstimate> out(tree.nodes().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Node& node = tree.nodes()[i];
    if (node.op == Op::kNone) continue;
    out[i].own = Joules(static_cast<double>(node.matmul_flops) + each);
  }
  return out;
}

std::map<Role, double> shares_of(const std::string& model, const PassShape& query = {},
                                 double each = 0) {
  const BuiltModel built = build(model, query);
  std::map<Role, double> out;
  for (const RoleShare& share : role_shares(built.tree, estimates_of(built.tree, each))) {
    out[share.role] = share.share;
  }
  return out;
}

PassShape as(const std::string& class_name) {
  PassShape query;
  query.as = class_name;
  return query;
}

class RolesOfFamily : public testing::TestWithParam<const char*> {};

TEST_P(RolesOfFamily, SharesAddUpToOneAndOtherWorkIsSmall) {
  // A thousand FLOPs for each kernel, so that those without products count, too.
  const std::map<Role, double> shares = shares_of(GetParam(), {}, 1e3);
  double sum = 0;
  for (const auto& [role, share] : shares) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(shares.at(Role::kAttention), 0);
  EXPECT_GT(shares.at(Role::kAttentionProjections), 0);
  EXPECT_GT(shares.at(Role::kNormAndResidual), 0);
  EXPECT_GT(shares.at(Role::kEmbeddings), 0);
  EXPECT_LT(shares.contains(Role::kOther) ? shares.at(Role::kOther) : 0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Families, RolesOfFamily,
                         testing::Values("bert-base-uncased", "gpt2", "llama-3.2-1b", "t5-small",
                                         "mixtral-8x7b", "whisper-tiny", "vit-base-patch16-224"));

TEST(Roles, AttentionProjectionsAreHalfOfAFourfoldFeedForwardLayer) {
  // 4 products of h × h beside 2 of h × 4h.
  for (const char* model : {"bert-base-uncased", "gpt2", "vit-base-patch16-224"}) {
    const std::map<Role, double> shares = shares_of(model);
    EXPECT_NEAR(shares.at(Role::kFeedForward) / shares.at(Role::kAttentionProjections), 2, 1e-9)
        << model;
  }
}

TEST(Roles, LlamasQueriesShareKeysAndGatesAreFeedForward) {
  // Llama 3.2 1B: h = 2048, 8192 between, 32 heads of 64 over 8 of keys and values.
  const std::map<Role, double> shares = shares_of("llama-3.2-1b");
  EXPECT_NEAR(shares.at(Role::kFeedForward) / shares.at(Role::kAttentionProjections),
              3.0 * 8192 / (2.0 * 2048 + 2.0 * 512), 1e-9);
}

TEST(Roles, ExpertsAreNoFeedForwardLayers) {
  const std::map<Role, double> shares = shares_of("mixtral-8x7b");
  EXPECT_FALSE(shares.contains(Role::kFeedForward));
  EXPECT_GT(shares.at(Role::kExperts), 0.5);
}

TEST(Roles, EncodersAndDecodersOfT5AreAlike) {
  // t5-small: h = 512, 2048 between, 8 heads of 64; source and target are 128 tokens each. A layer
  // of the decoder attends twice, so that 6 pairs of layers have 12 products for each pair's 4.
  const std::map<Role, double> shares = shares_of("t5-small");
  EXPECT_NEAR(shares.at(Role::kFeedForward) / shares.at(Role::kAttentionProjections),
              (2 * 2.0 * 2048) / (3 * 4.0 * 512), 1e-9);
}

TEST(Roles, SoundAndPicturesGoThroughConvolutionsFirst) {
  EXPECT_GT(shares_of("whisper-tiny").at(Role::kConvolution), 0);
  // Patches of 16 × 16 × 3 values become 768, beside 12 layers of 12 · 768².
  const std::map<Role, double> vit = shares_of("vit-base-patch16-224");
  EXPECT_NEAR(vit.at(Role::kConvolution) / vit.at(Role::kFeedForward),
              196.0 * 768 * 768 / (197.0 * 12 * 8 * 768 * 768), 1e-9);
}

TEST(Roles, AHeadFollowsTheLastLayer) {
  EXPECT_FALSE(shares_of("gpt2", as("base")).contains(Role::kHead));
  // 50257 words beside 12 layers of 8 · 768 in the feed-forward layers.
  const std::map<Role, double> shares = shares_of("gpt2", as("GPT2LMHeadModel"));
  EXPECT_NEAR(shares.at(Role::kHead) / shares.at(Role::kFeedForward), 50257.0 / (12 * 8 * 768),
              1e-9);
}

TEST(Roles, AModuleHasTheRoleThatItsKernelsShare) {
  const BuiltModel built = build("bert-base-uncased");
  const std::vector<std::optional<Role>> roles = roles_of(built.tree);
  const auto role_at = [&](std::string_view scope) -> std::optional<Role> {
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if (built.tree.nodes()[i].scope == scope) return roles[i];
    }
    ADD_FAILURE() << scope;
    return std::nullopt;
  };
  EXPECT_EQ(role_at("encoder.layer.0.intermediate"), Role::kFeedForward);
  EXPECT_EQ(role_at("encoder.layer.0.attention.self.query"), Role::kAttentionProjections);
  EXPECT_EQ(role_at("encoder.layer.0.attention.output.LayerNorm"), Role::kNormAndResidual);
  EXPECT_EQ(role_at("encoder.layer.0.attention"), std::nullopt);
  EXPECT_EQ(role_at(""), std::nullopt);
}

TEST(Roles, TheSentenceNamesTheLargestAndAddsUp) {
  EXPECT_EQ(where_energy_goes({{Role::kFeedForward, Joules(6), 0.604},
                               {Role::kAttentionProjections, Joules(2), 0.204},
                               {Role::kAttention, Joules(1), 0.104},
                               {Role::kHead, Joules(1), 0.048},
                               {Role::kEmbeddings, Joules(1), 0.04}}),
            "60 % of the energy goes into feed-forward layers, 20 % into attention projections, "
            "10 % into attention itself and 10 % elsewhere.");
  EXPECT_EQ(where_energy_goes({{Role::kConvolution, Joules(1), 1.0}}),
            "100 % of the energy goes into convolutions.");
  EXPECT_EQ(where_energy_goes({}), "");
}

}  // namespace
}  // namespace wattree
