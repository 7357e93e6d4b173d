"""A machine for `wattree track`, with folders and meters of its own.

The meters are fake /sys trees: the command itself writes the energy counter, so that what is measured is known to the
microjoule; or a declared power, so that energy is power times the run's own duration."""

import json
import os
import pathlib
import pty
import subprocess
import tempfile
import threading
import time

import pytest

MICRO = 1_000_000


class Machine:
    """A machine with one RAPL package, whose counter the tests move, and folders of its own."""

    def __init__(self, folder, wattree):
        self.folder, self.wattree = folder, wattree
        zone = folder / "sys/class/powercap/intel-rapl:0"
        zone.mkdir(parents=True)
        (zone / "name").write_text("package-0\n")
        (zone / "max_energy_range_uj").write_text("262143328850\n")
        self.counter = zone / "energy_uj"
        self.counter.write_text(f"{100 * MICRO}\n")
        proc = folder / "proc"
        proc.mkdir()
        (proc / "cpuinfo").write_text("model name\t: Test CPU\nphysical id\t: 0\n")
        (proc / "stat").write_text("cpu  1 1 1 1 1 1 1 0 0 0\ncpu0 1 1 1 1 1 1 1 0 0 0\n")
        (proc / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 500 kB\n")
        # A socket's path has at most 107 bytes, and the clone may lie deep.
        self._runtime = tempfile.TemporaryDirectory(prefix="wattree-", dir="/tmp")
        self.output = folder / "run.json"
        self.nvml = "/nonexistent"
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self._runtime.name, "XDG_STATE_HOME": str(folder / "state"),
                            "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"),
                            "COUNTER": str(self.counter)}
        for name in ("WATTREE_REGION", "WATTREE_JOB", "WATTREE_TRACK", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "WORLD_SIZE",
                     "OMPI_COMM_WORLD_SIZE"):
            self.environment.pop(name, None)

    def use_nvml(self, script):
        """Puts a fake NVML in the machine, which does what the script says."""
        path = self.folder / "nvml"
        path.write_text("driver 580.65.06\ngpu 0 GPU-aaaa NVIDIA H200\n" + script)
        self.environment["FAKE_NVML_SCRIPT"] = str(path)
        self.nvml = str(pathlib.Path(self.wattree).parent.parent / "tests/lib/libfake_nvml.so")

    def arguments(self, *options, command=(), meters=True):
        roots = ["--sys-root", str(self.folder / "sys"), "--proc-root", str(self.folder / "proc")] if meters else []
        return [self.wattree, "track", "--nvml", self.nvml, "--instance-data", str(self.folder / "cloud.json"), *roots,
                "-o", str(self.output), *options, *(["--", *command] if command else [])]

    def track(self, *options, command, code=0, **kwargs):
        result = subprocess.run(self.arguments(*options, command=command), env=self.environment, capture_output=True,
                                timeout=60, **kwargs)
        assert result.returncode == code, result.stderr.decode()
        return result

    def start(self, *options, command=(), **kwargs):
        kwargs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs}
        return subprocess.Popen(self.arguments(*options, command=command), env=self.environment, **kwargs)

    def profile(self):
        return json.loads(self.output.read_text())

    def journals(self, folder="state/wattree/journals"):
        return sorted((self.folder / folder).glob("*.journal"))


def energy(epoch):
    return sum(part["energy_j"] for part in epoch["energy"])


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come")


class Lateness:
    """How late a busy machine wakes a process that waits, at worst, while this goes on: no tracker can be better."""

    def __enter__(self):
        self.worst, self._is_over = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self):
        while not self._is_over.is_set():
            before = time.monotonic()
            time.sleep(0.01)
            self.worst = max(self.worst, time.monotonic() - before - 0.01)

    def __exit__(self, *ignored):
        self._is_over.set()
        self._thread.join()


def fork_with_terminal():
    """As pty.fork(). Where the system has no pseudo-terminals (a chroot or container without /dev/pts), that is no fault of
    the program's."""
    try:
        return pty.fork()
    except OSError as error:
        pytest.skip(f"this system has no pseudo-terminals: {error}")


def records(journal):
    return [json.loads(line[9:]) for line in journal.read_text().splitlines()[1:]]


def records_so_far(journal):
    lines = journal.read_bytes().split(b"\n")[1:-1]
    return [json.loads(line[9:]) for line in lines]


def wattree_on(machine, *arguments):
    return subprocess.run([machine.wattree, *arguments], env=machine.environment, capture_output=True, check=True).stdout.decode()
