"""Everything that can go wrong around `wattree track`, done to the real program: what was acknowledged is kept, nothing
is invented, and the command never notices. docs/tracking.md has the table; journal_test, series_test and sampler_test
do the same to the parts, byte by byte and with clocks of their own."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from tracked_machine import MICRO, Machine, energy, records_so_far, wait_for, wattree_on

RANGE = 262143328850  # Of the counter, in microjoules


@pytest.fixture
def machine(tmp_path, wattree):
    return Machine(tmp_path, wattree)


def parts(machine):
    return {part["component"]: part for part in machine.profile()["epochs"][0].get("energy", [])}


# --- counters ---


@pytest.mark.parametrize("what,start,then,joules,has_gap", [
    ("wraps", RANGE - 2 * MICRO, 3 * MICRO, 5.0, False),
    ("is reset", 100_000 * MICRO, 1 * MICRO, 0.0, True),
    ("goes backwards", 100_000 * MICRO, 99_999 * MICRO, 0.0, True),
    ("jumps", 100 * MICRO, 90_000 * MICRO, 0.0, True),
])
def test_a_counter_that(machine, what, start, then, joules, has_gap):
    machine.counter.write_text(f"{start}\n")
    # Two joules before and four after it are counted whatever happens in between.
    script = (f"sleep 0.3; echo {start + (0 if what == 'wraps' else 2 * MICRO)} > $COUNTER; sleep 0.3; echo {then} > $COUNTER;"
              f"sleep 0.3; echo {then + 4 * MICRO} > $COUNTER; sleep 0.3; echo fine")
    result = machine.track(command=["sh", "-c", script])
    assert result.stdout == b"fine\n"
    epoch = machine.profile()["epochs"][0]
    # Where the tracker had to wait for a core, its last reading comes after the epoch's end and only its share is the epoch's.
    assert energy(epoch) == pytest.approx(joules + 4 + (0 if what == "wraps" else 2), abs=0.05)
    # The interval between two readings is a gap, and no more than that.
    assert ("gap_s" in epoch) == has_gap
    if has_gap:
        assert 0.01 < epoch["gap_s"] < 1.0


# --- NVML ---


def test_a_counter_that_is_slow_to_answer_is_read_seldom_and_epochs_are_right(machine):
    # 5 ms a reading: once a second is affordable. An edge that fell between two such readings would be off by 500 J.
    machine.use_nvml("clock\n0 0 energy_mj watts 500 100\n0 0 energy_mj slow 5\n")
    script = "for i in 1 2; do sleep 2.3; echo epoch $i; done"
    machine.track("--epoch-regex", r"^epoch (\d+)", command=["sh", "-c", script])
    epochs = machine.profile()["epochs"]
    assert len(epochs) == 2
    for epoch in epochs:
        part = next(part for part in epoch["energy"] if part["component"] == "gpu0.energy")
        assert part["energy_j"] == pytest.approx(500 * epoch["duration_s"], abs=60)
        assert part["uncertainty_j"] < 160
        assert "gap_s" not in epoch



def test_nvml_that_is_missing_is_said_and_nothing_is_put_in_its_place(machine):
    machine.counter.parent.rename(machine.folder / "gone")
    result = machine.track(command=["sh", "-c", "echo fine"])
    assert result.stdout == b"fine\n" and b"no energy can be measured here" in result.stderr
    assert not machine.profile()["epochs"][0].get("energy")
    meters = subprocess.run([machine.wattree, "meters", "--nvml", "/nonexistent"], capture_output=True, text=True)
    assert "/nonexistent" in meters.stdout + meters.stderr


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGUSR1])
def test_a_thread_of_nvmls_own_takes_no_signal_away(machine, number):
    """A driver's library may have threads, and the kernel gives a signal to whichever thread lets it."""
    machine.use_nvml("thread\n0 0 power_mw 200000\n")
    script = ("import signal, sys, time\n"
              f"signal.signal({int(number or signal.SIGUSR2)}, lambda n, f: sys.exit(7)); print('ready', flush=True)\n"
              "time.sleep(0.7); sys.exit(5)\n")
    tracker = machine.start("--serve", command=[sys.executable, "-c", script])
    assert tracker.stdout.readline() == b"ready\n"
    if number:
        tracker.send_signal(number)
    assert tracker.wait(20) == (7 if number else 5)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_no_thread_of_a_server_for_other_machines_takes_a_signal_away(machine, number):
    """Such a server asks for tokens, on a thread of its own."""
    wattree_on(machine, "token", "create", "laptop")
    script = ("import signal, sys, time\n"
              f"signal.signal({int(number)}, lambda n, f: sys.exit(7)); print('ready', flush=True)\n"
              "time.sleep(20); sys.exit(5)\n")
    tracker = machine.start("--serve", "--address", "0.0.0.0", "--assume", "cpu=65W", command=[sys.executable, "-c", script])
    assert tracker.stdout.readline() == b"ready\n"
    tracker.send_signal(number)
    assert tracker.wait(20) == 7, tracker.stderr.read()
    assert machine.profile()


