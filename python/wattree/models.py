"""Models of Hugging Face Transformers from a config alone, with random weights and inputs, ready to be captured."""

from __future__ import annotations

import contextlib
import json
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch
import transformers

from wattree.capture import PreparedMasks, scalars_filled, windows_on_host
from wattree.spec import held_tensors
from wattree.trace import Trace, Tracer, jit_as_written, snapshot

# TF32 is fp32 in memory; products round their operands.
DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
LONGEST_FILL = 8192  # Tokens that a cache is filled with by a pass; larger caches are made up.


def read_config(path: pathlib.Path, overrides: dict[str, Any] | None = None) -> Any:
    """A transformers config from a (sparse) config.json, with some fields changed."""
    fields = json.loads(path.read_text()) | (overrides or {})
    config_class = transformers.CONFIG_MAPPING[fields.pop("model_type")]
    return config_class.from_dict(fields)


@contextlib.contextmanager
def precision(dtype: str) -> Iterator[None]:
    """In TF32 all products round their operands. In fp32 matrix products do not, and cuDNN's convolutions may: both are PyTorch's
    defaults."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32" or before
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def build_model(config: Any, dtype: str, attention: str, device: str, head: str = "") -> torch.nn.Module:
    """The base model, or the class named by `head`, made on the device, its weights as the framework initialises them."""
    torch.manual_seed(0)
    config.dtype = DTYPES[dtype]
    model_class = getattr(transformers, head) if head else transformers.MODEL_MAPPING[type(config)]
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


def pass_inputs(model: torch.nn.Module, batch: int, length: int) -> dict[str, torch.Tensor]:
    """What one pass needs. Of speech and images the config gives the size; then `length` is that of the text beside them."""
    config = model.config
    weight = next(model.parameters())
    text = text_inputs(config, batch, length, str(weight.device))

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(batch, *shape, device=weight.device, dtype=weight.dtype)

    def image(vision: Any) -> torch.Tensor:
        return random(vision.num_channels, vision.image_size, vision.image_size)

    if config.model_type == "whisper":
        return {"input_features": random(config.num_mel_bins, 2 * config.max_source_positions),
                "decoder_input_ids": text["decoder_input_ids"]}
    if config.model_type == "vit":
        return {"pixel_values": image(config)}
    if config.model_type == "clip":
        text["input_ids"][:, -1] = config.text_config.eos_token_id
        return text | {"pixel_values": image(config.vision_config)}
    return text


@contextlib.contextmanager
def experts_grouped(model: torch.nn.Module) -> Iterator[None]:
    """A mixture of experts by grouped products: gathering the weights of every token of a long pass takes more memory than there is."""
    before = getattr(model.config, "_experts_implementation", None)
    if before == "batched_mm":
        model.set_experts_implementation("grouped_mm")
    try:
        yield
    finally:
        if before == "batched_mm":
            model.set_experts_implementation(before)


def random_cache(cache: Any, batch: int) -> Any:
    """A cache filled by a pass of one sequence, made that of a batch: random numbers of the same size in the same places."""
    for layer in cache.layers:
        for name in ("keys", "values"):
            held = getattr(layer, name)
            made_up = torch.randn((batch, *held.shape[1:]), device=held.device, dtype=held.dtype)
            setattr(layer, name, made_up.mul_(held.std()))
    return cache


def tensor_bytes(tensors: Iterable[torch.Tensor]) -> int:
    """Of what the tensors stand in, memory that several share counted once."""
    found = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return sum(found.values())


class Pass:
    """One forward pass, or one decode step over a cache, that can be run again and again with the same effect."""

    def __init__(self, model: torch.nn.Module, batch: int, length: int, past: int = 0) -> None:
        self.model = model
        self._masks = PreparedMasks(model)
        self._past = None
        with torch.no_grad():
            if past:
                is_made_up = batch * past > LONGEST_FILL and not model.config.is_encoder_decoder
                with experts_grouped(model):
                    filled = model(**pass_inputs(model, 1 if is_made_up else batch, past), use_cache=True)
                self._past = random_cache(filled.past_key_values, batch) if is_made_up else filled.past_key_values
                self.inputs = pass_inputs(model, batch, 1)
                if model.config.is_encoder_decoder:
                    self.inputs = {"decoder_input_ids": self.inputs["decoder_input_ids"]}
                    self.inputs["encoder_outputs"] = transformers.modeling_outputs.BaseModelOutput(
                        last_hidden_state=filled.encoder_last_hidden_state)
                self.inputs["use_cache"] = True
            else:
                self.inputs = pass_inputs(model, batch, length)

    @property
    def cache_bytes(self) -> int:
        return tensor_bytes(held_tensors(self._past)) if self._past is not None else 0

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
