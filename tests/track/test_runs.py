"""Runs of this machine: found by their entries, paused and resumed by their sockets, whoever tracks them."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys

import pytest

from test_live import LOOP
from test_track import Machine, wait_for


@pytest.fixture
def machine(tmp_path, wattree):
    return Machine(tmp_path, wattree)


def entries(machine):
    return [json.loads(path.read_text()) for path in sorted((machine.folder / "state/wattree/runs").glob("*.json"))]


def ask(path, what):
    """One request to a tracker, as any program of the user's can send it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.settimeout(5)
        connection.connect(path)
        connection.send(what.encode())
        return json.loads(connection.recv(512))


def test_a_run_is_listed_from_its_beginning_to_after_its_end(machine):
    tracker = machine.start("--assume", "gpu=100W", "--name", "My run", command=["sleep", "30"])
    try:
        entry = wait_for(lambda: entries(machine))[0]
        assert entry["name"] == "My run" and entry["process"] == tracker.pid and "run" not in entry
        assert entry["journal"] == str(machine.journals()[0])
        assert wait_for(lambda: ask(entry["socket"], "status")["elapsed_s"] > 0) is True
    finally:
        tracker.terminate()
        tracker.communicate(timeout=20)
    (entry,) = entries(machine)
    assert entry["profile"] == str(machine.output) and entry["run"]["status"] == "failed"
    assert entry["run"]["reason"] == "exit code 143, SIGTERM"
    assert entry["run"]["energy_j"] == pytest.approx(100 * entry["run"]["elapsed_s"], rel=0.05)
    assert not os.path.exists(entry["socket"])


def test_a_command_that_cannot_be_started_leaves_no_entry(machine):
    machine.track(command=["/nonexistent/command"], code=127)
    assert entries(machine) == []


def test_a_run_is_paused_and_resumed_through_its_socket(machine):
    count = machine.folder / "count"
    tracker = machine.start("--assume", "gpu=100W", "--epoch-regex", r"epoch (\d+)",
                            command=[sys.executable, "-c", LOOP, str(count)], stdout=subprocess.DEVNULL)
    try:
        path = wait_for(lambda: entries(machine))[0]["socket"]
        mode = os.stat(path).st_mode
        assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        wait_for(lambda: count.exists())
        assert ask(path, "pause")["status"] in ("waiting", "paused")
        wait_for(lambda: ask(path, "status")["status"] == "paused")
        stands_at = count.read_text()
        assert ask(path, "dance") == {"error": "ask for status, pause or resume"}
        assert count.read_text() == stands_at
        assert ask(path, "resume")["status"] == "live"
        wait_for(lambda: count.read_text() != stands_at)
    finally:
        tracker.terminate()
        tracker.communicate(timeout=20)


def test_another_user_cannot_pause_a_run(machine):
    if os.geteuid() != 0:
        pytest.skip("only root can ask as another user")
    tracker = machine.start(command=["sleep", "30"])
    try:
        path = wait_for(lambda: entries(machine))[0]["socket"]
        script = ("import os, socket, sys\nos.setuid(65534)\ns = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
                  "s.settimeout(5)\ns.connect(sys.argv[1])\ns.send(b'pause')\nprint(s.recv(512).decode() or 'closed')\n")

        def try_it():
            result = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=20)
            return result.stdout.strip() or result.stderr.strip().splitlines()[-1]

        assert "PermissionError" in try_it()
        # Even where somebody has opened the folder and the socket.
        for folder in (os.path.dirname(os.path.dirname(path)), os.path.dirname(path)):
            os.chmod(folder, 0o755)
        os.chmod(path, 0o666)
        assert try_it() in ("closed", "ConnectionResetError: [Errno 104] Connection reset by peer",
                            "BrokenPipeError: [Errno 32] Broken pipe")
        assert ask(path, "status")["status"] == "live"
    finally:
        tracker.terminate()
        tracker.communicate(timeout=20)


def test_a_tracker_that_was_killed_leaves_its_entry_and_recover_completes_it(machine):
    tracker = machine.start("--assume", "gpu=100W", "--name", "lost", command=["sleep", "2"])
    entry = wait_for(lambda: entries(machine))[0]
    wait_for(lambda: ask(entry["socket"], "status")["elapsed_s"] > 0)
    tracker.send_signal(signal.SIGKILL)
    tracker.communicate(timeout=20)
    assert "run" not in entries(machine)[0]
    subprocess.run([machine.wattree, "profiles", "recover"], env=machine.environment, check=True, capture_output=True)
    assert os.path.exists(entries(machine)[0]["profile"])


def test_no_place_for_entries_does_not_stop_a_run(machine):
    (machine.folder / "state/wattree").mkdir(parents=True)
    (machine.folder / "state/wattree/runs").write_text("a file where the folder should be")
    result = machine.track("--assume", "gpu=100W", command=["true"])
    assert b"the run is not listed by servers" in result.stderr
    assert machine.profile()["name"] == "true"
