#include "src/models/tree/find_op.h"

#include <unordered_map>

namespace wattree {
namespace {

// The same operator under the names that traced scripts and backends give it.
struct OtherName {
  std::string_view aten;
  Op op;
};
constexpr OtherName kOtherNames[] = {
    {"_convolution", Op::kConvolution},
    {"cudnn_convolution", Op::kConvolution},
    {"mkldnn_convolution", Op::kConvolution},
    {"miopen_convolution", Op::kConvolution},
    {"convolution_overrideable", Op::kConvolution},
    {"cudnn_batch_norm", Op::kBatchNorm},
    {"miopen_batch_norm", Op::kBatchNorm},
    {"_batch_norm_impl_index", Op::kBatchNorm},
    {"_native_batch_norm_legit", Op::kBatchNorm},
    {"_native_batch_norm_legit_no_training", Op::kBatchNorm},
};

}  // namespace

std::optional<Op> find_op(std::string_view aten) {
  static const std::unordered_map<std::string_view, Op> ops = [] {
    std::unordered_map<std::string_view, Op> found;
    for (std::size_t i = 1; i < kOpCount; ++i) found.emplace(kOpFacts[i].aten, static_cast<Op>(i));
    for (const OtherName& other : kOtherNames) found.emplace(other.aten, other.op);
    return found;
  }();
  if (aten.starts_with("_scaled_dot_product_")) return Op::kSdpa;
  auto found = ops.find(aten);
  if (found == ops.end() && aten.ends_with('_')) found = ops.find(aten.substr(0, aten.size() - 1));
  if (found == ops.end()) return std::nullopt;
  return found->second;
}

}  // namespace wattree
