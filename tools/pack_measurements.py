#!/usr/bin/env python3
"""Make the files of data/h200 from the folders that measure_dataset.py wrote.

Leaves out blocks that were thrown out and measurements made again later, gives sessions and cards letters, says which windows
are doubtful and why, and writes nodes and trees once for all sessions. What was measured in TF32 gets a file of its own, because
nothing learns from fp32 and TF32 together, and so do memory and launches. Prints what there is, for the README.

With --keep-shifted, blocks are judged by their own anchors: where the anchor has moved and stays, what follows is a session of its
own with that anchor, in a file of its own. Without it every block after a move is left out.

Usage: pack_measurements.py --out data/h200 FOLDER…
"""

import argparse
import collections
import gzip
import json
import pathlib
import statistics
import string
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from wattree.records import read_records  # noqa: E402

DISAGREEMENT = 0.02  # Between the counter and the mean of the power readings.
ENCODER_DECODERS = ("t5", "bart")
MEANT = ("key", "subject", "node", "model", "dtype", "attention", "batch_size", "seq_len", "past", "overrides")  # By memory and launches.
FEW_SAMPLES = 5  # Power readings swing by 2 %: the mean of fewer says nothing.


def read_sessions(folders):
    """By session: its records by kind, in order of time; and all nodes and trees."""
    sessions, nodes, trees = {}, {}, {}
    for folder in folders:
        for record in read_records(folder):
            kind = record.pop("kind")
            if kind == "node":
                nodes[record["node"]] = record
            elif kind == "tree":
                record.pop("session", None)
                trees[record["key"]] = record
            elif "session" in record:
                sessions.setdefault(record["session"], collections.defaultdict(list))[kind].append(record)
    return dict(sorted(sessions.items())), nodes, trees


def split_shifted(sessions, tolerance=0.01):
    """Sessions, and after each the one of its blocks that were thrown out although the anchors before and after them agree: the
    machine was another than at first, and stayed it. The block in which it changed stays thrown out."""
    found = {}
    for name, session in sessions.items():
        closing = {}
        for anchor in session["anchor"]:
            closing.setdefault(anchor["block"], []).append(anchor["energy_j"])
        middle = {block: statistics.median(values) for block, values in closing.items()}
        bad = {verdict["block"] for verdict in session["verdict"] if not verdict["is_good"]}
        steady = {block for block in bad if block - 1 in middle and abs(middle[block] / middle[block - 1] - 1) <= tolerance}
        found[name] = session
        if not steady:
            continue
        # An anchor that was measured after one of these blocks, or before and at their level.
        level = statistics.median(value for block in steady for value in closing[block])
        around = steady | {block - 1 for block in steady if block - 1 in bad}

        def moves(record, blocks):
            return record.get("block") in blocks

        later = collections.defaultdict(list, header=[session["header"][0] | {"is_shifted": True}], spin=session["spin"],
                                        model=session["model"])
        for kind, blocks in (("anchor", around), ("window", steady), ("verdict", steady)):
            later[kind] = [record | {"session": f"{name}+"} for record in session[kind] if moves(record, blocks)]
            session[kind] = [record for record in session[kind] if not moves(record, steady)]
        for record in (*later["anchor"], *later["verdict"]):
            at = middle[record["block"]] if "energy_j" not in record else record["energy_j"]
            record["deviation"] = at / level - 1
        for verdict in later["verdict"]:
            verdict["is_good"] = abs(verdict["deviation"]) <= tolerance
        # Where the machine changed, its anchors are those of what follows.
        session["anchor"] = [anchor for anchor in session["anchor"] if anchor["block"] not in around]
        found[f"{name}+"] = later
    return found


def keep_warm_anchors(sessions):
    """Of every block the last anchor: those before it were measured again because light work had let the card cool down."""
    for session in sessions.values():
        session["anchor"] = list({anchor["block"]: anchor for anchor in session["anchor"]}.values())


def kept_windows(sessions):
    """The last good window of every key; a graph is better than what had to be run without one."""
    best = {}
    for session in sessions.values():
        bad = {verdict["block"] for verdict in session["verdict"] if not verdict["is_good"]}
        for window in session["window"]:
            before = best.get(window["key"])
            if window["block"] not in bad and (before is None or "why_eager" not in window or "why_eager" in before):
                best[window["key"]] = window
    return best


