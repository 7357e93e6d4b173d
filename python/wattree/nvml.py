"""NVIDIA's management library by ctypes: the energy counter of one GPU, and what else it tells.

Declared anew from the published interface, because a machine that measures may have a driver and nothing more. Layouts
and numbers: NVML API reference, CUDA 12 and 13 (the same as src/measure/meter/nvml_abi.h).
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import sys
from typing import Any

_SUCCESS = 0
_NOT_SUPPORTED = 3
_INSUFFICIENT_SIZE = 7
_FIELD_POWER_INSTANT = 186
_CLOCK_SM, _CLOCK_MEMORY = 1, 2
_TEMPERATURE_GPU = 0

# nvmlClocksEventReasons: why the clocks are lower than they could be.
POWER_CAP_REASONS = 0x4 | 0x80  # The software power cap, and the hardware's power brake.
THERMAL_REASONS = 0x8 | 0x20 | 0x40  # Hardware slowdown, software and hardware thermal slowdown.


def _computes_here() -> bool:
    """Whether this process has work on a GPU, as far as PyTorch is what it uses."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized()


class NvmlError(RuntimeError):
    """NVML refused, or is not there. The message says what was asked and what can be done."""


class _Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Value(ctypes.Union):
    _fields_ = [("d", ctypes.c_double), ("ui", ctypes.c_uint), ("ull", ctypes.c_ulonglong)]


class _FieldValue(ctypes.Structure):
    _fields_ = [
        ("field", ctypes.c_uint), ("scope", ctypes.c_uint), ("timestamp_us", ctypes.c_longlong),
        ("latency_us", ctypes.c_longlong), ("type", ctypes.c_int), ("status", ctypes.c_int), ("value", _Value),
    ]


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint), ("memory", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


@dataclasses.dataclass(frozen=True)
class GpuState:
    """One look at a GPU. What the driver does not tell is None."""

    gpu_percent: int | None = None
    memory_percent: int | None = None
    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    temperature_c: int | None = None
    throttle_reasons: int | None = None
    memory_used_bytes: int | None = None
    power_w: float | None = None


class Gpu:
    """One GPU as NVML sees it. Every method may be called from any thread."""

    basis, boundary = "NVML energy counter", "gpu"

    def __init__(self, uuid: str | None = None, library: str = "libnvidia-ml.so.1") -> None:
        """The GPU of that UUID (as PyTorch or nvidia-smi give it), or the first one."""
        try:
            self._nvml = ctypes.CDLL(library)
        except OSError as error:
            raise NvmlError(f"{library}: cannot be loaded ({error}); is the NVIDIA driver installed?") from error
        self._call("nvmlInit_v2")
        self._handle = self._find(uuid)
        self.name = self._text("nvmlDeviceGetName", self._handle)
        self.uuid = self._text("nvmlDeviceGetUUID", self._handle)
        self.driver = self._text("nvmlSystemGetDriverVersion")
        self.memory_bytes = self._memory().total
        limit_mw = self._unsigned("nvmlDeviceGetEnforcedPowerLimit")
        self.power_limit_w = None if limit_mw is None else limit_mw / 1000

    def energy_j(self) -> float:
        """The counter of the GPU's energy since the driver was loaded; it steps about every 100 ms."""
        millijoules = ctypes.c_ulonglong()
        self._call("nvmlDeviceGetTotalEnergyConsumption", self._handle, ctypes.byref(millijoules))
        return millijoules.value / 1000

    def power_w(self) -> float | None:
        """Power now; where the driver has no such field, over its own averaging time."""
        field = _FieldValue(field=_FIELD_POWER_INSTANT)
        code = self._function("nvmlDeviceGetFieldValues")(self._handle, 1, ctypes.byref(field))
        if code == _SUCCESS and field.status == _SUCCESS:
            return field.value.ui / 1000
        power_mw = self._unsigned("nvmlDeviceGetPowerUsage")
        return None if power_mw is None else power_mw / 1000

    def state(self) -> GpuState:
        use = _Utilization()
        has_use = self._function("nvmlDeviceGetUtilizationRates")(self._handle, ctypes.byref(use)) == _SUCCESS
        return GpuState(
            gpu_percent=use.gpu if has_use else None,
            memory_percent=use.memory if has_use else None,
            sm_clock_mhz=self._unsigned("nvmlDeviceGetClockInfo", _CLOCK_SM),
            memory_clock_mhz=self._unsigned("nvmlDeviceGetClockInfo", _CLOCK_MEMORY),
            temperature_c=self._unsigned("nvmlDeviceGetTemperature", _TEMPERATURE_GPU),
            throttle_reasons=self._throttle_reasons(),
            memory_used_bytes=self._memory().used,
            power_w=self.power_w(),
        )

    def other_processes(self) -> list[int]:
        """Processes other than this one that compute on the GPU. A driver that does not tell names none.

        In a container NVML may know this process by the host's number for it. Where PyTorch computes here and our own
        number is not in the list, one of those in it is ours.
        """
        list_processes = self._function("nvmlDeviceGetComputeRunningProcesses_v3")
        count = ctypes.c_uint(64)
        found = (_Process * count.value)()
        if list_processes(self._handle, ctypes.byref(count), found) != _SUCCESS:
            return []
        listed = [process.pid for process in found[: count.value]]
        if os.getpid() in listed:
            return [pid for pid in listed if pid != os.getpid()]
        return listed[:-1] if listed and _computes_here() else listed

    def _find(self, uuid: str | None) -> ctypes.c_void_p:
        count = ctypes.c_uint()
        self._call("nvmlDeviceGetCount_v2", ctypes.byref(count))
        known = []
        for index in range(count.value):
            handle = ctypes.c_void_p()
            self._call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(handle))
            known.append(self._text("nvmlDeviceGetUUID", handle))
            if uuid is None or count.value == 1 or known[-1].removeprefix("GPU-") == uuid.removeprefix("GPU-"):
                return handle
        raise NvmlError(f"no GPU {uuid or ''} among those NVML knows ({', '.join(known) or 'none'})")

    def _function(self, name: str) -> Any:
        try:
            return getattr(self._nvml, name)
        except AttributeError:
            return lambda *arguments: _NOT_SUPPORTED

    def _call(self, name: str, *arguments: Any) -> None:
        code = self._function(name)(*arguments)
        if code != _SUCCESS:
            self._nvml.nvmlErrorString.restype = ctypes.c_char_p
            reason = "not supported by this driver" if code == _NOT_SUPPORTED else (
                self._nvml.nvmlErrorString(code) or b"").decode(errors="replace")
            raise NvmlError(f"{name}: {reason} (error {code})")

    def _text(self, name: str, *arguments: Any) -> str:
        text = ctypes.create_string_buffer(96)
        self._call(name, *arguments, text, ctypes.c_uint(len(text)))
        return text.value.decode(errors="replace")

    def _unsigned(self, name: str, *arguments: int) -> int | None:
        value = ctypes.c_uint()
        code = self._function(name)(self._handle, *arguments, ctypes.byref(value))
        return value.value if code == _SUCCESS else None

    def _throttle_reasons(self) -> int | None:
        reasons = ctypes.c_ulonglong()
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            if self._function(name)(self._handle, ctypes.byref(reasons)) == _SUCCESS:
                return reasons.value
        return None

    def _memory(self) -> _Memory:
        memory = _Memory()
        self._call("nvmlDeviceGetMemoryInfo", self._handle, ctypes.byref(memory))
        return memory
