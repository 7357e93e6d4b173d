"""`wattree track` on real commands: untouched, measured, never lost.

The meters are fake /sys trees: the command itself writes the energy counter, so that what is measured is known to the
microjoule; or a declared power, so that energy is power times the run's own duration."""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

MICRO = 1_000_000


class Machine:
    """A machine with one RAPL package, whose counter the tests move, and folders of its own."""

    def __init__(self, folder, wattree):
        self.folder, self.wattree = folder, wattree
        zone = folder / "sys/class/powercap/intel-rapl:0"
        zone.mkdir(parents=True)
        (zone / "name").write_text("package-0\n")
        (zone / "max_energy_range_uj").write_text("262143328850\n")
        self.counter = zone / "energy_uj"
        self.counter.write_text(f"{100 * MICRO}\n")
        proc = folder / "proc"
        proc.mkdir()
        (proc / "cpuinfo").write_text("model name\t: Test CPU\nphysical id\t: 0\n")
        (proc / "stat").write_text("cpu  1 1 1 1 1 1 1 0 0 0\ncpu0 1 1 1 1 1 1 1 0 0 0\n")
        (proc / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 500 kB\n")
        # A socket's path has at most 107 bytes, and the clone may lie deep.
        self._runtime = tempfile.TemporaryDirectory(prefix="wattree-", dir="/tmp")
        self.output = folder / "run.json"
        self.nvml = "/nonexistent"
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self._runtime.name, "XDG_STATE_HOME": str(folder / "state"),
                            "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"),
                            "COUNTER": str(self.counter)}
        for name in ("WATTREE_REGION", "WATTREE_JOB", "WATTREE_TRACK", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "WORLD_SIZE",
                     "OMPI_COMM_WORLD_SIZE"):
            self.environment.pop(name, None)

    def use_nvml(self, script):
        """Puts a fake NVML in the machine, which does what the script says."""
        path = self.folder / "nvml"
        path.write_text("driver 580.65.06\ngpu 0 GPU-aaaa NVIDIA H200\n" + script)
        self.environment["FAKE_NVML_SCRIPT"] = str(path)
        self.nvml = str(pathlib.Path(self.wattree).parent.parent / "tests/lib/libfake_nvml.so")

    def arguments(self, *options, command=(), meters=True):
        roots = ["--sys-root", str(self.folder / "sys"), "--proc-root", str(self.folder / "proc")] if meters else []
        return [self.wattree, "track", "--nvml", self.nvml, "--instance-data", str(self.folder / "cloud.json"), *roots,
                "-o", str(self.output), *options, *(["--", *command] if command else [])]

    def track(self, *options, command, code=0, **kwargs):
        result = subprocess.run(self.arguments(*options, command=command), env=self.environment, capture_output=True,
                                timeout=60, **kwargs)
        assert result.returncode == code, result.stderr.decode()
        return result

    def start(self, *options, command=(), **kwargs):
        kwargs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs}
        return subprocess.Popen(self.arguments(*options, command=command), env=self.environment, **kwargs)

    def profile(self):
        return json.loads(self.output.read_text())

    def journals(self, folder="state/wattree/journals"):
        return sorted((self.folder / folder).glob("*.journal"))


@pytest.fixture
def machine(tmp_path, wattree):
    return Machine(tmp_path, wattree)


def energy(epoch):
    return sum(part["energy_j"] for part in epoch["energy"])


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come")


class Lateness:
    """How late a busy machine wakes a process that waits, at worst, while this goes on: no tracker can be better."""

    def __enter__(self):
        self.worst, self._is_over = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self):
        while not self._is_over.is_set():
            before = time.monotonic()
            time.sleep(0.01)
            self.worst = max(self.worst, time.monotonic() - before - 0.01)

    def __exit__(self, *ignored):
        self._is_over.set()
        self._thread.join()


def fork_with_terminal():
    """As pty.fork(). Where the system has no pseudo-terminals (a chroot or container without /dev/pts), that is no fault of
    the program's."""
    try:
        return pty.fork()
    except OSError as error:
        pytest.skip(f"this system has no pseudo-terminals: {error}")


def records(journal):
    return [json.loads(line[9:]) for line in journal.read_text().splitlines()[1:]]


# --- the numbers ---


