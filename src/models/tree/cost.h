// What a kernel has to do, independent of any hardware. Conventions (ADR 4):
//  - a multiply-add is 2 FLOPs;
//  - matmul_flops counts matrix products, convolutions and attention products only, exactly as
//    PyTorch's own FlopCounterMode does (a bias is free there, and causal attention is not
//    discounted);
//  - flops adds bias, element-wise, normalisation, softmax and reduction work: every arithmetic
//    operation and every function evaluation on an element is one (see op_list.inc);
//  - bytes is what must be read and written once each: a broadcast input is read once, a look-up
//    reads the rows it takes, an expert that no token chose is not read.
#pragma once

#include <cstdint>
#include <span>

#include "src/base/result.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// Fills params, flops, matmul_flops and bytes of every node. A module's figures are the sums over
// its children, except for params: those are the distinct parameters of its subtree. Fails where a
// sum does not fit in 63 bits.
Status add_costs(ModelTree& tree);

// Whether a kernel has as many inputs, with as many dimensions, as its cost takes for granted.
// Those that families trace do; what comes from files and from other programs may not.
bool has_cost(Op op, std::span<const Operand> inputs, std::span<const Operand> outputs);

// How many of them some row goes to, on average, where every token has `per_token` of its own and
// each is as likely as another. `rows` are pairs of a token and an expert.
double experts_at_work(double experts, double rows, double per_token);

// The bytes of an operand at the tree's precision.
std::int64_t byte_count(const Operand& operand, Precision precision);

}  // namespace wattree
