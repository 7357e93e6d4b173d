"""A run that is followed while it goes on: over HTTP, by EnergyVis's routes, and by programs that tell of their epochs."""

import datetime
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from tracked_machine import Machine, energy, wait_for

RUN = "/api/v1/runs/current"
ORIGIN = "https://energyvis.example"
# Counts epochs in a file, so that tests see how far it is.
# The file is replaced whole: whoever reads it, or stops the loop, never finds it empty.
LOOP = ("import os, pathlib, sys, time\n"
        "new = pathlib.Path(sys.argv[1] + '.new')\n"
        "for i in range(1, 1000):\n"
        "    print('epoch', i, flush=True); new.write_text(str(i)); os.replace(new, sys.argv[1]); time.sleep(0.1)\n")


@pytest.fixture
def machine(tmp_path, wattree):
    return Machine(tmp_path, wattree)


class Live:
    """A tracked run and its server."""

    def __init__(self, machine, *options, command, stdout=subprocess.DEVNULL):
        self.process = machine.start(*options, command=command, stdout=stdout)
        self.ports, self.said = [], []
        wanted = ("--serve" in options) + ("--energyvis" in options)
        while len(self.ports) < wanted:
            line = self.process.stderr.readline().decode()
            assert line, self.said
            self.said.append(line)
            if found := re.search(r"this run is at http://127.0.0.1:(\d+)", line):
                self.ports.append(int(found[1]))

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(20)
        self.process.stderr.close()

    def ask(self, path, method="GET", port=0, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[port], timeout=10)
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body, dict(answer.getheaders())

    def json(self, path, **kwargs):
        status, body, _ = self.ask(path, **kwargs)
        assert status == 200, body
        return json.loads(body)


