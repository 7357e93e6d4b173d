"""What a killed tracker, a torn journal or a full disk loses: next to nothing."""

import json
import pathlib
import re
import subprocess

import pytest
from tracked_machine import energy, records_so_far, wait_for, wattree_on


@pytest.mark.parametrize("options", [[], ["--epoch-regex", r"epoch (\d+)"]])
def test_killing_the_tracker_loses_nothing_and_disturbs_nobody(machine, options):
    done = machine.folder / "done"
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo epoch 1; sleep 2; echo still here;"
              f"sleep 0.3; echo 7 > {done}")
    tracker = machine.start(*options, command=["sh", "-c", script])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wanted = "epoch" if options else "totals"
    wait_for(lambda: any(r["record"] == wanted and r["meters"] and r["meters"][0][1] > 0.99 for r in records_so_far(journal)))
    refused = subprocess.run([machine.wattree, "profiles", "recover", str(journal)], env=machine.environment,
                             capture_output=True)
    assert refused.returncode == 4 and b"still being written" in refused.stderr
    tracker.kill()
    output = tracker.stdout.read()
    tracker.wait()
    assert output == b"epoch 1\nstill here\n"  # All of the command's output, after the tracker's death too.
    wait_for(done.exists)
    recovered = subprocess.run([machine.wattree, "profiles", "recover"], env=machine.environment, capture_output=True)
    assert recovered.returncode == 0, recovered.stderr
    kept = list((machine.folder / "data/wattree/profiles").glob("*.json"))
    assert len(kept) == 1
    profile = json.loads(kept[0].read_text())
    assert energy(profile["epochs"][0]) == pytest.approx(1.0, abs=1e-9)
    assert "end is not recorded" in profile["notes"]
    again = subprocess.run([machine.wattree, "profiles", "recover"], env=machine.environment, capture_output=True)
    assert b"recovered before" in again.stdout
    assert len(list((machine.folder / "data/wattree/profiles").glob("*.json"))) == 1


def test_a_tracker_killed_in_its_first_second_leaves_what_it_knows(machine):
    process = machine.start("--name", "killed", "--assume", "gpu=100W", command=["sleep", "30"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: sum(r["record"] == "totals" for r in records_so_far(journal)) >= 2)
    process.kill()
    process.wait()
    said = wattree_on(machine, "profiles", "recover")
    assert "up to a second more is not in the figures" in said
    # By its own name.
    shown = json.loads(wattree_on(machine, "profiles", "show", "killed", "--json"))
    epoch = shown["epochs"][0]
    gpu = next(part for part in epoch["energy"] if part["component"] == "gpu.assumed")
    assert 0.05 < epoch["duration_s"] and gpu["energy_j"] == pytest.approx(100 * epoch["duration_s"], rel=1e-6)
    assert "the run's end is not recorded: the figures end" in shown["notes"]
    assert "recovered before" in wattree_on(machine, "profiles", "recover")


def test_where_there_is_nothing_to_recover_that_is_no_error(machine):
    assert wattree_on(machine, "profiles", "recover").startswith("nothing to recover: there are no journals in ")


def test_a_built_in_profile_cannot_be_deleted(machine):
    result = subprocess.run([machine.wattree, "profiles", "delete", "bert-base-v100"], env=machine.environment, capture_output=True)
    assert result.returncode == 3 and b"built-in profiles cannot be changed or deleted" in result.stderr


def test_a_journal_cut_anywhere_is_recovered_up_to_there(machine):
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo epoch 1; sleep 0.4; echo 103000000 > $COUNTER;"
              "sleep 0.4; echo epoch 2; sleep 0.3")
    machine.track("--epoch-regex", r"epoch (\d+)", "--journal", str(machine.folder / "j"), command=["sh", "-c", script])
    journal = machine.journals("j")[0]
    whole = journal.read_bytes()
    out = machine.folder / "cut.json"

    def recover(data):
        cut = machine.folder / "cut.journal"
        cut.write_bytes(data)
        return subprocess.run([machine.wattree, "profiles", "recover", str(cut), "-o", str(out)], env=machine.environment,
                              capture_output=True, text=True)

    assert recover(whole).returncode == 0
    assert json.loads(out.read_text()) == machine.profile()
    starts = [m.end() for m in re.finditer(rb"\n", whole)]
    first_epoch = whole.index(b'{"record":"epoch"')
    last = starts[-2]
    # Every byte of the last record, the edges of all records, and of the whole journal one byte in eleven. (Every byte
    # of a journal: journal_test.)
    edges = {edge + k for edge in starts for k in (-1, 0, 1)} - {len(whole) + 1}
    for length in sorted({*range(last, len(whole)), *range(0, last, 11), *edges} - {len(whole)}):
        result = recover(whole[:length])
        if length < starts[1]:
            assert result.returncode == 3 and ("no journal" in result.stderr or "holds no run" in result.stderr)
            continue
        assert result.returncode == 0, (length, result.stderr)
        profile = json.loads(out.read_text())
        assert ("torn off" in result.stdout) == (length not in starts)
        assert "end is not recorded" in profile["notes"]
        if length > first_epoch + 200:
            assert energy(profile["epochs"][0]) == pytest.approx(1.0, abs=1e-9)


def test_a_journal_that_cannot_be_written_does_not_stop_the_run(machine):
    result = machine.track("--journal", "/proc/nonexistent", command=["sh", "-c", "echo ran"])
    assert result.stdout == b"ran\n" and b"a crash would lose this run" in result.stderr
    assert machine.profile()["epochs"]


def test_a_profile_that_cannot_be_written_is_told_and_can_be_made_again(machine):
    machine.output = pathlib.Path("/nonexistent/run.json")
    result = machine.track(command=["sh", "-c", "echo begun >&2; exit 6"], code=6)
    # Told before the command begins, too: there is time to make the folder.
    assert "there is no folder /nonexistent" in result.stderr.decode().split("begun")[0]
    command = re.search(r"`wattree (profiles recover [^`]*)`", result.stderr.decode())[1].split()
    machine.output = machine.folder / "again.json"
    subprocess.run([machine.wattree, *command, "-o", str(machine.output)], check=True, env=machine.environment)
    assert machine.profile()["epochs"]


def test_a_profile_is_not_lost_where_neither_it_nor_the_journal_can_be_written(machine):
    machine.output = pathlib.Path("/nonexistent/run.json")
    machine.environment["TMPDIR"] = str(machine.folder)
    result = machine.track("--journal", "/proc/nonexistent", command=["sh", "-c", "exit 6"], code=6)
    machine.output = pathlib.Path(re.search(r"the profile is in (\S+)", result.stderr.decode())[1])
    assert machine.output.parent == machine.folder and machine.profile()["epochs"][0]["energy"]
