"""A device that nobody measured, scaled by datasheets, held against what IrEne published of a GTX 1070 (docs/predicting.md)."""

import csv
import json
import statistics
import subprocess

import pytest


def test_an_assumed_card_is_as_far_off_as_the_documents_say(wattree, root):
    path = root.parent / "shared/irene-dataset/model_level_features.csv"
    if not path.exists():
        pytest.skip("IrEne's measurements are not here")
    energy, time = [], []
    for row in csv.DictReader(path.open()):
        sizes = ["-b", f"{float(row['batch_size']):.0f}", "-s", f"{float(row['seq_len']):.0f}"]
        told = subprocess.run([wattree, "predict", row["model_name"].split("/")[-1], "--as", "base", "--on", "gtx-1070", *sizes, "--dtype", "fp32",
                               "--attention", "eager", "--json"], capture_output=True, text=True)
        if told.returncode:  # A model that is not bundled.
            continue
        pass_ = json.loads(told.stdout)["tree"]
        assert pass_["basis"]["kind"] == "assumed"
        energy.append(pass_["energy_j"] / float(row["gpu_energy_mean"]))
        time.append(pass_["time_s"] / float(row["times_mean"]))
    said = (len(energy), *(round(f(ratios), 2) for ratios in (energy, time) for f in (min, statistics.median, max)))
    assert said == (166, 0.89, 1.0, 1.34, 1.07, 1.28, 2.15)
