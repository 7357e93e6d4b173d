// A symbolic tensor: type, sizes and strides without data. Strides are kept because PyTorch decides
// by them whether a reshape is free or copies; views here obey the same rules, so copies show up
// exactly where the framework makes them.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "src/models/tree/dims.h"
#include "src/models/tree/dtype.h"

namespace wattree {

class Trace;

class Tensor {
 public:
  Tensor() = default;
  Tensor(Trace* in, DType type, const Dims& sizes);                       // Contiguous.
  Tensor(Trace* in, DType type, const Dims& sizes, const Dims& strides);  // In memory of its own.

  Dims size;
  Dims stride;
  Trace* trace = nullptr;
  std::int64_t offset = 0;      // Of the first element, in its storage.
  std::int32_t storage = -1;    // The memory it lies in: views share it.
  std::int32_t parameter = -1;  // Identity of a weight; -1: an activation.
  DType dtype = DType::kFloat32;

  int rank() const { return size.rank(); }
  std::int64_t dim(int i) const { return size[wrap(i)]; }  // Negative counts from the end.
  std::int64_t elements() const { return element_count(size); }
  bool is_contiguous() const;
  bool is_weight() const { return parameter >= 0; }

  // --- views: they run no kernel ---
  Tensor view(Dims new_size)
      const;  // One -1 is worked out. Where the strides do not allow it, the trace fails.
  Tensor transpose(int a, int b) const;
  Tensor t() const { return transpose(0, 1); }
  Tensor permute(std::initializer_list<int> order) const;
  Tensor unsqueeze(int at) const;
  Tensor squeeze(int at) const;
  Tensor expand(Dims new_size) const;  // -1 keeps a dimension.
  Tensor slice(int dimension, std::int64_t begin, std::int64_t end, std::int64_t step = 1) const;
  Tensor select(int dimension) const;  // One index of a dimension; which one does not matter here.
  Tensor unflatten_last(std::int64_t outer,
                        std::int64_t inner) const;  // [..., outer*inner] -> [..., outer, inner].

  // --- these copy where the strides force it ---
  Tensor reshape(Dims new_size) const;
  Tensor flatten_from(int dimension) const;  // Merges this and all later dimensions.
  Tensor contiguous() const;
  Tensor to(DType new_dtype) const;  // No kernel where the type is right already.

  int wrap(int i) const { return i < 0 ? i + rank() : i; }
};

Dims contiguous_strides(const Dims& size);

// The strides of `size` laid over memory that is now `from`; false where that needs a copy.
bool view_strides(const Tensor& from, const Dims& size, Dims& stride);

// Sizes after broadcasting; false where they do not fit.
bool broadcast(const Dims& a, const Dims& b, Dims& out);

// The strides PyTorch gives the fresh result of an element-wise op over `inputs`, all broadcast to
// `size`: the memory order of the inputs is kept (TensorIterator's reorder_dimensions).
Dims elementwise_strides(const Dims& size, std::initializer_list<const Tensor*> inputs);

}  // namespace wattree
