"""Objectives: published figures, the binomial test by exact enumeration, 50 digits, simulation, and the limits."""

import inspect
from fractions import Fraction
from itertools import accumulate
from math import comb

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from relmath import availability
from relmath.fleet import objectives
from relmath.notebook import notation
from relmath.units import day, hour
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
    probabilities,
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

FUNCTIONS = [
    function
    for name, function in inspect.getmembers(objectives, inspect.isfunction)
    if function.__module__ == "relmath.fleet.objectives" and not name.startswith("_")
]
ELEMENTWISE = [function for function in FUNCTIONS if function is not objectives.all_budgets]

LEGAL = {
    "mtbf": 5e6,
    "target": 0.9995,
    "success_before": 0.98,
    "success_after": 0.995,
    "p0": 0.9,
    "p1": 0.95,
    "significance": 0.05,
    "power": 0.8,
    "budgets": 0.01,
    "deadline": 900.0,
    "settle": 600.0,
    "startup": 60.0,
    "nodes": 16.0,
}
ILLEGAL = dict.fromkeys(LEGAL, (-0.1, 1.1, np.nan)) | {
    "mtbf": (0.0, -1.0, np.nan),
    "deadline": (-1.0, np.nan, np.inf),
    "settle": (-1.0, np.nan, np.inf),
    "startup": (0.0, np.nan, np.inf),
    "nodes": (0.0, 1.5, np.nan, np.inf),
}


# Published figures


@pytest.mark.parametrize(
    ("mtbf", "printed"),
    [
        (150_000 / 29 * hour, 2.59),  # the node of source A
        (1000 / 6.50 * day, 1.85),  # Kokolis et al., 6.50 failures per 1 000 node-days
        (54 * 2048 / 419 * day / 1.0, 3.17),  # Llama 3, 419 interruptions in 54 days on 2 048 nodes
    ],
)
def test_time_to_restore_that_four_hours_a_year_allow(mtbf, printed):
    mttr = objectives.allowed_mttr(mtbf, 0.9995)
    assert round(float(mttr / hour), 2) == printed
    assert availability.availability(mtbf, mttr) == near(0.9995, rel=1e-15)


def test_published_shares():
    assert round(float(objectives.hazard_ratio(0.98, 0.995)), 2) == 4.03
    assert round(float(availability.series(0.9995, 1250)), 3) == 0.535


# Against other routes


@given(log_uniform(-3, 9), probabilities())
def test_allowed_mttr_balances(mtbf, target):
    (m, a) = exact(mtbf, target)
    assert objectives.allowed_mttr(mtbf, target) == (np.inf if target == 0 else near(m * (1 - a) / a))


@given(probabilities(), probabilities())
def test_hazard_ratio_in_fifty_digits(before, after):
    ratio = objectives.hazard_ratio(before, after)
    if before == after:
        assert ratio == 1
    elif 0 < before < 1 and 0 < after < 1:
        s0, s1 = exact(before, after)
        assert ratio == near(mp.log(s0) / mp.log(s1))
        assert (ratio > 1) == (after > before)
        assert objectives.hazard_ratio(after, before) == near(1 / ratio)


def smallest_by_trying(p0, p1, significance, power, most=120):
    """Every number of jobs and every limit, in fractions: nothing is rounded, and no order is relied on."""
    few0, few1 = (1 - p0, 1 - p1) if p1 > p0 else (p0, p1)

    def at_most(n, q):
        return list(accumulate(comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(n)))

    for n in range(1, most):
        allowed = [c for c, probability in enumerate(at_most(n, few0)) if probability <= significance]
        if allowed and at_most(n, few1)[max(allowed)] >= power:
            return n
    return None


