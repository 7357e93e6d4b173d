"""`wattree track` with budgets, running processes, jobs of several trackers, and places."""

import json
import re
import subprocess
import time

import pytest
from tracked_machine import MICRO, energy, records_so_far, wait_for


def test_budgets_warn_once_and_stop(machine):
    script = "trap 'echo asked; exit 0' TERM; while :; do sleep 0.1; done"
    result = machine.track("--assume", "gpu=1000W", "--warn-above", "900J", "--stop-above", "1.5kJ",
                           command=["sh", "-c", script], code=124)
    assert result.stdout == b"asked\n"
    assert result.stderr.count(b"--warn-above") == 1 and result.stderr.count(b"--stop-above") == 1
    assert b"more than 900J (--warn-above)" in result.stderr
    assert "stopped: the run took more than 1.5kJ (--stop-above)" in machine.profile()["notes"]


def test_who_does_not_listen_is_ended_by_force(machine):
    result = machine.track("--assume", "gpu=1000W", "--stop-above", "900J", "--grace", "300ms",
                           command=["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"], code=124)
    assert b"SIGKILL" in result.stderr


def test_budgets_count_the_building_too(machine):
    machine.track("--assume", "gpu=600W", "--pue", "2", "--stop-above", "1kJ", command=["sleep", "30"], code=124)
    assert machine.profile()["epochs"][0]["duration_s"] < 10


def test_a_running_process_is_followed_to_its_end(machine):
    other = subprocess.Popen(["sleep", "1.2"])
    tracker = machine.start("--pid", str(other.pid), "--assume", "gpu=100W")
    assert other.wait() == 0
    assert tracker.wait(20) == 0
    duration = machine.profile()["epochs"][0]["duration_s"]
    assert 0.1 < duration < 10
    tracker = machine.start("--pid", str(other.pid))
    assert tracker.wait(20) == 3 and b"there is no process" in tracker.stderr.read()


def test_trackers_of_one_job_count_a_device_once(machine):
    machine.environment["SLURM_JOB_ID"] = "4711"
    machine.environment["SLURM_STEP_ID"] = "0"
    first = machine.start(command=["sh", "-c", "sleep 0.5; echo 105000000 > $COUNTER; sleep 1"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: len(records_so_far(journal)) >= 1)
    machine.output = machine.folder / "second.json"
    second = machine.track(command=["sleep", "0.3"])
    assert f"cpu0.package is counted by PID {first.pid} of the same job (slurm 4711.0)".encode() in second.stderr
    assert not machine.profile()["epochs"][0].get("energy")
    assert first.wait(20) == 0
    machine.output = machine.folder / "run.json"
    assert energy(machine.profile()["epochs"][0]) == pytest.approx(5.0, abs=1e-9)
    # Another job counts for itself; and so does the same one when the first has ended.
    machine.output = machine.folder / "third.json"
    machine.track(command=["sleep", "0.1"])
    assert machine.profile()["epochs"][0]["energy"]


@pytest.mark.parametrize("is_killed", [False, True])
def test_another_tracker_of_the_job_takes_over_and_goes_on_from_there(machine, is_killed):
    machine.environment["SLURM_JOB_ID"] = "4712"
    folder = machine.folder
    # The counter is moved by the test: it goes on all the time, as a real one does.
    first = machine.start("--journal", str(folder / "j1"), command=["sh", "-c", f"while [ ! -e {folder}/end1 ]; do sleep 0.02; done"])
    wait_for(lambda: machine.journals("j1"))
    machine.output = folder / "second.json"
    second = machine.start("--journal", str(folder / "j2"), command=["sh", "-c", f"while [ ! -e {folder}/end2 ]; do sleep 0.02; done"])
    wait_for(lambda: machine.journals("j2"))

    def count_until(joules, condition):
        """Moves the counter on to so many joules, a hundredth at a time, and waits."""
        start = int(machine.counter.read_text()) / MICRO
        for i in range(1, 101):
            machine.counter.write_text(f"{round((start + (joules - start) * i / 100) * MICRO)}\n")
            time.sleep(0.01)
        wait_for(condition)

    def totals(journal):
        return [r for r in records_so_far(machine.journals(journal)[0]) if r["record"] == "totals"]

    time.sleep(0.4)  # The beginning and
    count_until(107, lambda: totals("j1") and totals("j1")[-1]["meters"][0][1] > 6.9)
    assert not any(r["meters"] for r in totals("j2"))
    if is_killed:
        first.kill()
        first.wait()
        counted = totals("j1")[-1]["meters"][0][1]
    else:
        (folder / "end1").touch()
        assert first.wait(20) == 0
        counted = energy(json.loads((folder / "run.json").read_text())["epochs"][0])
    (folder / "end1").touch()
    # What the counter counts from then on, the second one has; also what it counted before that one noticed.
    count_until(112, lambda: totals("j2")[-1]["meters"])
    time.sleep(0.4)  # the end lie on no step of the counter.
    (folder / "end2").touch()
    assert second.wait(20) == 0
    said = second.stderr.read().decode()
    assert f"cpu0.package is counted here from now on: PID {first.pid}, which counted it, has ended" in said
    profile = machine.profile()
    taken = energy(profile["epochs"][0])
    assert counted + taken == pytest.approx(12.0, abs=1e-6)  # Once, and without a hole.
    assert 4.9 < taken < 5.5
    assert profile["epochs"][0]["gap_s"] > 0.5  # The time before is not its own.
    assert "counted here from now on" in profile["notes"]
    # The journal tells the same.
    recovered = folder / "recovered.json"
    subprocess.run([machine.wattree, "profiles", "recover", str(machine.journals("j2")[0]), "-o", str(recovered)], check=True,
                   env=machine.environment, capture_output=True)
    assert json.loads(recovered.read_text()) == profile


@pytest.mark.parametrize("variables,said", [
    ({"WORLD_SIZE": "2", "MASTER_ADDR": "here", "MASTER_PORT": "29500"}, "world of 2 at here:29500"),
    ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}, "mpi of process"),
])
def test_ranks_of_one_job_are_known_by_what_their_launcher_sets(machine, variables, said):
    machine.environment.update(variables)
    first = machine.start(command=["sh", "-c", "sleep 1.5"])
    journal = wait_for(lambda: machine.journals() and machine.journals()[0])
    wait_for(lambda: len(records_so_far(journal)) >= 1)
    machine.output = machine.folder / "second.json"
    second = machine.track(command=["sleep", "0.1"])
    assert f"cpu0.package is counted by PID {first.pid} of the same job ({said}" in second.stderr.decode()
    assert not machine.profile()["epochs"][0].get("energy")
    assert first.wait(20) == 0


