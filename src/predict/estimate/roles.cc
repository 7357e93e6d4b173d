#include "src/predict/estimate/roles.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/text.h"

namespace wattree {
namespace {

struct RoleText {
  std::string_view name;    // In JSON.
  std::string_view phrase;  // In a sentence.
};
constexpr std::array<RoleText, kRoleCount> kTexts = {{
    {"feed_forward", "feed-forward layers"},
    {"experts", "experts"},
    {"attention_projections", "attention projections"},
    {"attention", "attention itself"},
    {"norm_and_residual", "norms and residuals"},
    {"embeddings", "embeddings"},
    {"head", "the head"},
    {"convolution", "convolutions"},
    {"recurrent", "recurrent layers"},
    {"other", "other work"},
}};

// Where in a model a node stands. A kernel's role follows from that and from what it computes.
enum class Place : std::uint8_t { kOutside, kLayer, kAttention, kExperts, kEmbeddings, kNorm };

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "encoder.layer.11" -> "11"
std::string_view last_part(std::string_view scope) {
  return scope.substr(scope.find_last_of('.') + 1);
}

bool is_numbered(const Node& node) {
  const std::string_view name = last_part(node.scope);
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Models name their modules after what they are; `around` is where the parent stands.
Place place_of(const Node& node, Place around) {
  if (has(node.scope, ":")) return around;  // A kernel between modules.
  const std::string_view type = node.type;
  const std::string_view name = last_part(node.scope);
  if (type.ends_with("Norm") || has(name, "norm")) return Place::kNorm;
  if (around == Place::kAttention || around == Place::kExperts) return around;
  // Rotary positions are made outside of the layers, for attention alone.
  if (has(type, "Attention") || has(type, "Rotary") || has(name, "attn") ||
      has(name, "attention")) {
    return Place::kAttention;
  }
  if (has(type, "SparseMoe") || has(type, "Expert")) return Place::kExperts;
  if (has(type, "Embedding") || has(name, "embed")) return Place::kEmbeddings;
  // Layers are numbered. What is not comes before the first or after the last.
  return is_numbered(node) ? Place::kLayer : around;
}

bool has_weight(const ModelTree& tree, const Node& kernel) {
  const auto inputs = tree.inputs(kernel);
  return std::any_of(inputs.begin(), inputs.end(), [](const Operand& o) { return o.is_weight; });
}

// A sum beside the blocks of a layer: in the layer itself, or in one of BERT's output modules.
bool is_residual(const Node& kernel, const Node& module) {
  return (kernel.op == Op::kAdd || kernel.op == Op::kAddInPlace) &&
         (is_numbered(module) || module.type.ends_with("Output"));
}

Role role_of(const ModelTree& tree, const Node& kernel, Place place) {
  const OpClass op = facts_of(kernel.op).op_class;
  const bool is_product = op == OpClass::kMatmul;
  if (op == OpClass::kConvolution) return Role::kConvolution;
  if (op == OpClass::kRecurrent) return Role::kRecurrent;
  if (op == OpClass::kAttention) return Role::kAttention;
  if (op == OpClass::kNormalization) return Role::kNormAndResidual;
  if (kernel.parent >= 0 &&
      is_residual(kernel, tree.nodes()[static_cast<std::size_t>(kernel.parent)])) {
    return Role::kNormAndResidual;
  }
  switch (place) {
    case Place::kNorm: return Role::kNormAndResidual;
    case Place::kExperts: return Role::kExperts;
    case Place::kEmbeddings: return Role::kEmbeddings;
    case Place::kAttention:
      return is_product && has_weight(tree, kernel) ? Role::kAttentionProjections
                                                    : Role::kAttention;
    case Place::kLayer: return Role::kFeedForward;
    case Place::kOutside: return is_product ? Role::kHead : Role::kOther;
  }
  return Role::kOther;
}

// Parents come after their children, so that this walk goes backwards.
std::vector<Place> places_of(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<Place> out(nodes.size(), Place::kOutside);
  bool has_layers = false;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const std::int32_t parent = nodes[i].parent;
    out[i] =
        place_of(nodes[i], parent < 0 ? Place::kOutside : out[static_cast<std::size_t>(parent)]);
    has_layers = has_layers || out[i] == Place::kLayer;
  }
  // A model without numbered layers has no head that follows them either.
  if (!has_layers) std::replace(out.begin(), out.end(), Place::kOutside, Place::kLayer);
  return out;
}

}  // namespace

std::string_view name_of(Role role) { return kTexts[static_cast<std::size_t>(role)].name; }

std::string_view phrase_of(Role role) { return kTexts[static_cast<std::size_t>(role)].phrase; }

std::vector<std::optional<Role>> roles_of(const ModelTree& tree) {
  const auto nodes = tree.nodes();
  const std::vector<Place> places = places_of(tree);
  std::vector<std::optional<Role>> out(nodes.size());
  std::vector<bool> is_mixed(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op != Op::kNone) out[i] = role_of(tree, nodes[i], places[i]);
    if (nodes[i].parent < 0 || (!out[i] && !is_mixed[i])) continue;
    const auto parent = static_cast<std::size_t>(nodes[i].parent);
    is_mixed[parent] = is_mixed[parent] || is_mixed[i] || (out[parent] && out[parent] != out[i]);
    out[parent] = is_mixed[parent] ? std::nullopt : out[i];
  }
  return out;
}

std::vector<RoleShare> role_shares(const ModelTree& tree, const std::vector<NodeEstimate>& nodes) {
  const std::vector<std::optional<Role>> roles = roles_of(tree);
  std::array<double, kRoleCount> energy{};
  double whole = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    energy[static_cast<std::size_t>(roles[i].value_or(Role::kOther))] += nodes[i].own.value;
    whole += nodes[i].own.value;
  }
  std::vector<RoleShare> out;
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    if (energy[i] > 0) {
      out.push_back({static_cast<Role>(i), Joules(energy[i]), energy[i] / whole});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RoleShare& a, const RoleShare& b) { return a.share > b.share; });
  return out;
}

std::string where_energy_goes(const std::vector<RoleShare>& shares) {
  constexpr std::size_t kMostNamed = 3;
  constexpr long kLeastNamed = 5;  // Percent.
  std::vector<std::string> parts;
  long left = 100;
  for (const RoleShare& share : shares) {
    const long percent = std::min(left, std::lround(100 * share.share));
    if (parts.size() == kMostNamed || (percent < kLeastNamed && !parts.empty())) break;
    left -= percent;
    parts.push_back(std::to_string(percent) +
                    (parts.empty() ? " % of the energy goes into " : " % into ") +
                    std::string(kTexts[static_cast<std::size_t>(share.role)].phrase));
  }
  if (parts.empty()) return "";
  if (left > 0) parts.push_back(std::to_string(left) + " % elsewhere");
  return in_words(parts) + ".";
}

}  // namespace wattree
