"""Gangs, slow members, lost links and outliers: closed forms, quadrature in 50 digits, simulation, other formulas."""

import itertools

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from relmath.fleet import gangs
from relmath.units import GB, day, minute
from tests.functions import (
    assert_defined_at_the_ends,
    assert_lazy,
    assert_refused_by_name,
    assert_unlike_shapes_are_named,
    by_parameter,
    exact,
    log_uniform,
    near,
    parameters_of,
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

FUNCTIONS = (
    gangs.slowest,
    gangs.slowest_extreme,
    gangs.slowest_with,
    gangs.move_pays,
    gangs.break_even,
    gangs.bandwidth_slowdown,
    gangs.allreduce_time,
    gangs.outlier_threshold,
    gangs.steps_to_detect,
)
LEGAL = {
    "nodes": 512.0,
    "mean": 10.0,
    "sd": 0.2,
    "slowdown": 0.05,
    "remaining": 2 * day,
    "restart": 10 * minute,
    "share": 0.2,
    "ratio": 0.5,
    "message": 1e10,
    "links": 16.0,
    "link_bandwidth": 1.25e10,
    "latency": 1e-5,
    "false_alarm": 0.001,
    "miss": 0.01,
}
ILLEGAL = (
    dict.fromkeys(LEGAL, (-1.0, np.nan, np.inf))
    | dict.fromkeys(("nodes", "links"), (0.0, 1.5, np.nan, np.inf))
    | dict.fromkeys(("share", "false_alarm"), (-0.1, 1.1, np.nan))
    | dict.fromkeys(("ratio", "miss"), (0.0, 1.1, np.nan))
    | {"link_bandwidth": (0.0, np.nan, np.inf)}
)


# The slowest of many


def test_closed_forms_of_the_largest_of_few():
    """Known for up to five normal numbers (Godwin 1949), by angles of the orthant."""
    few = {
        1: mp.mpf(0),
        2: 1 / mp.sqrt(mp.pi),
        3: 3 / (2 * mp.sqrt(mp.pi)),
        4: 6 / mp.sqrt(mp.pi) * (mp.mpf(1) / 4 + mp.asin(mp.mpf(1) / 3) / (2 * mp.pi)),
        5: 5 / (4 * mp.sqrt(mp.pi)) * (1 + 6 * mp.asin(mp.mpf(1) / 3) / mp.pi),
    }
    for nodes, deviations in few.items():
        assert gangs.slowest(nodes, 0, 1) == near(deviations)


@pytest.mark.parametrize("nodes", [7, 1024, 10**9])
def test_the_largest_by_another_integral(nodes):
    """Of what is above the mean and below, from the distribution and not from the density; mpmath's own rule."""
    centre = float(-stats.norm.ppf(1 / nodes))
    pieces = [0, *(centre + step for step in range(-2, 6) if centre + step > 0), centre + 15]
    with mp.workdps(20):
        deviations = mp.quad(lambda x: 1 - mp.ncdf(x) ** nodes - mp.ncdf(-x) ** nodes, pieces)
    assert gangs.slowest(nodes, 0, 1) == near(deviations)


def test_the_slowest_by_drawing_gangs():
    steps = np.random.default_rng(19).normal(10, 0.2, (20_000, 64)).max(axis=1)
    assert gangs.slowest(64, 10, 0.2) == pytest.approx(steps.mean(), abs=4 * steps.std() / np.sqrt(steps.size))


def test_published_control_chart_constants():
    """The mean range of a sample, d2 of control charts, is twice the mean of its largest: 1.128, 2.326, 3.078."""
    d2 = 2 * gangs.slowest([2, 5, 10, 25], 0, 1)
    assert [round(value, 3) for value in d2.tolist()] == [1.128, 2.326, 3.078, 3.931]


@pytest.mark.parametrize(("nodes", "error"), [(8, 0.07), (64, 0.024), (1000, 0.0095), (10**6, 0.003)])
def test_extreme_value_form_errs_as_its_docstring_says(nodes, error):
    ratio = gangs.slowest_extreme(nodes, 0, 1) / gangs.slowest(nodes, 0, 1)
    assert 1 < ratio < 1 + error


@given(nodes=st.integers(2, 10**9), mean=log_uniform(-3, 4), sd=log_uniform(-4, 2))
def test_extreme_value_form_in_50_digits(nodes, mean, sd):
    mu, sigma = exact(mean, sd)
    log = mp.log(nodes)
    root = mp.sqrt(2 * log)
    expected = mu + sigma * (root - (mp.log(log) + mp.log(4 * mp.pi)) / (2 * root) + mp.euler / root)
    assert gangs.slowest_extreme(nodes, mean, sd) == near(expected)


@settings(max_examples=20)
@given(nodes=st.integers(1, 10**6), mean=log_uniform(-2, 3), sd=log_uniform(-3, 2))
def test_larger_gangs_are_slower_and_scale(nodes, mean, sd):
    one, more = gangs.slowest(nodes, mean, sd), gangs.slowest(2 * nodes, mean, sd)
    assert mean <= one < more
    assert gangs.slowest(nodes, 7 * mean, 7 * sd) == near(7 * one)
    assert gangs.slowest(nodes, mean, 0) == mean


# One slow member


@pytest.mark.parametrize(("nodes", "apart"), list(itertools.product([2, 64, 10**5], [0.1, 2.5, 20])))
def test_one_slow_member_by_its_density(nodes, apart):
    """The mean of the maximum from its density, where the function sums a survival."""
    d = mp.mpf(apart)

    def weight(x):
        others = mp.ncdf(x) ** (nodes - 2)
        return x * others * (mp.ncdf(x) * mp.npdf(x - d) + (nodes - 1) * mp.npdf(x) * mp.ncdf(x - d))

    with mp.workdps(20):
        pieces = sorted({-12, -3, 0, 3, 6, 12, *(apart + step for step in (-3, 3, 12))})
        expected = mp.quad(weight, pieces, method="gauss-legendre")
    assert gangs.slowest_with(nodes, 100, 1, apart / 100) == near(100 + expected)


@settings(max_examples=20)
@given(nodes=st.integers(1, 10**5), sd=log_uniform(-3, 0), slowdown=log_uniform(-4, 0))
def test_one_slow_member_lies_between_its_bounds(nodes, sd, slowdown):
    """No faster than the gang without it or than itself; no slower than a gang of its like."""
    time = gangs.slowest_with(nodes, 10, sd, slowdown)
    assert time >= max(gangs.slowest(nodes, 10, sd), 10 * (1 + slowdown)) * (1 - 1e-14)
    assert time <= gangs.slowest(nodes, 10 * (1 + slowdown), sd) * (1 + 1e-14)


def test_limits_of_one_slow_member():
    assert gangs.slowest_with(512, 10, 0.2, 0) == near(gangs.slowest(512, 10, 0.2))
    assert gangs.slowest_with(512, 10, 0, 0.05) == 10.5
    assert gangs.slowest_with(1, 10, 0.2, 0.05) == 10.5
    assert gangs.slowest_with(512, 10, 0.2, 3) == 40
    assert gangs.slowest_with(512, 10, 0.2, 0.85) == near(18.5)


# Moving, links, and what they cost


@given(slowdown=log_uniform(-4, 1), restart=log_uniform(0, 5), longer=log_uniform(-2, 2))
def test_a_move_pays_beyond_break_even_alone(slowdown, restart, longer):
    even = gangs.break_even(slowdown, restart)
    assert abs(gangs.move_pays(slowdown, even, restart)) <= 1e-12 * restart
    assert (gangs.move_pays(slowdown, even * longer, restart) > 1e-12 * restart) == (longer > 1 + 1e-12)


def test_a_move_by_two_clocks():
    """At a slow-down of 25 % eight hours take ten; with a move of one hour, nine."""
    assert gangs.move_pays(0.25, 8, 1) == (8 * 1.25) - (1 + 8)
    assert gangs.move_pays(0, 8, 1) == -1
    assert gangs.break_even(0, 1) == np.inf
    assert gangs.break_even(0, 0) == 0


@given(share=log_uniform(-6, 0), ratio=log_uniform(-6, 0))
def test_bandwidth_by_adding_up_a_step(share, ratio):
    f, b = exact(share, ratio)
    step = (1 - f) + f / b
    assert gangs.bandwidth_slowdown(share, ratio) == near(step - 1, rel=1e-11 if ratio > 0.999 else 1e-12)


@pytest.mark.parametrize("nodes", [1, 2, 5, 64])
def test_a_ring_by_sending_its_messages(nodes):
    """Numbers go round, a part a hop, until each member has the sum of all: the hops that it takes are counted."""
    parts = np.random.default_rng(2).integers(0, 1000, (nodes, nodes))  # of a member; each has as many as members
    total = parts.sum(axis=0)
    members = np.arange(nodes)
    hops = 0
    while not (parts == total).all():
        summed = hops < nodes - 1  # then all have one part that is complete, and pass it on
        sent = (members - hops) % nodes
        arrived = parts[members, sent]
        parts[(members + 1) % nodes, sent] = arrived + summed * parts[(members + 1) % nodes, sent]
        hops += 1
    clock = hops * (3 * GB / nodes / (4 * 12.5 * GB) + 1e-5)
    assert gangs.allreduce_time(nodes, 3 * GB, 4, 12.5 * GB, 1e-5) == pytest.approx(clock, rel=1e-12)


def test_half_the_links_double_a_large_collective_and_not_a_small_one():
    time = gangs.allreduce_time(64, [100 * GB, 1], np.array([[32], [16]]), 12.5 * GB, 1e-5)
    large, small = (time[1] / time[0]).tolist()
    assert large == pytest.approx(2, abs=0.01)
    assert small == pytest.approx(1, abs=1e-6)


# Outliers


@given(nodes=st.integers(1, 10**6), false_alarm=log_uniform(-9, -0.01))
def test_threshold_in_50_digits(nodes, false_alarm):
    """Put back: the probability that all of N lie below it, in 50 digits."""
    z = mp.mpf(float(gangs.outlier_threshold(nodes, false_alarm)))
    alarm = -mp.expm1(nodes * mp.log1p(-mp.ncdf(-z)))
    assert false_alarm == pytest.approx(float(alarm), rel=1e-11)


def test_steps_to_detect_by_simulation():
    """Means of so many steps of healthy gangs raise as many alarms as allowed, and slow members as few misses."""
    rng = np.random.default_rng(4)
    steps = gangs.steps_to_detect(64, 10, 0.2, 0.03, 0.05, 0.1)
    z = gangs.outlier_threshold(64, 0.05)
    means = rng.normal(0, 0.2 / np.sqrt(steps), (20_000, 64)) / (0.2 / np.sqrt(steps))
    assert (means.max(axis=1) > z).mean() == pytest.approx(0.05, abs=0.007)
    slow = means[:, 0] + 0.3 / (0.2 / np.sqrt(steps))
    assert (slow < z).mean() <= 0.11
    one_less = means[:, 0] + 0.3 / (0.2 / np.sqrt(steps - 1))
    assert (one_less < z).mean() > 0.1


def test_steps_to_detect_fall_with_the_square_of_the_slow_down():
    one, two = gangs.steps_to_detect(512, 10, 0.2, [0.001, 0.002], 0.001, 0.01)
    assert one / two == pytest.approx(4, rel=1e-3)
    assert gangs.steps_to_detect(512, 10, 0, 0.01, 0.001, 0.01) == 1


# Every function


@by_parameter(FUNCTIONS)
def test_illegal_values_are_refused_by_name(function, name):
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_defined_at_the_ends(function):
    assert_defined_at_the_ends(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lazy_arrays_stay_lazy(function):
    rng = np.random.default_rng(1)
    whole = {"nodes", "links"}
    arrays = {
        n: np.full(50, LEGAL[n]) * (1 if n in whole else rng.uniform(0.5, 1, 50)) for n in parameters_of(function)
    }
    assert_lazy(function, arrays, ILLEGAL)
