#include "src/models/symbolic/ops.h"

#include <algorithm>
#include <array>
#include <vector>

namespace wattree {
namespace {

// Truth values, whole numbers, fractions: a higher category wins, whatever the sizes.
int category(DType type) {
  if (is_floating(type)) return 2;
  return type == DType::kBool ? 0 : 1;
}

DType promote(const Tensor& a, const Tensor& b) {
  if (a.dtype == b.dtype) return a.dtype;
  const int ca = category(a.dtype);
  const int cb = category(b.dtype);
  if (ca != cb) return ca > cb ? a.dtype : b.dtype;
  // A 0-d tensor does not widen one with dimensions.
  if (a.rank() == 0 && b.rank() > 0) return b.dtype;
  if (b.rank() == 0 && a.rank() > 0) return a.dtype;
  const bool is_same_size = byte_size(a.dtype) == byte_size(b.dtype);
  if (is_floating(a.dtype) && is_same_size) return DType::kFloat32;  // bf16 with fp16
  return byte_size(a.dtype) >= byte_size(b.dtype) ? a.dtype : b.dtype;
}

Tensor elementwise(Op op, std::initializer_list<const Tensor*> inputs, DType type,
                   Numbers numbers = {}) {
  const Tensor& first = **inputs.begin();
  Dims size = first.size;
  for (const Tensor* x : inputs) {
    if (x->size == size) continue;
    const Dims so_far = size;
    if (!broadcast(so_far, x->size, size)) {
      first.trace->fail_shapes(facts_of(op).aten, so_far, x->size);
      return first;
    }
  }
  return first.trace->emit(
      op, inputs, Tensor(first.trace, type, size, elementwise_strides(size, inputs)), numbers);
}

bool is_dense(const Tensor& x) {
  // Dimensions by stride, innermost first; those of size one have none worth looking at.
  std::array<int, Dims::kMaxRank> order{};
  int count = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.size[i] == 1) continue;
    int at = count++;
    for (; at > 0 && x.stride[order[static_cast<std::size_t>(at - 1)]] > x.stride[i]; --at) {
      order[static_cast<std::size_t>(at)] = order[static_cast<std::size_t>(at - 1)];
    }
    order[static_cast<std::size_t>(at)] = i;
  }
  std::int64_t step = 1;
  for (int i = 0; i < count; ++i) {
    const int d = order[static_cast<std::size_t>(i)];
    if (x.stride[d] != step) return false;
    step = saturating_mul(step, x.size[d]);
  }
  return true;
}

// The strides of a copy that keeps its source's memory order.
Dims kept_strides(const Tensor& x) {
  return is_dense(x) ? x.stride : elementwise_strides(x.size, {&x});
}

bool matrices_fit(const Tensor& a, const Tensor& b, int rank) {
  if (a.rank() == rank && b.rank() == rank && a.dim(-1) == b.dim(-2) &&
      (rank == 2 || a.dim(0) == b.dim(0)))
    return true;
  a.trace->fail_shapes("matrix product", a.size, b.size);
  return false;
}

}  // namespace

Tensor unary(Op op, const Tensor& x, Numbers numbers) {
  return elementwise(op, {&x}, x.dtype, numbers);
}
Tensor binary(Op op, const Tensor& a, const Tensor& b) {
  return elementwise(op, {&a, &b}, promote(a, b));
}
Tensor predicate(Op op, const Tensor& x, Numbers numbers) {
  return elementwise(op, {&x}, DType::kBool, numbers);
}
Tensor predicate(Op op, const Tensor& a, const Tensor& b) {
  return elementwise(op, {&a, &b}, DType::kBool);
}

Tensor in_place(Op op, const Tensor& x, Numbers numbers) {
  return x.trace->emit(op, {&x}, x, numbers);
}
Tensor in_place(Op op, const Tensor& x, const Tensor& other) {
  return x.trace->emit(op, {&x, &other}, x);
}

