"""FLOPs and bytes of ops, counted by the C++ library as everywhere in Wattree."""

from __future__ import annotations

import ctypes
import dataclasses
import functools

from wattree import library
from wattree.ops import is_attention
from wattree.spec import element_bytes, parse_tensor
from wattree.trace import OpCall


@dataclasses.dataclass(frozen=True)
class OpCost:
    flops: int | None  # None: not known.
    matmul_flops: int | None
    bytes: int | None

    def __add__(self, other: OpCost) -> OpCost:
        def total(a: int | None, b: int | None) -> int | None:
            return None if a is None or b is None else a + b

        return OpCost(total(self.flops, other.flops), total(self.matmul_flops, other.matmul_flops),
                      total(self.bytes, other.bytes))


NOTHING = OpCost(0, 0, 0)


class Costs:
    """The costs of a trace's ops. Without the library there is PyTorch's own count of matrix products, and nothing else."""

    def __init__(self) -> None:
        self.unknown: set[str] = set()  # Ops whose FLOPs nobody knows; they count as none.
        self.problem: str | None = None
        try:
            self._library: ctypes.CDLL | None = library.load_library()
        except library.LibraryError as error:
            self._library, self.problem = None, str(error)

    def of(self, op: OpCall) -> OpCost:
        if self._library is None:
            return OpCost(None, op.flops, None)
        # Fused attention also returns what only a backward pass needs.
        outputs = op.outputs[:1] if is_attention(op.name) else op.outputs
        cost, is_known = _cost(self._library, op.name, op.inputs, outputs)
        if not is_known:
            self.unknown.add(op.name)
        return cost


@functools.lru_cache(maxsize=65536)
def _cost(loaded: ctypes.CDLL, name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> tuple[OpCost, bool]:
    cost = library.Cost()
    is_known = loaded.wattree_op_cost(name.encode(), _tensors(inputs), len(inputs), _tensors(outputs), len(outputs),
                                      ctypes.byref(cost))
    return OpCost(cost.flops, cost.matmul_flops, cost.bytes), bool(is_known)


def _tensors(texts: tuple[str, ...]) -> ctypes.Array:
    tensors = (library.Tensor * len(texts))()
    for tensor, text in zip(tensors, texts):
        name, shape, stride = parse_tensor(text)
        numbers = ctypes.c_int64 * len(shape)
        tensor.element_bytes, tensor.rank = element_bytes(name), len(shape)
        # A ctypes structure keeps what its pointers point to.
        tensor.sizes, tensor.strides = numbers(*shape), numbers(*stride)
    return tensors
