"""Other users of the machine: they may read what a server shows, and change nothing without its token."""

import contextlib
import json
import os
import re
import shutil
import subprocess

import pytest

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("curl"),
                                reason="being another user takes root, setpriv and curl")


def ask(url, method="GET", body=None, token="", headers=(), user=None):
    """The status and the answer, as a program of that user gets them."""
    command = [] if user is None else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    command += ["curl", "-s", "-g", "-X", method, "-w", "\n%{http_code}"]
    if body is not None:
        command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
    for header in [*headers, *([f"Authorization: Bearer {token}"] if token else [])]:
        command += ["-H", header]
    text, _, status = subprocess.run([*command, url], capture_output=True, text=True, timeout=30, cwd="/").stdout.rpartition("\n")
    return int(status), text


@contextlib.contextmanager
def served(wattree, home, *arguments):
    process = subprocess.Popen([wattree, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "HOME": str(home), "HF_HUB_OFFLINE": "1"})
    try:
        url = process.stdout.readline().split()[-1]
        yield url, re.search(r"#token=(\S+)", process.stdout.readline())[1]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


ADMIN = {"name": "mine", "scope": "admin"}
ESTIMATE = {"name": "A run", "hardware": "8xTesla V100 SXM2 32GB", "hours": 2, "id": "a-run"}


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_changes_are_the_own_users(address, wattree, tmp_path):
    with served(wattree, tmp_path, "--address", address) as (url, token):
        tokens, profiles = f"{url}/api/v1/tokens", f"{url}/api/v1/profiles"
        assert ask(f"{profiles}/estimate", "POST", ESTIMATE)[0] == 200
        assert ask(profiles, user=NOBODY)[0] == 200
        for method, path, body in (("POST", tokens, ADMIN), ("GET", tokens, None), ("POST", f"{profiles}/estimate", ESTIMATE),
                                   ("DELETE", f"{profiles}/a-run", None), ("POST", f"{url}/api/v1/links", {"address": url})):
            status, text = ask(path, method, body, user=NOBODY)
            assert status == 401 and "token" in text, path
            assert ask(path, method, body, user=NOBODY, token="wt_" + "0" * 64)[0] == 401, path
            # Through a proxy, the own user is not the caller.
            assert ask(path, method, body, headers=["X-Forwarded-For: 127.0.0.1"])[0] == 401, path
        assert ask(tokens, "POST", ADMIN)[0] == 200, "the own user needs none"
        assert ask(f"{profiles}/a-run", "DELETE", user=NOBODY, token=token)[0] == 200


def test_nobody_changes_a_public_server_without_a_token(wattree, tmp_path):
    with served(wattree, tmp_path, "--public") as (url, token):
        assert ask(f"{url}/api/v1/tokens", "POST", ADMIN)[0] == 401
        assert ask(f"{url}/api/v1/tokens", "POST", ADMIN, user=NOBODY)[0] == 401
        assert ask(f"{url}/api/v1/regions", user=NOBODY)[0] == 200
        assert ask(f"{url}/api/v1/tokens", "POST", ADMIN, token=token)[0] == 200


def test_others_pause_no_run(wattree, tmp_path):
    loop = ["sh", "-c", "for i in $(seq 100); do echo epoch $i; sleep 0.1; done"]
    tracker = subprocess.Popen([wattree, "track", "--serve", "--energyvis", "--energyvis-port", "0", "--region", "US-GA", "--assume", "gpu=100W",
                                "--epoch-regex", "^epoch", "--", *loop],
                               env={**os.environ, "HOME": str(tmp_path)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        said = ""
        while "#token=" not in said:
            line = tracker.stderr.readline()
            assert line, said
            said += line
        run = re.search(r"this run is at (\S+/current)", said)[1]
        page = re.search(r"this run is at (\S+) \(for EnergyVis", said)[1]
        token = re.search(r"#token=(\S+)", said)[1]
        assert ask(f"{run}/pause", "POST", user=NOBODY)[0] == 401
        assert ask(f"{page}/pause", "POST", user=NOBODY)[0] != 200
        assert ask(f"{page}/pause", user=NOBODY)[0] != 200
        assert json.loads(ask(run, user=NOBODY)[1])["status"] == "live"
        assert ask(f"{run}/pause", "POST", user=NOBODY, token=token)[0] == 200
        assert ask(f"{run}/resume", "POST")[0] == 200, "the own user"
    finally:
        tracker.terminate()
        tracker.wait(20)
        tracker.stderr.close()
