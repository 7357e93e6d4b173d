"""Collects a dataset: measures the items of a plan in its order, within a budget, and goes on where it stopped."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import pathlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import torch

from wattree import plan
from wattree.device import Device, Launch
from wattree.machine import describe_machine
from wattree.measure import (
    Idle, Measurement, Settings, measure, measure_idle, node_settings, wait_for_standby, window_fields)
from wattree.capture import windows_on_host
from wattree.memory import peak_memory
from wattree.models import Pass, build_model, precision, read_config
from wattree.launches import time_launch
from wattree.routing import experts_at_work
from wattree.nodes import Node, distinct_nodes, key_of_call, op_from_record
from wattree.pauses import Spin, measure_spin, measure_with_pauses
from wattree.plan import Item
from wattree.records import Earlier, RecordWriter
from wattree.sampler import Sampler
from wattree.spec import parse_tensor
from wattree.trace import OpCall, Trace, Tracer, trace
from wattree.workload import Workload, check_alone, module_workload, op_workload, prepare_launch, why_not_alone

ANCHOR_EVERY_S = 60.0
STANDBY_W = 140.0
WARM = 0.003  # Two anchors running that differ by no more are those of a warm card;
WARM_UPS = 8  # it takes some seconds.


@dataclasses.dataclass
class Job:
    """Something to measure: a pass of a model, a node of one, or an op by itself."""

    key: str
    run: Callable[[], None] | None


class BudgetSpent(Exception):
    """There is no time for another measurement."""


class Collector:
    def __init__(self, *, device: Device, sampler: Sampler, writer: RecordWriter, earlier: Earlier,
                 configs: pathlib.Path, budget_s: float, settings: Settings = Settings(),
                 shrink: dict[str, Any] | None = None, anchor: Item = plan.ANCHOR,
                 anchor_tolerance: float = 0.01, say: Callable[[str], None] = print) -> None:
        self.device, self.sampler, self.writer, self.earlier = device, sampler, writer, earlier
        self.configs, self.settings, self.say = configs, settings, say
        self.shrink, self.anchor_item, self.anchor_tolerance = shrink or {}, anchor, anchor_tolerance
        self.node_settings = node_settings(settings)
        self.session = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        self.start_s = time.monotonic()
        self.deadline_s = self.start_s + budget_s
        self.block = 0
        self.block_keys: set[str] = set()
        self.anchor_s = 0.0
        self.anchor_j: float | None = None
        self.anchor_launch: Launch | None = None
        self.idle: Idle | None = None
        self.spin: Spin | None = None
        self.windows = 0
        self.plan: str | None = None  # Which part of a plan is being measured.
        self._titles: set[str] = set()  # Of models with heads whose configs were written.
        self._models: dict[tuple, torch.nn.Module] = {}

    # The session.

    def begin(self) -> None:
        standby = wait_for_standby(self.sampler, STANDBY_W)
        self.idle = measure_idle(self.sampler)
        self.writer.write("header", session=self.session, at_s=round(time.time()),
                          **describe_machine(self.device, self.sampler.meter), idle_power_w=self.idle.power_w,
                          idle_temperature_c=self.idle.temperature_c, idle_sm_clock_mhz=self.idle.sm_clock_mhz,
                          waited_for_standby_s=standby, settings=dataclasses.asdict(self.settings),
                          node_settings=dataclasses.asdict(self.node_settings),
                          other_processes=len(self.sampler.meter.other_processes()))
        self.say(f"idle {self.idle.power_w:.1f} W")
        self.spin = self.measure_spin()
        self.anchor(is_first=True)

    def end(self) -> None:
        if self.block_keys:
            self.anchor()
        self.writer.write("footer", session=self.session, windows=self.windows, at_s=round(time.time()),
                          readings=self.sampler.readings)

    def measure_spin(self) -> Spin | None:
        if self.device.name != "cuda":
            return None
        spin, points = measure_spin(self.device, self.sampler, self.settings)
        clock = points[-1][-1]
        self.writer.write("spin", session=self.session, **dataclasses.asdict(spin), sm_clock_mhz=clock, points=points)
        self.say(f"spin {spin.power_w:.1f} W at {clock} MHz")
        return spin

    def anchor(self, is_first: bool = False) -> bool:
        """Measures the anchor; the block since the last one is good if the machine is still the same."""
        if self.anchor_launch is None:
            passed = self.pass_of(self.anchor_item)
            passed.prepare()
            self.anchor_launch, _ = prepare_launch(Workload(lambda i: passed.run(), 1, 0), self.device)
        settings = dataclasses.replace(self.settings, window_s=2 * self.settings.window_s)
        if is_first:
            self.warm_up(settings)
        tries = []
        for _ in range(3):
            result = measure(self.anchor_launch, self.device, self.sampler, settings)
            tries.append(result.window.joules_per_iteration)
            if self.anchor_j is None:
                self.anchor_j = tries[0]
            deviation = tries[-1] / self.anchor_j - 1
            self.writer.write("anchor", session=self.session, block=self.block, **window_fields(result),
                              deviation=deviation)
            if abs(deviation) <= self.anchor_tolerance:
                break
        is_good = abs(deviation) <= self.anchor_tolerance
        self.say(f"anchor {tries[-1] * 1000:.2f} mJ, {result.window.power_w:.0f} W, {100 * deviation:+.2f} %"
                 + ("" if is_good else ": block thrown out"))
        if not is_first:
            self.writer.write("verdict", session=self.session, block=self.block, is_good=is_good, deviation=deviation)
        self.block += 1
        self.anchor_s = time.monotonic()
        return is_good

    def warm_up(self, settings: Settings) -> None:
        """Until the card is as warm as later anchors will find it: a cold one takes 2 % less."""
        assert self.anchor_launch is not None
        last_j = 0.0
        for _ in range(WARM_UPS):
            result = measure(self.anchor_launch, self.device, self.sampler, settings)
            before_j, last_j = last_j, result.window.joules_per_iteration
            if abs(last_j / before_j - 1 if before_j else 1.0) <= WARM:
                return

    def run(self, jobs: list[Job], at_most: int | None = None) -> int:
        """Those of the jobs, in their order, that are not done yet, and how many were. What is thrown out with its block counts
        as not done: it is measured when its turn comes again."""
        waiting = [job for job in jobs if job.key not in self.earlier.done][:at_most]
        for job in waiting:
            if self.block_keys and time.monotonic() - self.anchor_s > ANCHOR_EVERY_S:
                if not self.anchor():
                    self.earlier.done -= self.block_keys
                self.block_keys = set()
            if time.monotonic() > self.deadline_s:
                raise BudgetSpent
            self.attempt(job)
            self.block_keys.add(job.key)
            job.run = None  # What it held is not needed any more.
        return len(waiting)

    def attempt(self, job: Job) -> None:
        """Runs the job. One that does not work must not cost the others: after an error the device is asked whether it still
        works, and where it does not, DeviceLost tells whoever started this process to start another."""
        assert job.run is not None
        self.writer.mark_running(job.key)
        try:
            job.run()
            self.earlier.done.add(job.key)
        except BudgetSpent:
            raise
        except torch.cuda.OutOfMemoryError as error:
            self.fail(job.key, f"out of memory: {str(error).splitlines()[0]}")
            self.forget_models()
        except Exception as error:
            self.fail(job.key, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            traceback.print_exc(limit=-3, file=sys.stderr)
            self.device.check()
        self.writer.mark_running(None)

    def fail(self, key: str, why: str) -> None:
        self.writer.write("failure", session=self.session, key=key, why=why)
        self.say(f"failed: {key}: {why}")

    # Models.

    def model_of(self, item: Item) -> torch.nn.Module:
        overrides = dict(item.overrides)
        experts = overrides.pop("experts_implementation", None)
        key = (item.title, tuple(overrides.items()), "fp32" if item.dtype == "tf32" else item.dtype)
        if key not in self._models:
            if self.device.free_bytes() < 45 << 30 and self.device.name == "cuda":
                self.forget_models()
            start_s = time.monotonic()
            config = read_config(self.configs / f"{item.model}.json", overrides | self.shrink_of(item.model))
            self._models[key] = build_model(config, item.dtype, item.attention, self.device.name, item.head)
            self.say(f"built {item.title} {item.dtype} in {time.monotonic() - start_s:.2f} s")
        model = self._models[key]
        if model.config._attn_implementation != item.attention:
            model.set_attn_implementation(item.attention)
        if hasattr(model.config, "num_experts_per_tok"):
            model.set_experts_implementation(experts or "grouped_mm")
        return model

    def shrink_of(self, model: str) -> dict[str, Any]:
        """Smaller sizes for trying things out, where the model's config has them."""
        if not self.shrink:
            return {}
        config = read_config(self.configs / f"{model}.json")
        return {field: value for field, value in self.shrink.items() if hasattr(config, field)}

    def pass_of(self, item: Item) -> Pass:
        return Pass(self.model_of(item), item.batch, item.length, item.past)

    def forget_models(self) -> None:
        self._models.clear()
        gc.collect()
        self.device.release()

    # Jobs.

    def model_job(self, item: Item) -> Job:
        def run() -> None:
            with precision(item.dtype):
                self.measure_model(item)

        return Job(item.name, run)

    def measure_model(self, item: Item) -> None:
        passed = self.pass_of(item)
        plain = passed.prepare()
        if self.plan is not None:
            self.write_memory(item, passed)
        nodes = self.write_tree(item, plain)
        launch, why, agrees = self.launch_of(item, passed, plain)
        root = next(node for node in nodes if node.level == "model")
        is_launched = item.execution == "eager"
        settings = launched_settings(self.settings) if is_launched and not self.shrink else self.settings
        try:
            with self.sampler.sparingly() if is_launched else contextlib.nullcontext():
                result = measure(launch, self.device, self.sampler, settings)
        finally:
            launch.close()
        self.write_window(item.name, result, item, root, subject="decode" if item.past else "model", cache="natural",
                          ops_agree=agrees, why_eager=why, copies=launch.iterations, experts_at_work=experts_at_work(passed))

    def launch_of(self, item: Item, passed: Pass, plain: Trace) -> tuple[Launch, str | None, bool | None]:
        """The pass as a launch, why it is no graph where one was wanted, and whether a graph runs what the plain pass runs."""
        eager = Workload(lambda i: passed.run_as_is(), 1, 0)
        if item.execution == "eager":
            return prepare_launch(eager, self.device, "eager")[0], None, None
        captured: list[Trace] = []

        def run(i: int) -> None:
            if i or captured or not self.device.is_capturing():
                passed.run()
                return
            tracer = Tracer(passed.model)
            with tracer:
                passed.run()
            captured.append(tracer.trace)

        launch, why = prepare_launch(Workload(run, 1, 0), self.device)
        if launch.execution == "eager":
            return prepare_launch(eager, self.device, "eager")[0], why, None
        if captured[0].op_names() != plain.op_names():
            launch.close()
            return (prepare_launch(eager, self.device, "eager")[0],
                    "the captured pass runs other ops than the plain one", False)
        return launch, None, True

    def write_memory(self, item: Item, passed: Pass) -> None:
        """What the pass needs of the GPU's memory, by PyTorch's allocator, as any program runs it."""
        if self.device.name == "cuda" and item.execution == "graph":
            self.writer.write("memory", session=self.session, key=item.name, plan=self.plan, **self.item_fields(item),
                              **peak_memory(passed))

    def write_tree(self, item: Item, seen: Trace) -> list[Node]:
        nodes = distinct_nodes(seen)
        key = dataclasses.replace(item, execution="graph", repeat=0).name
        root = next(node.key for node in nodes if node.level == "model")
        if self.earlier.trees.get(key, {}).get("root") != root:
            for node in nodes:
                self.write_node(node)
            record = {"session": self.session, "key": key, **self.item_fields(item),
                      "root": root,
                      "nodes": [[node.key, node.count, node.scope] for node in nodes]}
            self.writer.write("tree", **record)
            self.earlier.trees[key] = record
        return nodes

    def write_node(self, node: Node) -> None:
        if node.key not in self.earlier.nodes:
            self.earlier.nodes[node.key] = node.record()
            self.writer.write("node", **node.record())

    def module_jobs(self, item: Item, wants: Callable[[Node], bool] = lambda node: True) -> list[Job]:
        """The distinct modules of a pass, measured with the inputs they had in it."""
        passed = self.pass_of(item)
        nodes = [node for node in self.write_tree(item, passed.prepare()) if node.kind == "module"
                 and node.level != "model" and f"{node.key}/cold" not in self.earlier.done and wants(node)]
        wanted = {node.scope for node in nodes}
        kept = trace(passed.model, passed.run, lambda scope, module: scope in wanted)
        calls: dict[str, Any] = {}
        for call in kept.modules:
            if call.kept is not None:
                calls.setdefault(kept.key_of_module(call), call)

        def job(node: Node, call: Any) -> Job:
            return Job(f"{node.key}/cold", lambda: self.measure_module(item, node, passed.model, call, kept.ops_of(call)))

        return [job(node, calls[node.key]) for node in nodes if node.key in calls]

    def measure_module(self, item: Item, node: Node, model: torch.nn.Module, call: Any, ops: list[OpCall]) -> None:
        self.model_of(item)  # With this item's attention.
        args, kwargs = call.kept
        module = model.get_submodule(node.scope)
        workload = module_workload(module, args, kwargs, self.device)
        with windows_on_host():
            check_alone(module, workload, ops, self.device)
            self.measure_workload(f"{node.key}/cold", workload, item, node, "cold", ops_agree=True)

    def time_launches(self, item: Item) -> None:
        """Host times of the pass, of its distinct modules with the inputs they had in it, and of its distinct ops."""
        passed = self.pass_of(item)
        plain = passed.prepare()
        kept = trace(passed.model, passed.run, lambda scope, module: True, keeps_integers=True)
        calls: dict[str, Any] = {}
        for module_call in kept.modules:
            calls.setdefault(key_of_call(kept, module_call), module_call)

        def write(node: Node, run: Callable[[int], Any], modules: int, **extra: Any) -> None:
            for i in range(3):
                run(i)
            took = time_launch(run, self.device, node.kernels)
            self.writer.write("launch", session=self.session, subject=node.kind if node.level != "model" else "model", node=node.key,
                              **self.item_fields(item), scope=node.scope, type=node.type, level=node.level, kernels=node.kernels,
                              modules=modules, inputs=list(node.inputs), **extra, **dataclasses.asdict(took))

        for node in self.write_tree(item, plain):
            call = calls.get(node.key)
            below = [other for other in kept.modules if call and other.first_op >= call.first_op and other.end_op <= call.end_op
                     and other.scope.startswith(call.scope)]
            if node.level == "model":
                write(node, lambda i: passed.run_as_is(), len(kept.modules))
            elif node.kind == "module" and call is not None:
                args, kwargs = call.kept
                workload = module_workload(passed.model.get_submodule(node.scope), args, kwargs, self.device, "warm")
                write(node, workload.run, len(below))
            elif node.op is not None and why_not_alone(node.op) is None:
                workload = op_workload(node.op, self.device, "warm", integers=kept.integers.get(node.key))
                write(node, workload.run, 0, op=node.op.name)
                # A leaf of the tree is a module that runs this op alone: what does calling it cost?
                if call is not None:
                    args, kwargs = call.kept
                    alone = module_workload(passed.model.get_submodule(call.scope), args, kwargs, self.device, "warm")
                    write(dataclasses.replace(node, kind="module"), alone.run, 1, op=node.op.name)
        self.say(f"launches of {item.name}: {len(kept.ops)} kernels")

    def op_jobs_of(self, item: Item, wants: Callable[[Node], bool], cache: str) -> list[Job]:
        """The distinct ops of a pass, with the integers they had in it."""
        passed = self.pass_of(item)
        nodes = self.write_tree(item, passed.prepare())
        kept = trace(passed.model, passed.run, keeps_integers=True).integers
        return [self.op_job(node.record(), cache, integers=kept.get(node.key)) for node in nodes
                if node.kind == "op" and wants(node)]

    def op_job(self, record: dict[str, Any], cache: str = "cold", values: str = "normal", dtype: str = "",
               integers: tuple[list, dict[str, Any]] | None = None) -> Job:
        """`dtype`: tf32, where products of fp32 are to be made in that."""
        key = f"{record['node']}/{cache}" + ("" if values == "normal" else f"/{values}") + (f"/{dtype}" if dtype else "")

        def run() -> None:
            with precision(dtype):
                self.measure_op(key, record, cache, values, dtype, integers)

        return Job(key, run)

    def measure_op(self, key: str, record: dict[str, Any], cache: str, values: str, dtype: str = "",
                   integers: tuple[list, dict[str, Any]] | None = None) -> None:
        op = op_from_record(record)
        if record["node"] not in self.earlier.nodes:
            self.earlier.nodes[record["node"]] = record
            self.writer.write("node", **record)
        node = Node(key=record["node"], kind="op", type=record["type"], level=record["level"], scope="", count=0,
                    params=record["params"], flops=record["flops"], kernels=1, inputs=op.inputs, outputs=op.outputs, op=op,
                    call=None)
        workload = op_workload(op, self.device, cache, values, integers)
        self.measure_workload(key, workload, None, node, cache, values, dtype=dtype)

    def measure_workload(self, key: str, workload: Workload, item: Item | None, node: Node, cache: str,
                         values: str | None = None, ops_agree: bool | None = None, dtype: str = "") -> None:
        launch, why = prepare_launch(workload, self.device)
        try:
            result = measure(launch, self.device, self.sampler, self.node_settings)
        finally:
            launch.close()
        self.write_window(key, result, item, node, subject=node.kind, cache=cache, values=values, sets=workload.sets,
                          bytes_per_set=workload.bytes_per_set, copies=launch.iterations, why_eager=why,
                          ops_agree=ops_agree if why is None else None, dtype=dtype or None)
        if result.is_capped and self.spin is not None and why is None:
            self.measure_with_pauses(f"{key}/paused", workload, item, node, cache, result, values, dtype)

    def measure_with_pauses(self, key: str, workload: Workload, item: Item | None, node: Node, cache: str,
                            alone: Measurement, values: str | None, dtype: str = "") -> None:
        """A heavy node once more with pauses in between, so that its clock is the one it has within a model."""
        assert self.spin is not None
        paused = measure_with_pauses(workload, alone, self.spin, self.device, self.sampler, self.node_settings)
        self.write_window(
            key, paused.result, item, node, subject=node.kind, cache=cache, values=values, sets=workload.sets,
            bytes_per_set=workload.bytes_per_set, copies=paused.copies, why_eager=paused.why_eager, dtype=dtype or None,
            **paused.fields())

    # Records.

    def item_fields(self, item: Item) -> dict[str, Any]:
        config = read_config(self.configs / f"{item.model}.json")
        if item.head and item.title not in self._titles:
            self._titles.add(item.title)
            self.writer.write("model", session=self.session, model=item.title, **{"class": item.head},
                              config=json.dumps(json.loads((self.configs / f"{item.model}.json").read_text())))
        fields = {"model": item.title, "family": config.model_type} | item_fields(item)
        # A decode step's encoder has read as many tokens as the decoder.
        return fields | ({"source_len": item.past} if item.past and config.is_encoder_decoder else {})

    def write_window(self, key: str, result: Measurement, item: Item | None, node: Node, subject: str, **extra: Any) -> None:
        fields = window_fields(result)
        assert self.idle is not None
        idle_j = self.idle.power_w * fields["time_s"]
        record = {
            "session": self.session, "block": self.block, "key": key, "at_s": round(time.time()), "subject": subject,
            **(self.item_fields(item) if item else op_fields(node)), "node": node.key, "scope": node.scope, "type": node.type,
            "level": node.level, "params": node.params, "flops": node.flops, "kernels": node.kernels, "inputs": list(node.inputs),
            "outputs": list(node.outputs), **fields, "idle_j": idle_j, **({"plan": self.plan} if self.plan else {}),
            **{name: value for name, value in extra.items() if value is not None}}
        self.writer.write("window", **record)
        self.windows += 1
        self.sampler.forget_before(time.monotonic() - 1)
        self.say(f"{time.monotonic() - self.start_s:6.1f} s  {item.name if item else node.type} "
                 f"{node.scope if item else ' '.join(node.inputs)[:60]} "
                 f"{extra.get('cache')}{' paused' if 'pauses' in extra else ''}: "
                 f"{1e3 * fields['energy_j']:.5g} mJ {1e6 * fields['time_s']:.5g} us {fields['power_w']:.0f} W "
                 f"±{100 * fields['relative_error']:.2f} % drift {100 * fields['drift']:+.1f} % "
                 f"{fields['sm_clock_mhz'] or 0:.0f} MHz{' CAP' if fields['is_capped'] else ''} "
                 f"{fields['duration_s']:.2f}/{fields['load_s']:.2f} s {fields['execution']}"
                 + (f" ({extra['why_eager']})" if extra.get("why_eager") else ""))


def launched_settings(settings: Settings) -> Settings:
    """For passes launched one by one: the counter is asked rarely, and hosts have other things to do now and then."""
    return dataclasses.replace(settings, window_s=2.0, relative_error=0.03, drift=0.1)


def item_fields(item: Item) -> dict[str, Any]:
    fields = {"dtype": item.dtype, "attention": item.attention, "batch_size": item.batch,
              "seq_len": item.length}
    if item.past:
        fields["past"] = item.past
    if item.overrides:
        fields["overrides"] = dict(item.overrides)
    if item.repeat:
        fields["repeat"] = item.repeat
    return fields


def op_fields(node: Node) -> dict[str, Any]:
    """The op's name, and the type it computes with: that of its first floating-point tensor."""
    assert node.op is not None
    types = [parse_tensor(text)[0] for text in (*node.inputs, *node.outputs)]
    floating = [name for name in types if name in plan.FLOATING]
    name = (floating or types or ["none"])[0]
    return {"op": node.op.name, "dtype": {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}.get(name, name)}
