"""Epochs and steps of a training program, told to `wattree track`, which measures them.

    with wattree.track() as run:
        for i in range(epochs):
            with run.epoch():
                train()

Started without a tracker, all of this does nothing. It never fails, whatever is wrong with measuring.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator

from wattree import library


class Run:
    """The run that a tracker follows, if one does."""

    def __init__(self) -> None:
        self._library = None
        if os.environ.get("WATTREE_TRACK"):  # Nobody listens otherwise.
            try:
                self._library = library.load_library()
            except library.LibraryError as error:
                warnings.warn(f"epochs and steps are not told to the tracker: {error}", RuntimeWarning, stacklevel=3)

    @property
    def is_tracked(self) -> bool:
        return self._library is not None and bool(self._library.wattree_is_tracked())

    @property
    def is_paused(self) -> bool:
        """Whether the next epoch would wait until the user resumes the run."""
        return self._library is not None and bool(self._library.wattree_is_paused())

    @contextlib.contextmanager
    def epoch(self, name: str | None = None) -> Iterator[None]:
        """One epoch; without a name it gets its number. While the run is paused, it waits here."""
        if self._library is not None:
            self._library.wattree_epoch_begin(None if name is None else _text(name))
        try:
            yield
        finally:
            if self._library is not None:
                self._library.wattree_epoch_end()

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """A part that is repeated, such as "forward"; energy is summed up over all steps of one name."""
        if self._library is not None:
            self._library.wattree_step_begin(_text(name))
        try:
            yield
        finally:
            if self._library is not None:
                self._library.wattree_step_end(_text(name))


def _text(name: object) -> bytes:
    return str(name).encode(errors="replace").replace(b"\0", b" ")


@contextlib.contextmanager
def track() -> Iterator[Run]:
    """The run that this program is part of: start it with `wattree track -- python train.py`."""
    yield Run()
