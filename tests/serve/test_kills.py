"""`kill -9` of a server at any moment: what it answered is kept, and what it followed is followed again."""

import contextlib
import http.client
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

ROUNDS = int(os.environ.get("WATTREE_KILLS", "12"))
# Epochs until it is ended.
LOOP = "import time\nfor i in range(1, 100000):\n    print('epoch', i, flush=True); time.sleep(0.1)\n"


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    headers = {} if body is None else {"Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status == 200, text
    return json.loads(text)


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come about")


@pytest.fixture
def machine(tmp_path):
    """The environment of a user without anything."""
    out = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "WATTREE_", "SLURM_"))}
    return {**out, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "run"), "HF_HUB_OFFLINE": "1"}


@contextlib.contextmanager
def started(command, environment, pattern, stream):
    process = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE if stream == "stdout" else subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        found = None
        while not found:
            line = getattr(process, stream).readline()
            assert line, "it ended"
            found = re.search(pattern, line)
        yield process, int(found[1])
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)


def serving(wattree, machine):
    return started([wattree, "serve", "--port", "0"], machine, r"http://127.0.0.1:(\d+)", "stdout")


def tracking(wattree, environment, name, *flags):
    command = [wattree, "track", "--assume", "gpu=100W", "--name", name, "--epoch-regex", r"epoch (\d+)", *flags, "--",
               sys.executable, "-c", LOOP]
    return started(command, environment, r"http://127.0.0.1:(\d+)", "stderr")


class Writer(threading.Thread):
    """Writes one thing after the other, and remembers what was answered."""

    def __init__(self, port, first):
        super().__init__()
        self.port, self.count = port, first
        self.profiles, self.names, self.tokens = set(), {}, set()

    def run(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                self.count += 1
                identity = f"run-{self.count}"
                ask(self.port, "POST", "/api/v1/profiles/estimate",
                    {"name": identity, "hardware": "T4", "hours": 1, "id": identity})
                self.profiles.add(identity)
                ask(self.port, "PATCH", f"/api/v1/profiles/{identity}", {"name": "renamed " + identity})
                self.names[identity] = "renamed " + identity
                self.tokens.add(ask(self.port, "POST", "/api/v1/tokens", {"name": identity, "scope": "read"})["id"])


def test_what_was_answered_survives(wattree, machine, tmp_path):
    chance = random.Random(7)
    profiles, names, tokens, count = set(), {}, set(), 0
    for _ in range(ROUNDS):
        with serving(wattree, machine) as (process, port):
            kept = {entry["id"]: entry["name"] for entry in ask(port, "GET", "/api/v1/profiles?limit=1000")["profiles"]}
            assert profiles <= kept.keys()
            assert names.items() <= kept.items()
            assert tokens <= {token["id"] for token in ask(port, "GET", "/api/v1/tokens")["tokens"]}
            writer = Writer(port, count)
            writer.start()
            time.sleep(chance.uniform(0, 0.2))
            process.kill()
            writer.join()
        profiles |= writer.profiles
        names |= writer.names
        tokens |= writer.tokens
        count = writer.count
    assert len(profiles) >= ROUNDS / 2, "nothing much was written"
    with sqlite3.connect(tmp_path / ".local/share/wattree/wattree.db") as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_runs_and_links_are_followed_again(wattree, machine, tmp_path):
    elsewhere = {**machine, "HOME": str(tmp_path / "far"), "XDG_RUNTIME_DIR": str(tmp_path / "far-run")}

    def runs(port):
        return {run["name"]: run for run in ask(port, "GET", "/api/v1/runs")["runs"]}

    with tracking(wattree, machine, "near", "--serve") as _, tracking(wattree, elsewhere, "far", "--serve") as (far, address):
        with serving(wattree, machine) as (process, port):
            made = ask(port, "POST", "/api/v1/links", {"address": f"127.0.0.1:{address}"})
            process.kill()
        for _ in range(2):
            with serving(wattree, machine) as (process, port):
                (link,) = ask(port, "GET", "/api/v1/links")["links"]
                assert (link["id"], link["address"]) == (made["id"], made["address"])
                for name in ("near", "far"):
                    before = wait_for(lambda name=name: runs(port).get(name))["epochs_ended"]
                    wait_for(lambda name=name, before=before: runs(port)[name]["status"] == "live"
                             and runs(port)[name]["epochs_ended"] > before)
                assert runs(port)["far"]["id"] == made["run"]
                process.kill()
        far.terminate()
        far.wait(20)
        # Nobody answers there any more: the link stays, and says so, until it is removed.
        with serving(wattree, machine) as (process, port):
            wait_for(lambda: "no tracker answers" in ask(port, "GET", "/api/v1/links")["links"][0].get("problem", "")
                     or "connect" in ask(port, "GET", "/api/v1/links")["links"][0].get("problem", ""))
            assert ask(port, "DELETE", f"/api/v1/links/{made['id']}") == {"links": []}
            process.kill()
        with serving(wattree, machine) as (_, port):
            assert ask(port, "GET", "/api/v1/links") == {"links": []}