def test_a_counter_is_measured_to_the_microjoule(machine, root):
    jsonschema = pytest.importorskip("jsonschema")
    machine.track("--name", "exact", command=["sh", "-c", "sleep 0.3; echo 112345678 > $COUNTER; sleep 0.3"])
    profile = machine.profile()
    jsonschema.validate(profile, json.loads((root / "docs/schemas/profile.schema.json").read_text()))
    assert len(profile["epochs"]) == 1
    part = profile["epochs"][0]["energy"][0]
    assert part["energy_j"] == pytest.approx(12.345678, abs=1e-9)
    assert part["component"] == "cpu0.package" and part["basis"]["kind"] == "measured"
    assert profile["hardware"] == [{"kind": "cpu", "name": "Test CPU", "count": 1}]
    assert profile["name"] == "exact"


def test_a_wrap_is_no_gap(machine):
    machine.counter.write_text(f"{262143328850 - MICRO}\n")
    machine.track(command=["sh", "-c", "sleep 0.3; echo 2000000 > $COUNTER; sleep 0.3"])
    assert energy(machine.profile()["epochs"][0]) == pytest.approx(3.0, abs=1e-5)


def test_a_declared_power_times_the_duration(machine):
    result = machine.track("--assume", "gpu=250W", "--pue", "1.5", "--region", "US-GA", command=["sleep", "0.5"])
    epoch = machine.profile()["epochs"][0]
    part = next(p for p in epoch["energy"] if p["component"] == "gpu.assumed")
    assert part["energy_j"] == pytest.approx(250 * epoch["duration_s"], rel=1e-6)
    assert part["basis"]["kind"] == "assumed"
    text = result.stderr.decode()
    assert "with PUE 1.5" in text and "Georgia (US-GA), 325.4 g/kWh" in text
    # The CO2 of an assumed energy is assumed, too.
    assert re.search(r"CO2e: .*, assumed$", text, re.MULTILINE)


def test_gpus_by_nvml(machine):
    machine.use_nvml("gpu 1 GPU-bbbb NVIDIA H200\n0 0 power_mw 300000\n0 1 power_mw 125000\n")
    machine.track(command=["sleep", "0.5"])
    epoch = machine.profile()["epochs"][0]
    joules = {part["component"]: part["energy_j"] for part in epoch["energy"] if part["kind"] == "gpu"}
    assert sorted(joules.values()) == pytest.approx([125 * epoch["duration_s"], 300 * epoch["duration_s"]], rel=1e-6)
    assert {"kind": "gpu", "name": "NVIDIA H200", "count": 2} in machine.profile()["hardware"]


def test_epochs_from_the_output_and_the_rest_add_up(machine):
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo 'epoch 7 loss 0.1'; sleep 0.3;"
              "echo 103000000 > $COUNTER; sleep 0.3; echo 'epoch 8 loss 0.1' >&2; sleep 0.3;"
              "echo 107000000 > $COUNTER; sleep 0.3")
    result = machine.track("--epoch-regex", r"epoch (\d+)", "--epochs", "5", "--journal", str(machine.folder / "j"),
                           command=["sh", "-c", script])
    profile = machine.profile()
    assert [energy(e) for e in profile["epochs"]] == pytest.approx([1.0, 2.0], abs=1e-9)
    assert energy(profile["outside_epochs"]) == pytest.approx(4.0, abs=1e-9)
    assert profile["planned_epochs"] == 5
    # The first epoch began with the command: nothing tells when its start-up was over.
    assert [e.get("includes_startup") for e in profile["epochs"]] == [True, None]
    assert [r["name"] for r in records(machine.journals("j")[0]) if r["record"] == "epoch"] == ["7", "8"]
    assert result.stdout == b"epoch 7 loss 0.1\n"
    assert result.stderr.startswith(b"wattree: CO2") and b"epoch 8 loss 0.1\n" in result.stderr


def test_epochs_that_lines_begin(machine):
    script = ("sleep 0.2; echo 'Epoch 1/2'; sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo 'Epoch 2/2'; sleep 0.3;"
              "echo 103000000 > $COUNTER; sleep 0.3")
    machine.track("--epoch-regex", "^Epoch ([0-9]+)/", "--epoch-at", "begin", command=["sh", "-c", script])
    assert [energy(e) for e in machine.profile()["epochs"]] == pytest.approx([1.0, 2.0], abs=1e-9)
    assert not any("includes_startup" in e for e in machine.profile()["epochs"])


