"""A profile as a plain table: a row for each module and building block, equal neighbours in one row."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wattree.result import NodeProfile, Profile

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def amount(value: float | None, unit: str) -> str:
    """Three digits: "752 mJ". Nothing is shown where nothing is known."""
    if value is None:
        return "–"
    if value == 0:
        return f"0 {unit}"
    for factor, prefix in _PREFIXES:
        if abs(value) >= 0.9995 * factor or factor == 1e-9:
            scaled = value / factor
            digits = 0 if abs(scaled) >= 99.95 else 1 if abs(scaled) >= 9.995 else 2
            return f"{scaled:.{digits}f} {prefix}{unit}"
    return ""


def profile_table(profile: Profile) -> str:
    lines = [_title(profile), _sum(profile), f"{profile.counts}; {profile.seconds:.1f} s"]
    lines += [f"note: {note}" for note in profile.notes]
    rows: list[tuple[str, ...]] = [("node", "type", "energy", "%", "own", "time", "basis")]
    rows += _rows(profile, profile.tree, "", 1, 0)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    aligns = "<<>>>><"
    table = ["  ".join(f"{cell:{align}{width}}" for cell, align, width in zip(row, aligns, widths)).rstrip() for row in rows]
    return "\n".join(lines + [""] + table)


def _title(profile: Profile) -> str:
    machine = profile.machine
    parts = [f"{machine.get('gpu') or machine.get('cpu') or machine['device']}", profile.dtype, profile.attention,
             profile.tree.execution, f"one pass of {profile.batch_size} × {profile.seq_len}"]
    name = "" if profile.model == profile.tree.type else f" of {profile.model}"
    return f"{profile.tree.type}{name}: " + ", ".join(part for part in parts if part)


def _sum(profile: Profile) -> str:
    root = profile.tree
    if root.time_s is None:
        return f"not measured: {root.problem}"
    if root.energy_j is None:
        return f"{amount(root.time_s, 's')} for one pass; {root.problem}"
    idle = f"; idling would have taken {amount(root.idle_j, 'J')}" if root.idle_j is not None else ""
    return (f"{amount(root.energy_j, 'J')} in {amount(root.time_s, 's')} ({amount(root.energy_j / root.time_s, 'W')}), "
            f"measured by {profile.basis} (boundary {profile.boundary}){idle}")


def _rows(profile: Profile, node: NodeProfile, above: str, times: int, depth: int) -> list[tuple[str, ...]]:
    name = node.scope[len(above):].lstrip(".:") if depth else node.type
    own = node.own_energy_j if node.children else None
    share = profile.share(node)
    rows: list[tuple[str, ...]] = [("  " * depth + name + (f" (× {times})" if times > 1 else ""), node.type, amount(_times(node.energy_j, times), "J"),
             f"{100 * share * times:.1f}" if share is not None else "–",
             (amount(_times(own, times), "J") + (" overlap" if own < 0 else "")) if own is not None else "",
             amount(_times(node.time_s, times), "s"), _basis(node))]
    shown = [child for child in node.children if child.level != "math"]
    for _, group in itertools.groupby(shown, key=_same):
        equal = list(group)
        rows += _rows(profile, equal[0], node.scope, times * len(equal), depth + 1)
    return rows


def _same(node: NodeProfile) -> object:
    return node.key if node.key is not None else id(node)


def _times(value: float | None, times: int) -> float | None:
    return None if value is None else value * times


def _basis(node: NodeProfile) -> str:
    if node.is_derived:
        return "derived"
    if node.problem is not None and node.time_s is None:
        return node.problem
    execution = f" {node.execution}" if node.execution else ""
    why = f" ({node.why_eager})" if node.why_eager else ""
    return ("meas" if node.energy_j is not None else "time only") + execution + why
