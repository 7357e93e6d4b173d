"""The program's output, letter by letter, for stored configs."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent


def load_refresh():
    loader = importlib.machinery.SourceFileLoader("refresh", str(FOLDER / "refresh"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("refresh", loader))
    loader.exec_module(module)
    return module


REFRESH = load_refresh()
CASES = list(REFRESH.cases())


@pytest.mark.parametrize("name,arguments", CASES, ids=[name for name, _ in CASES])
def test_output_is_as_stored(name, arguments, wattree):
    run = REFRESH.run(wattree, arguments)
    assert run.returncode == 0, run.stderr
    assert run.stdout == (FOLDER / "expected" / name).read_text(), "if this is meant: tests/golden/refresh"


def test_same_input_same_bytes(wattree):
    command = [wattree, "tree", "llama-3.2-1b", "--json"]
    first, second = (subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2))
    assert first == second
