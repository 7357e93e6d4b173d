"""The protocol: how the energy of one run of a node is measured.

The load runs back to back. After it has settled, a window is cut between two ticks of the energy counter; it grows until
the energy of one run is known well enough. At the power cap the limiter swings for a while, so settling and window are
longer there. Energy is gross: what the GPU would have drawn idle is in it, and is recorded beside it.
"""

from __future__ import annotations

import collections
import dataclasses
import time
from collections.abc import Callable
from typing import Any

from wattree.device import Device, Launch
from wattree.proc import cpu_percent, ram_percent, read_cpu_time
from wattree.sampler import Resources, Sampler
from wattree.ticks import Progress, Window, cut_window, relative_slope_error

# This package's own: it runs the framework's modules. The program runs kernels by itself, and calls that
# "wattree-native-1"; files of both were once "wattree-1".
PROTOCOL = "wattree-torch-1"
# The cap is felt where the driver says so this often: the first look may still see the load before.
CAPPED_SHARE = 0.3


@dataclasses.dataclass(frozen=True)
class Settings:
    idle_s: float = 1.0
    settle_s: float = 0.25
    window_s: float = 0.5
    capped_settle_s: float = 1.2
    capped_window_s: float = 1.5
    iterations: int = 10  # At least so many in a window.
    relative_error: float = 0.01
    drift: float = 0.02  # Between the halves of a window.
    limit_s: float = 5.0  # For one measurement, whatever it has reached by then.
    queue_s: float = 0.02  # Work handed over ahead of the device.
    cap_share: float = 0.97  # Of the power limit: from here on the cap is taken to be felt.


# Of a single node there are many and of a pass few, so a node gets less time.
_NODE_SECONDS = {"settle_s": 0.2, "window_s": 0.3, "capped_settle_s": 1.0, "capped_window_s": 1.0}
_NODE_DRIFT = 0.03


def node_settings(settings: Settings) -> Settings:
    return dataclasses.replace(settings, **{
        field: min(seconds, getattr(settings, field)) for field, seconds in _NODE_SECONDS.items()},
        drift=max(_NODE_DRIFT, settings.drift))


@dataclasses.dataclass(frozen=True)
class Measurement:
    window: Window
    resources: Resources
    is_capped: bool
    is_settled: bool  # Otherwise the time ran out before the aims were met.
    settle_s: float
    load_s: float  # From the first launch to the last.
    other_processes: int
    execution: str


class MeasureError(RuntimeError):
    """No energy could be measured; the message says why."""


class _Queue:
    """Keeps the device busy, never more than some milliseconds ahead, and writes down what it has done."""

    def __init__(self, device: Device, launch: Launch, clock: Callable[[], float]) -> None:
        self._device, self._launch = device, launch
        self.progress = Progress()
        self._marks: collections.deque = collections.deque()
        self._done = 0
        self._launch_s = 0.0
        device.synchronize()
        self._origin = device.mark()
        self._origin.wait()
        # What the device does from here on is timed by its own clock, from this moment of the host's.
        self._origin_s = clock()
        self.progress.add(self._origin_s, 0)

    def push(self) -> None:
        self._launch.start()
        self._marks.append(self._device.mark())

    def is_full(self, queue_s: float) -> bool:
        # How long a launch takes is known once one was waited for.
        return len(self._marks) >= 2 and (self._done == 0 or len(self._marks) * self._launch_s >= queue_s)

    def pop(self) -> None:
        mark = self._marks.popleft()
        mark.wait()
        self._done += self._launch.iterations
        before_s = self.progress.times_s[-1]
        self.progress.add(self._origin_s + mark.seconds_since(self._origin), self._done)
        self._launch_s = self.progress.times_s[-1] - before_s

    def drain(self) -> None:
        while self._marks:
            self.pop()


