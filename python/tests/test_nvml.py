"""The binding of NVIDIA's library, against the stand-in that the C++ tests use too."""

import ctypes
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = """
driver 580.65.06
gpu 0 GPU-aaaa NVIDIA H200
gpu 1 GPU-bbbb NVIDIA H200
0 0 energy_mj 1000
0 1 energy_mj 123456789
0 1 power_mw 612500
0 1 limit_mw 700000
0 1 gpu_percent 97
0 1 memory_used 1048576
0 1 memory_total 150754820096
0 0 memory_used 1
0 0 memory_total 150754820096
0 1 sm_mhz 1980
0 1 memory_mhz 3201
0 1 celsius 55
0 1 throttle 4
process 1 4711 1048576 55
"""
ASK = """
import dataclasses, json, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[4]:
    import types
    cuda = types.SimpleNamespace(is_initialized=lambda: sys.argv[4] == "computes")
    sys.modules["torch"] = types.SimpleNamespace(cuda=cuda)
from wattree.nvml import Gpu, NvmlError
try:
    gpu = Gpu(sys.argv[3] or None, sys.argv[2])
    print(json.dumps({"energy_j": gpu.energy_j(), "name": gpu.name, "driver": gpu.driver, "limit_w": gpu.power_limit_w,
                      "memory_bytes": gpu.memory_bytes, "others": gpu.other_processes(), "state": dataclasses.asdict(gpu.state())}))
except NvmlError as error:
    print(json.dumps({"error": str(error)}))
"""


@pytest.fixture(scope="module")
def library():
    build = pathlib.Path(os.environ.get("WATTREE_BUILD", ROOT / "build/release"))
    path = build / "tests/lib/libfake_nvml.so"
    if not path.exists():
        pytest.skip(f"{path.name} is not built: run make test")
    return path


def ask(library, tmp_path, script=SCRIPT, uuid="GPU-bbbb", torch=""):
    # In a process of its own: the stand-in reads its script once, when it is loaded.
    (tmp_path / "script").write_text(script)
    answer = subprocess.run([sys.executable, "-c", ASK, str(ROOT / "python"), str(library), uuid, torch],
                            capture_output=True, text=True,
                            env=os.environ | {"FAKE_NVML_SCRIPT": str(tmp_path / "script")}, check=True)
    return json.loads(answer.stdout)


def test_everything_of_the_right_gpu_in_the_right_unit(library, tmp_path):
    answer = ask(library, tmp_path)
    assert answer["energy_j"] == pytest.approx(123456.789)
    assert answer["name"] == "NVIDIA H200" and answer["driver"] == "580.65.06"
    assert answer["limit_w"] == 700.0 and answer["memory_bytes"] == 150754820096
    assert answer["others"] == [4711]
    state = answer["state"]
    assert state["power_w"] == pytest.approx(612.5)
    assert (state["gpu_percent"], state["sm_clock_mhz"], state["memory_clock_mhz"]) == (97, 1980, 3201)
    assert (state["temperature_c"], state["throttle_reasons"], state["memory_used_bytes"]) == (55, 4, 1048576)


def test_in_a_container_we_are_not_another_process(library, tmp_path):
    # The host's number for this process is another one than its own: one that computes is us, and the rest are others.
    assert ask(library, tmp_path, torch="computes")["others"] == []
    assert ask(library, tmp_path, torch="does not")["others"] == [4711]
    two = SCRIPT + "process 1 4712 1048576 55\n"
    assert len(ask(library, tmp_path, two, torch="computes")["others"]) == 1


def test_what_the_driver_does_not_tell_is_none(library, tmp_path):
    answer = ask(library, tmp_path, uuid="GPU-aaaa")
    assert answer["energy_j"] == 1.0
    assert answer["limit_w"] is None and answer["state"]["power_w"] is None and answer["state"]["sm_clock_mhz"] is None


def test_errors_say_what_was_asked(library, tmp_path):
    assert "nvmlInit_v2" in ask(library, tmp_path, "init 9\n")["error"]
    assert "GPU-cccc" in ask(library, tmp_path, uuid="GPU-cccc")["error"]


def test_no_library_is_an_error_with_a_hint():
    from wattree.nvml import Gpu, NvmlError

    with pytest.raises(NvmlError, match="driver"):
        Gpu(library="libno-such-thing.so.1")


def test_layouts_are_those_of_the_interface():
    from wattree import nvml

    # nvmlFieldValue_t and nvmlProcessInfo_t of the NVML reference on 64-bit machines.
    assert ctypes.sizeof(nvml._FieldValue) == 40
    assert ctypes.sizeof(nvml._Process) == 24
