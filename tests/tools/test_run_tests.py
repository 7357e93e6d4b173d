"""The runner's own promises, on a made-up build: what crashes, hangs or runs nothing is a failure, and is counted."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Shell scripts that behave like GoogleTest programs: --gtest_output=xml:PATH is their first argument.
REPORT = """#!/bin/sh
cat >"${{1#--gtest_output=xml:}}" <<END
<testsuites><testsuite name="S">{cases}</testsuite></testsuites>
END
exit {status}
"""
PASSED = '<testcase name="A" classname="S" status="run" result="completed"/>'
FAILED = '<testcase name="B" classname="S"><failure message="m">wrong by two</failure></testcase>'
SKIPPED = '<testcase name="C" classname="S" result="skipped"><skipped message="x.cc:3&#x0A;no GPU here"/></testcase>'
CRASH = "#!/bin/sh\necho '[ RUN      ] S.A'\necho '[       OK ] S.A (0 ms)'\necho '[ RUN      ] S.B'\nkill -SEGV $$\n"


def run_suite(folder, script, label="gtest", timeout=30):
    program = folder / "suite"
    program.write_text(script)
    program.chmod(0o755)
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(suite "{program}")\nset_tests_properties(suite PROPERTIES LABELS "{label}" TIMEOUT {timeout})\n')
    # --fast: without the Python suites, of which this is one.
    done = subprocess.run([sys.executable, ROOT / "tools/run_tests", "--fast", "--build", folder], text=True,
                          stdout=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stdout.splitlines()[-1]


def test_passes_and_names_what_is_skipped(tmp_path):
    status, output, last = run_suite(tmp_path, REPORT.format(cases=PASSED + SKIPPED, status=0))
    assert (status, last) == (0, "1 passed, 0 failed, 1 skipped")
    assert "skipped, no GPU here:\n  suite: S.C" in output


def test_only_what_is_named_runs(tmp_path):
    run_suite(tmp_path, REPORT.format(cases=PASSED, status=0))
    for name, last in {"suite": "1 passed, 0 failed, 0 skipped", "other": "0 passed, 1 failed, 0 skipped"}.items():
        done = subprocess.run([sys.executable, ROOT / "tools/run_tests", "--fast", "--build", tmp_path, "--only", name],
                              text=True, stdout=subprocess.PIPE, check=False)
        assert done.stdout.splitlines()[-1] == last


def test_failures_are_shown_in_full(tmp_path):
    status, output, last = run_suite(tmp_path, REPORT.format(cases=PASSED + FAILED, status=1))
    assert (status, last) == (1, "1 passed, 1 failed, 0 skipped")
    assert "suite: S.B\nwrong by two" in output


def test_a_crash_says_where(tmp_path):
    status, output, last = run_suite(tmp_path, CRASH)
    assert (status, last) == (1, "1 passed, 1 failed, 0 skipped")
    assert "crashed with SIGSEGV in S.B" in output


def test_a_time_out_is_a_failure(tmp_path):
    status, output, last = run_suite(tmp_path, "#!/bin/sh\nsleep 60\n", timeout=1)
    assert (status, last) == (1, "0 passed, 1 failed, 0 skipped")
    assert "timed out after 1 s" in output


def test_a_suite_without_tests_is_a_failure(tmp_path):
    status, output, last = run_suite(tmp_path, REPORT.format(cases="", status=0))
    assert (status, last) == (1, "0 passed, 1 failed, 0 skipped")
    assert "ran no tests at all" in output


def test_an_exit_code_after_passing_tests_is_a_failure(tmp_path):
    status, output, last = run_suite(tmp_path, REPORT.format(cases=PASSED, status=23))
    assert (status, last) == (1, "1 passed, 1 failed, 0 skipped")
    assert "every test passed, but: exit code 23" in output


def test_other_tests_are_counted_through_ctest(tmp_path):
    assert run_suite(tmp_path, "#!/bin/sh\n", label="other")[2] == "1 passed, 0 failed, 0 skipped"
    status, output, last = run_suite(tmp_path, "#!/bin/sh\necho the reason\nexit 1\n", label="other")
    assert (status, last) == (1, "0 passed, 1 failed, 0 skipped")
    assert "the reason" in output
