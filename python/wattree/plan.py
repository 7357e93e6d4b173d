"""What the H200 dataset measures: which models at which sizes, in which precision, with which attention.

Models come from data/models. Sizes are "batch x length"; those of `DETAIL` are also taken apart, into modules and ops.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import math
import pathlib
import random
from typing import Any

from wattree.spec import LONG_NAMES, parse_tensor


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
    head: str = ""  # A class of the framework with a head; empty: the base model.

    @property
    def title(self) -> str:
        """The model as records call it: one with a head is another model."""
        return f"{self.model}:{self.head}" if self.head else self.model

    @property
    def name(self) -> str:
        changed = "".join(f",{key}={value}" for key, value in self.overrides)
        size = f"{self.batch}x1+{self.past}" if self.past else f"{self.batch}x{self.length}"
        again = "" if not self.repeat else f"#{self.repeat}"
        return f"{self.title}{changed}/{self.dtype}/{self.attention}/{size}/{self.execution}{again}"


ANCHOR = Item("bert-base-uncased")


def read_plan(path: pathlib.Path) -> list[tuple[str, Item]]:
    """The passes of a file, one as JSON a line: the fields of an Item, and its `kind`."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        kind = fields.pop("kind")
        if kind != "header":
            fields["overrides"] = tuple(fields.pop("overrides", {}).items())
            found.append((kind, Item(**fields)))
    return found


def plan_line(kind: str, item: Item) -> str:
    """A line of such a file: what differs from an Item's defaults, and its size always."""
    fields = {field.name: getattr(item, field.name) for field in dataclasses.fields(Item)
              if field.name in ("model", "batch", "length") or getattr(item, field.name) != field.default}
    return json.dumps({"kind": kind} | fields | ({"overrides": dict(item.overrides)} if item.overrides else {}))

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
HUGE_SIZES = ((1, 32), (1, 128), (4, 128), (1, 512), (8, 256), (4, 512))
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
    # Most of these run at the power limit.
    "t5-large": (HUGE_SIZES, (), ()),
    "gpt2-xl": (HUGE_SIZES, (), ()),
    "phi-2": (HUGE_SIZES, (), ()),
    "llama-2-7b": (HUGE_SIZES, ((2, 128),), ()),
    "qwen2.5-7b": (HUGE_SIZES, (), ()),
    "opt-6.7b": (HUGE_SIZES, (), ()),
    "pythia-6.9b": (HUGE_SIZES, (), ()),
    "llama-2-13b": (HUGE_SIZES, (), ()),
}
EAGER_ONLY = {"openai-gpt", "bloom-560m", "bloom-1b7", "gpt-neo-125m", "gpt-j-6b", "mpt-7b"}  # The framework has no fused attention for them.
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


def in_rounds(items: list[Item], seed: int) -> list[Item]:
    """One item of every model, then a second of every model, and so on, in random order within a round: wherever a session
    ends, what it has measured is balanced. Of a model, sizes in bf16 with sdpa come about twice as often as the others while
    they last, and 16 x 128 comes first."""
    chance = random.Random(seed)
    streams: dict[tuple, list[Item]] = collections.defaultdict(list)
    for item in sorted(items, key=lambda item: item.name):
        # Figure 4's models are one model of many sizes: three of them in every round.
        model = (item.model, item.overrides[0][1] % 3 if item.overrides else None, item.past > 0)
        streams[model, item.dtype, item.attention].append(item)
    turns: dict[tuple, list[tuple[float, Item]]] = collections.defaultdict(list)
    for (model, dtype, attention), stream in streams.items():
        chance.shuffle(stream)
        stream.sort(key=lambda item: (item.batch, item.length) != (16, 128) and not item.past)
        is_main = dtype == "bf16" and (attention == "sdpa" or model[0] in EAGER_ONLY)
        offset = {("fp32", "sdpa"): 0.4, ("bf16", "eager"): 0.6}.get((dtype, attention), 0.9)
        turns[model] += [(i / 2 if is_main else i + offset, item) for i, item in enumerate(stream)]
    rounds: dict[int, list[Item]] = collections.defaultdict(list)
    for waiting in turns.values():
        for number, (_, item) in enumerate(sorted(waiting, key=lambda turn: turn[0])):
            rounds[number].append(item)
    for items_of_round in rounds.values():
        chance.shuffle(items_of_round)
    return [item for number in sorted(rounds) for item in rounds[number]]


# Passes of which every single op is measured, so that their sum can be held against the whole.
WHOLE_TREES = (ANCHOR, Item("gpt2"), Item("llama-3.2-1b"), Item("t5-small"), Item("bert-base-uncased", dtype="fp32"),
               Item("bert-base-uncased", batch=1), Item("bert-base-uncased", dtype="fp32", batch=1), Item("t5-small", batch=1),
               Item("t5-small", dtype="fp32", batch=1), Item("gpt2", dtype="fp32"), Item("albert-base-v2", batch=1))