def wattree_on(machine, *arguments):
    return subprocess.run([machine.wattree, *arguments], env=machine.environment, capture_output=True, check=True).stdout.decode()


def test_every_command_counts_what_was_outside_the_epochs(machine):
    """An evaluation after the epochs takes more than they do."""
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo 'epoch 1'; sleep 0.3; echo 102000000 > $COUNTER;"
              "sleep 0.3; echo 'epoch 2'; sleep 0.3; echo 107000000 > $COUNTER; sleep 0.3")
    machine.track("--name", "evaluated", "--epoch-regex", r"epoch (\d+)", "--region", "US-GA", "--price", "0.5",
                  command=["sh", "-c", script])
    run = str(machine.output)
    text = wattree_on(machine, "report", run)
    assert "used 7 J of electricity" in text and "Of it, 5 J is outside the epochs" in text
    carbon = json.loads(wattree_on(machine, "carbon", run, "--price", "0.5", "--json"))
    assert carbon["curve"]["points"][-1]["device_energy_j"] == pytest.approx(7, abs=1e-6)
    assert carbon["curve"]["outside_epochs"]["device_energy_j"] == pytest.approx(5, abs=1e-6)
    assert carbon["cost_usd"] == pytest.approx(7 / 3.6e6 * 0.5)
    # The second epoch is what further ones are like: 1 J each.
    longer = json.loads(wattree_on(machine, "carbon", run, "--epochs", "10", "--json"))
    assert longer["curve"]["points"][-1]["device_energy_j"] == pytest.approx(15, abs=1e-6)
    assert re.search(r"evaluated +2 +\S+ s +7 J", wattree_on(machine, "compare", run, "1J"))
    headline = wattree_on(machine, "whatif", run, "--epochs", "10", "--region", "US-WY").splitlines()[0]
    assert re.search(r"2 epochs on .*, [\d.]+ s; extrapolated to 10 epochs, [\d.]+ s$", headline)
    wattree_on(machine, "profiles", "import", run)
    assert re.search(r"evaluated +evaluated +2 +\S+ s +7 J", wattree_on(machine, "profiles", "list"))


def test_epochs_that_come_too_fast_are_counted_and_said(machine):
    script = "import sys\nsys.stdout.write(''.join(f'epoch {i}\\n' for i in range(30000)))\n"
    result = machine.track("--epoch-regex", r"epoch (\d+)", command=[sys.executable, "-c", script])
    assert result.stdout.count(b"\n") == 30000
    missed = re.search(r"could be taken: (\d+) are left out", machine.profile()["notes"])
    assert len(machine.profile()["epochs"]) + int(missed[1] if missed else 0) == 30000
    assert (missed is None) or missed[0] in result.stderr.decode()


def test_idle_power_is_measured_before_the_command(machine):
    machine.track("--assume", "gpu=250W", "--idle", "300ms", command=["sleep", "0.4"])
    part = machine.profile()["epochs"][0]["energy"][-1]
    assert part["component"] == "gpu.assumed"
    assert part["idle_j"] == pytest.approx(part["energy_j"], rel=1e-6)


def test_idle_power_of_a_counter_that_is_read_seldom(machine):
    """Where nothing changes, idling takes all of it; what the counter's last ticks have in them too."""
    machine.use_nvml("clock\n0 0 energy_mj watts 500 100\n0 0 energy_mj slow 5\n")
    machine.track("--idle", "2s", command=["sleep", "1"])
    epoch = machine.profile()["epochs"][0]
    part = next(part for part in epoch["energy"] if part["component"] == "gpu0.energy")
    # An edge is known to half a tick: 25 J of the 1000 J that idling took.
    assert part["idle_j"] == pytest.approx(500 * epoch["duration_s"], rel=0.06)


def test_without_meters_there_is_time_and_no_energy(machine):
    machine.counter.parent.rename(machine.folder / "gone")
    result = machine.track(command=["sleep", "0.2"])
    epoch = machine.profile()["epochs"][0]
    assert "energy" not in epoch or epoch["energy"] == []
    assert epoch["duration_s"] >= 0.2
    assert b"no energy can be measured here" in result.stderr


