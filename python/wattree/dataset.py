"""A profiled tree as a dataset's (docs/datasets.md): IrEne's fields and units, mathematics as `ops` of their parent."""

from __future__ import annotations

import collections
import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wattree.result import NodeProfile

MIB = 1 << 20


def dataset_tree(root: NodeProfile, prefix: str) -> dict[str, Any]:
    """The root as a dataset's node. Ids begin with the prefix."""
    return _node(root, None, 0, prefix, itertools.count(), is_op=False)


def _scope(node: NodeProfile) -> str:
    # A module that runs more than once has as many nodes, and their scopes tell them apart.
    separator = "" if not node.scope or node.scope.startswith(":") else "."
    return f"root{separator}{node.scope}" + (f"#{node.run}" if node.run else "")


def _node(node: NodeProfile, parent: NodeProfile | None, depth: int, prefix: str, numbers: Any, is_op: bool) -> dict[str, Any]:
    inner = [] if is_op else [child for child in node.children if child.level != "math"]
    if parent is None and not inner:
        inner = node.children  # A root must have children; here it has only ops.
    children = [_node(child, node, depth + 1, prefix, numbers, child.level == "math") for child in inner]
    kind = "model" if parent is None else "module" if children else "ml" if node.params else "ml-np"
    fields: dict[str, Any] = {
        "id": f"{prefix}-{next(numbers)}", "scope": _scope(node), "parent_name": _scope(parent) if parent else "",
        "level": depth, "instance_type": node.type, "type": kind, "num_parameters": node.params,
        "flops": None if node.cost.flops is None else node.cost.flops / 1e6,
        "mem_bytes": None if node.cost.bytes is None else node.cost.bytes / MIB,
        **_features(node),
        # The same counter cannot be the question and the answer.
        "gpu_energy_mean": None, "ground_truth_energy": node.energy_j,
    }
    math = [child for child in node.children if child.level == "math" and child not in inner]
    if math:
        fields["ops"] = _ops(math)
    return fields | {"child_nodes_obj": children, "child_nodes": [child["scope"] for child in children]}


def _features(node: NodeProfile) -> dict[str, Any]:
    record = node.record or {}
    names = {"cpu": "cpu_percent", "mem": "ram_percent", "gpu": "gpu_percent", "gpu_mem": "gpu_memory_percent",
             "gpu_clk": "sm_clock_mhz", "gpu_mem_clk": "memory_clock_mhz"}
    return {name: record.get(field) for name, field in names.items()} | {"times_mean": node.time_s}


def _ops(math: list[NodeProfile]) -> list[dict[str, Any]]:
    kinds: dict[str, list[NodeProfile]] = collections.defaultdict(list)
    for op in math:
        kinds[op.type].append(op)
    return [{"op": kind, "calls": len(ops), "flops": sum(op.cost.flops or 0 for op in ops) / 1e6,
             "mem_bytes": sum(op.cost.bytes or 0 for op in ops) / MIB} for kind, ops in kinds.items()]
