"""The kernels that a piece of work runs on the GPU, by PyTorch's profiler."""

from __future__ import annotations

import collections
import dataclasses
import warnings
from collections.abc import Callable

import torch


@dataclasses.dataclass(frozen=True)
class Kernels:
    counts: dict[str, int]
    seconds: float  # On the GPU, all kernels together.


def profile_kernels(run: Callable[[], object]) -> Kernels:
    """Names, numbers and total time. The profiler stays attached to the process and may slow what is launched later."""
    return profile_each([run], lambda: None)[0]


_SEPARATOR = "spin_kernel"  # What torch.cuda._sleep runs.


def profile_each(runs: list[Callable[[], object]], separate: Callable[[], object]) -> list[Kernels]:
    """The same for each of several runs, in one go: starting the profiler takes longer than a run. `separate` launches the
    kernel that stands between two of them."""
    torch.cuda.synchronize()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It warns that it forgets between cycles; there is one.
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
            for number, run in enumerate(runs):
                if number:
                    separate()
                run()
                torch.cuda.synchronize()
    counts: list[collections.Counter[str]] = [collections.Counter()]
    microseconds = [0.0]
    events = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    for event in sorted(events, key=lambda event: event.time_range.start):
        if _SEPARATOR in event.name:
            counts.append(collections.Counter())
            microseconds.append(0.0)
        elif not event.name.startswith(("Memcpy", "Memset")):
            counts[-1][event.name] += 1
            microseconds[-1] += event.device_time_total
    if len(counts) != len(runs):
        raise RuntimeError(f"the profiler saw {len(counts)} runs of {len(runs)}")
    return [Kernels(dict(found), spent / 1e6) for found, spent in zip(counts, microseconds)]


def differences(plain: Kernels, captured: Kernels) -> dict[str, int]:
    """How many more of each kernel the captured work runs; empty where both run the same."""
    names = plain.counts.keys() | captured.counts.keys()
    found = {name: captured.counts.get(name, 0) - plain.counts.get(name, 0) for name in names}
    return {name: count for name, count in sorted(found.items()) if count}
