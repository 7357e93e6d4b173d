"""Plans that are made by rule: the files have what the rules say, and nothing of a check is fitted to."""

import json
import pathlib

import pytest

from wattree import fresh_checks, hosts, mixed_checks, wide_checks
from wattree.plan import plan_line

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
PLANS = {"h200-wide-check": wide_checks.wide_plan, "h200-mixed-check": mixed_checks.mixed_plan,
         "h200-launches-check": mixed_checks.launches_plan, "h200-fresh-check": fresh_checks.fresh_plan}
TRAINING = ("h200", "h200-kinds", "h200-kinds-2", "h200-edges", "h200-gaps", "h200-tiles", "h200-hosts", "h200-steps")


def keys_of(folder):
    records = (json.loads(line) for path in (DATA / folder).glob("windows-*.jsonl") for line in path.read_text().splitlines())
    return {record["key"] for record in records if record["kind"] == "window"}


@pytest.mark.parametrize("folder", PLANS)
def test_files_have_what_the_rules_say(folder):
    assert (DATA / folder / "plan.jsonl").read_text().splitlines() == [plan_line(kind, item) for kind, item in PLANS[folder]()]


@pytest.mark.parametrize("folder", PLANS)
def test_what_is_measured_was_planned_and_is_nowhere_else(folder):
    measured = keys_of(folder)
    assert measured <= {item.name for _, item in PLANS[folder]()}
    others = [name for name in (*TRAINING, "h200-check", "h200-kinds-check", "h200-edges-check", *PLANS) if name != folder]
    assert not measured & set().union(*map(keys_of, others))


def test_hosts_are_of_models_that_may_be_fitted():
    assert keys_of("h200-hosts") <= {item.name for _, item in hosts.hosts_plan()}
    assert {item.execution for _, item in hosts.hosts_plan()} == {"eager"}


def test_steps_are_of_their_plans():
    steps = pytest.importorskip("wattree.steps", reason="PyTorch is not installed here")
    passes = {key for key in keys_of("h200-steps") if key.endswith("/graph")}
    assert len(passes) == 295 and passes <= {item.name for _, item in [*steps.steps_plan(), *steps.odd_plan()]}


def test_every_kernel_is_measured_before_a_second_time():
    tiles = pytest.importorskip("wattree.tiles", reason="PyTorch is not installed here")
    calls = tiles.by_kernel("cpu")
    ways = [(len(call.tensors), call.function.__name__) for call in calls]
    assert len(calls) >= 200 and {count for count, _ in ways} == {2, 3}  # Without a bias and with one.
    assert ("addmm" in {name for _, name in ways}) and len(tiles.slim()) == len(set(tiles.slim())) == 92
