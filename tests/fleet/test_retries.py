"""Retries and their budgets: by enumerating attempts, in 50 digits, by simulation, and at the limits."""

import inspect

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relmath.fleet import retries
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
    for name, function in inspect.getmembers(retries, inspect.isfunction)
    if function.__module__ == "relmath.fleet.retries" and not name.startswith("_")
]

LEGAL = {
    "platform": 0.02,
    "application": 0.1,
    "retries": 3.0,
    "sensitivity": 0.9,
    "specificity": 0.8,
    "failures_allowed": 4.0,
    "duration": 5e4,
    "mtbf": 1e4,
    "drain_cost": 3.0,
    "recurrence_cost": 50.0,
}
ILLEGAL = dict.fromkeys(LEGAL, (-0.1, 1.1, np.nan)) | {
    "retries": (-1.0, 1.5, np.nan, np.inf),
    "failures_allowed": (-1.0, 1.5, np.nan, np.inf),
    "duration": (-1.0, np.nan, np.inf),
    "mtbf": (0.0, -1.0, np.nan),
    "drain_cost": (-1.0, np.nan, np.inf),
    "recurrence_cost": (-1.0, np.nan, np.inf),
}


# A published figure


def test_the_fifty_first_failure_within_a_week():
    """At the rate of the Llama 3 run, 419 interruptions in 54 days, by adding up the Poisson probabilities."""
    mtbf = 54 * day / 419
    assert round(mtbf / hour, 3) == 3.093
    mean = mp.mpf(7) / 54 * 419
    enough = mp.fsum(mp.exp(-mean) * mean**k / mp.factorial(k) for k in range(51))
    assert retries.budget_exhausted(50, 7 * day, mtbf) == near(1 - enough)
    assert round(float(retries.budget_exhausted(50, 7 * day, mtbf)), 2) == 0.69


# Against other routes


@given(probabilities(), probabilities(), st.integers(0, 12), probabilities(), probabilities())
def test_success_attempt_by_attempt(platform, application, allowed, sensitivity, specificity):
    """Follow the job from attempt to attempt, in 50 digits; no geometric sum."""
    fails, unsound, seen, acquitted = exact(platform, application, sensitivity, specificity)
    at_work, success, lost, number = mp.mpf(1), mp.mpf(0), mp.mpf(0), mp.mpf(0)
    hopeless, still = mp.mpf(0), mp.mpf(1)
    for attempt in range(allowed + 1):
        number += at_work
        success += at_work * (1 - fails)
        lost += at_work * fails * ((1 - seen) if attempt < allowed else 1)
        at_work *= fails * seen
        still *= 1 - acquitted
        hopeless += still if attempt < allowed else 0
    expected = (1 - unsound) * success
    assert retries.job_success(platform, application, allowed, sensitivity, specificity) == near(expected)
    assert retries.platform_loss(platform, allowed, sensitivity) == near(lost)
    assert retries.attempts(platform, allowed, sensitivity) == near(number)
    assert retries.hopeless_retries(application, allowed, specificity) == near(unsound * hopeless)


@given(log_uniform(-15, -1), log_uniform(-15, -1), st.integers(0, 2**50))
def test_many_retries_on_a_platform_that_nearly_always_fails(works, unseen, allowed):
    """Near certain failure, and near certain recognition: the formula, from arguments whose rounding is theirs."""
    platform, sensitivity = 1 - works, 1 - unseen
    fails, seen = exact(platform, sensitivity)
    lost = (fails * (1 - seen) + (1 - fails) * (fails * seen) ** (allowed + 1)) / (1 - fails * seen)
    assert retries.platform_loss(platform, allowed, sensitivity) == near(lost)


def test_success_by_drawing_jobs():
    """Draw jobs, attempts and verdicts; Monte Carlo, within four standard errors."""
    rng, trials = np.random.default_rng(20), 200_000
    platform, application, allowed, sensitivity, specificity = 0.3, 0.2, 2, 0.7, 0.6
    unsound = rng.random(trials) < application
    open_jobs, done, hopeless = np.ones(trials, bool), np.zeros(trials, bool), 0
    for attempt in range(allowed + 1):
        hopeless += (open_jobs & unsound).sum() if attempt else 0
        fails = unsound | (rng.random(trials) < platform)
        done |= open_jobs & ~fails
        called_platform = np.where(unsound, rng.random(trials) > specificity, rng.random(trials) < sensitivity)
        open_jobs &= fails & called_platform
    success = float(retries.job_success(platform, application, allowed, sensitivity, specificity))
    assert done.mean() == pytest.approx(success, abs=4 * np.sqrt(success * (1 - success) / trials))
    assert hopeless / trials == pytest.approx(
        float(retries.hopeless_retries(application, allowed, specificity)), abs=0.003
    )