def test_epochs_without_meters_have_no_energy_rather_than_none_at_all(machine):
    machine.counter.parent.rename(machine.folder / "gone")
    result = machine.track("--epoch-regex", r"epoch (\d+)", command=["sh", "-c", "sleep 0.2; echo epoch 1; sleep 0.2; echo epoch 2"])
    assert re.search(rb"epochs: \S+ s in all, \S+ s each; no energy is known", result.stderr), result.stderr
    assert b" 0 J" not in result.stderr
    profile = machine.profile()
    assert [epoch["energy"] for epoch in profile["epochs"]] == [[], []] and profile["outside_epochs"]["energy"] == []


def test_the_cost_is_shown_as_assumed(machine):
    result = machine.track("--price", "0.25", command=["sh", "-c", "sleep 0.3; echo 112345678 > $COUNTER; sleep 0.3"])
    # 12.345678 J
    assert re.search(rb"cost: 8.57\de-07 USD \(0.25 USD/kWh, by the user\), assumed", result.stderr), result.stderr


def test_a_mig_instance_is_charged_the_board_and_that_is_said(machine):
    machine.use_nvml("clock\nmig 0 MIG-bbbb\nmig 0 MIG-cccc\n0 0 energy_mj watts 300 100\n")
    machine.environment["CUDA_VISIBLE_DEVICES"] = "MIG-bbbb"
    result = machine.track(command=["sleep", "0.3"])
    said = "gpu0.energy is the whole board's, not one MIG instance's"
    assert said in result.stderr.decode() and said in machine.profile()["notes"]


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


def test_a_meter_that_is_lost_is_a_gap_and_the_command_goes_on(machine):
    script = "sleep 0.4; echo garbage > $COUNTER; sleep 0.5; echo done"
    result = machine.track(command=["sh", "-c", script])
    assert result.stdout == b"done\n"
    assert "does not answer" in machine.profile()["notes"]
    assert machine.profile()["epochs"][0]["gap_s"] > 0.2


# --- the command is untouched ---


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


# --- what a crash loses ---


@pytest.mark.parametrize("options", [[], ["--epoch-regex", r"epoch (\d+)"]])
def test_killing_the_tracker_loses_nothing_and_disturbs_nobody(machine, options):
    done = machine.folder / "done"
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo epoch 1; sleep 2; echo still here;"
              f"sleep 0.3; echo 7 > {done}")
    tracker = machine.start(*options, command=["sh", "-c", script])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wanted = "epoch" if options else "totals"
    wait_for(lambda: any(r["record"] == wanted and r["meters"] and r["meters"][0][1] > 0.99 for r in records_so_far(journal)))
    refused = subprocess.run([machine.wattree, "profiles", "recover", str(journal)], env=machine.environment,
                             capture_output=True)
    assert refused.returncode == 4 and b"still being written" in refused.stderr
    tracker.kill()
    output = tracker.stdout.read()
    tracker.wait()
    assert output == b"epoch 1\nstill here\n"  # All of the command's output, after the tracker's death too.
    wait_for(done.exists)
    recovered = subprocess.run([machine.wattree, "profiles", "recover"], env=machine.environment, capture_output=True)
    assert recovered.returncode == 0, recovered.stderr
    kept = list((machine.folder / "data/wattree/profiles").glob("*.json"))
    assert len(kept) == 1
    profile = json.loads(kept[0].read_text())
    assert energy(profile["epochs"][0]) == pytest.approx(1.0, abs=1e-9)
    assert "end is not recorded" in profile["notes"]
    again = subprocess.run([machine.wattree, "profiles", "recover"], env=machine.environment, capture_output=True)
    assert b"recovered before" in again.stdout
    assert len(list((machine.folder / "data/wattree/profiles").glob("*.json"))) == 1


def records_so_far(journal):
    lines = journal.read_bytes().split(b"\n")[1:-1]
    return [json.loads(line[9:]) for line in lines]


