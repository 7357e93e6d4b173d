"""What `wattree track` measures on real commands: energy, epochs and idle power."""

import json
import re
import sys

import pytest
from tracked_machine import MICRO, energy, records, wattree_on


def test_a_counter_is_measured_to_the_microjoule(machine, root):
    jsonschema = pytest.importorskip("jsonschema")
    machine.track("--name", "exact", command=["sh", "-c", "sleep 0.3; echo 112345678 > $COUNTER; sleep 0.3"])
    profile = machine.profile()
    jsonschema.validate(profile, json.loads((root / "docs/schemas/profile.schema.json").read_text()))
    assert len(profile["epochs"]) == 1
    part = profile["epochs"][0]["energy"][0]
    assert part["energy_j"] == pytest.approx(12.345678, abs=1e-9)
    assert part["component"] == "cpu0.package" and part["basis"]["kind"] == "measured"
    assert profile["hardware"] == [{"kind": "cpu", "name": "Test CPU", "count": 1}]
    assert profile["name"] == "exact"


def test_a_wrap_is_no_gap(machine):
    machine.counter.write_text(f"{262143328850 - MICRO}\n")
    machine.track(command=["sh", "-c", "sleep 0.3; echo 2000000 > $COUNTER; sleep 0.3"])
    assert energy(machine.profile()["epochs"][0]) == pytest.approx(3.0, abs=1e-5)


def test_a_declared_power_times_the_duration(machine):
    result = machine.track("--assume", "gpu=250W", "--pue", "1.5", "--region", "US-GA", command=["sleep", "0.5"])
    epoch = machine.profile()["epochs"][0]
    part = next(p for p in epoch["energy"] if p["component"] == "gpu.assumed")
    assert part["energy_j"] == pytest.approx(250 * epoch["duration_s"], rel=1e-6)
    assert part["basis"]["kind"] == "assumed"
    text = result.stderr.decode()
    assert "with PUE 1.5" in text and "Georgia (US-GA), 325.4 g/kWh" in text
    # The CO2 of an assumed energy is assumed, too.
    assert re.search(r"CO2e: .*, assumed$", text, re.MULTILINE)


def test_gpus_by_nvml(machine):
    machine.use_nvml("gpu 1 GPU-bbbb NVIDIA H200\n0 0 power_mw 300000\n0 1 power_mw 125000\n")
    machine.track(command=["sleep", "0.5"])
    epoch = machine.profile()["epochs"][0]
    joules = {part["component"]: part["energy_j"] for part in epoch["energy"] if part["kind"] == "gpu"}
    assert sorted(joules.values()) == pytest.approx([125 * epoch["duration_s"], 300 * epoch["duration_s"]], rel=1e-6)
    assert {"kind": "gpu", "name": "NVIDIA H200", "count": 2} in machine.profile()["hardware"]


def test_epochs_from_the_output_and_the_rest_add_up(machine):
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo 'epoch 7 loss 0.1'; sleep 0.3;"
              "echo 103000000 > $COUNTER; sleep 0.3; echo 'epoch 8 loss 0.1' >&2; sleep 0.3;"
              "echo 107000000 > $COUNTER; sleep 0.3")
    result = machine.track("--epoch-regex", r"epoch (\d+)", "--epochs", "5", "--journal", str(machine.folder / "j"),
                           command=["sh", "-c", script])
    profile = machine.profile()
    assert [energy(e) for e in profile["epochs"]] == pytest.approx([1.0, 2.0], abs=1e-9)
    assert energy(profile["outside_epochs"]) == pytest.approx(4.0, abs=1e-9)
    assert profile["planned_epochs"] == 5
    # The first epoch began with the command: nothing tells when its start-up was over.
    assert [e.get("includes_startup") for e in profile["epochs"]] == [True, None]
    assert [r["name"] for r in records(machine.journals("j")[0]) if r["record"] == "epoch"] == ["7", "8"]
    assert result.stdout == b"epoch 7 loss 0.1\n"
    assert result.stderr.startswith(b"wattree: CO2") and b"epoch 8 loss 0.1\n" in result.stderr