def test_who_else_is_at_work_on_a_gpu_is_said(machine):
    machine.use_nvml("0 0 power_mw 200000\nprocess 0 4711 1048576 55\n")
    result = machine.track(command=["true"])
    note = "gpu0 is in use by others (process 4711): what they take is in the figures, too"
    assert note in result.stderr.decode() and note in machine.profile()["notes"]
    # Processes of the same job are no others.
    machine.environment["SLURM_JOB_ID"] = "7"
    machine.track(command=["true"])
    assert "in use by others" not in machine.profile()["notes"]


def test_a_gpu_that_is_lost_mid_run_is_a_gap_from_then_on(machine):
    machine.use_nvml("clock\n0 0 energy_mj 1000000\n300 0 energy_mj 1030000\n900 0 energy_mj error 15\n")
    result = machine.track(command=["sh", "-c", "sleep 2.2; echo fine"])
    assert result.stdout == b"fine\n"
    assert result.stderr.count(b"gpu0.energy does not answer") == 1
    epoch = machine.profile()["epochs"][0]
    assert parts(machine)["gpu0.energy"]["energy_j"] == pytest.approx(30.0, abs=1e-6)
    assert epoch["gap_s"] == pytest.approx(epoch["duration_s"] - 0.9, abs=0.8)
    assert "gpu0.energy does not answer" in machine.profile()["notes"]


def test_a_driver_that_hangs_does_not_hold_up_the_end(machine):
    machine.use_nvml("clock\n0 0 energy_mj 1000000\n300 0 energy_mj 1030000\n900 0 energy_mj slow 60000\n")
    begun = time.monotonic()
    result = machine.track(command=["sh", "-c", "sleep 2.2; echo fine; exit 4"], code=4)
    assert result.stdout == b"fine\n" and time.monotonic() - begun < 15
    epoch = machine.profile()["epochs"][0]
    assert parts(machine)["gpu0.energy"]["energy_j"] == pytest.approx(30.0, abs=1e-6)
    assert epoch["gap_s"] == pytest.approx(epoch["duration_s"] - 0.9, abs=0.8)


def test_a_gpu_that_comes_back_has_lost_nothing(machine):
    machine.use_nvml("clock\n0 0 energy_mj 1000000\n400 0 energy_mj error 999\n1000 0 energy_mj 1200000\n")
    machine.track(command=["sleep", "1.6"])
    epoch = machine.profile()["epochs"][0]
    assert parts(machine)["gpu0.energy"]["energy_j"] == pytest.approx(200.0, abs=1e-6)  # The counter went on.
    assert "gap_s" not in epoch


def test_a_gpu_without_an_energy_counter_is_measured_by_its_power(machine):
    machine.use_nvml("0 0 power_mw 200000\n0 0 energy_mj error 3\n")
    machine.track(command=["sleep", "0.6"])
    part = parts(machine)["gpu0.power"]
    assert part["energy_j"] == pytest.approx(200 * machine.profile()["epochs"][0]["duration_s"], rel=1e-6)
    assert "power" in part["basis"]["by"]


def test_a_gpu_that_supports_neither_is_not_zero_but_absent(machine):
    machine.use_nvml("0 0 power_mw error 3\n0 0 energy_mj error 3\n")
    result = machine.track(command=["sh", "-c", "echo fine"])
    assert result.stdout == b"fine\n"
    assert not any(name.startswith("gpu") for name in parts(machine))


# --- permissions and disks ---


