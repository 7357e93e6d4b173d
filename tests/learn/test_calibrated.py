"""A predictor fitted to a few minutes of kernels alone, held against what was measured of whole passes (docs/measuring.md)."""

import json
import subprocess

import pytest


@pytest.fixture(scope="module")
def calibrated(wattree, root, tmp_path_factory):
    path = tmp_path_factory.mktemp("calibrated") / "calibrated.json"
    subprocess.run([wattree, "train", "data/h200-calibration", "-o", path], check=True, capture_output=True, cwd=root)
    return path


@pytest.mark.parametrize("data, passes, steps", [("data/h200", (5.5, 5.4), (5.1, 6.9)), ("data/h200-check", (3.5, 3.8), (5.7, 5.7))])
def test_errors_are_as_the_documents_say(data, passes, steps, wattree, root, calibrated):
    told = subprocess.run([wattree, "evaluate", data, "--predictor", calibrated, "--json"], check=True, capture_output=True, text=True, cwd=root)
    errors = {row["name"]: row for row in json.loads(told.stdout)["by_subject"]}
    for name, expected in (("whole passes", passes), ("decode steps", steps)):
        assert (round(errors[name]["mean"], 1), round(errors[name]["time_mean"], 1)) == expected
        assert errors[name]["interval_coverage"] > 99
    # What ran by itself has no anchor in common with what ran in the framework.
    assert json.loads(told.stdout)["over_anchor"] == []
