#!/usr/bin/env python3
"""Time kernels on this machine's GPU by the thousand: how long a call of each size takes, and which kernel the library chose.

Energy needs a second for each size; a time needs one launch. Every call runs four times, by turns with its weight in memory and
in the cache, and the profiler says how long its kernels took on the device. Of passes, every op is timed in its place.

Usage: survey_times.py --out FOLDER [--parts fp32,bf16,fine,wider,others,passes,attention] [--plan FILE] [--budget-s 300]
"""

import argparse
import gzip
import itertools
import json
import pathlib
import random
import re
import sys
import time

import torch
from pack_times import ROWS as GRID_ROWS
from torch.nn import functional as F

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

MARK = "FillFunctor<unsigned char>"  # The kernel that stands between two calls.
POOL_BYTES = 1 << 30  # Weights are taken from here, one after the other: by the time it is used up, the first has left the cache.
AT_A_TIME = 3000  # Calls in one run of the profiler.

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 20, 24, 28, 32, 33, 40, 48, 56, 64, 65, 72, 80, 96, 112, 128, 129, 144, 160, 192, 224,
        256, 288, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 2048, 3072, 4096)
WIDTHS = (64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120, 8192)
HALF_WIDTHS = (64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 2560, 3072, 4096, 5120, 8192, 11008, 14336)
WIDER_WIDTHS = (640, 896, 1280, 1792, 3584, 6144, 7168, 20480, 28672)  # Besides, in bf16.
# Those between which the library changes its mind in fp32; rows are those that the packed grid has.
FINE_ROWS = GRID_ROWS["fp32"]
FINE_WIDTHS = (64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 448, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1536, 1792, 2048, 2304,
               2560, 3072, 3584, 4096, 5120, 8192)
MOST_FLOPS = {"fp32": 3e10, "bf16": 4e11}
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


