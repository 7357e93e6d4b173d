"""How far a long measurement is, on a terminal: a bar, what is being measured, and the time left."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import IO

_WIDTH = 24


class Progress:
    """Writes to the stream only where it is a terminal, and leaves nothing behind."""

    def __init__(self, total: int, stream: IO[str] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = total > 0 and bool(getattr(self._stream, "isatty", lambda: False)())
        self._start_s, self._done = clock(), 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, what: str) -> None:
        """That this is being measured now."""
        if self._is_shown:
            columns = shutil.get_terminal_size().columns
            self._stream.write("\r\x1b[K" + self.line(what)[: columns - 1])
            self._stream.flush()

    def advance(self) -> None:
        self._done += 1

    def line(self, what: str) -> str:
        share = min(self._done / self._total, 1.0) if self._total else 1.0
        bar = "█" * round(share * _WIDTH)
        left = ""
        if self._done:
            seconds = (self._clock() - self._start_s) / self._done * max(self._total - self._done, 0)
            left = f"  {seconds:.0f} s left" if seconds < 120 else f"  {seconds / 60:.0f} min left"
        return f"{bar:·<{_WIDTH}} {self._done}/{self._total}{left}  {what}"
