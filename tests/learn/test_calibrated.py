"""A predictor fitted to a few minutes of kernels alone, held against what was measured of whole passes (docs/measuring.md)."""

import json
import subprocess

import jsonschema
import pytest


@pytest.fixture(scope="module")
def calibrated(wattree, root, tmp_path_factory):
    path = tmp_path_factory.mktemp("calibrated") / "calibrated.json"
    subprocess.run([wattree, "train", "data/h200-calibration", "-o", path], check=True, capture_output=True, cwd=root)
    return path


@pytest.mark.parametrize("data, passes, steps", [("data/h200", (5.4, 5.4), (5.1, 6.8)), ("data/h200-check", (3.5, 3.8), (5.7, 5.8))])
def test_errors_are_as_the_documents_say(data, passes, steps, wattree, root, calibrated):
    told = subprocess.run([wattree, "evaluate", data, "--predictor", calibrated, "--json"], check=True, capture_output=True, text=True, cwd=root)
    errors = {row["name"]: row for row in json.loads(told.stdout)["by_subject"]}
    for name, expected in (("whole passes", passes), ("decode steps", steps)):
        assert (round(errors[name]["mean"], 1), round(errors[name]["time_mean"], 1)) == expected
        assert errors[name]["interval_coverage"] > 99
    # What ran by itself has no anchor in common with what ran in the framework.
    assert json.loads(told.stdout)["over_anchor"] == []


def test_passes_launched_from_python_alone_can_be_checked(wattree, root):
    """Nothing of them can be fitted to, so that the measurements themselves are not checked."""
    check = [wattree, "evaluate", "data/h200-launches-check", "--predictor", "h200", "--json"]
    told = subprocess.run(check, check=True, capture_output=True, text=True, cwd=root)
    answer = json.loads(told.stdout)
    assert [row["count"] for row in answer["by_subject"]] == [14] and "additivity" not in answer
    schema = json.loads((root / "docs/schemas/evaluate-kernels.schema.json").read_text())
    assert not list(jsonschema.Draft202012Validator(schema).iter_errors(answer))
    refused = subprocess.run([wattree, "evaluate", "data/h200-launches-check", "--json"], capture_output=True, text=True, cwd=root)
    assert refused.returncode == 3 and "no measurement to fit prices to" in refused.stderr


def test_a_minute_on_a_host_tells_what_python_takes(wattree, root):
    """docs/measuring.md: each half of the passes just after a reading of its host."""
    errors, inside = [], []
    for windows, reading in (("windows-a.jsonl", "quick-1.json"), ("windows-c.jsonl", "quick-4.json")):
        check = [wattree, "evaluate", f"data/h200-fresh-check/{windows}", "--predictor", f"data/h200-fresh-check/{reading}", "--json"]
        (row,) = json.loads(subprocess.run(check, check=True, capture_output=True, text=True, cwd=root).stdout)["by_subject"]
        errors += row["count"] * [row["mean"]]
        inside += row["count"] * [row["interval_coverage"]]
    assert len(errors) == 21 and round(sum(errors) / 21) == 14 and round(sum(inside) / 21) == 95
