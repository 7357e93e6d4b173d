"""What continuous integration is told: the last line counts checks and tests, whatever goes wrong before it."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def last_line(folder, check, tests):
    """Of .ci/run in a made-up clone, where the checks and `make test` do what these lines of shell say."""
    for name, text in {"tools/install_dependencies": "exit 0", "tools/check": check, "tools/tests": tests}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    (folder / "Makefile").write_text("test:\n\t@tools/tests\n")
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci")
    done = subprocess.run([folder / ".ci/run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.splitlines()[-1], done.returncode


GOOD = "echo 'ok   format (1 s)'; echo 'skip ruff and mypy: no network'"
TESTS = "echo '10 passed, 0 failed, 2 skipped'"


@pytest.mark.parametrize("check,tests,summary,status", [
    (GOOD, TESTS, "11 passed, 0 failed, 3 skipped", 0),
    (f"{GOOD}; echo 'FAIL layers (0 s)'; exit 1", TESTS, "11 passed, 1 failed, 3 skipped", 1),
    (GOOD, "echo '9 passed, 1 failed, 2 skipped'; exit 1", "10 passed, 1 failed, 3 skipped", 1),
    (GOOD, f"{TESTS}; exit 1", "11 passed, 1 failed, 3 skipped", 1),
    (GOOD, "echo 'no compiler'; exit 2", "1 passed, 1 failed, 1 skipped", 1),
    ("echo broken; exit 127", TESTS, "10 passed, 1 failed, 2 skipped", 1),
])
def test_the_last_line_is_the_sum(check, tests, summary, status, tmp_path):
    assert last_line(tmp_path, check, tests) == (summary, status)


def test_checks_of_python_are_skipped_without_a_network(tmp_path):
    (tmp_path / "tools").mkdir()
    for name in ("check_python", "check_requirements.txt"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools")
    nowhere = os.environ | {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_CACHE_DIR": "1", "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run([tmp_path / "tools/check_python"], stdout=subprocess.PIPE, text=True, check=False, env=nowhere)
    assert done.returncode == 0 and done.stdout.startswith("skipped, ")
    assert not list(tmp_path.glob("build/check-python-*"))