@pytest.fixture
def machine_of_anybody(tmp_path, wattree):
    """A machine, and the arguments by which its program is run as somebody who is not root: root may read everything. The
    clone, and all that is in it, may lie where only root may go (its home folder), so program and files lie in /tmp."""
    if os.getuid() != 0:
        yield Machine(tmp_path, wattree), {}
        return
    with tempfile.TemporaryDirectory(prefix="wattree-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        machine = Machine(folder, shutil.copy(wattree, folder / "wattree"))
        os.chown(machine.environment["XDG_RUNTIME_DIR"], 65534, 65534)
        kwargs = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            subprocess.run([machine.wattree, "--version"], check=True, capture_output=True, cwd="/", **kwargs)
        except PermissionError as error:
            pytest.skip(f"root may not become another user here, or /tmp holds no programs: {error}")
        yield machine, kwargs


def test_permission_denied_is_explained_and_the_command_runs(machine_of_anybody):
    machine, kwargs = machine_of_anybody
    machine.counter.chmod(0)
    meters = subprocess.run([machine.wattree, "meters", "--sys-root", str(machine.folder / "sys"), "--proc-root",
                             str(machine.folder / "proc")], capture_output=True, text=True, cwd="/", **kwargs)
    assert "chmod o+r" in meters.stdout and "energy_uj" in meters.stdout
    result = machine.track(command=["sh", "-c", "echo fine"], cwd="/", **kwargs)
    assert result.stdout == b"fine\n" and b"no energy can be measured here" in result.stderr
    assert not machine.profile()["epochs"][0].get("energy")


def limit_processes():
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))


@pytest.mark.parametrize("arguments", [["serve", "--port", "0"], ["track", "--serve", "--assume", "cpu=65W", "--", "true"]])
def test_a_server_without_threads_is_an_error_that_says_what_to_do(machine_of_anybody, arguments):
    machine, kwargs = machine_of_anybody
    # The limit counts all processes of the user, this test's own among them, and does not bind root.
    result = subprocess.run([machine.wattree, *arguments], env=machine.environment, capture_output=True, text=True, cwd="/",
                            timeout=60, preexec_fn=limit_processes, **kwargs)
    assert result.returncode == 4, result.stderr
    assert "thread cannot start" in result.stderr and "ulimit -u" in result.stderr


