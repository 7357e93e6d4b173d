"""Epochs and steps from Python, measured by the real tracker over a counter that the program itself moves."""

import json
import os
import subprocess
import sys
import tempfile
import warnings

import pytest

SCRIPT = """
import os, pathlib, sys, time
sys.path.insert(0, os.environ["PACKAGE"])
import wattree
counter = pathlib.Path(os.environ["COUNTER"])

def spend(joules):
    time.sleep(0.3)
    counter.write_text(f"{int(counter.read_text()) + int(joules * 1e6)}\\n")
    time.sleep(0.3)

with wattree.track() as run:
    assert run.is_tracked and not run.is_paused
    with run.epoch():
        with run.step("forward"):
            spend(3)
    with run.epoch("last one"):
        spend(5)
"""


@pytest.fixture
def machine(tmp_path, library):
    zone = tmp_path / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("262143328850\n")
    (zone / "energy_uj").write_text("100000000\n")
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "cpuinfo").write_text("model name\t: Test CPU\nphysical id\t: 0\n")
    (proc / "stat").write_text("cpu  1 1 1 1 1 1 1 0 0 0\ncpu0 1 1 1 1 1 1 1 0 0 0\n")
    (proc / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 500 kB\n")
    return tmp_path


def test_epochs_are_measured(machine, program, library, root):
    # A socket's path has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="wattree-", dir="/tmp") as runtime:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("WATTREE_", "SLURM"))}
        environment |= {
            "XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": str(machine / "state"), "XDG_DATA_HOME": str(machine / "data"),
            "XDG_CONFIG_HOME": str(machine / "config"), "WATTREE_LIBRARY": library, "PACKAGE": str(root / "python"),
            "COUNTER": str(machine / "sys/class/powercap/intel-rapl:0/energy_uj")}
        command = [program, "track", "--nvml", "/nonexistent", "--instance-data", "/nonexistent",
                   "--sys-root", str(machine / "sys"), "--proc-root", str(machine / "proc"), "-o", str(machine / "run.json"),
                   "--journal", str(machine / "journals"), "--", sys.executable, "-c", SCRIPT]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    profile = json.loads((machine / "run.json").read_text())
    energies = [sum(part["energy_j"] for part in epoch["energy"]) for epoch in profile["epochs"]]
    assert energies == pytest.approx([3.0, 5.0], abs=0.01)
    journal, = (machine / "journals").iterdir()
    records = [json.loads(line[9:]) for line in journal.read_text().splitlines()[1:]]
    names = [record["name"] for record in records if record["record"] == "epoch"]
    assert names == ["1", "last one"]


def test_without_a_tracker_nothing_happens(monkeypatch):
    import wattree

    monkeypatch.delenv("WATTREE_TRACK", raising=False)
    monkeypatch.setenv("WATTREE_LIBRARY", "/nonexistent/libwattree.so")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with wattree.track() as run, run.epoch("one"), run.step("forward"):
            assert not run.is_tracked and not run.is_paused


def test_an_epoch_that_fails_ends_and_the_error_is_the_programs(library, monkeypatch):
    import wattree

    monkeypatch.setenv("WATTREE_TRACK", "unix:/nonexistent/socket")
    with wattree.track() as run, pytest.raises(ValueError, match="mine"):
        with run.epoch("bad\0name"):
            raise ValueError("mine")
    assert not run.is_tracked


def test_a_missing_library_is_told_and_is_no_error(monkeypatch):
    import wattree

    monkeypatch.setenv("WATTREE_TRACK", "unix:/nonexistent/socket")
    monkeypatch.setenv("WATTREE_LIBRARY", "/nonexistent/libwattree.so")
    with pytest.warns(RuntimeWarning, match="not told to the tracker.*make build"):
        with wattree.track() as run, run.epoch():
            pass


def test_a_library_that_is_another_is_told(monkeypatch):
    from wattree import library

    monkeypatch.setenv("WATTREE_LIBRARY", "libm.so.6")
    with pytest.raises(library.LibraryError, match="has no wattree_"):
        library.load_library()


def test_the_library_is_looked_for_beside_the_package(monkeypatch, tmp_path):
    from wattree import library

    monkeypatch.delenv("WATTREE_LIBRARY", raising=False)
    monkeypatch.setattr(library, "__file__", str(tmp_path / "library.py"))
    assert library.library_path() != str(tmp_path / "libwattree.so")
    (tmp_path / "libwattree.so").write_bytes(b"")
    assert library.library_path() == str(tmp_path / "libwattree.so")
    with pytest.raises(library.LibraryError, match="make build"):
        library.load_library()
