"""Admission, settling and repeat offenders: enumeration, 50 digits, quadrature, simulation, published figures."""

import itertools
import math

import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from relmath.fleet import admission
from relmath.units import day, percent
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
    admission.admitted_bad,
    admission.clean_start,
    admission.pair_tests,
    admission.group_tests,
    admission.unsettled,
    admission.exposure,
    admission.posterior_rate,
    admission.posterior_risk,
    admission.failures_to_retire,
)
LEGAL = {
    "prevalence": 0.01,
    "coverage": 0.9,
    "rounds": 2.0,
    "nodes": 64.0,
    "bad": 0.01,
    "runs": 2.0,
    "failed": 0.0,
    "needed": 2.0,
    "window": 30.0,
    "period": 60.0,
    "runtime": 5.0,
    "failures": 3.0,
    "time": 90 * day,
    "shape": 0.5,
    "rate": 77 * day,
    "duration": 30 * day,
    "limit": 2e-7,
}
ILLEGAL = (
    dict.fromkeys(LEGAL, (-1.0, np.nan, np.inf))
    | dict.fromkeys(("prevalence", "coverage", "bad"), (-0.1, 1.1, np.nan))
    | dict.fromkeys(("rounds", "runs", "failed", "failures"), (-1.0, 0.5, np.nan, np.inf))
    | {"nodes": (0.0, 1.5, np.nan, np.inf), "needed": (0.0, 1.5, np.nan, np.inf)}
    | dict.fromkeys(("period", "shape", "rate", "limit"), (0.0, np.nan, np.inf))
)


# Who is admitted


@given(prevalence=log_uniform(-12, -0.001), coverage=st.floats(0, 0.999999), rounds=st.integers(0, 40))
def test_admitted_share_by_bayes_round_by_round(prevalence, coverage, rounds):
    """Independent of the power: the share is put through Bayes' rule once a round, in 50 digits."""
    share, sees = exact(prevalence, coverage)
    for _ in range(rounds):
        share = share * (1 - sees) / (share * (1 - sees) + 1 - share)
    assert admission.admitted_bad(prevalence, coverage, rounds) == near(share)


def test_admitted_share_by_drawing_nodes():
    rng = np.random.default_rng(18)
    bad = rng.random(400_000) < 0.2
    passes = ~(bad & (rng.random((3, bad.size)) < 0.4)).any(axis=0)
    share = admission.admitted_bad(0.2, 0.4, 3)
    spread = np.sqrt(share * (1 - share) / passes.sum())
    assert abs(bad[passes].mean() - share) < 4 * spread


def test_limits_of_the_admitted_share():
    assert admission.admitted_bad(0.3, 0.9, 0) == 0.3
    assert admission.admitted_bad(0.3, 0, 5) == 0.3
    assert admission.admitted_bad(0.3, 1, 1) == 0
    assert admission.admitted_bad(0, 0.5, 3) == 0
    assert admission.admitted_bad(1, 0.5, 3) == 1  # who passes is bad
    assert admission.admitted_bad(1, 1, 1) == 0  # none passes


@given(nodes=st.integers(1, 10**6), bad=log_uniform(-12, -0.001))
def test_a_clean_start_in_50_digits(nodes, bad):
    (share,) = exact(bad)
    assert admission.clean_start(nodes, bad) == near((1 - share) ** nodes, rel=1e-11 if nodes * bad > 100 else 1e-12)


def test_a_clean_start_by_the_binomial():
    nodes = np.array([1, 8, 64, 1250])
    np.testing.assert_allclose(admission.clean_start(nodes, 0.01), stats.binom.pmf(0, nodes, 0.01), rtol=1e-12)
    assert admission.clean_start(5, 0) == 1
    assert admission.clean_start(5, 1) == 0


# Tests between nodes


def patterns(nodes, groups):
    """Which tests fail if a node is bad, for each node."""
    return [tuple(node in group for group in groups) for node in range(nodes)]


def tells_apart(nodes, groups):
    """Each node has a pattern of its own, and none that of no failure."""
    return len({*patterns(nodes, groups), (False,) * len(groups)}) == nodes + 1


@pytest.mark.parametrize("nodes", [3, 4, 5, 6, 7])
def test_fewest_pairs_by_trying_all_sets_of_pairs(nodes):
    pairs = list(itertools.combinations(range(nodes), 2))
    fewest = next(
        number
        for number in itertools.count(1)
        if any(tells_apart(nodes, chosen) for chosen in itertools.combinations(pairs, number))
    )
    assert admission.pair_tests(nodes) == fewest


