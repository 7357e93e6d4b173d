"""What bash offers after Tab."""

import os
import subprocess

import pytest


@pytest.fixture(scope="module")
def offered(wattree):
    script = subprocess.run([wattree, "completions", "bash"], check=True, capture_output=True, text=True).stdout

    def after(*words):
        quoted = " ".join(f"'{word}'" for word in ("wattree", *words))
        ask = f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _wattree; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        path = f"{os.path.dirname(wattree)}:{os.environ['PATH']}"
        run = subprocess.run(["bash", "-c", ask], check=False, capture_output=True, text=True, env={**os.environ, "PATH": path})
        return run.stdout.split()

    return after


def test_commands_are_offered_first(offered):
    assert offered("predi") == ["predict"]


def test_values_fit_their_option(offered):
    assert set(offered("predict", "gpt2", "--dtype", "")) == {"fp32", "bf16", "fp16", "tf32"}
    assert {"int8", "int4"} < set(offered("tree", "gpt2", "--dtype", ""))
    assert set(offered("profile", "gpt2", "--execution", "")) == {"graph", "eager"}
    assert "a100-sxm4-80gb" in offered("predict", "gpt2", "--on", "a100")
    assert "gpt2" not in offered("predict", "gpt2", "--on", "gp")
    assert offered("carbon", "1kWh", "--region", "US-G") == ["US-GA"]


def test_models_and_profiles_are_offered_where_they_belong(offered):
    assert "gpt2-large" in offered("tree", "gpt2-l")
    assert "bert-base-v100" in offered("report", "bert-b")


def test_every_offered_device_is_understood(offered, wattree):
    for name in offered("predict", "gpt2", "--on", "h"):
        run = subprocess.run([wattree, "predict", "bert-tiny", "--dtype", "bf16", "--on", name], check=False, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