def events(port):
    """The events of a run as they come: name, data, and when."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", RUN + "/events")
    answer = connection.getresponse()
    assert answer.status == 200 and answer.getheader("Content-Type") == "text/event-stream"
    name = None
    for line in answer:
        line = line.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:]), time.time()


def test_a_process_of_others_is_not_stopped(machine):
    """One that is only followed: neither a client's pause nor EnergyVis's reaches it."""
    other = subprocess.Popen(["sleep", "60"])
    try:
        with Live(machine, "--serve", "--energyvis", ORIGIN, "--energyvis-port", "0", "--region", "US-GA", "--assume",
                  "gpu=100W", "--pid", str(other.pid), command=()) as live:
            for path, port in ((f"{RUN}/pause", 0), ("/pause", 1)):
                status, body, _ = live.ask(path, "POST", port)
                assert status == 503 and "cannot be paused" in body, body
            assert live.json(RUN)["status"] == "live"
            state = pathlib.Path(f"/proc/{other.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            assert state == "S"
    finally:
        other.kill()
        other.wait()


def test_the_runs_page_is_printed(machine):
    process = machine.start("--serve", "--assume", "gpu=100W", command=["sleep", "60"])
    try:
        while not (page := re.search(r"watch it in a browser at (http://127.0.0.1:\d+)/track\?run=(\S+)\n",
                                     process.stderr.readline().decode())):
            assert process.poll() is None
        with urllib.request.urlopen(page[0].split()[-1], timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/html")
        with urllib.request.urlopen(f"{page[1]}/api/v1/runs/{page[2]}", timeout=10) as answer:
            assert json.load(answer)["status"]
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()
        process.stdout.close()


def test_a_client_sees_every_epoch_within_a_second(machine, root):
    jsonschema = pytest.importorskip("jsonschema")
    script = ("import time\n"
              "for i in range(3):\n"
              "    time.sleep(0.6); open('" + str(machine.folder / "times") + "', 'a').write(f'{time.time()}\\n')\n"
              "    print('epoch', i, flush=True)\n"
              "time.sleep(1)\n")
    with Live(machine, "--serve", "--assume", "gpu=100W", "--epochs", "6", "--region", "US-GA", "--epoch-regex",
              r"epoch (\d)", command=[sys.executable, "-c", script]) as live:
        seen = list(events(live.ports[0]))
    epochs = [(data, at) for name, data, at in seen if name == "epoch"]
    assert [data["name"] for data, _ in epochs] == ["0", "1", "2"]
    printed = [float(line) for line in (machine.folder / "times").read_text().splitlines()]
    # The quickest of the three: a busy machine may hold up any one of them.
    assert min(at - then for (_, at), then in zip(epochs, printed)) < 1.0
    for data, _ in epochs:
        gpu = next(part for part in data["components"] if part["component"] == "gpu.assumed")
        assert gpu["energy_j"] == pytest.approx(100 * data["duration_s"], rel=1e-6)
        jsonschema.validate(data, json.loads((root / "docs/schemas/run_epoch.schema.json").read_text()))
    statuses = [data for name, data, _ in seen if name in ("status", "ended")]
    for status in statuses:
        jsonschema.validate(status, json.loads((root / "docs/schemas/run_status.schema.json").read_text()))
    projected = [status for status in statuses if "projected_energy_low_j" in status]
    assert projected
    for status in projected:
        assert (status["projected_energy_low_j"] <= status["projected_energy_j"] <= status["projected_energy_high_j"])
    assert seen[-1][0] == "ended" and seen[-1][1]["exit_code"] == 0 and seen[-1][1]["status"] == "ended"
    last = seen[-1][1]
    assert last["carbon_gco2e"] == pytest.approx(last["energy_j"] / 3.6e6 * 325.43, rel=1e-3)


def test_status_and_profile_so_far(machine):
    with Live(machine, "--serve", "--assume", "gpu=100W", command=["sleep", "30"]) as live:
        wait_for(lambda: live.json(RUN).get("energy_j", 0) > 150)
        status = live.json(RUN)
        assert status["status"] == "live" and status["power_w"] == pytest.approx(100, rel=1e-3)
        profile = live.json(RUN + "/profile")
        assert profile["format"] == "wattree-profile" and energy(profile["epochs"][0]) > 100


def test_pause_and_resume_at_epochs(machine):
    count = machine.folder / "count"
    with Live(machine, "--serve", "--assume", "gpu=100W", "--epoch-regex", r"epoch (\d+)",
              command=[sys.executable, "-c", LOOP, str(count)]) as live:
        wait_for(count.exists)
        assert live.ask(RUN + "/pause")[0] == 405
        assert live.json(RUN + "/pause", method="POST")["status"] in ("waiting", "paused")
        wait_for(lambda: live.json(RUN)["status"] == "paused")
        before = count.read_text()
        time.sleep(0.5)
        middle = datetime.datetime.now(datetime.timezone.utc)
        time.sleep(0.5)
        assert count.read_text() == before  # It stands.
        assert live.json(RUN + "/resume", method="POST")["status"] == "live"
        wait_for(lambda: int(count.read_text()) > int(before) + 1)
        profile = wait_for(lambda: has_later_epoch(live.json(RUN + "/profile"), middle))
    # The pause is in nobody's epoch; how long those take is up to the machine.
    for epoch in profile["epochs"]:
        start = when(epoch["start"])
        assert not start <= middle <= start + datetime.timedelta(seconds=epoch["duration_s"])


def when(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def has_later_epoch(profile, moment):
    return profile if any(when(epoch["start"]) > moment for epoch in profile["epochs"]) else None


def test_a_paused_run_can_be_ended(machine):
    count = machine.folder / "count"
    with Live(machine, "--serve", "--epoch-regex", r"epoch (\d+)", command=[sys.executable, "-c", LOOP, str(count)]) as live:
        live.json(RUN + "/pause", method="POST")
        wait_for(lambda: live.json(RUN)["status"] == "paused")
        live.process.terminate()
        assert live.process.wait(20) == 128 + 15


def test_other_pages_and_other_names_are_refused(machine):
    with Live(machine, "--serve", command=["sleep", "30"]) as live:
        assert live.ask(RUN + "/pause", method="POST", Origin="https://evil.example")[0] == 403
        assert live.ask(RUN + "/pause", method="POST", Sec_Fetch_Site="cross-site")[0] == 403
        assert live.ask(RUN, Host="evil.example")[0] == 403
        assert live.json(RUN)["status"] == "live"
        status, body, _ = live.ask("/api/v1/nothing")
        assert status == 404 and json.loads(body)["error"]["code"] == "not_found"
        assert "Access-Control-Allow-Origin" not in live.ask(RUN, Origin="https://evil.example")[2]


def send_raw(port, data, wait=5):
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


HOST = b"Host: localhost\r\n"


@pytest.mark.parametrize("data,status", [
    (b"nonsense\r\n\r\n", 400), (b"GET / HTTP/9.9\r\n\r\n", 505), (b"GET / HTTP/2\r\n\r\n", 400),
    (b"GET\r\n\r\n", 400), (b"GET /\r\n\r\n", 400), (b"GET  HTTP/1.1\r\n\r\n", 400),
    (b"G@T / HTTP/1.1\r\n" + HOST + b"\r\n", 400), (b"GET /\x01 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    (b"GET relative HTTP/1.1\r\n" + HOST + b"\r\n", 400), (b"GET / HTTP/1.1\r\n" + HOST + b"bad header\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n" + HOST + b": x\r\n\r\n", 400), (b"GET / HTTP/1.1\r\n" + HOST + b"a b: x\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n" + HOST + b"a: \x01\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: x\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1x\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 999999999\r\n\r\n", 413),
    (b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 20000, 431),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: gzip\r\n\r\n", 501), (b"\x00\xff\xfe\r\n\r\n", 400),
])
def test_bad_requests_are_answered(machine, data, status):
    with Live(machine, "--serve", command=["sleep", "30"]) as live:
        assert send_raw(live.ports[0], data).startswith(b"HTTP/1.1 %d " % status)
        assert live.ask(RUN)[0] == 200


def test_those_who_do_not_read_or_write_hold_nobody_up(machine):
    with Live(machine, "--serve", "--assume", "gpu=100W", command=["sleep", "3"]) as live:
        idle = [socket.create_connection(("127.0.0.1", live.ports[0])) for _ in range(40)]
        for connection in idle[:20]:  # Streams that nobody reads.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.sendall(f"GET {RUN}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        idle[21].sendall(b"GET / HT")  # Never finished.
        idle[22].close()
        seen = [data["elapsed_s"] for name, data, _ in events(live.ports[0]) if name == "status"]
        assert live.process.wait(20) == 0
        for connection in idle:
            connection.close()
    gaps = [b - a for a, b in zip(seen, seen[1:])]
    assert len(seen) >= 3 and max(gaps) < 1.5


def test_a_port_that_is_taken_is_told_before_anything_runs(machine):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = machine.track("--port", str(port), command=["touch", str(machine.folder / "ran")], code=4)
        assert f"http://127.0.0.1:{port}" in result.stderr.decode() and "--port" in result.stderr.decode()
        result = machine.track("--energyvis", ORIGIN, "--energyvis-port", str(port), "--region", "US-GA",
                               command=["touch", str(machine.folder / "ran")], code=4)
        assert "end the program that has it" in result.stderr.decode()
    assert not (machine.folder / "ran").exists()


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_two_servers_on_one_port_are_a_usage_error(machine, address):
    result = machine.track("--serve", "--port", "5000", "--address", address, "--public", "--energyvis", ORIGIN, "--region",
                           "US-GA", command=["touch", str(machine.folder / "ran")], code=3)
    said = result.stderr.decode()
    assert "--port and --energyvis both want port 5000" in said and "choose another with --port" in said
    assert not (machine.folder / "ran").exists()


def test_a_port_that_is_taken_is_that_of_its_own_server(machine):
    """EnergyVis's server has another, which is free: the hint is not about it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = machine.track("--port", str(port), "--energyvis", ORIGIN, "--energyvis-port", "0", "--region", "US-GA",
                               command=["true"], code=4)
    assert "choose one with --port" in result.stderr.decode()


