"""The program is built with the protections that distributions use."""

import pathlib
import platform
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf")


def elf(wattree, *flags):
    return subprocess.check_output(["readelf", "-W", *flags, wattree], text=True)


def is_hardened(wattree):
    return "__asan_init" not in elf(wattree, "--dyn-syms") and "__tsan_init" not in elf(wattree, "--dyn-syms")


def test_its_tables_are_read_only_once_it_runs(wattree):
    assert "GNU_RELRO" in elf(wattree, "-l")
    if not is_hardened(wattree):
        pytest.skip("a build with sanitizers")
    dynamic = elf(wattree, "-d")
    assert "BIND_NOW" in dynamic or "NOW" in dynamic.split("FLAGS_1")[1].splitlines()[0]


def test_returns_buffers_and_jumps_are_checked(wattree):
    if not is_hardened(wattree):
        pytest.skip("a build with sanitizers")
    symbols = elf(wattree, "--dyn-syms")
    assert "__stack_chk_fail" in symbols
    assert "_chk@" in symbols, "no function of _FORTIFY_SOURCE"
    # The kernel holds a program to it where the C library's own start-up files have the mark, too; Debian 12's have not.
    if platform.machine() == "x86_64":
        endbr64 = b"\xf3\x0f\x1e\xfa"
        assert pathlib.Path(wattree).read_bytes().count(endbr64) > 1000, "functions do not begin with the place to jump to"
