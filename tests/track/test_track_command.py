"""`wattree track` leaves the command as it is: its terminal, streams, signals and exit code."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from tracked_machine import energy, fork_with_terminal, records_so_far, wait_for


@pytest.mark.parametrize("options", [[], ["--epoch-regex", "epoch"]])
class TestUntouched:
    def test_exit_codes_and_signals(self, machine, options):
        machine.track(*options, command=["sh", "-c", "exit 42"], code=42)
        machine.track(*options, command=["sh", "-c", "kill -9 $$"], code=128 + 9)
        machine.track(*options, command=["/nonexistent/program"], code=127)
        machine.track(*options, command=["/etc/passwd"], code=126)
        assert not machine.journals()

    def test_arguments_environment_and_input(self, machine, options):
        script = ("import os, sys; print(sys.argv[1:], sys.stdin.read());"
                  "print(sorted(set(os.environ) - set(eval(os.environ['BEFORE']))))")
        machine.environment["BEFORE"] = repr([*machine.environment, "BEFORE"])
        words = ["--", "[a,b]", "", "-o", "x y", "--help", "é"]
        result = machine.track(*options, command=[sys.executable, "-c", script, *words], input=b"hello")
        assert result.stdout.decode() == f"{words} hello\n['WATTREE_TRACK']\n"

    def test_no_descriptor_and_no_signal_setting_is_inherited(self, machine, options):
        script = ("import os, signal; print(sorted(int(f) for f in os.listdir('/proc/self/fd'))[:-1]);"
                  "print(signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL, signal.pthread_sigmask(0, []));"
                  "print([l for l in open('/proc/self/status') if l.startswith('SigIgn')])")
        plain = subprocess.run([sys.executable, "-c", script], env=machine.environment, capture_output=True,
                               stdin=subprocess.DEVNULL)
        tracked = machine.track(*options, command=[sys.executable, "-c", script], stdin=subprocess.DEVNULL)
        assert tracked.stdout == plain.stdout

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT])
    def test_signals_are_passed_on_once(self, machine, options, number):
        # Not print(): the signal may come while print('ready') has still to return, and Python refuses to enter a buffered
        # stream twice.
        script = ("import os, signal, sys, time\n"
                  "seen = []\n"
                  "def note(n, f): seen.append(n); os.write(1, b'got %d\\n' % n)\n"
                  f"signal.signal({int(number)}, note); print('ready', flush=True)\n"
                  "while not seen: time.sleep(0.01)\n"
                  "time.sleep(0.3); sys.exit(3)\n")
        tracker = machine.start(*options, command=[sys.executable, "-c", script])
        assert tracker.stdout.readline() == b"ready\n"
        tracker.send_signal(number)
        assert tracker.stdout.read() == f"got {int(number)}\n".encode()
        assert tracker.wait(20) == 3

    def test_a_hundred_megabytes_pass_byte_for_byte(self, machine, options):
        script = "import sys\nfor i in range(100): sys.stdout.buffer.write(bytes(range(256)) * 4096)"
        tracker = machine.start(*options, command=[sys.executable, "-c", script], stderr=subprocess.DEVNULL)
        block, total = bytes(range(256)) * 4096, 0
        while piece := tracker.stdout.read(len(block)):
            assert piece == block
            total += len(piece)
        assert tracker.wait(20) == 0 and total == 100 << 20

    def test_a_reader_that_goes_away_is_the_commands_to_handle(self, machine, options):
        script = ("import os, sys\n"
                  "try:\n  while True: os.write(1, b'x' * 65536)\n"
                  "except BrokenPipeError: sys.exit(9)")
        tracker = machine.start(*options, command=[sys.executable, "-c", script])
        tracker.stdout.read(10)
        tracker.stdout.close()
        assert tracker.wait(20) == 9

    def test_a_command_that_closes_its_output_runs_on(self, machine, options):
        machine.track("--assume", "gpu=100W", *options, command=["sh", "-c", "exec >&- 2>&-; sleep 1.2; exit 5"], code=5)
        assert machine.profile()["epochs"][0]["duration_s"] >= 1.2

    def test_children_that_stay_behind_are_left_alone(self, machine, options):
        tracker = machine.start(*options, command=["sh", "-c", "sleep 30 & echo $!"])
        child = int(tracker.stdout.readline())
        assert tracker.wait(20) == 0
        os.kill(child, signal.SIGKILL)  # It is still there,
        assert tracker.stdout.read() == b""  # and had the output until now.

    def test_a_terminal_stays_a_terminal(self, machine, options):
        script = ("import os, sys; print([os.isatty(i) for i in range(3)], os.get_terminal_size(1), os.getpgrp() == "
                  "os.getpgid(os.getppid())); print('epoch 1', end='\\n')")
        pid, terminal = fork_with_terminal()
        if pid == 0:
            os.execve(machine.wattree, machine.arguments("--live", "off", "-q", *options,
                                                          command=["sh", "-c", "stty rows 33 cols 77; exec \"$@\"", "sh",
                                                                   sys.executable, "-c", script]), machine.environment)
        output = read_terminal(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        size = "columns=77, lines=33" if not options else ""
        assert output.startswith(b"[True, True, True]") and size.encode() in output
        assert b"True\r\nepoch 1\r\n" in output  # One carriage return, as the terminal adds it.


def read_terminal(terminal):
    output = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return output
        if not piece:
            return output
        output += piece


def test_the_live_line_has_a_row_of_its_own_and_gives_it_back(machine):
    import fcntl
    import struct
    import termios
    pid, terminal = fork_with_terminal()
    if pid == 0:
        os.execve(machine.wattree, machine.arguments("--assume", "gpu=250W", "--epochs", "4", command=[
            "sh", "-c", "sleep 1.3; echo hello; sleep 1"]), machine.environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    output = read_terminal(terminal).decode()
    os.waitpid(pid, 0)
    assert "hello\r\n" in output
    assert "\x1b[1;23r" in output  # The rest scrolls above the last row,
    assert output.count("\x1b[r") == 1  # until the end.
    lines = re.findall(r"\x1b\[24;1H\x1b\[2K(wattree[^\x1b]*)", output)
    assert len(lines) >= 2 and all("250 W" in line and "epoch 0/4" in line for line in lines)
    # Not on a terminal, nothing of it.
    result = machine.track(command=["sleep", "1.2"])
    assert b"\x1b" not in result.stderr + result.stdout


@pytest.mark.parametrize("columns", [20, 30, 45, 60])
def test_a_narrow_live_line_has_whole_parts_and_says_assumed(machine, columns):
    import fcntl
    import struct
    import termios
    # Only what is declared, so that the sum is assumed, too.
    machine.counter.parent.rename(machine.folder / "gone")
    pid, terminal = fork_with_terminal()
    if pid == 0:
        os.execve(machine.wattree, machine.arguments("--assume", "gpu=250W", "--region", "US-GA", "--epochs", "4", command=[
            "sleep", "2.2"]), machine.environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    output = read_terminal(terminal).decode()
    os.waitpid(pid, 0)
    lines = re.findall(r"\x1b\[24;1H\x1b\[2K([^\x1b]+)", output)
    part = r"(wattree|250 W|[\d.]+ J \(assumed\)|[\d.]+ g CO2e|epoch 0/4|[\d.]+ s)"
    assert lines and all(len(line) <= columns and re.fullmatch(rf"{part}(  {part})*", line) for line in lines), lines
    assert all("J (assumed)" in line for line in lines)


def test_ctrl_c_reaches_the_command_once(machine):
    script = ("import os, signal, sys, time\n"
              "seen = []\n"
              "def note(n, f): seen.append(n); os.write(1, b'got\\n')\n"
              "signal.signal(signal.SIGINT, note); print('ready', flush=True)\n"
              "while not seen: time.sleep(0.01)\n"
              "time.sleep(0.5); sys.exit(4)\n")
    pid, terminal = fork_with_terminal()
    if pid == 0:
        os.execve(machine.wattree, machine.arguments("-q", "--live", "off", command=[sys.executable, "-c", script]),
                  machine.environment)
    output = b""
    while b"ready" not in output:
        output += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    output += read_terminal(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 4
    assert output.count(b"got") == 1


@pytest.mark.parametrize("numbers", [[signal.SIGTERM, signal.SIGTERM], [signal.SIGINT, signal.SIGTERM], [signal.SIGTERM] * 20])
def test_signals_that_come_twice_do_not_cost_the_profile(machine, numbers):
    """As timeout(1) sends them: to the tracker, and to its group at once."""
    process = machine.start("--assume", "gpu=100W", command=["sleep", "30"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: len(records_so_far(journal)) >= 2)
    for number in numbers:
        process.send_signal(number)
    while process.poll() is None:  # And on until the very end.
        try:
            process.send_signal(numbers[-1])
        except ProcessLookupError:
            break
        time.sleep(0.001)
    # Which of two pending signals ends the command is up to the kernel.
    assert process.wait(20) in {128 + number for number in numbers}
    assert energy(machine.profile()["epochs"][0]) > 0
    assert b"wattree: profile: " in process.stderr.read()


def test_a_run_is_found_by_its_name_although_its_script_lies_there(machine):
    script = machine.folder / "train.py"
    script.write_text("print('trained')\n")
    # Without an output of its own, which machine.track() gives it, it is kept under the script's name.
    subprocess.run([machine.wattree, "track", "--quiet", "--nvml", machine.nvml, "--assume", "cpu=10W", "--", sys.executable,
                    str(script)], env=machine.environment, cwd=machine.folder, check=True, timeout=60, capture_output=True)
    report = subprocess.run([machine.wattree, "report", "train.py"], cwd=machine.folder, env=machine.environment,
                            capture_output=True, text=True)
    assert report.returncode == 0, report.stderr
    assert "train.py" in report.stdout
    (machine.folder / "other.py").write_text("1\n")
    unknown = subprocess.run([machine.wattree, "report", "other.py"], cwd=machine.folder, env=machine.environment,
                             capture_output=True, text=True)
    assert unknown.returncode == 3 and "other.py" in unknown.stderr


def test_an_expression_keeps_no_output_waiting(machine):
    """One that a backtracking engine would try for minutes."""
    write = "import sys; [print('a' * 4000 + 'b') for _ in range(400)]"
    begin = time.monotonic()
    result = machine.track("--epoch-regex", "(a|aa)+$", command=[sys.executable, "-c", write])
    assert time.monotonic() - begin < 10
    assert result.stdout == (b"a" * 4000 + b"b\n") * 400
