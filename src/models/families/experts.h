// The sparse feed-forward part of a mixture of experts: a router sends every token to a few gated
// MLPs, which are run as one grouped product over the tokens sorted by expert (Transformers'
// "grouped_mm" implementation, its default).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/models/config/config.h"
#include "src/models/families/rope_decoder.h"
#include "src/models/symbolic/nn.h"

namespace wattree {

struct Experts {
  std::string prefix;  // "Mixtral": MixtralSparseMoeBlock, MixtralTopKRouter, MixtralExperts.
  std::int64_t count = 0, per_token = 0;
  std::int64_t intermediate = 0;  // Of one expert.
  std::string activation;
  bool normalizes = false;     // A token's weights are made to sum to one.
  bool weighs_in_f32 = false;  // The weights stay in fp32, and so does what they weigh.
  std::optional<std::int64_t> shared =
      std::nullopt;  // The width of one more expert that sees every token.
};

// Reads `num_experts_per_tok` and rejects what the library would, or what is not run as said above.
// `count` is already there, under the name that the family gives it.
void read_routing(ConfigReader& config, Experts& experts, std::int64_t per_token);

// Which layers are sparse: `mlp_only_layers` and every `decoder_sparse_step`-th other one.
std::vector<bool> read_sparse_layers(ConfigReader& config, std::int64_t layers);

// Makes experts the feed-forward part of the layers that are `sparse` (empty: of all), and has
// ForCausalLM balance their load where the config asks for the routers' output.
void add_experts(ConfigReader& config, const Experts& experts, const std::vector<bool>& sparse,
                 RopeDecoder& model);

// The block over [b, s, hidden].
Tensor sparse_block(const Tensor& x, std::string_view name, const Experts& experts);

// What ForCausalLM computes from the routers' logits of all sparse layers, although without labels
// there is no loss to add it to.
void load_balancing_loss(Trace& trace, const Experts& experts, std::int64_t sparse_layers);

}  // namespace wattree
