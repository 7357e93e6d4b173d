"""What stands in the way of capturing a model of Hugging Face Transformers as a graph, put aside. Other models are left alone."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch


@contextlib.contextmanager
def windows_on_host() -> Iterator[None]:
    """A cache with a sliding window copies the window's length, one number, from the host to the device for every layer, which
    cannot be captured. Here it stays on the host, where the passes measured never look at it."""
    layer = getattr(sys.modules.get("transformers.cache_utils"), "DynamicSlidingWindowLayer", None)
    if layer is None:  # No Transformers, or one without such caches.
        yield
        return
    original = layer.lazy_initialization

    def initialize(self: Any, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        if not hasattr(self, "_sliding_window_tensor"):
            original(self, key_states, value_states)
            return
        length, self._sliding_window_tensor = self._sliding_window_tensor, torch.empty(0, device=key_states.device)
        original(self, key_states, value_states)
        self._sliding_window_tensor = length

    layer.lazy_initialization = initialize
    try:
        yield
    finally:
        layer.lazy_initialization = original


@contextlib.contextmanager
def scalars_filled() -> Iterator[None]:
    """torch.tensor(number, device=…) copies the number from the host, which cannot be captured; here a kernel of the device
    fills it in instead."""
    original = torch.tensor

    def tensor(data: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
        device = kwargs.get("device")
        if isinstance(data, (bool, int, float)) and not args and device is not None and kwargs.get("dtype") is not None:
            return torch.full((), data, dtype=kwargs["dtype"], device=device)
        return original(data, *args, **kwargs)

    torch.tensor = tensor
    try:
        yield
    finally:
        torch.tensor = original


class PreparedMasks:
    """Attention masks that the framework made once, handed out again.

    The framework decides by looking whether a mask is needed at all; while a graph is captured it must not look, and takes
    another path. With what it decided before, the captured pass is the one that runs uncaptured.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        modules = {sys.modules[type(module).__module__] for module in model.modules()
                   if type(module).__module__ in sys.modules}
        self._places = [(module, name) for module in modules for name in vars(module)
                        if name.startswith("create_") and "mask" in name
                        and str(getattr(getattr(module, name), "__module__", "")).startswith("transformers.")]
        self._made: list[Any] = []

    @property
    def kinds(self) -> list[str]:
        """What was made: "none", or a tensor's shape."""
        return ["none" if mask is None else str(list(getattr(mask, "shape", []))) for mask in self._made]

    @contextlib.contextmanager
    def recording(self, around: Callable[[], Any] = contextlib.nullcontext) -> Iterator[None]:
        self._made = []

        def wrap(original: Callable) -> Callable:
            def create(*args: Any, **kwargs: Any) -> Any:
                with around():
                    self._made.append(original(*args, **kwargs))
                return self._made[-1]
            return create

        with self._replaced(wrap):
            yield

    @contextlib.contextmanager
    def replaying(self) -> Iterator[None]:
        left = iter(self._made)

        def wrap(original: Callable) -> Callable:
            return lambda *args, **kwargs: next(left)

        with self._replaced(wrap):
            yield

    @contextlib.contextmanager
    def _replaced(self, wrap: Callable[[Callable], Callable]) -> Iterator[None]:
        originals = [(module, name, getattr(module, name)) for module, name in self._places]
        try:
            for module, name, original in originals:
                setattr(module, name, wrap(original))
            yield
        finally:
            for module, name, original in originals:
                setattr(module, name, original)
