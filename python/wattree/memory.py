"""What a pass takes of a GPU's memory, by PyTorch's own allocator."""

from __future__ import annotations

import itertools

import torch

from wattree.models import Pass, tensor_bytes
from wattree.spec import tensors_of


def peak_memory(passed: Pass) -> dict[str, int]:
    """Bytes at the moment when most are in use: weights, inputs and cache, which are there before, and what the pass adds. The
    pass has run before, so that the workspaces that libraries keep for good are not counted with it."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    out = passed.run_as_is()
    torch.cuda.synchronize()
    added = torch.cuda.max_memory_allocated() - before
    del out
    model = passed.model
    parts = {
        "weights_bytes": tensor_bytes(itertools.chain(model.parameters(), model.buffers())),
        "inputs_bytes": tensor_bytes(tensors_of(passed.inputs)),
        "cache_bytes": passed.cache_bytes,
        "added_bytes": added,
    }
    return parts | {"peak_bytes": sum(parts.values())}
