"""Records: written at once, read again after a kill, and what counts as done."""

import json
import math

import pytest

from wattree.records import RUNNING, RecordWriter, read_earlier, read_records, round_numbers


def window(key, block=1, **more):
    return {"session": "s", "block": block, "key": key, **more}


def test_numbers_keep_seven_digits():
    assert round_numbers({"a": [math.pi, 3, True, None], "b": "x"}) == {"a": [3.141593, 3, True, None], "b": "x"}
    assert round_numbers(1.23456789e-9) == 1.234568e-9


def test_what_was_written_is_there_before_closing(tmp_path):
    writer = RecordWriter(tmp_path / "a" / "w.jsonl")
    writer.write("window", **window("x"))
    assert [r["key"] for r in read_records(tmp_path / "a")] == ["x"]
    writer.close()


def test_no_number_is_not_written(tmp_path):
    with pytest.raises(ValueError):
        RecordWriter(tmp_path / "w.jsonl").write("window", energy_j=float("nan"))


def test_a_line_cut_short_is_passed_over(tmp_path):
    (tmp_path / "w.jsonl").write_text('{"kind":"window","session":"s","block":1,"key":"x"}\n{"kind":"wind')
    assert len(list(read_records(tmp_path))) == 1


def test_a_broken_line_is_named(tmp_path):
    (tmp_path / "w.jsonl").write_text('{"kind":"header"}\nnonsense\n')
    with pytest.raises(ValueError, match=r"w\.jsonl:2"):
        list(read_records(tmp_path))


def write_all(path, records):
    path.write_text("".join(json.dumps({"kind": kind, **fields}) + "\n" for kind, fields in records))


def test_resume_knows_what_is_done(tmp_path):
    write_all(tmp_path / "w.jsonl", [
        ("node", {"node": "n1"}), ("tree", {"key": "t1"}), ("window", window("a", 1)), ("window", window("b", 2)),
        ("window", window("c", 2, why_eager="cannot be captured")), ("failure", {"key": "d", "why": "out of memory"}),
        ("verdict", {"session": "s", "block": 1, "is_good": False}),
        ("verdict", {"session": "s", "block": 2, "is_good": True}),
    ])
    earlier = read_earlier([tmp_path])
    assert earlier.done == {"b", "c", "d"}  # The block of a was thrown out.
    assert set(earlier.nodes) == {"n1"} and set(earlier.trees) == {"t1"} and set(earlier.windows) == {"b", "c"}
    assert read_earlier([tmp_path], retries_failures=True).done == {"b"}
    assert read_earlier([]).done == set()


def test_what_runs_is_on_disk_while_it_runs(tmp_path):
    writer = RecordWriter(tmp_path / "w.jsonl")
    writer.mark_running("x/cold")
    assert (tmp_path / RUNNING).read_text() == "x/cold"
    writer.mark_running(None)
    assert not (tmp_path / RUNNING).exists()


def test_a_lost_worker_is_replaced_and_its_job_left_out(tmp_path, monkeypatch):
    import measure_dataset

    commands = []

    class Done:
        def __init__(self, returncode):
            self.returncode = returncode

    def run(command):
        commands.append(command)
        if len(commands) == 1:
            (tmp_path / RUNNING).write_text("bad/cold")
            return Done(-11)
        return Done(0)

    monkeypatch.setattr(measure_dataset.subprocess, "run", run)
    assert measure_dataset.main(["--out", str(tmp_path), "--budget-s", "500"]) == 0
    assert len(commands) == 2
    assert "--resume" not in commands[0] and commands[1][-2:] == ["--resume", str(tmp_path)]
    assert "bad/cold" in read_earlier([tmp_path]).done
    assert not (tmp_path / RUNNING).exists()


def test_workers_are_not_replaced_for_ever(tmp_path, monkeypatch):
    import measure_dataset

    class Lost:
        returncode = measure_dataset.EXIT_LOST

    monkeypatch.setattr(measure_dataset.subprocess, "run", lambda command: Lost)
    assert measure_dataset.main(["--out", str(tmp_path), "--budget-s", "500"]) == measure_dataset.EXIT_LOST
