"""Heavy nodes measured with pauses in between, so that their clock is the one they have within a model.

Back to back, a large matrix product pushes a GPU to its power limit and its clock down; among lighter ops it runs at the full
clock. A pause is a kernel that does next to nothing; what it takes is measured once and taken off.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from wattree.device import Device
from wattree.measure import Measurement, Settings, measure
from wattree.sampler import Sampler
from wattree.workload import Workload, prepare_launch, with_pauses

PAUSE_SHARE = 0.7  # Of the node's own time.


@dataclasses.dataclass(frozen=True)
class Spin:
    """Next to no work: seconds of one call as a + b·cycles, and the power meanwhile."""

    fixed_s: float
    per_cycle_s: float
    power_w: float

    def seconds(self, cycles: int) -> float:
        return self.fixed_s + self.per_cycle_s * cycles


def _spin(device: Device, cycles: int, i: int) -> None:
    device.spin(cycles)


def measure_spin(device: Device, sampler: Sampler, settings: Settings) -> tuple[Spin, list[tuple]]:
    """And the points it was taken from: cycles, seconds, watts, and the clock in MHz."""
    points = []
    for cycles in (20_000, 200_000):
        workload = Workload(functools.partial(_spin, device, cycles), 1, 0)
        launch, _ = prepare_launch(workload, device)
        result = measure(launch, device, sampler, settings)
        launch.close()
        points.append((cycles, result.window.seconds_per_iteration, result.window.power_w, result.resources.sm_clock_mhz))
    (c1, t1, _, _), (c2, t2, power_w, _) = points
    per_cycle_s = (t2 - t1) / (c2 - c1)
    return Spin(t1 - per_cycle_s * c1, per_cycle_s, power_w), points


@dataclasses.dataclass(frozen=True)
class Paused:
    """A node with pauses in between, and what is left of it without them."""

    result: Measurement
    why_eager: str | None
    copies: int
    cycles: int
    pause_s: float
    pause_power_w: float

    @property
    def node_time_s(self) -> float:
        return self.result.window.seconds_per_iteration - self.pause_s

    @property
    def node_energy_j(self) -> float:
        return self.result.window.joules_per_iteration - self.pause_s * self.pause_power_w

    def fields(self) -> dict[str, Any]:
        return {"pauses": {"cycles": self.cycles, "time_s": self.pause_s, "power_w": self.pause_power_w},
                "node_time_s": self.node_time_s, "node_energy_j": self.node_energy_j}


def measure_with_pauses(workload: Workload, alone: Measurement, spin: Spin, device: Device, sampler: Sampler,
                        settings: Settings) -> Paused:
    pause_s = PAUSE_SHARE * alone.window.seconds_per_iteration
    cycles = max(1000, int((pause_s - spin.fixed_s) / spin.per_cycle_s))
    launch, why = prepare_launch(with_pauses(workload, device, cycles), device)
    try:
        result = measure(launch, device, sampler, settings)
    finally:
        launch.close()
    return Paused(result, why, launch.iterations, cycles, spin.seconds(cycles), spin.power_w)
