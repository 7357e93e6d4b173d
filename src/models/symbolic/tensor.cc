#include "src/models/symbolic/tensor.h"

#include <algorithm>
#include <array>

#include "src/models/symbolic/ops.h"
#include "src/models/symbolic/trace.h"

namespace wattree {

Dims contiguous_strides(const Dims& size) {
  Dims stride = size;
  std::int64_t step = 1;
  for (int i = size.rank() - 1; i >= 0; --i) {
    stride[i] = step;
    step = saturating_mul(step, std::max<std::int64_t>(size[i], 1));
  }
  return stride;
}

Tensor::Tensor(Trace* in, DType type, const Dims& sizes)
    : Tensor(in, type, sizes, contiguous_strides(sizes)) {}

Tensor::Tensor(Trace* in, DType type, const Dims& sizes, const Dims& strides)
    : size(sizes), stride(strides), trace(in), storage(in->new_storage()), dtype(type) {}

bool Tensor::is_contiguous() const {
  std::int64_t step = 1;
  for (int i = rank() - 1; i >= 0; --i) {
    if (size[i] == 1) continue;
    if (stride[i] != step) return false;
    step = saturating_mul(step, size[i]);
  }
  return true;
}

namespace {

// Works out a single -1; false where the element counts differ.
bool resolve(const Dims& from, Dims& to) {
  const std::int64_t total = element_count(from);
  std::int64_t known = 1;
  int open = -1;
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] < 0) {
      if (open >= 0) return false;
      open = i;
    } else {
      known = saturating_mul(known, to[i]);
    }
  }
  if (open < 0) return known == total && total != kSaturated;
  if (known <= 0 || total % known != 0) return false;
  to[open] = total / known;
  return true;
}

}  // namespace

// PyTorch's computeStride: the old dimensions are grouped into runs that are contiguous among
// themselves, and every run must be tiled exactly by new dimensions.
bool view_strides(const Tensor& from, const Dims& size, Dims& stride) {
  stride = size;
  if (from.rank() == 0) {
    for (int i = 0; i < size.rank(); ++i) stride[i] = 1;
    return true;
  }
  int view_d = size.rank() - 1;
  std::int64_t base = from.stride[from.rank() - 1];
  std::int64_t run = 1;
  std::int64_t tiled = 1;
  for (int d = from.rank() - 1; d >= 0; --d) {
    run = saturating_mul(run, from.size[d]);
    const bool run_ends =
        d == 0 || (from.size[d - 1] != 1 && from.stride[d - 1] != saturating_mul(run, base));
    if (!run_ends) continue;
    while (view_d >= 0 && (tiled < run || size[view_d] == 1)) {
      stride[view_d] = saturating_mul(tiled, base);
      tiled = saturating_mul(tiled, size[view_d]);
      --view_d;
    }
    if (tiled != run) return false;
    if (d > 0) {
      base = from.stride[d - 1];
      run = 1;
      tiled = 1;
    }
  }
  return view_d == -1;
}

Tensor Tensor::view(Dims new_size) const {
  Tensor out = *this;
  out.parameter = -1;
  if (!resolve(size, new_size)) {
    trace->fail_shapes("view", size, new_size);
    return out;
  }
  out.size = new_size;
  if (!view_strides(*this, new_size, out.stride)) trace->fail_shapes("view", size, new_size);
  return out;
}

Tensor Tensor::reshape(Dims new_size) const {
  if (!resolve(size, new_size)) {
    trace->fail_shapes("reshape", size, new_size);
    return *this;
  }
  Tensor out = *this;
  out.parameter = -1;
  if (view_strides(*this, new_size, out.stride)) {
    out.size = new_size;
    return out;
  }
  return clone(*this).view(new_size);
}

Tensor Tensor::flatten_from(int dimension) const {
  Dims merged;
  for (int i = 0; i < wrap(dimension); ++i) merged.push_back(size[i]);
  merged.push_back(-1);
  return reshape(merged);
}

Tensor Tensor::transpose(int a, int b) const {
  Tensor out = *this;
  if (rank() < 2) return out;
  std::swap(out.size[wrap(a)], out.size[wrap(b)]);
  std::swap(out.stride[wrap(a)], out.stride[wrap(b)]);
  return out;
}

Tensor Tensor::permute(std::initializer_list<int> order) const {
  if (static_cast<int>(order.size()) != rank()) {
    trace->fail_shapes("permute", size, size);
    return *this;
  }
  Tensor out = *this;
  int to = 0;
  for (int from : order) {
    out.size[to] = size[wrap(from)];
    out.stride[to] = stride[wrap(from)];
    ++to;
  }
  return out;
}

Tensor Tensor::unsqueeze(int at) const {
  const int position = at < 0 ? at + rank() + 1 : at;
  Tensor out = *this;
  out.size.insert(position, 1);
  out.stride.insert(position,
                    position < rank() ? saturating_mul(size[position], stride[position]) : 1);
  return out;
}

