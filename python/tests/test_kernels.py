"""Which kernels belong to which run, from a profiler that says what a test tells it."""

import types

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

from wattree import kernels  # noqa: E402

SPIN = "at::cuda::(anonymous namespace)::spin_kernel(long)"


@pytest.fixture
def profile(monkeypatch):
    """Runs append (name, start, microseconds) to the list, in any order of time."""
    seen = []

    class Profiler:
        def __init__(self, activities):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def events(self):
            cuda, cpu = torch.autograd.DeviceType.CUDA, torch.autograd.DeviceType.CPU
            event = types.SimpleNamespace
            return [event(name=name, device_type=cuda, time_range=event(start=start), device_time_total=spent)
                    for name, start, spent in reversed(seen)] + [event(name="launch", device_type=cpu)]

    monkeypatch.setattr(torch.profiler, "profile", Profiler)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    return seen


def test_runs_are_told_apart(profile):
    plain = lambda: profile.extend([("gemm", 1, 5.0), ("add", 2, 1.0), ("gemm", 3, 4.0), ("Memcpy HtoD", 4, 9.0)])  # noqa: E731
    graph = lambda: profile.extend([("gemm", 11, 5.0), ("add", 12, 1.0), ("cast", 13, 1.0)])  # noqa: E731
    first, second = kernels.profile_each([plain, graph], lambda: profile.append((SPIN, 10, 1.0)))
    assert first.counts == {"gemm": 2, "add": 1} and first.seconds == pytest.approx(10e-6)
    assert second.counts == {"gemm": 1, "add": 1, "cast": 1}
    assert kernels.differences(first, second) == {"gemm": -1, "cast": 1}
    assert kernels.differences(first, first) == {}


def test_runs_that_cannot_be_told_apart_are_an_error(profile):
    with pytest.raises(RuntimeError, match="saw 1 runs of 2"):
        kernels.profile_each([lambda: None, lambda: None], lambda: None)
