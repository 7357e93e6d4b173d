#!/usr/bin/env python3
"""Fail on an #include between two folders of src/ that docs/layers.txt does not list, or from include/ into src/; and on a
type that two files define under one name: the linker would take the functions of one for those of the other.

A folder is a room (src/api), a folder in one (src/models/tree), or an adapter inside of such a folder (src/runs/store/sqlite),
which a room's name does not stand for. Tests may include what they like: no library is built from them."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
problems = []


def room_of(folder):
    return folder.partition("/")[0]


allowed: dict[str, set[str]] = {}  # By folder: itself, and the folders and rooms that it may include.
for number, line in enumerate((ROOT / "docs/layers.txt").read_text().splitlines(), 1):
    if line := line.split("#")[0].strip():
        folder, _, below = line.partition(":")
        known = {*allowed, *map(room_of, allowed)}
        for name in below.split():
            if name not in known or name == room_of(folder):
                problems.append(f"docs/layers.txt:{number}: {folder} names {name}, which is not above it")
        allowed[folder] = {folder, *below.split()}


def folder_of(path):
    """Of a path below src/: an adapter, a room and the folder in it, or the room alone."""
    parts = path.split("/")
    if (adapter := "/".join(parts[:3])) in allowed and len(parts) > 3:
        return adapter
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def may_include(folder, other):
    names = {other} if other.count("/") > 1 else {other, room_of(other)}
    return bool(allowed[folder] & names)


files = [path for top in ("src", "include") for path in sorted((ROOT / top).rglob("*"))
         if path.suffix in {".h", ".cc", ".inc", ".in"} and not path.name.endswith("_test.cc")]
for path in files:
    top, _, inside = path.relative_to(ROOT).as_posix().partition("/")
    folder = folder_of(inside)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*[<"]src/([^">]+)', line)
        if not include:
            continue
        where = f"{path.relative_to(ROOT)}:{number}"
        other = folder_of(include[1])
        if top == "include":
            problems.append(f"{where}: a public header reaches into src/{other}")
        elif folder not in allowed:
            problems.append(f"{where}: docs/layers.txt does not have {folder}")
        elif not may_include(folder, other):
            problems.append(f"{where}: {folder} may not include {other}")

# At the beginning of a line: types inside of others are told apart by them. Without a body it is only declared.
TYPE = re.compile(r"(?:struct|class|enum class|enum struct|enum|union) (?:\[\[\w+\]\] )?(\w+)\b(?!::)(?=[^;]*$|.*\{)")
defined: dict[str, str] = {}
for path in files:
    # The plugin has a namespace of its own: it is built against another library, into another file.
    if (ROOT / "src/measure/torch") in path.parents:
        continue
    is_local = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"namespace \{|\}  // namespace$", line):
            is_local = line.startswith("namespace")
        found = TYPE.match(line)
        if not found or is_local:
            continue
        where = f"{path.relative_to(ROOT)}:{number}"
        if found[1] in defined:
            problems.append(f"{where}: {found[1]} is defined in {defined[found[1]]} already")
        defined.setdefault(found[1], where)

print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
