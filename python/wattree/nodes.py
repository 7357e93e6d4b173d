"""A trace's distinct nodes: what has to be measured once, how often it occurs, and on which level of the tree it stands."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

from wattree.ops import op_level, op_type
from wattree.trace import ModuleCall, OpCall, Trace


def module_level(call: ModuleCall) -> str:
    """A module that calls no other module is a building block: Linear, a norm, an activation, rotary embeddings."""
    if call.parent < 0:
        return "model"
    return "module" if call.children else "ml"


@dataclasses.dataclass(frozen=True)
class Node:
    """One distinct node of a trace. An op that is all its module does stands for the module, as its leaf."""

    key: str
    kind: str  # "op" or "module"
    type: str
    level: str
    scope: str  # Where it was met first.
    count: int
    params: int
    flops: int
    kernels: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    op: OpCall | None
    call: ModuleCall | None
    children: tuple[tuple[str, str], ...] = ()  # Of a module, in the order they run: key, and scope below this one's.

    def record(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "node": self.key, "of": self.kind, "type": self.type, "level": self.level, "params": self.params,
            "flops": self.flops, "kernels": self.kernels, "inputs": list(self.inputs), "outputs": list(self.outputs),
        }
        if self.op is not None:
            fields["op"] = {"name": self.op.name, "overload": self.op.overload, "arguments": self.op.arguments,
                            "keywords": self.op.keywords}
        if self.children:
            fields["children"] = [list(child) for child in self.children]
        return fields


def op_from_record(record: dict[str, Any]) -> OpCall:
    op = record["op"]
    return OpCall(scope="", module_call=-1, name=op["name"], overload=op["overload"], arguments=op["arguments"],
                  keywords=op["keywords"], inputs=tuple(record["inputs"]), outputs=tuple(record["outputs"]),
                  flops=record["flops"])


def node_of_op(op: OpCall) -> Node:
    """An op by itself, of no model."""
    return Node(key=op.key, kind="op", type=op_type(op.name), level=op_level(op.name), scope="", count=0, params=0,
                flops=op.flops, kernels=1, inputs=op.inputs, outputs=op.outputs, op=op, call=None)


def is_leaf(trace: Trace, call: ModuleCall) -> bool:
    return call.parent >= 0 and call.children == 0 and call.end_op - call.first_op == 1


def key_of_call(trace: Trace, call: ModuleCall) -> str:
    """Of the distinct node that a call with kernels is. An op that is all it does stands for it."""
    return trace.ops_of(call)[0].key if is_leaf(trace, call) else trace.key_of_module(call)


def distinct_nodes(trace: Trace) -> list[Node]:
    """Modules with more than one kernel, and ops; the root first."""
    found: dict[str, Node] = {}
    counts: collections.Counter[str] = collections.Counter()
    keys = {index: trace.key_of_module(call) for index, call in enumerate(trace.modules)
            if trace.ops_of(call) and not is_leaf(trace, call)}
    children = _children(trace, keys)
    for index, key in keys.items():
        call = trace.modules[index]
        ops = trace.ops_of(call)
        counts[key] += 1
        if key not in found:
            found[key] = Node(
                key=key, kind="module", type=call.type, level=module_level(call), scope=call.scope, count=0,
                params=call.params, flops=sum(op.flops for op in ops), kernels=len(ops), inputs=_module_inputs(call),
                outputs=call.outputs, op=None, call=call, children=tuple(children[index]))
    for op in trace.ops:
        counts[op.key] += 1
        if op.key not in found:
            caller = trace.modules[op.module_call] if op.module_call >= 0 else None
            leaf = caller if caller is not None and is_leaf(trace, caller) else None
            found[op.key] = Node(
                key=op.key, kind="op", type=leaf.type if leaf else op_type(op.name),
                level="ml" if leaf else op_level(op.name), scope=op.scope, count=0, params=leaf.params if leaf else 0,
                flops=op.flops, kernels=1, inputs=op.inputs, outputs=op.outputs, op=op, call=None)
    return [dataclasses.replace(node, count=counts[key]) for key, node in found.items()]


def _children(trace: Trace, keys: dict[int, str]) -> dict[int, list[tuple[str, str]]]:
    """What each module runs itself: modules by their keys, and ops; an op that stands for its module has the module's scope."""
    found: dict[int, list[tuple[int, str, str]]] = {index: [] for index in keys}

    def put(parent: int, at: int, key: str, scope: str) -> None:
        if parent in found:
            above = trace.modules[parent].scope
            found[parent].append((at, key, scope[len(above) + 1:] if above else scope))

    for index, key in keys.items():
        call = trace.modules[index]
        put(call.parent, call.first_op, key, call.scope)
    for at, op in enumerate(trace.ops):
        if op.module_call in keys:
            found[op.module_call].append((at, op.key, ""))
        elif op.module_call >= 0:
            put(trace.modules[op.module_call].parent, at, op.key, op.scope)
    return {index: [(key, scope) for _, key, scope in sorted(entries)] for index, entries in found.items()}


def _module_inputs(call: ModuleCall) -> tuple[str, ...]:
    texts: list[str] = []

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            if "tensor" in value:
                texts.append(value["tensor"])
            elif "tensors" in value:
                texts.extend(value["tensors"])
            elif "dict" in value:
                for item in value["dict"].values():
                    visit(item)
        elif isinstance(value, list):
            for item in value:
                visit(item)

    visit(call.arguments)
    visit(call.keywords)
    return tuple(texts)
