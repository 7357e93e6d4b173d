"""Ops that no one model asks for, over the sizes that all of them use: what lies between and beyond the measured models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional as F

from wattree.trace import OpCall, trace

TOKENS = (1, 4, 16, 64, 128, 256, 512, 1024, 4096)
# In and out of a Linear: from BERT-tiny's to an 8B model's.
WIDTHS = ((128, 512), (256, 1024), (512, 512), (768, 768), (768, 3072), (3072, 768), (1024, 4096), (2048, 2048), (2048, 512),
          (2048, 8192), (8192, 2048), (4096, 4096), (4096, 1024), (4096, 11008), (11008, 4096), (4096, 12288), (4096, 14336),
          (14336, 4096), (3584, 18944), (18944, 3584), (5120, 13824))
FP32_WIDTHS = ((128, 512), (256, 1024), (768, 768), (768, 3072), (3072, 768), (2048, 2048), (2048, 8192))
# Batch times heads, length, and size of a head.
HEADS = ((12, 128, 64), (32, 512, 64), (192, 128, 64), (192, 512, 64), (64, 1024, 128), (512, 32, 64))
ATTENTIONS = ((1, 12, 128, 64), (16, 12, 128, 64), (4, 16, 512, 64), (8, 32, 256, 128), (1, 32, 1024, 128),
              (2, 32, 2048, 64), (32, 12, 64, 64))
ROWS = ((16, 256), (128, 768), (2048, 768), (1024, 2048), (4096, 4096), (8192, 1024), (16384, 3072))
LONG_ROWS = ((64, 1024), (512, 2048), (4096, 1024), (16384, 2048), (256, 4096), (8192, 4096))  # Of softmax.
SHORT = {"bf16": torch.bfloat16, "fp32": torch.float32}


def calls(device: str) -> Iterator[tuple[Callable[..., Any], list[torch.Tensor]]]:
    """Functions and what to call them with. Only attention is asked of the device itself, because which kernel it takes depends
    on it; all else is told by shapes."""

    def empty(*shape: int, dtype: torch.dtype, where: str = "meta") -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device=where)

    for name, dtype in SHORT.items():
        for inner, outer in WIDTHS if name == "bf16" else FP32_WIDTHS:
            for tokens in TOKENS:
                yield F.linear, [empty(tokens, inner, dtype=dtype), empty(outer, inner, dtype=dtype)]
                if inner in (768, 2048):
                    yield F.linear, [empty(tokens, inner, dtype=dtype), empty(outer, inner, dtype=dtype),
                                     empty(outer, dtype=dtype)]
        for count, length, size in HEADS:
            query, scores = empty(count, length, size, dtype=dtype), empty(count, length, length, dtype=dtype)
            yield lambda q: torch.bmm(q, q.transpose(1, 2)), [query]
            yield torch.bmm, [scores, query]
            yield lambda s: F.softmax(s, -1), [scores]
        for rows, width in LONG_ROWS:
            yield lambda s: F.softmax(s, -1), [empty(rows, width, dtype=dtype)]
        for batch, heads, length, size in ATTENTIONS:
            head = empty(batch, length, heads, size, dtype=dtype, where=device).transpose(1, 2)
            for is_causal in (False, True):
                yield (lambda q, is_causal=is_causal: F.scaled_dot_product_attention(q, q, q, is_causal=is_causal)), [head]
        for rows, width in ROWS:
            x, weight = empty(rows, width, dtype=dtype), empty(width, dtype=dtype)
            yield lambda x, w, width=width: F.layer_norm(x, (width,), w, w), [x, weight]
            for function in (torch.add, torch.mul):
                yield function, [x, x]
            for function in (F.gelu, F.silu, F.relu, torch.tanh, torch.neg, torch.clone, torch.rsqrt,
                             lambda x: F.gelu(x, approximate="tanh"), lambda x: x * 0.125, lambda x: x.pow(2),
                             lambda x: x.mean(-1, keepdim=True), lambda x: torch.cat([x, x], -1),
                             lambda x: x.t().contiguous(), lambda x: F.softmax(x, -1)):
                yield function, [x]
            other = torch.float32 if dtype is torch.bfloat16 else torch.bfloat16
            yield lambda x, other=other: x.to(other), [x]
        for tokens, width in ((16, 768), (512, 768), (2048, 2048), (4096, 1024), (4096, 4096)):
            yield F.embedding, [torch.empty((tokens,), dtype=torch.int64, device="meta"), empty(32000, width, dtype=dtype)]


def grid_ops(device: str) -> list[OpCall]:
    nothing = torch.nn.Module()
    ops = [op for function, tensors in calls(device)
           for op in trace(nothing, lambda: function(*tensors)).ops]
    return list({op.key: op for op in ops}.values())