# --- EnergyVis's own routes ---


def test_energyvis_front_end_can_follow(machine):
    count = machine.folder / "count"
    with Live(machine, "--energyvis", ORIGIN, "--energyvis-port", "0", "--region", "US-GA", "--assume", "gpu=360W",
              "--epoch-regex", r"epoch (\d+)", command=[sys.executable, "-c", LOOP, str(count)]) as live:
        status, body, headers = live.ask("/initial-setup", Origin=ORIGIN)
        assert status == 200 and headers["Access-Control-Allow-Origin"] == ORIGIN
        assert json.loads(body) == {"component_names": {"cpu": {"Test CPU": 1}, "gpu": {}}, "state": "Georgia",
                                    "paused": False}
        stats = wait_for(lambda: len(live.json("/energy-stats")["gpu"]["epoch"]) >= 3 and live.json("/energy-stats"))
        assert len(stats["cpu"]["epoch"]) == len(stats["gpu"]["epoch"]) and stats["gpu"]["interval"] is None
        # 360 W for about a tenth of a second is a hundred-thousandth of a kWh.
        assert all(0.5e-5 < kwh < 50e-5 for kwh in stats["gpu"]["epoch"][1:])
        assert set(stats["cpu"]["epoch"]) == {0}
        assert live.json("/pause", Origin=ORIGIN) == {"training_paused": True}
        assert live.json("/initial-setup", Origin=ORIGIN)["paused"] is True
        assert live.json("/energy-stats")["gpu"]["epoch"]

        def standing():
            before = count.read_text()
            time.sleep(0.5)  # Five of its epochs.
            return count.read_text() == before and before

        stopped = wait_for(standing)
        assert live.json("/pause", Origin=ORIGIN) == {"training_paused": False}
        wait_for(lambda: int(count.read_text()) > int(stopped))
        assert live.ask("/")[0] == 200
        assert live.ask("/pause", Origin="https://evil.example")[0] == 403
        assert "Access-Control-Allow-Origin" not in live.ask("/", Origin="https://evil.example")[2]
        assert live.ask("/pause", Sec_Fetch_Site="cross-site")[0] == 403


