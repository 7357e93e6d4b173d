"""What data/h200-kinds measures: passes and ops of the kinds that data/h200 has few or none of.

Mixtures of experts, heads, products by the alignment of their sizes, convolutions, attention by the size of heads, decode steps over
caches of any length, small models in fp32 and TF32, odd lengths, and passes launched from Python. Models that only checks may see
(data/h200-check, and the plan of data/h200-kinds-check) are in none of them.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional as F

from wattree.nodes import Node
from wattree.plan import Item
from wattree.trace import OpCall, trace

SEED = 11
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32, "tf32": torch.float32}


def shuffled(values: list, seed: int = SEED) -> list:
    return random.Random(seed).sample(values, len(values))


def in_turns(*streams: list) -> list:
    """One of each in turn while they last."""
    rounds = itertools.zip_longest(*streams)
    return [value for values in rounds for value in values if value is not None]


# Passes.

def changed(model: str, **overrides: Any) -> dict[str, Any]:
    return {"model": model, "overrides": tuple(overrides.items())}


# True widths and few layers: what a layer takes does not depend on how many there are.
MIXTRAL = changed("mixtral-8x7b", num_hidden_layers=2)
QWEN_MOE = changed("qwen1.5-moe-a2.7b", num_hidden_layers=3)
QWEN3_MOE = changed("qwen3-30b-a3b", num_hidden_layers=3)
MIXTURES = (MIXTRAL, QWEN3_MOE, QWEN_MOE)
OTHER_MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, num_local_experts=4, num_experts_per_tok=1),
    changed("mixtral-8x7b", num_hidden_layers=2, num_local_experts=16, intermediate_size=3584),
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=1024, num_local_experts=32, num_experts_per_tok=4,
            intermediate_size=2048),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=32, num_experts_per_tok=2),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=64, num_experts_per_tok=6, moe_intermediate_size=1024),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=16, num_experts_per_tok=8),
)


def batched(mixture: dict[str, Any]) -> dict[str, Any]:
    """With the experts' weights gathered for every token, as the framework decodes."""
    return mixture | {"overrides": (*mixture["overrides"], ("experts_implementation", "batched_mm"))}


def most_gathered(mixture: dict[str, Any]) -> int:
    """Tokens whose experts' weights can all be gathered at once."""
    return 8 if mixture["model"] == "mixtral-8x7b" else 64


def experts() -> list[Item]:
    sizes = ((1, 128), (1, 1), (16, 128), (1, 32), (4, 512), (1, 7), (8, 128), (1, 2048), (4, 64), (1, 512), (8, 1024), (2, 4096), (8, 512))
    grouped = [[Item(**mixture, batch=b, length=s) for b, s in sizes] for mixture in MIXTURES]
    others = [[Item(**mixture, batch=b, length=s) for b, s in ((1, 100), (8, 128), (1, 9), (4, 1000), (1, 1))]
              for mixture in OTHER_MIXTURES]
    gathered = [[Item(**batched(mixture), batch=b, length=s) for b, s in ((1, 1), (1, 6), (2, 16)) if b * s <= most_gathered(mixture)]
                for mixture in MIXTURES]
    looped = [[Item(**changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, experts_implementation="eager"), batch=b, length=s,
                    execution="eager") for b, s in ((1, 16), (8, 128))]]
    whole = [[Item("qwen1.5-moe-a2.7b"), Item("qwen1.5-moe-a2.7b", batch=1)]]
    return in_turns(*grouped, *others, *gathered, *looped, *whole)


def expert_steps() -> list[Item]:
    streams = []
    for mixture in (*MIXTURES, OTHER_MIXTURES[1], OTHER_MIXTURES[3], OTHER_MIXTURES[5]):
        batches = (1, 16, 4, 64, 256, 2, 32, 8, 128) if mixture in MIXTURES else (1, 8, 100)
        steps = [Item(**mixture, batch=b, length=1, past=500) for b in batches]
        steps += [Item(**mixture, batch=b, length=1, past=past) for b, past in ((1, 16), (16, 4000))]
        streams.append(steps)
        streams.append([Item(**batched(mixture), batch=b, length=1, past=500) for b in batches
                        if b <= most_gathered(mixture)])
    whole = [Item("qwen1.5-moe-a2.7b", batch=b, length=1, past=500) for b in (1, 16)]
    return in_turns(*streams, whole)


