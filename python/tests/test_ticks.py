"""Windows cut at ticks, and what is known of their error: against arithmetic by hand."""

import math
import random

import pytest

from wattree.ticks import Progress, Tick, cut_window, mean_and_error, relative_slope_error


def steady(power_w=200.0, per_s=1000.0, seconds=2.0, tick_s=0.1, jitter=lambda: 0.0):
    progress = Progress()
    for i in range(int(seconds * 100) + 1):
        progress.add(i / 100, per_s * i / 100)
    ticks = []
    for i in range(1, int(seconds / tick_s)):
        moment = i * tick_s
        ticks.append(Tick(moment + jitter() - 0.002, moment + jitter() + 0.002, 50 + power_w * moment))
    return ticks, progress


def test_steady_load_is_exact():
    ticks, progress = steady()
    window = cut_window(ticks, progress, 0.25)
    # First tick after 0.25 s is at 0.3, last at 1.9: 1.6 s of 200 W and 1600 runs.
    assert window.duration_s == pytest.approx(1.6)
    assert window.energy_j == pytest.approx(320.0)
    assert window.iterations == pytest.approx(1600)
    assert window.joules_per_iteration == pytest.approx(0.2)
    assert window.seconds_per_iteration == pytest.approx(0.001)
    assert window.power_w == pytest.approx(200.0)
    assert window.ticks == 17
    assert window.drift == pytest.approx(0, abs=1e-9)
    assert window.relative_error < 1e-9
    assert window.tick_uncertainty_s == pytest.approx(math.hypot(0.002, 0.002))


def test_no_window_from_three_ticks():
    ticks, progress = steady()
    assert cut_window(ticks[:3], progress, 0.0) is None
    assert cut_window(ticks[:4], progress, 0.0) is not None
    assert cut_window(ticks, progress, 1.65) is None


def test_ticks_outside_the_load_do_not_count():
    ticks, progress = steady(seconds=1.0)
    late = [Tick(5.0 + i, 5.0 + i, 1000.0 + i) for i in range(3)]
    assert cut_window(ticks + late, progress, 0.0).end_s == pytest.approx(0.9)


def test_a_load_that_grows_drifts():
    ticks, progress = steady(seconds=1.05)
    grown = [Tick(t.after_s, t.before_s, t.energy_j + 20 * t.time_s**2) for t in ticks]
    # Energy 50 + 200 t + 20 t²: mean powers 200 + 20 (a + b) of the halves 0.1–0.5 and 0.5–0.9.
    window = cut_window(grown[:9], progress, 0.0)
    assert window.drift == pytest.approx((200 + 20 * 1.4) / (200 + 20 * 0.6) - 1)


def test_error_of_the_slope_is_what_a_simulation_finds():
    chance = random.Random(3)
    slopes, errors = [], []
    for _ in range(400):
        x = [float(i) for i in range(10)]
        y = [3 * v + chance.gauss(0, 0.1) for v in x]
        mean_x, mean_y = sum(x) / 10, sum(y) / 10
        slopes.append(sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x))
        errors.append(relative_slope_error(x, y))
    mean = sum(slopes) / len(slopes)
    spread = math.sqrt(sum((s - mean) ** 2 for s in slopes) / (len(slopes) - 1)) / mean
    assert sum(errors) / len(errors) == pytest.approx(spread, rel=0.1)


def test_progress_between_marks_is_a_straight_line():
    progress = Progress()
    progress.add(0.0, 0)
    progress.add(2.0, 10)
    progress.add(3.0, 40)
    assert progress.at(1.0) == pytest.approx(5)
    assert progress.at(2.5) == pytest.approx(25)
    assert progress.covers(3.0) and not progress.covers(3.01)


def test_mean_and_error():
    mean, error = mean_and_error([1.0, 2.0, 3.0])
    assert mean == pytest.approx(2.0)
    assert error == pytest.approx(1 / math.sqrt(3) / 2)
    assert mean_and_error([4.0]) == (4.0, None)
