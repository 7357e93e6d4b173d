"""The device that runs the work: a CUDA GPU, or for trying things out the CPU.

A launch is what the host hands over at once: a captured graph of several copies of a node, or plain calls.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any, Protocol


class Mark(Protocol):
    """A point in the device's work."""

    def wait(self) -> None: ...
    def seconds_since(self, earlier: Any) -> float: ...  # Both must have been reached.


@dataclasses.dataclass(frozen=True)
class Launch:
    """Work that can be started again and again; one start is `iterations` runs of a node."""

    start: Callable[[], None]
    iterations: int
    execution: str  # "graph" or "eager"
    close: Callable[[], None] = lambda: None
    holds: object = None  # What must live as long: a graph knows its buffers by address alone.


class CaptureError(RuntimeError):
    """The work cannot be captured as a graph; the message says why."""


class DeviceLost(RuntimeError):
    """The device cannot be used any more by this process."""


def first_line(error: BaseException) -> str:
    """What an error is and says, without the pages that some add."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else 'no message'}"


class Device(Protocol):
    name: str
    has_graphs: bool
    cache_bytes: int  # Of the last-level cache.

    def mark(self) -> Mark: ...
    def synchronize(self) -> None: ...
    def warm_up(self, run: Callable[[int], object], times: int) -> float: ...  # Seconds of the last run.
    def capture(self, run: Callable[[int], object], copies: int) -> Launch: ...
    def is_capturing(self) -> bool: ...
    def spin(self, cycles: int) -> None: ...  # Next to no work for that many clock cycles.
    def free_bytes(self) -> int: ...
    def release(self) -> None: ...  # Hands unused memory back.
    def check(self) -> None: ...  # Raises DeviceLost where no more work is possible.


def repeat(run: Callable[[int], object], copies: int) -> Launch:
    """Plain calls, one after the other, as a program without graphs makes them."""

    def start() -> None:
        for i in range(copies):
            run(i)

    return Launch(start, copies, "eager", holds=run)


class _CudaMark:
    def __init__(self, torch: Any) -> None:
        self._event = torch.cuda.Event(enable_timing=True)
        self._event.record()

    def wait(self) -> None:
        self._event.synchronize()

    def seconds_since(self, earlier: _CudaMark) -> float:
        return earlier._event.elapsed_time(self._event) / 1000


class CudaDevice:
    """The current CUDA device of PyTorch."""

    name, has_graphs = "cuda", True

    def __init__(self) -> None:
        import torch

        self._torch = torch
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.cache_bytes = properties.L2_cache_size
        self.uuid = str(properties.uuid)
        self._stream = torch.cuda.Stream()

    def mark(self) -> _CudaMark:
        return _CudaMark(self._torch)

    def synchronize(self) -> None:
        self._torch.cuda.synchronize()

    def warm_up(self, run: Callable[[int], object], times: int) -> float:
        # On the stream of the capture, so that libraries have their workspaces there before it.
        self.synchronize()
        with self._torch.cuda.stream(self._stream):
            for i in range(times):
                before = self.mark()
                run(i)
                after = self.mark()
            after.wait()
            return after.seconds_since(before)

    def capture(self, run: Callable[[int], object], copies: int) -> Launch:
        # torch.cuda.graph would also empty the allocator's cache, and a thousand captures spend seconds on that.
        torch = self._torch
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.stream(self._stream):
            graph.capture_begin(capture_error_mode="thread_local")
            try:
                for i in range(copies):
                    run(i)
            except BaseException as error:
                self._abandon(graph)
                if not isinstance(error, Exception):  # Ctrl-C, which must not leave the stream in a capture.
                    raise
                raise CaptureError(first_line(error)) from error
            try:
                graph.capture_end()
            except Exception as error:
                self._abandon(graph)
                raise CaptureError(first_line(error)) from error
        return Launch(graph.replay, copies, "graph", graph.reset, holds=run)

    def _abandon(self, graph: Any) -> None:
        """Ends a capture that failed. PyTorch leaves the allocator and the random generator in the middle of it
        (pytorch/pytorch#171263), so both are put right by hand."""
        torch = self._torch
        device = torch.cuda.current_device()
        for mend in (
            graph.capture_end,
            lambda: torch._C._cuda_endAllocateToPool(device, graph.pool()),
            lambda: torch.cuda.default_generators[device].graphsafe_set_state(
                torch.Generator(device="cuda").graphsafe_get_state()),
            torch.cuda.synchronize,
        ):
            try:
                mend()
            except Exception:  # Whatever of this was not needed; the check below decides.
                pass
        self._stream = torch.cuda.Stream()
        self.check()

    def check(self) -> None:
        try:
            self.synchronize()
            self._torch.randn(8, device="cuda").sum().item()
        except Exception as error:
            raise DeviceLost(f"the GPU takes no more work from this process: {str(error).splitlines()[0]}") from error

    def is_capturing(self) -> bool:
        return self._torch.cuda.is_current_stream_capturing()

    def spin(self, cycles: int) -> None:
        self._torch.cuda._sleep(cycles)

    def free_bytes(self) -> int:
        torch = self._torch
        return torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()

    def release(self) -> None:
        self._torch.cuda.empty_cache()


class _HostMark:
    def __init__(self) -> None:
        self._time_s = time.monotonic()

    def wait(self) -> None:
        pass

    def seconds_since(self, earlier: _HostMark) -> float:
        return self._time_s - earlier._time_s


class CpuDevice:
    """The host's processor, where calls return when their work is done."""

    name, has_graphs = "cpu", False

    def __init__(self, cache_bytes: int = 1 << 20, free_bytes: int = 1 << 30) -> None:
        self.cache_bytes, self._free_bytes = cache_bytes, free_bytes

    def mark(self) -> _HostMark:
        return _HostMark()

    def synchronize(self) -> None:
        pass

    def warm_up(self, run: Callable[[int], object], times: int) -> float:
        for i in range(times):
            before = self.mark()
            run(i)
        return self.mark().seconds_since(before)

    def capture(self, run: Callable[[int], object], copies: int) -> Launch:
        raise CaptureError("a CPU has no graphs")

    def is_capturing(self) -> bool:
        return False

    def spin(self, cycles: int) -> None:
        time.sleep(cycles * 1e-9)

    def free_bytes(self) -> int:
        return self._free_bytes

    def release(self) -> None:
        pass

    def check(self) -> None:
        pass