HEADS = (
    ("gpt2", "GPT2LMHeadModel"), ("bert-base-uncased", "BertForMaskedLM"), ("qwen2.5-0.5b", "Qwen2ForCausalLM"),
    ("t5-small", "T5ForConditionalGeneration"), ("opt-125m", "OPTForCausalLM"), ("llama-3.2-1b", "LlamaForCausalLM"),
    ("bart-base", "BartForConditionalGeneration"), ("roberta-base", "RobertaForMaskedLM"), ("distilgpt2", "GPT2LMHeadModel"),
    ("pythia-160m", "GPTNeoXForCausalLM"), ("gemma-3-1b", "Gemma3ForCausalLM"), ("distilbert-base-uncased", "DistilBertForMaskedLM"),
)
ANSWERS = (("bert-base-uncased", "BertForSequenceClassification"), ("bert-base-uncased", "BertForQuestionAnswering"),
           ("distilbert-base-uncased", "DistilBertForTokenClassification"))
DECODERS = {"gpt2", "qwen2.5-0.5b", "opt-125m", "llama-3.2-1b", "distilgpt2", "pythia-160m", "gemma-3-1b"}


def heads() -> list[Item]:
    streams = []
    for model, head in HEADS:
        items = [Item(model, head=head, batch=b, length=s) for b, s in ((16, 128), (1, 128), (4, 100), (8, 512))]
        if model in DECODERS:
            items += [Item(model, head=head, batch=b, length=1, past=past) for b, past in ((1, 100), (24, 500))]
        items += [Item(model, "fp32", head=head, batch=4, length=64)]
        streams.append(items)
    streams += [[Item(model, head=head, batch=b, length=s) for b, s in ((16, 128), (1, 50))] for model, head in ANSWERS]
    # The same head with other vocabularies.
    for model, head, sizes in (("gpt2", "GPT2LMHeadModel", (50258, 50260, 50264, 50304)),
                               ("llama-3.2-1b", "LlamaForCausalLM", (32001, 32000, 49153)),
                               ("qwen2.5-0.5b", "Qwen2ForCausalLM", (151643, 151937))):
        streams.append([Item(**changed(model, vocab_size=size), head=head, batch=b, length=s) for size in sizes
                        for b, s in ((16, 128), (1, 128))])
    return in_turns(*streams)


STEPS = (
    # Model, layers (0: all), longest cache, bytes of the cache for a token.
    ("llama-3.2-1b", 0, 32768, 32768), ("gpt2", 0, 1023, 36864), ("qwen2.5-0.5b", 0, 32768, 12288), ("llama-2-7b", 4, 4000, 65536),
    ("qwen2.5-7b", 4, 32768, 8192), ("gemma-2b", 6, 8000, 6144), ("pythia-1b", 0, 2047, 131072), ("llama-3.2-3b", 6, 32768, 24576),
    ("opt-1.3b", 6, 2047, 49152),
)
CACHES = (16, 64, 200, 511, 1000, 2047, 4000, 8000, 16384, 32768)
STEP_BATCHES = (1, 2, 5, 8, 16, 24, 64, 128, 256)
CACHE_BYTES = 12 << 30


def steps() -> list[Item]:
    streams: list[Any] = []
    for model, layers, longest, size in STEPS:
        overrides = (("num_hidden_layers", layers),) if layers else ()
        pairs = [(b, past) for b in STEP_BATCHES for past in CACHES if past <= longest and b * past * size <= CACHE_BYTES]
        # Batch 1 at every length, and of the others as many.
        alone = [pair for pair in pairs if pair[0] == 1]
        others = shuffled([pair for pair in pairs if pair[0] > 1], SEED + len(streams))
        chosen = in_turns(others, shuffled(alone))[:2 * len(alone) + 4]
        streams.append([Item(model, overrides=overrides, batch=b, length=1, past=past) for b, past in chosen])
    return in_turns(*streams)


