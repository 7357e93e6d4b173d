#include "src/models/tree/op_work.h"

namespace wattree {
namespace {

using enum OpForm;

constexpr OpWork kOpWork[kOpCount] = {
    {},
#define WATTREE_OP(name, aten, word, type, level, op_class, count, ...) \
  {.operations = (count)__VA_OPT__(, ) __VA_ARGS__},
#include "src/models/tree/op_list.inc"
#undef WATTREE_OP
};

}  // namespace

const OpWork& work_of_op(Op op) { return kOpWork[static_cast<std::size_t>(op)]; }

}  // namespace wattree
