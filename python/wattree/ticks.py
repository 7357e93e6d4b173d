"""Windows of a steady load, cut where the energy counter steps.

A GPU's energy counter stands still for about 100 ms and then jumps. A window that starts and ends at jumps has no error
from the counter's coarseness; what remains is how well the moments of the jumps are known, which is one reading's time.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
import statistics
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Tick:
    """The counter showed `energy_j` for the first time at some moment after `after_s` and not later than `before_s`."""

    after_s: float
    before_s: float
    energy_j: float

    @property
    def time_s(self) -> float:
        return (self.after_s + self.before_s) / 2

    @property
    def uncertainty_s(self) -> float:
        return (self.before_s - self.after_s) / 2


class Progress:
    """How many iterations a load had done by when."""

    def __init__(self) -> None:
        self.times_s: list[float] = []
        self.iterations: list[float] = []

    def add(self, time_s: float, iterations: float) -> None:
        self.times_s.append(time_s)
        self.iterations.append(iterations)

    def covers(self, time_s: float) -> bool:
        return len(self.times_s) > 1 and self.times_s[0] <= time_s <= self.times_s[-1]

    def at(self, time_s: float) -> float:
        """Iterations done by then, a part of one included; only where covers(time_s)."""
        right = min(max(bisect.bisect_left(self.times_s, time_s), 1), len(self.times_s) - 1)
        before_s, after_s = self.times_s[right - 1], self.times_s[right]
        share = (time_s - before_s) / (after_s - before_s) if after_s > before_s else 1.0
        return self.iterations[right - 1] + share * (self.iterations[right] - self.iterations[right - 1])


@dataclasses.dataclass(frozen=True)
class Window:
    """Energy and iterations between two ticks, and how sure of the energy of one iteration they make us."""

    start_s: float
    end_s: float
    energy_j: float
    iterations: float
    ticks: int
    tick_uncertainty_s: float  # Of both ends together.
    relative_error: float  # Standard error of joules per iteration, over joules per iteration.
    drift: float  # Second half's joules per iteration over the first half's, less 1.

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s

    @property
    def joules_per_iteration(self) -> float:
        return self.energy_j / self.iterations

    @property
    def seconds_per_iteration(self) -> float:
        return self.duration_s / self.iterations

    @property
    def power_w(self) -> float:
        return self.energy_j / self.duration_s


def cut_window(ticks: Sequence[Tick], progress: Progress, not_before_s: float) -> Window | None:
    """The longest window between ticks that starts no sooner than that and lies within the progress.

    None with fewer than four ticks: two make a window, and the others say how steady it was.
    """
    inside = [tick for tick in ticks if tick.after_s >= not_before_s and progress.covers(tick.time_s)]
    if len(inside) < 4:
        return None
    done = [progress.at(tick.time_s) for tick in inside]
    energy_j = inside[-1].energy_j - inside[0].energy_j
    iterations = done[-1] - done[0]
    if iterations <= 0 or energy_j <= 0:
        return None
    middle = len(inside) // 2
    first = (inside[middle].energy_j - inside[0].energy_j) / (done[middle] - done[0])
    second = (inside[-1].energy_j - inside[middle].energy_j) / (done[-1] - done[middle])
    return Window(
        start_s=inside[0].time_s,
        end_s=inside[-1].time_s,
        energy_j=energy_j,
        iterations=iterations,
        ticks=len(inside),
        tick_uncertainty_s=math.hypot(inside[0].uncertainty_s, inside[-1].uncertainty_s),
        relative_error=relative_slope_error(done, [tick.energy_j for tick in inside]),
        drift=second / first - 1,
    )


def relative_slope_error(x: Sequence[float], y: Sequence[float]) -> float:
    """Standard error of the slope of a straight line through the points, over the slope.

    The errors at the ticks are independent (each moment is read by itself), those of the intervals between them are not:
    so this, and not the spread of the intervals' powers, says how well joules per iteration are known.
    """
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    xx = sum((a - mean_x) ** 2 for a in x)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / xx
    residual = sum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y)) / (len(x) - 2)
    return math.sqrt(residual / xx) / slope


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and its standard error relative to it; no error from a single value."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, None
    return mean, statistics.stdev(values) / math.sqrt(len(values)) / mean
