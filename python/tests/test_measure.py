"""The protocol against a counter whose power is known."""

import time

import pytest

from wattree.device import Launch
from wattree.fake import FakeGpu
from wattree.measure import (
    MeasureError, Settings, measure, measure_idle, measure_time, wait_for_standby, wait_until_steady)
from wattree.sampler import Sampler


def launch_of(device, seconds, iterations):
    return Launch(lambda: device.start(seconds), iterations, "graph")


def test_known_power_gives_known_joules(simulated):
    clock, device, sampler = simulated(lambda time_s: 400.0)
    result = measure(launch_of(device, 0.02, 10), device, sampler, Settings(), clock)
    # 10 runs take 20 ms at 400 W: 2 ms and 0.8 J for one.
    assert result.window.seconds_per_iteration == pytest.approx(0.002, rel=1e-3)
    assert result.window.joules_per_iteration == pytest.approx(0.8, rel=1e-3)
    assert result.is_settled and not result.is_capped
    assert result.window.duration_s >= 0.5
    assert result.load_s < 1.2


def test_the_beginning_is_left_out(simulated):
    clock, device, sampler = simulated(lambda time_s: 100.0 if time_s < 100.2 else 500.0)
    result = measure(launch_of(device, 0.02, 1), device, sampler, Settings(settle_s=0.3), clock)
    assert result.window.power_w == pytest.approx(500.0, rel=1e-6)


def test_at_the_cap_it_waits_and_measures_longer(simulated):
    clock, device, sampler = simulated(lambda time_s: 690.0, capped=lambda time_s: True)
    result = measure(launch_of(device, 0.02, 10), device, sampler, Settings(), clock)
    assert result.is_capped and result.settle_s == 1.2
    assert result.window.start_s >= 101.2 and result.window.duration_s >= 1.5 - 1e-6


def test_the_cap_of_the_load_before_is_not_this_one(simulated):
    clock, device, sampler = simulated(lambda time_s: 400.0, capped=lambda time_s: time_s < 100.35)
    result = measure(launch_of(device, 0.02, 10), device, sampler, Settings(), clock)
    assert not result.is_capped


def test_near_the_limit_counts_as_capped(simulated):
    clock, device, sampler = simulated(lambda time_s: 0.98 * 700)
    assert measure(launch_of(device, 0.02, 10), device, sampler, Settings(), clock).is_capped


def test_a_load_that_never_settles_is_given_up_and_says_so(simulated):
    clock, device, sampler = simulated(lambda time_s: 100.0 + 60 * (time_s - 100))
    result = measure(launch_of(device, 0.02, 10), device, sampler, Settings(limit_s=3.0), clock)
    assert not result.is_settled
    assert 3.0 <= result.load_s < 3.3


def test_long_runs_get_enough_of_them(simulated):
    clock, device, sampler = simulated(lambda time_s: 300.0)
    result = measure(launch_of(device, 0.2, 1), device, sampler, Settings(limit_s=10), clock)
    assert result.window.iterations >= 10


def test_a_counter_that_stands_still_is_an_error(simulated):
    clock, device, sampler = simulated(lambda time_s: 300.0, tick_s=60.0)
    with pytest.raises(MeasureError, match="fewer than four ticks"):
        measure(launch_of(device, 0.02, 1), device, sampler, Settings(limit_s=2.0), clock)


def test_a_meter_that_fails_is_an_error(simulated):
    clock, device, sampler = simulated(lambda time_s: 300.0)
    sampler.failure = RuntimeError("GPU is lost")
    with pytest.raises(MeasureError, match="GPU is lost"):
        measure(launch_of(device, 0.02, 1), device, sampler, Settings(), clock)


def test_the_sampler_sees_ticks_and_power_in_real_time():
    gpu = FakeGpu(lambda time_s: 250.0, tick_s=0.01)
    with Sampler(gpu, period_s=0.01) as sampler:
        idle = measure_idle(sampler, duration_s=0.2, limit_s=5.0)
        assert wait_for_standby(sampler, 260.0) < 1.0
        assert wait_for_standby(sampler, 240.0, limit_s=0.15) is None
        sampler.forget_before(time.monotonic())
        assert len(sampler.ticks) < 5
    assert idle.power_w == pytest.approx(250.0, rel=0.15)
    assert sampler.failure is None


def test_a_counter_that_steps_often_is_read_seldom_and_exactly():
    gpu = FakeGpu(lambda time_s: 250.0, tick_s=0.001)
    gpu.tick_s = 0.001
    with Sampler(gpu, period_s=0.01, pause_s=0.02) as sampler:
        idle = measure_idle(sampler, duration_s=0.2, limit_s=5.0)
    assert idle.power_w == pytest.approx(250.0, rel=0.1)
    # Read every 20 ms, but known to have stepped within the last one.
    assert all(tick.before_s - tick.after_s <= 0.001 + 1e-9 for tick in sampler.ticks)


def test_time_alone_is_measured_where_nothing_meters(simulated):
    clock, device, _ = simulated(lambda time_s: 0.0)
    timing = measure_time(launch_of(device, 0.02, 10), device, Settings(), clock)
    assert timing.seconds_per_iteration == pytest.approx(0.002, rel=1e-3)
    assert timing.is_settled and timing.duration_s >= 0.5 and timing.load_s < 1.2
    # A run that takes longer than there is time is timed by what there is of it.
    slow = measure_time(launch_of(device, 4.0, 1), device, Settings(limit_s=2.0), clock)
    assert slow.seconds_per_iteration == pytest.approx(4.0, rel=1e-3) and not slow.is_settled
    assert slow.load_s < 20


def test_rest_is_waited_for():
    steady = FakeGpu(lambda time_s: 80.0, tick_s=0.01)
    with Sampler(steady, period_s=0.005) as sampler:
        assert wait_until_steady(sampler, limit_s=5.0)
    start_s = time.monotonic()
    rising = FakeGpu(lambda time_s: 80.0 + 1e5 * (time_s - start_s), tick_s=0.01)
    with Sampler(rising, period_s=0.01) as sampler:
        assert not wait_until_steady(sampler, limit_s=0.3)


def test_a_thread_that_dies_is_noticed():
    class Broken(FakeGpu):
        def energy_j(self):
            raise RuntimeError("fell off the bus")

    with Sampler(Broken()) as sampler:
        with pytest.raises(MeasureError, match="fell off the bus"):
            measure_idle(sampler, limit_s=2.0)
