"""What the machine's processors and memory are doing, from /proc."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class CpuTime:
    """Since boot, over all processors, in the kernel's ticks."""

    busy: int
    total: int


def read_cpu_time(proc: pathlib.Path = pathlib.Path("/proc")) -> CpuTime:
    # user nice system idle iowait irq softirq steal; the two guest columns are in user and nice already (proc(5)).
    fields = [int(word) for word in (proc / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = fields[3] + fields[4]
    return CpuTime(busy=sum(fields) - idle, total=sum(fields))


def cpu_percent(before: CpuTime, after: CpuTime) -> float | None:
    """Percent of all processors; None where no time has passed between the two."""
    total = after.total - before.total
    return 100 * (after.busy - before.busy) / total if total > 0 else None


class Others:
    """How busy other processes keep the processors, from when it was made."""

    LEAST_TICKS = 20  # Of the kernel's; fewer say nothing.

    def __init__(self, read: Callable[[], CpuTime] = read_cpu_time,
                 own_s: Callable[[], float] = time.process_time) -> None:
        self._read, self._own_s = read, own_s
        self._before, self._before_s = read(), own_s()

    def percent(self) -> float | None:
        """Of all processors; None where too little time has passed to say."""
        after = self._read()
        total = after.total - self._before.total
        if total < self.LEAST_TICKS:
            return None
        own = (self._own_s() - self._before_s) * os.sysconf("SC_CLK_TCK")
        return max(0.0, 100 * (after.busy - self._before.busy - own) / total)


def ram_percent(proc: pathlib.Path = pathlib.Path("/proc")) -> float:
    """Percent of the machine's memory that is not available."""
    values = {}
    for line in (proc / "meminfo").read_text().splitlines():
        name, _, rest = line.partition(":")
        values[name] = int(rest.split()[0])
    return 100 * (1 - values["MemAvailable"] / values["MemTotal"])
