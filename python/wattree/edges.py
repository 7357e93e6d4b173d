"""What data/h200-edges measures: sizes at the edges of the other data, where predictions were found to be worst.

Passes of few tokens in fp32, passes of thousands of tokens, decode steps beyond a sliding window, prompts of few sequences for
mixtures of experts, and passes launched from Python; and by themselves products of few rows, and attention over long sequences.
No pass of data/h200-kinds-check or data/h200-edges-check is among them.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable
from typing import Any

from wattree.kinds import Call, attention_call, bert, changed, in_turns, linear, shuffled
from wattree.plan import Item

SEED = 23


def gpt2(width: int, heads: int, layers: int) -> dict[str, Any]:
    return changed("gpt2", n_embd=width, n_head=heads, n_layer=layers)


def neox(width: int, heads: int, layers: int) -> dict[str, Any]:
    return changed("pythia-160m", hidden_size=width, num_attention_heads=heads, intermediate_size=4 * width, num_hidden_layers=layers)


def llama(width: int, heads: int, groups: int, inner: int, layers: int) -> dict[str, Any]:
    return changed("llama-3.2-1b", hidden_size=width, num_attention_heads=heads, num_key_value_heads=groups, head_dim=width // heads,
                   intermediate_size=inner, num_hidden_layers=layers)


TINY = (bert(96, 4, 384, 4), bert(160, 5, 640, 4), bert(192, 3, 768, 6), bert(256, 4, 1024, 4), bert(320, 5, 1280, 3), bert(448, 8, 1536, 4),
        bert(512, 8, 2048, 4), bert(640, 10, 2560, 3), bert(1024, 16, 4096, 3), gpt2(128, 4, 4), gpt2(288, 6, 4), gpt2(512, 8, 4),
        neox(256, 8, 4), neox(384, 6, 4), neox(640, 8, 4), llama(192, 3, 1, 512, 4), llama(384, 6, 2, 1024, 4), llama(768, 12, 4, 2048, 4))
FEW_TOKENS = ((1, 4), (1, 10), (1, 18), (1, 25), (1, 40), (2, 24), (1, 64), (4, 22), (1, 100), (6, 30), (3, 80), (12, 24))


def tiny() -> list[Item]:
    """In fp32, of up to 300 tokens."""
    streams = [[Item(**model, dtype="fp32", batch=b, length=s) for b, s in shuffled(list(FEW_TOKENS), SEED + number)[:4]]
               for number, model in enumerate(TINY)]
    return in_turns(*streams)


LONG: tuple[tuple[str, dict[str, Any], tuple[tuple[int, int], ...]], ...] = (
        ("llama-3.2-1b", {}, ((1, 3500), (1, 5003), (1, 7000))), ("qwen2.5-0.5b", {}, ((1, 2500), (1, 6500), (2, 4001))),
        ("qwen3-0.6b", {}, ((1, 5501), (1, 7800))), ("modernbert-base", {}, ((1, 2400), (1, 5000), (1, 7500), (2, 3700))),
        ("qwen2.5-7b", {"num_hidden_layers": 3}, ((1, 3300), (1, 6100))), ("llama-2-7b", {"num_hidden_layers": 3}, ((1, 2700), (1, 4000))),
        ("gemma-3-1b", {}, ((1, 2300), (1, 4400))), ("gemma-2b", {"num_hidden_layers": 6}, ((1, 3600), (1, 7100))),
        ("pythia-160m", {}, ((1, 1900), (3, 1500))))


def long_passes() -> list[Item]:
    return in_turns(*([Item(**changed(model, **fields), batch=b, length=s) for b, s in sizes] for model, fields, sizes in LONG))


def windowed() -> list[Item]:
    """Decode steps over more tokens than a layer's window keeps."""
    def model(window: int, width: int, heads: int, groups: int) -> dict[str, Any]:
        return changed("mistral-7b-v0.1", sliding_window=window, hidden_size=width, num_attention_heads=heads, num_key_value_heads=groups,
                       intermediate_size=3 * width, head_dim=width // heads, num_hidden_layers=4)

    streams = [[Item(**model(window, width, heads, groups), batch=b, length=1, past=past) for b, past in sizes]
               for window, width, heads, groups, sizes in (
                   (1024, 2048, 32, 8, ((1, 1500), (4, 3000), (32, 2000))), (2048, 3072, 24, 8, ((2, 5000), (16, 2500), (1, 900))),
                   (3000, 2560, 20, 5, ((1, 7000), (8, 4000), (5, 12000))))]
    streams.append([Item("gemma-3-1b", batch=b, length=1, past=past) for b, past in ((1, 3000), (12, 1800))])
    return in_turns(*streams)


MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=1536, num_local_experts=8, num_experts_per_tok=2, intermediate_size=5120),
    changed("mixtral-8x7b", num_hidden_layers=2, num_local_experts=16, num_experts_per_tok=4, intermediate_size=6144),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=48, num_experts_per_tok=6),
    changed("qwen3-30b-a3b", num_hidden_layers=3),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=24, num_experts_per_tok=2),
)
FEW_SEQUENCES = ((1, 5), (1, 60), (4, 16), (1, 300), (12, 6), (2, 150), (1, 20), (8, 60))


