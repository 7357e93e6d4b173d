"""Profiles a model: runs it once to see what it does, measures every distinct node of it, and adds up.

    import wattree
    print(wattree.profile(model, input_ids=ids))
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import pathlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from wattree import cache as caches
from wattree.cost import Costs
from wattree.device import CpuDevice, CudaDevice, Device, DeviceLost, first_line
from wattree.machine import describe_machine
from wattree.measure import MeasureError, Settings
from wattree.nodes import key_of_call
from wattree.nvml import Gpu, NvmlError
from wattree.result import Profile
from wattree.progress import Progress
from wattree.rapl import Rapl, RaplError
from wattree.session import Session
from wattree.spec import parse_tensor, tensors_of
from wattree.trace import ModuleCall, Trace, trace
from wattree.tree import TreeNode, build_tree
from wattree.workload import why_not_alone

AUTO = "auto"


class ProfileError(ValueError):
    """The model cannot be profiled; the message says why, and what to do."""


class Profiler:
    """How to measure. Without arguments: the device the model is on, its own meter, and the usual cache folder.

    meter      anything with the methods of sampler.Meter; None measures time alone
    cache      the folder of nodes measured before; None neither reads nor writes any
    budget_s   how long measuring may take; what is missing then is measured by the next call
    execution  "graph", or "eager" to measure launches from Python as they are
    """

    def __init__(self, *, device: Device | None = None, meter: Any = AUTO, cache: str | pathlib.Path | None = AUTO,
                 settings: Settings = Settings(), budget_s: float | None = None, execution: str = "graph",
                 progress: Any = None) -> None:
        if execution not in ("graph", "eager"):
            raise ProfileError(f"execution is {execution!r}; choose \"graph\" or \"eager\"")
        self._device, self._meter, self._settings = device, meter, settings
        self._folder = caches.default_folder() if cache == AUTO else pathlib.Path(cache) if cache else None
        self._budget_s, self._execution, self._progress = budget_s, execution, progress

    def profile(self, model: torch.nn.Module, *inputs: Any, **keywords: Any) -> Profile:
        start_s = time.monotonic()
        place = place_of(model, inputs, keywords)
        notes = ["the model is in training mode, and so dropout is measured too; model.eval() puts it into inference mode"
                 ] if model.training else []
        with _on(place), _unchanged(model, place):
            device = self._device or (CudaDevice() if place.type == "cuda" else host_device())
            meter, why_no_energy = self._meter_for(device)

            _, run = Session.call_of(model, inputs, keywords)
            _try_once(model, run, inputs, keywords, place)
            costs = Costs()
            seen = trace(model, run, keeps_integers=True)
            root = build_tree(seen, model, costs)
            distinct = distinct_nodes_of(root)
            machine = describe_machine(device, meter)
            cache = caches.NodeCache(self._folder, self._context(machine))
            session = Session(device, meter, self._settings, self._execution)
            work = _Work(model, run, seen, distinct, cache, session, start_s, self._budget_s)
            work.measure_all(self._progress)
        if why_no_energy:
            notes.append(f"energy is absent: {why_no_energy}")
        if costs.problem:
            notes.append(f"FLOPs (but for matrix products) and bytes are absent: {costs.problem}")
        if costs.unknown:
            notes.append(f"FLOPs of these ops are not known and not counted: {', '.join(sorted(costs.unknown))}")
        if cache.problem:
            notes.append(cache.problem)
        records = {key: record for key in distinct if (record := cache.get(key)) is not None} | work.failures
        return Profile(root, records, name=name_of(model), dtype=dtype_of(model, root), attention=attention_of(model),
                       machine=machine, why_no_energy=why_no_energy, measured=work.measured, notes=notes + work.notes,
                       is_complete=not work.stopped, seconds=time.monotonic() - start_s,
                       basis=getattr(meter, "basis", getattr(meter, "name", None)))

    def _meter_for(self, device: Device) -> tuple[Any, str | None]:
        if self._meter is None:
            return None, "no meter was given"
        if self._meter != AUTO:
            return self._meter, None
        try:
            return (Gpu(getattr(device, "uuid", None)) if device.name == "cuda" else Rapl()), None
        except (NvmlError, RaplError) as error:
            return None, str(error)

    def _context(self, machine: dict[str, Any]) -> dict[str, Any]:
        """What a measurement holds for: the machine, the software, the protocol, and what decides which kernels run."""
        flags = {name: bool(getattr(torch.backends.cuda, name)()) for name in (
            "flash_sdp_enabled", "mem_efficient_sdp_enabled", "math_sdp_enabled", "cudnn_sdp_enabled")
            if hasattr(torch.backends.cuda, name)}
        flags |= {"cudnn_tf32": torch.backends.cudnn.allow_tf32, "cudnn_benchmark": torch.backends.cudnn.benchmark,
                  "deterministic": torch.are_deterministic_algorithms_enabled()}
        if machine["device"] == "cpu":
            flags["threads"] = torch.get_num_threads()
        return {"machine": machine, "settings": dataclasses.asdict(self._settings), "execution": self._execution,
                "flags": flags}


class _Work:
    """The measuring of one model's nodes, the most telling first, until all are there or something ends it."""

    def __init__(self, model: torch.nn.Module, run: Callable[[], Any], seen: Trace, distinct: dict[str, TreeNode],
                 cache: caches.NodeCache, session: Session, start_s: float, budget_s: float | None) -> None:
        self._model, self._run, self._seen, self._distinct = model, run, seen, distinct
        self._cache, self._session = cache, session
        self._deadline_s = None if budget_s is None else start_s + budget_s
        self._calls: dict[str, ModuleCall] = {}
        self.measured: set[str] = set()
        self.failures: dict[str, dict[str, Any]] = {}
        self.notes: list[str] = []
        self.stopped = False

    def measure_all(self, stream: Any) -> None:
        missing = [key for key in self._distinct if self._cache.get(key) is None]
        if not missing and not self._unchecked():
            return
        current = ""
        try:
            with self._session, Progress(len(missing) + 1, stream) as bar:
                bar.show("idle power")
                self._session.begin()
                self._keep_inputs(missing)
                bar.advance()
                for current in missing:
                    if self._deadline_s is not None and time.monotonic() > self._deadline_s:
                        self._stop("the time for measuring is over: call again, with more of it, to go on")
                        break
                    bar.show(self._distinct[current].scope or self._distinct[current].type)
                    self._attempt(current)
                    bar.advance()
                if not self.stopped:
                    bar.show("checking")
                    self._check()
        except KeyboardInterrupt:
            self._stop("interrupted: what was measured is kept, and the next call goes on from there")
        except DeviceLost as error:
            # Whoever goes on must not meet it again.
            self._cache.put(current, {"failure": f"it made the device unusable: {error}"})
            self._stop(f"{error}: start the program again; it goes on from there, without {self._label(current)}")
        except MeasureError as error:
            self._stop(f"measuring ended: {error}; what was measured before is kept")
        self.notes += self._session.notes

    def _stop(self, why: str) -> None:
        self.notes.append(why)
        self.stopped = True

    def _label(self, key: str) -> str:
        node = self._distinct[key]
        return f"{node.scope or 'the model'} ({node.type})"

    def _keep_inputs(self, missing: list[str]) -> None:
        """Runs the model once more, and keeps the inputs of those modules that are to be measured: not of all, which would
        need the memory of all activations at once."""
        scopes = {self._distinct[key].scope for key in missing + self._unchecked()
                  if self._is_module(key) and self._distinct[key].scope}
        if not scopes:
            return
        try:
            kept = trace(self._model, self._run, lambda scope, module: scope in scopes)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            self._session.device.release()
            self.notes.append("the inputs of the modules do not fit into memory together, and so only the whole and its ops are "
                              "measured; a smaller batch makes room")
            return
        for call in kept.modules:
            if call.kept is not None:
                self._calls.setdefault(key_of_call(kept, call), call)

    def _is_module(self, key: str) -> bool:
        """Whether it is run as a module: also where it is a single op, which only its module can run."""
        node = self._distinct[key]
        return node.op is None or node.call is not None and why_not_alone(node.op) is not None

    def _attempt(self, key: str) -> None:
        """Measures one node. One that does not work must not cost the others."""
        try:
            record = self._measure(key)
        except DeviceLost:
            raise
        except Exception as error:
            if isinstance(error, MeasureError) and self._session.is_meter_lost:
                raise
            reason = first_line(error)
            if is_out_of_memory(error):
                reason = "out of memory when run by itself; a smaller batch, or more free memory, makes room"
                self._session.device.release()
            self.failures[key] = {"failure": reason}
            self.notes.append(f"{self._label(key)} was not measured: {reason}")
            self._session.device.check()
            return
        self._cache.put(key, record)
        self.measured.add(key)

    def _measure(self, key: str, execution: str | None = None) -> dict[str, Any]:
        node = self._distinct[key]
        if not self._is_module(key):
            assert node.op is not None
            return self._session.measure_op(node.op, self._seen.integers.get(key), execution)
        if not node.scope:
            return self._session.measure_root(self._model, self._run, execution)
        return self._session.measure_module(self._model.get_submodule(node.scope), *self._arguments(key), execution)

    def _arguments(self, key: str) -> tuple[tuple, dict]:
        if key not in self._calls:
            raise RuntimeError("its inputs were not kept: there was no room for them, or the model did something else when it "
                               "was run again")
        kept = self._calls[key].kept
        assert kept is not None  # Or it would not be among the calls.
        return kept

    def _check(self) -> None:
        """Is the machine still the same, and do the graphs run the kernels that the plain model runs?"""
        root = next(iter(self._distinct))
        if root in self.measured and (record := self._cache.get(root)) is not None:
            self._session.check_drift(record, lambda: self._measure(root))
        runs: dict[str, Callable[[], Any]] = {}
        for key in self._unchecked():
            node = self._distinct[key]
            if not self._is_module(key):
                assert node.op is not None
                runs[key] = self._session.op_run(node.op, self._seen.integers.get(key))
            elif not node.scope:
                runs[key] = self._session.module_run(self._model, self._run)
            elif key in self._calls:
                args, kwargs = self._arguments(key)
                runs[key] = self._session.module_run(
                    *self._session.call_of(self._model.get_submodule(node.scope), args, kwargs))
        found, problem = self._session.compare_kernels(runs)
        for key in runs:
            record = dict(self._cache.get(key) or {})
            if key not in found:
                record["why_not_compared"] = problem or "it could not be captured again"
            elif found[key]:
                names = ", ".join(f"{count:+d} {name[:60]}" for name, count in list(found[key].items())[:3])
                record = dict(self._measure(key, "eager"), kernels_agree=False,
                              why_eager=f"a graph of it runs other kernels: {names}")
            else:
                record["kernels_agree"] = True
            self._cache.put(key, record)

    def _unchecked(self) -> list[str]:
        """Nodes that were measured as graphs whose kernels have not been compared yet."""
        records = {key: self._cache.get(key) or {} for key in self._distinct}
        return [key for key, record in records.items() if record.get("execution") == "graph"
                and "kernels_agree" not in record and "why_not_compared" not in record]


