"""Predicted memory, held against what PyTorch's allocator handed out in 404 passes of 47 models (docs/memory.md)."""

import importlib.machinery
import importlib.util
import sys

import pytest


@pytest.fixture(scope="module")
def accuracy(root):
    loader = importlib.machinery.SourceFileLoader("memory_accuracy", str(root / "tools/memory_accuracy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def compared(accuracy, wattree):
    return accuracy.compare(wattree)


def test_peaks_are_within_the_limits(accuracy, compared):
    assert len(compared) == 404
    median, worst = accuracy.figures([one.peak_error for one in compared])
    assert median <= 5
    assert worst <= 12


def test_what_is_there_before_a_pass_is_known_exactly(compared):
    for one in compared:
        for part in ("weights_bytes", "inputs_bytes", "cache_bytes"):
            assert one.predicted[part] == one.measured[part], one.measured["key"]


def test_peaks_and_what_passes_add_are_as_near_as_the_documents_say(accuracy, compared, root):
    peak, added = ([getattr(one, name) for one in compared] for name in ("peak_error", "added_error"))
    row = "| all | 404 | {:.2f} | {:.1f} | {:.2f} | {:.1f} |".format(*accuracy.figures(peak), *accuracy.figures(added))
    assert row in (root / "docs/memory.md").read_text()


def test_passes_that_no_rule_was_made_for_are_within_the_limits_too(accuracy, wattree, root):
    compared = accuracy.compare(wattree, root / "data/h200-kinds-check")
    assert len(compared) == 231
    median, worst = accuracy.figures([one.peak_error for one in compared])
    assert median <= 5
    assert worst <= 12
    assert all(one.predicted["weights_bytes"] == one.measured["weights_bytes"] for one in compared)


def test_everything_is_measured_on_a_card_that_has_the_memory(compared):
    assert all(one.predicted["fits"] for one in compared)
