"""A public server under clients that ask for as much as they can: its memory stays bounded, others are answered meanwhile,
and it stops when it is told to."""

import concurrent.futures
import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

MOST_MEMORY = 150_000_000
# A tree of nearly as many nodes as strangers may ask for, with all of them in the answer.
TALL = "/api/v1/predict?model=gpt2&set=n_layer%3D860&fold=no&seq="


@contextlib.contextmanager
def public_server(wattree, tmp_path, *arguments):
    environment = {**os.environ, "HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen([wattree, "serve", "--port", "0", "--public", *arguments], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        port = int(re.search(r":(\d+)", process.stdout.readline())[1])
        yield process, port
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ask(port, target, method="GET", body=None, headers=None, timeout=90):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def peak_memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status.read())[1])


def slow_reader(port, target, until):
    """Asks, and takes a little now and then."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        client.settimeout(0.2)
        while not until.wait(0.2):
            with contextlib.suppress(TimeoutError, ConnectionError):
                if not client.recv(1024):
                    return


def test_memory_stays_bounded(wattree, tmp_path):
    with public_server(wattree, tmp_path) as (process, port):
        status, text = ask(port, "/api/v1/predict?model=gpt2&set=n_layer%3D20000&fold=no")
        assert status == 400 and b'"field":"set"' in text and b'"hint"' in text
        status, text = ask(port, TALL + "1")
        assert status == 200 and 8_000_000 < len(text) < 17_000_000, (status, len(text))
        status, text = ask(port, "/api/v1/compare?set=n_layer%3D860" + "&models=gpt2" * 100)
        assert status == 400 and b'"field":"models"' in text
        status, text = ask(port, "/api/v1/whatif?profile=bert-base-v100&other_model=gpt2&epochs=1000000")
        assert status == 400 and b'"field":"epochs"' in text
        status, text = ask(port, "/api/v1/whatif?profile=bert-base-v100&other_model=gpt2&epochs=10000")
        assert status in (200, 400)
        over = threading.Event()
        readers = [threading.Thread(target=slow_reader, args=(port, TALL + str(seq), over)) for seq in range(2, 14)]
        for reader in readers:
            reader.start()
        numbers = b"[1" + b",1" * 32_000_000 + b"]"
        lists = b"[[]" + b",[]" * 2_700_000 + b"]"
        json = {"Content-Type": "application/json"}
        for _ in range(3):
            for body in (numbers, numbers[:8_000_000] + b"]", lists):
                with contextlib.suppress(ConnectionError):  # It need not read all that it refuses.
                    status, _ = ask(port, "/api/v1/datasets", "POST", body, json)
                    assert status in (400, 413, 429, 503)
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda seq: ask(port, TALL + str(seq))[0], range(20, 60)))
        assert set(answers) <= {200, 429, 503}
        assert ask(port, "/healthz")[0] == 200
        over.set()
        for reader in readers:
            reader.join()
        print(f"peak memory: {peak_memory(process) / 1e6:.0f} MB")
        assert peak_memory(process) < MOST_MEMORY


SWEEP = "/api/v1/sweep?model=gpt2&batch=1:64:1&seq=1:64:1&set=n_layer%3D"


@pytest.mark.parametrize("layers", [860, 20_000])
def test_long_work_stops_nobody(layers, wattree, tmp_path):
    with public_server(wattree, tmp_path) as (process, port):
        clients = []
        for _ in range(8):
            clients.append(socket.create_connection(("127.0.0.1", port)))
            clients[-1].sendall(f"GET {SWEEP}{layers} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.3)
        begin = time.monotonic()
        assert ask(port, "/healthz")[0] == 200
        assert time.monotonic() - begin < 1
        for client in clients:  # Gone: their answers are no longer made.
            client.close()
        begin = time.monotonic()
        while ask(port, "/api/v1/tree?model=bert-tiny", headers={"X-Forwarded-For": f"192.0.2.{time.monotonic_ns() % 250}"})[0] != 200:
            assert time.monotonic() - begin < 10
            time.sleep(0.2)
        assert time.monotonic() - begin < 10


def test_it_stops_while_it_works(wattree, tmp_path):
    with public_server(wattree, tmp_path) as (process, port):
        with contextlib.ExitStack() as clients:
            for _ in range(8):
                client = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
                client.sendall(f"GET {SWEEP}860 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
