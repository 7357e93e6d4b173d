// What an op does, as far as its class does not say it: the last columns of op_list.inc. Costs,
// prices and the C API read it from here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/models/tree/op.h"

namespace wattree {

// How a kernel differs from others of its class, in what it reads or takes.
enum class OpForm : std::uint8_t {
  kPlain,
  kFunction,  // Element-wise, with a function that takes arithmetic: exp, gelu.
  kCast,      // A copy from one type to another,
  kJoin,      // and one of several tensors into one.
  kSafe,      // A softmax that looks for rows which are masked altogether.
  kLookup,    // Reads of its first input only what comes out.
};

struct OpWork {
  // Arithmetic operations and function evaluations besides products (ADR 4) on each element: of a
  // reduction those that go in, of attention the scores, of others those that come out.
  int operations = 0;
  OpForm form = OpForm::kPlain;
  // What its cost takes for granted: at least so many inputs, and of these from `left` on at least
  // so many dimensions. A product multiplies `left` by the one after it.
  std::size_t inputs = 0;
  std::size_t left = 0;
  int rank = 0;
  std::uint8_t weights = 0;  // Bit i: in a model, input i is a weight as a rule.

  bool has_weight(std::size_t input) const { return input < 8 && (weights >> input & 1U) != 0; }
};

const OpWork& work_of_op(Op op);

}  // namespace wattree