def fronts() -> list[Item]:
    """Speech and images: convolutions, then layers over lengths that no text has."""
    streams = []
    for model in ("whisper-tiny", "whisper-base", "whisper-large-v3"):
        sizes = ((1, 4), (8, 32), (4, 100), (16, 7), (2, 448)) if model != "whisper-large-v3" else ((1, 4), (4, 32), (2, 100))
        streams.append([Item(model, batch=b, length=s) for b, s in sizes])
        streams.append([Item(**changed(model, max_source_positions=frames), batch=b, length=8)
                        for frames, b in ((100, 4), (749, 3), (1000, 2), (333, 8))])
    streams.append([Item(model, "fp32", batch=b, length=16) for model in ("whisper-tiny", "whisper-base") for b in (1, 4)])
    streams.append([Item("whisper-tiny", head="WhisperForConditionalGeneration", batch=b, length=s) for b, s in ((1, 4), (4, 100))])
    streams.append([Item("vit-base-patch16-224", batch=b, length=1) for b in (1, 3, 8, 32, 64)])
    streams.append([Item(**changed("vit-base-patch16-224", image_size=size, patch_size=patch), batch=b, length=1)
                    for size, patch, b in ((384, 16, 4), (160, 16, 16), (224, 32, 32), (224, 8, 2))])
    streams.append([Item("vit-base-patch16-224", "fp32", batch=b, length=1) for b in (1, 8)])
    streams.append([Item("vit-base-patch16-224", head="ViTForImageClassification", batch=16, length=1)])
    return in_turns(*streams)


def bert(hidden: int, heads: int, inner: int, layers: int) -> dict[str, Any]:
    return changed("bert-base-uncased", hidden_size=hidden, num_attention_heads=heads, intermediate_size=inner,
                   num_hidden_layers=layers)


TINY = ({"model": "bert-tiny"}, {"model": "bert-mini"}, {"model": "bert-small"}, {"model": "electra-small-discriminator"},
        {"model": "distilbert-base-uncased"}, {"model": "t5-small"}, {"model": "gpt2"}, bert(312, 12, 1200, 4), bert(384, 12, 1536, 6),
        bert(100, 4, 400, 3), bert(200, 5, 810, 4))
TINY_SIZES = ((1, 8), (7, 33), (32, 100), (2, 128), (128, 16), (1, 50), (16, 64), (64, 128), (4, 500))


def small() -> list[Item]:
    streams = [[Item(**model, dtype="fp32", batch=b, length=s) for b, s in shuffled(list(TINY_SIZES), number)[:6]]
               for number, model in enumerate(TINY)]
    odd = [[Item(**model, batch=b, length=s) for b, s in shuffled(list(TINY_SIZES), number)[5:8]]
           for number, model in enumerate(TINY[7:])]
    return in_turns(*streams, *odd)


def small_tf32() -> list[Item]:
    streams = [[Item(**model, dtype="tf32", batch=b, length=s) for b, s in shuffled(list(TINY_SIZES), 50 + number)[:3]]
               for number, model in enumerate(TINY)]
    return in_turns(*streams)


LENGTHS = (3, 5, 7, 13, 17, 31, 33, 50, 61, 77, 97, 127, 129, 193, 251, 257, 383, 509, 512, 521, 769, 1021, 1024, 2039, 2048, 4093, 4096,
           8191, 8192)
BATCHES = (1, 2, 3, 5, 7, 12, 24, 48, 64, 96, 128, 200, 256)
# Model, longest length, most tokens.
PASSES = (("bert-base-uncased", 512, 32768), ("llama-3.2-1b", 8192, 16384), ("gpt2", 1024, 32768), ("qwen2.5-0.5b", 8192, 16384),
          ("t5-small", 1024, 32768), ("modernbert-base", 8192, 16384), ("pythia-160m", 2048, 32768), ("distilbert-base-uncased", 512, 32768),
          ("qwen3-0.6b", 8192, 16384), ("electra-small-discriminator", 512, 65536), ("gemma-3-1b", 4096, 8192),
          ("opt-125m", 2048, 32768), ("bart-base", 1024, 32768), ("albert-base-v2", 512, 32768))


