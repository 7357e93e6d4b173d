"""One session of measuring nodes: idle power first, then node after node by the protocol of measure.py."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from wattree.capture import PreparedMasks, scalars_filled, windows_on_host
from wattree.device import CaptureError, Device, Launch, first_line
from wattree.measure import (
    Idle, Settings, measure, measure_idle, measure_time, node_settings, timing_fields, wait_until_steady, window_fields)
from wattree.pauses import Spin, measure_spin, measure_with_pauses
from wattree.proc import Others
from wattree.sampler import Sampler
from wattree.trace import OpCall, Trace, Tracer, snapshots, trace
from wattree.workload import Workload, module_workload, op_workload, prepare_launch

DRIFT_AFTER_S = 15.0  # A shorter session has no time to drift.
DRIFT_TOLERANCE = 0.02
LOOK_FOR_OTHERS_S = 0.3
MOST_OTHERS_PERCENT = 10.0  # As `wattree profile` has it.


def _run_once(run: Callable[[], Any], i: int) -> None:
    run()


class Session:
    def __init__(self, device: Device, meter: Any, settings: Settings, execution: str) -> None:
        self.device, self.settings = device, settings
        self.node_settings = node_settings(settings)
        self.notes: list[str] = []
        self._execution = execution if device.has_graphs else "eager"
        # Some looks at the state in every window.
        self._sampler = None if meter is None else Sampler(
            meter, period_s=min(0.1, self.node_settings.window_s / 3), pause_s=getattr(meter, "period_s", 0.0005))
        self._idle: Idle | None = None
        self._spin: Spin | None = None
        self._start_s = time.monotonic()

    def __enter__(self) -> Session:
        if self._sampler is not None:
            self._sampler.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._sampler is not None:
            self._sampler.__exit__()

    @property
    def is_meter_lost(self) -> bool:
        return self._sampler is not None and self._sampler.failure is not None

    def begin(self) -> None:
        """Rests, and takes the power of resting."""
        others = Others()
        if self._sampler is not None:
            self._measure_idle()
        elif self.device.name == "cpu":
            time.sleep(LOOK_FOR_OTHERS_S)
        if self.device.name == "cpu" and (percent := others.percent()) is not None and percent > MOST_OTHERS_PERCENT:
            self.notes.append(f"other processes use {percent:.0f} % of the processors: these numbers hold for that")

    def _measure_idle(self) -> None:
        assert self._sampler is not None
        if not wait_until_steady(self._sampler):
            self.notes.append("the device did not come to rest before measuring began: something else may be using it")
        self._idle = measure_idle(self._sampler, self.settings.idle_s)
        if others := len(self._sampler.meter.other_processes()):
            self.notes.append(f"{others} other process(es) use the GPU, and what they take is in these numbers")

    # Nodes.

    def measure_root(self, model: torch.nn.Module, call: Callable[[], Any], execution: str | None = None) -> dict[str, Any]:
        return self._measure_call(model, call, Workload(lambda i: call(), 1, 0), "natural", self.settings, execution)

    def measure_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any],
                       execution: str | None = None) -> dict[str, Any]:
        workload = module_workload(module, args, kwargs, self.device, "in_place")
        _, call = self.call_of(module, args, kwargs)
        return self._measure_call(module, call, workload, "in_place", self.node_settings, execution)

    def measure_op(self, op: OpCall, integers: Any = None, execution: str | None = None) -> dict[str, Any]:
        workload = op_workload(op, self.device, "in_place", integers=integers)
        launch, why = prepare_launch(workload, self.device, execution or self._execution)
        return self._measure_launch(launch, why, workload, "in_place", self.node_settings)

    @staticmethod
    def call_of(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> tuple[torch.nn.Module, Callable[[], Any]]:
        def call() -> Any:
            arguments, keywords = snapshots(args, kwargs)
            with torch.no_grad():
                return module(*arguments, **keywords)

        return module, call

    def _measure_call(self, module: torch.nn.Module, call: Callable[[], Any], workload: Workload, cache: str,
                      settings: Settings, execution: str | None) -> dict[str, Any]:
        if (execution or self._execution) == "eager":
            launch, _ = prepare_launch(workload, self.device, "eager")
            return self._measure_launch(launch, None, workload, cache, settings)
        prepared = Prepared(module, call)
        captured = prepared.capturable(workload, self.device)
        why = prepared.why_not
        if why is None:
            launch, why = prepare_launch(captured, self.device)
            if why is None and not prepared.agrees:
                launch.close()
                why = "the captured pass runs other ops than the plain one"
        if why is not None:
            captured = workload
            launch, _ = prepare_launch(workload, self.device, "eager")
        extra = {"left_out": prepared.left_out} if why is None and prepared.left_out else {}
        return self._measure_launch(launch, why, captured, cache, settings) | extra

    def _measure_launch(self, launch: Launch, why: str | None, workload: Workload, cache: str,
                        settings: Settings) -> dict[str, Any]:
        record: dict[str, Any] = {"at_s": round(time.time()), "cache": cache,
                                  "sets": min(workload.sets, launch.iterations), "copies": launch.iterations}
        if why is not None:
            record["why_eager"] = why
        if self._sampler is None:
            try:
                return record | timing_fields(measure_time(launch, self.device, settings))
            finally:
                launch.close()
        try:
            result = measure(launch, self.device, self._sampler, settings)
        finally:
            launch.close()
        record |= window_fields(result)
        assert self._idle is not None
        self._sampler.forget_before(time.monotonic() - 1)
        if result.is_capped and cache != "natural" and result.execution == "graph":
            record |= self._in_model(workload, result, settings)
        return record | {"idle_j": self._idle.power_w * record["time_s"], "idle_power_w": self._idle.power_w}

    def _in_model(self, workload: Workload, alone: Any, settings: Settings) -> dict[str, Any]:
        """A node that is held back by the power cap, as it runs within a model: what it takes back to back is kept beside."""
        assert self._sampler is not None
        if self._spin is None:
            self._spin, _ = measure_spin(self.device, self._sampler, settings)
        paused = measure_with_pauses(workload, alone, self._spin, self.device, self._sampler, settings)
        if paused.why_eager is not None or paused.node_energy_j <= 0 or paused.node_time_s <= 0:
            return {}
        return window_fields(paused.result) | {
            "energy_j": paused.node_energy_j, "time_s": paused.node_time_s,
            "power_w": paused.node_energy_j / paused.node_time_s, "pauses": paused.fields()["pauses"],
            "is_capped": alone.is_capped, "alone_j": alone.window.joules_per_iteration,
            "alone_time_s": alone.window.seconds_per_iteration}

    # Checks.

    def check_drift(self, first: dict[str, Any], measure_again: Callable[[], dict[str, Any]]) -> None:
        """The whole pass once more: a machine that has become warmer or busier gives another number."""
        if "energy_j" not in first or time.monotonic() - self._start_s < DRIFT_AFTER_S:
            return
        drift = measure_again()["energy_j"] / first["energy_j"] - 1
        why = "" if abs(drift) <= DRIFT_TOLERANCE else (
            "; the machine was not steady, so measure again" if first["execution"] == "graph"
            else "; launched from Python, a pass takes as long as the host takes to launch it")
        self.notes.append(f"the whole pass, measured again at the end: {100 * drift:+.1f} %{why}")

    def op_run(self, op: OpCall, integers: Any = None) -> Callable[[], Any]:
        workload = op_workload(op, self.device, "warm", integers=integers)
        return lambda: workload.run(0)

    def module_run(self, module: torch.nn.Module, call: Callable[[], Any]) -> Callable[[], Any]:
        """One run that can be captured and run plainly alike."""
        workload = Prepared(module, call).capturable(Workload(lambda i: call(), 1, 0), self.device)
        return lambda: workload.run(0)

    def compare_kernels(self, runs: dict[str, Callable[[], Any]]) -> tuple[dict[str, dict[str, int]], str | None]:
        """By node, how many more of each kernel a graph of it runs than it runs plainly; and why there is none of that."""
        from wattree.kernels import differences, profile_each

        if not runs:
            return {}, None
        graphs: dict[str, Launch] = {}
        try:
            for key, run in runs.items():
                self.device.warm_up(functools.partial(_run_once, run), 1)
                with contextlib.suppress(CaptureError):
                    graphs[key] = self.device.capture(functools.partial(_run_once, run), 1)
            found = profile_each([launch for key in graphs for launch in (runs[key], graphs[key].start)],
                                 lambda: self.device.spin(1000))
        except Exception as error:  # A profiler that does not work here takes nothing away from what was measured.
            self.notes.append(f"the kernels of graphs and plain runs were not compared: {first_line(error)}")
            return {}, first_line(error)
        finally:
            for launch in graphs.values():
                launch.close()
        return {key: differences(found[2 * i], found[2 * i + 1]) for i, key in enumerate(graphs)}, None


class Prepared:
    """A module's run made ready for capture: what was decided by looking at values is decided beforehand."""

    def __init__(self, module: torch.nn.Module, call: Callable[[], Any]) -> None:
        self._module, self._masks = module, PreparedMasks(module)
        with self._masks.recording():
            plain = trace(module, call)
        with self._ready():
            self._expected = trace(module, call)
        self._captured: Trace | None = None
        # Scalars that are filled in stand for copies from the host, which no trace shows as kernels.
        expected = [name for name, op in zip(self._expected.op_names(), self._expected.ops) if not _is_scalar_fill(op)]
        plain_names = [name for name, op in zip(plain.op_names(), plain.ops) if not _is_scalar_fill(op)]
        left_out = len(plain_names) - len(expected)
        self.left_out = f"{left_out} ops that build attention masks" if left_out > 0 else None
        self.why_not: str | None = None
        if self._expected.syncs:
            self.why_not = f"it looks at values on the way ({', '.join(sorted(set(self._expected.syncs)))})"
        elif not _is_within(expected, plain_names):
            self.why_not = "with its masks prepared it runs other ops than without"

    @contextlib.contextmanager
    def _ready(self) -> Iterator[None]:
        with windows_on_host(), scalars_filled(), self._masks.replaying():
            yield

    def capturable(self, workload: Workload, device: Device) -> Workload:
        def run(i: int) -> Any:
            with self._ready():
                if self._captured is not None or not device.is_capturing():
                    return workload.run(i)
                tracer = Tracer(self._module)
                with tracer:
                    out = workload.run(i)
                self._captured = tracer.trace
                return out

        return Workload(run, workload.sets, workload.bytes_per_set)

    @property
    def agrees(self) -> bool:
        """Whether what was captured is what runs uncaptured."""
        return self._captured is not None and self._captured.op_names() == self._expected.op_names()


def _is_scalar_fill(op: OpCall) -> bool:
    return op.name in ("full", "_to_copy", "copy_") and op.outputs[0].endswith("[]")


def _is_within(part: list, whole: list) -> bool:
    """Whether all of `part` occurs in `whole`, in its order."""
    left = iter(whole)
    return all(item in left for item in part)
