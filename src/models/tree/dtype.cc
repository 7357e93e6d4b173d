#include "src/models/tree/dtype.h"

#include <array>
#include <utility>

namespace wattree {

std::string_view short_name(DType type) {
  switch (type) {
    case DType::kFloat32: return "f32";
    case DType::kBfloat16: return "bf16";
    case DType::kFloat16: return "f16";
    case DType::kFloat64: return "f64";
    case DType::kInt64: return "i64";
    case DType::kInt32: return "i32";
    case DType::kInt8: return "i8";
    case DType::kBool: return "b8";
  }
  return "?";
}

namespace {
constexpr std::array<std::pair<Precision, std::string_view>, 6> kPrecisions{
    {{Precision::kFp32, "fp32"},
     {Precision::kTf32, "tf32"},
     {Precision::kBf16, "bf16"},
     {Precision::kFp16, "fp16"},
     {Precision::kInt8, "int8"},
     {Precision::kInt4, "int4"}}};
// How a config file spells them.
constexpr std::array<std::pair<Precision, std::string_view>, 6> kSpellings{
    {{Precision::kFp32, "float32"},
     {Precision::kFp32, "float"},
     {Precision::kBf16, "bfloat16"},
     {Precision::kFp16, "float16"},
     {Precision::kFp16, "half"},
     {Precision::kTf32, "tfloat32"}}};
}  // namespace

std::string_view name_of(Precision precision) {
  for (const auto& [value, name] : kPrecisions) {
    if (value == precision) return name;
  }
  return "?";
}

std::optional<Precision> parse_precision(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (const auto& table : {kPrecisions, kSpellings}) {
    for (const auto& [value, name] : table) {
      if (name == text) return value;
    }
  }
  return std::nullopt;
}

}  // namespace wattree