def lengths() -> list[Item]:
    streams = []
    for number, (model, longest, most) in enumerate(PASSES):
        pairs = [(b, s) for b in BATCHES for s in LENGTHS if s <= longest and b * s <= most]
        chance = random.Random(SEED + number)
        # Every length as likely as any other, although few batches go with long ones.
        chosen: list[tuple[int, int]] = []
        for length in chance.sample([s for s in LENGTHS if s <= longest], k=min(12, sum(s <= longest for s in LENGTHS))):
            chosen.append(chance.choice([pair for pair in pairs if pair[1] == length]))
        streams.append([Item(model, batch=b, length=s) for b, s in chosen])
    return in_turns(*streams)


def eager() -> list[Item]:
    """As a plain Python program runs them, kernel by kernel."""
    plain = [Item(model, batch=b, length=s) for model in ("bert-base-uncased", "gpt2", "llama-3.2-1b", "t5-small", "bert-tiny", "pythia-160m",
                                                          "modernbert-base", "qwen3-0.6b") for b, s in ((1, 16), (4, 100))]
    steps_ = [Item(model, batch=b, length=1, past=past) for model in ("gpt2", "llama-3.2-1b", "qwen2.5-0.5b", "gemma-3-1b")
              for b, past in ((1, 100), (16, 500))]
    others = [Item(**QWEN3_MOE, batch=1, length=100), Item(**MIXTRAL, batch=4, length=1, past=500),
              Item(**batched(QWEN3_MOE), batch=4, length=1, past=500), Item("whisper-tiny", batch=1, length=4),
              Item("vit-base-patch16-224", batch=1, length=1), Item("gpt2", head="GPT2LMHeadModel", batch=1, length=64),
              Item("bert-mini", "fp32", batch=2, length=50), Item("gpt2", attention="eager", batch=2, length=50)]
    return [dataclasses.replace(item, execution="eager") for item in in_turns(plain, steps_, others)]


# Ops.

@dataclasses.dataclass(frozen=True)
class Call:
    """A function and what to call it with: tensors of no content, or what makes real ones. How its ops are measured."""

    function: Callable[..., Any]
    tensors: list[torch.Tensor] | Callable[[], list[torch.Tensor]]
    cache: str = "in_place"
    dtype: str = ""  # tf32, where that is meant.


def meta(dtype: str, *shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=TYPES[dtype], device="meta")


# Experts, those of a token, width, and twice the inner width: as published mixtures have them, and smaller ones.
EXPERTS = ((8, 2, 4096, 28672), (128, 8, 2048, 1536), (60, 4, 2048, 2816), (64, 8, 2048, 2048), (16, 2, 4096, 12800), (32, 4, 2880, 5760),
           (64, 6, 2048, 2816), (4, 1, 1024, 4096), (16, 1, 512, 2048), (256, 8, 1024, 512))
TOKENS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8000)


