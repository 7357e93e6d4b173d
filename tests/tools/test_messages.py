"""Below the command line nothing says a flag: texts mention the request's field ("<dtype>"), and each shell names it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)  # Pages and styles, whose variables begin with two hyphens, too.
COMMENT = re.compile(r"^\s*//.*$|\s//\s.*$", re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FLAG = re.compile(r"--[a-z]")
# Flags of others, and variables of a style.
FOREIGN = re.compile(r"docker run --gpus|^--gpus all|--curve\b")


def flags_in(source: str) -> list[str]:
    text = COMMENT.sub("", RAW.sub('""', source))
    return [string for string in STRING.findall(text) if FLAG.search(FOREIGN.sub("", string))]


def test_the_search_finds_flags():
    assert flags_in('fail("--on is empty");') == ["--on is empty"]
    assert flags_in('hint = "try `wattree track --serve`";') == ["try `wattree track --serve`"]


def test_the_search_passes_over_the_rest():
    assert flags_in('// As "--on" does.\nx = "y";  // "--on"\n') == []
    assert flags_in('hint = "choose one with <on>"; text = "a -- b, -c";') == []
    assert flags_in('css = R"(:root { --ink: "red"; })";') == []
    assert flags_in('hint = "in a container: docker run --gpus all";') == []


def test_no_flag_below_the_command_line():
    found = []
    for path in sorted((ROOT / "src").rglob("*.*")):
        name = path.relative_to(ROOT).as_posix()
        is_test = name.endswith("_test.cc") or path.name.startswith("test_")
        if path.suffix in (".h", ".cc", ".c", ".inc") and not is_test and not name.startswith("src/cli/"):
            found += [f"{name}: {string}" for string in flags_in(path.read_text(encoding="utf-8"))]
    assert found == []