Tensor Tensor::squeeze(int at) const {
  Tensor out = *this;
  if (size[wrap(at)] != 1) return out;
  out.size.erase(wrap(at));
  out.stride.erase(wrap(at));
  return out;
}

Tensor Tensor::expand(Dims new_size) const {
  Tensor out = *this;
  out.parameter = -1;
  const int extra = new_size.rank() - rank();
  if (extra < 0) {
    trace->fail_shapes("expand", size, new_size);
    return out;
  }
  out.size = new_size;
  out.stride = new_size;
  for (int i = 0; i < new_size.rank(); ++i) {
    const int from = i - extra;
    const std::int64_t old = from < 0 ? 1 : size[from];
    if (new_size[i] < 0) out.size[i] = old;
    if (out.size[i] == old) {
      out.stride[i] = from < 0 ? 0 : stride[from];
    } else if (old == 1) {
      out.stride[i] = 0;
    } else {
      trace->fail_shapes("expand", size, new_size);
      return out;
    }
  }
  return out;
}

Tensor Tensor::slice(int dimension, std::int64_t begin, std::int64_t end, std::int64_t step) const {
  Tensor out = *this;
  out.parameter = -1;
  const int d = wrap(dimension);
  const std::int64_t n = size[d];
  if (begin < 0) begin = std::max<std::int64_t>(begin + n, 0);
  if (end < 0) end += n;
  begin = std::min(begin, n);
  end = std::clamp(end, begin, n);
  out.size[d] = (end - begin + step - 1) / step;
  out.offset = saturating_add(offset, saturating_mul(begin, stride[d]));
  out.stride[d] = saturating_mul(stride[d], step);
  return out;
}

Tensor Tensor::select(int dimension) const {
  Tensor out = *this;
  out.parameter = -1;
  if (rank() == 0) return out;
  out.size.erase(wrap(dimension));
  out.stride.erase(wrap(dimension));
  return out;
}

Tensor Tensor::unflatten_last(std::int64_t outer, std::int64_t inner) const {
  Dims split = size;
  if (rank() > 0) split.erase(rank() - 1);
  split.push_back(outer);
  split.push_back(inner);
  return view(split);
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(*this); }

Tensor Tensor::to(DType new_dtype) const {
  return new_dtype == dtype ? *this : to_copy(*this, new_dtype);
}

bool broadcast(const Dims& a, const Dims& b, Dims& out) {
  const int rank = std::max(a.rank(), b.rank());
  out = Dims();
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const std::int64_t na = ia < 0 ? 1 : a[ia];
    const std::int64_t nb = ib < 0 ? 1 : b[ib];
    if (na != nb && na != 1 && nb != 1) return false;
    out.push_back(na == 1 ? nb : na);
  }
  return true;
}

Dims elementwise_strides(const Dims& size, std::initializer_list<const Tensor*> inputs) {
  const int rank = size.rank();
  // Nearly every call: nothing to reorder.
  if (std::all_of(inputs.begin(), inputs.end(), [&](const Tensor* x) {
        return x->rank() == 0 || (x->size == size && x->is_contiguous());
      })) {
    return contiguous_strides(size);
  }
  auto stride_of = [&](const Tensor& x, int d) -> std::int64_t {
    const int i = d - (rank - x.rank());
    return i < 0 || (x.size[i] == 1 && size[d] != 1) ? 0 : x.stride[i];
  };
  // Which of two dimensions is the outer one, by the first input that has an opinion.
  auto compare = [&](int d0, int d1) {
    for (const Tensor* x : inputs) {
      const std::int64_t s0 = stride_of(*x, d0);
      const std::int64_t s1 = stride_of(*x, d1);
      if (s0 == 0 || s1 == 0) continue;
      if (s0 < s1) return -1;
      if (s0 > s1) return 1;
      if (size[d0] > size[d1]) return 1;
    }
    return 0;
  };
  std::array<int, Dims::kMaxRank> order{};  // Innermost first.
  for (int i = 0; i < rank; ++i) order[static_cast<std::size_t>(i)] = rank - 1 - i;
  for (int i = 1; i < rank; ++i) {
    int moving = i;
    for (int j = i - 1; j >= 0; --j) {
      auto& low = order[static_cast<std::size_t>(j)];
      auto& high = order[static_cast<std::size_t>(moving)];
      const int sign = compare(low, high);
      if (sign > 0) {
        std::swap(low, high);
        moving = j;
      } else if (sign < 0) {
        break;
      }
    }
  }
  Dims stride = size;
  std::int64_t step = 1;
  for (int i = 0; i < rank; ++i) {
    const int d = order[static_cast<std::size_t>(i)];
    stride[d] = step;
    step = saturating_mul(step, size[d]);
  }
  return stride;
}

}  // namespace wattree
