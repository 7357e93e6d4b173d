"""Nodes that were measured before, on disk: one file for each machine, software and protocol, a line for each node.

What is written is there, whatever ends the process; two processes may write at once.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

from wattree.records import round_numbers
from wattree.spec import key_of

FORMAT = "wattree-nodes-1"


def default_folder() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of XDG: a relative path is to be ignored.
    return (pathlib.Path(base) if os.path.isabs(base) else pathlib.Path.home() / ".cache") / "wattree" / "nodes"


class NodeCache:
    """`context` is what a measurement holds for. A later line about the same node replaces an earlier one."""

    def __init__(self, folder: pathlib.Path | None, context: dict[str, Any]) -> None:
        self.problem: str | None = None
        self._records: dict[str, dict[str, Any]] = {}
        self._path = folder / f"{key_of(FORMAT, context)}.jsonl" if folder else None
        if self._path is None:
            return
        try:
            if self._path.exists():
                self._read()
            else:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._append({"format": FORMAT, "context": context})
        except OSError as error:
            self._give_up(error)

    def get(self, key: str) -> dict[str, Any] | None:
        return self._records.get(key)

    def put(self, key: str, record: dict[str, Any]) -> None:
        self._records[key] = record
        if self._path is not None:
            try:
                self._append({"node": key, **round_numbers(record)})
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.problem = f"measurements are not kept for the next time: {error}"
        self._path = None

    def _read(self) -> None:
        assert self._path is not None
        with open(self._path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:  # Cut short by a kill, or not ours.
                    continue
                if isinstance(record, dict) and isinstance(record.get("node"), str):
                    self._records[record.pop("node")] = record

    def _append(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        assert self._path is not None
        # One write to the end of the file: lines of two processes do not mix. A torn line before it stays alone.
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            if size and not self._ends_with_newline(size):
                line = "\n" + line
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)

    def _ends_with_newline(self, size: int) -> bool:
        assert self._path is not None
        with open(self._path, "rb") as file:
            file.seek(size - 1)
            return file.read(1) == b"\n"