def limit_files(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_journal_that_finds_no_room_does_not_stop_anybody(machine):
    """A limit on files (ulimit -f) is what a full disk is, for whoever is not root; its signal would end a program that
    does not expect it. The command raises the limit again for itself, which shows that it has the tracker's."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    script = "ulimit -S -f; sleep 4.4; echo fine"
    result = machine.track("--journal", str(machine.folder / "j"), "--assume", "gpu=100W", "--assume", "dram=5W", "-q",
                           command=["sh", "-c", script], preexec_fn=limit_files(1024))
    assert resource.getrlimit(resource.RLIMIT_FSIZE) == before
    assert result.stdout == b"2\nfine\n"
    assert b"the journal has to wait" in result.stderr and b"File too large" in result.stderr
    # What was written before is whole.
    again = machine.folder / "again.json"
    subprocess.run([machine.wattree, "profiles", "recover", str(machine.journals("j")[0]), "-o", str(again)], check=True,
                   capture_output=True, env=machine.environment)
    assert energy(json.loads(again.read_text())["epochs"][0]) >= 0


def test_a_full_disk_delays_the_journal_and_loses_nothing(machine):
    disk = machine.folder / "disk"
    disk.mkdir()
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                                          capture_output=True).returncode != 0:
        pytest.skip("only who may mount a file system can fill one")
    try:
        # The command fills the disk, tells of epochs, and after two seconds makes room again.
        script = (f"dd if=/dev/zero of={disk}/fill bs=1024 count=64 2>/dev/null; sleep 0.3; echo 103000000 > $COUNTER; sleep 0.3;"
                  f"for i in $(seq 60); do echo epoch $i; sleep 0.01; done; sleep 1.5; rm {disk}/fill; sleep 1.2; echo fine")
        result = machine.track("--journal", str(disk / "j"), "--epoch-regex", r"epoch (\d+)", command=["sh", "-c", script])
        assert result.stdout.endswith(b"epoch 60\nfine\n")
        assert result.stderr.count(b"the journal has to wait") == 1 and b"No space left" in result.stderr
        journal = next((disk / "j").glob("*.journal"))
        again = machine.folder / "again.json"
        subprocess.run([machine.wattree, "profiles", "recover", str(journal), "-o", str(again)], check=True, capture_output=True,
                       env=machine.environment)
        assert json.loads(again.read_text()) == machine.profile()
        assert len(machine.profile()["epochs"]) == 60
        assert energy(machine.profile()["epochs"][0]) == pytest.approx(3.0, abs=1e-9)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


# --- time ---

SET_BACK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
/* The clock on the wall is an hour behind as soon as the file is there. */
static int is_back(void) { const char* file = getenv("CLOCK_IS_BACK"); return file && access(file, F_OK) == 0; }
int clock_gettime(clockid_t id, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int code = real(id, time);
  if ((id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) && is_back()) time->tv_sec -= 3600;
  return code;
}
int gettimeofday(struct timeval* time, void* zone) {
  (void)zone;
  struct timespec now;
  const int code = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return code;
}
time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
"""


def test_a_clock_that_is_set_back_changes_nothing(machine):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("there is no C compiler")
    source, library, back = machine.folder / "back.c", machine.folder / "back.so", machine.folder / "is_back"
    source.write_text(SET_BACK)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    machine.environment.update(LD_PRELOAD=str(library), CLOCK_IS_BACK=str(back))
    script = (f"date +%s; sleep 0.6; echo 101000000 > $COUNTER; sleep 0.6; echo epoch 1; touch {back}; date +%s; sleep 0.6;"
              "echo 103000000 > $COUNTER; sleep 0.6; echo epoch 2")
    result = machine.track("--epoch-regex", r"epoch (\d)", command=["sh", "-c", script])
    begun, later = [int(line) for line in result.stdout.split() if len(line) > 5]
    assert begun - later > 3000  # It was set back indeed.
    epochs = machine.profile()["epochs"]
    assert [energy(epoch) for epoch in epochs] == pytest.approx([1.0, 2.0], abs=1e-9)
    assert all(1.1 < epoch["duration_s"] < 3 for epoch in epochs)
    assert epochs[0]["start"] < epochs[1]["start"]
    assert "gap_s" not in epochs[0] and "gap_s" not in epochs[1]


def test_a_tracker_that_was_stopped_for_a_while_shows_a_gap_where_it_knows_nothing(machine):
    """As after a suspension: the readings stand still, the clock and the counters go on."""
    script = ("sleep 0.5; echo 104000000 > $COUNTER; echo on; sleep 1.5; echo 109000000 > $COUNTER; sleep 1; echo fine")
    tracker = machine.start("--assume", "gpu=100W", command=["sh", "-c", script])
    assert tracker.stdout.readline() == b"on\n"
    tracker.send_signal(signal.SIGSTOP)
    time.sleep(1.2)
    tracker.send_signal(signal.SIGCONT)
    output = tracker.communicate(timeout=20)[0]
    assert tracker.returncode == 0 and output == b"fine\n"
    epoch = machine.profile()["epochs"][0]
    assert parts(machine)["cpu0.package"]["energy_j"] == pytest.approx(9.0, abs=1e-9)  # A counter counts on.
    gap = epoch["gap_s"]
    assert 1.0 < gap < 2.5  # Of a power nothing is known in that time,
    joules = parts(machine)["gpu.assumed"]["energy_j"]
    assert joules == pytest.approx(100 * (epoch["duration_s"] - gap), rel=1e-3)  # and nothing is made up.


# --- the command ---


def test_short_lines_wait_for_no_reader(machine):
    """A pipe holds thousands of short lines, tracked or not: a reader that comes late keeps nobody waiting."""
    script = "for i in range(300): print('epoch', i, flush=True)"
    tracker = machine.start("--assume", "gpu=100W", "--epoch-regex", r"epoch (\d+)", command=[sys.executable, "-c", script])
    assert tracker.wait(timeout=60) == 0
    assert tracker.stdout.read() == b"".join(b"epoch %d\n" % i for i in range(300))
    tracker.stderr.close()
    assert len(machine.profile()["epochs"]) == 300


@pytest.mark.parametrize("options", [[], ["--epoch-regex", r"epoch (\d+)"]])
class TestCommands:
    @pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGBUS])
    def test_one_that_crashes_is_measured_up_to_there(self, machine, options, number):
        script = (f"import os, time, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); print('epoch 1', flush=True);"
                  f"time.sleep(0.4); os.kill(os.getpid(), {int(number)})")
        result = machine.track("--assume", "gpu=100W", *options, command=[sys.executable, "-c", script], code=128 + number)
        assert result.stdout == b"epoch 1\n"
        profile = machine.profile()
        rest = energy(profile.get("outside_epochs", {"energy": []}))
        assert 30 < sum(energy(epoch) for epoch in profile["epochs"]) + rest < 1000

    def test_one_that_forks_is_waited_for_and_its_children_write_on(self, machine, options):
        script = ("import os, time\n"
                  "for i in range(4):\n"
                  "    if os.fork() == 0:\n"
                  "        time.sleep(0.1 * i); os.write(1, b'epoch %d\\n' % i); os._exit(0)\n"
                  "for i in range(4): os.wait()\n"
                  "os._exit(3)\n")
        result = machine.track(*options, command=[sys.executable, "-c", script], code=3)
        assert sorted(result.stdout.split(b"\n")) == [b"", b"epoch 0", b"epoch 1", b"epoch 2", b"epoch 3"]
        assert len(machine.profile()["epochs"]) == (4 if options else 1)

    def test_one_that_daemonises_is_over_and_its_daemon_lives_on(self, machine, options):
        alive = machine.folder / "alive"
        script = ("import os, pathlib, sys, time\n"
                  "if os.fork(): os._exit(0)\n"
                  "os.setsid()\n"
                  "if os.fork(): os._exit(0)\n"
                  "null = os.open('/dev/null', os.O_RDWR)\n"
                  "for i in range(3): os.dup2(null, i)\n"
                  "time.sleep(1); pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\n")
        begun = time.monotonic()
        machine.track(*options, command=[sys.executable, "-c", script, str(alive)])
        assert time.monotonic() - begun < 10 and machine.profile()["epochs"]
        wait_for(alive.exists)  # It was left alone.

    def test_one_whose_output_is_a_file_or_a_slow_pipe_that_does_not_wait(self, machine, options):
        script = ("import sys\nfor i in range(3000):\n"
                  "    sys.stdout.buffer.write((b'epoch %d\\n' % i) * (i % 100 == 0) + b'step 1 %06d\\n' % i * 40)\n")
        wanted = b"".join((b"epoch %d\n" % i) * (i % 100 == 0) + b"step 1 %06d\n" % i * 40 for i in range(3000))
        path = machine.folder / "out"
        with path.open("wb") as file:
            tracker = machine.start(*options, command=[sys.executable, "-c", script], stdout=file)
            assert tracker.wait(60) == 0
        assert path.read_bytes() == wanted
        reader, writer = os.pipe()
        if options:  # Without the relay, the command itself would have to cope with it.
            os.set_blocking(writer, False)
        tracker = machine.start(*options, command=[sys.executable, "-c", script], stdout=writer)
        os.close(writer)
        got = b""
        while piece := os.read(reader, 9999):
            got += piece
            if len(got) < 200_000:
                time.sleep(0.01)
        os.close(reader)
        assert tracker.wait(60) == 0 and got == wanted