def test_a_tracker_killed_in_its_first_second_leaves_what_it_knows(machine):
    process = machine.start("--name", "killed", "--assume", "gpu=100W", command=["sleep", "30"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: sum(r["record"] == "totals" for r in records_so_far(journal)) >= 2)
    process.kill()
    process.wait()
    said = wattree_on(machine, "profiles", "recover")
    assert "up to a second more is not in the figures" in said
    # By its own name.
    shown = json.loads(wattree_on(machine, "profiles", "show", "killed", "--json"))
    epoch = shown["epochs"][0]
    gpu = next(part for part in epoch["energy"] if part["component"] == "gpu.assumed")
    assert 0.05 < epoch["duration_s"] and gpu["energy_j"] == pytest.approx(100 * epoch["duration_s"], rel=1e-6)
    assert "the run's end is not recorded: the figures end" in shown["notes"]
    assert "recovered before" in wattree_on(machine, "profiles", "recover")


def test_where_there_is_nothing_to_recover_that_is_no_error(machine):
    assert wattree_on(machine, "profiles", "recover").startswith("nothing to recover: there are no journals in ")


def test_a_built_in_profile_cannot_be_deleted(machine):
    result = subprocess.run([machine.wattree, "profiles", "delete", "bert-base-v100"], env=machine.environment, capture_output=True)
    assert result.returncode == 3 and b"built-in profiles cannot be deleted" in result.stderr


def test_a_journal_cut_anywhere_is_recovered_up_to_there(machine):
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo epoch 1; sleep 0.4; echo 103000000 > $COUNTER;"
              "sleep 0.4; echo epoch 2; sleep 0.3")
    machine.track("--epoch-regex", r"epoch (\d+)", "--journal", str(machine.folder / "j"), command=["sh", "-c", script])
    journal = machine.journals("j")[0]
    whole = journal.read_bytes()
    out = machine.folder / "cut.json"

    def recover(data):
        cut = machine.folder / "cut.journal"
        cut.write_bytes(data)
        return subprocess.run([machine.wattree, "profiles", "recover", str(cut), "-o", str(out)], env=machine.environment,
                              capture_output=True, text=True)

    assert recover(whole).returncode == 0
    assert json.loads(out.read_text()) == machine.profile()
    starts = [m.end() for m in re.finditer(rb"\n", whole)]
    first_epoch = whole.index(b'{"record":"epoch"')
    last = starts[-2]
    # Every byte of the last record, the edges of all records, and of the whole journal one byte in eleven. (Every byte
    # of a journal: journal_test.)
    edges = {edge + k for edge in starts for k in (-1, 0, 1)} - {len(whole) + 1}
    for length in sorted({*range(last, len(whole)), *range(0, last, 11), *edges} - {len(whole)}):
        result = recover(whole[:length])
        if length < starts[1]:
            assert result.returncode == 3 and ("no journal" in result.stderr or "holds no run" in result.stderr)
            continue
        assert result.returncode == 0, (length, result.stderr)
        profile = json.loads(out.read_text())
        assert ("torn off" in result.stdout) == (length not in starts)
        assert "end is not recorded" in profile["notes"]
        if length > first_epoch + 200:
            assert energy(profile["epochs"][0]) == pytest.approx(1.0, abs=1e-9)


def test_a_journal_that_cannot_be_written_does_not_stop_the_run(machine):
    result = machine.track("--journal", "/proc/nonexistent", command=["sh", "-c", "echo ran"])
    assert result.stdout == b"ran\n" and b"a crash would lose this run" in result.stderr
    assert machine.profile()["epochs"]


def test_a_profile_that_cannot_be_written_is_told_and_can_be_made_again(machine):
    machine.output = pathlib.Path("/nonexistent/run.json")
    result = machine.track(command=["sh", "-c", "echo begun >&2; exit 6"], code=6)
    # Told before the command begins, too: there is time to make the folder.
    assert "there is no folder /nonexistent" in result.stderr.decode().split("begun")[0]
    command = re.search(r"`wattree (profiles recover [^`]*)`", result.stderr.decode())[1].split()
    machine.output = machine.folder / "again.json"
    subprocess.run([machine.wattree, *command, "-o", str(machine.output)], check=True, env=machine.environment)
    assert machine.profile()["epochs"]


def test_a_profile_is_not_lost_where_neither_it_nor_the_journal_can_be_written(machine):
    machine.output = pathlib.Path("/nonexistent/run.json")
    machine.environment["TMPDIR"] = str(machine.folder)
    result = machine.track("--journal", "/proc/nonexistent", command=["sh", "-c", "exit 6"], code=6)
    machine.output = pathlib.Path(re.search(r"the profile is in (\S+)", result.stderr.decode())[1])
    assert machine.output.parent == machine.folder and machine.profile()["epochs"][0]["energy"]


# --- budgets, processes, jobs, places ---


