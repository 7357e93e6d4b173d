"""What a person sees while Ninja works: how much there is to do, how far it is, and every word of the compiler."""

import os
import pathlib
import pty
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make_folder(path, steps, warns_at=None, fails_at=None):
    """A build of so many steps that take no time."""
    lines = ["rule touch", "  command = touch $out", "rule warn", "  command = echo careful: $out; touch $out",
             "rule fail", "  command = echo wrong: $out; false"]
    for i in range(steps):
        rule = "fail" if i == fails_at else "warn" if i == warns_at else "touch"
        lines.append(f"build out{i}: {rule}")
    (path / "build.ninja").write_text("\n".join(lines) + "\n")
    return path


def build(path, **more):
    return subprocess.run([ROOT / "tools/build", path, "Building it"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, env={**os.environ, "JOBS": "2"}, **more)


def test_a_log_gets_a_line_for_every_tenth(tmp_path):
    done = build(make_folder(tmp_path, 200))
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0] == "Building it: 200 steps on 2 cores, about 2 minutes"
    assert lines[1:-1] == [f"  {20 * i} of 200" for i in range(1, 11)]
    assert lines[-1].startswith("Built in 0 min ")


def test_a_second_build_promises_nothing(tmp_path):
    build(make_folder(tmp_path, 3))
    done = build(tmp_path)
    assert (done.returncode, done.stdout) == (0, "Building it\nBuilt in 0 min 0 s\n")


def test_warnings_show_in_full(tmp_path):
    done = build(make_folder(tmp_path, 50, warns_at=17))
    assert done.returncode == 0
    assert "careful: out17\n" in done.stdout


@pytest.mark.parametrize("steps", [1, 50])
def test_an_error_shows_and_fails(tmp_path, steps):
    done = build(make_folder(tmp_path, steps, fails_at=steps - 1))
    assert done.returncode != 0
    assert f"FAILED: out{steps - 1}" in done.stdout
    assert f"wrong: out{steps - 1}\n" in done.stdout
    assert "Built in" not in done.stdout


def test_a_terminal_shows_one_line_that_counts(tmp_path):
    make_folder(tmp_path, 40)
    master, slave = pty.openpty()
    with subprocess.Popen([ROOT / "tools/build", tmp_path, "Building it"], stdout=slave, stderr=slave,
                          env={**os.environ, "TERM": "xterm"}) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                read = os.read(master, 4096)
            except OSError:  # How a terminal ends.
                break
            if not read:
                break
            seen += read
    os.close(master)
    assert process.returncode == 0
    assert b"\r  40 of 40, " in seen  # Written over the line before.
    assert seen.count(b"\n") < 8
