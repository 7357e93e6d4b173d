// Config fields that many families read, and checks they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/models/config/config.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

// The name of an activation function; one we do not know is an error of that field.
std::string activation_field(ConfigReader& config, ConfigReader::Names names,
                             std::string_view otherwise);

// Labels of a classification head: num_labels, or as many as id2label has.
std::int64_t label_count(ConfigReader& config, std::int64_t otherwise = 2);

// An image's or a patch's size as [height, width]: one number for both, or a list of the two.
Dims height_and_width(ConfigReader& config, std::string_view name, std::int64_t otherwise);

// The field of a request that makes a sequence as long as it is: that of the source, or of a model
// with one sequence only, and that of the decoder's input.
std::string_view length_field(const Pass& pass);
std::string_view target_length_field(const Pass& pass);

// A learned table of positions must reach to the end of the sequence. `field` is the config's,
// `request_field` the one that makes the sequence so long.
void check_positions(ConfigReader& config, std::int64_t needed, std::int64_t available,
                     std::string_view field, std::string_view request_field);

// Encoders, and the first GPT, have no cache to decode over; false (and an error) where the pass
// asks for one.
bool is_full_pass(ConfigReader& config, const Trace& trace);

// The rope's settings: rope_scaling, as older files spell it, or else rope_parameters.
std::optional<ConfigReader> rope_settings(ConfigReader& config);
RopeKind rope_kind(ConfigReader& config);
// The same from its name.
RopeKind rope_kind(std::string_view type);
// How many of a head's dimensions turn: head_dim * partial_rotary_factor.
std::int64_t rotary_size(ConfigReader& config, std::int64_t head_dim, double default_factor);

// Which layers slide, by `layer_types`; empty where absent.
std::vector<bool> sliding_layers(ConfigReader& config, std::int64_t layers);

// Some models look whether the first or last token is padding, where a padding token is known
// (warn_if_padding_and_no_attention_mask).
void look_for_padding(const Tensor& ids, bool has_padding_token);

// "layers.3"
std::string item(std::string_view list, std::int64_t index);

}  // namespace wattree