# Modules that, measured by themselves, did something else than within their model. Windows with `ops_agree` were checked.
OTHER_PATH = {
    "BartEncoder": "captured on another path than within its model",  # It makes its own mask;
    "BartDecoder": "captured on another path than within its model",  # its layers add up to half of what it took.
    "GPT2Block": "its cache grew with every copy",  # Transformers hands it over by position, which was not refreshed.
}


def doubts(window):
    found = []
    if window["subject"] == "module" and window["type"] in OTHER_PATH and not window.get("ops_agree"):
        found.append(OTHER_PATH[window["type"]])
    if not window["is_settled"]:
        found.append("not settled")
    if window.get("why_eager"):
        found.append("not a graph")
    if window["other_processes"]:
        found.append("other processes on the GPU")
    power_w = window["sampled_power_w"]
    if power_w is not None and window["samples"] >= FEW_SAMPLES and abs(power_w / window["power_w"] - 1) > DISAGREEMENT:
        found.append("power readings disagree with the counter")
    return found


# Where the arguments of attention say that no token sees those after it.
CAUSAL = {"_scaled_dot_product_cudnn_attention": 6, "_scaled_dot_product_efficient_attention": 6, "_scaled_dot_product_flash_attention": 4}


def is_causal(op):
    if op is None:
        return False
    arguments, place = op["arguments"], CAUSAL.get(op["name"])
    return op["keywords"].get("is_causal", place is not None and len(arguments) > place and arguments[place]) is True


def with_source_len(record):
    """Decode steps of encoder-decoders were measured with an encoder that had read as many tokens as the decoder; the first
    sessions did not write it down."""
    if record.get("past") and record["family"] in ENCODER_DECODERS:
        record.setdefault("source_len", record["past"])
    return record


def write_lines(path, records):
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    if path.suffix == ".gz":
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(text.encode())
    else:
        path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(records)} records, {path.stat().st_size:,} bytes")


def pack(folders, out, keeps_shifted=False):
    sessions, nodes, trees = read_sessions(folders)
    if keeps_shifted:
        sessions = split_shifted(sessions)
    keep_warm_anchors(sessions)
    best = kept_windows(sessions)
    letters = dict(zip(sessions, string.ascii_lowercase))
    cards = {}
    tf32 = []
    out.mkdir(parents=True, exist_ok=True)
    for name, session in sessions.items():
        header = session["header"][0] | {"session": letters[name]}
        # A card that was not noted is taken to be one of its own.
        header["card"] = cards.setdefault(header.get("card") or name, f"card {len(cards) + 1}")
        header["anchor_energy_j"] = statistics.median(anchor["energy_j"] for anchor in session["anchor"])
        header["anchor_time_s"] = statistics.median(anchor["time_s"] for anchor in session["anchor"])
        records = [{"kind": "header"} | header]
        for kind in ("model", "spin", "anchor", "window", "verdict"):
            for record in session[kind]:
                if kind == "window" and best.get(record["key"]) is not record:
                    continue
                line = with_source_len({"kind": kind} | record | {"session": letters[name]})
                if kind == "window" and record["node"] not in nodes:
                    # Of a pass measured anew the tree is the one seen first: its root stands for the same work.
                    line["node"] = record["node"] = trees[record["key"]]["root"]
                if kind == "window" and record["subject"] == "op":
                    # The same op may be one of the grid in one session and a module's in another.
                    line["type"] = nodes[record["node"]]["type"]
                    line |= {"is_causal": True} if is_causal(nodes[record["node"]].get("op")) else {}
                if kind == "window" and (found := doubts(record)):
                    line["doubts"] = found
                records.append(line)
        single = [record for record in records if record.get("dtype") == "tf32"]
        if session["window"]:
            write_lines(out / f"windows-{letters[name]}.jsonl", [record for record in records if record.get("dtype") != "tf32"])
        if single:
            tf32 += [record for record in records if record["kind"] in ("header", "anchor", "verdict")] + single
    if tf32:
        write_lines(out / "tf32.jsonl", tf32)
    for kind, file in (("memory", "memory.jsonl"), ("launch", "launches.jsonl")):
        # Of a key measured again the last one. Sessions on a machine whose anchor has moved are still on that machine.
        last = {json.dumps([record.get(field) for field in MEANT]): {"kind": kind} | record | {"session": letters[record["session"]]}
                for session in sessions.values() for record in session[kind]}
        if last:
            heads = [{"kind": "header"} | session["header"][0] | {"session": letters[name], "card": cards[session["header"][0]["card"]]}
                     for name, session in sessions.items() if session[kind]]
            write_lines(out / file, heads + list(last.values()))
    models = {window.get("model") for window in best.values()}
    measured = {key for key in trees if trees[key]["model"] in models}
    used = {node[0] for key in measured for node in trees[key]["nodes"]} | {window["node"] for window in best.values()}
    head = {"protocol": next(iter(sessions.values()))["header"][0]["protocol"]}
    write_lines(out / "nodes.jsonl.gz", [{"kind": "header"} | head] + [{"kind": "node"} | nodes[key] for key in sorted(used)])
    write_lines(out / "trees.jsonl.gz", [{"kind": "header"} | head] + [with_source_len({"kind": "tree"} | trees[key])
                                                                          for key in sorted(measured)])
    report(sessions, best)