@pytest.mark.parametrize("power", [Fraction(1, 2), Fraction(4, 5)])
@pytest.mark.parametrize("significance", [Fraction(1, 20), Fraction(1, 4)])
@pytest.mark.parametrize(
    ("p0", "p1"),
    [(Fraction(p0, 8), Fraction(p1, 8)) for p0, p1 in [(4, 7), (4, 6), (7, 4), (6, 2), (1, 3), (0, 2), (8, 6), (5, 8)]],
)
def test_jobs_to_tell_apart_by_trying(p0, p1, significance, power):
    """Eighths are doubles, so that a significance or a power that is met exactly is met in both."""
    expected = smallest_by_trying(p0, p1, significance, power)
    found = objectives.jobs_to_tell_apart(float(p0), float(p1), float(significance), float(power))
    assert found == expected


def test_the_test_does_what_it_says():
    """98 % against 99.5 %: draw the failures, and look how often the test finds for either, at the number stated."""
    n = int(objectives.jobs_to_tell_apart(0.98, 0.995, 0.05, 0.9))
    rng = np.random.default_rng(21)
    limit = next(c for c in range(n) if _at_most(c + 1, n, 0.02) > 0.05)
    wrong = (rng.binomial(n, 0.02, 400_000) <= limit).mean()
    right = (rng.binomial(n, 0.005, 400_000) <= limit).mean()
    assert wrong <= 0.05
    assert right >= 0.898


def _at_most(c, n, q):
    share = mp.mpf(q)
    return mp.fsum(mp.binomial(n, i) * share**i * (1 - share) ** (n - i) for i in range(c + 1))


@pytest.mark.parametrize(("p0", "p1"), [(0.5, 0.5625), (0.75, 0.6875), (0.9375, 0.96875)])
def test_every_smaller_number_of_jobs_is_not_enough(p0, p1):
    """Hundreds of jobs, the number itself and each below it, by binomial sums of SciPy's."""
    numbers = np.arange(1, 1500)
    failures = np.arange(1500)[:, None]
    few0, few1 = (1 - p0, 1 - p1) if p1 > p0 else (p0, p1)
    allowed = (stats.binom.cdf(failures, numbers, few0) <= 0.05).sum(axis=0) - 1
    enough = (allowed >= 0) & (stats.binom.cdf(allowed, numbers, few1) >= 0.9)
    assert objectives.jobs_to_tell_apart(p0, p1, 0.05, 0.9) == numbers[np.argmax(enough)]


@pytest.mark.parametrize(("p0", "p1"), [(0.98, 0.9801), (0.02, 0.01995), (0.999, 0.99901)])
def test_shares_that_hardly_differ(p0, p1):
    """Tens of millions of jobs and more, where a normal law is as good as exact: no number there is tried in vain."""
    z0, z1 = stats.norm.ppf([0.95, 0.9])
    normal = ((z0 * np.sqrt(p0 * (1 - p0)) + z1 * np.sqrt(p1 * (1 - p1))) / (p1 - p0)) ** 2
    found = objectives.jobs_to_tell_apart(p0, p1, 0.05, 0.9)
    assert found == pytest.approx(normal, rel=1e-3)
    assert found == np.floor(found)


@pytest.mark.parametrize("arguments", [(0.98, 0.98 + 1e-9), (1e-300, 5e-324), (1 - 1e-16, 1 - 1e-15), (1, 1 - 2e-16)])
def test_more_jobs_than_a_double_counts(arguments):
    assert objectives.jobs_to_tell_apart(*arguments, 0.05, 0.9) == np.inf


def test_information_sets_a_lower_limit():
    """No test of n jobs does better than their divergence allows: the number found lies above that limit."""
    for p0, p1 in [(0.98, 0.995), (0.9, 0.91), (0.999, 0.9999)]:
        divergence = p1 * np.log(p1 / p0) + (1 - p1) * np.log((1 - p1) / (1 - p0))
        wanted = 0.9 * np.log(0.9 / 0.05) + 0.1 * np.log(0.1 / 0.95)
        assert objectives.jobs_to_tell_apart(p0, p1, 0.05, 0.9) >= wanted / divergence