def test_budgets_warn_once_and_stop(machine):
    script = "trap 'echo asked; exit 0' TERM; while :; do sleep 0.1; done"
    result = machine.track("--assume", "gpu=1000W", "--warn-above", "900J", "--stop-above", "1.5kJ",
                           command=["sh", "-c", script], code=124)
    assert result.stdout == b"asked\n"
    assert result.stderr.count(b"--warn-above") == 1 and result.stderr.count(b"--stop-above") == 1
    assert b"more than 900J (--warn-above)" in result.stderr
    assert "stopped: the run took more than 1.5kJ (--stop-above)" in machine.profile()["notes"]


def test_who_does_not_listen_is_ended_by_force(machine):
    result = machine.track("--assume", "gpu=1000W", "--stop-above", "900J", "--grace", "300ms",
                           command=["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"], code=124)
    assert b"SIGKILL" in result.stderr


def test_budgets_count_the_building_too(machine):
    machine.track("--assume", "gpu=600W", "--pue", "2", "--stop-above", "1kJ", command=["sleep", "30"], code=124)
    assert machine.profile()["epochs"][0]["duration_s"] < 10


def test_a_running_process_is_followed_to_its_end(machine):
    other = subprocess.Popen(["sleep", "1.2"])
    tracker = machine.start("--pid", str(other.pid), "--assume", "gpu=100W")
    assert other.wait() == 0
    assert tracker.wait(20) == 0
    duration = machine.profile()["epochs"][0]["duration_s"]
    assert 0.1 < duration < 10
    tracker = machine.start("--pid", str(other.pid))
    assert tracker.wait(20) == 3 and b"there is no process" in tracker.stderr.read()