def report(sessions, best):
    windows = list(best.values())
    for fields in (("subject",), ("subject", "dtype"), ("subject", "cache"), ("family",), ("model",), ("op",)):
        counts = collections.Counter(tuple(str(w.get(field)) for field in fields) for w in windows)
        print(" × ".join(fields) + ": " + ", ".join(f"{' '.join(key)} {count}" for key, count in counts.most_common()))
    print("capped:", collections.Counter(w["subject"] for w in windows if w["is_capped"]),
          "paused:", sum("pauses" in w for w in windows))
    print("doubts:", collections.Counter(doubt for w in windows for doubt in doubts(w)))
    anchors = {name: [a["energy_j"] for a in s["anchor"]] for name, s in sessions.items()}
    middle = {name: statistics.median(values) for name, values in anchors.items()}
    for name, values in anchors.items():
        deviation = statistics.stdev(values) if len(values) > 1 else 0
        print(f"anchor {name}: {len(values)}, median {1e3 * middle[name]:.2f} mJ, standard deviation "
              f"{100 * deviation / middle[name]:.2f} %, most {100 * max(abs(v / middle[name] - 1) for v in values):.2f} %")
    for where in ("same session", "another session"):
        found = []
        for key, window in best.items():
            first = best.get(key.removesuffix("#1"))
            if key.endswith("#1") and first and (first["session"] == window["session"]) == (where == "same session"):
                found.append((abs(window["energy_j"] / middle[window["session"]] / first["energy_j"] * middle[first["session"]] - 1),
                              abs(window["time_s"] / first["time_s"] - 1)))
        if found:
            print(f"repeats in {where}: {len(found)}, energy {100 * statistics.median(e for e, _ in found):.2f} % (most "
                  f"{100 * max(e for e, _ in found):.2f}), time {100 * statistics.median(t for _, t in found):.2f} % "
                  f"(most {100 * max(t for _, t in found):.2f})")
    print("plan:", ", ".join(f"{name} {count}" for name, count in collections.Counter(str(w.get("plan")) for w in windows).most_common()))
    print(f"standard error, median: {100 * statistics.median(w['relative_error'] for w in windows):.2f} %")
    gaps = [abs(w["sampled_power_w"] / w["power_w"] - 1) for w in windows if w["sampled_power_w"] and w["samples"] >= FEW_SAMPLES]
    if len(gaps) > 1:
        print(f"counter against power readings: median {100 * statistics.median(gaps):.2f} %, 95 % within "
              f"{100 * statistics.quantiles(gaps, n=20)[-1]:.2f} %, over 2 %: {sum(g > DISAGREEMENT for g in gaps)} of {len(gaps)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--keep-shifted", action="store_true")
    args = parser.parse_args()
    pack(args.folders, args.out, args.keep_shifted)


if __name__ == "__main__":
    main()
