"""Models of Hugging Face Transformers from a config alone, with random weights and inputs, ready to be captured."""

from __future__ import annotations

import contextlib
import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import torch
import transformers

from wattree.trace import Trace, Tracer, jit_as_written, snapshot

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def read_config(path: pathlib.Path, overrides: dict[str, Any] | None = None):
    """A transformers config from a (sparse) config.json, with some fields changed."""
    fields = json.loads(path.read_text()) | (overrides or {})
    config_class = transformers.CONFIG_MAPPING[fields.pop("model_type")]
    return config_class.from_dict(fields)


def build_model(config, dtype: str, attention: str, device: str) -> torch.nn.Module:
    """The base model, made on the device, its weights as the framework initialises them."""
    torch.manual_seed(0)
    config.dtype = DTYPES[dtype]
    model_class = transformers.MODEL_MAPPING[type(config)]
    model_class = model_class[0] if isinstance(model_class, tuple) else model_class
    with torch.device(device):
        model = model_class._from_config(config, attn_implementation=attention, dtype=DTYPES[dtype])
    return model.to(device).eval().requires_grad_(False)


def text_inputs(config, batch: int, length: int, device: str) -> dict[str, torch.Tensor]:
    """Token ids for one pass, and nothing more: no mask, that is no padding. Both sides of an encoder-decoder alike."""
    text = getattr(config, "text_config", config)
    vocabulary = getattr(text, "vocab_size", 100)

    def ids() -> torch.Tensor:
        # Special tokens usually have low numbers, and models look for padding and ends among the ids.
        return torch.randint(min(1000, vocabulary // 2), min(vocabulary, 30000), (batch, length), device=device)

    if config.is_encoder_decoder:
        return {"input_ids": ids(), "decoder_input_ids": ids()}
    return {"input_ids": ids()}


class Pass:
    """One forward pass, or one decode step over a cache, that can be run again and again with the same effect."""

    def __init__(self, model: torch.nn.Module, batch: int, length: int, past: int = 0) -> None:
        self.model = model
        device = str(next(model.parameters()).device)
        self._masks = PreparedMasks(model)
        self._past = None
        with torch.no_grad():
            if past:
                filled = model(**text_inputs(model.config, batch, past, device), use_cache=True)
                self._past = filled.past_key_values
                self.inputs = text_inputs(model.config, batch, 1, device)
                if model.config.is_encoder_decoder:
                    del self.inputs["input_ids"]
                    self.inputs["encoder_outputs"] = transformers.modeling_outputs.BaseModelOutput(
                        last_hidden_state=filled.encoder_last_hidden_state)
                self.inputs["use_cache"] = True
            else:
                self.inputs = text_inputs(model.config, batch, length, device)

    def run_as_is(self) -> Any:
        """As any program would, masks built on the way."""
        with torch.no_grad():
            return self.model(**self._arguments())

    def prepare(self) -> Trace:
        """Runs as it is and says what ran, but for the building of masks; these are kept, because building them looks at
        values."""
        tracer = Tracer(self.model)
        with (torch.no_grad(), jit_as_written(), windows_on_host(), scalars_filled(),
              self._masks.recording(tracer.paused), tracer):
            self.model(**self._arguments())
        return tracer.trace

    def run(self) -> Any:
        """With the masks kept by prepare()."""
        with torch.no_grad(), windows_on_host(), scalars_filled(), self._masks.replaying():
            return self.model(**self._arguments())

    def _arguments(self) -> dict[str, Any]:
        if self._past is None:
            return self.inputs
        return self.inputs | {"past_key_values": snapshot(self._past)}


@contextlib.contextmanager
def windows_on_host() -> Iterator[None]:
    """A cache with a sliding window copies the window's length, one number, from the host to the device for every layer, which
    cannot be captured. Here it stays on the host, where the passes measured never look at it."""
    layer = transformers.cache_utils.DynamicSlidingWindowLayer
    original = layer.lazy_initialization

    def initialize(self, key_states, value_states):
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

    def tensor(data, *args, **kwargs):
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
        modules = {sys.modules[type(module).__module__] for module in model.modules()}
        self._places = [(module, name) for module in modules for name in vars(module)
                        if name.startswith("create_") and "mask" in name and callable(getattr(module, name))]
        self._made: list[Any] = []

    @property
    def kinds(self) -> list[str]:
        """What was made: "none", or a tensor's shape."""
        return ["none" if mask is None else str(list(getattr(mask, "shape", []))) for mask in self._made]

    @contextlib.contextmanager
    def recording(self, around=contextlib.nullcontext) -> Iterator[None]:
        self._made = []

        def wrap(original):
            def create(*args, **kwargs):
                with around():
                    self._made.append(original(*args, **kwargs))
                return self._made[-1]
            return create

        with self._replaced(wrap):
            yield

    @contextlib.contextmanager
    def replaying(self) -> Iterator[None]:
        left = iter(self._made)

        def wrap(original):
            return lambda *args, **kwargs: next(left)

        with self._replaced(wrap):
            yield

    @contextlib.contextmanager
    def _replaced(self, wrap) -> Iterator[None]:
        originals = [(module, name, getattr(module, name)) for module, name in self._places]
        try:
            for module, name, original in originals:
                setattr(module, name, wrap(original))
            yield
        finally:
            for module, name, original in originals:
                setattr(module, name, original)
