"""A server for the tests of its operations."""

import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Server:
    def __init__(self, url):
        self.url = url

    def ask(self, method, path, query=None, body=None, headers=None):
        address = self.url + path
        if query:
            address += "?" + urllib.parse.urlencode(query, doseq=True)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers or {}, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())


@pytest.fixture(scope="module")
def server(wattree, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "HOME": str(home), "HF_HUB_OFFLINE": "1"}
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    # A run to ask for: one that has ended.
    subprocess.run([wattree, "track", "--quiet", "--assume", "cpu=10W", "--name", "tried", "--", "true"], env=environment, check=True)
    process = subprocess.Popen([wattree, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        line = process.stdout.readline()
        assert "http://" in line, line
        yield Server(line[line.index("http://"):].strip())
    finally:
        process.terminate()
        process.wait(timeout=30)
