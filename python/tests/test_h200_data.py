"""The published measurements: as the schema says, possible in physics, whole, and of the trees that the program builds."""

import collections
import gzip
import json
import math
import os
import pathlib
import re
import statistics
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MEBIBYTE = 1 << 20
# The datasheet's dense rates and memory bandwidth of an H200 (SXM).
PEAK_FLOPS = {"bf16": 989e12, "fp32": 67e12, "tf32": 495e12}
PEAK_BYTES = 4.8e12


def lines(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module", params=["h200", "h200-kinds", "h200-kinds-2", "h200-kinds-check", "h200-edges", "h200-edges-check", "h200-gaps",
                                        "h200-wide-check", "h200-tiles", "h200-hosts", "h200-mixed-check", "h200-launches-check",
                                        "h200-steps", "h200-fresh-check"])
def data(request):
    return ROOT / "data" / request.param


# Tests of one folder alone.
of_h200 = pytest.mark.parametrize("data", ["h200"], indirect=True)
of_kinds = pytest.mark.parametrize("data", ["h200-kinds"], indirect=True)


@pytest.fixture(scope="module")
def records(data):
    return {path.name: lines(path) for path in sorted(data.glob("*.jsonl*")) if path.name != "plan.jsonl"}


@pytest.fixture(scope="module")
def windows(records):
    return [r for name, found in records.items() if name.startswith("windows") for r in found if r["kind"] == "window"]


@pytest.fixture(scope="module")
def headers(records):
    return {found[0]["session"]: found[0] for name, found in records.items() if name.startswith("windows")}


@pytest.fixture(scope="module")
def nodes(records):
    return {r["node"]: r for r in records["nodes.jsonl.gz"][1:]}


def test_files_are_small_and_begin_with_a_header(data, records):
    sizes = [path.stat().st_size for path in data.iterdir()]
    assert max(sizes) <= 4 * MEBIBYTE and sum(sizes) <= 15e6
    for name, found in records.items():
        assert found[0]["kind"] == "header" and found[0]["protocol"] in ("wattree-1", "wattree-torch-1"), name


def test_nothing_names_a_machine(data):
    for path in data.glob("*.jsonl*"):
        text = "\n".join(map(json.dumps, lines(path)))
        assert not re.search(r"GPU-[0-9a-f]{8}|/(?:home|root)/|(?<!\w)/\w+/|hostname|serial|\d+\.\d+\.\d+\.\d+", text), path.name


def test_windows_fit_their_schema(records):
    windows = [r for found in records.values() for r in found if r["kind"] == "window" and "by" not in r]
    jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed here")
    schema = json.loads((ROOT / "docs/schemas/h200-window.schema.json").read_text())
    # The one that it refers to, and what it says besides: no resolving of names is needed for that.
    whole = json.loads((ROOT / "docs/schemas" / schema.pop("$ref")).read_text())
    validators = [jsonschema.Draft202012Validator(part) for part in (whole, schema)]

    def errors(window):
        return [error for validator in validators for error in validator.iter_errors(window)]

    for window in windows:
        assert not errors(window), window["key"]
    for broken in ({"energy_j": -1}, {"energy_j": None}, {"no_such_field": 1}, {"cache": "lukewarm"}):
        assert errors(windows[0] | broken), broken


def test_no_key_twice_and_no_block_thrown_out(records, windows):
    assert len({window["key"] for window in windows}) == len(windows)
    for name, found in records.items():
        if not name.startswith("windows"):
            continue
        bad = {r["block"] for r in found if r["kind"] == "verdict" and not r["is_good"]}
        assert not [r for r in found if r["kind"] == "window" and r["block"] in bad], name


def test_energy_time_and_power_belong_together(windows):
    for w in windows:
        assert w["energy_j"] / w["time_s"] == pytest.approx(w["power_w"], rel=1e-5), w["key"]
        assert w["energy_j"] * w["iterations"] == pytest.approx(w["window_energy_j"], rel=1e-5), w["key"]
        assert w["time_s"] * w["iterations"] == pytest.approx(w["duration_s"], rel=1e-5), w["key"]
        if "pauses" in w:
            pause = w["pauses"]
            assert w["node_time_s"] + pause["time_s"] == pytest.approx(w["time_s"], rel=1e-5)
            assert w["node_energy_j"] + pause["time_s"] * pause["power_w"] == pytest.approx(w["energy_j"], rel=1e-5)


