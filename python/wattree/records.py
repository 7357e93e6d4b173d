"""Measurements as JSON Lines: appended as they come, read again to go on where an earlier run stopped.

Lines have a `kind`: header (the machine), node (a distinct op or module), tree (which nodes a pass has), window (one
measurement), anchor and verdict (was the machine still the same?), failure, footer.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Iterator
from typing import Any, IO


RUNNING = "running"  # A file beside the records, there while something is measured.


def round_numbers(value: Any, digits: int = 7) -> Any:
    """Floats with as many digits as they deserve: files are smaller and diffs readable."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, dict):
        return {key: round_numbers(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [round_numbers(item, digits) for item in value]
    return value


class RecordWriter:
    """Every line reaches the file at once, so that whatever ends the process loses nothing that was written."""

    def __init__(self, path: pathlib.Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._running = path.parent / RUNNING
        self._file: IO[str] = open(path, "a", encoding="utf-8")

    def write(self, kind: str, **fields: Any) -> None:
        line = json.dumps({"kind": kind} | round_numbers(fields), separators=(",", ":"), allow_nan=False)
        self._file.write(line + "\n")
        self._file.flush()

    def mark_running(self, key: str | None) -> None:
        """What is being measured: whoever finds the process dead knows what it died of."""
        if key is None:
            self._running.unlink(missing_ok=True)
        else:
            self._running.write_text(key, encoding="utf-8")

    def close(self) -> None:
        self._file.close()


def read_records(folder: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Every record of every .jsonl file in a folder, file by file. A last line cut short by a kill is passed over."""
    for path in sorted(folder.glob("*.jsonl")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith("\n"):
                    continue
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise ValueError(f"{path}:{number}: not a record: {error}") from error


@dataclasses.dataclass
class Earlier:
    """What earlier runs have: keys measured in blocks that were not thrown out, and the nodes and trees they saw."""

    done: set[str] = dataclasses.field(default_factory=set)
    nodes: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    trees: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    windows: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)


def read_earlier(folders: list[pathlib.Path], retries_failures: bool = False) -> Earlier:
    earlier = Earlier()
    measured: list[dict[str, Any]] = []
    discarded: set[tuple[str, int]] = set()
    for folder in folders:
        for record in read_records(folder):
            kind = record["kind"]
            if kind == "node":
                earlier.nodes[record["node"]] = record
            elif kind == "tree":
                earlier.trees[record["key"]] = record
            elif kind == "window":
                measured.append(record)
            elif kind == "failure":
                if not retries_failures:
                    earlier.done.add(record["key"])
            elif kind == "verdict" and not record["is_good"]:
                discarded.add((record["session"], record["block"]))
    for record in measured:
        is_makeshift = retries_failures and record.get("why_eager") is not None
        if (record["session"], record["block"]) not in discarded and not is_makeshift:
            earlier.done.add(record["key"])
            earlier.windows[record["key"]] = record
    return earlier