class Pool:
    """Random numbers, dealt out as tensors of any shape."""

    def __init__(self, dtype, size=POOL_BYTES):
        self._numbers = torch.randn(size // dtype.itemsize, device="cuda", dtype=dtype)
        self._next = 0

    def take(self, *shape):
        count = 1
        for size in shape:
            count *= size
        if self._next + count > self._numbers.numel():
            self._next = 0
        found = self._numbers[self._next:self._next + count].view(shape)
        self._next += -(-count // 128) * 128
        return found


def profiled(calls, mark):
    """For each call, its kernels: lists of (name, microseconds, event)."""
    from torch.autograd import profiler as low

    torch.cuda.synchronize()
    watched = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
    watched.start()
    for call in calls:
        call()
        mark()
    torch.cuda.synchronize()
    if hasattr(low, "_disable_profiler"):  # What stop() does besides takes longer than all calls.
        events = low._disable_profiler().events()
    else:
        watched.stop()
        events = watched.profiler.kineto_results.events()
    found = [[]]
    kernels = [e for e in events if e.device_type() == torch.autograd.DeviceType.CUDA]
    for event in sorted(kernels, key=lambda e: e.start_ns()):
        name = event.name()
        if MARK in name:
            found.append([])
        elif not name.startswith(("Memcpy", "Memset")):
            found[-1].append((name, event.duration_ns() / 1000, event))
    if len(found) != len(calls) + 1:
        raise RuntimeError(f"the profiler saw {len(found) - 1} calls of {len(calls)}")
    return found[:-1]


def grid_of(event):
    """How many blocks of threads it was launched with, each way."""
    found = re.search(r'"grid": *\[(\d+), *(\d+), *(\d+)\]', event.metadata_json())
    return [int(size) for size in found.groups()] if found else []


class Writer:
    """One JSON object a line; names of kernels by number."""

    def __init__(self, path):
        self._file = gzip.open(path, "wt", encoding="utf-8", compresslevel=4)
        self._names = {}

    def number_of(self, name):
        if name not in self._names:
            self._names[name] = len(self._names)
            self.write({"kernel": self._names[name], "name": name})
        return self._names[name]

    def write(self, record):
        self._file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def close(self):
        self._file.close()


def survey(cases, writer, mark, deadline_s, at_a_time=AT_A_TIME):
    """`cases`: pairs of what to write down and what makes the calls (which take other tensors every other time)."""
    cases = list(cases)
    start_s = time.monotonic()
    for begin in range(0, len(cases), at_a_time):
        if time.monotonic() > deadline_s:
            print(f"out of time after {begin} of {len(cases)}", flush=True)
            return
        some = cases[begin:begin + at_a_time]
        calls, kept = [], []
        for record, make in some:
            try:
                one, other = make(), make()
                one()
            except Exception as error:  # Not every size has a kernel.
                print(record, str(error).splitlines()[0][:100], flush=True)
                continue
            calls += [one, one, other, other]
            kept.append(record)
        found = profiled(calls, mark)
        for number, record in enumerate(kept):
            runs = found[4 * number:4 * number + 4]
            took = [sum(us for _, us, _ in run) for run in runs]
            kernels = [[writer.number_of(name), *grid_of(event)] for name, _, event in runs[0]]
            writer.write(record | {"cold_us": round(min(took[0], took[2]), 3), "warm_us": round(min(took[1], took[3]), 3), "kernels": kernels})
    print(f"{len(cases)} calls in {time.monotonic() - start_s:.1f} s", flush=True)


# Products with a weight: as nn.Linear has them (transposed), with and without a bias, and as GPT-2's Conv1D.

def product_case(dtype, pool, m, n, k, way):
    def make():
        x = pool.take(m, k)
        if way == "conv1d":
            weight, bias = pool.take(k, n), pool.take(n)
            return lambda: torch.addmm(bias, x, weight)
        weight = pool.take(n, k)
        if way == "linear":
            bias = pool.take(n)
            return lambda: F.linear(x, weight, bias)
        return lambda: F.linear(x, weight)

    return {"of": "product", "dtype": dtype, "m": m, "n": n, "k": k, "way": way}, make


def products(dtype, pool, widths, ways, extra):
    chance = random.Random(5)
    most = MOST_FLOPS[dtype]
    cases = [product_case(dtype, pool, m, n, k, way) for m, n, k in itertools.product(ROWS, widths, widths) for way in ways
             if 2 * m * n * k <= most]
    # Sizes between those of the grid, to know how well it says what lies between.
    sizes = (72, 100, 144, 160, 200, 224, 288, 312, 400, 448, 500, 576, 810, 896, 960, 1100, 1152, 1200, 1400, 1792, 2304, 3584, 4864, 6144)
    for _ in range(extra):
        m = round(2 ** chance.uniform(0, 11.5))
        n, k = (chance.choice(sizes if chance.random() < 0.6 else widths) for _ in range(2))
        if 2 * m * n * k <= most:
            cases.append(product_case(dtype, pool, m, n, k, chance.choice(ways)))
    chance.shuffle(cases)
    return cases


def finer_products(dtype, pool, rows, widths, timed, ways, seed, between):
    """The sizes of a finer grid that `products` leaves out, which has those of `timed`; before them what models of any width have, to know
    what lies between: `between` draws the rows, columns and depth of one."""
    chance = random.Random(seed)
    cases = [product_case(dtype, pool, m, n, k, way) for m, n, k in itertools.product(rows, widths, widths) for way in ways
             if 2 * m * n * k <= MOST_FLOPS[dtype] and not (n in timed and k in timed)]
    chance.shuffle(cases)
    return [product_case(dtype, pool, *size, chance.choice(ways)) for size in between(chance)] + cases


def fine_products(pool):
    def between(chance):
        for _ in range(4000):
            width = 8 * round(2 ** chance.uniform(3, 7))
            n, k = chance.choice(((width, width), (3 * width, width), (4 * width, width), (width, 4 * width)))
            yield round(2 ** chance.uniform(2, 11)), n, k

    return finer_products("fp32", pool, FINE_ROWS, FINE_WIDTHS, WIDTHS, ("linear", "plain", "conv1d"), 8, between)


def wider_products(pool):
    def between(chance):
        for _ in range(2000):
            width = 64 * round(2 ** chance.uniform(2, 7))
            n, k = chance.choice(((width, width), (3 * width, width), (4 * width, width), (width, 3 * width)))
            yield round(2 ** chance.uniform(0, 9)), n, k

    widths = sorted((*HALF_WIDTHS, *WIDER_WIDTHS))
    return finer_products("bf16", pool, GRID_ROWS["bf16"], widths, HALF_WIDTHS, ("linear", "plain"), 11, between)


# Attention over whole sequences, and of one new token.

def attention_case(dtype, pool, batch, heads, groups, queries, keys, size, kind):
    def make():
        def heads_of(count, length, whole):
            if whole:  # A cache as steps leave it: heads are blocks.
                return pool.take(batch, count, length, size)
            return pool.take(batch, length, count, size).transpose(1, 2)

        query = heads_of(heads, queries, False)
        key, value = (heads_of(groups, keys, kind == "blocks") for _ in range(2))
        mask = pool.take(batch, 1, queries, keys) if kind == "masked" else None
        return lambda: F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=kind == "causal", enable_gqa=heads != groups)

    return {"of": "attention", "dtype": dtype, "batch": batch, "heads": heads, "groups": groups, "queries": queries, "keys": keys,
            "size": size, "way": kind}, make


HEADS = ((12, 12, 64), (4, 4, 32), (8, 8, 64), (16, 16, 64), (32, 8, 64), (14, 2, 64), (32, 32, 128), (32, 8, 128), (8, 1, 256), (16, 16, 80),
         (25, 25, 64), (32, 32, 80), (2, 2, 64), (20, 20, 64))
LENGTHS = (4, 10, 16, 30, 50, 64, 100, 128, 129, 200, 256, 300, 384, 512, 700, 1000, 1500, 2048, 3000, 4096, 6000, 8000)


def attentions(pools):
    cases = []
    for dtype, pool in pools.items():
        for (heads, groups, size), batch, length, kind in itertools.product(HEADS, (1, 2, 4, 8, 16, 32, 100), LENGTHS, ("full", "causal", "masked")):
            work = 4.0 * batch * heads * length**2 * size
            if work <= (3e10 if dtype == "fp32" else 4e11) and batch * length * heads * size <= 1 << 26 and batch * length**2 <= 1 << 26:
                if dtype == "bf16" or heads == groups:
                    cases.append(attention_case(dtype, pool, batch, heads, groups, length, length, size, kind))
        for (heads, groups, size), batch, past, kind in itertools.product(
                HEADS, (1, 2, 3, 4, 6, 8, 12, 16, 20, 32, 48, 64, 100, 128, 200),
                (17, 31, 65, 101, 201, 301, 501, 601, 801, 1001, 1501, 2001, 3001, 4097, 6001, 8001, 16385, 32769), ("tokens", "blocks")):
            if batch * past * groups * size <= 1 << 27 and (dtype == "bf16" or kind == "blocks" and batch <= 32):
                cases.append(attention_case(dtype, pool, batch, heads, groups, 1, past, size, kind))
    random.Random(6).shuffle(cases)
    return cases


# Everything else that layers do.

def other_cases(pools):
    cases = []

    def add(name, dtype, shape, make):
        cases.append(({"of": name, "dtype": dtype, "shape": list(shape)}, make))

    for dtype, pool in pools.items():
        for rows, width in itertools.product((1, 4, 10, 16, 30, 50, 64, 100, 128, 200, 256, 400, 512, 1000, 2048, 4096, 8192),
                                             (64, 96, 128, 192, 256, 384, 512, 768, 1024, 1280, 2048, 3072, 4096, 8192, 11008)):
            if rows * width > 1 << 25:
                continue

            def unary(f, rows=rows, width=width, pool=pool):
                def make():
                    x = pool.take(rows, width)
                    return lambda: f(x)
                return make

            def binary(f, rows=rows, width=width, pool=pool):
                def make():
                    x, y = pool.take(rows, width), pool.take(rows, width)
                    return lambda: f(x, y)
                return make

            def norm(rows=rows, width=width, pool=pool):
                x, w, b = pool.take(rows, width), pool.take(width), pool.take(width)
                return lambda: F.layer_norm(x, (width,), w, b)

            add("layer_norm", dtype, (rows, width), norm)
            for name, f in (("gelu", F.gelu), ("tanh", torch.tanh), ("silu", F.silu), ("softmax", lambda x: F.softmax(x, -1)),
                            ("transposed", lambda x: x.t().contiguous()), ("mean", lambda x: x.pow(2).mean(-1, keepdim=True))):
                add(name, dtype, (rows, width), unary(f))
            add("add", dtype, (rows, width), binary(torch.add))
            add("mul", dtype, (rows, width), binary(torch.mul))
            add("cat", dtype, (rows, width), binary(lambda x, y: torch.cat((x, y), -1)))
        for groups, length, size in itertools.product((1, 4, 8, 12, 16, 32, 96, 192, 384), (4, 10, 16, 30, 50, 64, 100, 128, 200, 256, 384, 512, 1000),
                                                      (32, 64, 80, 128)):
            if groups * length * length > 1 << 26:
                continue

            def scores(groups=groups, length=length, size=size, pool=pool):
                q, k = pool.take(groups, length, size), pool.take(groups, length, size)
                return lambda: torch.bmm(q, k.transpose(1, 2))

            def values(groups=groups, length=length, size=size, pool=pool):
                p, v = pool.take(groups, length, length), pool.take(groups, length, size)
                return lambda: torch.bmm(p, v)

            add("scores", dtype, (groups, length, size), scores)
            add("values", dtype, (groups, length, size), values)
    from wattree import kinds
    for rank, function, table in ((1, F.conv1d, kinds.CONV1D), (2, F.conv2d, kinds.CONV2D)):
        for inner, outer, kernel, stride, padding, groups, sides in table:
            for side, batch, dtype in itertools.product(sides, (1, 2, 3, 4, 7, 8, 16, 32), ("bf16", "fp32")):
                if batch * max(outer * ((side + 2 * padding) // stride) ** rank, inner * side**rank) > 1 << 27:
                    continue
                pool = pools[dtype]

                def convolve(function=function, rank=rank, inner=inner, outer=outer, kernel=kernel, stride=stride, padding=padding,
                             groups=groups, side=side, batch=batch, pool=pool):
                    x, w, b = pool.take(batch, inner, *rank * (side,)), pool.take(outer, inner // groups, *rank * (kernel,)), pool.take(outer)
                    return lambda: function(x, w, b, stride=stride, padding=padding, groups=groups)

                cases.append(({"of": "conv", "dtype": dtype, "rank": rank, "batch": batch, "inner": inner, "outer": outer, "kernel": kernel,
                               "stride": stride, "padding": padding, "groups": groups, "side": side}, convolve))
    random.Random(7).shuffle(cases)
    return cases


def passes(path, writer, mark, deadline_s):
    """Every op of every pass of a plan, timed in its place."""
    from wattree.models import Pass, build_model, precision, read_config
    from wattree.plan import read_plan
    from wattree.spec import held_tensors, tensor_text
    from wattree.trace import Tracer

    class Marking(Tracer):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            before = len(self.trace.ops)
            out = super().__torch_dispatch__(func, types, args, kwargs)
            if len(self.trace.ops) > before:
                mark()
            return out

    from torch.autograd import profiler as low
    last, model, done = None, None, 0
    for kind, item in read_plan(path):
        if time.monotonic() > deadline_s:
            print("out of time", flush=True)
            break
        try:
            key = (item.title, item.overrides, item.dtype, item.attention)
            if key != last:
                del model
                torch.cuda.empty_cache()
                model = build_model(read_config(ROOT / "data/models" / f"{item.model}.json", dict(item.overrides)), item.dtype, item.attention,
                                    "cuda", item.head)
                if hasattr(model.config, "num_experts_per_tok"):
                    model.set_experts_implementation("grouped_mm")
                last = key
            with precision(item.dtype):
                passed = Pass(model, item.batch, item.length, item.past)
                passed.prepare()
                passed.run()
                torch.cuda.synchronize()
                watched = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
                watched.start()
                tracer = Marking(model)
                with tracer:
                    passed.run()
                torch.cuda.synchronize()
                events = low._disable_profiler().events()
            found = [[]]
            for event in sorted((e for e in events if e.device_type() == torch.autograd.DeviceType.CUDA), key=lambda e: e.start_ns()):
                if MARK in event.name():
                    found.append([])
                else:
                    found[-1].append((writer.number_of(event.name()), event.duration_ns() / 1000))
            ops = tracer.trace.ops
            if len(found) != len(ops) + 1:
                print(f"{item.name}: {len(found)} for {len(ops)} ops", flush=True)
                continue
            writer.write({"of": "pass", "kind": kind, "key": item.name, "cache": [tensor_text(t) for t in held_tensors(passed._past)[:2]],
                          "ops": [[op.scope, op.name, list(op.inputs), round(sum(us for _, us in run), 2), [n for n, _ in run]]
                                  for op, run in zip(ops, found)]})
            done += 1
        except Exception as error:
            print(f"{item.name}: {type(error).__name__} {str(error).splitlines()[0][:200] if str(error) else ''}", flush=True)
            last = None
    print(f"{done} passes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--parts", default="fp32,bf16,others,passes,attention")
    parser.add_argument("--plan", type=pathlib.Path)
    parser.add_argument("--budget-s", type=float, default=300)
    args = parser.parse_args()
    deadline_s = time.monotonic() + args.budget_s
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = True  # As PyTorch has it.
    torch.manual_seed(1)
    tiny = torch.zeros(64, device="cuda", dtype=torch.uint8)

    def mark():
        tiny.fill_(1)

    pools = {name: Pool(dtype) for name, dtype in TYPES.items()}
    with torch.no_grad():
        for part in args.parts.split(","):
            writer = Writer(args.out / f"times-{part}.jsonl.gz")
            print(part, flush=True)
            if part == "fp32":
                survey(products("fp32", pools["fp32"], WIDTHS, ("linear", "plain", "conv1d"), 6000), writer, mark, deadline_s)
            elif part == "fine":
                survey(fine_products(pools["fp32"]), writer, mark, deadline_s)
            elif part == "bf16":
                survey(products("bf16", pools["bf16"], HALF_WIDTHS, ("linear", "plain"), 4000), writer, mark, deadline_s)
            elif part == "wider":  # The largest weight has 1.6 GB.
                survey(wider_products(Pool(torch.bfloat16, 4 * POOL_BYTES)), writer, mark, deadline_s)
            elif part == "attention":
                survey(attentions(pools), writer, mark, deadline_s, 100)  # A new size takes its library a while.
            elif part == "others":
                survey(other_cases(pools), writer, mark, deadline_s)
            elif part == "passes":
                passes(args.plan, writer, mark, deadline_s)
            writer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
