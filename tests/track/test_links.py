"""Links to what is no tracker, or one that would fill the memory of whoever follows it."""

import contextlib
import http.server
import json
import os
import re
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

import pytest

MOST_MEMORY = 400_000_000


class Journal:
    """A tracker's journal without an end, from its first lines on: the others are made as they are asked for."""

    def __init__(self, header, first):
        self.text, self.checksum, self.epoch = bytearray(header + first), zlib.crc32(first[9:-1]), 0
        assert first[:8] == b"%08x" % self.checksum

    def piece(self, start, size=1 << 20):
        while len(self.text) < start + size:
            self.epoch += 1
            record = {"record": "epoch", "name": "e" * 900 + str(self.epoch), "begun_ns": self.epoch * 1_000_000,
                      "ended_ns": self.epoch * 1_000_000 + 900_000, "meters": [[0, 1, 1, 1, 1]]}
            data = json.dumps(record, separators=(",", ":")).encode()
            self.checksum = zlib.crc32(data, self.checksum)
            self.text += b"%08x " % self.checksum + data + b"\n"
        return bytes(self.text[start:start + size])


@contextlib.contextmanager
def tracker(answer):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = answer(urllib.parse.urlsplit(self.path))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *ignored):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def follower(wattree, tmp_path):
    process = subprocess.Popen([wattree, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": str(tmp_path)})
    url = process.stdout.readline().split()[-1]
    yield process, url
    process.kill()
    process.wait()
    process.stdout.close()


def ask(url, method="GET", body=None):
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def peak_memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status.read())[1])


def real_journal(wattree, folder):
    """The header and the first record of a journal that a tracker wrote."""
    subprocess.run([wattree, "track", "--quiet", "--assume", "cpu=10W", "--name", "far", "--journal", str(folder), "--", "true"],
                   check=True, env={**os.environ, "HOME": str(folder)})
    (file,) = folder.glob("*.journal")
    return file.read_bytes().splitlines(keepends=True)


def test_a_journal_without_an_end_fills_no_memory(follower, wattree, tmp_path):
    process, url = follower
    header, first = real_journal(wattree, tmp_path)[:2]
    journal = Journal(header, first)

    def answer(target):
        start = int(urllib.parse.parse_qs(target.query).get("from", ["0"])[0])
        return 200, journal.piece(start)

    with tracker(answer) as address:
        status, made = ask(f"{url}/api/v1/links", "POST", {"address": address})
        assert status == 200, made
        end = time.monotonic() + 120
        while True:
            run = ask(f"{url}/api/v1/runs/{made['run']}?points=4")[1]
            if "more epochs than there is room for" in run.get("reason", ""):
                break
            assert time.monotonic() < end and process.poll() is None, run
            time.sleep(0.5)
        print(f"peak memory: {peak_memory(process) / 1e6:.0f} MB")
        assert peak_memory(process) < MOST_MEMORY
        assert ask(f"{url}/api/v1/links/{made['id']}", "DELETE")[1] == {"links": []}


def test_a_line_without_an_end_is_no_journal(follower, wattree, tmp_path):
    process, url = follower
    header = real_journal(wattree, tmp_path)[0]
    asked = []

    def answer(target):
        asked.append(target.path)
        return 200, header + b"0" * (4 << 20)

    with tracker(answer) as address:
        status, refused = ask(f"{url}/api/v1/links", "POST", {"address": address})
        assert status == 503 and "tracker" in refused["error"]["message"] or refused["error"]["field"] == "address", refused
        assert len(asked) < 5


@pytest.mark.parametrize("body", [b"[1" + b",1" * 1_500_000 + b"]", b"x" * 100, b"{}", b"z" * (80 << 20)], ids=["numbers", "text", "nothing", "too much"])
def test_what_is_no_tracker_is_not_kept(body, follower, tmp_path):
    process, url = follower
    with tracker(lambda target: (200, body) if "journal" not in target.path else (404, b"")) as address:
        assert ask(f"{url}/api/v1/links", "POST", {"address": address})[0] >= 400
    assert ask(f"{url}/api/v1/links")[1] == {"links": []}
    store = sqlite3.connect(f"file:{tmp_path}/.local/share/wattree/wattree.db?mode=ro", uri=True)
    assert store.execute("SELECT count(*) FROM links").fetchall() == [(0,)]
    store.close()
    assert peak_memory(process) < 250_000_000
