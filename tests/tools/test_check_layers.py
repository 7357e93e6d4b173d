"""The layer check finds what it is there to find."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(tmp_path, layers, files):
    for name, text in {"docs/layers.txt": layers, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "tools").mkdir()
    script = shutil.copy(ROOT / "tools/check_layers.py", tmp_path / "tools")
    done = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode == 0) == (done.stdout == "")
    return done.stdout


def test_a_listed_edge_and_its_own_folder_pass(tmp_path):
    assert check(tmp_path, "base:\ntree: base\n", {
        "src/tree/a.h": '#include "src/base/b.h"\n#include "src/tree/c.h"\n#include <vector>\n'}) == ""


def test_an_unlisted_edge_fails(tmp_path):
    assert check(tmp_path, "base:\ntree: base\n", {"src/base/b.cc": '\n#include "src/tree/a.h"\n'}) == \
        "src/base/b.cc:2: base may not include tree\n"


def test_a_public_header_may_not_reach_into_src(tmp_path):
    assert "reaches into src/base" in check(tmp_path, "base:\n", {"include/wattree/w.h": '#include "src/base/b.h"\n'})


def test_a_cycle_in_the_list_fails(tmp_path):
    assert "is not above it" in check(tmp_path, "base: tree\ntree: base\n", {})


def test_a_type_with_two_definitions_fails(tmp_path):
    files = {"src/a/a.h": "struct Window {\n  struct Pane {};\n};\nenum class Kind { kOne };\n",
             "src/b/b.h": "class Window;\nstruct Other {\n  struct Pane {};\n};\n",
             "src/c/c.cc": "namespace {\nstruct Window {\n};\n}  // namespace\n"}
    assert check(tmp_path, "a:\nb:\nc:\n", files) == ""
    files["src/b/b.h"] += "struct Window : Other {\n};\n"
    files["src/c/c.cc"] += "enum class Kind { kTwo };\n"
    shutil.rmtree(tmp_path / "tools")
    assert check(tmp_path, "a:\nb:\nc:\n", files) == (
        "src/b/b.h:5: Window is defined in src/a/a.h:1 already\nsrc/c/c.cc:5: Kind is defined in src/a/a.h:4 already\n")


def test_the_repository_passes():
    assert subprocess.run([sys.executable, ROOT / "tools/check_layers.py"], check=False).returncode == 0