def few_sequences() -> list[Item]:
    return in_turns(*([Item(**mixture, batch=b, length=s) for b, s in shuffled(list(FEW_SEQUENCES), SEED + number)[:6]]
                      for number, mixture in enumerate(MIXTURES)))


def launched() -> list[Item]:
    """As a plain Python program runs them, kernel by kernel."""
    passes = [Item(model, batch=b, length=s) for model in ("bert-base-uncased", "gpt2", "llama-3.2-1b", "t5-small", "opt-125m", "pythia-160m",
                                                           "modernbert-base", "qwen3-0.6b", "distilbert-base-uncased", "bart-base")
              for b, s in ((1, 32),)]
    passes += [Item("bert-large-uncased", batch=2, length=64), Item("bert-base-uncased", "fp32", batch=1, length=12),
               Item("gpt2", attention="eager", batch=1, length=20)]
    steps = [Item(model, batch=b, length=1, past=past) for model, b, past in (
        ("gpt2", 1, 200), ("llama-3.2-1b", 4, 400), ("qwen2.5-0.5b", 1, 150), ("gemma-3-1b", 2, 300), ("opt-1.3b", 1, 250), ("pythia-1b", 8, 120))]
    others = [Item(**MIXTURES[3], batch=1, length=40), Item(**MIXTURES[0], batch=2, length=1, past=200), Item("whisper-tiny", batch=1, length=6),
              Item("vit-base-patch16-224", batch=2, length=1), Item("gpt2", head="GPT2LMHeadModel", batch=1, length=30)]
    return [dataclasses.replace(item, execution="eager") for item in in_turns(passes, steps, others)]


def few_rows(device: str) -> list[Call]:
    """Products of fp32 with as many rows as a short sentence has tokens."""
    chance = random.Random(SEED)
    widths = ((96, 384), (144, 144), (160, 640), (256, 256), (256, 1024), (320, 320), (384, 384), (512, 512), (512, 2048), (768, 768),
              (768, 3072), (1024, 1024), (1024, 4096))
    sizes = [(rows, *pair[::turn]) for rows, pair, turn in itertools.product((2, 6, 12, 20, 28, 40, 60, 90), widths, (1, -1))]
    return [linear("fp32", rows, outer, inner, has_bias=chance.random() < 0.6) for rows, outer, inner in sizes]


def long_attention(device: str) -> list[Call]:
    """Over thousands of tokens, as single sequences have it."""
    sizes = itertools.product(((32, 8, 64), (16, 16, 64), (14, 2, 64), (32, 32, 128), (28, 4, 128), (8, 1, 256), (12, 12, 64), (16, 8, 128)),
                              (1300, 2500, 3000, 4200, 6001, 8000), ("causal", "full"))
    return [attention_call(device, "bf16", 1, (heads, groups), (length, length), size, kind)
            for (heads, groups, size), length, kind in sizes if not (device == "cpu" and length > 1300)]


PASS_EDGES: dict[str, Callable[[], list[Item]]] = {"tiny": tiny, "long_passes": long_passes, "windowed": windowed,
                                                   "few_sequences": few_sequences, "launched": launched}
OP_EDGES: dict[str, Callable[[str], list[Call]]] = {"few_rows": few_rows, "long_attention": long_attention}
