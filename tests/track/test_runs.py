"""Runs of this machine: found by their entries, paused and resumed by their sockets, whoever tracks them."""

import http.client
import http.server
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading

import pytest

from test_live import LOOP, Live
from tracked_machine import Machine, wait_for


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


# Writes until its parent is gone, and tells nobody of epochs.
WRITER = "while kill -0 $PPID; do echo >> {count}; sleep 0.01; done"


def test_a_run_without_epochs_stands_at_once(machine):
    count = machine.folder / "count"
    tracker = machine.start("--assume", "gpu=100W", command=["sh", "-c", f"sh -c '{WRITER.format(count=count)}'; true"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        path = wait_for(lambda: entries(machine))[0]["socket"]
        wait_for(lambda: count.exists() and count.stat().st_size > 0)
        assert ask(path, "pause")["status"] == "paused"
        before = count.stat().st_size
        paused_at = ask(path, "status")["elapsed_s"]
        # The tracker goes on: what the devices take while the command stands is counted.
        wait_for(lambda: ask(path, "status")["elapsed_s"] > paused_at + 1.5)
        assert count.stat().st_size == before
        assert ask(path, "resume")["status"] == "live"
        wait_for(lambda: count.stat().st_size > before)
    finally:
        tracker.terminate()
        tracker.communicate(timeout=20)
    (entry,) = entries(machine)
    run = entry["run"]
    assert 1 < run["paused_s"] < run["elapsed_s"]
    assert run["paused_energy_j"] == pytest.approx(100 * run["paused_s"], rel=0.1)
    assert run["device_energy_j"] == pytest.approx(100 * run["elapsed_s"], rel=0.1)
    assert "it was paused for" in json.loads(machine.output.read_text())["notes"]


def test_a_process_that_is_only_followed_is_not_stopped(machine):
    sleeper = subprocess.Popen(["sleep", "30"])
    tracker = machine.start("--assume", "cpu=100W", "--pid", str(sleeper.pid))
    try:
        path = wait_for(lambda: entries(machine))[0]["socket"]
        refused = ask(path, "pause")["error"]
        assert "was not started by the tracker" in refused["message"]
        assert ask(path, "status")["status"] == "live"
    finally:
        tracker.terminate()
        tracker.communicate(timeout=20)
        sleeper.terminate()
        sleeper.wait()


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
    assert result.stderr.count(b"the run is not listed by servers") == 1
    assert machine.profile()["name"] == "true"


# --- a server in another process ---


class Server(Live):
    """`wattree serve` for the same user, asked as a tracked run's own server is."""

    def __init__(self, machine):
        self.process = subprocess.Popen([machine.wattree, "serve", "--port", "0"], env=machine.environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        self.ports = [int(re.search(r"http://127.0.0.1:(\d+)", line)[1])]

    def __exit__(self, *ignored):
        super().__exit__(*ignored)
        self.process.stdout.close()


@pytest.fixture
def server(machine):
    servers = []

    def start():
        servers.append(Server(machine))
        return servers[-1]

    yield start
    for one in servers:
        one.__exit__()


def train(machine, *options):
    """Epochs of a tenth of a second, tracked by somebody else."""
    return machine.start("--assume", "gpu=100W", "--name", "training", "--epoch-regex", r"epoch (\d+)", *options,
                         command=[sys.executable, "-c", LOOP, str(machine.folder / "count")], stdout=subprocess.DEVNULL)


def find(server, name="training"):
    return next((run for run in server.json("/api/v1/runs")["runs"] if run["name"] == name), None)


def end(process):
    if process.poll() is None:
        process.terminate()
    process.communicate(timeout=20)


def stream(server, run, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.ports[0], timeout=20)
    connection.request("GET", f"/api/v1/runs/{run}/events", headers=headers)
    answer = connection.getresponse()
    assert answer.status == 200
    event = {}
    for line in answer:
        key, _, value = line.decode().rstrip("\n").partition(": ")
        if key:
            event[key] = value
        elif "event" in event:
            yield event["event"], json.loads(event["data"]), event.get("id")
            event = {}


def test_runs_of_other_trackers_appear_by_themselves(machine, server, root):
    jsonschema = pytest.importorskip("jsonschema")
    follower = server()
    tracker = train(machine)
    try:
        run = wait_for(lambda: (found := find(follower)) and found["epochs_ended"] > 2 and found)
        assert run["status"] == "live" and run["host"] == socket.gethostname()
        listed = follower.json("/api/v1/runs?status=live&sort=name")
        assert listed["sums"]["live"] == 1 and "live" in listed["headline"]
        path = f"/api/v1/runs/{run['id']}"
        whole = wait_for(lambda: (one := follower.json(path + "?points=10"))["epochs_in_all"] >= 3 and one)
        assert whole["epochs"][0]["epoch"] == 1
        for name, answer in (("runs", listed), ("run", whole)):
            check(jsonschema, root, name, answer)
        assert follower.json(path + "/pause", method="POST")["status"] in ("waiting", "paused")
        wait_for(lambda: find(follower)["status"] == "paused")
        assert "epoch" in find(follower)["reason"]
        assert follower.json(path + "/resume", method="POST")["status"] == "live"
        wait_for(lambda: find(follower)["status"] == "live")
    finally:
        end(tracker)
    wait_for(lambda: find(follower)["status"] == "failed")
    assert follower.json(path)["epochs_in_all"] >= 3  # Of its profile, now that the journal is gone.
    assert follower.ask(path + "/pause", method="POST")[0] == 503


def check(jsonschema, root, name, answer):
    referencing = pytest.importorskip("referencing")
    schemas = [json.loads(path.read_text()) for path in (root / "docs/schemas").glob("*.schema.json")]
    registry = referencing.Registry().with_resources(
        (schema["$id"], referencing.Resource.from_contents(schema)) for schema in schemas)
    schema = next(schema for schema in schemas if schema["$id"] == name + ".schema.json")
    jsonschema.Draft202012Validator(schema, registry=registry).validate(answer)


def test_a_tracker_that_is_killed_is_lost_and_its_readers_are_told(machine, server):
    follower = server()
    tracker = train(machine)
    run = wait_for(lambda: (found := find(follower)) and found["epochs_ended"] > 0 and found["id"])
    events = stream(follower, run)
    next(events)
    with open(f"/proc/{tracker.pid}/task/{tracker.pid}/children") as file:
        children = [int(word) for word in file.read().split()]
    tracker.send_signal(signal.SIGKILL)
    tracker.wait(20)
    *_, (name, data, _) = events
    for child in children:
        os.kill(child, signal.SIGKILL)
    tracker.stderr.close()
    assert name == "ended" and data["status"] == "lost" and "profiles recover" in data["reason"]
    assert find(follower)["status"] == "lost"


def test_a_server_that_is_killed_picks_runs_up_again(machine, server):
    follower = server()
    tracker = train(machine)
    try:
        run = wait_for(lambda: (found := find(follower)) and found["epochs_ended"] > 3 and found["id"])
        events = stream(follower, run)
        seen = []
        while len(seen) < 3:
            name, data, number = next(events)
            seen += [(data["epoch"], number)] if name == "epoch" else []
        follower.process.kill()
        follower.process.wait(20)
        again = server()
        wait_for(lambda: (found := find(again)) and found["status"] == "live" and found["epochs_ended"] > 5)
        resumed = stream(again, run, **{"Last-Event-ID": seen[-1][1]})
        epochs = []
        while len(epochs) < 3:
            name, data, _ = next(resumed)
            epochs += [data["epoch"]] if name == "epoch" else []
        assert [epoch for epoch, _ in seen] == [1, 2, 3] and epochs == [4, 5, 6]
    finally:
        end(tracker)


# --- trackers on other machines ---


def link(server, address):
    connection = http.client.HTTPConnection("127.0.0.1", server.ports[0], timeout=20)
    connection.request("POST", "/api/v1/links", body=json.dumps({"address": address}),
                       headers={"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def test_a_tracker_elsewhere_is_linked_by_its_address(machine, server, tmp_path_factory, wattree):
    elsewhere = Machine(tmp_path_factory.mktemp("elsewhere"), wattree)
    with Live(elsewhere, "--serve", "--assume", "gpu=100W", "--name", "far", "--epoch-regex", r"epoch (\d+)",
              command=[sys.executable, "-c", LOOP, str(elsewhere.folder / "count")]) as far:
        follower = server()
        status, made = link(follower, f"http://127.0.0.1:{far.ports[0]}/api/v1/runs/current")
        assert status == 200 and made["form"] == "wattree", made
        run = wait_for(lambda: (found := find(follower, "far")) and found["epochs_ended"] > 2 and found)
        assert run["link"] == made["id"] and run["id"] == made["run"]
        theirs = far.json("/api/v1/runs/current?points=4")["epochs"][0]
        assert follower.json(f"/api/v1/runs/{run['id']}?points=4")["epochs"][0] == theirs
        follower.json(f"/api/v1/runs/{run['id']}/pause", method="POST")
        wait_for(lambda: find(follower, "far")["status"] == "paused")
        follower.json(f"/api/v1/runs/{run['id']}/resume", method="POST")
        wait_for(lambda: find(follower, "far")["status"] == "live")
        far.process.kill()
        wait_for(lambda: find(follower, "far")["status"] == "stale")
        assert follower.json("/api/v1/links/" + made["id"], method="DELETE") == {"links": []}
        assert find(follower, "far") is None


def test_energyvis_own_backend_is_linked_too(machine, server, tmp_path_factory, wattree):
    elsewhere = Machine(tmp_path_factory.mktemp("elsewhere"), wattree)
    with Live(elsewhere, "--energyvis", "http://localhost:3000", "--energyvis-port", "0", "--region", "US-GA", "--assume",
              "gpu=100W", "--epoch-regex", r"epoch (\d+)",
              command=[sys.executable, "-c", LOOP, str(elsewhere.folder / "count")]) as far:
        wait_for(lambda: len(far.json("/energy-stats")["gpu"]["epoch"]) > 2)
        follower = server()
        status, made = link(follower, f"127.0.0.1:{far.ports[0]}")
        assert status == 200 and made["form"] == "energyvis", made
        run = wait_for(lambda: follower.json(f"/api/v1/runs/{made['run']}").get("epochs_in_all", 0) > 2
                       and follower.json(f"/api/v1/runs/{made['run']}"))
        assert run["region"] == "US-GA" and run["energy_j"] > 0 and "duration_s" not in run["epochs"][0]
        assert follower.json(f"/api/v1/runs/{made['run']}/pause", method="POST")["status"] == "waiting"
        wait_for(lambda: far.json("/initial-setup")["paused"])


@pytest.mark.parametrize("address,status", [
    ("http://169.254.169.254/", 403), ("http://[fe80::1]:80", 403), ("http://[::ffff:169.254.169.254]:80", 403),
    ("http://0.0.0.0:1", 403), ("ftp://127.0.0.1", 400), ("http://127.0.0.1/admin", 400), ("http://a@127.0.0.1", 400),
    ("http://127.0.0.1:1", 503),
])
def test_links_lead_nowhere_else(server, address, status):
    follower = server()
    got, answer = link(follower, address)
    assert got == status, answer
    assert answer["error"]["message"] and follower.json("/api/v1/links") == {"links": []}


def test_links_follow_no_redirects(server):
    asked = []

    class Redirecting(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            self.end_headers()

        def log_message(self, *ignored):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Redirecting) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        assert link(server(), f"http://127.0.0.1:{other.server_port}")[0] == 503
        other.shutdown()
    assert asked and "/elsewhere" not in asked