def test_trackers_of_one_job_count_a_device_once(machine):
    machine.environment["SLURM_JOB_ID"] = "4711"
    machine.environment["SLURM_STEP_ID"] = "0"
    first = machine.start(command=["sh", "-c", "sleep 0.5; echo 105000000 > $COUNTER; sleep 1"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: len(records_so_far(journal)) >= 1)
    machine.output = machine.folder / "second.json"
    second = machine.track(command=["sleep", "0.3"])
    assert f"cpu0.package is counted by PID {first.pid} of the same job (slurm 4711.0)".encode() in second.stderr
    assert not machine.profile()["epochs"][0].get("energy")
    assert first.wait(20) == 0
    machine.output = machine.folder / "run.json"
    assert energy(machine.profile()["epochs"][0]) == pytest.approx(5.0, abs=1e-9)
    # Another job counts for itself; and so does the same one when the first has ended.
    machine.output = machine.folder / "third.json"
    machine.track(command=["sleep", "0.1"])
    assert machine.profile()["epochs"][0]["energy"]


@pytest.mark.parametrize("is_killed", [False, True])
def test_another_tracker_of_the_job_takes_over_and_goes_on_from_there(machine, is_killed):
    machine.environment["SLURM_JOB_ID"] = "4712"
    folder = machine.folder
    # The counter is moved by the test: it goes on all the time, as a real one does.
    first = machine.start("--journal", str(folder / "j1"), command=["sh", "-c", f"while [ ! -e {folder}/end1 ]; do sleep 0.02; done"])
    wait_for(lambda: machine.journals("j1"))
    machine.output = folder / "second.json"
    second = machine.start("--journal", str(folder / "j2"), command=["sh", "-c", f"while [ ! -e {folder}/end2 ]; do sleep 0.02; done"])
    wait_for(lambda: machine.journals("j2"))

    def count_until(joules, condition):
        """Moves the counter on to so many joules, a hundredth at a time, and waits."""
        start = int(machine.counter.read_text()) / MICRO
        for i in range(1, 101):
            machine.counter.write_text(f"{round((start + (joules - start) * i / 100) * MICRO)}\n")
            time.sleep(0.01)
        wait_for(condition)

    def totals(journal):
        return [r for r in records_so_far(machine.journals(journal)[0]) if r["record"] == "totals"]

    time.sleep(0.4)  # The beginning and
    count_until(107, lambda: totals("j1") and totals("j1")[-1]["meters"][0][1] > 6.9)
    assert not any(r["meters"] for r in totals("j2"))
    if is_killed:
        first.kill()
        first.wait()
        counted = totals("j1")[-1]["meters"][0][1]
    else:
        (folder / "end1").touch()
        assert first.wait(20) == 0
        counted = energy(json.loads((folder / "run.json").read_text())["epochs"][0])
    (folder / "end1").touch()
    # What the counter counts from then on, the second one has; also what it counted before that one noticed.
    count_until(112, lambda: totals("j2")[-1]["meters"])
    time.sleep(0.4)  # the end lie on no step of the counter.
    (folder / "end2").touch()
    assert second.wait(20) == 0
    said = second.stderr.read().decode()
    assert f"cpu0.package is counted here from now on: PID {first.pid}, which counted it, has ended" in said
    profile = machine.profile()
    taken = energy(profile["epochs"][0])
    assert counted + taken == pytest.approx(12.0, abs=1e-6)  # Once, and without a hole.
    assert 4.9 < taken < 5.5
    assert profile["epochs"][0]["gap_s"] > 0.5  # The time before is not its own.
    assert "counted here from now on" in profile["notes"]
    # The journal tells the same.
    recovered = folder / "recovered.json"
    subprocess.run([machine.wattree, "profiles", "recover", str(machine.journals("j2")[0]), "-o", str(recovered)], check=True,
                   env=machine.environment, capture_output=True)
    assert json.loads(recovered.read_text()) == profile


@pytest.mark.parametrize("variables,said", [
    ({"WORLD_SIZE": "2", "MASTER_ADDR": "here", "MASTER_PORT": "29500"}, "world of 2 at here:29500"),
    ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}, "mpi of process"),
])
def test_ranks_of_one_job_are_known_by_what_their_launcher_sets(machine, variables, said):
    machine.environment.update(variables)
    first = machine.start(command=["sh", "-c", "sleep 1.5"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: len(records_so_far(journal)) >= 1)
    machine.output = machine.folder / "second.json"
    second = machine.track(command=["sleep", "0.1"])
    assert f"cpu0.package is counted by PID {first.pid} of the same job ({said}" in second.stderr.decode()
    assert not machine.profile()["epochs"][0].get("energy")
    assert first.wait(20) == 0


def test_a_tracker_inside_a_tracker_counts_nothing_twice(machine):
    inner = machine.folder / "inner.json"
    arguments = machine.arguments(command=["true"])
    arguments[arguments.index("-o") + 1] = str(inner)
    result = machine.track("--name", "outer", command=arguments)
    assert re.search(r"cpu0.package is counted by PID \d+ of the same job \(inside unix:", result.stderr.decode())
    assert not json.loads(inner.read_text())["epochs"][0].get("energy")
    assert machine.profile()["epochs"][0]["energy"]


@pytest.mark.parametrize("give,said", [
    (lambda m: m.environment.update(WATTREE_REGION="US-WY"), "WATTREE_REGION"),
    (lambda m: write(m.folder / "config/wattree/config", "# mine\nregion = US-WY\npue = 1.3\n"), "config/wattree/config"),
    (lambda m: write(m.folder / "cloud.json", '{"v1": {"cloud_name": "aws", "region": "us-east-2"}}'), "cloud.json"),
])
def test_the_region_is_found_in_settings_and_files(machine, give, said):
    give(machine)
    result = machine.track("--assume", "gpu=10W", command=["true"])
    assert said in result.stderr.decode() and "CO2e: " in result.stderr.decode()
    assert machine.profile()["region"] == ("aws:us-east-2" if said == "cloud.json" else "US-WY")
    assert ("pue" in machine.profile()) == ("config" in said)


def test_a_wrong_line_of_the_settings_is_said_and_the_rest_holds(machine):
    write(machine.folder / "config/wattree/config", "region = US-WY\nregoin = US-GA\npue = 1.3\n")
    result = machine.track("--assume", "gpu=10W", command=["true"])
    assert 'config:2: "regoin = US-GA" is no setting and is left out; did you mean "region"?' in result.stderr.decode()
    assert machine.profile()["region"] == "US-WY" and machine.profile()["pue"]["value"] == 1.3


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("options,message", [
    (["--region", "Atlantis"], "Atlantis"), (["--pue", "0.5"], "PUE"), (["--epoch-regex", "("], "regular expression"),
    (["--period", "1us"], "--period: "), (["--grace", "5"], "--grace: "), (["--period", "100s"], "--period"), (["--stop-above", "3"], "energy"),
    (["--assume", "cpu=65"], "unit"), (["--pid", "1"], "either a command or --pid"),
])
def test_what_the_user_got_wrong_is_told_before_anything_runs(machine, options, message):
    result = machine.track(*options, command=["touch", str(machine.folder / "ran")], code=3)
    assert message in result.stderr.decode()
    assert not (machine.folder / "ran").exists()
