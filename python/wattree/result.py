"""What profiling a model gives: a tree of measured nodes, as a table, as JSON, and as a line of a dataset."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from wattree.cost import OpCost
from wattree.dataset import Pass, dataset_tree
from wattree.records import round_numbers
from wattree.spec import key_of
from wattree.table import profile_table
from wattree.tree import TreeNode, sizes_of_inputs

# Of a measurement, what explains its power (IrEne's resource features, and more).
FEATURES = ("cpu_percent", "ram_percent", "gpu_percent", "gpu_memory_percent", "sm_clock_mhz", "memory_clock_mhz",
            "temperature_c", "power_w", "is_capped", "throttle_reasons", "relative_error", "drift", "is_settled", "iterations",
            "duration_s", "cache", "sets", "pauses", "kernels_agree", "why_not_compared",
            "left_out")


@dataclasses.dataclass
class NodeProfile:
    """A node of the tree. Energy and time are those of one run; None: not known, and `problem` says why."""

    scope: str
    type: str
    level: str
    shape: tuple[int, ...]
    params: int
    cost: OpCost
    key: str | None
    run: int | None
    children: list[NodeProfile]
    energy_j: float | None = None
    time_s: float | None = None
    own_energy_j: float | None = None  # Besides its children; below 0 where they overlap.
    alone_j: float | None = None  # Back to back at the power cap, where that is another figure.
    idle_j: float | None = None
    execution: str | None = None  # graph or eager
    why_eager: str | None = None
    problem: str | None = None
    is_derived: bool = False  # A sum of its children, not measured itself.
    record: dict[str, Any] | None = None  # The whole measurement.

    def walk(self) -> Iterator[NodeProfile]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, scope: str) -> NodeProfile:
        """The node of that scope, its first run."""
        for node in self.walk():
            if node.scope == scope:
                return node
        raise KeyError(f"no node {scope!r} in the tree")


@dataclasses.dataclass(frozen=True)
class Counts:
    nodes: int
    measured: int
    reused: int
    cached: int
    missing: int  # Not measured, though they run kernels.
    idle: int  # Nodes that run no kernel.

    def __str__(self) -> str:
        text = f"{self.nodes} nodes: {self.measured} measured, {self.reused} reused, {self.cached} from the cache"
        if self.idle:
            text += f", {self.idle} without kernels"
        return text + (f", {self.missing} not measured" if self.missing else "")


class Profile:
    """The profile of one pass. `print(profile)` shows a table, `profile.tree` is the root."""

    def __init__(self, root: TreeNode, records: dict[str, dict[str, Any]], *, name: str, dtype: str, attention: str | None,
                 machine: dict[str, Any], why_no_energy: str | None, measured: set[str], notes: list[str], is_complete: bool,
                 seconds: float, basis: str | None) -> None:
        self.model, self.dtype, self.attention, self.machine = name, dtype, attention, machine
        self.notes, self.is_complete, self.seconds, self.basis = notes, is_complete, seconds, basis
        assert root.call is not None
        self.batch_size, self.seq_len = sizes_of_inputs(root.call)
        self.boundary = machine.get("boundary")
        self.tree = _profile_of(root, records, why_no_energy)
        self.counts = _count(self.tree, records, measured)

    @property
    def energy_j(self) -> float | None:
        return self.tree.energy_j

    @property
    def time_s(self) -> float | None:
        return self.tree.time_s

    def __str__(self) -> str:
        return profile_table(self)

    def __repr__(self) -> str:
        return f"<wattree.Profile of {self.tree.type}: {self.counts}>"

    def to_json(self, indent: int | None = None) -> str:
        """As docs/schemas/profiled.schema.json says."""
        fields: dict[str, Any] = {
            "model": self.model, "class": self.tree.type, "batch_size": self.batch_size, "seq_len": self.seq_len,
            "dtype": self.dtype, "attention": self.attention, "execution": self.tree.execution,
            "hardware": self.machine.get("gpu") or self.machine.get("cpu"), "params": self.tree.params,
            **_costs(self.tree.cost), "energy_j": self.energy_j, "time_s": self.time_s, "is_complete": self.is_complete,
            "counts": dataclasses.asdict(self.counts), "notes": self.notes, "machine": self.machine,
            "tree": self._node_json(self.tree),
        }
        return json.dumps(round_numbers(fields), indent=indent, allow_nan=False)

    def _node_json(self, node: NodeProfile) -> dict[str, Any]:
        fields: dict[str, Any] = {"scope": node.scope}
        if node.run is not None:
            fields["run"] = node.run
        fields |= {"type": node.type, "level": node.level, "shape": list(node.shape), "params": node.params,
                   **_costs(node.cost), "time_s": node.time_s, "energy_j": node.energy_j}
        optional = {"own_energy_j": node.own_energy_j, "alone_j": node.alone_j, "idle_j": node.idle_j,
                    "share": self.share(node), "basis": self._basis(node), "execution": node.execution,
                    "why_eager": node.why_eager, "problem": node.problem}
        fields |= {name: value for name, value in optional.items() if value is not None}
        if node.record is not None:
            features = {name: node.record[name] for name in FEATURES if node.record.get(name) is not None}
            fields |= {"features": features} if features else {}
        return fields | {"children": [self._node_json(child) for child in node.children]}

    def share(self, node: NodeProfile) -> float | None:
        """Of the whole pass' energy, or where there is none of its time."""
        part, whole = ((node.energy_j, self.energy_j) if self.energy_j is not None else (node.time_s, self.time_s))
        return part / whole if part is not None and whole else None

    def _basis(self, node: NodeProfile) -> dict[str, Any] | None:
        if node.energy_j is None:
            return None
        return {"kind": "derived" if node.is_derived else "measured", "by": self.basis, "boundary": self.boundary}

    def save(self, path: str | os.PathLike, *, append: bool = False, model_name: str | None = None,
             batch_size: int | None = None, seq_len: int | None = None) -> None:
        """As a dataset (docs/datasets.md), which `wattree dataset stats`, `train`, `evaluate` and `annotate` read: a file of
        its own, or one more line of a file. Sizes that the inputs do not tell can be given."""
        if not self.tree.children:
            raise ValueError("there is nothing to save: the model runs no kernel")
        name, batch, length = model_name or self.model, batch_size or self.batch_size, seq_len or self.seq_len
        unique = key_of(name, batch, length, self.tree.key, self.machine, self.tree.record)[:8]
        line = json.dumps(round_numbers({
            "model_name": name, "batch_size": batch, "seq_len": length, "dtype": self.dtype,
            "protocol": self.machine["protocol"],
            "frontend_tree": dataset_tree(self.tree, f"{name}-{batch}x{length}-{unique}",
                                          Pass(batch, length, self.dtype))}), allow_nan=False) + "\n"
        target = pathlib.Path(path)
        if append:
            with open(target, "a", encoding="utf-8") as file:
                file.write(line)
            return
        # Whole or not at all.
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(line)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise


