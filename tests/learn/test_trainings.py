"""Measured trainings against predicted forward passes (data/h200-trainings)."""

import re
import subprocess
import sys


def factors(table):
    return {row[0]: float(row[1]) for row in re.findall(r"^\| (.*?) \|.*\| ([0-9.]+) \|$", table, re.MULTILINE)}


def test_training_factors_are_those_of_the_documents(wattree, root):
    command = [sys.executable, root / "tools/measure_trainings.py", "table", root / "data/h200-trainings",
               "--wattree", wattree]
    found = factors(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    written = factors((root / "data/h200-trainings/README.md").read_text())
    assert len(found) == 5
    assert found == written
    # docs/predicting.md says between which values they were.
    least, most = re.search(r"factor was ([0-9.]+) to ([0-9.]+)\.", (root / "docs/predicting.md").read_text()).groups()
    assert float(least) == round(min(found.values()), 1)
    assert float(most) == round(max(found.values()), 1)
