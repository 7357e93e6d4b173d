"""A profiled tree as a dataset's (docs/datasets.md): IrEne's fields and units, mathematics as `ops` of their parent."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wattree.result import NodeProfile

MIB = 1 << 20
WIDTHS = {"bf16": 2, "fp16": 2, "float64": 8}  # Bytes of an element; any other dtype: 4.


@dataclasses.dataclass(frozen=True)
class Pass:
    """What the counts of a leaf depend on, beside its shapes."""

    batch: int
    length: int
    dtype: str


def dataset_tree(root: NodeProfile, prefix: str, of: Pass) -> dict[str, Any]:
    """The root as a dataset's node. Ids begin with the prefix."""
    return _node(root, None, 0, prefix, itertools.count(), of, is_op=False)


def _counts(node: NodeProfile, of: Pass) -> tuple[float | None, float | None]:
    """FLOPs and bytes of a leaf as IrEne's columns have them: predictors take its sizes from these (docs/datasets.md).
    The same as src/measure/campaign/dataset_tree.cc."""
    values, width = math.prod(node.shape), WIDTHS.get(of.dtype, 4)
    if node.type in ("Linear", "Conv1D") and node.shape and values and node.cost.matmul_flops:
        n = node.shape[-1]
        m = values // n
        k = node.cost.matmul_flops // (2 * m * n)
        if node.type == "Linear" and m == of.batch * of.length:
            return 2 * m * k * n + m * n, width * (m * k + of.batch * k * n + 3 * m * n)
        return 2 * m * k * n, width * (m * k + k * n + m * n)
    if node.type == "Softmax":
        return 5 * values, width * 3 * values
    if node.type == "LayerNorm":
        return 8 * values, width * 4 * values
    if node.type == "Tanh":
        return 4 * values, width * values
    if node.type == "Embedding" and node.shape:
        return 0, width * values + 8 * values // node.shape[-1]
    return node.cost.flops, node.cost.bytes


def _scope(node: NodeProfile) -> str:
    # A module that runs more than once has as many nodes, and their scopes tell them apart.
    separator = "" if not node.scope or node.scope.startswith(":") else "."
    return f"root{separator}{node.scope}" + (f"#{node.run}" if node.run else "")


def _node(node: NodeProfile, parent: NodeProfile | None, depth: int, prefix: str, numbers: Any, of: Pass,
          is_op: bool) -> dict[str, Any]:
    inner = [] if is_op else [child for child in node.children if child.level != "math"]
    if parent is None and not inner:
        inner = node.children  # A root must have children; here it has only ops.
    children = [_node(child, node, depth + 1, prefix, numbers, of, child.level == "math") for child in inner]
    kind = "model" if parent is None else "module" if children else "ml" if node.params else "ml-np"
    flops, size = (node.cost.flops, node.cost.bytes) if children or is_op else _counts(node, of)
    fields: dict[str, Any] = {
        "id": f"{prefix}-{next(numbers)}", "scope": _scope(node), "parent_name": _scope(parent) if parent else "",
        "level": depth, "instance_type": node.type, "type": kind, "num_parameters": node.params,
        "flops": None if flops is None else flops / 1e6, "mem_bytes": None if size is None else size / MIB,
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
