"""How long the host takes to launch work from Python, by itself: no clock waits for the device, and nothing is metered."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable
from typing import Any

from wattree.device import Device

ROUNDS = 7
ROUND_S = 0.002
MOST_CALLS = 200  # A device takes about a thousand launches before the host has to wait for it.


@dataclasses.dataclass(frozen=True)
class LaunchTime:
    """Of one call: seconds until the host goes on, and until the device is done where nothing else was asked of it."""

    host_s: float  # Median of the rounds.
    host_least_s: float
    latency_s: float  # Of single calls, each waited for; the median.
    calls: int  # In a round.


def time_launch(run: Callable[[int], Any], device: Device, kernels: int = 1,
                clock: Callable[[], float] = time.perf_counter) -> LaunchTime:
    """`kernels`: how many a call launches."""
    latencies = []
    for i in range(5):
        device.synchronize()
        start_s = clock()
        run(i)
        device.synchronize()
        latencies.append(clock() - start_s)
    latency_s = statistics.median(latencies)
    calls = max(1, min(int(ROUND_S / latency_s), MOST_CALLS, MOST_CALLS // max(kernels, 1)))
    rounds = []
    for _ in range(ROUNDS):
        device.synchronize()
        start_s = clock()
        for i in range(calls):
            run(i)
        rounds.append((clock() - start_s) / calls)
    device.synchronize()
    return LaunchTime(statistics.median(rounds), min(rounds), latency_s, calls)
