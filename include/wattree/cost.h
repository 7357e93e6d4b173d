/* What one operation of a model has to do, by itself: FLOPs and bytes, counted as everywhere in
 * Wattree. Plain C, no dependencies.
 *
 * A multiply-add is two FLOPs. `matmul_flops` are those of matrix products, convolutions and
 * attention products; `flops` adds element-wise work, norms, softmax and reductions. `bytes` is
 * what must be read and written once each.
 */
#ifndef WATTREE_COST_H
#define WATTREE_COST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor that an operation reads or writes. A stride of 0 is an expanded dimension: it is there
 * once. */
typedef struct wattree_tensor {
  int32_t element_bytes;
  int32_t rank;
  const int64_t* sizes;
  const int64_t* strides;
} wattree_tensor;

typedef struct wattree_cost {
  int64_t flops;
  int64_t matmul_flops;
  int64_t bytes;
} wattree_cost;

/* The cost of an operation by PyTorch's name for it, without overload ("addmm", "add_",
 * "_scaled_dot_product_flash_attention"). The tensors are its arguments' and its results', in
 * order. 1 where it is known; 0 where the operation is not, or its tensors do not fit it: then
 * `cost` has the bytes of the tensors and no FLOPs. */
int wattree_op_cost(const char* op, const wattree_tensor* inputs, size_t input_count,
                    const wattree_tensor* outputs, size_t output_count, wattree_cost* cost);

#ifdef __cplusplus
}
#endif

#endif
