"""Nodes as work that can be run over and over: ops and modules with buffers of their own, and whole passes.

In a model a node finds its weights in memory, not in the cache, because everything else ran in between. So an op or a module
gets as many sets of buffers as it takes to push each set out of the cache before it is used again.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from wattree.device import CaptureError, Device, Launch, repeat
from wattree.ops import LOOK_UPS, WEIGHTS
from wattree.spec import element_bytes, held_tensors, parse_tensor, tensors_of
from wattree.trace import OpCall, Tracer, snapshot, snapshots

LAUNCH_S = 0.02  # Of plain calls; the graph of them may be several times shorter, and still long for the gap after it.
LONGEST_LAUNCH_S = 1.0  # Nobody can stop a launch that has begun, so not even sets of buffers make it longer.
MAX_COPIES = 1024
MAX_SETS = 512
SMALL_NODE_COPIES = 32
SMALL_NODE_S = 100e-6


@dataclasses.dataclass(frozen=True)
class Workload:
    run: Callable[[int], Any]  # The i-th run; takes the buffers of set i modulo `sets`.
    sets: int
    bytes_per_set: int  # 0 where buffers are not rotated.

    @property
    def is_rotated(self) -> bool:
        return self.bytes_per_set > 0


def count_sets(bytes_per_set: int, device: Device) -> int:
    """Enough for twice the cache, as far as memory allows."""
    wanted = math.ceil(2 * device.cache_bytes / max(bytes_per_set, 1))
    affordable = int(0.5 * device.free_bytes() / max(bytes_per_set, 1))
    return max(1, min(wanted, affordable, MAX_SETS))


def prepare_launch(workload: Workload, device: Device, execution: str = "graph") -> tuple[Launch, str | None]:
    """The launch, and why it is not a graph where one was wanted."""
    seconds = device.warm_up(workload.run, 3)
    least = max(workload.sets, SMALL_NODE_COPIES if seconds < SMALL_NODE_S else 1)
    copies = min(max(math.ceil(LAUNCH_S / max(seconds, 1e-7)), least), MAX_COPIES)
    copies = math.ceil(copies / workload.sets) * workload.sets
    copies = min(copies, max(1, int(LONGEST_LAUNCH_S / max(seconds, 1e-7))))
    if execution == "eager":
        return repeat(workload.run, copies), None
    try:
        return device.capture(workload.run, copies), None
    except CaptureError as error:
        return repeat(workload.run, copies), str(error)


def with_pauses(workload: Workload, device: Device, cycles: int) -> Workload:
    """Each run followed by next to no work, so that a heavy node draws less on average than the power cap."""

    def run(i: int) -> Any:
        out = workload.run(i)
        device.spin(cycles)
        return out

    return Workload(run, workload.sets, workload.bytes_per_set)


def storage_size(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Elements from the first to the last of a strided tensor."""
    if any(size == 0 for size in shape):
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride))


# Ops whose argument must not be negative, or they would make NaNs, which a GPU multiplies for less energy.
_POSITIVE = {"rsqrt", "sqrt", "log", "log2", "pow", "reciprocal"}


# What floating-point tensors hold: standard normal numbers; those as small as fresh weights; none but zeros; or half of them.
VALUES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "normal": lambda base: base,
    "init": lambda base: base.mul_(0.02),
    "zeros": lambda base: base.zero_(),
    "sparse": lambda base: base.mul_(torch.rand_like(base) < 0.5),
}


def make_tensor(text: str, device: str, name: str = "", highest: int = 2, values: str = "normal") -> torch.Tensor:
    """A random tensor of a described type, shape and stride; integers below `highest`."""
    dtype_name, shape, stride = parse_tensor(text)
    dtype = getattr(torch, dtype_name)
    size = storage_size(shape, stride)
    if dtype.is_floating_point:
        base = VALUES[values](torch.randn(size, device=device, dtype=dtype))
        if name in _POSITIVE:
            base = base.abs_().add_(0.1)
    elif dtype == torch.bool:
        base = torch.randint(0, 2, (size,), device=device).bool()
    elif dtype.is_complex:
        base = torch.randn(size, device=device, dtype=dtype)
    else:
        base = torch.randint(0, highest, (size,), device=device, dtype=dtype)
    return base.as_strided(shape, stride)