def test_the_same_number_again_is_the_same_epoch(machine):
    """As Hugging Face's Trainer logs: a line now and then, and the last number once more in its summary."""
    lines = ["{'loss': 2.1, 'epoch': 1.0}", "{'eval_loss': 2.0, 'epoch': 1.0}", "{'loss': 1.9, 'epoch': 2.0}",
             "{'train_runtime': 9.1, 'epoch': 2.0}"]
    machine.track("--assume", "cpu=10W", "--epoch-regex", r"'epoch': '?(\d+)", "--journal", str(machine.folder / "j"),
                  command=["printf", "%s\\n", *lines])
    assert [r["name"] for r in records(machine.journals("j")[0]) if r["record"] == "epoch"] == ["1", "2"]
    # Lines that have no number are epochs each.
    machine.track("--assume", "cpu=10W", "--epoch-regex", "epoch done", "--journal", str(machine.folder / "k"),
                  command=["printf", "%s\\n", "epoch done", "epoch done"])
    assert len([r for r in records(machine.journals("k")[0]) if r["record"] == "epoch"]) == 2


def test_epochs_that_lines_begin(machine):
    script = ("sleep 0.2; echo 'Epoch 1/2'; sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo 'Epoch 2/2'; sleep 0.3;"
              "echo 103000000 > $COUNTER; sleep 0.3")
    machine.track("--epoch-regex", "^Epoch ([0-9]+)/", "--epoch-at", "begin", command=["sh", "-c", script])
    assert [energy(e) for e in machine.profile()["epochs"]] == pytest.approx([1.0, 2.0], abs=1e-9)
    assert not any("includes_startup" in e for e in machine.profile()["epochs"])


def test_every_command_counts_what_was_outside_the_epochs(machine):
    """An evaluation after the epochs takes more than they do."""
    script = ("sleep 0.3; echo 101000000 > $COUNTER; sleep 0.3; echo 'epoch 1'; sleep 0.3; echo 102000000 > $COUNTER;"
              "sleep 0.3; echo 'epoch 2'; sleep 0.3; echo 107000000 > $COUNTER; sleep 0.3")
    machine.track("--name", "evaluated", "--epoch-regex", r"epoch (\d+)", "--region", "US-GA", "--price", "0.5",
                  command=["sh", "-c", script])
    run = str(machine.output)
    text = wattree_on(machine, "report", run)
    assert "used 7 J of electricity" in text and "Of it, 5 J is outside the epochs" in text
    carbon = json.loads(wattree_on(machine, "carbon", run, "--price", "0.5", "--json"))
    assert carbon["curve"]["points"][-1]["device_energy_j"] == pytest.approx(7, abs=1e-6)
    assert carbon["curve"]["outside_epochs"]["device_energy_j"] == pytest.approx(5, abs=1e-6)
    assert carbon["cost_usd"] == pytest.approx(7 / 3.6e6 * 0.5)
    # The second epoch is what further ones are like: 1 J each.
    longer = json.loads(wattree_on(machine, "carbon", run, "--epochs", "10", "--json"))
    assert longer["curve"]["points"][-1]["device_energy_j"] == pytest.approx(15, abs=1e-6)
    assert re.search(r"evaluated +2 +\S+ s +7 J", wattree_on(machine, "compare", run, "1J"))
    headline = wattree_on(machine, "whatif", run, "--epochs", "10", "--region", "US-WY").splitlines()[0]
    assert re.search(r"2 epochs on .*, [\d.]+ s; extrapolated to 10 epochs, [\d.]+ s$", headline)
    wattree_on(machine, "profiles", "import", run)
    assert re.search(r"evaluated +evaluated +2 +\S+ s +7 J", wattree_on(machine, "profiles", "list"))


