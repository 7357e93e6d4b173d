"""`wattree profile` and `wattree calibrate` as a user meets them: a plugin in which every kernel takes 1 ms, and a GPU
whose counter grows by 300 W, so that every energy is known; and the real plugin where there is a LibTorch."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

WATTS = 300
CONFIG = {"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64,
          "vocab_size": 100, "max_position_embeddings": 64}
GPU = """clock
gpu 0 GPU-aaaa NVIDIA H200
0 0 energy_mj watts 300 100
0 0 power_mw 300000
0 0 limit_mw 700000
0 0 gpu_percent 0
0 0 memory_percent 41
0 0 sm_mhz 1980
0 0 memory_mhz 3201
0 0 celsius 52
0 0 throttle 0
"""


class Bench:
    def __init__(self, folder, wattree):
        self.folder, self.wattree = folder, wattree
        self.libraries = pathlib.Path(wattree).parent.parent / "tests/lib"
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "script").write_text(GPU)
        proc = folder / "proc"
        proc.mkdir()
        (proc / "cpuinfo").write_text("model name\t: Test CPU\n")
        (proc / "stat").write_text("cpu  1 1 1 1 1 1 1 0 0 0\ncpu0 1 1 1 1 1 1 1 0 0 0\n")
        (proc / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 500 kB\n")
        (folder / "sys").mkdir()
        self.data = folder / "data.jsonl"
        self.windows = folder / "data.windows.jsonl"
        self.environment = {**os.environ, "FAKE_NVML_SCRIPT": str(folder / "script")}

    def arguments(self, command, *options, nvml=True):
        library = self.libraries / "libfake_nvml.so" if nvml else "/nonexistent/libnvidia-ml.so.1"
        return [self.wattree, command, *options, "--nvml", str(library), "--sys-root", str(self.folder / "sys"),
                "--proc-root", str(self.folder / "proc"), "--torch-plugin", str(self.libraries / "libfake_torch.so"),
                "--no-anchor"]

    def profile(self, *options, code=0, nvml=True, environment=None):
        result = subprocess.run(
            self.arguments("profile", str(self.folder / "config.json"), "-b", "2", "-s", "8", *options, nvml=nvml),
            env={**self.environment, **(environment or {})}, capture_output=True, text=True, timeout=120)
        assert result.returncode == code, result.stdout + result.stderr
        return result

    def records(self, kind="window"):
        records = [json.loads(line) for line in self.windows.read_text().splitlines()]
        return [record for record in records if record["kind"] == kind]


@pytest.fixture
def bench(tmp_path, wattree):
    return Bench(tmp_path, wattree)


def check(root, record, name):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(record, json.loads((root / "docs/schemas" / name).read_text()))


def test_every_node_gets_its_joules_and_other_commands_read_the_dataset(bench, root, tmp_path):
    result = bench.profile("-o", str(bench.data), "--json")
    answer = json.loads(result.stdout)
    check(root, answer, "measured.schema.json")
    assert answer["ended_by"] == "done" and not answer["skipped"]
    assert answer["basis"] == {"kind": "measured", "by": "gpu0.energy (NVML energy counter)", "boundary": "gpu"}
    assert len(answer["nodes"]) > 15
    for node in answer["nodes"]:
        joules = WATTS * 1e-3 * node["kernels"]
        assert node["energy_j"] == pytest.approx(joules, rel=0.2), node
        assert node["energy_j"] / node["time_s"] == pytest.approx(WATTS, rel=0.02), node
    # Kernels of 1 ms each add up.
    assert answer["additivity"]["energy_ratio"] == pytest.approx(1, rel=0.15)
    windows = bench.records()
    assert len(windows) == len(answer["nodes"])
    for window in windows:
        check(root, window, "window.schema.json")
        assert window["software_j"] == pytest.approx(1.58 * window["energy_j"], rel=0.02)
    tree = json.loads(bench.data.read_text())
    check(root, tree, "dataset.schema.json")
    assert tree["frontend_tree"]["gpu_mem"] == 41
    stats = subprocess.run([bench.wattree, "dataset", "stats", str(bench.data), "--json"], capture_output=True, text=True)
    assert stats.returncode == 0, stats.stderr
    trained = subprocess.run([bench.wattree, "train", str(bench.data), "-o", str(tmp_path / "p.json")], capture_output=True,
                             text=True)
    assert trained.returncode == 0, trained.stderr
    annotated = subprocess.run([bench.wattree, "annotate", str(bench.data), "--predictor", str(tmp_path / "p.json"), "-o",
                                str(tmp_path / "a.jsonl")], capture_output=True, text=True)
    assert annotated.returncode == 0, annotated.stderr

    # Once more, from the file.
    again = bench.profile("--resume", str(bench.data))
    assert f"measured 0 windows" in again.stdout and f"{len(windows)} were there already" in again.stdout
    assert bench.profile("-o", str(bench.data), code=3).stderr.startswith("wattree: there is a file")


def test_windows_of_several_models_make_a_predictor(bench, tmp_path):
    """Every kernel takes 1 ms and 0.3 J, so that is what a predictor must find."""
    folder = tmp_path / "measured"
    folder.mkdir()
    for name, config in {"bert": CONFIG, "opt": {"model_type": "opt", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
                                                  "ffn_dim": 64, "vocab_size": 100, "word_embed_proj_dim": 32}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(config))
        result = subprocess.run(
            bench.arguments("profile", str(tmp_path / f"{name}.json"), "-b", "2", "-s", "8", "--dtype", "bf16", "--budget", "10s",
                            "-o", str(folder / f"{name}.jsonl")),
            env=bench.environment, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stdout + result.stderr

    def run(*arguments):
        result = subprocess.run([bench.wattree, *map(str, arguments)], capture_output=True, text=True, timeout=60)
        assert result.returncode == 0 and "warning" not in result.stderr, result.stdout + result.stderr
        return result.stdout

    errors = json.loads(run("evaluate", folder, "--leave-one-family-out", "--json"))
    assert errors["hardware"] == "Fake GPU" and errors["models"] == errors["families"] == 2 and errors["doubtful"] == 0
    passes = errors["by_subject"][0]
    # Each has kernels that the other has not: it is no good prediction, but one.
    assert passes["name"] == "whole passes" and passes["count"] == 2 and passes["mean"] < 80
    run("train", folder, "-o", tmp_path / "mine.json", "--name", "mine")
    predictor = json.loads((tmp_path / "mine.json").read_text())
    assert predictor["dtypes"] == ["bf16"] and predictor["boundary"] == "gpu" and predictor["meter"].startswith("gpu0.energy")
    same = [tmp_path / "bert.json", "-b", "2", "-s", "8", "--dtype", "bf16", "--json"]
    tree = json.loads(run("tree", *same))["tree"]

    def kernels(node):
        return sum(map(kernels, node["children"])) if node["children"] else 1

    predicted = json.loads(run("predict", *same, "--predictor", tmp_path / "mine.json"))["tree"]
    assert predicted["energy_j"] == pytest.approx(WATTS * 1e-3 * kernels(tree), rel=0.15)
    assert predicted["time_s"] == pytest.approx(1e-3 * kernels(tree), rel=0.15)

    # The datasets of trees beside the windows say their precision too.
    subprocess.run([bench.wattree, "train", str(folder / "bert.jsonl"), "-o", str(tmp_path / "trees.json"), "--boundary", "gpu"],
                   check=True, capture_output=True)
    of_trees = json.loads((tmp_path / "trees.json").read_text())
    assert of_trees["dtypes"] == ["bf16"] and {twin["width"] for twin in of_trees["twins"] if twin["kind"] == "gemm"} == {2}


def test_interrupted_it_keeps_what_is_there_and_goes_on(bench):
    process = subprocess.Popen(
        bench.arguments("profile", str(bench.folder / "config.json"), "-b", "2", "-s", "8", "-o", str(bench.data)),
        env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (bench.windows.exists() and len(bench.records()) >= 2):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "interrupted: --resume goes on" in out
    kept = len(bench.records())
    assert 2 <= kept < 10
    assert json.loads(bench.data.read_text())["frontend_tree"]["ground_truth_energy"] > 0
    resumed = bench.profile("--resume", str(bench.data), "--budget", "4s")
    assert f"{kept} were there already" in resumed.stdout
    assert len(bench.records()) > kept


def test_without_a_meter_there_are_times_and_no_energy(bench):
    result = bench.profile("-o", str(bench.data), "--device", "cpu", "--budget", "4s", nvml=False)
    assert "no energy: nothing here measures it" in result.stdout
    tree = json.loads(bench.data.read_text())["frontend_tree"]
    assert tree["ground_truth_energy"] is None and tree["gpu_energy_mean"] is None
    assert tree["times_mean"] > 0
    assert all(window["energy_j"] is None for window in bench.records())
    assert bench.records("header")[0]["boundary"] is None


def test_a_short_budget_is_kept(bench):
    begun = time.monotonic()
    result = bench.profile("-o", str(bench.data), "--budget", "4s")
    assert time.monotonic() - begun < 12
    assert "the time was up" in result.stdout and "not measured" in result.stdout
    assert bench.records()[0]["subject"] == "model"


def test_what_fails_is_noted_and_the_rest_goes_on(bench):
    result = bench.profile("-o", str(bench.data),
                           environment={"FAKE_TORCH_OOM": "encoder.layer.0.intermediate.dense"})
    assert "encoder.layer.0.intermediate.dense: out of memory" in result.stdout
    assert [record["why"] for record in bench.records("failure")] == ["out of memory"]
    assert len(bench.records()) > 2


def test_a_lost_device_ends_it_with_what_there_is(bench):
    result = bench.profile("-o", str(bench.data), code=4, environment={"FAKE_TORCH_LOST": "4"})
    assert "the device is lost" in result.stdout
    assert len(bench.records()) == 3
    assert json.loads(bench.data.read_text())["frontend_tree"]["ground_truth_energy"] > 0


def test_another_process_on_the_gpu_is_refused(bench):
    with open(bench.folder / "script", "a") as script:
        script.write("process 0 4711 1048576 55\n")
    assert "other process is on the GPU" in bench.profile("-o", str(bench.data), code=4).stderr
    bench.windows.unlink()
    bench.profile("-o", str(bench.data), "--allow-load", "--budget", "3s")
    assert "other processes on the GPU" in bench.records()[0]["doubts"]


def test_without_a_plugin_it_says_what_to_build(bench):
    arguments = bench.arguments("profile", "bert-tiny", "-o", str(bench.data))
    arguments[arguments.index("--torch-plugin") + 1] = "/nonexistent/plugin.so"
    result = subprocess.run(arguments, capture_output=True, text=True)
    assert result.returncode == 4
    assert "build_torch_plugin" in result.stderr


def test_calibrate_fits_what_was_measured(bench, tmp_path):
    output = tmp_path / "mine.json"
    arguments = bench.arguments("calibrate", "--on", "mine", "-o", str(output), "--budget", "30s")
    arguments.remove("--no-anchor")
    result = subprocess.run(arguments, env=bench.environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    # Both precisions share the time, and the table says of each how sure it is.
    assert re.search(r"precision +kernels fitted to", result.stdout)
    for dtype in ("bf16", "fp32"):
        assert re.search(rf"^{dtype} +\d+ +[0-9.]+ +[0-9.]+$", result.stdout, re.M), result.stdout
        assert re.search(rf"^{dtype}: 9 of 10 kernels within ± \d+ %, models within ± \d+ %. \d+ kernels of 215 were not measured",
                         result.stdout, re.M), result.stdout
    predictor = json.loads(output.read_text())
    assert predictor["name"] == "mine" and predictor["dtypes"] == ["fp32", "bf16"]
    # Nothing is known of whole models, and the intervals say so.
    for known in ("nothing", "fp32"):
        assert predictor["intervals"][known]["energy"]["model"] >= 0.06
    # 154 kernels of 1 ms at 300 W: about 46 J.
    measured = re.search(r"a pass that was not fitted to \(bert-base-uncased, bf16, 16 × 128\): measured ([0-9.]+) J in .*, "
                         r"predicted ([-+0-9.]+) % and ([-+0-9.]+) %", result.stdout)
    assert float(measured[1]) == pytest.approx(46.2, rel=0.1)
    assert abs(float(measured[2])) < 30 and abs(float(measured[3])) < 30
    windows = [json.loads(line) for line in (tmp_path / "mine.windows.jsonl").read_text().splitlines()]
    counts = [sum(window.get("dtype") == dtype for window in windows) for dtype in ("bf16", "fp32")]
    assert min(counts) >= 10 and max(counts) <= 1.5 * min(counts)
    for dtype in ("bf16", "fp32"):
        predicted = subprocess.run([bench.wattree, "predict", "bert-tiny", "--dtype", dtype, "--predictor", str(output)],
                                   capture_output=True, text=True)
        assert predicted.returncode == 0, predicted.stderr
    # train makes the same prices of these windows.
    trained = subprocess.run([bench.wattree, "train", str(tmp_path / "mine.windows.jsonl"), "-o", str(tmp_path / "again.json")],
                             capture_output=True, text=True)
    assert trained.returncode == 0, trained.stderr
    again = json.loads((tmp_path / "again.json").read_text())
    assert again["dtypes"] == predictor["dtypes"] and again["kinds"].keys() == predictor["kinds"].keys()
    for kind, prices in again["kinds"].items():
        assert [term["energy_j"] for term in prices["terms"]] == pytest.approx(
            [term["energy_j"] for term in predictor["kinds"][kind]["terms"]], rel=1e-6, abs=1e-9), kind
    # What can not be in one predictor is refused before anything is measured.
    before = (tmp_path / "mine.windows.jsonl").read_text()
    refused = subprocess.run([*arguments, "--resume", "--dtype", "tf32"], env=bench.environment, capture_output=True, text=True,
                             timeout=60)
    assert refused.returncode == 3 and "both tf32 and fp32" in refused.stderr
    assert (tmp_path / "mine.windows.jsonl").read_text() == before


def test_calibrate_beside_others_says_so(bench, tmp_path):
    with open(bench.folder / "script", "a") as script:
        script.write("process 0 4711 1048576 55\n")
    arguments = bench.arguments("calibrate", "--on", "mine", "-o", str(tmp_path / "p.json"), "--budget", "12s", "--dtype", "bf16")
    refused = subprocess.run(arguments, env=bench.environment, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 4 and "other process" in refused.stderr
    (tmp_path / "p.windows.jsonl").unlink(missing_ok=True)
    result = subprocess.run([*arguments, "--allow-load"], env=bench.environment, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"warning: \d+ windows were measured while others used the machine", result.stderr)
    wrong = subprocess.run([*arguments, "--cache", "cold"], env=bench.environment, capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 3 and "--cache in_place,cold" in wrong.stderr


def test_calibrate_needs_a_meter(bench, tmp_path):
    arguments = bench.arguments("calibrate", "--on", "mine", "-o", str(tmp_path / "p.json"), "--budget", "2s", nvml=False)
    result = subprocess.run(arguments, env=bench.environment, capture_output=True, text=True, timeout=60)
    assert result.returncode == 4
    assert "nothing here measures energy" in result.stderr


def test_a_tiny_bert_on_the_processor_with_pytorch(bench):
    plugin = pathlib.Path(bench.wattree).parent.parent / "lib/libwattree-torch.so"
    if not plugin.exists():
        pytest.skip("no LibTorch here: the plugin was not built")
    arguments = bench.arguments("profile", str(bench.folder / "config.json"), "-b", "2", "-s", "8", "-o", str(bench.data),
                                "--device", "cpu", "--budget", "20s", "--node-limit", "1", "--json", nvml=False)
    arguments[arguments.index("--torch-plugin") + 1] = str(plugin)
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    answer = json.loads(result.stdout)
    assert answer["framework"].startswith("PyTorch") or answer["framework"]
    assert answer["windows_measured"] > 2
    nodes = {node["scope"]: node for node in answer["nodes"]}
    whole = nodes[""]
    assert whole["energy_j"] is None and whole["execution"] == "eager"
    # A whole takes longer than a part of it.
    assert all(node["time_s"] < whole["time_s"] for scope, node in nodes.items() if scope and node["kernels"] < 10)
