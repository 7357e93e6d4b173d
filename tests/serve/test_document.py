"""Calls that schemathesis makes up from the OpenAPI document, and a client that is generated from it (tools/check_http)."""

import os
import subprocess

import pytest


def test_made_up_calls_are_answered_as_the_document_says(root, wattree):
    result = subprocess.run([root / "tools/check_http", "1"], env={**os.environ, "WATTREE_BIN": str(wattree)},
                            capture_output=True, text=True, timeout=900)
    if result.stdout.startswith("skipped"):
        pytest.skip(result.stdout.strip())
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr
