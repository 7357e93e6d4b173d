// Element types of tensors, and the precisions a user can ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wattree {

enum class DType : std::uint8_t {
  kFloat32,
  kBfloat16,
  kFloat16,
  kFloat64,
  kInt64,
  kInt32,
  kInt8,
  kBool
};

constexpr std::int64_t byte_size(DType type) {
  switch (type) {
    case DType::kFloat64:
    case DType::kInt64: return 8;
    case DType::kFloat32:
    case DType::kInt32: return 4;
    case DType::kBfloat16:
    case DType::kFloat16: return 2;
    case DType::kInt8:
    case DType::kBool: return 1;
  }
  return 0;
}

constexpr bool is_floating(DType type) {
  return type == DType::kFloat32 || type == DType::kBfloat16 || type == DType::kFloat16 ||
         type == DType::kFloat64;
}

// "f32", "bf16", "i64", "b8", …: the short names of the reference records.
std::string_view short_name(DType type);

// What `--dtype` takes. tf32 is fp32 in memory and only changes how fast matrix products run; int8
// and int4 store weight matrices in one and half a byte an element, while everything else is bf16.
enum class Precision : std::uint8_t { kFp32, kTf32, kBf16, kFp16, kInt8, kInt4 };

std::string_view name_of(Precision precision);
std::optional<Precision> parse_precision(std::string_view text);

// The type of activations, norms and biases, and of weight matrices that are not quantised.
constexpr DType activation_dtype(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
    case Precision::kTf32: return DType::kFloat32;
    case Precision::kFp16: return DType::kFloat16;
    case Precision::kBf16:
    case Precision::kInt8:
    case Precision::kInt4: return DType::kBfloat16;
  }
  return DType::kFloat32;
}

// Bits of one element of a weight matrix.
constexpr std::int64_t weight_bits(Precision precision) {
  switch (precision) {
    case Precision::kInt8: return 8;
    case Precision::kInt4: return 4;
    default: return 8 * byte_size(activation_dtype(precision));
  }
}

}  // namespace wattree
