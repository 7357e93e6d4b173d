#!/usr/bin/env python3
"""Make data/h200-times from the folders that survey_times.py wrote: its files, and survey.json, which `wattree train` reads.

survey.json has the times of products with a weight over a grid of rows, columns and depth, each as two digits of base 64: so many
steps of 1/128 of an octave above a microsecond, with the weight in memory. One digit says how many of 1/32 less it is with the weight in
the cache, and in fp32 one says which of the `tiles` the kernel has. Products too large to be timed take what their rows say.

Usage: pack_times.py --out data/h200-times FOLDER…
"""

import argparse
import gzip
import json
import math
import pathlib
import re
import shutil
import sys

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
STEPS_PER_OCTAVE = 128
CACHED_STEPS_PER_OCTAVE = 32
# Of the rows that were timed, those that tell something that their neighbours do not.
ROWS = {"bf16": (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096),
        "fp32": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 20, 24, 28, 32, 33, 40, 48, 56, 64, 65, 80, 96, 112, 128, 129, 160, 192, 256, 320,
                 384, 512, 640, 768, 1024, 1536, 2048, 3072, 4096)}
WAYS = {"bf16": {"linear": "bias", "plain": "plain"}, "fp32": {"linear": "bias", "plain": "plain", "conv1d": "untransposed"}}


def read_times(path):
    """The records of a file, with the names of their kernels."""
    names, records = {}, []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for record in map(json.loads, file):
            if "name" in record:
                names[record["kernel"]] = record["name"]
            else:
                records.append(record)
    for record in records:
        if record["of"] == "product":
            record["kernels"] = [names[number] for number, *_ in record["kernels"]]
    return records


def clamped(steps, limit):
    return min(max(round(steps), 0), limit - 1)


def digits_of(microseconds):
    steps = clamped(STEPS_PER_OCTAVE * math.log2(microseconds), 64 * 64)
    return DIGITS[steps // 64] + DIGITS[steps % 64]


def cached_digit(record):
    return DIGITS[clamped(CACHED_STEPS_PER_OCTAVE * math.log2(record["cold_us"] / record["warm_us"]), 64)]


def tile_of(record):
    """Columns and rows of the output that a block of threads computes; (0, 0) where the kernel's name does not say."""
    for name in record["kernels"]:
        found = re.search(r"tilesize(\d+)x(\d+)x|sgemm_(\d+)x(\d+)_", name)
        if found:
            return tuple(int(size) for size in found.groups() if size)
    return (0, 0)


def grid_of(records, dtype, has_tiles):
    """By way, the times as text; rows are those above, and widths those of the most records."""
    found = {(r["way"], r["m"], r["n"], r["k"]): r for r in records if r["of"] == "product" and r["dtype"] == dtype}
    ways = {way for way, *_ in found}
    # The sizes between those of the grid are there for few rows only.
    sizes = sorted({key[2] for key in found})
    widths = [n for n in sizes if all((way, rows, n, 64) in found for way in ways for rows in ROWS[dtype])]
    grid = {"rows": list(ROWS[dtype]), "widths": widths}
    tiles = [(0, 0), *sorted({tile_of(r) for r in found.values()} - {(0, 0)})] if has_tiles else []
    if tiles:
        grid["tiles"] = [size for tile in tiles for size in tile]
    for way, name in WAYS[dtype].items():
        points = []
        for number, rows in enumerate(ROWS[dtype]):
            for n in widths:
                for k in widths:
                    if (way, rows, n, k) not in found:  # Too large to be timed.
                        before = ROWS[dtype][number - 1]
                        less = found[way, before, n, k]
                        found[way, rows, n, k] = less | {time: less[time] * rows / before for time in ("cold_us", "warm_us")}
                    points.append(found[way, rows, n, k])
        grid[name] = "".join(digits_of(point["cold_us"]) for point in points)
        grid[f"{name}_cached"] = "".join(map(cached_digit, points))
        if tiles:
            grid[f"{name}_tiles"] = "".join(DIGITS[tiles.index(tile_of(point))] for point in points)
    return grid


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    times = {}
    for path in (path for folder in args.folders for path in sorted(folder.glob("times-*.jsonl.gz"))):
        target = args.out / path.name
        number = 2
        while target.name in times:  # A later folder goes on with what an earlier one began.
            target = args.out / path.name.replace(".jsonl", f"-{number}.jsonl")
            number += 1
        times[target.name] = read_times(path)
        shutil.copyfile(path, target)
        print(f"{target.name}: {len(times[target.name])} records")
    records = [record for some in times.values() for record in some]
    survey = {"format": "wattree-survey", "half": grid_of(records, "bf16", has_tiles=False), "single": grid_of(records, "fp32", has_tiles=True)}
    (args.out / "survey.json").write_text(json.dumps(survey) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
