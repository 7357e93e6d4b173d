"""Models of Hugging Face Transformers from a config alone, with random weights and inputs, ready to be captured."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import torch
import transformers

from wattree.capture import PreparedMasks, scalars_filled, windows_on_host
from wattree.trace import Trace, Tracer, jit_as_written, snapshot

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def read_config(path: pathlib.Path, overrides: dict[str, Any] | None = None) -> Any:
    """A transformers config from a (sparse) config.json, with some fields changed."""
    fields = json.loads(path.read_text()) | (overrides or {})
    config_class = transformers.CONFIG_MAPPING[fields.pop("model_type")]
    return config_class.from_dict(fields)


def build_model(config: Any, dtype: str, attention: str, device: str) -> torch.nn.Module:
    """The base model, made on the device, its weights as the framework initialises them."""
    torch.manual_seed(0)
    config.dtype = DTYPES[dtype]
    model_class = transformers.MODEL_MAPPING[type(config)]
    model_class = model_class[0] if isinstance(model_class, tuple) else model_class
    with torch.device(device):
        model = model_class._from_config(config, attn_implementation=attention, dtype=DTYPES[dtype])
    return model.to(device).eval().requires_grad_(False)


def text_inputs(config: Any, batch: int, length: int, device: str) -> dict[str, torch.Tensor]:
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