class ArgumentError(ValueError):
    """An argument that cannot be made again from its description."""


def make_argument(value: Any, device: str, name: str, highest: int, values: str = "normal", actual: Any = None) -> Any:
    """What spec.describe wrote, as a value again. `actual` has the integers that it had, where those were kept."""
    if isinstance(value, list):
        kept = actual if isinstance(actual, list) else len(value) * [None]
        return [make_argument(item, device, name, highest, values, given) for item, given in zip(value, kept)]
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()))
    if kind == "tensor":
        return make_tensor(content, device, name, highest, values) if actual is None else twin(actual)
    if kind == "float":
        return float(content)
    if kind == "complex":
        return complex(*content)
    if kind in ("dtype", "layout", "memory_format"):
        return getattr(torch, content)
    if kind == "device":
        return torch.device(device)
    raise ArgumentError(f"{name}: an argument of type {content if kind == 'object' else kind} cannot be made again")


def index_limit(op: OpCall) -> int:
    """Below which the integers of an op's arguments must stay: where they are indices, they must meet its first tensor, or
    the GPU refuses all further work. Of other integers only the number matters."""
    if not op.inputs:
        return 2
    shape = parse_tensor(op.inputs[0])[1]
    if op.name == "embedding":
        return shape[0]
    if op.name in ("gather", "index_select", "scatter", "scatter_", "scatter_add", "index_add", "index_copy", "index_fill"):
        return shape[op.arguments[1]] if shape else 1
    if op.name in ("index", "index_put", "index_put_", "_index_put_impl_"):
        return min((shape[i] for i, index in enumerate(op.arguments[1]) if index is not None and i < len(shape)), default=1)
    return 2


def group_ends(op: OpCall, device: str) -> tuple[list, dict[str, Any]]:
    """The integers of a grouped product, as Trace.integers has them: where the rows of each group end, with every row in a random
    one."""
    rows, groups = parse_tensor(op.inputs[0])[1][0], parse_tensor(op.inputs[1])[1][0]
    counts = torch.bincount(torch.randint(0, groups, (rows,)), minlength=groups)
    ends = counts.cumsum(0).to(device=device, dtype=torch.int32)

    def given(value: Any) -> Any:
        return ends if isinstance(value, dict) and value.get("tensor", "").startswith("i32") else None

    return [given(value) for value in op.arguments], {name: given(value) for name, value in op.keywords.items()}


def tensor_bytes(text: str) -> int:
    dtype_name, shape, stride = parse_tensor(text)
    return storage_size(shape, stride) * element_bytes(dtype_name)


# What finds the cache how: "cold", everything in memory; "warm", everything in the cache as far as it fits; "in_place", as in
# the middle of a model: weights in memory, and what the op before has just written in the cache.
CACHES = ("cold", "warm", "in_place")


def why_not_alone(op: OpCall) -> str | None:
    """Why an op cannot be run by itself; None where it can."""
    if not hasattr(torch.ops.aten, op.name):
        return f"{op.name} is no op of PyTorch's own, and cannot be run by itself"
    for value in [*op.arguments, *op.keywords.values()]:
        if isinstance(value, dict) and "object" in value:
            return f"{op.name}: an argument of type {value['object']} cannot be made again"
    return None


