"""Kernels on processors that forbid some of them: oneDNN is limited where its own product ends its process, and a kernel
that ends its process is an error of its node."""

import json
import os
import pathlib
import re
import subprocess

import pytest

CONFIG = {"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64,
          "vocab_size": 100, "max_position_embeddings": 64}


@pytest.fixture(scope="session")
def build(wattree):
    folder = pathlib.Path(wattree).parent.parent
    if not (folder / "lib/libwattree-torch.so").exists():
        pytest.skip("no LibTorch here: the plugin was not built")
    return folder


def environment(**changed):
    kept = {name: value for name, value in os.environ.items()
            if name not in ("DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA")}
    return {**kept, **changed}


def profile(build, folder, *options, **changed):
    """Profiles a tiny model; its windows file by kind of record, and what was printed."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    result = subprocess.run(
        [build / "bin/wattree", "profile", folder / "config.json", "-b", "2", "-s", "8", "--device", "cpu", "--torch-plugin",
         build / "lib/libwattree-torch.so", "--nvml", "/nonexistent", "--allow-load", "-o", folder / "data.jsonl", *options],
        env=environment(**changed), capture_output=True, text=True, timeout=300)
    windows = folder / "data.windows.jsonl"
    records = {}
    for line in windows.read_text().splitlines() if windows.exists() else []:
        record = json.loads(line)
        records.setdefault(record["kind"], []).append(record)
    return result, records


@pytest.fixture(scope="session")
def dying(build):
    """The environment in which oneDNN's kernels end their process unless they are limited."""
    libraries = subprocess.run(["ldd", build / "lib/libwattree-torch.so"], capture_output=True, text=True).stdout
    if "libdnnl" not in libraries:
        pytest.skip("this LibTorch has oneDNN inside, which cannot be replaced")
    if "avx512bw" not in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip("the framework takes its products in bf16 to oneDNN only on processors with AVX-512")
    return {"LD_PRELOAD": str(build / "tests/lib/libdying_onednn.so")}


def test_a_library_whose_product_dies_is_limited_and_the_user_is_told(build, dying, tmp_path):
    result, records = profile(build, tmp_path, "--budget", "2s", **dying)
    assert result.returncode == 0, result.stderr
    note = records["header"][0]["note"]
    assert "oneDNN is limited to AVX512_CORE_BF16" in note and note in result.stdout


def test_a_limit_of_the_users_own_stays(build, dying, tmp_path):
    result, records = profile(build, tmp_path, "--budget", "2s", DNNL_MAX_CPU_ISA="AVX2", **dying)
    assert result.returncode == 0, result.stderr
    assert records["header"][0]["note"] is None and "limited" not in result.stdout


def test_every_model_in_bf16_runs_within_the_limit(build, dying):
    result = subprocess.run([build / "tests/bin/executor_test", "--gtest_filter=*bf16*"],
                            env=environment(**dying), capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout[-3000:]
    assert int(re.search(r"\[  PASSED  \] (\d+) test", result.stdout).group(1)) > 20


def test_a_product_that_ends_its_process_leaves_the_other_kernels(build, tmp_path):
    symbols = subprocess.run(["ldd", build / "lib/libwattree-torch.so"], capture_output=True, text=True).stdout
    if "libblas" not in symbols:
        pytest.skip("this LibTorch has a BLAS inside, which cannot be replaced")
    result, records = profile(build, tmp_path, "--node-limit", "1", LD_PRELOAD=str(build / "tests/lib/libdying_blas.so"))
    assert result.returncode == 0, result.stderr
    failed = [record["why"] for record in records["failure"]]
    assert "the kernel addmm ends its process: Illegal instruction (signal 4)" in failed
    assert any(re.fullmatch(r"one of its \d+ kernels ends its process: Illegal instruction \(signal 4\)", why)
               for why in failed)
    measured = {record["scope"] for record in records["window"]}
    assert any("LayerNorm" in scope for scope in measured) and not any("dense" in scope for scope in measured)