def test_epochs_that_come_too_fast_are_counted_and_said(machine):
    script = "import sys\nsys.stdout.write(''.join(f'epoch {i}\\n' for i in range(30000)))\n"
    result = machine.track("--epoch-regex", r"epoch (\d+)", command=[sys.executable, "-c", script])
    assert result.stdout.count(b"\n") == 30000
    missed = re.search(r"could be taken: (\d+) are left out", machine.profile()["notes"])
    assert len(machine.profile()["epochs"]) + int(missed[1] if missed else 0) == 30000
    assert (missed is None) or missed[0] in result.stderr.decode()


def test_idle_power_is_measured_before_the_command(machine):
    machine.track("--assume", "gpu=250W", "--idle", "300ms", command=["sleep", "0.4"])
    part = machine.profile()["epochs"][0]["energy"][-1]
    assert part["component"] == "gpu.assumed"
    assert part["idle_j"] == pytest.approx(part["energy_j"], rel=1e-6)


def test_idle_power_of_a_counter_that_is_read_seldom(machine):
    """Where nothing changes, idling takes all of it; what the counter's last ticks have in them too."""
    machine.use_nvml("clock\n0 0 energy_mj watts 500 100\n0 0 energy_mj slow 5\n")
    machine.track("--idle", "2s", command=["sleep", "1"])
    epoch = machine.profile()["epochs"][0]
    part = next(part for part in epoch["energy"] if part["component"] == "gpu0.energy")
    # An edge is known to half a tick: 25 J of the 1000 J that idling took.
    assert part["idle_j"] == pytest.approx(500 * epoch["duration_s"], rel=0.06)


def test_without_meters_there_is_time_and_no_energy(machine):
    machine.counter.parent.rename(machine.folder / "gone")
    result = machine.track(command=["sleep", "0.2"])
    epoch = machine.profile()["epochs"][0]
    assert "energy" not in epoch or epoch["energy"] == []
    assert epoch["duration_s"] >= 0.2
    assert b"no energy can be measured here" in result.stderr


def test_epochs_without_meters_have_no_energy_rather_than_none_at_all(machine):
    machine.counter.parent.rename(machine.folder / "gone")
    result = machine.track("--epoch-regex", r"epoch (\d+)", command=["sh", "-c", "sleep 0.2; echo epoch 1; sleep 0.2; echo epoch 2"])
    assert re.search(rb"epochs: \S+ s in all, \S+ s each; no energy is known", result.stderr), result.stderr
    assert b" 0 J" not in result.stderr
    profile = machine.profile()
    assert [epoch["energy"] for epoch in profile["epochs"]] == [[], []] and profile["outside_epochs"]["energy"] == []


def test_the_cost_is_shown_as_assumed(machine):
    result = machine.track("--price", "0.25", command=["sh", "-c", "sleep 0.3; echo 112345678 > $COUNTER; sleep 0.3"])
    # 12.345678 J
    assert re.search(rb"cost: 8.57\de-07 USD \(0.25 USD/kWh, by the user\), assumed", result.stderr), result.stderr


def test_a_mig_instance_is_charged_the_board_and_that_is_said(machine):
    machine.use_nvml("clock\nmig 0 MIG-bbbb\nmig 0 MIG-cccc\n0 0 energy_mj watts 300 100\n")
    machine.environment["CUDA_VISIBLE_DEVICES"] = "MIG-bbbb"
    result = machine.track(command=["sleep", "0.3"])
    said = "gpu0.energy is the whole board's, not one MIG instance's"
    assert said in result.stderr.decode() and said in machine.profile()["notes"]


def test_a_meter_that_is_lost_is_a_gap_and_the_command_goes_on(machine):
    script = "sleep 0.4; echo garbage > $COUNTER; sleep 0.5; echo done"
    result = machine.track(command=["sh", "-c", script])
    assert result.stdout == b"done\n"
    assert "does not answer" in machine.profile()["notes"]
    assert machine.profile()["epochs"][0]["gap_s"] > 0.2
