"""Ops are described once, in the program's op_list.inc: what Python and the plugin repeat of it is the same."""

import dataclasses
import re

import pytest

from wattree.ops import LOOK_UPS, WEIGHTS, op_level, op_type, op_word

ROW = re.compile(r'^WATTREE_OP\(\w+, "(\w+)", "(\w+)", "(\w+)", k(\w+), k\w+, \d+(.*?)\)', re.MULTILINE)

# Ops that a tree may have and the plugin has no call for.
NOT_RUN = {"native_group_norm", "_fused_rms_norm", "index_put", "scatter", "index_add", "repeat_interleave", "roll",
           "unique_consecutive", "other"}


@dataclasses.dataclass(frozen=True)
class Op:
    name: str
    word: str
    type: str
    level: str
    facts: str

    @property
    def is_look_up(self):
        return ".form = kLookup" in self.facts

    @property
    def weights(self):
        bits = re.search(r"\.weights = 0b([01]+)", self.facts)
        return [i for i, bit in enumerate(reversed(bits[1])) if bit == "1"] if bits else []


@pytest.fixture(scope="module")
def listed(root):
    text = (root / "src/models/tree/op_list.inc").read_text()
    ops = [Op(name, word, kind, level.lower(), facts) for name, word, kind, level, facts in ROW.findall(text)]
    assert len(ops) == text.count("WATTREE_OP(") - 1 > 80  # Less the one that names the columns.
    return ops


def test_ops_go_by_the_names_of_the_program(listed):
    assert [(op.name, op_word(op.name), op_type(op.name), op_level(op.name)) for op in listed] == [
        (op.name, op.word, op.type, op.level) for op in listed]


def test_look_ups_are_those_of_the_program(listed):
    assert {op.name for op in listed if op.is_look_up} == LOOK_UPS


def test_weights_are_those_of_the_program(listed):
    # The program counts tensors, Python arguments: among a layer norm's is the shape.
    before = {"native_layer_norm": 1}
    assert {op.name: tuple(i + before.get(op.name, 0) for i in op.weights) for op in listed if op.weights} == WEIGHTS


def test_the_plugin_runs_what_the_program_lists(listed, root):
    run = re.findall(r'^ *\{"(\w+)",|\}, \{"(\w+)",', (root / "src/measure/torch/kernels.cc").read_text(), re.MULTILINE)
    names = {first or second for first, second in run}
    assert names == {op.name for op in listed} - NOT_RUN
