"""Runs a model once and writes down what it did: every module call and every op that runs a kernel, in order."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

try:
    from torch.utils.flop_counter import flop_registry
except ImportError:  # PyTorch 1.13
    flop_registry = {}

from wattree.spec import describe, key_of, tensor_text

# Ops that launch no kernel although their schema does not say "view".
NO_KERNEL = {
    "_unsafe_view", "lift_fresh", "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided",
    "_local_scalar_dense", "resize_", "_assert_async", "detach", "alias", "is_same_size", "record_stream",
    "_reshape_alias", "_has_compatible_shallow_copy_type", "sym_size", "set_", "_assert_tensor_metadata",
}

# Modules that are no nodes: they hold others, or do nothing when a model is only run.
NOT_NODES = {"ModuleList", "ModuleDict", "Sequential", "Dropout", "Dropout1d", "Dropout2d", "Identity", "StableDropout"}

ATTENTION_OPS = (
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_efficient_attention", "_scaled_dot_product_flash_attention_for_cpu",
)


@dataclasses.dataclass(frozen=True)
class OpCall:
    scope: str  # Of the innermost module that called it.
    module_call: int  # Index into Trace.modules; -1 outside of all.
    name: str  # "addmm"
    overload: str  # "default"
    arguments: Any  # As spec.describe writes them.
    keywords: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    flops: int

    @property
    def key(self) -> str:
        return key_of("op", self.name, self.overload, self.arguments, self.keywords)


@dataclasses.dataclass
class ModuleCall:
    scope: str
    type: str
    parent: int  # Index into Trace.modules of the calling node; -1 for the root.
    run: int  # 0 for the first call of this module, 1 for the second, …
    params: int
    weights: tuple[str, ...]  # Its parameters' types and shapes.
    first_op: int
    arguments: Any = None
    keywords: Any = None
    end_op: int = 0
    outputs: tuple[str, ...] = ()
    children: int = 0  # Nodes called directly.
    kept: tuple[tuple, dict] | None = None  # The arguments themselves, where they were asked for.


@dataclasses.dataclass
class Trace:
    modules: list[ModuleCall]
    ops: list[OpCall]
    syncs: list[str]  # Ops that make the host wait, and so cannot be captured.
    # By key of an op, its arguments with nothing left but integer tensors: indices, which must not be made up.
    integers: dict[str, tuple[Any, Any]] = dataclasses.field(default_factory=dict)

    def op_names(self) -> list[tuple[str, str, str]]:
        """What runs, for comparing two traces: module, op, and the shapes it works on."""
        return [(op.scope, op.name, " ".join(op.inputs)) for op in self.ops]

    def ops_of(self, call: ModuleCall) -> list[OpCall]:
        return self.ops[call.first_op:call.end_op]

    def key_of_module(self, call: ModuleCall) -> str:
        """Equal for calls that do the same: class, weights, inputs, and the ops that ran inside. What a cache holds shows in
        the ops; the rest of it, the other layers', is not this call's."""
        inside = [(op.name, op.overload, op.arguments, op.keywords) for op in self.ops_of(call)]
        return key_of("module", call.type, call.weights, _without_caches(call.arguments), _without_caches(call.keywords),
                      inside)


def _without_caches(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_caches(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_caches(item) for key, item in value.items() if key != "tensors"}
    return value


def flops_of(name: str, func: Any, args: tuple, kwargs: dict, out: Any) -> int:
    """PyTorch's own count. Its formula for attention refuses grouped heads, so that one is written out."""
    if name in ATTENTION_OPS:
        query, key, value = args[0].shape, args[1].shape, args[2].shape
        return 2 * query[0] * query[1] * query[2] * key[2] * (query[3] + value[3])
    if name == "_grouped_mm":  # Every row with one matrix; not counted by PyTorch 2.11.
        return 2 * args[0].shape[0] * args[0].shape[1] * args[1].shape[-1]
    formula = flop_registry.get(func._overloadpacket)
    if formula:
        return int(formula(*args, **kwargs, out_val=out))
    return 0 if flop_registry else _product_flops(name, args)


def _product_flops(name: str, args: tuple) -> int:
    """Matrix products, for a PyTorch that does not count: of the products' operands the last two are the matrices."""
    if name not in ("mm", "addmm", "bmm", "baddbmm"):
        return 0
    left, right = (x.shape for x in _tensors(args)[-2:])
    return 2 * left.numel() * right[-1]


def is_view(func: Any) -> bool:
    """Whether an op returns a view of an argument, which runs no kernel: what it returns is an alias, and is not written."""
    returns = func._schema.returns
    return bool(returns) and all(value.alias_info is not None and not value.alias_info.is_write for value in returns)


class _Hook:
    """Tells of every call of a module's forward(), with positional and keyword arguments, whether it fails or not. It replaces
    forward() itself: a module that has hooks of PyTorch's own may take another path than without (TransformerEncoderLayer does),
    and those of PyTorch 1.13 see neither keyword arguments nor errors."""

    def __init__(self, module: torch.nn.Module, enter: Callable, leave: Callable) -> None:
        self._module, self._own = module, vars(module).get("forward")
        forward = module.forward

        @functools.wraps(forward)
        def called(*args: Any, **kwargs: Any) -> Any:
            enter(module, args, kwargs)
            output = None
            try:
                output = forward(*args, **kwargs)
                return output
            finally:
                leave(module, args, output)

        module.forward = called

    def remove(self) -> None:
        del self._module.forward
        if self._own is not None:
            self._module.forward = self._own


