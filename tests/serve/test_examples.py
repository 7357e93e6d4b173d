"""The curl examples of docs/server.md work as they stand, but for the port."""

import json
import re
import shlex
import shutil
import subprocess

import pytest


def examples(root):
    text = (root / "docs/server.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("curl ")]


def test_curl_examples_are_answered(root, server):
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    found = examples(root)
    assert len(found) >= 5
    for line in found:
        command = [part.replace("http://127.0.0.1:8080", server.url) for part in shlex.split(line)]
        result = subprocess.run([*command, "--silent", "--show-error", "--fail"], capture_output=True, text=True, cwd=root)
        assert result.returncode == 0, (line, result.stderr)
        json.loads(result.stdout)