def test_power_is_possible(windows, headers):
    for w in windows:
        header = headers[w["session"]]
        # A GPU at work draws no less than one that waits; readings that contradict each other are marked.
        assert w["power_w"] > 0.97 * header["idle_power_w"], w["key"]
        assert w["power_w"] <= 1.03 * header["power_limit_w"] or "doubts" in w, w["key"]
        assert w["idle_j"] == pytest.approx(header["idle_power_w"] * w["time_s"], rel=1e-5)


def test_nothing_is_faster_than_the_hardware(windows):
    for w in windows:
        # By PyTorch's default cuDNN makes convolutions of fp32 in TF32.
        dtype = "tf32" if w.get("op") == "convolution" and w["dtype"] == "fp32" else w["dtype"]
        if dtype in PEAK_FLOPS:
            # Causal attention leaves out what no token sees, and FLOPs count it.
            assert (0.5 if w.get("is_causal") else 1) * w["flops"] / w["time_s"] < PEAK_FLOPS[dtype], w["key"]
        if w["subject"] == "op" and w["cache"] == "cold":
            assert w["bytes_per_set"] / w["time_s"] < PEAK_BYTES, w["key"]


def test_clocks_fall_only_at_the_cap(windows):
    for w in windows:
        if w["sm_clock_mhz"] < 1960:
            assert w["is_capped"] or w["throttle_reasons"], w["key"]


def test_anchors_agree_within_their_session(records):
    for name, found in records.items():
        anchors = [r["energy_j"] for r in found if r["kind"] == "anchor" and name.startswith("windows")]
        if anchors:
            middle = statistics.median(anchors)
            assert found[0]["anchor_energy_j"] == pytest.approx(middle, rel=1e-6)
            assert statistics.stdev(anchors) / middle < 0.01, name


@of_h200
def test_repeats_agree(windows, headers):
    by_key = {w["key"]: w for w in windows}
    gaps = []
    for w in windows:
        first = by_key.get(w["key"].split("#")[0])
        if "repeat" in w and first:
            scale = headers[first["session"]]["anchor_energy_j"] / headers[w["session"]]["anchor_energy_j"]
            gaps.append(abs(w["energy_j"] * scale / first["energy_j"] - 1))
    assert len(gaps) >= 20
    assert statistics.median(gaps) <= 0.01 and max(gaps) <= 0.05


@of_h200
def test_the_executor_does_what_the_framework_does(records):
    """Energy and time within 5 % (docs/measuring.md), by the same kernels; what is said beside the windows follows from them."""
    found = records["executor.jsonl"]
    models = {r["model"] for r in found if r["kind"] == "window"}
    assert models == {"bert-base-uncased", "gpt2", "llama-3.2-1b"}
    for model in models:
        def mean(by, field):
            return statistics.mean(r[field] for r in found if r["kind"] == "window" and (r["model"], r["by"]) == (model, by))

        assert {r["execution"] for r in found if r["kind"] == "window" and r["model"] == model} == {"graph"}
        said = next(r for r in found if r["kind"] == "comparison" and r["model"] == model)
        for field, off in (("energy_j", "energy_off"), ("time_s", "time_off")):
            ratio = mean("executor", field) / mean("framework", field)
            assert abs(ratio - 1) <= 0.05, (model, field)
            assert said[off] == pytest.approx(ratio - 1, abs=1e-6)
        kernels = next(r for r in found if r["kind"] == "kernels" and r["model"] == model)
        assert kernels["framework"] == kernels["executor"] > 100 and not kernels["other"], model


@of_h200
def test_whole_passes_cover_what_was_asked(windows):
    passes = [w for w in windows if w["subject"] == "model"]
    assert len({w["family"] for w in passes}) >= 10
    assert {w["dtype"] for w in passes} == {"bf16", "fp16", "fp32"} and {w["attention"] for w in passes} == {"sdpa", "eager"}
    assert min(w["seq_len"] for w in passes) == 32 and max(w["seq_len"] for w in passes) == 1024
    assert min(w["batch_size"] for w in passes) == 1 and max(w["batch_size"] for w in passes) == 32
    captured = [w for w in passes if w["key"].split("#")[0].endswith("/graph")]
    assert all(w["execution"] == "graph" and w["ops_agree"] for w in captured)


