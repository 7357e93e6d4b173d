"""Reads a GPU's counter and state from threads of their own, while the main thread keeps the GPU busy."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import statistics
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from wattree.nvml import POWER_CAP_REASONS, GpuState
from wattree.proc import CpuTime, cpu_percent, ram_percent, read_cpu_time
from wattree.ticks import Tick


class Meter(Protocol):
    """What is needed of a GPU; nvml.Gpu is one, and tests have another."""

    power_limit_w: float | None

    def energy_j(self) -> float: ...
    def state(self) -> GpuState: ...
    def other_processes(self) -> list[int]: ...


@dataclasses.dataclass(frozen=True)
class Sample:
    time_s: float
    gpu: GpuState
    cpu: CpuTime
    ram_percent: float


@dataclasses.dataclass(frozen=True)
class Resources:
    """IrEne's resource features over a window, and what else explains its power. None: not known."""

    cpu_percent: float | None
    ram_percent: float | None
    gpu_percent: float | None
    gpu_memory_percent: float | None  # Of the time in which the memory was read or written.
    gpu_memory_used_bytes: int | None
    sm_clock_mhz: float | None
    memory_clock_mhz: float | None
    temperature_c: float | None
    throttle_reasons: int | None  # Every reason seen, as NVML's bits.
    sampled_power_w: float | None  # Mean of the power readings, to hold against the counter.
    samples: int


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


class Sampler:
    """Two threads: one asks for the energy all the time, the other for everything else some times a second.

    Reading the counter of a busy GPU takes milliseconds, so whatever else is read must not stand in its way.
    """

    def __init__(self, meter: Meter, clock: Callable[[], float] = time.monotonic, period_s: float = 0.1,
                 pause_s: float = 0.0005) -> None:
        self.meter = meter
        self.ticks: list[Tick] = []
        self.samples: list[Sample] = []
        self.readings = 0
        self.failure: BaseException | None = None
        self._clock, self._period_s, self._pause_s = clock, period_s, pause_s
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._guard, args=(work,), daemon=True)
                         for work in (self._poll_energy, self._poll_state)]

    def __enter__(self) -> Sampler:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @contextlib.contextmanager
    def sparingly(self, pause_s: float = 0.045) -> Iterator[None]:
        """Asks for the energy so rarely that a program which launches kernels one by one is hardly slowed down. The moment of a tick is
        then known to that pause."""
        before_s, self._pause_s = self._pause_s, pause_s
        try:
            yield
        finally:
            self._pause_s = before_s

    def forget_before(self, time_s: float) -> None:
        """Drops what is older, so that a long session does not slow down."""
        # In place: the threads append to these very lists.
        del self.ticks[: sum(tick.before_s < time_s for tick in self.ticks)]
        del self.samples[: sum(sample.time_s < time_s for sample in self.samples)]

    def capped_share(self, since_s: float) -> float:
        """In how many of the looks since then a power limit held the clocks down."""
        held = [bool((sample.gpu.throttle_reasons or 0) & POWER_CAP_REASONS)
                for sample in list(self.samples) if sample.time_s >= since_s]
        return sum(held) / len(held) if held else 0.0

    def resources(self, start_s: float, end_s: float) -> Resources:
        samples = [sample for sample in list(self.samples) if start_s <= sample.time_s <= end_s]
        gpus = [sample.gpu for sample in samples]
        reasons = [gpu.throttle_reasons for gpu in gpus if gpu.throttle_reasons is not None]
        union = 0
        for reason in reasons:
            union |= reason
        return Resources(
            cpu_percent=cpu_percent(samples[0].cpu, samples[-1].cpu) if samples else None,
            ram_percent=_mean(sample.ram_percent for sample in samples),
            gpu_percent=_mean(gpu.gpu_percent for gpu in gpus),
            gpu_memory_percent=_mean(gpu.memory_percent for gpu in gpus),
            gpu_memory_used_bytes=gpus[-1].memory_used_bytes if gpus else None,
            sm_clock_mhz=_mean(gpu.sm_clock_mhz for gpu in gpus),
            memory_clock_mhz=_mean(gpu.memory_clock_mhz for gpu in gpus),
            temperature_c=_mean(gpu.temperature_c for gpu in gpus),
            throttle_reasons=union if reasons else None,
            sampled_power_w=_mean(gpu.power_w for gpu in gpus),
            samples=len(samples),
        )

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # A thread has nobody to tell; whoever measures looks here.
            self.failure = error

    def _poll_energy(self) -> None:
        last_energy_j, last_read_s = self.meter.energy_j(), self._clock()
        while not self._stop.wait(self._pause_s):
            asked_s = self._clock()
            energy_j = self.meter.energy_j()
            # The driver looked at the counter at some moment of the call: say, in the middle.
            read_s = (asked_s + self._clock()) / 2
            self.readings += 1
            if energy_j != last_energy_j:
                # A counter that steps often has stepped just now, however long ago it was read before.
                after_s = max(last_read_s, read_s - getattr(self.meter, "tick_s", math.inf))
                self.ticks.append(Tick(after_s=after_s, before_s=read_s, energy_j=energy_j))
            last_energy_j, last_read_s = energy_j, read_s

    def _poll_state(self) -> None:
        while True:
            gpu = self.meter.state()
            self.samples.append(Sample(self._clock(), gpu, read_cpu_time(), ram_percent()))
            if self._stop.wait(self._period_s):
                return