def _costs(cost: OpCost) -> dict[str, int | None]:
    return {"flops": cost.flops, "matmul_flops": cost.matmul_flops, "bytes": cost.bytes}


def _profile_of(node: TreeNode, records: dict[str, dict[str, Any]], why_no_energy: str | None) -> NodeProfile:
    out = NodeProfile(
        scope=node.scope, type=node.type, level=node.level, shape=node.shape, params=node.params, cost=node.cost,
        key=node.key, run=node.run, children=[_profile_of(child, records, why_no_energy) for child in node.children])
    record = records.get(node.key) if node.key is not None else None
    if node.key is None:
        out.problem = node.note
        if out.children and all(_is_known(child) for child in out.children):
            # Called only in parts: it is what they are.
            out.energy_j = _total(child.energy_j for child in out.children)
            out.time_s = _total(child.time_s for child in out.children)
            out.is_derived = out.time_s is not None
            out.problem = None if out.energy_j is not None else node.note
    elif record is None:
        out.problem = "it has not been measured yet"
    elif "failure" in record:
        out.problem, out.record = record["failure"], record
    else:
        out.record, out.time_s, out.energy_j = record, record["time_s"], record.get("energy_j")
        out.execution, out.why_eager = record["execution"], record.get("why_eager")
        out.alone_j, out.idle_j = record.get("alone_j"), record.get("idle_j")
        if out.energy_j is None:
            out.problem = f"no energy: {why_no_energy or 'it was measured without a meter'}"
    if out.energy_j is not None and all(_is_known(child) for child in out.children):
        out.own_energy_j = out.energy_j - sum(child.energy_j or 0 for child in out.children)
    return out


def _is_known(node: NodeProfile) -> bool:
    """Whether its energy is there, or it takes none because it runs nothing."""
    return node.energy_j is not None or node.key is None and all(_is_known(child) for child in node.children)


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _count(tree: NodeProfile, records: dict[str, dict[str, Any]], measured: set[str]) -> Counts:
    met: set[str] = set()
    found = dict(nodes=0, measured=0, reused=0, cached=0, missing=0, idle=0)
    for node in tree.walk():
        found["nodes"] += 1
        if node.key is None:
            found["idle"] += 1
        elif "failure" in records.get(node.key, {"failure": ""}):
            found["missing"] += 1
        elif node.key in met:
            found["reused"] += 1
        else:
            met.add(node.key)
            found["measured" if node.key in measured else "cached"] += 1
    return Counts(**found)