def measure(launch: Launch, device: Device, sampler: Sampler, settings: Settings = Settings(),
            clock: Callable[[], float] = time.monotonic) -> Measurement:
    """Runs the launch until its energy is known, or until the time is up."""
    other_processes = len(sampler.meter.other_processes())
    queue = _Queue(device, launch, clock)
    start_s = clock()
    state = None
    next_look_s = start_s + settings.settle_s
    while True:
        queue.push()
        while queue.is_full(settings.queue_s):
            queue.pop()
        now_s = clock()
        if now_s < next_look_s:
            continue
        next_look_s = now_s + 0.02
        if sampler.failure is not None:
            raise MeasureError(f"the meter failed: {sampler.failure}") from sampler.failure
        state = _look(queue.progress, sampler, settings, start_s)
        if state is not None and state[2] or now_s - start_s >= settings.limit_s:
            break
    queue.drain()
    if state is None:
        raise MeasureError(f"fewer than four ticks of the energy counter within {clock() - start_s:.1f} s")
    window, is_capped, is_settled, settle_s = state
    return Measurement(
        window=window, resources=sampler.resources(window.start_s, window.end_s), is_capped=is_capped,
        is_settled=is_settled, settle_s=settle_s, load_s=clock() - start_s,
        other_processes=max(other_processes, len(sampler.meter.other_processes())), execution=launch.execution)


def _look(progress: Progress, sampler: Sampler, settings: Settings,
          start_s: float) -> tuple[Window, bool, bool, float] | None:
    """The best window so far, whether the power cap is felt in it, whether it will do, and how long was settled."""
    ticks = list(sampler.ticks)
    settle_s = settings.settle_s
    window = cut_window(ticks, progress, start_s + settle_s)
    if window is None:
        return None
    is_capped = (sampler.capped_share(window.start_s) >= CAPPED_SHARE
                 or _is_near(window.power_w, sampler.meter.power_limit_w, settings))
    wanted_s = settings.window_s
    if is_capped:
        settle_s, wanted_s = settings.capped_settle_s, settings.capped_window_s
        later = cut_window(ticks, progress, start_s + settle_s)
        if later is None:
            return window, True, False, settings.settle_s
        window = later
    is_settled = (window.duration_s >= wanted_s and window.iterations >= settings.iterations
                  and window.relative_error <= settings.relative_error and abs(window.drift) <= settings.drift)
    return window, is_capped, is_settled, settle_s


def _is_near(power_w: float, limit_w: float | None, settings: Settings) -> bool:
    return limit_w is not None and power_w >= settings.cap_share * limit_w


def window_fields(result: Measurement) -> dict[str, Any]:
    window = result.window
    return {
        "execution": result.execution, "energy_j": window.joules_per_iteration, "time_s": window.seconds_per_iteration,
        "power_w": window.power_w, "iterations": window.iterations, "duration_s": window.duration_s,
        "window_energy_j": window.energy_j, "relative_error": window.relative_error, "drift": window.drift,
        "ticks": window.ticks, "tick_uncertainty_s": window.tick_uncertainty_s, "is_settled": result.is_settled,
        "is_capped": result.is_capped, "settle_s": result.settle_s, "load_s": result.load_s,
        "other_processes": result.other_processes, **dataclasses.asdict(result.resources),
    }


@dataclasses.dataclass(frozen=True)
class Timing:
    """Time alone, where nothing can be metered."""

    seconds_per_iteration: float
    iterations: float
    duration_s: float
    relative_error: float
    drift: float
    is_settled: bool
    load_s: float
    cpu_percent: float | None
    ram_percent: float | None
    execution: str


