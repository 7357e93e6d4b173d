"""A GPU that draws what it is told to: for trying the protocol out where there is none. Its joules are no measurement."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from wattree.nvml import GpuState


class FakeGpu:
    """A counter that steps every `tick_s`, at a power that a function of time gives."""

    name, uuid, driver, memory_bytes = "no GPU (dry run)", "GPU-dry", "none", 0
    basis, boundary = "a meter that is none", "gpu"

    def __init__(self, power_w: Callable[[float], float] = lambda time_s: 300.0, tick_s: float = 0.1,
                 power_limit_w: float | None = 700.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.power_limit_w, self._power_w, self._tick_s, self._clock = power_limit_w, power_w, tick_s, clock
        self._step, self._energy_j = math.floor(clock() / tick_s), 1000.0

    def energy_j(self) -> float:
        now = math.floor(self._clock() / self._tick_s)
        while self._step < now:
            self._energy_j += self._power_w(self._step * self._tick_s) * self._tick_s
            self._step += 1
        return round(self._energy_j, 3)  # Millijoules, as NVML counts.

    def state(self) -> GpuState:
        power_w = self._power_w(self._clock())
        is_capped = self.power_limit_w is not None and power_w >= self.power_limit_w
        return GpuState(gpu_percent=100, memory_percent=50, sm_clock_mhz=1500 if is_capped else 1980,
                        memory_clock_mhz=3201, temperature_c=50, throttle_reasons=4 if is_capped else 0,
                        memory_used_bytes=0, power_w=power_w)

    def other_processes(self) -> list[int]:
        return []