def test_trees_are_whole(records, nodes):
    for tree in records["trees.jsonl.gz"][1:]:
        assert tree["root"] in {key for key, _, _ in tree["nodes"]}
        counts = {key: count for key, count, _ in tree["nodes"]}
        below = collections.Counter()

        def visit(key, times):
            node = nodes[key]
            if node["of"] == "op":
                below[key] += times
            for child, _ in node["children"] if node["of"] == "module" else ():
                visit(child, times)

        visit(tree["root"], 1)
        ops = {key: count for key, count in counts.items() if nodes[key]["of"] == "op"}
        assert below == collections.Counter(ops), tree["key"]
        assert sum(below.values()) == nodes[tree["root"]]["kernels"], tree["key"]
        assert sum(nodes[key]["flops"] * times for key, times in below.items()) == nodes[tree["root"]]["flops"], tree["key"]


def test_every_window_has_its_node(windows, nodes):
    for w in windows:
        node = nodes[w["node"]]
        # The cache that a module of a decode step gets holds other layers' tensors too: as many as there were.
        inputs = slice(0, 1) if w["subject"] == "module" and "past" in w else slice(None)
        assert (node["flops"], node["inputs"][inputs], node["type"]) == (w["flops"], w["inputs"][inputs], w["type"]), w["key"]


def test_the_program_builds_the_same_trees(windows, tmp_path):
    program = os.environ.get("WATTREE_BIN", str(ROOT / "build/release/bin/wattree"))
    if not os.path.exists(program):
        pytest.skip("wattree is not built: run make build")
    # Of experts the program knows the framework's usual way, and no other.
    passes = [w for w in windows if w["subject"] in ("model", "decode") and "experts_implementation" not in w.get("overrides", {})]
    for w in passes[::4]:
        model, _, head = w["model"].partition(":")
        command = [program, "tree", model, "--as", head or "base", "-b", str(w["batch_size"]), "--dtype", w["dtype"],
                   "--attention", w["attention"], "--json"]
        command += ["--past", str(w["past"])] if "past" in w else ["-s", str(w["seq_len"])]
        command += ["-s", str(w["source_len"])] if "source_len" in w else []
        for field, value in w.get("overrides", {}).items():
            command += ["--set", f"{field}={value}"]
        tree = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert (tree["class"], tree["matmul_flops"]) == (w["type"], w["flops"]), w["key"]
        # The framework ties the head of FLAN-T5 although its config says that it has weights of its own.
        assert tree["params"] == w["params"] or w["model"].startswith("flan-t5-base:"), w["key"]


KINDS = {"experts": 60, "expert_steps": 40, "grouped": 60, "gathered": 30, "heads": 50, "head_products": 60, "products": 40,
         "convolutions": 50, "steps": 100, "attention": 40, "lengths": 30, "single": 25, "fronts": 20, "small": 20}


@of_kinds
def test_kinds_are_there(windows):
    counts = collections.Counter(w["plan"] for w in windows)
    assert all(counts[name] >= least for name, least in KINDS.items()), counts
    passes = [w for w in windows if w["subject"] in ("model", "decode")]
    assert max(w.get("past", 0) for w in passes) == 32768 and max(w["batch_size"] for w in passes) == 256
    assert min(w["seq_len"] for w in passes if "past" not in w) == 1


@of_kinds
def test_nothing_is_fitted_to_models_of_checks(windows):
    checks = {r["model"] for r in lines(ROOT / "data/h200-check/windows-a.jsonl") if r["kind"] == "window"} - {"bert-base-uncased"}
    assert checks and not checks & {w.get("model", "").partition(":")[0] for w in windows}


def test_no_pass_of_the_check_is_in_training_data():
    def keys(folder):
        return {r["key"] for path in (ROOT / "data" / folder).glob("*.jsonl") if path.name.startswith(("windows", "tf32"))
                for r in lines(path) if r["kind"] == "window"}

    check = keys("h200-kinds-check")
    assert len(check) == 256
    edges = keys("h200-edges-check")
    training = keys("h200") | keys("h200-kinds") | keys("h200-kinds-2") | keys("h200-edges")
    assert len(edges) == 210 and not edges & check
    assert not (check | edges) & (training | keys("h200-check"))