def distinct_nodes_of(root: TreeNode) -> dict[str, TreeNode]:
    """By key, each where it was met first: the whole first, then modules, then ops, those that compute most first."""
    found: dict[str, TreeNode] = {}
    for node in root.walk():
        if node.key is not None:
            found.setdefault(node.key, node)

    def weight(node: TreeNode) -> int:
        return node.cost.flops or node.cost.matmul_flops or 0

    order = sorted(found.values(), key=lambda node: (node.level != "model", node.op is not None, -weight(node)))
    return {node.key: node for node in order if node.key is not None}


# What a model needs before it can be measured.


def place_of(model: torch.nn.Module, inputs: tuple, keywords: dict[str, Any]) -> torch.device:
    """The one device that the model is on."""
    if not isinstance(model, torch.nn.Module):
        raise ProfileError(f"wattree.profile takes a torch.nn.Module and its inputs; this is a {type(model).__name__}")
    if isinstance(model, torch.jit.ScriptModule):
        raise ProfileError("this model is TorchScript, whose modules cannot be watched from Python: save it and use "
                           "`wattree profile model.pt`, or profile the model that it was made from")
    if any(hasattr(part, "_orig_mod") or getattr(part, "_compiled_call_impl", None) for part in model.modules()):
        raise ProfileError("this model is compiled, and a compiled kernel belongs to no module of it: profile the model itself, "
                           "before torch.compile or as model._orig_mod")
    tensors = [*model.parameters(), *model.buffers()] or tensors_of([list(inputs), keywords])
    places = {tensor.device for tensor in tensors} or {torch.device("cpu")}
    accelerators = {place for place in places if place.type != "cpu"}
    if len(accelerators) > 1 or accelerators and any(p.device.type == "cpu" for p in model.parameters()):
        raise ProfileError(f"the model is on several devices ({', '.join(sorted(map(str, places)))}); "
                           "Wattree measures one: model.to(\"cuda\")")
    place = (accelerators or places).pop()
    if place.type == "meta":
        raise ProfileError("the model has no weights (it is on the meta device): model.to_empty(device=\"cuda\")")
    if place.type not in ("cpu", "cuda"):
        raise ProfileError(f"the model is on {place}, and Wattree measures on CPUs and CUDA GPUs only")
    return place