class Tracer(TorchDispatchMode):
    """Records while it is entered. `keeps` says of which module calls the arguments themselves are to be kept."""

    def __init__(self, model: torch.nn.Module,
                 keeps: Callable[[str, torch.nn.Module], bool] = lambda scope, module: False,
                 keeps_integers: bool = False) -> None:
        super().__init__()
        self.trace, self._keeps_integers = Trace([], [], []), keeps_integers
        self._model, self._keeps = model, keeps
        self._stack: list[int] = []
        self._runs: dict[str, int] = {}
        self._hooks: list = []
        self._is_paused = False

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def __enter__(self) -> Any:
        for scope, module in self._model.named_modules():
            if scope and (type(module).__name__ in NOT_NODES or isinstance(module, torch.jit.ScriptModule)):
                continue
            self._hooks.append(_Hook(module, self._enter_hook(scope), self._leave))
        return super().__enter__()

    def __exit__(self, *args: Any) -> Any:
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        return super().__exit__(*args)

    def _enter_hook(self, scope: str) -> Callable:
        def enter(module: torch.nn.Module, args: tuple, kwargs: dict) -> None:
            run = self._runs.get(scope, 0)
            self._runs[scope] = run + 1
            parent = self._stack[-1] if self._stack else -1
            if parent >= 0:
                self.trace.modules[parent].children += 1
            call = ModuleCall(
                scope=scope, type=type(module).__name__, parent=parent, run=run,
                params=sum(p.numel() for p in module.parameters()),
                weights=tuple(tensor_text(p) for p in module.parameters()), first_op=len(self.trace.ops),
                arguments=describe(args), keywords=describe(kwargs))
            if self._keeps(scope, module):
                call.kept = snapshots(args, kwargs)
            self._stack.append(len(self.trace.modules))
            self.trace.modules.append(call)

        return enter

    def _leave(self, module: torch.nn.Module, args: tuple, output: Any) -> None:
        call = self.trace.modules[self._stack.pop()]
        call.end_op = len(self.trace.ops)
        call.outputs = tuple(tensor_text(x) for x in _tensors(output))

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if self._is_paused:
            return out
        namespace, name = func._schema.name.split("::")
        if namespace != "aten":
            name = f"{namespace}_{name}"  # Another library's mul is not PyTorch's.
        if name in ("_local_scalar_dense", "nonzero", "masked_select", "unique_dim", "_unique2", "is_nonzero", "equal"):
            self.trace.syncs.append(name)
        if is_view(func) or name in NO_KERNEL:
            return out
        outputs = tuple(tensor_text(x) for x in _tensors(out) if x.numel() > 0)
        if outputs:
            call = self._stack[-1] if self._stack else -1
            op = OpCall(
                scope=self.trace.modules[call].scope if call >= 0 else "", module_call=call, name=name,
                overload=func._overloadname, arguments=describe(args), keywords=describe(kwargs)["dict"],
                inputs=tuple(tensor_text(x) for x in _tensors((args, kwargs)) if x.numel() > 0), outputs=outputs,
                flops=flops_of(name, func, args, kwargs, out))
            self.trace.ops.append(op)
            if self._keeps_integers and any(map(_is_integer, _tensors((args, kwargs)))) and op.key not in self.trace.integers:
                self.trace.integers[op.key] = _integers(list(args)), _integers(kwargs)
        return out


def _is_integer(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def _integers(value: Any) -> Any:
    """Copies of the integer tensors, where they are in the value."""
    if isinstance(value, torch.Tensor):
        return value.clone() if _is_integer(value) else None
    if isinstance(value, (list, tuple)):
        return [_integers(item) for item in value]
    if isinstance(value, dict):
        return {name: _integers(item) for name, item in value.items()}
    return None


def _tensors(value: Any) -> list[torch.Tensor]:
    return [x for x in tree_flatten(value)[0] if isinstance(x, torch.Tensor)]


def snapshot(value: Any) -> Any:
    """A key-value cache as it is now: running a layer puts new tensors into the cache, never into its tensors."""
    import copy

    if hasattr(value, "layers") and hasattr(value, "update"):
        twin = copy.copy(value)
        twin.layers = [copy.copy(layer) for layer in value.layers]
        return twin
    if hasattr(value, "self_attention_cache"):
        twin = copy.copy(value)
        twin.self_attention_cache = snapshot(value.self_attention_cache)
        twin.cross_attention_cache = snapshot(value.cross_attention_cache)
        twin.is_updated = dict(value.is_updated)
        return twin
    return value


def snapshots(args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """Arguments for one run more, which must not find in a cache what the run before has put there."""
    return tuple(snapshot(value) for value in args), {name: snapshot(value) for name, value in kwargs.items()}


def trace(model: torch.nn.Module, run: Callable[[], Any], keeps: Callable[[str, Any], bool] = lambda scope, module: False,
          keeps_integers: bool = False) -> Trace:
    tracer = Tracer(model, keeps, keeps_integers)
    with torch.no_grad(), jit_as_written(), tracer:
        run()
    return tracer.trace


@contextlib.contextmanager
def jit_as_written() -> Iterator[None]:
    """Scripted functions would be optimised after some calls, and a trace would then depend on what ran before it."""
    with torch.jit.optimized_execution(False):
        yield