def ops_in_order(records: list[dict[str, Any]], first: set[str], seed: int) -> list[dict[str, Any]]:
    """Which ops to measure before which: those whose keys are in `first`; then one of every kind and size before a second of
    any; ops on integers, which cost next to nothing, last. Sizes differ by a factor of four in bytes or FLOPs."""
    chance = random.Random(seed)
    records = sorted(records, key=lambda record: record["node"])
    chance.shuffle(records)
    seen: collections.Counter[tuple] = collections.Counter()
    ranked: list[Any] = []
    for record in records:
        tensors = [parse_tensor(text) for text in (*record["outputs"], *record["inputs"])]
        elements = max((math.prod(shape) for _, shape, _ in tensors), default=1)
        kind = (record["op"]["name"], tensors[0][0] if tensors else "", round(math.log(max(elements, 1), 4)),
                round(math.log(record["flops"] + 1, 4)))
        is_minor = not (tensors and tensors[0][0] in FLOATING)
        ranked.append((record["node"] not in first, is_minor, seen[kind], len(ranked)))
        seen[kind] += 1
    return [records[rank[-1]] for rank in sorted(ranked)]


FLOATING = {name for short, name in LONG_NAMES.items() if short in ("f32", "bf16", "f16", "f64")}


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
                  "phi-1", "t5-small", "bart-base", "llama-2-7b", "qwen2.5-7b"):
        limit = {"gpt2": 1023, "distilgpt2": 1023, "gpt2-medium": 1023, "bart-base": 1023, "opt-125m": 2047,
                 "opt-1.3b": 2047, "pythia-160m": 2047, "pythia-1b": 2047, "tinyllama-1.1b": 2047, "phi-1": 2047}.get(
                     model, 4096)
        for past in (128, 512, 1000, 2000, 4096):
            if past <= limit:
                items += [Item(model, "bf16", "sdpa", batch, 1, past) for batch in (1, 4, 16, 32)
                          if batch * past <= 65536]
        items += [Item(model, "bf16", "eager", 4, 1, 512), Item(model, "fp32", "sdpa", 4, 1, 512)]
    return items


def halves() -> list[Item]:
    """In fp16, what was measured in bf16: do they differ?"""
    models = ("bert-base-uncased", "gpt2", "llama-3.2-1b", "qwen2.5-0.5b", "opt-125m", "pythia-160m", "t5-small", "gemma-2b")
    items = [Item(model, "fp16", "sdpa", batch, 128) for batch in (16, 1) for model in models]
    items += [Item("gpt2", "fp16", "eager"), Item("bert-base-uncased", "fp16", "sdpa", 8, 512)]
    return items + [Item(model, "fp16", "sdpa", 4, 1, 512) for model in ("gpt2", "llama-3.2-1b", "opt-125m")]


def unseen() -> list[Item]:
    """Models that no predictor is fitted to, most of them of families that have no other model here: a check."""
    small = ("xlm-roberta-base", "camembert-base", "electra-base-discriminator", "albert-large-v2", "opus-mt-en-de", "mt5-small",
             "bart-large", "gpt2-large", "pythia-410m", "opt-350m")
    large = ("mistral-7b-v0.1", "gpt-j-6b", "mpt-7b", "olmo-2-7b", "phi-3-mini-4k", "gemma-2-2b", "qwen3-8b", "llama-3-8b",
             "bloom-1b7")
    items = [Item(model, batch=batch, length=length) for model in small for batch, length in ((16, 128), (1, 128), (4, 384))]
    items += [Item(model, dtype="fp32", batch=8) for model in small[:5]]
    items += [Item(model, batch=batch, length=length) for model in large for batch, length in ((4, 128), (1, 512))]
    items += [Item(model, batch=8, length=1, past=1000) for model in large[:7]]
    return [_possible(item) for item in items]


def details() -> list[Item]:
    """Passes that are taken apart, the most telling ones first: their distinct modules are measured by themselves."""
    core = ("bert-base-uncased", "gpt2", "llama-3.2-1b", "t5-small", "opt-125m", "qwen2.5-0.5b", "openai-gpt",
            "distilbert-base-uncased", "gemma-3-1b", "albert-base-v2", "pythia-160m", "bart-base")
    rest = tuple(model for model in (*IRENE, *OTHERS) if model not in core)
    items = [Item(model) for model in core]
    items += [Item(model, batch=1) for model in core]
    items += [Item(model, dtype="fp32", batch=8) for model in core[:5]]
    items += [Item(model, attention="eager") for model in core[:6]]
    items += [Item(model, batch=4, length=1, past=512) for model in ("gpt2", "llama-3.2-1b", "qwen2.5-0.5b", "t5-small")]
    items += [Item(model, batch=8, length=256) for model in core]
    items += [Item(model) for model in rest]
    items += [Item(model, batch=32, length=1, past=1000) for model in ("gpt2", "opt-125m", "llama-3.2-1b", "gemma-3-1b")]
    items += [Item(model, batch=1) for model in rest]
    return list(dict.fromkeys(_possible(item) for item in items if item.length <= longest(item.model)))


def smoke() -> list[Item]:
    """One of every kind, in about a minute."""
    return [
        Item("bert-base-uncased", attention="eager"), Item("bert-base-uncased", dtype="fp32"), Item("gpt2"),
        Item("gpt2", attention="eager"), Item("openai-gpt", attention="eager"), Item("t5-small"), Item("opt-125m"),
        Item("albert-base-v2"), Item("roberta-base"), Item("distilbert-base-uncased", batch=1), Item("bert-tiny"),
        Item("llama-3.2-1b"), Item("qwen2.5-0.5b", batch=8, length=512), Item("gemma-3-1b", batch=4),
        Item("llama-3.2-1b", batch=4, length=1, past=512), Item("bert-base-uncased", execution="eager"),
    ]
