#include "src/models/families/model_kind.h"

#include <algorithm>
#include <array>

namespace wattree {
namespace {

constexpr std::array<std::string_view, 5> kKindNames = {"encoder", "decoder", "encoder-decoder",
                                                        "vision", "speech"};

bool has_class(const Family& family, std::initializer_list<std::string_view> endings) {
  return std::any_of(family.classes.begin(), family.classes.end(), [&](const ModelClass& known) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view ending) { return known.name.ends_with(ending); });
  });
}

}  // namespace

std::string_view name_of(ModelKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<ModelKind> parse_model_kind(std::string_view text) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == text) return static_cast<ModelKind>(i);
  }
  return std::nullopt;
}

ModelKind kind_of(const Family& family) {
  if (family.is_encoder_decoder) {
    return family.has_text_source ? ModelKind::kEncoderDecoder : ModelKind::kSpeech;
  }
  if (!family.has_text_source) return ModelKind::kVision;
  const bool looks_back = has_class(family, {"ForCausalLM", "LMHeadModel"});
  return looks_back && !has_class(family, {"ForMaskedLM"}) ? ModelKind::kDecoder
                                                           : ModelKind::kEncoder;
}

}  // namespace wattree
