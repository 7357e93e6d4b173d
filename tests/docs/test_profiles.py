"""The list of profiles through the program: one list for trackers and the command line, imports, tags, backups, tokens."""

import concurrent.futures
import json
import os
import pathlib
import sqlite3
import subprocess

import jsonschema
import pytest

from test_footprints import ROOT, SAMPLE, asked, run, schema

CODECARBON = str(ROOT / "tests/data/codecarbon/emissions.csv")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def ids(wattree, *arguments):
    listed = asked(wattree, "profiles", "profiles", "list", "--json", *arguments)["profiles"]
    return [entry["id"] for entry in listed if not entry["bundled"]]


def store(home):
    return home / ".local/share/wattree/wattree.db"


def test_what_a_tracker_writes_is_in_the_list(wattree, home):
    run(wattree, "profiles", "import", SAMPLE)
    run(wattree, "track", "--name", "mine", "--assume", "cpu=10W", "--live", "off", "--", "true")
    assert (home / ".local/share/wattree/profiles/mine.json").exists()
    assert ids(wattree) == ["mine", "sample-profile"]
    # An older version knows the folder alone, and puts files there.
    (home / ".local/share/wattree/profiles/older.json").write_text(run(wattree, "profiles", "show", "mine", "--json").stdout)
    assert ids(wattree) == ["mine", "older", "sample-profile"]
    run(wattree, "profiles", "delete", "mine")
    assert ids(wattree) == ["older", "sample-profile"] and ids(wattree, "--deleted") == ["mine"]
    run(wattree, "profiles", "undelete", "mine")
    assert ids(wattree, "--q", "mine", "--sort=-energy") == ["mine", "older"]


def test_trees_and_trackers_do_not_load_sqlite(wattree, home):
    environment = {**os.environ, "LD_DEBUG": "files"}
    for arguments in (["tree", "bert-base-uncased"], ["track", "--live", "off", "--", "true"], ["profiles", "show", SAMPLE]):
        result = subprocess.run([wattree, *arguments], capture_output=True, text=True, env=environment)
        assert result.returncode == 0 and "libc.so" in result.stderr
        assert "sqlite" not in result.stderr, arguments
    listed = subprocess.run([wattree, "profiles", "list"], capture_output=True, text=True, env=environment)
    assert "sqlite" in listed.stderr  # Or the test would see nothing.


def test_tags_and_names(wattree, home):
    run(wattree, "profiles", "import", SAMPLE, "--tag", "a", "--tag", "b")
    assert run(wattree, "profiles", "tag", "sample-profile", "c", "d e").stdout == "sample-profile: a, b, c, d e\n"
    run(wattree, "profiles", "tag", "sample-profile", "a", "--remove")
    assert ids(wattree, "--tag", "d e", "--tag", "b") == ["sample-profile"] and ids(wattree, "--tag", "a") == []
    run(wattree, "profiles", "rename", "sample-profile", "\x1b[31mred\nline")
    shown = run(wattree, "profiles", "list").stdout
    assert "\x1b" not in shown and "red" in shown
    assert json.loads(run(wattree, "profiles", "show", "sample-profile", "--json").stdout)["name"] == "\x1b[31mred\nline"


def test_codecarbon_and_estimates(wattree, home):
    result = run(wattree, "profiles", "import", CODECARBON)
    assert len(result.stdout.splitlines()) == 4 and "Moon Base" in result.stderr
    run(wattree, "profiles", "show", CODECARBON, code=3)  # Four runs are not one.
    run(wattree, "carbon", "digits-2024-07-19t15-57-43")
    run(wattree, "profiles", "estimate", "theirs", "--hardware", "8xP100 SXM2 16GB", "--hours", "84", "--region", "US-VA")
    entry = asked(wattree, "profiles", "profiles", "list", "--json", "--q", "theirs")["profiles"][0]
    assert entry["device_energy_j"] == pytest.approx(8 * 300 * 84 * 3600) and entry["basis"]["kind"] == "assumed"
    assert "did you mean" in run(wattree, "profiles", "estimate", "x", "--hardware", "GTX 1090", "--hours", "1", code=3).stderr


