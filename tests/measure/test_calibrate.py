"""`wattree calibrate`, and `train` on what was profiled, as a user meets them."""

import json
import re
import subprocess

import pytest


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
        assert re.search(rf"^{dtype}: 9 of 10 kernels within ± \d+ %, models within ± \d+ %. \d+ kernels of \d+ were not measured",
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
    # Most of the list was not measured, and an H200, which this is not like, stands in for it: no more than the order of
    # magnitude can be right, and the intervals know.
    assert abs(float(measured[2])) < 300 and abs(float(measured[3])) < 300
    assert predictor["intervals"]["nothing"]["energy"]["model"] > abs(1 - 1 / (1 + float(measured[2]) / 100))
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


def test_a_quick_calibration_is_found_by_predict(bench, tmp_path):
    """Every kernel takes 1 ms at 300 W, also while nothing runs."""
    environment = {**bench.environment, "XDG_DATA_HOME": str(tmp_path)}

    def run(*arguments, code=0):
        result = subprocess.run([*map(str, arguments)], env=environment, capture_output=True, text=True, timeout=120)
        assert result.returncode == code, result.stdout + result.stderr
        return result

    before = json.loads(run(bench.wattree, "predict", "bert-tiny", "--json").stdout)
    assert before["predictor"]["name"] == "h200" if isinstance(before["predictor"], dict) else before["predictor"] == "h200"
    result = run(*bench.arguments("calibrate", "--quick", "--over", "h200", "--python", "no-such-python"))
    file = tmp_path / "wattree/predictors/this-machine.json"
    assert f"{file}: factors over h200, of Fake GPU with Test CPU, 1 CPUs, measured in" in result.stdout
    overlay = json.loads(file.read_text())
    assert overlay["name"] == "this-machine" and overlay["over"] == "h200" and overlay["card"] == "Fake GPU"
    readings = {reading["what"]: reading for reading in overlay["readings"]}
    anchor = readings["bert-base-uncased, bf16, 16 × 128"]
    assert anchor["measured_s"] == pytest.approx(0.154, rel=0.1) and anchor["measured_j"] == pytest.approx(46.2, rel=0.1)
    stream = readings["an addition that streams from memory"]
    assert stream["measured_s"] == pytest.approx(1e-3, rel=0.1) and stream["measured_j"] == pytest.approx(0.3, rel=0.1)
    assert overlay["factors"]["idle"] == pytest.approx(300 / readings["idle for a second"]["predicted_j"], rel=0.05)
    # An H200 is a hundred times as quick: factors end at ten, and somebody should look into it.
    assert overlay["factors"]["compute"]["time"] == 10
    assert "the factor of arithmetic is far from 1" in result.stderr
    assert "no pass was launched from Python (no-such-python: No such file or directory)" in result.stderr
    windows = [json.loads(line) for line in (file.parent / "this-machine.windows.jsonl").read_text().splitlines()]
    assert [window["execution"] for window in windows if window["kind"] == "window"] == ["graph", *10 * ["eager"]]
    # predict uses it by itself and says so; --on h200 asks for the shipped one.
    after = run(bench.wattree, "predict", "bert-tiny")
    assert re.match(r"1× .*predicted by this-machine \(h200, calibrated \d{4}-\d\d-\d\d to Fake GPU with Test CPU, 1 CPUs\)",
                    "".join(line for line in after.stdout.splitlines() if "predicted by" in line)), after.stdout
    assert "predicted by h200 (shipped)" in run(bench.wattree, "predict", "bert-tiny", "--on", "h200").stdout
    # Once more replaces it; another name and another file stand beside it.
    # A Python without PyTorch runs the script, and says so.
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec python3 -S -I \"$@\"\n")
    python.chmod(0o755)
    again = run(*bench.arguments("calibrate", "--quick", "--over", "h200", "--python", python, "--on", "second"))
    assert f"({python}: it has no torch)" in again.stderr
    assert "predicted by second" in run(bench.wattree, "predict", "bert-tiny", "--on", "second").stdout
    file.rename(tmp_path / "third.json")
    assert "predicted by this-machine" in run(bench.wattree, "predict", "bert-tiny", "--predictor", tmp_path / "third.json").stdout