@pytest.mark.parametrize("origin", ["*", "localhost:3000", "http://localhost:3000/", "ftp://localhost"])
def test_an_origin_that_no_page_has_is_refused(machine, origin):
    result = machine.track("--energyvis", origin, "--region", "US-GA", command=["true"], code=3)
    assert b"not the origin of a page" in result.stderr


def test_energyvis_needs_a_us_state(machine):
    result = machine.track("--energyvis", ORIGIN, "--region", "DEU", command=["true"], code=3)
    assert b"US states only" in result.stderr


def test_energyvis_gets_its_own_names_of_cards_and_no_state_that_its_map_lacks(machine):
    machine.use_nvml("gpu 1 GPU-bbbb Tesla V100-SXM2-16GB\nclock\n0 0 energy_mj watts 300 100\n0 1 energy_mj watts 300 100\n")
    with Live(machine, "--energyvis", ORIGIN, "--energyvis-port", "0", "--region", "US-GA", command=["sleep", "30"]) as live:
        setup = live.json("/initial-setup", Origin=ORIGIN)
        assert setup["component_names"]["gpu"]["tesla-v100-sxm2-16-gb"] == 1
        assert "EnergyVis's list has no NVIDIA H200" in "".join(live.said)
    for region in ("US-HI", "US-AK", "US-DC"):
        result = machine.track("--energyvis", ORIGIN, "--region", region, command=["true"], code=3)
        assert b"EnergyVis's map has the 48 contiguous states, but not " in result.stderr


# --- programs that tell of their epochs ---

PROGRAM = """
import ctypes, os, pathlib, sys, time
library = ctypes.CDLL(sys.argv[1])
counter = pathlib.Path(os.environ["COUNTER"])
assert library.wattree_is_tracked() == int(sys.argv[2])
for epoch in range(2):
    library.wattree_epoch_begin(b"epoch %d" % epoch)
    library.wattree_step_begin(b"forward")
    time.sleep(0.25); counter.write_text(str(101000000 + 1000000 * epoch)); time.sleep(0.25)
    library.wattree_step_end(b"forward")
    library.wattree_epoch_end()
    time.sleep(0.2)
"""


@pytest.fixture(scope="session")
def library(wattree):
    path = os.path.join(os.path.dirname(os.path.dirname(wattree)), "lib/libwattree.so")
    assert os.path.exists(path)
    return path


