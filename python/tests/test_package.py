"""The package installs without a network, and finds the library beside it."""

import importlib.util
import re
import shutil
import subprocess
import sys

import pytest


def test_pip_installs_it_offline(root, library, tmp_path):
    for module in ("pip", "setuptools", "wheel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed here")
    source, target = tmp_path / "python", tmp_path / "target"
    shutil.copytree(root / "python", source, ignore=shutil.ignore_patterns("tests", "__pycache__", "build", "*.egg-info"))
    shutil.copy(library, source / "wattree")
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
                    "--disable-pip-version-check", "--root-user-action=ignore", "--target", target, source], check=True)
    code = ("import wattree, wattree.library as l; from wattree import profile, track\n"
            "assert l.library_path().startswith(wattree.__path__[0]); l.load_library(); print(wattree.__version__)")
    result = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(target)}, cwd=tmp_path, capture_output=True,
                            text=True, check=True)
    assert result.stdout.strip() in (source / "wattree/_version.py").read_text()
    assert (target / f"wattree-{result.stdout.strip()}.dist-info").is_dir()
    assert (target / "wattree/py.typed").exists()
    shipped = {path.stem: path.read_text() for path in (target / "wattree").glob("*.py")}
    assert {"profiler", "tracking", "nvml", "rapl", "sampler"} <= set(shipped)
    # What measures this project's own datasets, and stand-ins of tests.
    assert not {"collect", "fake", "grid", "kinds", "launches", "plan"} & set(shipped)
    for name, source in shipped.items():
        for other in re.findall(r"^ *from wattree\.(\w+) import", source, re.MULTILINE):
            assert other in shipped, f"{name} needs {other}"
