"""The plan of checks: large enough, of many kinds, and of nothing that predictors are fitted to."""

import collections
import json
import pathlib

import pytest

from wattree import plan

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLAN = ROOT / "data/h200-kinds-check/plan.jsonl"


@pytest.fixture(scope="module")
def items():
    return plan.read_plan(PLAN)


def test_it_has_many_kinds(items):
    counts = collections.Counter(kind for kind, _ in items)
    assert len(items) >= 150 and len(counts) >= 12 and min(counts.values()) >= 5
    assert len({item for _, item in items}) == len(items)


def test_lines_read_as_they_are_written(items):
    assert PLAN.read_text().splitlines() == [plan.plan_line(kind, item) for kind, item in items]


def test_every_model_has_a_config(items):
    for _, item in items:
        assert (ROOT / f"data/models/{item.model}.json").exists(), item.model


def test_nothing_of_it_was_measured(items):
    measured = set()
    for folder in ("h200", "h200-check", "h200-kinds"):
        for path in (ROOT / "data" / folder).glob("windows-*.jsonl"):
            measured |= {json.loads(line).get("key") for line in path.read_text().splitlines()}
    assert len(measured) > 3000
    assert not measured & {item.name for _, item in items}


def test_nothing_of_it_is_planned_elsewhere(items):
    kinds = pytest.importorskip("wattree.kinds", reason="PyTorch is not installed here")
    planned = {item for passes in (*kinds.PASS_KINDS.values(), plan.models, plan.decodes, plan.eager_runs, plan.halves, plan.unseen)
               for item in passes()}
    assert not planned & {item for _, item in items}