@given(st.lists(probabilities(), min_size=1, max_size=6))
def test_budgets_are_those_of_a_series(budgets):
    together = 1 - mp.fprod(1 - b for b in exact(*budgets))
    assert objectives.all_budgets(budgets) == near(together)
    assert objectives.all_budgets(budgets) <= sum(budgets) * (1 + 1e-14)


@given(log_uniform(-2, 4), log_uniform(-2, 3), log_uniform(-2, 3), st.integers(1, 5000))
def test_start_in_fifty_digits_and_back(extra, settle, startup, nodes):
    wait, hold, mean = exact(extra, settle, startup)
    deadline = float(hold + wait)
    (later,) = exact(deadline)
    expected = (1 - mp.exp(-(later - hold) / mean)) ** nodes if later > hold else 0
    on_time = objectives.start_in_time(deadline, settle, startup, nodes)
    assert on_time == pytest.approx(float(expected), rel=1e-9, abs=1e-300)  # deadline - settle has lost digits already
    target = 0.97
    (goal,) = exact(target)
    expected = hold - mean * mp.log(1 - goal ** (mp.mpf(1) / nodes))
    assert objectives.deadline_for(target, settle, startup, nodes) == near(expected)


def test_start_by_drawing_nodes():
    rng = np.random.default_rng(3)
    last = rng.exponential(60, (40_000, 128)).max(axis=1)
    stated = float(objectives.start_in_time(900, 500, 60, 128))
    assert (last <= 400).mean() == pytest.approx(stated, abs=4 * np.sqrt(stated * (1 - stated) / 40_000))


# Limits


def test_limits():
    assert objectives.allowed_mttr(np.inf, 0.999) == objectives.allowed_mttr(5, 0) == np.inf
    assert objectives.allowed_mttr(np.inf, 1) == objectives.allowed_mttr(5, 1) == 0
    assert objectives.hazard_ratio(0.9, 1) == np.inf
    assert objectives.hazard_ratio(1, 0.9) == 0
    assert objectives.hazard_ratio(1, 1) == objectives.hazard_ratio(0, 0) == 1
    assert objectives.all_budgets([0.5, 1]) == 1
    assert str(objectives.all_budgets([0, 0])) == str(objectives.all_budgets([])) == "0.0"  # and not -0.0
    assert objectives.start_in_time(5, 10, 1, 3) == 0
    assert objectives.deadline_for(1, 10, 1, 3) == np.inf
    assert objectives.deadline_for(0, 10, 1, 3) == 10
    assert objectives.jobs_to_tell_apart(0.9, 0.9, 0.05, 0.9) == np.inf
    assert objectives.jobs_to_tell_apart(0.9, 0.95, 0, 0.9) == np.inf
    assert objectives.jobs_to_tell_apart(0.9, 0.95, 0.05, 1) == np.inf
    assert objectives.jobs_to_tell_apart(0.9, 1, 0.05, 1) == 29
    assert objectives.jobs_to_tell_apart(0.9, 0.95, 1, 1) == objectives.jobs_to_tell_apart(0.9, 0.95, 0, 0) == 0
    assert objectives.jobs_to_tell_apart(1, 0, 0, 1) == 1


# The house's rules


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)
def test_functions_broadcast_and_are_lazy(function):
    assert_unlike_shapes_are_named(function, LEGAL)
    names = parameters_of(function)
    assert_lazy(function, {name: np.full(50, LEGAL[name]) for name in names}, ILLEGAL)
    assert type(function(**{name: LEGAL[name] for name in names})) is np.float64
    grid = function(**{name: np.full((2, 1) if i else 3, LEGAL[name]) for i, name in enumerate(names)})
    np.testing.assert_array_equal(grid, np.full((2, 3), function(**{name: LEGAL[name] for name in names})))


@pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)
def test_functions_are_defined_at_the_ends(function):
    assert_defined_at_the_ends(function, LEGAL)


def test_every_parameter_has_its_symbol():
    parameters = {name for function in FUNCTIONS for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
    assert parameters == set(LEGAL)