def test_pages(wattree, home):
    run(wattree, "profiles", "import", CODECARBON)
    first = asked(wattree, "profiles", "profiles", "list", "--json", "--limit", "4")
    rest = asked(wattree, "profiles", "profiles", "list", "--json", "--limit", "4", "--cursor", first["next"])
    assert first["total"] == 6 and len(first["profiles"]) == 4 and len(rest["profiles"]) == 2 and "next" not in rest


def test_backup_and_restore(wattree, home):
    run(wattree, "profiles", "import", SAMPLE)
    backup = str(home / "backup.db")
    run(wattree, "profiles", "backup", backup)
    run(wattree, "profiles", "backup", backup, code=3)
    store(home).write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    damaged = run(wattree, "profiles", "list", code=3).stderr
    assert "damaged" in damaged and "restore" in damaged
    assert "kept in" in run(wattree, "profiles", "restore", backup).stdout
    assert ids(wattree) == ["sample-profile"]
    assert any(path.name.startswith("wattree.db.before-restore") for path in store(home).parent.iterdir())


def test_a_newer_file_is_refused(wattree, home):
    run(wattree, "profiles", "import", SAMPLE)
    with sqlite3.connect(store(home)) as database:
        database.execute("PRAGMA user_version = 99")
    assert "newer wattree" in run(wattree, "profiles", "list", code=3).stderr


def test_many_programs_at_once(wattree, home):
    def add(_):
        return run(wattree, "profiles", "import", SAMPLE).stdout.split(":")[0]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        added = list(pool.map(add, range(16)))
    assert len(set(added)) == 16 and sorted(ids(wattree)) == sorted(added)


def test_a_million_epochs(wattree, home, tmp_path):
    """In bounded time and memory: a document of it would take gigabytes."""
    epoch = {"duration_s": 1.5, "energy": [{"component": "gpu0", "kind": "gpu", "energy_j": 300.25, "basis": {
        "kind": "measured", "by": "NVML energy counter", "boundary": "gpu"}}]}
    file = tmp_path / "long.json"
    with file.open("w") as out:
        out.write('{"format":"wattree-profile","version":1,"name":"long","hardware":[],"epochs":[')
        out.write(",".join([json.dumps(epoch)] * 1_000_000))
        out.write("]}")
    command = ["/usr/bin/env", "bash", "-c", 'ulimit -v 2000000; exec "$0" "$@"', str(wattree), "profiles", "import", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    entry = asked(wattree, "profiles", "profiles", "list", "--json", "--q", "long")["profiles"][0]
    assert entry["epochs"] == 1_000_000 and entry["device_energy_j"] == pytest.approx(300.25e6)
    assert store(home).stat().st_size < 20_000_000


def test_tokens(wattree, home):
    created = json.loads(run(wattree, "token", "create", "laptop", "--scope", "ingest", "--days", "7", "--json").stdout)
    jsonschema.validate(created, schema("token"))
    plain = run(wattree, "token", "create", "other").stdout.strip()
    listed = asked(wattree, "tokens", "token", "list", "--json")["tokens"]
    assert [token["scope"] for token in listed] == ["ingest", "read"] and "expires" in listed[0]
    run(wattree, "token", "revoke", "1")
    run(wattree, "token", "revoke", "1", code=3)
    assert "revoked" in run(wattree, "token", "list").stdout
    everything = b"".join(path.read_bytes() for path in store(home).parent.iterdir() if path.is_file())
    assert created["token"].encode() not in everything and plain[3:].encode() not in everything


def test_answers_of_imports_fit_their_schema():
    jsonschema.Draft202012Validator.check_schema(schema("imported_profiles"))
    assert pathlib.Path(ROOT / "docs/schemas/profile_entry.schema.json").exists()
