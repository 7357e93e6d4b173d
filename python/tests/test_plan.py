"""The plan: balanced wherever it is cut off."""

import collections
import dataclasses

from wattree import plan
from wattree.spec import key_of, parse_tensor


def test_every_prefix_is_balanced_over_models():
    items = plan.in_rounds(plan.models(), seed=1)
    assert len(items) == len(set(items)) == len(plan.models())
    models = {item.model for item in items}
    assert len(models) > 30
    plain = [item for item in items if not item.overrides]
    totals = collections.Counter(item.model for item in plain)
    for cut in (40, 100, 200, 300):
        seen = collections.Counter(item.model for item in plain[:cut])
        # Whoever has fewer than another had no more to give.
        assert all(seen[model] >= min(totals[model], max(seen.values()) - 1) for model in models)


def test_the_first_round_is_16_by_128_where_a_model_has_it():
    first = {}
    for item in plan.in_rounds(plan.models(), seed=2):
        if not item.overrides:
            first.setdefault(item.model, item)
    having = {item.model for item in plan.models() if (item.batch, item.length) == (16, 128)}
    sixteen = {item.model for item in first.values() if (item.batch, item.length) == (16, 128)}
    assert len(having) > 30 and len(having - sixteen) <= 1


def test_rounds_repeat_with_their_seed():
    assert plan.in_rounds(plan.models(), 5) == plan.in_rounds(plan.models(), 5)
    assert plan.in_rounds(plan.models(), 5) != plan.in_rounds(plan.models(), 6)


def test_no_model_is_longer_than_it_can_be():
    for item in plan.models():
        assert 1 <= item.batch <= 32 and 32 <= item.length <= 1024
        if item.model.startswith(("bert", "roberta", "distilbert", "albert", "electra", "openai")):
            assert item.length <= 512


def test_families_precisions_and_attentions_are_there():
    items = plan.models()
    assert {item.dtype for item in items} == {"fp32", "bf16"}
    assert {item.attention for item in items} == {"sdpa", "eager"}
    for model in {item.model for item in items if not item.overrides} - {"roberta-large"}:
        assert len({(i.batch, i.length) for i in items if i.model == model and not i.overrides}) >= 6, model
    # Figure 4 of the IrEne paper: 6 depths times 4 widths.
    assert sum(bool(item.overrides) for item in items) == 24
    assert all(item.past for item in plan.decodes())


def record(name, shape, flops=0, dtype="bf16"):
    text = f"{dtype}[{','.join(map(str, shape))}]"
    return {"node": key_of(name, text), "of": "op", "inputs": [text], "outputs": [text], "flops": flops, "op": {"name": name}}


def test_one_of_every_kind_before_a_second_of_any():
    many = [record("add", (16, n)) for n in range(100, 120)]
    others = [record("mul", (16, 100)), record("add", (4096, 4096)), record("mm", (64, 64), 524288)]
    order = plan.ops_in_order(many + others, set(), seed=1)
    assert {r["op"]["name"] for r in order[:4]} == {"add", "mul", "mm"}
    assert others[1] in order[:4]
    whole = plan.ops_in_order(many + others, {many[7]["node"]}, seed=1)
    assert whole[0] == many[7]


def test_integers_come_last():
    order = plan.ops_in_order([record("add", (8,), dtype="i64"), record("add", (8,)), record("add", (9,))], set(), seed=1)
    assert order[-1]["inputs"] == ["i64[8]"]


def test_tensors_are_read_as_written():
    assert parse_tensor("bf16[2,3,4]") == ("bfloat16", [2, 3, 4], [12, 4, 1])
    assert parse_tensor("f32[8,4]{1,8}") == ("float32", [8, 4], [1, 8])
    assert parse_tensor("i64[]") == ("int64", [], [])


def test_what_is_kept_for_checking_is_never_measured_for_fitting():
    fitted = {item.model for item in (*plan.models(), *plan.decodes(), *plan.details(), *plan.eager_runs(), *plan.halves())}
    checked = {item.model for item in plan.unseen()}
    assert not fitted & checked and len(checked) == 19


def test_of_what_is_measured_in_fp16_there_is_a_measurement_in_bf16():
    measured = {dataclasses.replace(item, dtype="fp16") for item in (*plan.models(), *plan.decodes())}
    assert set(plan.halves()) <= measured
