"""The commands of tracked runs: secrets in them are written nowhere, and only who may see them does."""

import json
import os
import pathlib
import stat
import subprocess
import urllib.error
import urllib.request

import pytest

from test_bounds import public_server

SECRET = "sk-verysecret0123456789"
COMMAND = ["sh", "-c", "sleep 1", "train.py", f"--api-key={SECRET}", "--token", SECRET, f"OPENAI_KEY={SECRET}"]


@pytest.fixture(scope="module")
def home(wattree, tmp_path_factory):
    """The home of a user who has tracked a run, with the modes that files had meanwhile."""
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "HOME": str(home)}
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        environment.pop(name, None)
    before = os.umask(0o022)
    try:
        tracker = subprocess.Popen([wattree, "track", "--quiet", "--assume", "cpu=10W", "--name", "tried", "--", *COMMAND], env=environment)
        journals = home / ".local/state/wattree/journals"
        while not list(journals.glob("*.journal")):
            assert tracker.poll() is None
        check_modes(home)
        assert tracker.wait(30) == 0
    finally:
        os.umask(before)
    return home


def check_modes(home):
    places = [path for path in (home / ".local").rglob("*") if "wattree" in path.parts]
    assert any(path.is_file() for path in places)
    for path in places:
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode & 0o077 == 0, f"{path}: {mode:o}"


def test_secrets_are_not_written_down(home):
    texts = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert any(b"train.py" in text and b"***" in text for text in texts), "the command itself is"
    assert not any(SECRET.encode() in text for text in texts)


def test_files_are_their_users(home):
    check_modes(home)


def get(port, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={k.replace("_", "-"): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_strangers_see_no_command(home, wattree):
    with public_server(wattree, home) as (process, port):
        token = process.stdout.readline().split("#token=")[1].strip()
        runs = json.loads(get(port, "/api/v1/runs")[1])["runs"]
        assert len(runs) == 1 and "command" not in runs[0]
        run = f"/api/v1/runs/{runs[0]['id']}"
        paths = ["/api/v1/runs", run, f"{run}/profile", "/api/v1/profiles/tried",
                 *(f"/api/v1/profiles/tried/export?command=true&format={form}" for form in ("wattree", "html", "energyvis"))]
        for path in paths:
            assert "train.py" not in get(port, path)[1], path
        assert get(port, f"{run}/journal")[0] == 403
        assert json.loads(get(port, "/api/v1/runs?q=train.py")[1])["runs"] == [], "nor can it be guessed"
        for path in ("/api/v1/runs", run, f"{run}/profile", "/api/v1/profiles/tried", "/api/v1/profiles/tried/export?command=true"):
            text = get(port, path, Authorization=f"Bearer {token}")[1]
            assert "train.py" in text and SECRET not in text, path
        assert "train.py" not in get(port, "/api/v1/profiles/tried/export", Authorization=f"Bearer {token}")[1]


def test_exports_have_no_command(home, wattree, tmp_path):
    environment = {**os.environ, "HOME": str(home)}
    for form in ("wattree", "html"):
        text = subprocess.check_output([wattree, "profiles", "export", "tried", "--format", form], env=environment, text=True)
        assert "train.py" not in text and "tried" in text
    kept = subprocess.check_output([wattree, "profiles", "export", "tried", "--command"], env=environment, text=True)
    assert "train.py" in kept and SECRET not in kept


@pytest.mark.skipif(not pathlib.Path("/usr/bin/strace").exists(), reason="needs strace")
def test_a_profile_is_on_the_disk_before_its_journal_goes(wattree, tmp_path):
    log = tmp_path / "calls"
    environment = {**os.environ, "HOME": str(tmp_path)}
    result = subprocess.run(["strace", "-f", "-y", "-o", str(log), "-e", "trace=fsync,rename,unlink,unlinkat,renameat,renameat2", wattree, "track",
                             "--quiet", "--assume", "cpu=10W", "--name", "synced", "--", "true"], env=environment, capture_output=True, text=True)
    if "not permitted" in result.stderr:
        pytest.skip("no process may be traced here")
    calls = log.read_text().splitlines()
    folder = str(tmp_path / ".local/share/wattree/profiles")

    def place(*words):
        found = [number for number, call in enumerate(calls) if all(word in call for word in words)]
        assert found, (words, calls)
        return found[-1]

    written = place("fsync(", f"{folder}/synced.json.tmp")
    renamed = place("rename", "synced.json.tmp")
    folder_synced = place("fsync(", f"<{folder}>")
    gone = place("unlink", ".journal")
    assert written < renamed < folder_synced < gone
