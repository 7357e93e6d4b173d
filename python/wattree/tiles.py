"""What data/h200-tiles measures: products in fp32 by the kernel that the library chose for them, and passes of narrow models.

The library chooses among some 90 kernels for products in fp32, which take different powers. data/h200-times says which sizes run
which; of each, some are measured by themselves here. Narrow models find their weights in the cache, and their widths lie between
those that were timed. No pass of a check set is among them.
"""

from __future__ import annotations

import collections
import gzip
import json
import pathlib
import random
from collections.abc import Callable

import torch

from wattree.checks import crossed
from wattree.edges import gpt2, llama, neox
from wattree.kinds import Call, bert, in_turns, linear, meta, shuffled
from wattree.plan import Item

SEED = 97
TIMES = pathlib.Path(__file__).resolve().parent.parent.parent / "data/h200-times/times-fp32.jsonl.gz"
SIZES_PER_MEASUREMENT = 250  # Kernels that serve many sizes are measured more often.
MOST_OF_A_KERNEL = 7
LONGEST_US = 150.0  # Longer ones reach the power limit, and passes tell what they take.
MOST_ROWS = 1024


def product(way: str, rows: int, outer: int, inner: int) -> Call:
    if way == "conv1d":  # GPT-2's: the weight lies the other way.
        return Call(torch.addmm, [meta("fp32", outer), meta("fp32", rows, inner), meta("fp32", inner, outer)])
    return linear("fp32", rows, outer, inner, has_bias=way == "linear")


def by_kernel(device: str) -> list[Call]:
    """Some sizes of every kernel, one of each kernel before a second of any."""
    sizes = collections.defaultdict(list)
    with gzip.open(TIMES, "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if "name" not in record and record["m"] <= MOST_ROWS and record["cold_us"] <= LONGEST_US:
                kernels = tuple(number for number, *_ in record["kernels"])
                sizes[record["way"], kernels].append((record["m"], record["n"], record["k"]))
    chance = random.Random(SEED)
    streams = []
    for (way, _), found in sorted(sizes.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        count = min(MOST_OF_A_KERNEL, 1 + len(found) // SIZES_PER_MEASUREMENT)
        streams.append([product(way, *size) for size in chance.sample(found, count)])
    return in_turns(*streams)


NARROW = (bert(120, 3, 480, 4), bert(184, 4, 736, 3), bert(216, 6, 864, 4), bert(256, 8, 1000, 3), bert(344, 8, 1376, 3), bert(392, 7, 1568, 4),
          bert(432, 6, 1728, 3), bert(496, 8, 1984, 3), bert(592, 8, 2368, 3), bert(736, 8, 2944, 3), gpt2(176, 4, 4), gpt2(304, 8, 4),
          gpt2(384, 6, 4), gpt2(448, 7, 4), gpt2(560, 7, 3), gpt2(736, 8, 3), neox(192, 4, 4), neox(288, 6, 4), neox(448, 7, 4), neox(576, 9, 3),
          llama(256, 4, 2, 704, 4), llama(320, 5, 1, 880, 4), llama(576, 9, 3, 1536, 4))
TOKENS = crossed((1, 2, 4, 8, 16, 32), (6, 12, 20, 32, 50, 80, 128), 3000)


def slim() -> list[Item]:
    """In fp32, of up to 3,000 tokens."""
    return in_turns(*([Item(**model, dtype="fp32", batch=b, length=s) for b, s in shuffled(list(TOKENS), SEED + number)[:4]]
                      for number, model in enumerate(NARROW)))


HEADS = ((1, 4, 37), (2, 4, 30), (1, 12, 42), (2, 12, 42), (6, 12, 35), (1, 8, 33), (4, 8, 33), (1, 8, 50), (6, 8, 50), (1, 8, 75), (2, 4, 78),
         (10, 4, 26), (3, 10, 45), (1, 6, 54))


def by_heads(device: str) -> list[Call]:
    """What attention in fp32 is made of where heads have no multiple of 4 channels."""
    streams = []
    for batch, heads, size in HEADS:
        stream = []
        for length in (4, 10, 18, 34, 70):
            tokens, scores = meta("fp32", batch, length, heads, size), meta("fp32", batch, heads, length, length)
            blocks, turned = meta("fp32", batch * heads, length, size), meta("fp32", batch * heads, size, length)
            stream += [Call(torch.bmm, [blocks, turned]), Call(torch.bmm, [meta("fp32", batch * heads, length, length), blocks]),
                       Call(lambda x: torch.ops.aten._safe_softmax(x, -1), [scores]), Call(lambda x: x.transpose(1, 2).mul(0.4), [tokens]),
                       Call(lambda x: x.transpose(1, 2).contiguous(), [tokens])]
        streams.append(shuffled(stream, SEED + size))
    return in_turns(*streams)


PASS_TILES: dict[str, Callable[[], list[Item]]] = {"slim": slim}
OP_TILES: dict[str, Callable[[str], list[Call]]] = {"by_kernel": by_kernel, "by_heads": by_heads}
