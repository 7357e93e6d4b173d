// What models of a family read and write, as people sort them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/models/families/family.h"

namespace wattree {

enum class ModelKind : std::uint8_t { kEncoder, kDecoder, kEncoderDecoder, kVision, kSpeech };
std::string_view name_of(ModelKind kind);  // "encoder-decoder"
std::optional<ModelKind> parse_model_kind(std::string_view text);

// A family whose language models only look back is one of decoders; one that has masked language
// models, or none, is one of encoders.
ModelKind kind_of(const Family& family);

}  // namespace wattree
