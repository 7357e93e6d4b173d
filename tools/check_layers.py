#!/usr/bin/env python3
"""Fail on an #include between two folders of src/ that docs/layers.txt does not list, or from include/ into src/; and on a
type that two files define under one name: the linker would take the functions of one for those of the other.

Tests may include what they like: no library is built from them."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
problems = []

allowed = {}
for number, line in enumerate((ROOT / "docs/layers.txt").read_text().splitlines(), 1):
    if line := line.split("#")[0].strip():
        folder, _, below = line.partition(":")
        for name in below.split():
            if name not in allowed:
                problems.append(f"docs/layers.txt:{number}: {folder} names {name}, which is not above it")
        allowed[folder] = {folder, *below.split()}

files = [path for top in ("src", "include") for path in sorted((ROOT / top).rglob("*"))
         if path.suffix in {".h", ".cc", ".inc", ".in"} and not path.name.endswith("_test.cc")]
for path in files:
    top, folder = path.relative_to(ROOT).parts[:2]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*[<"]src/([^/">]+)', line)
        if not include:
            continue
        where = f"{path.relative_to(ROOT)}:{number}"
        if top == "include":
            problems.append(f"{where}: a public header reaches into src/{include[1]}")
        elif folder not in allowed:
            problems.append(f"{where}: docs/layers.txt does not have {folder}")
        elif include[1] not in allowed[folder]:
            problems.append(f"{where}: {folder} may not include {include[1]}")

# At the beginning of a line: types inside of others are told apart by them. Without a body it is only declared.
TYPE = re.compile(r"(?:struct|class|enum class|enum struct|enum|union) (\w+)\b(?!::)(?=[^;]*$|.*\{)")
defined = {}
for path in files:
    # src/torch has a namespace of its own: it is built against another library, into another file.
    if path.relative_to(ROOT).parts[:2] == ("src", "torch"):
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