def test_epochs_and_steps_by_the_c_api(machine, library):
    result = machine.track("--journal", str(machine.folder / "j"),
                           command=[sys.executable, "-c", PROGRAM, library, "1"])
    profile = machine.profile()
    assert [energy(epoch) for epoch in profile["epochs"]] == pytest.approx([1.0, 1.0], abs=1e-9)
    assert all(0.5 <= epoch["duration_s"] < 2 for epoch in profile["epochs"])
    assert energy(profile["outside_epochs"]) == pytest.approx(0.0, abs=1e-9)
    assert re.search(r"forward +2 .* 2 J", result.stderr.decode())
    [step] = profile["steps"]
    assert step["name"] == "forward" and step["count"] == 2 and step["energy_j"] == pytest.approx(2.0, abs=1e-9)
    assert 1.0 <= step["duration_s"] < 4
    recovered = machine.folder / "recovered.json"
    subprocess.run([machine.wattree, "profiles", "recover", str(machine.journals("j")[0]), "-o", str(recovered)], check=True,
                   env=machine.environment, capture_output=True)
    assert json.loads(recovered.read_text()) == profile


def test_steps_without_meters_have_times_and_no_energy(machine, library):
    machine.counter.parent.rename(machine.folder / "gone")
    environment = {**machine.environment, "COUNTER": str(machine.folder / "elsewhere")}
    machine.environment = environment
    result = machine.track(command=[sys.executable, "-c", PROGRAM, library, "1"])
    [step] = machine.profile()["steps"]
    assert step["count"] == 2 and "energy_j" not in step
    assert re.search(r"forward +2 .* \? +\?", result.stderr.decode())


def test_the_documents_example_runs(machine, library, root):
    example = re.search(r"```python\n(.*?)```", (root / "docs/tracking.md").read_text(), re.DOTALL)[1]
    assert "build/release/lib/libwattree.so" in example
    machine.track("--assume", "gpu=100W",
                  command=[sys.executable, "-c", example.replace("build/release/lib/libwattree.so", library)])
    assert len(machine.profile()["epochs"]) == 3


def test_without_a_tracker_the_c_api_does_nothing(machine, library):
    subprocess.run([sys.executable, "-c", PROGRAM, library, "0"], check=True, env=machine.environment, timeout=30)
    gone = {**machine.environment, "WATTREE_TRACK": f"unix:{machine.folder}/gone.sock"}
    subprocess.run([sys.executable, "-c", PROGRAM, library, "0"], check=True, env=gone, timeout=30)


def test_the_c_api_goes_on_when_the_tracker_is_killed(machine, library):
    script = PROGRAM + "\nprint('finished', flush=True)\n"
    tracker = machine.start(command=[sys.executable, "-c", script, library, "1"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: b'"begin"' in journal.read_bytes())
    tracker.kill()
    assert tracker.stdout.read() == b"finished\n"


def test_ranks_of_one_run_count_once_and_all_wait(machine, library):
    script = ("import ctypes, os, pathlib, sys, time\n"
              "library = ctypes.CDLL(sys.argv[1]); folder = pathlib.Path(sys.argv[2])\n"
              "rank = 0 if os.fork() else 1\n"
              "time.sleep(0.2 * rank)\n"
              "for i in range(1000):\n"
              "    library.wattree_epoch_begin(None); (folder / f'rank{rank}').write_text(str(i)); time.sleep(0.1)\n"
              "    library.wattree_epoch_end()\n"
              "    if (folder / 'enough').exists(): break\n")
    with Live(machine, "--serve", "--assume", "gpu=100W",
              command=[sys.executable, "-c", script, library, str(machine.folder)]) as live:
        ranks = [machine.folder / "rank0", machine.folder / "rank1"]
        wait_for(lambda: all(path.exists() for path in ranks))
        live.json(RUN + "/pause", method="POST")
        wait_for(lambda: live.json(RUN)["status"] == "paused")
        time.sleep(0.4)
        before = [path.read_text() for path in ranks]
        time.sleep(0.4)
        assert [path.read_text() for path in ranks] == before
        live.json(RUN + "/resume", method="POST")
        wait_for(lambda: [path.read_text() for path in ranks] != before)
        (machine.folder / "enough").touch()
        assert live.process.wait(20) == 0
    epochs = len(machine.profile()["epochs"])
    assert abs(epochs - 1 - int(ranks[0].read_text())) <= 1  # One rank's, not both.