def test_a_quick_calibration_times_what_python_launches(bench, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho '[0.01, 0.02, 0.03, 0.04]'\necho '[0.03, 0.02, 0.03, 0.04]'\n")
    python.chmod(0o755)
    file = tmp_path / "quick.json"
    arguments = bench.arguments("calibrate", "--quick", "--over", "h200", "--python", str(python), "-o", str(file))
    result = subprocess.run(arguments, env=bench.environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "from Python (" not in result.stderr
    overlay = json.loads(file.read_text())
    launched = {reading["what"]: reading for reading in overlay["readings"] if "from Python" in reading["what"]}
    # What keeps this slow device busy anyway says nothing of the host.
    assert 1 <= len(launched) <= 4 and launched.keys() <= {f"{model}, 1 × {length}, from Python" for model, length in (
        ("bert-base-uncased", 40), ("gpt2", 24), ("pythia-160m", 30), ("qwen2.5-0.5b", 20))}
    windows = [json.loads(line) for line in (tmp_path / "quick.windows.jsonl").read_text().splitlines()]
    assert "eager" not in [window["execution"] for window in windows if window["kind"] == "window"]


def test_a_quick_calibration_refuses_what_it_cannot_do(bench, tmp_path):
    def fail(*options, nvml=True):
        result = subprocess.run(bench.arguments("calibrate", *options, nvml=nvml), env=bench.environment, capture_output=True, text=True,
                                timeout=60)
        assert result.returncode in (2, 3, 4), result.stdout + result.stderr
        return result.stderr

    output = ("-o", str(tmp_path / "p.json"))
    assert 'no predictor is known for "Fake GPU"' in fail("--quick", *output)
    assert "--dtype does not go with --quick" in fail("--quick", "--dtype", "bf16", *output)
    assert "--resume does not go with --quick" in fail("--quick", "--resume", *output)
    assert "--python belongs to --quick" in fail("--python", "python3", "--on", "mine", *output)
    assert "--over belongs to --quick" in fail("--over", "h200", "--on", "mine", *output)
    assert "--on is required" in fail(*output)
    assert "--output is required" in fail("--on", "mine")
    assert "is not a name" in fail("--quick", "--on", "a/b")
    assert "nothing here measures energy" in fail("--quick", "--over", "h200", *output, nvml=False)
    assert not list(tmp_path.glob("p.json"))


def test_calibrate_beside_others_says_so(bench, tmp_path):
    with open(bench.folder / "script", "a") as script:
        script.write("process 0 4711 1048576 55\n")
    arguments = bench.arguments("calibrate", "--on", "mine", "-o", str(tmp_path / "p.json"), "--budget", "12s", "--dtype", "bf16")
    refused = subprocess.run(arguments, env=bench.environment, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 4 and "other process" in refused.stderr
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
    assert not list(tmp_path.glob("p.*"))  # It was found out before anything was measured.


def test_an_interrupted_calibration_goes_on(bench):
    command = ["calibrate", "--on", "mine", "-o", str(bench.folder / "data.json"), "--dtype", "bf16"]
    _, err = bench.interrupted(bench.arguments(*command))
    assert "too few to fit a predictor" in err and "--resume" in err
    kept = len(bench.records())
    assert 2 <= kept < 10
    resumed = subprocess.run(bench.arguments(*command, "--resume", "--budget", "10s"), env=bench.environment, capture_output=True,
                             text=True, timeout=60)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert f"{kept} were there already" in resumed.stdout
    assert (bench.folder / "data.json").exists()


def test_windows_of_several_models_make_a_predictor(bench, tmp_path):
    """Every kernel takes 1 ms and 0.3 J, so that is what a predictor must find."""
    folder = tmp_path / "measured"
    folder.mkdir()
    for name, config in {"bert": bench.config, "opt": {"model_type": "opt", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
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
    assert predicted["energy_j"] == pytest.approx(bench.watts * 1e-3 * kernels(tree), rel=0.15)
    assert predicted["time_s"] == pytest.approx(1e-3 * kernels(tree), rel=0.15)

    # The datasets of trees beside the windows say their precision too.
    subprocess.run([bench.wattree, "train", str(folder / "bert.jsonl"), "-o", str(tmp_path / "trees.json"), "--boundary", "gpu"],
                   check=True, capture_output=True)
    of_trees = json.loads((tmp_path / "trees.json").read_text())
    assert of_trees["dtypes"] == ["bf16"] and {twin["width"] for twin in of_trees["twins"] if twin["kind"] == "gemm"} == {2}