def test_chains_of_three_reach_the_fewest_pairs_in_two_turns():
    for nodes in range(3, 200):
        ends = [*range(0, nodes - 5, 3), nodes - nodes % 3 - 3, nodes]
        chains = [range(low, high) for low, high in itertools.pairwise(ends)]
        groups = [(a, b) for chain in chains for a, b in itertools.pairwise(chain)]
        assert tells_apart(nodes, groups)
        assert len(groups) == admission.pair_tests(nodes)
        assert max(sum(node in group for group in groups) for node in range(nodes)) <= 2


@pytest.mark.parametrize("nodes", [1, 2, 3, 4])
def test_fewest_groups_by_trying_all_sets_of_groups(nodes):
    groups = [g for size in range(1, nodes + 1) for g in itertools.combinations(range(nodes), size)]
    fewest = next(
        number
        for number in itertools.count(1)
        if any(tells_apart(nodes, chosen) for chosen in itertools.combinations(groups, number))
    )
    assert admission.group_tests(nodes) == fewest


@given(nodes=st.integers(1, 2**53 - 1))
def test_groups_by_whole_numbers(nodes):
    """Python's integers know their digits; so many tests have an outcome for each node and one for none."""
    tests = int(admission.group_tests(nodes))
    assert tests == nodes.bit_length()
    assert 2 ** (tests - 1) <= nodes < 2**tests


# Settling


def test_a_check_that_has_not_run_yet_is_not_healthy():
    assert not admission.healthy(runs=0, failed=0)
    assert not admission.healthy(runs=0, failed=0, needed=1)


def test_one_run_is_not_enough_and_one_failure_is_too_many():
    runs, failed = np.mgrid[0:5, 0:3]
    expected = [[r >= 2 and f == 0 for f in range(3)] for r in range(5)]
    assert admission.healthy(runs, failed).tolist() == expected


def test_a_node_is_admitted_when_all_of_its_checks_are_healthy():
    runs = np.array([[2, 2, 2], [3, 2, 1], [9, 9, 0]])
    assert admission.healthy(runs, np.zeros(3)).all(axis=-1).tolist() == [True, False, False]


def test_what_is_not_known_is_not_healthy():
    """A lazy array with what no count can be: closed, not open."""
    runs = da.from_array(np.array([2.0, np.nan, -1.0]))
    lazy = admission.healthy(runs, 0)
    assert isinstance(lazy, da.Array)
    assert lazy.compute().tolist() == [True, False, False]


@given(period=log_uniform(0, 4), window=st.floats(0, 3), runtime=st.floats(0, 1))
def test_settling_by_quadrature(period, window, runtime):
    """The mean over the phase, cut at its corner, in 50 digits."""
    window, runtime = window * period, runtime * period
    theta, w, run = exact(period, window, runtime)
    corner = min(max(w - run, mp.mpf(0)), theta)
    late = mp.quad(lambda v: (v + run > w) / theta, [0, corner, theta])
    mean = mp.quad(lambda v: max(mp.mpf(0), v + run - w) / theta, [0, corner, theta])
    assert admission.unsettled(window, period, runtime) == pytest.approx(float(late), rel=1e-12, abs=1e-13)
    assert admission.exposure(window, period, runtime) == pytest.approx(float(mean), rel=1e-11, abs=1e-13 * period)


def test_settling_by_drawing_phases():
    done = np.random.default_rng(3).uniform(0, 90, 200_000) + 10
    assert admission.unsettled(30, 90, 10) == pytest.approx((done > 30).mean(), abs=0.005)
    assert admission.exposure(30, 90, 10) == pytest.approx(np.maximum(done - 30, 0).mean(), abs=0.2)


def test_two_cycles_of_30_s_settle_checks_of_up_to_a_minute():
    """The source waits for two runs of checks every 30 s: enough exactly where period and run time fit in 60 s."""
    np.testing.assert_array_equal(admission.unsettled(60, [30, 60, 90, 120]), [0, 0, 1 / 3, 1 / 2])
    assert admission.unsettled(60, 30, 31) == near(1 / 30)
    assert admission.unsettled(30, 60) == 0.5


@given(period=log_uniform(0, 4), window=st.floats(0, 3))
def test_a_longer_window_never_hurts(period, window):
    for function in (admission.unsettled, admission.exposure):
        assert function(window * period * 1.1, period) <= function(window * period, period)


# Repeat offenders


