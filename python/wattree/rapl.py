"""A processor's energy counters, from the kernel's powercap files: what a pass on the CPU is measured by.

Packages and the memory beside them; cores and uncore are in the package, psys has everything in it (docs/measuring.md).
"""

from __future__ import annotations

import pathlib

from wattree.nvml import GpuState

POWERCAP = pathlib.Path("/sys/class/powercap")


class RaplError(RuntimeError):
    """There is no counter, or it cannot be read. The message says what can be done."""


class Rapl:
    """All packages of the machine, and their memory, as one meter."""

    name, boundary, basis = "RAPL", "host", "RAPL energy counters"
    uuid = driver = None
    power_limit_w = None
    memory_bytes = None
    tick_s = 0.001
    period_s = 0.02  # Between readings: it loses nothing, and reading takes a core's time.

    def __init__(self, powercap: pathlib.Path = POWERCAP) -> None:
        # A domain below a package is intel-rapl:0:1; AMD's packages go by the same name.
        zones = [zone for zone in sorted(powercap.glob("intel-rapl:*")) if (zone / "name").exists()]
        self._zones = [zone for zone in zones if self._name(zone).startswith("package") or self._name(zone) == "dram"]
        if not self._zones:
            raise RaplError("this machine has no energy counter for its processor (a virtual machine has none; otherwise try "
                            "`sudo modprobe intel_rapl_msr`)")
        self._ranges_uj = [int((zone / "max_energy_range_uj").read_text()) for zone in self._zones]
        self._total_uj = 0
        try:
            self._last_uj = self._read()
        except PermissionError as error:
            raise RaplError("the processor's energy counter may be read by root only: "
                            "sudo chmod o+r /sys/class/powercap/intel-rapl*/energy_uj") from error

    @staticmethod
    def _name(zone: pathlib.Path) -> str:
        return (zone / "name").read_text().strip()

    def _read(self) -> list[int]:
        return [int((zone / "energy_uj").read_text()) for zone in self._zones]

    def energy_j(self) -> float:
        now_uj = self._read()
        for now, last, full in zip(now_uj, self._last_uj, self._ranges_uj):
            self._total_uj += now - last if now >= last else now + full - last
        self._last_uj = now_uj
        return self._total_uj / 1e6

    def state(self) -> GpuState:
        return GpuState()

    def other_processes(self) -> list[int]:
        return []
