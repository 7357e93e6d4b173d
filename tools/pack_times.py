#!/usr/bin/env python3
"""Make data/h200-times from the folders that survey_times.py wrote: its files, and survey.json, which `wattree train` reads.

survey.json has the times of products with a weight over a grid of rows, columns and depth, each as two digits of base 64: so many
steps of 1/128 of an octave above a microsecond. Products too large to be timed take what their rows say.

Usage: pack_times.py --out data/h200-times FOLDER…
"""

import argparse
import gzip
import json
import math
import pathlib
import shutil
import sys

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
STEPS_PER_OCTAVE = 128
# Of the rows that were timed, those that tell something that their neighbours do not.
ROWS = {"bf16": (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096),
        "fp32": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 20, 24, 28, 32, 33, 40, 48, 56, 64, 65, 80, 96, 112, 128, 129, 160, 192, 256, 320,
                 384, 512, 640, 768, 1024, 1536, 2048, 3072, 4096)}
WAYS = {"bf16": {"linear": "bias", "plain": "plain"}, "fp32": {"linear": "bias", "plain": "plain", "conv1d": "untransposed"}}


def read_times(path):
    """The records of a file but for the names of kernels."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [record for record in records if "name" not in record]


def digits_of(microseconds):
    steps = min(max(round(STEPS_PER_OCTAVE * math.log2(microseconds)), 0), 64 * 64 - 1)
    return DIGITS[steps // 64] + DIGITS[steps % 64]


def grid_of(records, dtype):
    """By way, the times as text; rows are those above, and widths those of the most records."""
    found = {(r["way"], r["m"], r["n"], r["k"]): r["cold_us"] for r in records if r["of"] == "product" and r["dtype"] == dtype}
    ways = {way for way, *_ in found}
    # The sizes between those of the grid are there for few rows only.
    widths = [n for n in sorted({key[2] for key in found}) if all((way, 1, n, n) in found for way in ways)]
    grid = {"rows": list(ROWS[dtype]), "widths": widths}
    for way, name in WAYS[dtype].items():
        texts = []
        for number, rows in enumerate(ROWS[dtype]):
            for n in widths:
                for k in widths:
                    if (way, rows, n, k) not in found:
                        before = ROWS[dtype][number - 1]
                        found[way, rows, n, k] = found[way, before, n, k] * rows / before
                    texts.append(digits_of(found[way, rows, n, k]))
        grid[name] = "".join(texts)
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
    survey = {"format": "wattree-survey", "half": grid_of(times["times-bf16.jsonl.gz"], "bf16"),
              "single": grid_of(times["times-fp32.jsonl.gz"], "fp32")}
    (args.out / "survey.json").write_text(json.dumps(survey) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
