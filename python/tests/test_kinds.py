"""The kinds that data/h200-kinds measures, and what they need: sizes as meant, groups that fit their rows, times of launches."""

import dataclasses
import re

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

from wattree import kinds, launches, plan  # noqa: E402
from wattree.trace import OpCall  # noqa: E402
from wattree.workload import group_ends  # noqa: E402


def test_every_plan_has_each_item_once():
    for name, items in kinds.PASS_KINDS.items():
        found = items()
        assert len(found) == len(set(found)) >= 30, name


def test_no_plan_has_a_model_that_is_only_checked():
    checks = {item.model for item in plan.unseen()}
    for name, items in kinds.PASS_KINDS.items():
        assert not checks & {item.model for item in items()}, name


def test_products_have_every_alignment_in_every_place():
    found = set()
    for op, _ in kinds.ops_of(kinds.products("cpu")):
        *_, left, right = op.inputs
        rows, inner = map(int, re.findall(r"\d+", left.split("[")[1])[:2])
        outer = int(right.split("[")[1].split("]")[0].split(",")[1])
        found |= {(place, size & -size) for place, size in (("rows", rows), ("inner", inner), ("outer", outer))}
    assert found >= {(place, align) for place in ("rows", "inner", "outer") for align in kinds.ALIGNMENTS}


def test_steps_stay_within_memory_and_positions():
    longest = {model: length for model, _, length, _ in kinds.STEPS}
    for item in kinds.steps():
        assert 0 < item.past <= longest[item.model] and item.length == 1


def test_items_with_heads_have_names_of_their_own():
    base = plan.Item("gpt2")
    headed = dataclasses.replace(base, head="GPT2LMHeadModel")
    assert base.name == "gpt2/bf16/sdpa/16x128/graph" and headed.name == "gpt2:GPT2LMHeadModel/bf16/sdpa/16x128/graph"


def test_groups_end_where_their_rows_end():
    tensors = [{"tensor": "bf16[40,8]"}, {"tensor": "bf16[6,8,4]"}]
    op = OpCall(scope="", module_call=-1, name="_grouped_mm", overload="default", arguments=tensors, keywords={"offs": {"tensor": "i32[6]"}},
                inputs=("bf16[40,8]", "bf16[6,8,4]", "i32[6]"), outputs=("bf16[40,4]",), flops=0)
    kept, keywords = group_ends(op, "cpu")
    ends = keywords["offs"].tolist()
    assert kept == [None, None] and ends == sorted(ends) and len(ends) == 6 and ends[-1] == 40


def test_launches_are_timed_by_the_host():
    class Device:
        def synchronize(self):
            now[0] += 1.0  # Waiting for the device is not launching.

    now = [0.0]

    def run(i):
        now[0] += 1e-5

    took = launches.time_launch(run, Device(), clock=lambda: now[0])
    assert took.host_s == pytest.approx(1e-5, rel=1e-3) and took.host_least_s <= took.host_s
    assert took.latency_s == pytest.approx(1.00001)
