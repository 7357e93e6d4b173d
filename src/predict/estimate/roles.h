// What the parts of a model are for, and how the predicted energy spreads over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/units.h"
#include "src/models/tree/model_tree.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

enum class Role : std::uint8_t {
  kFeedForward,
  kExperts,               // Feed-forward layers of which each token takes a few, and their router.
  kAttentionProjections,  // Products with weights: queries, keys, values and output.
  kAttention,             // Scores, softmax, weighted sums, and positions that go into them.
  kNormAndResidual,
  kEmbeddings,
  kHead,  // What follows the last layer: pooler, classifier, language-model head.
  kConvolution,
  kRecurrent,
  kOther,
};
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::kOther) + 1;
// "feed_forward", as in JSON.
std::string_view name_of(Role role);
// "feed-forward layers", as in sentences.
std::string_view phrase_of(Role role);

// One for each node, in the tree's order. A module has the role that all of its kernels have, and
// none where they differ.
std::vector<std::optional<Role>> roles_of(const ModelTree& tree);

struct RoleShare {
  Role role = Role::kOther;
  Joules energy = {};
  double share = 0;  // Of the whole: shares of one list add up to one.
};
// Largest first; roles that take no energy are left out.
std::vector<RoleShare> role_shares(const ModelTree& tree, const std::vector<NodeEstimate>& nodes);

// "61 % of the energy goes into feed-forward layers, 30 % into attention projections and 9 %
// elsewhere." Empty where there is no energy.
std::string where_energy_goes(const std::vector<RoleShare>& shares);

}  // namespace wattree