def _try_once(model: torch.nn.Module, run: Callable[[], Any], inputs: tuple, keywords: dict[str, Any],
              place: torch.device) -> None:
    """Runs the model, so that whatever is wrong with it or its inputs is said before anything else."""
    try:
        run()
    except Exception as error:
        raise ProfileError(_explain(model, error, inputs, keywords, place)) from error


def _explain(model: torch.nn.Module, error: Exception, inputs: tuple, keywords: dict[str, Any],
             place: torch.device) -> str:
    name = type(model).__name__
    if is_out_of_memory(error):
        return f"{name} does not fit into the memory of {place} with these inputs: use a smaller batch, or a smaller type"
    if not inputs and not keywords:
        needed = [parameter.name for parameter in inspect.signature(model.forward).parameters.values()
                  if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
                  and parameter.default is parameter.empty] or list(inspect.signature(model.forward).parameters)[:3]
        return (f"{name} needs inputs, which Wattree cannot guess ({', '.join(needed)}): give them as you would call the model, "
                f"wattree.profile(model, …). What it said: {first_line(error)}")
    elsewhere = {tensor.device for tensor in tensors_of([list(inputs), keywords])} - {place}
    if elsewhere:
        return (f"{name} is on {place} and its inputs are on {', '.join(sorted(map(str, elsewhere)))}: "
                f"move them there with .to(\"{place}\")")
    return f"{name} does not run with these inputs: {first_line(error)}"