def test_the_tracker_killed_at_any_moment_loses_nothing_it_has_told(machine):
    """Real kills, at moments spread over a second with everything that is written in it: what a client saw as an epoch is
    in what is recovered."""
    script = ("import os, pathlib, time\n"
              "for i in range(1, 1000):\n"
              "    pathlib.Path(os.environ['COUNTER']).write_text(f'{100000000 + i * 1000000}\\n'); print('epoch', i, flush=True)\n"
              "    time.sleep(0.05)\n"
              "    if os.getppid() == 1 or pathlib.Path(os.environ['COUNTER'] + '.end').exists(): break\n")
    for delay in (0.6, 0.75, 0.9, 1.05, 1.2, 1.35):
        for journal in machine.journals("j"):
            journal.unlink()
        tracker = machine.start("--epoch-regex", r"epoch (\d+)", "--journal", str(machine.folder / "j"),
                                command=[sys.executable, "-c", script], stdout=subprocess.DEVNULL)
        wait_for(lambda: machine.journals("j"))
        time.sleep(delay)
        seen = [r for r in records_so_far(machine.journals("j")[0]) if r["record"] in ("epoch", "totals")]
        tracker.kill()
        tracker.wait()
        pathlib.Path(str(machine.counter) + ".end").touch()
        out = machine.folder / "killed.json"
        subprocess.run([machine.wattree, "profiles", "recover", str(machine.journals("j")[0]), "-o", str(out)], check=True,
                       capture_output=True, env=machine.environment)
        profile = json.loads(out.read_text())
        epochs = [r for r in seen if r["record"] == "epoch"]
        assert len(epochs) >= 3 and len(profile["epochs"]) >= len(epochs)
        for record, epoch in zip(epochs, profile["epochs"]):
            assert energy(epoch) == pytest.approx(record["meters"][0][1], abs=1e-9)
        total = sum(energy(e) for e in profile["epochs"]) + energy(profile["outside_epochs"])
        told = max(r["meters"][0][1] for r in seen if r["record"] == "totals") if any(
            r["record"] == "totals" for r in seen) else 0
        assert total >= told - 1e-6
        time.sleep(0.1)
        pathlib.Path(str(machine.counter) + ".end").unlink()
        machine.counter.write_text(f"{100 * MICRO}\n")
