"""Shared by the tests of `wattree track`."""

import pytest
from tracked_machine import Machine


@pytest.fixture
def machine(tmp_path, wattree):
    return Machine(tmp_path, wattree)