def is_out_of_memory(error: BaseException) -> bool:
    return (isinstance(error, (MemoryError, getattr(torch.cuda, "OutOfMemoryError", MemoryError)))
            or isinstance(error, RuntimeError) and "not enough memory" in str(error))


@contextlib.contextmanager
def _on(place: torch.device) -> Iterator[None]:
    with torch.cuda.device(place) if place.type == "cuda" else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def _unchanged(model: torch.nn.Module, place: torch.device) -> Iterator[None]:
    """Measuring runs a model thousands of times: its buffers (running means, counters) and the random numbers of the program
    are put back as they were."""
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    with torch.random.fork_rng(devices=[place] if place.type == "cuda" else []):
        try:
            yield
        finally:
            with torch.no_grad():
                for name, buffer in model.named_buffers():
                    if name in before and before[name].shape == buffer.shape and not torch.equal(before[name], buffer):
                        buffer.copy_(before[name])


def host_device() -> CpuDevice:
    """The processor, with its last cache and the memory that is free."""
    caches_of_cpu = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
    sizes = [int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1], 1)
             for path in caches_of_cpu.glob("index*/size") if len(text := path.read_text().strip()) > 1]
    available = [int(line.split()[1]) << 10 for line in pathlib.Path("/proc/meminfo").read_text().splitlines()
                 if line.startswith("MemAvailable:")]
    return CpuDevice(cache_bytes=max(sizes, default=1 << 25), free_bytes=available[0] if available else 1 << 30)


# What a profile calls a model.


def name_of(model: torch.nn.Module) -> str:
    given = getattr(getattr(model, "config", None), "_name_or_path", None)
    return given if isinstance(given, str) and given else type(model).__name__


def attention_of(model: torch.nn.Module) -> str | None:
    given = getattr(getattr(model, "config", None), "_attn_implementation", None)
    return given if isinstance(given, str) else None


def dtype_of(model: torch.nn.Module, root: TreeNode) -> str:
    """The type that most weights have, or of a model without any its result."""
    counts: dict[torch.dtype, int] = {}
    for parameter in model.parameters():
        counts[parameter.dtype] = counts.get(parameter.dtype, 0) + parameter.numel()
    outputs = root.call.outputs if root.call else ()
    if not counts and not outputs:
        return "none"
    name = str(max(counts, key=lambda dtype: counts[dtype])).removeprefix("torch.") if counts else parse_tensor(outputs[0])[0]
    return {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}.get(name, name)
