// Parameters of the nodes in IrEne's published data. The files do not have them, but what they
// count as FLOPs and bytes gives the sizes of the layers away.
#pragma once

#include <cstdint>
#include <optional>

#include "src/measure/dataset/dataset.h"

namespace wattree {

// The width of the model: that of its first LayerNorm.
std::optional<double> hidden_size(const DatasetTree& tree);

// The parameters of a leaf; nothing where they cannot be told. `hidden` is the model's width, where
// it is known.
//
// With batch b, length s and a layer from K to N wide, the files count
//   Linear on three dimensions  2bsKN + bsN FLOPs, 4[b(sK + KN + sN) + 2bsN] bytes
//   Linear on two (a pooler)    2bKN FLOPs, 4(bK + KN + bN) bytes
//   Conv1D                      2bsKN FLOPs, 4(bsK + KN + bsN) bytes
// The last two do not say which of the two widths is which: a layer whose name has "proj" in it
// writes the hidden state, any other one reads it. Tables of embeddings do not show their length;
// those of the six published models are known by name.
std::optional<double> leaf_parameters(const DatasetTree& tree, const DatasetNode& leaf,
                                      std::optional<double> hidden);

}  // namespace wattree
