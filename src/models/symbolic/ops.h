// The framework's functions on symbolic tensors. Each emits exactly the kernels PyTorch runs for it
// and returns a tensor with the type, sizes and strides PyTorch would give. Emission order is call
// order: keep calls in separate statements where C++ leaves the order of evaluation open.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "src/models/symbolic/tensor.h"
#include "src/models/symbolic/trace.h"

namespace wattree {

// --- element-wise ---
// Numbers are those a kernel is called with besides: x + 1, x ** 2, x < 3.
using Numbers = std::initializer_list<double>;
Tensor unary(Op op, const Tensor& x, Numbers numbers = {});
Tensor binary(Op op, const Tensor& a, const Tensor& b);          // Broadcasts and promotes types.
Tensor predicate(Op op, const Tensor& x, Numbers numbers = {});  // As unary; the result is bool.
Tensor predicate(Op op, const Tensor& a, const Tensor& b);
Tensor in_place(Op op, const Tensor& x, Numbers numbers = {});  // x.op_(number), which is x itself.
Tensor in_place(Op op, const Tensor& x, const Tensor& other);

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& x, double number);
Tensor operator-(const Tensor& x, double number);
Tensor operator*(const Tensor& x, double number);
Tensor operator/(const Tensor& x, double number);
Tensor operator+(double number, const Tensor& x);
Tensor operator-(double number, const Tensor& x);  // rsub
Tensor operator*(double number, const Tensor& x);
Tensor operator-(const Tensor& x);

// torch.where(condition, a, b). A Python number for a or b becomes a 0-d tensor first: pass
// scalar(...).
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor scalar(Trace& trace, DType type,
              double number = 0);  // aten::scalar_tensor, a kernel of its own.
Tensor constant(Trace& trace,
                DType type);  // A 0-d tensor made on the host: torch.tensor(0.0); no kernel.
Tensor masked_fill(const Tensor& x, const Tensor& mask);  // With a number.

// --- copies ---
Tensor clone(const Tensor& x);                 // Contiguous, as reshape and contiguous() make it.
Tensor clone_keeping_layout(const Tensor& x);  // x.clone().
Tensor to_copy(const Tensor& x, DType type);
Tensor cat(std::initializer_list<const Tensor*> parts, int dimension);
Tensor cat(std::span<const Tensor* const> parts, int dimension);
Tensor stack(std::initializer_list<const Tensor*> parts, int dimension);
Tensor repeat(const Tensor& x, const Dims& times);
Tensor pad_last(const Tensor& x, std::int64_t before, std::int64_t after);

// --- new tensors ---
Tensor arange(Trace& trace, std::int64_t length, DType type = DType::kInt64);
Tensor fill(Trace& trace, Op op, DType type, const Dims& size,
            Numbers numbers = {});         // zeros, ones, full, new_ones, …
Tensor fill_like(Op op, const Tensor& x);  // zeros_like, full_like, …

// --- reductions and look-ups ---
Tensor reduce(Op op, const Tensor& x, int dimension, bool keep);  // mean, sum, amax, argmax, …
Tensor softmax(const Tensor& x);      // One dimension is as much work as another.
Tensor softmax_f32(const Tensor& x);  // softmax(x, dim=-1, dtype=float32).
Tensor cumsum(const Tensor& x);
Tensor cumsum(const Tensor& x, DType type);
// Values and where they were, along the last dimension.
struct Ranked {
  Tensor values;
  Tensor places;
};
Ranked topk(const Tensor& x, std::int64_t count);
Ranked sort(const Tensor& x);
Tensor index(const Tensor& table,
             std::initializer_list<const Tensor*> indices);  // table[i, j, …]: leading dimensions.
// table[:, …, [i], …]: one index of a dimension, written as a list, which copies.
Tensor pick(const Tensor& table, int dimension);
Tensor gather(const Tensor& table, const Tensor& at);

// --- matrix products ---
Tensor matmul(const Tensor& a,
              const Tensor& b);  // torch.matmul, with the copies its broadcasting makes.
Tensor bmm(const Tensor& a, const Tensor& b);  // [n, i, k] x [n, k, j].
Tensor mm(const Tensor& a, const Tensor& b);
Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b);
// beta * input + alpha * (a x b), with numbers {beta, alpha}.
Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Numbers numbers = {});

// torch.nn.functional.scaled_dot_product_attention on [b, h, s, d] tensors, as dispatched on a
// Hopper GPU: one fused kernel where there is one, the sequence of the math fall-back otherwise.
struct SdpaOptions {
  std::optional<Tensor> mask;
  bool is_causal = false;
  bool enable_gqa = false;
};
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const SdpaOptions& options);

}  // namespace wattree
