"""Shared by the Python tests: where the program under test is."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def wattree():
    path = pathlib.Path(os.environ.get("WATTREE_BIN", ROOT / "build/release/bin/wattree"))
    assert path.exists(), f"{path} is not built: run make build"
    return str(path)


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory):
    """A home folder of the tests' own: the program keeps profiles and journals there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield
