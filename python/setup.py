"""Builds the package from the modules that its public names need.

The folder also holds what measures this project's own datasets, for tools/measure_dataset.py: a user has no use for that.
Everything else that setuptools wants to know is in pyproject.toml.
"""

from __future__ import annotations

import ast
import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py


def imported(source: str) -> set[str]:
    """The modules of the package that a module imports, at its top or inside a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "wattree":
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("wattree."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("wattree."))
    return names


def needed(folder: pathlib.Path) -> set[str]:
    """__init__ and what it reaches."""
    found: set[str] = set()
    left = {"__init__"}
    while left:
        name = left.pop()
        module = folder / f"{name}.py"
        if name not in found and module.exists():
            found.add(name)
            left |= imported(module.read_text(encoding="utf-8"))
    return found


class BuildNeeded(build_py):
    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        ships = needed(pathlib.Path(package_dir))
        return [found for found in super().find_package_modules(package, package_dir) if found[1] in ships]


setup(cmdclass={"build_py": BuildNeeded})