Tensor operator+(const Tensor& a, const Tensor& b) { return binary(Op::kAdd, a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return binary(Op::kSub, a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return binary(Op::kMul, a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return binary(Op::kDiv, a, b); }
Tensor operator+(const Tensor& x, double number) { return unary(Op::kAdd, x, {number}); }
Tensor operator-(const Tensor& x, double number) { return unary(Op::kSub, x, {number}); }
Tensor operator*(const Tensor& x, double number) { return unary(Op::kMul, x, {number}); }
Tensor operator/(const Tensor& x, double number) {
  return elementwise(Op::kDiv, {&x}, is_floating(x.dtype) ? x.dtype : DType::kFloat32, {number});
}
Tensor operator+(double number, const Tensor& x) { return unary(Op::kAdd, x, {number}); }
Tensor operator-(double number, const Tensor& x) { return unary(Op::kRsub, x, {number}); }
Tensor operator*(double number, const Tensor& x) { return unary(Op::kMul, x, {number}); }
Tensor operator-(const Tensor& x) { return unary(Op::kNeg, x); }

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return elementwise(Op::kWhere, {&condition, &a, &b}, promote(a, b));
}
Tensor scalar(Trace& trace, DType type, double number) {
  return trace.emit(Op::kScalarTensor, {}, trace.tensor(type, {}), {number});
}
Tensor constant(Trace& trace, DType type) { return trace.tensor(type, {}); }
Tensor masked_fill(const Tensor& x, const Tensor& mask) {
  return elementwise(Op::kMaskedFill, {&x, &mask}, x.dtype);
}

Tensor clone(const Tensor& x) {
  return x.trace->emit(Op::kClone, {&x}, Tensor(x.trace, x.dtype, x.size));
}
Tensor clone_keeping_layout(const Tensor& x) {
  return x.trace->emit(Op::kClone, {&x}, Tensor(x.trace, x.dtype, x.size, kept_strides(x)));
}
Tensor to_copy(const Tensor& x, DType type) {
  return x.trace->emit(Op::kToCopy, {&x}, Tensor(x.trace, type, x.size, kept_strides(x)));
}

Tensor cat(std::initializer_list<const Tensor*> parts, int dimension) {
  return cat(std::span(parts.begin(), parts.size()), dimension);
}

Tensor cat(std::span<const Tensor* const> parts, int dimension) {
  const Tensor& first = *parts.front();
  Dims size = first.size;
  const int d = first.wrap(dimension);
  std::vector<const Tensor*> read;  // An empty part is not.
  for (const Tensor* part : parts) {
    if (part->elements() > 0) read.push_back(part);
  }
  for (const Tensor* part : parts.subspan(1)) {
    if (part->rank() != first.rank()) {
      first.trace->fail_shapes("cat", first.size, part->size);
      return first;
    }
    size[d] = saturating_add(size[d], part->size[d]);
  }
  const Tensor out(first.trace, first.dtype, size);
  return first.trace->emit(Op::kCat, read, std::span(&out, 1), {static_cast<double>(d)});
}

Tensor stack(std::initializer_list<const Tensor*> parts, int dimension) {
  const Tensor& first = **parts.begin();
  Dims size = first.size;
  const int d = dimension < 0 ? dimension + first.rank() + 1 : dimension;
  size.insert(d, static_cast<std::int64_t>(parts.size()));
  return first.trace->emit(Op::kStack, parts, Tensor(first.trace, first.dtype, size),
                           {static_cast<double>(d)});
}

Tensor repeat(const Tensor& x, const Dims& times) {
  Dims size = times;
  const int extra = times.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) size[i + extra] = saturating_mul(times[i + extra], x.size[i]);
  return x.trace->emit(Op::kRepeat, {&x}, Tensor(x.trace, x.dtype, size));
}

Tensor pad_last(const Tensor& x, std::int64_t before, std::int64_t after) {
  Dims size = x.size;
  size[x.rank() - 1] += before + after;
  return x.trace->emit(Op::kPad, {&x}, Tensor(x.trace, x.dtype, size),
                       {static_cast<double>(before), static_cast<double>(after)});
}

Tensor arange(Trace& trace, std::int64_t length, DType type) {
  return trace.emit(Op::kArange, {}, trace.tensor(type, {length}));
}
Tensor fill(Trace& trace, Op op, DType type, const Dims& size, Numbers numbers) {
  return trace.emit(op, {}, trace.tensor(type, size), numbers);
}
Tensor fill_like(Op op, const Tensor& x) {
  return x.trace->emit(op, {&x}, Tensor(x.trace, x.dtype, x.size, kept_strides(x)));
}

Tensor reduce(Op op, const Tensor& x, int dimension, bool keep) {
  Dims size = x.size;
  const int d = x.wrap(dimension);
  if (keep) {
    size[d] = 1;
  } else {
    size.erase(d);
  }
  const bool counts = op == Op::kArgmax || (op == Op::kSum && !is_floating(x.dtype));
  const DType type = counts ? DType::kInt64 : x.dtype;
  return x.trace->emit(op, {&x}, Tensor(x.trace, type, size),
                       {static_cast<double>(d), keep ? 1.0 : 0.0});
}

Tensor softmax(const Tensor& x) {
  return x.trace->emit(Op::kSoftmax, {&x}, Tensor(x.trace, x.dtype, x.size));
}

Tensor softmax_f32(const Tensor& x) {
  // CUDA's kernel reads fp16 and writes fp32 in one go; other types are cast first.
  if (x.dtype == DType::kFloat16) {
    return x.trace->emit(Op::kSoftmax, {&x}, Tensor(x.trace, DType::kFloat32, x.size));
  }
  return softmax(x.to(DType::kFloat32));
}

Tensor cumsum(const Tensor& x) { return cumsum(x, is_floating(x.dtype) ? x.dtype : DType::kInt64); }

Tensor cumsum(const Tensor& x, DType type) {
  return x.trace->emit(Op::kCumsum, {&x}, Tensor(x.trace, type, x.size));
}

namespace {
Ranked ranked(Op op, const Tensor& x, const Dims& size) {
  const std::array<Tensor, 2> outputs{Tensor(x.trace, x.dtype, size),
                                      Tensor(x.trace, DType::kInt64, size)};
  const Tensor* input = &x;
  x.trace->emit(op, std::span(&input, 1), outputs);
  return {outputs[0], outputs[1]};
}
}  // namespace

Ranked topk(const Tensor& x, std::int64_t count) {
  Dims size = x.size;
  size[x.rank() - 1] = count;
  return ranked(Op::kTopk, x, size);
}
Ranked sort(const Tensor& x) { return ranked(Op::kSort, x, x.size); }

Tensor index(const Tensor& table, std::initializer_list<const Tensor*> indices) {
  Dims size;
  for (const Tensor* at : indices) {
    const Dims so_far = size;
    if (!broadcast(so_far, at->size, size)) table.trace->fail_shapes("index", so_far, at->size);
  }
  for (int i = static_cast<int>(indices.size()); i < table.rank(); ++i)
    size.push_back(table.size[i]);
  std::vector<const Tensor*> inputs{&table};
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  const Tensor out(table.trace, table.dtype, size);
  return table.trace->emit(Op::kIndex, inputs, std::span(&out, 1));
}

Tensor pick(const Tensor& table, int dimension) {
  const Tensor at = table.trace->tensor(DType::kInt64, {1});
  Dims size = table.size;
  size[table.wrap(dimension)] = 1;
  return table.trace->emit(Op::kIndex, {&table, &at}, Tensor(table.trace, table.dtype, size),
                           {static_cast<double>(table.wrap(dimension))});
}

Tensor gather(const Tensor& table, const Tensor& at) {
  return table.trace->emit(Op::kGather, {&table, &at}, Tensor(table.trace, table.dtype, at.size));
}

Tensor mm(const Tensor& a, const Tensor& b) {
  if (!matrices_fit(a, b, 2)) return a;
  return a.trace->emit(Op::kMm, {&a, &b}, Tensor(a.trace, a.dtype, {a.size[0], b.size[1]}));
}
Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b) {
  if (!matrices_fit(a, b, 2)) return a;
  return a.trace->emit(Op::kAddmm, {&bias, &a, &b},
                       Tensor(a.trace, a.dtype, {a.size[0], b.size[1]}));
}
Tensor bmm(const Tensor& a, const Tensor& b) {
  if (!matrices_fit(a, b, 3)) return a;
  return a.trace->emit(Op::kBmm, {&a, &b},
                       Tensor(a.trace, a.dtype, {a.size[0], a.size[1], b.size[2]}));
}
Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Numbers numbers) {
  if (!matrices_fit(a, b, 3)) return a;
  return a.trace->emit(Op::kBaddbmm, {&input, &a, &b},
                       Tensor(a.trace, a.dtype, {a.size[0], a.size[1], b.size[2]}), numbers);
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.rank() < 2 || b.rank() < 2) {
    a.trace->fail_shapes("matmul", a.size, b.size);
    return a;
  }
  if (a.rank() == 2 && b.rank() == 2) return mm(a, b);
  if (a.rank() >= 3 && b.rank() == 2) {
    // The leading dimensions fold into the rows.
    Dims size = a.size;
    size[a.rank() - 1] = b.size[1];
    return mm(a.reshape({-1, a.dim(-1)}), b).view(size);
  }
  Dims batch_a = a.size;
  Dims batch_b = b.size;
  for (int i = 0; i < 2; ++i) {
    batch_a.erase(batch_a.rank() - 1);
    batch_b.erase(batch_b.rank() - 1);
  }
  Dims batch;
  if (!broadcast(batch_a, batch_b, batch)) {
    a.trace->fail_shapes("matmul", a.size, b.size);
    return a;
  }
  const std::int64_t count = element_count(batch);
  auto batched = [&](const Tensor& x) {
    Dims full = batch;
    full.push_back(x.dim(-2));
    full.push_back(x.dim(-1));
    return x.expand(full).reshape({count, x.dim(-2), x.dim(-1)});
  };
  const Tensor left = batched(a);
  const Tensor right = batched(b);
  Dims size = batch;
  size.push_back(a.dim(-2));
  size.push_back(b.dim(-1));
  return bmm(left, right).view(size);
}

}  // namespace wattree
