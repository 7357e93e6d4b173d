// The plain transformer layer with its norms in front, as vision encoders and CLIP's text encoder
// have it: x + attention(norm(x)), then x + mlp(norm(x)).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/models/config/config.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

// What the parts are called.
struct PreNormNames {
  std::string_view layer, attention, mlp;  // Classes.
  std::string_view attention_name, output_name, first_norm, second_norm;
};

struct PreNormEncoder {
  std::int64_t hidden, layers, heads, head_dim, intermediate;
  std::string activation;
  Bias qkv_bias = Bias::kYes;
};

// The fields all of these spell alike, with the family's defaults in `defaults`.
PreNormEncoder read_pre_norm_encoder(ConfigReader& config, const PreNormEncoder& defaults);

// layers.0, layers.1, … in the module that is open.
Tensor pre_norm_layers(const PreNormEncoder& encoder, const PreNormNames& names, Tensor x,
                       const AttentionOptions& options);

// The patches of an image [b, channels, h, w] as tokens [b, patches, hidden]. `patch` is [h, w].
Tensor patch_tokens(const Tensor& pixels, std::string_view name, std::int64_t hidden,
                    const Dims& patch, Bias bias);

}  // namespace wattree
