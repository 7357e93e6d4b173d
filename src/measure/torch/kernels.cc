// The ops a leaf can be, as calls of ATen. Where the trace gave no numbers, the framework's
// defaults stand; numbers are in the order that src/models/symbolic emits them.
#include <ATen/ATen.h>
#include <torch/version.h>

#include <cmath>
#include <string_view>
#include <unordered_map>

#include "src/measure/torch/program.h"

// Debian 12 has 1.13, which lacks some functions of today.
#define WATTREE_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||          \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace wattree::torch_plugin {
namespace {

using Tensors = std::vector<at::Tensor>;
using A = const Arguments&;

// A number as Python would pass it: whole to whole tensors, so that types stay.
at::Scalar scalar_for(const at::Tensor& x, double number) {
  const bool is_whole = at::isIntegralType(x.scalar_type(), true) && number == std::floor(number);
  return is_whole ? at::Scalar(static_cast<std::int64_t>(number)) : at::Scalar(number);
}
at::Scalar scalar(A a, double otherwise = 1) { return scalar_for(a.in(0), a.number(0, otherwise)); }

at::TensorOptions options_of(A a) {
  return at::TensorOptions().dtype(a.outputs.at(0).dtype).device(a.device);
}
const std::vector<std::int64_t>& size_of(A a) { return a.outputs.at(0).size; }

template <at::Tensor (*function)(const at::Tensor&)>
Tensors unary(A a) {
  return {function(a.in(0))};
}

// Two tensors, or a tensor and a number.
template <at::Tensor (*with_tensor)(const at::Tensor&, const at::Tensor&),
          at::Tensor (*with_number)(const at::Tensor&, const at::Scalar&), int otherwise = 1>
Tensors binary(A a) {
  return {a.inputs.size() > 1 ? with_tensor(a.in(0), a.in(1))
                              : with_number(a.in(0), scalar(a, otherwise))};
}

// Along numbers {dimension, keep}; over everything where the result is a single number.
template <class Along, class Whole>
Tensors reduce(A a, Along along, Whole whole) {
  if (a.outputs.at(0).size.empty() && a.numbers.empty()) return {whole()};
  const bool keeps = a.number(1, a.in(0).dim() == std::ssize(a.outputs.at(0).size)) != 0;
  return {along(a.whole(0, -1), keeps)};
}

Tensors fill(A a, double number) { return {at::full(size_of(a), number, options_of(a))}; }

#if !WATTREE_TORCH_AT_LEAST(2, 5)
// Grouped heads are repeated by hand where the framework does not.
at::Tensor repeat_heads(const at::Tensor& x, std::int64_t heads) {
  if (x.size(1) == heads) return x;
  const std::int64_t groups = heads / x.size(1);
  return x.unsqueeze(2)
      .expand({x.size(0), x.size(1), groups, x.size(2), x.size(3)})
      .reshape({x.size(0), heads, x.size(2), x.size(3)});
}
#endif

// Numbers {is causal, scale; 0: the default}.
Tensors attention(A a) {
  const at::Tensor& q = a.in(0);
  const bool is_causal = a.number(0, 0) != 0;
  const double given = a.number(1, 0);
#if WATTREE_TORCH_AT_LEAST(2, 5)
  const bool is_grouped = a.in(1).size(1) != q.size(1);
  const auto scale = given > 0 ? c10::optional<double>(given) : c10::nullopt;
  return {at::scaled_dot_product_attention(q, a.in(1), a.in(2), a.optional_in(3), 0.0, is_causal,
                                           scale, is_grouped)};
#else
  const double scale = given > 0 ? given : 1 / std::sqrt(static_cast<double>(q.size(3)));
  const at::Tensor k = repeat_heads(a.in(1), q.size(1));
  const at::Tensor v = repeat_heads(a.in(2), q.size(1));
  at::Tensor scores = at::matmul(q, k.transpose(2, 3)) * scale;
  if (a.inputs.size() > 3) scores = scores + a.in(3);
  if (is_causal) {
    const at::Tensor hidden =
        at::ones({q.size(2), k.size(2)}, q.options().dtype(at::kBool)).tril().logical_not();
    scores = scores.masked_fill(hidden, -INFINITY);
  }
  // As the fused kernels of today lay it out.
  const Operand& expected = a.outputs.at(0);
  const at::Tensor out = at::empty_strided(expected.size, expected.stride, q.options());
  return {out.copy_(at::matmul(at::softmax(scores, -1), v))};
#endif
}

Tensors layer_norm(A a) {
  auto [y, mean, deviation] = at::native_layer_norm(a.in(0), {a.in(0).size(-1)}, a.optional_in(1),
                                                    a.optional_in(2), a.number(0, 1e-5));
  return {y, mean, deviation};
}

Tensors softmax(A a) {
  const bool widens = a.in(0).scalar_type() == at::kHalf && a.outputs.at(0).dtype == at::kFloat;
  return {at::_softmax(a.in(0), a.whole(0, -1), widens)};
}

// Numbers {padding, groups, stride…}.
Tensors convolution(A a) {
  const std::size_t spatial = static_cast<std::size_t>(a.in(0).dim()) - 2;
  std::vector<std::int64_t> stride(spatial, 1);
  for (std::size_t i = 0; i < spatial; ++i) stride[i] = a.whole(2 + i, 1);
  const std::vector<std::int64_t> padding(spatial, a.whole(0, 0));
  const std::vector<std::int64_t> ones(spatial, 1);
  const std::vector<std::int64_t> zeros(spatial, 0);
  return {at::convolution(a.in(0), a.in(1), a.optional_in(2), stride, padding, ones, false, zeros,
                          a.whole(1, 1))};
}

Tensors lstm(A a) {
  const Tensors weights(a.inputs.begin() + 1, a.inputs.end());
  const auto layers = static_cast<std::int64_t>(weights.size() / 4);
  const at::Tensor state =
      at::zeros({layers, a.in(0).size(1), weights.at(1).size(1)}, a.in(0).options());
  return {std::get<0>(
      at::lstm(a.in(0), {state, state}, weights, true, layers, 0.0, false, false, false))};
}

// table[i, j, …] over leading dimensions, or over the one that numbers say.
Tensors index(A a) {
  c10::List<c10::optional<at::Tensor>> at_dimensions;
  for (std::int64_t d = a.whole(0, 0); d > 0; --d) at_dimensions.push_back(c10::nullopt);
  for (std::size_t i = 1; i < a.inputs.size(); ++i) at_dimensions.push_back(a.in(i));
  return {at::index(a.in(0), at_dimensions)};
}

Tensors index_put_in_place(A a) {
  c10::List<c10::optional<at::Tensor>> at_dimensions;
  for (std::size_t i = 1; i + 1 < a.inputs.size(); ++i) at_dimensions.push_back(a.in(i));
  at::Tensor self = a.in(0);
  return {at::index_put_(self, at_dimensions, a.inputs.back())};
}

Tensors repeat(A a) {
  std::vector<std::int64_t> times = size_of(a);
  const std::size_t extra = times.size() - static_cast<std::size_t>(a.in(0).dim());
  for (std::size_t i = extra; i < times.size(); ++i) {
    times[i] /= std::max<std::int64_t>(1, a.in(0).size(static_cast<std::int64_t>(i - extra)));
  }
  return {a.in(0).repeat(times)};
}

Tensors cat(A a) {
  // One part alone was joined to an empty one, which is no operand: a cache that begins. Without it
  // PyTorch takes another kernel.
  if (a.inputs.size() == 1)
    return {at::cat({at::empty({0}, a.in(0).options()), a.in(0)}, a.whole(0, 0))};
  return {at::cat(a.inputs, a.whole(0, 0))};
}

Tensors to_copy(A a) { return {at::_to_copy(a.in(0), options_of(a))}; }

Tensors clone(A a) {
  // A copy that keeps its layout, or one that straightens it: the strides that came out tell.
  const auto kept = at::MemoryFormat::Preserve;
  const bool straightens =
      a.outputs.at(0).stride == at::empty(size_of(a), at::kMeta).strides().vec();
  return {at::clone(a.in(0), straightens ? at::MemoryFormat::Contiguous : kept)};
}

Tensors clamp(A a) {
  // Whole numbers are indices, as a rule.
  const bool is_whole = at::isIntegralType(a.in(0).scalar_type(), true);
  return {at::clamp(a.in(0), scalar_for(a.in(0), a.number(0, is_whole ? 0 : -6e4)),
                    scalar_for(a.in(0), a.number(1, is_whole ? 1 : 6e4)))};
}

template <class Function>
Tensors in_place(A a, Function function) {
  at::Tensor self = a.in(0);
  function(self);
  return {self};
}

#if WATTREE_TORCH_AT_LEAST(2, 8)
Tensors grouped_mm(A a) { return {at::_grouped_mm(a.in(0), a.in(1), a.optional_in(2))}; }
#endif

const std::unordered_map<std::string_view, Tensors (*)(A)>& kernels() {
  static const std::unordered_map<std::string_view, Tensors (*)(A)> all {
    // Matrix products.
    {"addmm", [](A a) { return Tensors{at::addmm(a.in(0), a.in(1), a.in(2))}; }},
        {"mm", [](A a) { return Tensors{at::mm(a.in(0), a.in(1))}; }},
        {"bmm", [](A a) { return Tensors{at::bmm(a.in(0), a.in(1))}; }},
        {"baddbmm",
         [](A a) {
           return Tensors{at::baddbmm(a.in(0), a.in(1), a.in(2), a.number(0, 1), a.number(1, 1))};
         }},
#if WATTREE_TORCH_AT_LEAST(2, 8)
        {"_grouped_mm", grouped_mm},
#endif
        {"convolution", convolution}, {"scaled_dot_product_attention", attention}, {"lstm", lstm},
        // Softmax and norms.
        {"_softmax", softmax},
#if WATTREE_TORCH_AT_LEAST(2, 5)
        {"_safe_softmax", [](A a) { return Tensors{at::_safe_softmax(a.in(0), -1)}; }},
#else
      {"_safe_softmax", softmax},
#endif
        {"_log_softmax",
         [](A a) { return Tensors{at::_log_softmax(a.in(0), a.whole(0, -1), false)}; }},
        {"native_layer_norm", layer_norm},
        {"native_batch_norm",
         [](A a) {
           return Tensors{std::get<0>(at::native_batch_norm(a.in(0), a.in(1), a.in(2), a.in(3),
                                                            a.in(4), false, 0.1, 1e-5))};
         }},
        // Look-ups.
        {"embedding", [](A a) { return Tensors{at::embedding(a.in(0), a.in(1))}; }},
        {"index", index},
        {"index_select",
         [](A a) { return Tensors{at::index_select(a.in(0), a.whole(0, 0), a.in(1))}; }},
        {"gather", [](A a) { return Tensors{at::gather(a.in(0), a.whole(0, -1), a.in(1))}; }},
        {"index_put_", index_put_in_place},
        // Copies.
        {"clone", clone}, {"_to_copy", to_copy},
        {"copy_", [](A a) { return in_place(a, [&](at::Tensor& x) { x.copy_(a.in(1)); }); }},
        {"cat", cat}, {"stack", [](A a) { return Tensors{at::stack(a.inputs, a.whole(0, 0))}; }},
        {"constant_pad_nd",
         [](A a) {
           return Tensors{at::constant_pad_nd(a.in(0), {a.whole(0, 0), a.whole(1, 0)}, 0)};
         }},
        {"repeat", repeat},
        {"flip", [](A a) { return Tensors{at::flip(a.in(0), {a.whole(0, -1)})}; }},
        {"tril", [](A a) { return Tensors{at::tril(a.in(0))}; }},
        {"triu", [](A a) { return Tensors{at::triu(a.in(0))}; }},
        {"max_pool1d",
         [](A a) { return Tensors{at::max_pool1d(a.in(0), {a.whole(0, 1)}, {a.whole(1, 1)})}; }},
        {"avg_pool1d",
         [](A a) { return Tensors{at::avg_pool1d(a.in(0), {a.whole(0, 1)}, {a.whole(1, 1)})}; }},
        // New tensors.
        {"arange", [](A a) { return Tensors{at::arange(size_of(a).at(0), options_of(a))}; }},
        {"linspace",
         [](A a) { return Tensors{at::linspace(0, 1, size_of(a).at(0), options_of(a))}; }},
        {"full", [](A a) { return fill(a, a.number(0, 1)); }},
        {"full_like", [](A a) { return Tensors{at::full_like(a.in(0), a.number(0, 1))}; }},
        {"zeros", [](A a) { return Tensors{at::zeros(size_of(a), options_of(a))}; }},
        {"zeros_like", [](A a) { return Tensors{at::zeros_like(a.in(0))}; }},
        {"ones", [](A a) { return fill(a, 1); }},
        {"ones_like", [](A a) { return Tensors{at::ones_like(a.in(0))}; }},
        {"new_ones", [](A a) { return fill(a, 1); }},
        {"new_zeros", [](A a) { return Tensors{at::zeros(size_of(a), options_of(a))}; }},
        {"new_full", [](A a) { return fill(a, a.number(0, 1)); }},
        {"scalar_tensor",
         [](A a) { return Tensors{at::scalar_tensor(a.number(0, 0), options_of(a))}; }},
        {"fill_", [](A a) { return in_place(a, [&](at::Tensor& x) { x.fill_(scalar(a, 0)); }); }},
        // Element-wise, of two tensors or a tensor and a number.
        {"add",
         [](A a) {
           return Tensors{a.inputs.size() > 1 ? at::add(a.in(0), a.in(1))
                                              : at::add(a.in(0), scalar(a, 0))};
         }},
        {"sub",
         [](A a) {
           return Tensors{a.inputs.size() > 1 ? at::sub(a.in(0), a.in(1))
                                              : at::sub(a.in(0), scalar(a, 0))};
         }},
        {"rsub", [](A a) { return Tensors{at::rsub(a.in(0), scalar(a))}; }},
        {"mul", binary<at::mul, at::mul>}, {"div", binary<at::div, at::div>},
        {"pow",
         [](A a) {
           return Tensors{a.inputs.size() > 1 ? at::pow(a.in(0), a.in(1))
                                              : at::pow(a.in(0), scalar(a, 2))};
         }},
        {"floor_divide", binary<at::floor_divide, at::floor_divide>},
        {"remainder", binary<at::remainder, at::remainder>}, {"eq", binary<at::eq, at::eq, 0>},
        {"ne", binary<at::ne, at::ne, 0>}, {"lt", binary<at::lt, at::lt, 0>},
        {"le", binary<at::le, at::le, 0>}, {"gt", binary<at::gt, at::gt, 0>},
        {"ge", binary<at::ge, at::ge, 0>},
        {"bitwise_and", binary<at::bitwise_and, at::bitwise_and>},
        {"bitwise_or", binary<at::bitwise_or, at::bitwise_or>},
        {"logical_and", [](A a) { return Tensors{at::logical_and(a.in(0), a.in(1))}; }},
        {"logical_or", [](A a) { return Tensors{at::logical_or(a.in(0), a.in(1))}; }},
        {"minimum", [](A a) { return Tensors{at::minimum(a.in(0), a.in(1))}; }},
        {"maximum", [](A a) { return Tensors{at::maximum(a.in(0), a.in(1))}; }},
        {"where", [](A a) { return Tensors{at::where(a.in(0), a.in(1), a.in(2))}; }},
        {"masked_fill",
         [](A a) { return Tensors{at::masked_fill(a.in(0), a.in(1), scalar(a, 0))}; }},
        // Element-wise, of one.
        {"neg", unary<at::neg>}, {"abs", unary<at::abs>}, {"sqrt", unary<at::sqrt>},
        {"rsqrt", unary<at::rsqrt>}, {"reciprocal", unary<at::reciprocal>}, {"exp", unary<at::exp>},
        {"log", unary<at::log>}, {"log2", unary<at::log2>}, {"cos", unary<at::cos>},
        {"sin", unary<at::sin>}, {"erf", unary<at::erf>}, {"tanh", unary<at::tanh>},
        {"sigmoid", unary<at::sigmoid>}, {"relu", unary<at::relu>}, {"silu", unary<at::silu>},
        {"hardswish", unary<at::hardswish>}, {"mish", unary<at::mish>},
        {"bitwise_not", unary<at::bitwise_not>}, {"logical_not", unary<at::logical_not>},
        {"isinf", unary<at::isinf>}, {"sign", unary<at::sign>}, {"ceil", unary<at::ceil>},
        {"floor", unary<at::floor>},
        {"gelu",
         [](A a) { return Tensors{at::gelu(a.in(0), a.number(0, 0) != 0 ? "tanh" : "none")}; }},
        {"hardtanh", [](A a) { return Tensors{at::hardtanh(a.in(0), 0, 6)}; }},
        {"leaky_relu", [](A a) { return Tensors{at::leaky_relu(a.in(0))}; }},
        {"softplus", [](A a) { return Tensors{at::softplus(a.in(0))}; }}, {"clamp", clamp},
        {"log_sigmoid_forward",
         [](A a) { return Tensors{std::get<0>(at::log_sigmoid_forward(a.in(0)))}; }},
        // In place.
        {"add_",
         [](A a) {
           return in_place(a, [&](at::Tensor& x) {
             if (a.inputs.size() > 1) {
               x.add_(a.in(1));
             } else {
               x.add_(scalar(a, 0));
             }
           });
         }},
        {"sub_", [](A a) { return in_place(a, [&](at::Tensor& x) { x.sub_(a.in(1)); }); }},
        {"mul_",
         [](A a) {
           return in_place(a, [&](at::Tensor& x) {
             if (a.inputs.size() > 1) {
               x.mul_(a.in(1));
             } else {
               x.mul_(scalar(a));
             }
           });
         }},
        {"div_",
         [](A a) {
           return in_place(a, [&](at::Tensor& x) {
             if (a.inputs.size() > 1) {
               x.div_(a.in(1));
             } else {
               x.div_(scalar(a));
             }
           });
         }},
        {"clamp_",
         [](A a) {
           return in_place(a, [&](at::Tensor& x) {
             x.clamp_(scalar_for(x, a.number(0, 0)), scalar_for(x, a.number(1, 1e9)));
           });
         }},
        {"masked_fill_",
         [](A a) {
           return in_place(a, [&](at::Tensor& x) { x.masked_fill_(a.in(1), scalar(a, 0)); });
         }},
        // Reductions.
        {"mean",
         [](A a) {
           return reduce(
               a, [&](std::int64_t d, bool keeps) { return at::mean(a.in(0), {d}, keeps); },
               [&] { return at::mean(a.in(0)); });
         }},
        {"sum",
         [](A a) {
           return reduce(
               a, [&](std::int64_t d, bool keeps) { return at::sum(a.in(0), {d}, keeps); },
               [&] { return at::sum(a.in(0)); });
         }},
        {"amax",
         [](A a) {
           return reduce(
               a, [&](std::int64_t d, bool keeps) { return at::amax(a.in(0), {d}, keeps); },
               [&] { return at::amax(a.in(0)); });
         }},
        {"argmax",
         [](A a) {
           return reduce(
               a, [&](std::int64_t d, bool keeps) { return at::argmax(a.in(0), d, keeps); },
               [&] { return at::argmax(a.in(0)); });
         }},
        {"any",
         [](A a) {
           return reduce(
               a, [&](std::int64_t d, bool keeps) { return at::any(a.in(0), d, keeps); },
               [&] { return at::any(a.in(0)); });
         }},
        {"all",
         [](A a) {
           return reduce(
               a, [&](std::int64_t d, bool keeps) { return at::all(a.in(0), d, keeps); },
               [&] { return at::all(a.in(0)); });
         }},
        {"max", [](A a) { return Tensors{at::max(a.in(0))}; }},
        {"linalg_vector_norm",
         [](A a) {
           const std::vector<std::int64_t> along{a.whole(0, -1)};
           return Tensors{at::linalg_vector_norm(a.in(0), 2, along, a.number(1, 1) != 0)};
         }},
        {"cumsum",
         [](A a) { return Tensors{at::cumsum(a.in(0), a.whole(0, -1), a.outputs.at(0).dtype)}; }},
        {"topk",
         [](A a) {
           auto [values, places] = at::topk(a.in(0), size_of(a).back());
           return Tensors{values, places};
         }},
        {"sort",
         [](A a) {
           auto [values, places] = at::sort(a.in(0));
           return Tensors{values, places};
         }},
        {"histc",
         [](A a) {
           const std::int64_t bins = size_of(a).at(0);
           // The CPU's kernel takes no whole numbers.
           const bool is_cpu = a.device.is_cpu();
           const at::Tensor x = is_cpu ? a.in(0).to(at::kFloat) : a.in(0);
           const at::Tensor counts = at::histc(x, bins, 0, bins - 1);
           return Tensors{is_cpu ? counts.to(a.in(0).scalar_type()) : counts};
         }},
        {"bincount", [](A a) { return Tensors{at::bincount(a.in(0), {}, size_of(a).at(0))}; }},
  };
  return all;
}

}  // namespace

Kernel find_kernel(const std::string& name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? Kernel() : Kernel(found->second);
}

}  // namespace wattree::torch_plugin
