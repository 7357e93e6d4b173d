"""What `wattree profile` and `calibrate` are tried out on: a plugin in which every kernel takes 1 ms, and a GPU whose counter
grows by 300 W, so that every energy is known."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

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
    config, watts = CONFIG, 300

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

    def interrupted(self, arguments):
        """Ctrl-C after two windows: what the command then says."""
        process = subprocess.Popen(arguments, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (self.windows.exists() and len(self.records()) >= 2):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, out + err
        return out, err


@pytest.fixture
def bench(tmp_path, wattree):
    return Bench(tmp_path, wattree)
