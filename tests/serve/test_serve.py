"""`wattree serve` as a user starts, calls and stops it."""

import contextlib
import gzip
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest


@contextlib.contextmanager
def served(wattree, *arguments, env=None):
    """The process and its address, once it is ready."""
    process = subprocess.Popen([wattree, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=env)
    try:
        line = process.stdout.readline()
        assert line.startswith("Wattree is at "), process.stderr.read()
        yield process, line.split()[-1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
        return answer.read(), answer.headers


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)


def has_read_all(client):
    """Whether the server's side of this connection holds no byte that it has not read."""
    def field(address):
        host, port = address[:2]
        return f"{int.from_bytes(socket.inet_aton(host), 'little'):08X}:{port:04X}"
    local, remote = field(client.getpeername()), field(client.getsockname())
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[1:3] == [local, remote] and row[4].endswith(":00000000") for row in rows)


def refuses(address):
    """Whether nobody listens there any more: the server has heard that it should stop."""
    with socket.socket() as probe:
        return probe.connect_ex(address) != 0


def run(wattree, *arguments):
    return subprocess.run([wattree, "serve", *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_stops_with_exit_code_0(number, wattree):
    with served(wattree) as (process, url):
        assert get(f"{url}/healthz")[0]
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.stderr.read() == ""


def test_a_prediction_is_the_command_lines(wattree):
    with served(wattree) as (_, url):
        answer = get(f"{url}/api/v1/predict?model=bert-tiny&batch=2&seq=16&on=h200", **{"Accept-Encoding": "gzip"})
        over_http = json.loads(gzip.decompress(answer[0]) if answer[1]["Content-Encoding"] == "gzip" else answer[0])
    typed = json.loads(subprocess.check_output(
        [wattree, "predict", "bert-tiny", "-b", "2", "-s", "16", "--on", "h200", "--json"]))
    assert over_http["tree"]["energy_j"] == typed["tree"]["energy_j"] > 0


def test_it_answers_while_it_stops(wattree):
    """A request that has begun when the signal comes is answered, and the connection is closed."""
    with served(wattree) as (process, url):
        host, port = url.split("//")[1].split(":")
        with socket.create_connection((host, int(port)), timeout=10) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            wait_for(lambda: has_read_all(client))
            process.send_signal(signal.SIGTERM)
            wait_for(lambda: refuses((host, int(port))))
            client.sendall(b"\r\n")
            answer = b""
            while piece := client.recv(65536):
                answer += piece
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n") and b"Connection: close\r\n" in answer
        assert process.wait(10) == 0


def test_a_second_signal_ends_it_at_once(wattree):
    with served(wattree) as (process, url):
        host, port = url.split("//")[1].split(":")
        with socket.create_connection((host, int(port)), timeout=10) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\n")  # It waits for the rest.
            wait_for(lambda: has_read_all(client))
            process.send_signal(signal.SIGTERM)
            wait_for(lambda: refuses((host, int(port))))
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == -signal.SIGTERM


def test_the_log_has_a_line_for_each_answer_and_no_query(wattree, tmp_path):
    log = tmp_path / "log.jsonl"
    with served(wattree, "--log", str(log)) as (process, url):
        get(f"{url}/healthz")
        with pytest.raises(urllib.error.HTTPError) as missing:
            get(f"{url}/api/v1/nothing-here?token=secret")
        assert json.loads(missing.value.read())["error"]["code"] == "not_found"
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["path"], line["status"]) for line in lines] == [("/healthz", 200), ("/api/v1/nothing-here", 404)]
    assert "secret" not in log.read_text()


def test_a_taken_port_is_named(wattree):
    with served(wattree) as (_, url):
        result = run(wattree, "--port", url.rsplit(":", 1)[1])
    assert result.returncode == 4
    assert url in result.stderr and "--port" in result.stderr


@pytest.mark.parametrize("arguments,flag", [
    (["--address", "0.0.0.0"], "--public"),
    (["--address", "example.org", "--public"], "a numeric address"),
    (["--tls-cert", "cert.pem"], "--tls-key"),
    (["--tls-cert", "/nowhere/cert.pem", "--tls-key", "/nowhere/key.pem"], "/nowhere/cert.pem"),
    (["--log", "/nowhere/log"], "/nowhere/log"),
    (["--models", "/nowhere/models"], "--models"),
])
def test_what_makes_no_sense_is_said(arguments, flag, wattree):
    result = run(wattree, "--port", "0", *arguments)
    assert result.returncode in (3, 4) and result.stdout == ""
    assert flag in result.stderr


def test_it_opens_the_browser(wattree, tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "xdg-open"
    browser.write_text(f"#!/bin/sh\necho \"$1\" > {opened}.new; mv {opened}.new {opened}\n")
    browser.chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with served(wattree, "--open", env=env) as (_, url):
        end = time.monotonic() + 10
        while not opened.exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert opened.read_text().strip() == url, "others can read a program's arguments: no token is among them"


def test_models_come_and_change_without_a_restart(wattree, root, tmp_path):
    config = json.loads((root / "data/models/bert-tiny.json").read_text())

    def params(url):
        return json.loads(get(f"{url}/api/v1/tree?model=dropped")[0])["params"]

    with served(wattree, "--models", str(tmp_path)) as (_, url):
        with pytest.raises(urllib.error.HTTPError):
            params(url)
        (tmp_path / "dropped").mkdir()
        (tmp_path / "dropped/config.json").write_text(json.dumps(config))
        first = params(url)
        assert params(url) == first > 0
        (tmp_path / "dropped/config.json").write_text(json.dumps(config | {"num_hidden_layers": 9}))
        wait_for(lambda: params(url) > first)  # Answers in the cache are held against the files once a second.


def test_it_is_small(wattree):
    """How soon it is ready is measured by bench/serve."""
    with served(wattree) as (process, _):
        resident = next(line for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
                        if line.startswith("VmRSS"))
    assert int(resident.split()[1]) < 30_000, resident  # kB