def op_workload(op: OpCall, device: Device, cache: str = "cold", values: str = "normal",
                integers: tuple[list, dict[str, Any]] | None = None) -> Workload:
    """The op with random tensors; its integer ones are those given, as Trace.integers has them, or else made up."""
    if why := why_not_alone(op):
        raise ArgumentError(why)
    func = getattr(getattr(torch.ops.aten, op.name), op.overload)
    highest = index_limit(op)
    if integers is None and op.name == "_grouped_mm":
        integers = group_ends(op, device.name)
    kept, kept_keywords = integers or (len(op.arguments) * [None], {})

    def make(i: int) -> Any:
        return make_argument(op.arguments[i], device.name, op.name, highest, values, kept[i])

    def make_keywords() -> dict[str, Any]:
        return {name: make_argument(value, device.name, op.name, highest, values, kept_keywords.get(name))
                for name, value in op.keywords.items()}

    once = [make(i) for i in range(len(op.arguments))]
    keywords = make_keywords()
    if cache == "cold":
        # A table of which every set reads other rows is there once.
        fresh = [i for i in range(len(once)) if not (i == 0 and op.name in LOOK_UPS)]
        outputs_size = sum(tensor_bytes(text) for text in op.outputs)
        size = sum(tensor_bytes(text) for text in op.inputs[1 if op.name in LOOK_UPS else 0:]) + outputs_size
        size += outputs_size if op.name in LOOK_UPS else 0
    else:
        fresh = [i for i in WEIGHTS.get(op.name, ()) if i < len(once) and cache == "in_place"]
        size = sum(t.numel() * t.element_size() for t in tensors_of([once[i] for i in fresh]))
    sets = count_sets(size, device) if size else 1

    def make_set() -> tuple[list, dict[str, Any]]:
        args = [make(i) if i in fresh else argument for i, argument in enumerate(once)]
        return args, make_keywords() if cache == "cold" else keywords

    arguments = [(once, keywords)] + [make_set() for _ in range(sets - 1)]
    # Outputs stay until their set is used again, so that they too take turns in the cache.
    outputs: list[Any] = [None] * (sets if cache == "cold" else 1)

    def run(i: int) -> Any:
        args, kwargs = arguments[i % sets]
        outputs[i % len(outputs)] = func(*args, **kwargs)

    return Workload(run, sets, size)


def twin(value: Any) -> Any:
    """A copy in other memory, with the same strides."""
    if isinstance(value, torch.Tensor):
        size = storage_size(value.shape, value.stride())
        if size == 0:
            return value
        base = value.as_strided((size,), (1,), value.storage_offset()).clone()
        return base.as_strided(value.shape, value.stride())
    if isinstance(value, (list, tuple)):
        return type(value)(twin(item) for item in value)
    if isinstance(value, dict):
        return {key: twin(item) for key, item in value.items()}
    if held_tensors(value) or hasattr(value, "layers"):
        return _twin_of_cache(value)
    return value


def _twin_of_cache(cache: Any) -> Any:
    other = snapshot(cache)
    for part in (other, getattr(other, "self_attention_cache", None), getattr(other, "cross_attention_cache", None)):
        for layer in getattr(part, "layers", None) or []:
            for name in ("keys", "values"):
                if isinstance(getattr(layer, name, None), torch.Tensor):
                    setattr(layer, name, twin(getattr(layer, name)))
    return other


def module_workload(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any], device: Device,
                    cache: str = "cold") -> Workload:
    size = sum(p.numel() * p.element_size() for p in module.parameters())
    if cache == "cold":
        size += sum(t.numel() * t.element_size() for t in tensors_of([list(args), dict(kwargs)]))
    sets = count_sets(size, device) if size and cache != "warm" else 1

    def make_set() -> tuple[torch.nn.Module, tuple, dict[str, Any]]:
        arguments = (twin(args), twin(kwargs)) if cache == "cold" else (args, kwargs)
        return copy.deepcopy(module), *arguments

    # The module itself is the first set.
    calls = [(module, args, kwargs)] + [make_set() for _ in range(sets - 1)]

    def run(i: int) -> Any:
        called, given, given_keywords = calls[i % sets]
        arguments, keywords = snapshots(given, given_keywords)
        with torch.no_grad():
            return called(*arguments, **keywords)

    return Workload(run, sets, size)


def check_alone(module: torch.nn.Module, workload: Workload, ops: list[OpCall], device: Device) -> None:
    """Captured by itself, a module must run the ops that it runs within its model. Some make masks of their own, and take another
    path where they may not look at values."""
    captured: list[list[OpCall]] = []

    def run(i: int) -> None:
        tracer = Tracer(module)
        with tracer:
            workload.run(0)
        captured.append(tracer.trace.ops)

    device.warm_up(workload.run, 1)
    try:
        device.capture(run, 1).close()
    except CaptureError:
        return  # It will run without a graph, and its window says so.
    if [(op.name, op.inputs) for op in captured[-1]] != [(op.name, op.inputs) for op in ops]:
        raise ValueError("captured by itself it runs other ops than within its model")
