// The kernels of Hugging Face Transformers 4.2.2, which IrEne's published data was measured with,
// that belong to no node of the data: copies that permute heads, residual additions, activations
// written as functions, masks and scales. Derived by hand from the sources of that version; neither
// traced nor fitted. Other versions run other kernels.
#pragma once

#include <optional>

#include "src/measure/dataset/dataset.h"

namespace wattree {

// Fills `ops` of every module and of the root whose class is known, as `copy`, `elementwise`,
// `scores` (element-wise on attention scores, mostly with a broadcast operand) and `gelu` (where it
// is one kernel): calls, and MiB read and written. Their FLOPs are not counted, and stand as 0.
// `hidden` is the model's width; the size of the attention scores comes from the Softmax below a
// module. An entry that would need a size that is not known is left out.
void add_published_kernels(DatasetTree& tree, std::optional<double> hidden);

}  // namespace wattree
