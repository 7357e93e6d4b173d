"""Shared by the tests of the Python package: where it is, and a GPU, a clock and a load that do what a test says."""

import dataclasses
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture(scope="session")
def root():
    return ROOT


def built(relative):
    """A file of the build folder that make test uses, or else of the usual one."""
    path = pathlib.Path(os.environ.get("WATTREE_BUILD", ROOT / "build/release")) / relative
    if not path.exists():
        pytest.skip("wattree is not built: run make build")
    return str(path)


@pytest.fixture(scope="session")
def program():
    return built("bin/wattree")


@pytest.fixture
def library(monkeypatch):
    """libwattree.so as it was built."""
    path = built("lib/libwattree.so")
    monkeypatch.setenv("WATTREE_LIBRARY", path)
    return path


class Clock:
    """Time that passes only when something takes it."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@dataclasses.dataclass
class Mark:
    time_s: float
    clock: Clock

    def wait(self):
        self.clock.now_s = max(self.clock.now_s, self.time_s)

    def seconds_since(self, earlier):
        return self.time_s - earlier.time_s


class SimulatedDevice:
    """A device whose launches take a known time, one after the other, while the host goes on."""

    name, cache_bytes = "simulated", 1 << 20

    def __init__(self, clock, host_s=0.0001):
        self.clock, self.host_s, self.busy_until_s = clock, host_s, clock.now_s

    def start(self, seconds):
        self.clock.now_s += self.host_s
        self.busy_until_s = max(self.busy_until_s, self.clock.now_s) + seconds

    def mark(self):
        return Mark(max(self.busy_until_s, self.clock.now_s), self.clock)

    def synchronize(self):
        self.clock.now_s = max(self.clock.now_s, self.busy_until_s)


class SimulatedSampler:
    """Sees a counter that steps every 100 ms at a power that a function of time gives, and the clocks' cap likewise."""

    def __init__(self, clock, power_w, tick_s=0.1, capped=lambda time_s: False, limit_w=700.0):
        from wattree.ticks import Tick

        self.clock, self.power_w, self.tick_s, self.capped, self.failure = clock, power_w, tick_s, capped, None
        self.meter = dataclasses.make_dataclass("Meter", ["power_limit_w"])(limit_w)
        self.meter.other_processes = list
        self._tick, self._ticks, self._energy_j = Tick, [], 5000.0
        self._next_s = clock.now_s

    @property
    def ticks(self):
        while self._next_s + self.tick_s <= self.clock.now_s:
            self._energy_j += self.power_w(self._next_s) * self.tick_s
            self._next_s += self.tick_s
            self._ticks.append(self._tick(self._next_s, self._next_s, self._energy_j))
        return self._ticks

    def capped_share(self, since_s):
        looks = [tick.time_s for tick in self.ticks if tick.time_s >= since_s]
        return sum(map(self.capped, looks)) / len(looks) if looks else 0.0

    def resources(self, start_s, end_s):
        return None


@pytest.fixture
def simulated():
    def make(power_w, **how):
        clock = Clock()
        return clock, SimulatedDevice(clock), SimulatedSampler(clock, power_w, **how)

    return make
