"""The model tree of a trace: every module and every op, nested, with the scopes, types and levels of `wattree tree`."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator
from typing import Any

import torch

from wattree.cost import NOTHING, Costs, OpCost
from wattree.nodes import is_leaf, key_of_call, module_level
from wattree.ops import op_level, op_type, op_word
from wattree.spec import parse_tensor
from wattree.trace import NOT_NODES, ModuleCall, OpCall, Trace

_HOLDERS = NOT_NODES | {"ParameterList", "ParameterDict"}


@dataclasses.dataclass
class TreeNode:
    scope: str  # Dotted path of a module, "" for the root; "parent:op" or "parent:op.k" for an op.
    type: str
    level: str  # model, module, ml or math
    shape: tuple[int, ...]
    params: int
    cost: OpCost
    key: str | None  # Of the distinct node that is measured for it; None: it runs no kernel.
    run: int | None = None  # Which call this is of a module that runs more than once.
    call: ModuleCall | None = None
    op: OpCall | None = None
    children: list[TreeNode] = dataclasses.field(default_factory=list)
    note: str | None = None  # Why it is not measured, where it never will be.

    def walk(self) -> Iterator[TreeNode]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def build_tree(trace: Trace, model: torch.nn.Module, costs: Costs) -> TreeNode:
    builder = _Builder(trace, model, costs)
    root = builder.module(0)
    builder.add_uncalled(root)
    return root


class _Builder:
    def __init__(self, trace: Trace, model: torch.nn.Module, costs: Costs) -> None:
        self._trace, self._costs = trace, costs
        self._modules = {scope: module for scope, module in model.named_modules()
                         if not scope or type(module).__name__ not in _HOLDERS}
        self._calls = collections.Counter(call.scope for call in trace.modules)
        self._below: dict[int, list[tuple[int, int, int]]] = collections.defaultdict(list)  # Where, 0 or 1, which.
        for index, call in enumerate(trace.modules):
            if call.parent >= 0:
                self._below[call.parent].append((call.first_op, 0, index))
        for index, op in enumerate(trace.ops):
            self._below[max(op.module_call, 0)].append((index, 1, index))

    def module(self, index: int) -> TreeNode:
        call = self._trace.modules[index]
        ops = self._trace.ops_of(call)
        run = call.run if self._calls[call.scope] > 1 else None
        shape = _shape(call.outputs)
        # An activation keeps its op as a child, as mathematics below a building block; one measurement does for both.
        has_one_op = is_leaf(self._trace, call)
        if has_one_op and (call.params or op_level(ops[0].name) == "ml"):
            return TreeNode(scope=call.scope, type=call.type, level="ml", shape=shape, params=call.params,
                            cost=self._costs.of(ops[0]), key=ops[0].key, run=run, call=call, op=ops[0])
        key = key_of_call(self._trace, call) if ops else None
        node = TreeNode(scope=call.scope, type=call.type, level=module_level(call), shape=shape, params=call.params,
                        cost=NOTHING, key=key, run=run, call=call, op=ops[0] if has_one_op else None,
                        note=None if ops else "it runs no kernel")
        words: collections.Counter[str] = collections.Counter()
        for _, is_op, which in sorted(self._below[index]):
            child = self._op(call, self._trace.ops[which], words, run) if is_op else self.module(which)
            child.run = run if child.run is None else child.run
            self._place(node, child)
        _add_up(node)
        return node

    def _op(self, call: ModuleCall, op: OpCall, words: collections.Counter[str], run: int | None) -> TreeNode:
        word = op_word(op.name)
        number = words[word]
        words[word] += 1
        return TreeNode(scope=f"{call.scope}:{word}" + (f".{number}" if number else ""), type=op_type(op.name),
                        level=op_level(op.name), shape=_shape(op.outputs), params=0, cost=self._costs.of(op), key=op.key,
                        run=run, op=op)

    def _place(self, caller: TreeNode, child: TreeNode) -> None:
        """Below its caller; where a module's part was called past it, below that module, which then stands in between."""
        parts = child.scope.split(".")
        at = caller
        for length in range(1, len(parts)):
            scope = ".".join(parts[:length])
            is_between = len(scope) > len(caller.scope) and (not caller.scope or scope.startswith(caller.scope + "."))
            if ":" in scope or not is_between or scope not in self._modules:
                continue
            if not (at.children and at.children[-1].scope == scope and at.children[-1].call is None):
                module = self._modules[scope]
                at.children.append(TreeNode(
                    scope=scope, type=type(module).__name__, level="module", shape=child.shape,
                    params=sum(p.numel() for p in module.parameters()), cost=NOTHING, key=None,
                    note="its parts are called, and not itself"))
            at = at.children[-1]
        at.children.append(child)

    def add_uncalled(self, root: TreeNode) -> None:
        """Modules that the pass never called: they have weights, and do nothing."""
        nodes = {node.scope: node for node in reversed(list(root.walk()))}
        for scope, module in self._modules.items():
            if scope in nodes:
                continue
            above = scope
            while above not in nodes:
                above = above.rpartition(".")[0]
            note = ("what it runs, as TorchScript, is counted with its caller" if isinstance(module, torch.jit.ScriptModule)
                    else "the pass does not call it")
            is_leaf_module = not any(name and type(part).__name__ not in _HOLDERS for name, part in module.named_modules())
            nodes[scope] = TreeNode(
                scope=scope, type=type(module).__name__, level="ml" if is_leaf_module else "module", shape=(),
                params=sum(p.numel() for p in module.parameters()), cost=NOTHING, key=None, note=note)
            nodes[above].children.append(nodes[scope])


def _add_up(node: TreeNode) -> None:
    total = NOTHING
    for child in node.children:
        if child.call is None and child.op is None:
            _add_up(child)
        total = total + child.cost
    node.cost = total


def _shape(outputs: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(parse_tensor(outputs[0])[1]) if outputs else ()


def sizes_of_inputs(call: ModuleCall) -> tuple[int, int]:
    """Batch size and length, as far as the inputs of the root tell them: token ids are [batch, length], states [batch, length,
    width]; other inputs have a batch only."""
    shapes = [parse_tensor(text) for text in _texts([call.arguments, call.keywords])]
    if not shapes:
        return 1, 1
    ids = [shape for name, shape, _ in shapes if name in ("int64", "int32") and len(shape) == 2]
    _, shape, _ = shapes[0]
    if ids:
        shape = ids[0]
    has_length = bool(ids) or len(shape) == 3
    return max(shape[0], 1) if shape else 1, max(shape[1], 1) if has_length else 1


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        if isinstance(value.get("tensor"), str):
            yield value["tensor"]
        elif isinstance(value.get("dict"), dict):
            yield from _texts(list(value["dict"].values()))