def measure_time(launch: Launch, device: Device, settings: Settings,
                 clock: Callable[[], float] = time.monotonic) -> Timing:
    """As measure(), without the energy: the window lies between two launches instead of two ticks."""
    queue = _Queue(device, launch, clock)
    start_s = clock()
    before = None
    while True:
        while not queue.is_full(settings.queue_s):
            queue.push()
        queue.pop()
        now_s = clock()
        if before is None and now_s >= start_s + settings.settle_s:
            before = read_cpu_time()
        timed = [(at_s, done) for at_s, done in zip(queue.progress.times_s, queue.progress.iterations)
                 if at_s >= start_s + settings.settle_s]
        is_over = now_s - start_s >= settings.limit_s
        if len(timed) < 3:
            # A run that takes longer than the limit is timed by what there is of it.
            if not is_over or len(queue.progress.times_s) < 3:
                continue
            timed = list(zip(queue.progress.times_s, queue.progress.iterations))[-3:]
        seconds, done = timed[-1][0] - timed[0][0], timed[-1][1] - timed[0][1]
        middle = timed[len(timed) // 2]
        first = (middle[0] - timed[0][0]) / (middle[1] - timed[0][1])
        drift = (timed[-1][0] - middle[0]) / (timed[-1][1] - middle[1]) / first - 1 if first > 0 else 0.0
        error = relative_slope_error([d for _, d in timed], [t for t, _ in timed])
        is_settled = (seconds >= settings.window_s and done >= settings.iterations and error <= settings.relative_error
                      and abs(drift) <= settings.drift)
        if is_settled or is_over:
            break
    queue.drain()
    used = cpu_percent(before, read_cpu_time()) if before is not None else None
    return Timing(seconds / done, done, seconds, error, drift, is_settled, clock() - start_s, used, ram_percent(),
                  launch.execution)


def timing_fields(timing: Timing) -> dict[str, Any]:
    fields = dataclasses.asdict(timing)
    return {"time_s": fields.pop("seconds_per_iteration"), **fields}


@dataclasses.dataclass(frozen=True)
class Idle:
    power_w: float
    duration_s: float
    temperature_c: float | None
    sm_clock_mhz: float | None


def measure_idle(sampler: Sampler, duration_s: float = 1.0, limit_s: float = 5.0,
                 sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic) -> Idle:
    """The power of a GPU that has nothing to do, between ticks."""
    start_s = clock()
    while clock() - start_s < limit_s:
        sleep(0.05)
        if sampler.failure is not None:
            raise MeasureError(f"the meter failed: {sampler.failure}") from sampler.failure
        ticks = [tick for tick in list(sampler.ticks) if tick.after_s >= start_s]
        if len(ticks) >= 2 and ticks[-1].time_s - ticks[0].time_s >= duration_s:
            seconds = ticks[-1].time_s - ticks[0].time_s
            resources = sampler.resources(ticks[0].time_s, ticks[-1].time_s)
            return Idle((ticks[-1].energy_j - ticks[0].energy_j) / seconds, seconds, resources.temperature_c,
                        resources.sm_clock_mhz)
    raise MeasureError(f"the energy counter did not step enough within {limit_s:.0f} s of idling")


def wait_for_standby(sampler: Sampler, standby_w: float, limit_s: float = 10.0,
                     sleep: Callable[[float], None] = time.sleep,
                     clock: Callable[[], float] = time.monotonic) -> float | None:
    """Waits until the GPU draws no more than that, and says how long it took; None where it never did."""
    start_s = clock()
    while clock() - start_s < limit_s:
        powers = [sample.gpu.power_w for sample in list(sampler.samples)[-2:]]
        if powers and all(power is not None and power <= standby_w for power in powers):
            return clock() - start_s
        sleep(0.1)
    return None


def wait_until_steady(sampler: Sampler, limit_s: float = 5.0, tolerance: float = 0.03,
                      sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic) -> bool:
    """Waits until the last readings of the power agree: what ran before has faded. False where it never did."""
    start_s = clock()
    while clock() - start_s < limit_s:
        powers = [sample.gpu.power_w for sample in list(sampler.samples)[-5:]]
        if len(powers) == 5:
            known = [power for power in powers if power is not None]
            # A meter without a reading of power has nothing to wait for.
            if not known or max(known) - min(known) <= tolerance * max(known):
                return True
        sleep(0.1)
    return False