def test_a_tracker_inside_a_tracker_counts_nothing_twice(machine):
    inner = machine.folder / "inner.json"
    arguments = machine.arguments(command=["true"])
    arguments[arguments.index("-o") + 1] = str(inner)
    result = machine.track("--name", "outer", command=arguments)
    assert re.search(r"cpu0.package is counted by PID \d+ of the same job \(inside unix:", result.stderr.decode())
    assert not json.loads(inner.read_text())["epochs"][0].get("energy")
    assert machine.profile()["epochs"][0]["energy"]


@pytest.mark.parametrize("give,said", [
    (lambda m: m.environment.update(WATTREE_REGION="US-WY"), "WATTREE_REGION"),
    (lambda m: write(m.folder / "config/wattree/config", "# mine\nregion = US-WY\npue = 1.3\n"), "config/wattree/config"),
    (lambda m: write(m.folder / "cloud.json", '{"v1": {"cloud_name": "aws", "region": "us-east-2"}}'), "cloud.json"),
])
def test_the_region_is_found_in_settings_and_files(machine, give, said):
    give(machine)
    result = machine.track("--assume", "gpu=10W", command=["true"])
    assert said in result.stderr.decode() and "CO2e: " in result.stderr.decode()
    assert machine.profile()["region"] == ("aws:us-east-2" if said == "cloud.json" else "US-WY")
    assert ("pue" in machine.profile()) == ("config" in said)


def test_a_wrong_line_of_the_settings_is_said_and_the_rest_holds(machine):
    write(machine.folder / "config/wattree/config", "region = US-WY\nregoin = US-GA\npue = 1.3\n")
    # Also to a user who wants no notes: what they wrote there does not hold.
    for quiet in ([], ["-q"]):
        result = machine.track("--assume", "gpu=10W", *quiet, command=["true"])
        assert 'config:2: "regoin = US-GA" is no setting and is left out; did you mean "region"?' in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1
    assert machine.profile()["region"] == "US-WY" and machine.profile()["pue"]["value"] == 1.3


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("options,message", [
    (["--region", "Atlantis"], "Atlantis"), (["--pue", "0.5"], "PUE"), (["--epoch-regex", "("], "regular expression"),
    (["--period", "1us"], "--period: "), (["--grace", "5"], "--grace: "), (["--period", "100s"], "--period"), (["--stop-above", "3"], "energy"),
    (["--assume", "cpu=65"], "unit"), (["--pid", "1"], "either a command or --pid"),
])
def test_what_the_user_got_wrong_is_told_before_anything_runs(machine, options, message):
    result = machine.track(*options, command=["touch", str(machine.folder / "ran")], code=3)
    assert message in result.stderr.decode()
    assert not (machine.folder / "ran").exists()
