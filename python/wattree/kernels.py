"""The kernels that a piece of work runs on the GPU, by PyTorch's profiler."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable

import torch


@dataclasses.dataclass(frozen=True)
class Kernels:
    counts: dict[str, int]
    seconds: float  # On the GPU, all kernels together.


def profile_kernels(run: Callable[[], object]) -> Kernels:
    """Names, numbers and total time. The profiler stays attached to the process and may slow what is launched later."""
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        run()
        torch.cuda.synchronize()
    counts: collections.Counter[str] = collections.Counter()
    microseconds = 0.0
    for event in profiler.events():
        if event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Memcpy", "Memset")):
            counts[event.name] += 1
            microseconds += event.device_time_total
    return Kernels(dict(counts), microseconds / 1e6)


def differences(plain: Kernels, captured: Kernels) -> dict[str, int]:
    """How many more of each kernel the captured work runs; empty where both run the same."""
    names = plain.counts.keys() | captured.counts.keys()
    found = {name: captured.counts.get(name, 0) - plain.counts.get(name, 0) for name in names}
    return {name: count for name, count in sorted(found.items()) if count}
