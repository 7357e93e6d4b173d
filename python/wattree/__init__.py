"""Wattree in Python: measures where a model's energy goes, and tells a tracker of a training's epochs.

    import wattree
    print(wattree.profile(model, input_ids=ids))

Nothing but the standard library; PyTorch is needed, and loaded, only to profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wattree._version import __version__
from wattree.tracking import Run, track

if TYPE_CHECKING:
    from wattree.profiler import ProfileError, Profiler
    from wattree.result import Profile

__all__ = ["Profile", "ProfileError", "Profiler", "Run", "__version__", "profile", "track"]


def profile(model: Any, *inputs: Any, **keywords: Any) -> Profile:
    """Measures every node of a model as it runs with these inputs; all of them are the model's, as in model(…).

    On the device the model is on. What was measured before, by whichever program, is taken from the cache. Other meters,
    folders and limits: Profiler.
    """
    from wattree.profiler import Profiler

    return Profiler().profile(model, *inputs, **keywords)


def __getattr__(name: str) -> Any:
    # Loading PyTorch takes seconds; a program that only tracks does not need it.
    if name in ("Profiler", "ProfileError"):
        from wattree import profiler

        return getattr(profiler, name)
    if name == "Profile":
        from wattree.result import Profile

        return Profile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
