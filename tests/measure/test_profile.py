"""`wattree profile` as a user meets it: every energy is known, and the real plugin where there is a LibTorch."""

import json
import os
import pathlib
import subprocess
import time

import pytest


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
        joules = bench.watts * 1e-3 * node["kernels"]
        assert node["energy_j"] == pytest.approx(joules, rel=0.2), node
        # A busy machine holds up readings; what is then doubted may be off by more, and says so.
        rel = 0.1 if node["doubts"] else 0.02
        assert node["energy_j"] / node["time_s"] == pytest.approx(bench.watts, rel=rel), node
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
    assert "measured 0 windows" in again.stdout and f"{len(windows)} were there already" in again.stdout
    assert bench.profile("-o", str(bench.data), code=3).stderr.startswith("wattree: there is a file")


def test_interrupted_it_keeps_what_is_there_and_goes_on(bench):
    out, _ = bench.interrupted(bench.arguments("profile", str(bench.folder / "config.json"), "-b", "2", "-s", "8", "-o",
                                              str(bench.data)))
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


def test_a_kernel_that_ends_its_process_is_an_error_of_its_nodes(bench):
    dense = "encoder.layer.0.intermediate.dense"
    result = bench.profile("-o", str(bench.data), "--device", "cpu", nvml=False, environment={"FAKE_TORCH_ILLEGAL": dense})
    assert f"not measured (1): {dense}: the kernel addmm ends its process: Illegal instruction (signal 4)" in result.stdout
    failed = {record["key"].split("|")[0]: record["why"] for record in bench.records("failure")}
    # The kernel, and all that it is in: its module with the activation, the layer, the encoder and the whole.
    assert len(failed) >= 4 and all("Illegal instruction" in why for why in failed.values()), failed
    measured = {record["scope"] for record in bench.records()}
    assert dense not in measured and "" not in measured
    assert {"encoder.layer.0.attention.self.query", "encoder.layer.0.output.dense", "pooler"} <= measured


def test_what_the_plugin_has_to_say_reaches_the_user_and_the_file(bench, root):
    said = {"FAKE_TORCH_NOTE": "kernels are slow here"}
    result = bench.profile("-o", str(bench.data), "--budget", "3s", environment=said)
    assert "\nkernels are slow here\n" in result.stdout
    assert bench.records("header")[0]["note"] == "kernels are slow here"
    answer = json.loads(bench.profile("--resume", str(bench.data), "--budget", "3s", "--json", environment=said).stdout)
    check(root, answer, "measured.schema.json")
    assert answer["note"] == "kernels are slow here"


def test_a_lost_device_ends_it_with_what_there_is(bench):
    result = bench.profile("-o", str(bench.data), code=4, environment={"FAKE_TORCH_LOST": "4"})
    assert "the device is lost" in result.stdout
    assert len(bench.records()) == 3
    assert json.loads(bench.data.read_text())["frontend_tree"]["ground_truth_energy"] > 0


def test_another_process_on_the_gpu_is_refused(bench):
    with open(bench.folder / "script", "a") as script:
        script.write("process 0 4711 1048576 55\n")
    assert "other process is on the GPU" in bench.profile("-o", str(bench.data), code=4).stderr
    bench.profile("-o", str(bench.data), "--allow-load", "--budget", "3s")
    assert "other processes on the GPU" in bench.records()[0]["doubts"]


@pytest.mark.parametrize("command", ["profile", "calibrate"])
@pytest.mark.parametrize("options", [["-o"], ["--resume", "-o"]])
def test_a_place_that_the_system_cannot_look_into_is_an_error(bench, command, options):
    """As a folder that may not be entered, which stops nobody who is root; a link to itself stops everybody."""
    (bench.folder / "loop").symlink_to(bench.folder / "loop")
    data = str(bench.folder / "loop" / "data.jsonl")
    if command == "profile":
        words = ["bert-tiny", options[0], data]
    else:
        words = ["--on", "fake", *options, data]
    result = subprocess.run(bench.arguments(command, *words), env=bench.environment, capture_output=True, text=True)
    assert result.returncode == 4, result.stderr
    assert result.stderr.startswith(f"wattree: cannot look for {bench.folder}/loop/data.windows.jsonl: ")
    assert "symbolic link" in result.stderr


def test_a_folder_that_one_may_not_enter_is_an_error(bench):
    if os.getuid() == 0:
        pytest.skip("root may enter every folder")
    closed = bench.folder / "closed"
    closed.mkdir()
    closed.chmod(0)
    result = bench.profile("-o", str(closed / "data.jsonl"), code=4)
    assert "Permission denied" in result.stderr and "hint: choose a folder" in result.stderr


def test_without_a_plugin_it_says_what_to_build(bench):
    arguments = bench.arguments("profile", "bert-tiny", "-o", str(bench.data))
    arguments[arguments.index("--torch-plugin") + 1] = "/nonexistent/plugin.so"
    result = subprocess.run(arguments, capture_output=True, text=True)
    assert result.returncode == 4
    assert "build_torch_plugin" in result.stderr


def test_errors_of_the_plugin_and_the_device_name_their_flags(bench):
    arguments = bench.arguments("profile", "bert-tiny", "-o", str(bench.data), "--device", "tpu", "--json")
    for flag in ("--device", "--torch-plugin"):
        result = subprocess.run(arguments, capture_output=True, text=True)
        assert result.returncode == 4
        assert json.loads(result.stderr)["error"]["field"] == flag
        arguments[arguments.index("--torch-plugin") + 1] = "/nonexistent/plugin.so"


def test_a_tiny_bert_on_the_processor_with_pytorch(bench):
    plugin = pathlib.Path(bench.wattree).parent.parent / "lib/libwattree-torch.so"
    if not plugin.exists():
        pytest.skip("no LibTorch here: the plugin was not built")
    arguments = bench.arguments("profile", str(bench.folder / "config.json"), "-b", "2", "-s", "8", "-o", str(bench.data),
                                "--device", "cpu", "--budget", "10s", "--node-limit", "1", "--json", nvml=False)
    arguments[arguments.index("--torch-plugin") + 1] = str(plugin)
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    answer = json.loads(result.stdout)
    assert answer["framework"].startswith("PyTorch")
    assert answer["windows_measured"] > 2
    nodes = {node["scope"]: node for node in answer["nodes"]}
    whole = nodes[""]
    assert whole["energy_j"] is None and whole["execution"] == "eager"
    # A whole takes longer than a part of it.
    assert all(node["time_s"] < whole["time_s"] for scope, node in nodes.items() if scope and node["kernels"] < 10)
