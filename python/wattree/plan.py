"""What the H200 dataset measures: which models at which sizes, in which precision, with which attention.

Models come from data/models. Sizes are "batch x length"; those of `DETAIL` are also taken apart, into modules and ops.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any


@dataclasses.dataclass(frozen=True)
class Item:
    """One pass of a model to measure."""

    model: str
    dtype: str = "bf16"
    attention: str = "sdpa"
    batch: int = 16
    length: int = 128
    past: int = 0  # Tokens in the cache of a decode step; then the length is 1.
    execution: str = "graph"
    overrides: tuple[tuple[str, Any], ...] = ()  # Of the config.
    repeat: int = 0  # 1 for measuring once more, at another time.

    @property
    def name(self) -> str:
        changed = "".join(f",{key}={value}" for key, value in self.overrides)
        size = f"{self.batch}x1+{self.past}" if self.past else f"{self.batch}x{self.length}"
        again = "" if not self.repeat else f"#{self.repeat}"
        return f"{self.model}{changed}/{self.dtype}/{self.attention}/{size}/{self.execution}{again}"


ANCHOR = Item("bert-base-uncased")

# The models of the IrEne paper, and the sizes each of them gets in every precision and attention.
IRENE = ("bert-base-uncased", "roberta-base", "distilbert-base-uncased", "gpt2", "distilgpt2", "openai-gpt")
WIDE = ((1, 32), (1, 128), (1, 512), (4, 64), (8, 32), (8, 128), (8, 512), (16, 64), (16, 128), (16, 256), (32, 32),
        (32, 128), (32, 256))
SOME = ((1, 128), (4, 256), (8, 64), (16, 128), (32, 128), (8, 512))
FEW = ((1, 64), (8, 128), (16, 128), (2, 512))
LONG = ((1, 1024), (2, 1024), (4, 1024), (8, 1024))

# Sizes of the others by model: (bf16 with sdpa, bf16 with eager attention, fp32 with sdpa).
SMALL_SIZES = ((1, 128), (4, 64), (8, 256), (16, 128), (16, 512), (32, 64), (32, 256))
LARGE_SIZES = ((1, 32), (1, 128), (2, 512), (4, 128), (8, 256), (16, 128), (1, 1024))
OTHERS = {
    "bert-tiny": (SMALL_SIZES, ((16, 128),), ((16, 128),)),
    "bert-mini": (SMALL_SIZES, ((16, 128),), ((16, 128),)),
    "bert-small": (SMALL_SIZES, ((16, 128),), ((16, 128),)),
    "bert-medium": (SMALL_SIZES, ((16, 128),), ((16, 128),)),
    "bert-large-uncased": (SMALL_SIZES, ((16, 128), (8, 256)), ((16, 128), (1, 128))),
    "roberta-large": (((1, 128), (8, 128), (16, 256)), (), ((8, 128),)),
    "albert-base-v2": (SMALL_SIZES, ((16, 128), (4, 256)), ((16, 128), (1, 128))),
    "electra-small-discriminator": (SMALL_SIZES, ((16, 128),), ((16, 128),)),
    "t5-small": (SMALL_SIZES, ((16, 128), (4, 256)), ((16, 128), (1, 128))),
    "t5-base": (((1, 128), (4, 256), (8, 128), (16, 128), (32, 64), (16, 256)), ((16, 128),), ((8, 128),)),
    "bart-base": (((1, 128), (4, 256), (8, 128), (16, 128), (32, 64), (16, 256)), ((16, 128),), ((8, 128),)),
    "opt-125m": (SMALL_SIZES + LONG[:2], ((16, 128), (4, 256)), ((16, 128), (1, 128))),
    "opt-1.3b": (LARGE_SIZES, ((16, 128),), ((2, 128),)),
    "gpt2-medium": (((1, 128), (4, 256), (8, 128), (16, 128), (32, 64), (2, 1024)), ((16, 128),), ((8, 128),)),
    "pythia-160m": (SMALL_SIZES, ((16, 128),), ((16, 128),)),
    "pythia-1b": (((1, 128), (4, 128), (16, 128), (2, 512), (8, 256), (1, 1024)), ((8, 128),), ((2, 128),)),
    "llama-3.2-1b": (LARGE_SIZES + ((32, 128), (8, 512), (4, 1024)), ((16, 128), (2, 512)), ((2, 128), (8, 128))),
    "llama-3.2-3b": (LARGE_SIZES, ((4, 128),), ()),
    "tinyllama-1.1b": (LARGE_SIZES, ((16, 128),), ()),
    "qwen2.5-0.5b": (LARGE_SIZES + ((8, 512), (32, 128)), ((16, 128), (2, 512)), ((4, 128), (16, 128))),
    "qwen2.5-1.5b": (LARGE_SIZES, ((8, 128),), ()),
    "qwen3-0.6b": (LARGE_SIZES, ((16, 128),), ((4, 128),)),
    "gemma-3-1b": (LARGE_SIZES, ((16, 128),), ((4, 128),)),
    "gemma-2b": (((1, 128), (4, 128), (8, 256), (16, 128), (2, 512), (1, 1024)), ((4, 128),), ()),
    "phi-1": (((1, 128), (4, 128), (8, 256), (16, 128), (2, 512), (1, 1024)), ((8, 128),), ()),
    "gpt-neo-125m": (((1, 128), (4, 256), (8, 128), (16, 128), (32, 64), (1, 1024)), ((16, 128),), ((8, 128),)),
    "modernbert-base": (((1, 128), (4, 64), (8, 256), (16, 128), (32, 64), (4, 1024)), ((16, 128),), ((8, 128),)),
    "bloom-560m": ((), ((1, 128), (4, 128), (8, 256), (16, 128), (2, 512), (1, 1024)), ()),
}
EAGER_ONLY = {"openai-gpt", "bloom-560m"}  # The framework has no fused attention for them.
LONGEST = {"bert": 512, "roberta": 512, "distilbert": 512, "electra": 512, "albert": 512, "openai": 512}


def longest(model: str) -> int:
    return LONGEST.get(model.split("-")[0], 1024)


def models() -> list[Item]:
    """Whole passes, captured as graphs."""
    items = []
    for model in IRENE:
        for dtype, attention, sizes in (("bf16", "sdpa", WIDE + LONG), ("bf16", "eager", SOME), ("fp32", "sdpa", SOME),
                                        ("fp32", "eager", FEW)):
            items += [Item(model, dtype, attention, b, s) for b, s in sizes]
    for model, (sdpa, eager, fp32) in OTHERS.items():
        items += [Item(model, "bf16", "sdpa", b, s) for b, s in sdpa]
        items += [Item(model, "bf16", "eager", b, s) for b, s in eager]
        items += [Item(model, "fp32", "sdpa", b, s) for b, s in fp32]
    # Figure 4 of the paper: 24 sizes of BERT.
    for layers in (2, 4, 6, 8, 10, 12):
        for hidden in (128, 256, 512, 768):
            overrides = (("num_hidden_layers", layers), ("hidden_size", hidden), ("num_attention_heads", hidden // 64),
                         ("intermediate_size", 4 * hidden))
            items.append(Item("bert-base-uncased", overrides=overrides))
    return sorted({_possible(item) for item in items if item.length <= longest(item.model)}, key=lambda item: item.name)


def _possible(item: Item) -> Item:
    if item.model in EAGER_ONLY and item.attention != "eager":
        return dataclasses.replace(item, attention="eager")
    return item


def repeats(count: int = 40, seed: int = 5) -> list[Item]:
    """Some whole passes once more, to know how well a measurement repeats."""
    chosen = random.Random(seed).sample(models(), count)
    return [dataclasses.replace(item, repeat=1) for item in chosen]


def eager_runs() -> list[Item]:
    """As a plain Python program runs them: every kernel launched by itself."""
    sizes = ((1, 128), (16, 128), (8, 512))
    names = ("bert-base-uncased", "distilbert-base-uncased", "gpt2", "llama-3.2-1b", "qwen2.5-0.5b", "t5-small", "opt-125m",
             "gemma-3-1b")
    items = [Item(model, "bf16", "sdpa", b, s, execution="eager") for model in names for b, s in sizes]
    return items + [Item(model, "fp32", "sdpa", 16, 128, execution="eager") for model in names[:4]]


def decodes() -> list[Item]:
    """One new token over a cache of keys and values."""
    items = []
    for model in ("gpt2", "distilgpt2", "gpt2-medium", "opt-125m", "opt-1.3b", "pythia-160m", "pythia-1b", "llama-3.2-1b",
                  "llama-3.2-3b", "tinyllama-1.1b", "qwen2.5-0.5b", "qwen2.5-1.5b", "qwen3-0.6b", "gemma-3-1b", "gemma-2b",
                  "phi-1", "t5-small", "bart-base"):
        limit = {"gpt2": 1023, "distilgpt2": 1023, "gpt2-medium": 1023, "bart-base": 1023, "opt-125m": 2047,
                 "opt-1.3b": 2047, "pythia-160m": 2047, "pythia-1b": 2047, "tinyllama-1.1b": 2047, "phi-1": 2047}.get(
                     model, 4096)
        for past in (128, 512, 1000, 2000, 4096):
            if past <= limit:
                items += [Item(model, "bf16", "sdpa", batch, 1, past) for batch in (1, 4, 16, 32)
                          if batch * past <= 65536]
        items += [Item(model, "bf16", "eager", 4, 1, 512), Item(model, "fp32", "sdpa", 4, 1, 512)]
    return items


def details() -> list[Item]:
    """Passes that are taken apart: their distinct modules and ops are measured by themselves."""
    items = []
    for model in (*IRENE, *OTHERS):
        items += [Item(model), Item(model, batch=1), Item(model, batch=8, length=256)]
    for model in (*IRENE, "bert-large-uncased", "t5-small", "opt-125m", "llama-3.2-1b", "qwen2.5-0.5b", "gemma-3-1b"):
        items.append(Item(model, attention="eager"))
    for model in (*IRENE, "t5-small", "opt-125m", "llama-3.2-1b"):
        items.append(Item(model, dtype="fp32", batch=8))
    for model in ("gpt2", "opt-125m", "llama-3.2-1b", "qwen2.5-0.5b", "gemma-3-1b", "t5-small"):
        items += [Item(model, batch=4, length=1, past=512), Item(model, batch=32, length=1, past=1000)]
    return sorted({_possible(item) for item in items if item.length <= longest(item.model)}, key=lambda item: item.name)


def smoke() -> list[Item]:
    """One of every kind, in about a minute."""
    return [
        Item("bert-base-uncased", attention="eager"), Item("bert-base-uncased", dtype="fp32"), Item("gpt2"),
        Item("gpt2", attention="eager"), Item("openai-gpt", attention="eager"), Item("t5-small"), Item("opt-125m"),
        Item("albert-base-v2"), Item("roberta-base"), Item("distilbert-base-uncased", batch=1), Item("bert-tiny"),
        Item("llama-3.2-1b"), Item("qwen2.5-0.5b", batch=8, length=512), Item("gemma-3-1b", batch=4),
        Item("llama-3.2-1b", batch=4, length=1, past=512), Item("bert-base-uncased", execution="eager"),
    ]