@given(st.integers(0, 200), log_uniform(-2, 2))
def test_a_budget_by_integrating_the_gaps(allowed, mean):
    """The time of the failure that ends the job is Erlang: its distribution is an incomplete gamma, in 50 digits."""
    (x,) = exact(mean)
    expected = float(mp.gammainc(allowed + 1, 0, x, regularized=True))
    assert retries.budget_exhausted(allowed, mean, 1) == pytest.approx(expected, rel=1e-11, abs=1e-290)


@given(log_uniform(-3, 3), log_uniform(-3, 3), st.floats(0.01, 1), probabilities())
def test_the_threshold_is_where_both_cost_the_same(drain_cost, recurrence_cost, sensitivity, specificity):
    """Weigh the two ways, in 50 digits: drain what the test condemns, or drain nothing."""
    share = retries.drain_threshold(drain_cost, recurrence_cost, sensitivity, specificity)
    drain, recur, seen, acquitted = exact(drain_cost, recurrence_cost, sensitivity, specificity)
    if drain_cost >= recurrence_cost:
        assert share == (1 if drain_cost == recurrence_cost else np.inf)
        return

    def gain(network):
        return network * seen * (recur - drain) - (1 - network) * (1 - acquitted) * drain

    lowest = (1 - acquitted) * drain / (seen * (recur - drain) + (1 - acquitted) * drain)
    assert share == near(lowest)
    assert abs(gain(lowest)) < 1e-40 * (drain + recur)


# Limits and order


def test_limits():
    assert retries.job_success(1, 0, 5, 1, 0) == 0
    assert retries.job_success(0, 0, 5, 1, 0) == 1
    assert retries.job_success(0.5, 1, 5, 1, 0) == 0
    assert retries.attempts(1, 5, 1) == 6
    assert retries.platform_loss(1, 5, 1) == 1
    assert retries.platform_loss(0.02, 1e300, 0.9) == near(0.002 / 0.982, rel=1e-14)
    assert retries.hopeless_retries(1, 7, 0) == 7
    assert retries.hopeless_retries(1, 0, 0.5) == retries.hopeless_retries(1, 5, 1) == 0
    assert retries.budget_exhausted(0, 0, 5) == retries.budget_exhausted(3, 5, np.inf) == 0
    assert retries.drain_threshold(1, 1) == 1
    assert retries.drain_threshold(0, 1) == 0
    assert retries.drain_threshold(2, 1, 1, 1) == np.inf


@given(probabilities(), st.integers(0, 20), probabilities(), probabilities())
def test_sound_jobs_succeed_or_are_lost(platform, allowed, sensitivity, specificity):
    lost = retries.platform_loss(platform, allowed, sensitivity)
    assert retries.job_success(platform, 0, allowed, sensitivity, specificity) == pytest.approx(1 - lost, abs=1e-15)
    assert retries.platform_loss(platform, allowed + 1, sensitivity) <= lost * (1 + 1e-14)


# The house's rules


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    illegal = ILLEGAL | ({"sensitivity": (0.0, *ILLEGAL["sensitivity"])} if function is retries.drain_threshold else {})
    assert_refused_by_name(function, name, LEGAL, illegal)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_broadcast_and_are_lazy(function):
    assert_unlike_shapes_are_named(function, LEGAL)
    names = parameters_of(function)
    arrays = {name: np.full(50, LEGAL[name]) for name in names}
    assert_lazy(function, arrays, ILLEGAL)
    assert type(function(**{name: LEGAL[name] for name in names})) is np.float64
    grid = function(**{name: np.full((2, 1) if i else 3, LEGAL[name]) for i, name in enumerate(names)})
    np.testing.assert_array_equal(grid, np.full((2, 3), function(**{name: LEGAL[name] for name in names})))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_are_defined_at_the_ends(function):
    assert_defined_at_the_ends(function, LEGAL)


def test_every_parameter_has_its_symbol():
    parameters = {name for function in FUNCTIONS for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
    assert parameters == set(LEGAL)