def grouped(device: str) -> list[Call]:
    def product(rows: torch.Tensor, weight: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        return F.grouped_mm(rows, weight.transpose(1, 2), offs=ends)

    found = []
    for (count, most, width, inner), tokens in itertools.product(EXPERTS, TOKENS):
        ends = torch.empty((count,), dtype=torch.int32, device="meta")
        for wide, narrow in ((inner, width), (width, inner // 2)):
            if 2 * tokens * most * wide * narrow < 8e12:
                found.append(Call(product, [meta("bf16", tokens * most, narrow), meta("bf16", count, wide, narrow), ends]))
    return found


def gathered(device: str) -> list[Call]:
    """The batched way: weights gathered for every row, and a product of a matrix and a vector for each."""
    found = []
    for (count, most, width, inner), tokens in itertools.product(EXPERTS, (1, 2, 4, 8, 16, 32, 64)):
        rows = tokens * most
        for wide, narrow in ((inner, width), (width, inner // 2)):
            if 2 * rows * wide * narrow <= 4 << 30:
                numbers = torch.empty((rows,), dtype=torch.int64, device="meta")
                found.append(Call(lambda weight, i: weight[i], [meta("bf16", count, wide, narrow), numbers]))
                found.append(Call(torch.bmm, [meta("bf16", rows, wide, narrow), meta("bf16", rows, narrow, 1)]))
    return found


VOCABULARIES = (50257, 50258, 50260, 50264, 50265, 50272, 50304, 30522, 32000, 32001, 51865, 51866, 128256, 151643, 151936, 250002, 250112,
                256000)


def linear(dtype: str, rows: int, outer: int, inner: int, has_bias: bool = False, tf32: bool = False) -> Call:
    tensors = [meta(dtype, rows, inner), meta(dtype, outer, inner)] + ([meta(dtype, outer)] if has_bias else [])
    return Call(F.linear, tensors, dtype="tf32" if tf32 else "")


def head_products(device: str) -> list[Call]:
    sizes = itertools.product(VOCABULARIES, (512, 768, 1024, 2048, 4096), (1, 4, 16, 100, 128, 512, 2048))
    found = [linear("bf16", rows, vocabulary, width) for vocabulary, width, rows in sizes
             if rows * vocabulary * 2 <= 1 << 30 and 2 * rows * vocabulary * width < 4e12]
    found += [linear("bf16", rows, 50257, 768) for rows in (1, 3, 8, 30, 64, 128, 256, 1000, 2048, 4096)]
    found += [linear("fp32", rows, vocabulary, 768) for vocabulary in (50257, 30522, 50304) for rows in (1, 16, 128, 512)]
    return found


BASES = ((512, 3072, 768), (128, 768, 768), (2048, 2048, 2048), (16, 4096, 4096), (1, 3072, 768), (64, 1024, 4096), (1024, 512, 512),
         (4096, 768, 3072), (8, 11008, 4096), (256, 8192, 1024), (4, 2048, 8192))
ALIGNMENTS = (1, 2, 4, 8, 16, 64)


def products(device: str) -> list[Call]:
    """Of every base one size at a time made a multiple of just so much."""
    found = []
    for number, (base, align) in enumerate(itertools.product(BASES, ALIGNMENTS)):
        for place in range(3):
            if base[place] >= 64:
                rows, outer, inner = (size - align * (i == place) for i, size in enumerate(base))
                found.append(linear("bf16", rows, outer, inner, has_bias=(number + place) % 2 == 0))
        if base[0] >= 64 and align < 8:
            rows, outer, inner = (size - align for size in base)
            found.append(linear("bf16", rows, outer, inner))
    found += [linear("bf16", rows, outer, inner) for rows in (3, 5, 7, 9, 13, 17, 31, 33, 61, 100)
              for outer, inner in ((768, 768), (3072, 768), (4096, 4096), (2048, 8192))]
    found += [linear("fp16", 512, 3072 - a, 768) for a in ALIGNMENTS] + [linear("fp16", 128, 768, 768 - a) for a in ALIGNMENTS]
    return found


def skewed(device: str) -> list[Call]:
    found = [linear("bf16", rows, outer, inner, has_bias=True) for rows in (1, 16, 128, 2048, 16384)
             for outer in (1, 2, 3, 10, 33, 128) for inner in (768, 4096)]
    found += [linear("bf16", rows, outer, inner) for rows in (16, 512, 8192) for outer in (64, 512, 2048)
              for inner in (3, 8, 16, 30, 80)]
    found += [linear("bf16", rows, outer, inner) for rows in (16384, 65536) for outer, inner in ((128, 128), (512, 64), (64, 512), (77, 130))]
    return found


def batched_products(dtype: str, tf32: bool = False) -> list[Call]:
    found = []
    lengths_ = (3, 7, 17, 33, 50, 77, 127, 129, 197, 257, 500, 577, 1023)
    sizes = itertools.product((1, 8, 12, 96, 192), lengths_, (25, 32, 40, 64, 80, 128))
    for count, length, size in sizes:
        if count * length * length <= 1 << 26:
            heads_ = meta(dtype, count, length, size)
            mark = "tf32" if tf32 else ""
            found.append(Call(lambda q: torch.bmm(q, q.transpose(1, 2)), [heads_], dtype=mark))
            found.append(Call(torch.bmm, [meta(dtype, count, length, length), heads_], dtype=mark))
    return found


SINGLE = ((64, 64), (100, 400), (128, 128), (128, 512), (256, 256), (312, 1200), (384, 1536), (512, 2048), (768, 768), (30, 1000), (1000, 10),
          (768, 2), (512, 1000), (80, 384), (768, 3072), (200, 810), (1024, 1024), (2048, 512))
SINGLE_ROWS = (1, 3, 8, 17, 50, 128, 333, 1024, 5000)


def single_products(tf32: bool) -> list[Call]:
    sizes = itertools.product(SINGLE_ROWS, SINGLE)
    return [linear("fp32", rows, outer, inner, has_bias=(rows + inner) % 2 == 0, tf32=tf32) for rows, (inner, outer) in sizes]


def single(device: str) -> list[Call]:
    rows = []
    for count, width in ((3, 100), (50, 312), (128, 384), (1000, 200), (7, 768), (4096, 128), (2000, 77)):
        x, weight = meta("fp32", count, width), meta("fp32", width)
        rows += [Call(lambda x, w, width=width: F.layer_norm(x, (width,), w, w), [x, weight]), Call(F.gelu, [x]), Call(torch.add, [x, x]),
                 Call(lambda x: F.softmax(x, -1), [x]), Call(lambda x: x.t().contiguous(), [x]), Call(torch.tanh, [x])]
    return in_turns(shuffled(single_products(False)), shuffled(rows), shuffled(batched_products("fp32"))[:60])


def single_tf32(device: str) -> list[Call]:
    return in_turns(shuffled(single_products(True)), shuffled(single_products(True), 3), shuffled(batched_products("fp32", True))[:60])


def odd_batched(device: str) -> list[Call]:
    return batched_products("bf16")


# Channels in and out, kernel, stride, padding, groups, and the lengths (or sides) that it sees.
CONV1D = (
    (80, 384, 3, 1, 1, 1, (3000, 1000, 200, 1501)), (384, 384, 3, 2, 1, 1, (3000, 1000, 199)), (80, 512, 3, 1, 1, 1, (3000, 777)),
    (512, 512, 3, 2, 1, 1, (3000, 500)), (128, 1280, 3, 1, 1, 1, (3000, 600)), (1280, 1280, 3, 2, 1, 1, (3000, 600)),
    (80, 768, 3, 1, 1, 1, (3000,)), (768, 768, 3, 2, 1, 1, (3000, 1499)),
    # wav2vec 2.0's, from samples to frames, and its positions.
    (1, 512, 10, 5, 0, 1, (16000, 80000, 160001)), (512, 512, 3, 2, 0, 1, (3199, 15999)), (512, 512, 2, 2, 0, 1, (799, 1599)),
    (768, 768, 128, 1, 64, 16, (49, 499)),
    # A Conformer's.
    (512, 512, 31, 1, 15, 512, (100, 499)), (256, 256, 1, 1, 0, 1, (499,)),
)
CONV2D = (
    (3, 768, 16, 16, 0, 1, (224, 384, 160)), (3, 768, 32, 32, 0, 1, (224,)), (3, 1024, 14, 14, 0, 1, (224, 336)),
    (3, 192, 16, 16, 0, 1, (224,)), (3, 64, 7, 2, 3, 1, (224,)), (64, 64, 3, 1, 1, 1, (56,)), (128, 128, 3, 2, 1, 1, (56,)),
    (256, 256, 3, 1, 1, 1, (14,)), (96, 96, 7, 1, 3, 96, (56,)), (1, 256, 3, 2, 0, 1, (80,)), (3, 96, 4, 4, 0, 1, (224,)),
    (3, 1280, 14, 14, 0, 1, (448,)),
)


def convolutions(device: str) -> list[Call]:
    found = []
    for function, rank, table in ((F.conv1d, 1, CONV1D), (F.conv2d, 2, CONV2D)):
        for inner, outer, kernel, stride, padding, groups, sides in table:
            for side, batch, dtype in itertools.product(sides, (1, 2, 4, 16, 64), ("bf16", "fp32")):
                reach = (side + 2 * padding - kernel) // stride + 1
                if batch * max(outer * reach**rank, inner * side**rank) > 1 << 28 or dtype == "fp32" and batch > 16:
                    continue
                tensors = [meta(dtype, batch, inner, *rank * (side,)), meta(dtype, outer, inner // groups, *rank * (kernel,)),
                           meta(dtype, outer)]
                found.append(Call(lambda x, w, b, f=function, s=stride, p=padding, g=groups: f(x, w, b, stride=s, padding=p, groups=g), tensors))
    return found


HEAD_SIZES = (32, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192, 256)
ATTENDED = (3, 7, 16, 33, 64, 100, 127, 197, 256, 333, 512, 577, 1000, 1500, 2048, 4096, 8192)


def heads_of(dtype: str, device: str, batch: int, heads_: int, length: int, size: int) -> torch.Tensor:
    """As models have them: heads side by side in every token."""
    return torch.empty((batch, length, heads_, size), dtype=TYPES[dtype], device=device).transpose(1, 2)


def attention_call(device: str, dtype: str, batch: int, heads_: tuple[int, int], lengths_: tuple[int, int], size: int, kind: str) -> Call:
    def tensors() -> list[torch.Tensor]:
        query = heads_of(dtype, device, batch, heads_[0], lengths_[0], size)
        key, value = (heads_of(dtype, device, batch, heads_[1], lengths_[1], size) for _ in range(2))
        mask = torch.zeros((batch, 1, *lengths_), dtype=TYPES[dtype], device=device)
        return [query, key, value, *([mask] if kind == "masked" else [])]

    def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=kind == "causal",
                                              enable_gqa=heads_[0] != heads_[1])

    return Call(attend, tensors)


def attention(device: str) -> list[Call]:
    """What kernel it takes depends on the device, so these are asked of it."""
    chance = random.Random(SEED)
    found = []
    for number in range(400):
        size, length = HEAD_SIZES[number % len(HEAD_SIZES)], chance.choice(ATTENDED)
        heads_ = chance.choice(((12, 12), (8, 8), (32, 8), (16, 16), (14, 2), (32, 4), (8, 1), (40, 40), (6, 6), (1, 1)))
        dtype = chance.choices(("bf16", "fp32", "fp16"), (70, 22, 8))[0]
        kind = chance.choices(("full", "causal", "masked"), (40, 40, 20))[0]
        batch = chance.choice((1, 2, 4, 16, 32, 128))
        work = 4.0 * batch * heads_[0] * length**2 * size
        if work > (4e12 if dtype != "fp32" else 2e11) or batch * heads_[0] * length * size > 1 << 28:
            continue
        if device == "cpu" and batch * length > 512:
            continue
        found.append(attention_call(device, dtype, batch, heads_, (length, length), size, kind))
    return found


def step_attention(device: str) -> list[Call]:
    """One new token's, over a cache that comes from memory, and crossed ones."""
    chance = random.Random(SEED + 1)
    found = []
    for _ in range(200):
        heads_, size = chance.choice((((32, 8), 64), ((12, 12), 64), ((14, 2), 64), ((32, 32), 128), ((28, 4), 128), ((8, 1), 256), ((24, 8), 128),
                                      ((32, 8), 128), ((16, 16), 80)))
        batch, past = chance.choice((1, 1, 2, 8, 16, 64, 128, 256)), chance.choice((16, 64, 200, 511, 1000, 2047, 4000, 8000, 16384, 32768))
        if 4 * batch * heads_[1] * past * size > 2 << 30 or device == "cpu" and batch * past > 512:
            continue
        call = attention_call(device, "bf16", batch, heads_, (1, past + 1), size, "full")
        found.append(dataclasses.replace(call, cache=chance.choice(("cold", "in_place"))))
    return found


def losses(device: str) -> list[Call]:
    """What follows a head: losses, probabilities and choices over a vocabulary."""
    found = []
    for tokens, vocabulary in itertools.product((1, 16, 128, 1000, 4096), (30522, 50257, 128256, 256000)):
        if tokens * vocabulary > 1 << 28:
            continue
        scores, labels = meta("fp32", tokens, vocabulary), torch.empty((tokens,), dtype=torch.int64, device="meta")
        found += [Call(F.cross_entropy, [scores, labels]), Call(lambda s: F.softmax(s, -1), [scores]),
                  Call(lambda s: s.argmax(-1), [meta("bf16", tokens, vocabulary)]), Call(lambda s: torch.topk(s, 50)[0], [scores]),
                  Call(lambda s: s.float(), [meta("bf16", tokens, vocabulary)])]
    return found


def ops_of(calls: list[Call]) -> Iterator[tuple[OpCall, Call]]:
    nothing = torch.nn.Module()
    seen = set()
    for call in calls:
        tensors = call.tensors() if callable(call.tensors) else call.tensors
        for op in trace(nothing, lambda: call.function(*tensors)).ops:
            if (op.key, call.cache, call.dtype) not in seen:
                seen.add((op.key, call.cache, call.dtype))
                yield op, call


# Parts of passes.

def is_of_experts(node: Node) -> bool:
    return "mlp" in node.scope


def is_of_front(node: Node) -> bool:
    return node.type in ("WhisperEncoder", "WhisperEncoderLayer", "WhisperDecoderLayer", "ViTEmbeddings", "ViTPatchEmbeddings", "ViTLayer")


EXPERT_PARTS = tuple(Item(**mixture, batch=b, length=s) for b, s in ((1, 128), (1, 1), (8, 128), (2, 1000)) for mixture in MIXTURES) + tuple(
    Item(**batched(mixture), batch=b, length=1, past=100) for b in (1, 8) for mixture in MIXTURES)
EXPERT_OPS = (Item(**QWEN3_MOE, batch=8, length=128), Item(**MIXTRAL, batch=1, length=1),
              Item(**batched(QWEN_MOE), batch=8, length=1, past=100), Item(**MIXTRAL, batch=4, length=512))
FRONT_PARTS = (Item("whisper-tiny", batch=1, length=4), Item("whisper-base", batch=4, length=16), Item("whisper-large-v3", batch=1, length=4),
               Item("whisper-tiny", "fp32", batch=2, length=8), Item("vit-base-patch16-224", batch=8, length=1))

# Passes whose launches are timed, each with its modules and ops.
LAUNCHED = (
    Item("bert-base-uncased", batch=1, length=16), Item("gpt2", batch=1, length=1, past=100), Item("llama-3.2-1b", batch=1, length=1, past=100),
    Item("t5-small", batch=1, length=16), Item(**QWEN3_MOE, batch=1, length=8), Item(**batched(QWEN3_MOE), batch=1, length=1, past=100),
    Item("bert-base-uncased", "fp32", batch=1, length=16), Item("gpt2", attention="eager", batch=1, length=16),
    Item("whisper-tiny", batch=1, length=4), Item("vit-base-patch16-224", batch=1, length=1), Item("gemma-3-1b", batch=1, length=16),
    Item("opt-125m", batch=1, length=16), Item("pythia-160m", batch=1, length=16), Item("modernbert-base", batch=1, length=16),
    Item("distilbert-base-uncased", batch=1, length=16), Item("qwen2.5-0.5b", batch=1, length=1, past=100),
    Item("gpt2", head="GPT2LMHeadModel", batch=1, length=16), Item("albert-base-v2", batch=1, length=16), Item("bart-base", batch=1, length=16),
)

PASS_KINDS: dict[str, Callable[[], list[Item]]] = {
    "experts": experts, "expert_steps": expert_steps, "heads": heads, "steps": steps, "fronts": fronts, "small": small,
    "small_tf32": small_tf32, "lengths": lengths, "eager_passes": eager,
}
OP_KINDS: dict[str, Callable[[str], list[Call]]] = {
    "grouped": grouped, "gathered": gathered, "head_products": head_products, "products": products, "skewed": skewed,
    "odd_batched": odd_batched, "single": single, "single_tf32": single_tf32, "convolutions": convolutions, "attention": attention,
    "step_attention": step_attention, "losses": losses,
}
IN_ORDER = {"single", "single_tf32", "by_kernel", "by_heads"}  # Others are shuffled.
PART_KINDS = {"expert_parts": (EXPERT_PARTS, is_of_experts), "front_parts": (FRONT_PARTS, is_of_front)}
KINDS = (*PASS_KINDS, *OP_KINDS, *PART_KINDS, "expert_ops", "launches")


def in_random_order(kind: str, calls: list[Call]) -> list[Call]:
    return calls if kind in IN_ORDER else shuffled(calls)
