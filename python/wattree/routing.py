"""How many experts a pass really uses: routers look at values, so that no tree can say it."""

from __future__ import annotations

import statistics
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from wattree.models import Pass


class _Routing(TorchDispatchMode):
    """Counts, for every grouped product, the experts that have rows: the others' ends are those of the expert before."""

    def __init__(self) -> None:
        super().__init__()
        self.experts: list[int] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name == "aten::_grouped_mm":
            ends = kwargs.get("offs", args[2] if len(args) > 2 else None)
            if ends is not None:
                self.experts.append(int((torch.diff(ends.cpu(), prepend=torch.zeros(1, dtype=ends.dtype)) > 0).sum()))
        return func(*args, **kwargs)


def experts_at_work(passed: Pass) -> float | None:
    """The mean over the grouped products of a pass; None where it has none."""
    if not hasattr(passed.model.config, "num_experts_per_tok"):
        return None
    routing = _Routing()
    with routing:
        passed.run_as_is()
    return statistics.fmean(routing.experts) if routing.experts else None