@given(
    failures=st.integers(0, 50),
    time=log_uniform(-3, 3),
    shape=log_uniform(-1, 1),
    rate=log_uniform(-2, 2),
    ahead=log_uniform(-3, 2),
)
def test_posterior_in_50_digits(failures, time, shape, rate, ahead):
    t, a, b, d = exact(time, shape, rate, ahead)
    assert admission.posterior_rate(failures, time, shape, rate) == near((a + failures) / (b + t))
    risk = 1 - ((b + t) / (b + t + d)) ** (a + failures)
    assert admission.posterior_risk(failures, time, shape, rate, ahead) == near(risk)


@pytest.mark.parametrize(("failures", "time", "shape", "rate"), [(0, 2.0, 0.5, 3.0), (3, 0.5, 1.5, 1.0), (9, 4, 4, 2)])
def test_posterior_by_bayes_rule_and_quadrature(failures, time, shape, rate):
    """Independent of conjugacy: prior times likelihood, integrated."""

    def weight(x):
        return x ** (mp.mpf(shape) - 1 + failures) * mp.exp(-x * (rate + time))

    pieces = [0, 0.1, 1, 5, 20, 80]
    total = mp.quad(weight, pieces)
    mean = mp.quad(lambda x: x * weight(x), pieces) / total
    risk = mp.quad(lambda x: (1 - mp.exp(-2 * x)) * weight(x), pieces) / total
    assert admission.posterior_rate(failures, time, shape, rate) == near(mean, rel=1e-8)
    assert admission.posterior_risk(failures, time, shape, rate, 2) == near(risk, rel=1e-8)


def test_posterior_by_drawing_a_fleet():
    """Nodes are drawn with their rates, watched, and sorted by what they did: the mean true rate is the posterior's."""
    rng = np.random.default_rng(7)
    rates = rng.gamma(0.5, 2.0, 2_000_000)
    seen = rng.poisson(rates * 1.5)
    for failures in range(5):
        group = rates[seen == failures]
        spread = group.std() / np.sqrt(group.size)
        assert abs(group.mean() - admission.posterior_rate(failures, 1.5, 0.5, 0.5)) < 4 * spread


@given(time=log_uniform(-3, 3), shape=log_uniform(-2, 2), rate=log_uniform(-2, 2), limit=log_uniform(-2, 2))
def test_retirement_is_where_the_posterior_reaches_the_limit(time, shape, rate, limit):
    failures = admission.failures_to_retire(time, shape, rate, limit)
    assert admission.posterior_rate(failures, time, shape, rate) >= limit * (1 - 1.001e-9)
    if failures:
        assert admission.posterior_rate(failures - 1, time, shape, rate) < limit


def test_a_limit_that_is_just_reached_is_reached():
    """(1 + 2)/(7 + 3) is 0.3, whatever the last digit of 0.3 says."""
    assert admission.failures_to_retire(3, 1, 7, 0.3) == 2


def test_a_published_removal_of_lemons():
    """Kokolis et al.: failures of large jobs fell from 14 to 4 %, so the removed nodes had 73 % of the hazard."""
    carried = 1 - math.log(0.96) / math.log(0.86)
    assert carried == pytest.approx(0.729, abs=5e-4)

    def share_of_failures(shape, removed=0.02):
        """Of the nodes with the highest true rates: the mean over the tail of the gamma distribution."""
        tail = stats.gamma.isf(removed, shape)
        return stats.gamma.sf(tail, shape + 1)

    shape = optimize.brentq(lambda a: share_of_failures(a) - carried, 1e-3, 1)
    assert 0.01 < shape < 0.05  # far more unlike than the 0.5 of our examples
    assert share_of_failures(0.5) < 0.15


# Every function


@by_parameter(FUNCTIONS)
def test_illegal_values_are_refused_by_name(function, name):
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


def test_two_nodes_cannot_be_told_apart():
    with pytest.raises(ValueError, match=r"^nodes must be a whole number, at least 3, but is 2"):
        admission.pair_tests(2)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_defined_at_the_ends(function):
    assert_defined_at_the_ends(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lazy_arrays_stay_lazy(function):
    rng = np.random.default_rng(1)
    arrays = {name: np.full(50, LEGAL[name]) for name in parameters_of(function)}
    for name in arrays:
        if LEGAL[name] % 1 or LEGAL[name] > 1000:
            arrays[name] *= rng.uniform(0.5, 1, 50)
    assert_lazy(function, arrays, ILLEGAL)


@given(number=st.integers(1, 5))
def test_functions_broadcast(number):
    nodes, bad = np.arange(1, number + 1)[:, np.newaxis], np.linspace(0, 1, 4) * percent
    assert admission.clean_start(nodes, bad).shape == (number, 4)