@of_kinds
def test_shifted_sessions_say_so(headers):
    """Blocks that the anchor of the session's beginning would have thrown out are apart from the others."""
    assert {name for name, header in headers.items() if header.get("is_shifted")} == {"b", "e"}


@of_kinds
def test_grouped_products_are_bounded_by_memory(windows):
    """No expert's weights are read that has no rows: of few rows a product may not read more than a matrix each."""
    for w in windows:
        if w.get("op") == "_grouped_mm":
            rows, inner = (int(d) for d in re.findall(r"\d+", w["inputs"][0].split("[")[1]))
            outer = int(w["outputs"][0].split(",")[1].strip("]"))
            assert w["flops"] == 2 * rows * inner * outer
            assert 2 * inner * outer / w["time_s"] < PEAK_BYTES, w["key"]


@of_kinds
def test_tf32_stands_apart(records, windows):
    assert not [w for w in windows if w["dtype"] == "tf32"]
    single = [r for r in records["tf32.jsonl"] if r["kind"] == "window"]
    assert len(single) >= 8 and {w["dtype"] for w in single} == {"tf32"}


@of_kinds
def test_memory_adds_up(records, windows):
    found = [r for r in records["memory.jsonl"] if r["kind"] == "memory"]
    assert len(found) >= 40 and len({r["model"] for r in found}) >= 10
    params = {w["key"]: w["params"] for w in windows if w["subject"] in ("model", "decode")}
    size = {"bf16": 2, "fp16": 2, "fp32": 4, "tf32": 4}
    compared = 0
    for r in found:
        assert r["peak_bytes"] == sum(r[f"{part}_bytes"] for part in ("weights", "inputs", "cache", "added"))
        assert bool(r["cache_bytes"]) == ("past" in r), r["key"]
        if r["key"] in params:
            # Tables of positions and the like are no parameters, and the allocator rounds up.
            compared += 1
            assert 0.99 <= r["weights_bytes"] / (params[r["key"]] * size[r["dtype"]]) <= 1.15, r["key"]
    assert compared >= 100


@of_kinds
def test_launches_take_microseconds(records):
    found = [r for r in records["launches.jsonl"] if r["kind"] == "launch"]
    assert {r["subject"] for r in found} == {"model", "module", "op"}
    for r in found:
        assert 0 < r["host_least_s"] <= r["host_s"] and r["kernels"] >= 1
        assert r["host_s"] / r["kernels"] > 1e-6, r["node"]
    assert 4e-6 < statistics.median(r["host_s"] for r in found if r["subject"] == "op") < 40e-6


def seen(row):
    """Of the blocks of 64 by 64, what a causal mask leaves."""
    blocks = math.ceil(row["queries"] / 64)
    return 1 - (blocks - 1) / 2 / math.ceil(row["keys"] / 64) if row["way"] == "causal" else 1.0


def test_attention_in_fp32_takes_the_time_that_was_surveyed():
    """No price was fitted to these times: docs/adr/0037 has the errors."""
    prices = json.loads((ROOT / "data/predictors/h200.json").read_text())["kinds"]["fused_32"]["terms"]
    errors = collections.defaultdict(list)
    for path in sorted((ROOT / "data/h200-times").glob("times-attention*.jsonl.gz")):
        for row in lines(path):
            if row.get("dtype") != "fp32" or row["groups"] != row["heads"]:
                continue
            heads, queries, size = row["batch"] * row["heads"], row["queries"], row["size"]
            tile, keys = 64 * math.ceil(queries / 64), 64 * math.ceil(row["keys"] / 64)
            waves = seen(row) * heads * tile / 64 / 132
            counts = (1, seen(row) * 4 * heads * tile * keys * size / 1e9,
                      4 * 2 * heads * size * (queries + row["keys"]) / MEBIBYTE,
                      keys / 1e3, max(0.0, waves - 1) * keys * size / 64 / 1e3)
            predicted = sum(price["time_s"] * count for price, count in zip(prices, counts, strict=True))
            errors["one token" if queries == 1 else "many"].append(abs(predicted / (1e-6 * row["warm_us"]) - 1))
    rounded = {kind: (len(each), round(100 * statistics.fmean(each))) for kind, each in errors.items()}
    assert rounded == {"one token": (425, 15), "many": (837, 19)}
