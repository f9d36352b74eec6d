"""Availability of replicas and the efficiency of strategies: published figures, 50 digits by other routes, limits."""

import inspect
import itertools

import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from relmath import availability, checkpoints
from relmath.notebook import notation
from relmath.units import day, hour, minute, year
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

FUNCTIONS = [
    function
    for name, function in inspect.getmembers(availability, inspect.isfunction)
    if function.__module__ == "relmath.availability" and not name.startswith("_")
]

# A legal value of each parameter, and some outside its domain.
LEGAL = {
    "a": 0.9,
    "k": 3.0,
    "n": 7.0,
    "beta": 0.05,
    "target": 0.9999,
    "period": 1e6,
    "mtbf": 15_000.0,
    "mttr": 600.0,
    "write_time": 24.5,
    "restart": 30.0,
    "downtime": 90.0,
    "pairs": 40.0,
    "pause": 60.0,
}
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan)) | {
    "a": (-0.1, 1.1, np.nan),
    "beta": (-0.1, 1.1, np.nan),
    "target": (-0.1, 1.1, np.nan),
    "k": (-1.0, 1.5, np.nan, np.inf),
    "n": (-1.0, 7.5, np.nan, np.inf),
    "pairs": (0.0, 1.5, np.nan, np.inf),
    "mtbf": (0.0, np.nan),
    "mttr": (-1.0, np.nan, np.inf),
    "pause": (-1.0, np.nan, np.inf),
}


def probabilities():
    """Numbers from 0 to 1, with many near either end."""
    return st.one_of(
        st.floats(1e-12, 1),
        log_uniform(-12, -1),
        log_uniform(-12, -1).map(lambda small: 1 - small),
        st.sampled_from([0.0, 0.5, 1.0]),
    )


# Published figures


@pytest.mark.parametrize(
    ("replicas", "share", "down"),
    [(1, "99 %", (87.6, hour)), (2, "99.99 %", (52.6, minute)), (3, "99.9999 %", (31.5, 1.0))],
)
def test_the_published_table(replicas, share, down):
    """The source's table: replicas of 99 %, and a year of 8760 h."""
    assert f"{100 * availability.parallel(0.99, replicas):.10g} %" == share
    time, unit = down
    assert round(availability.unavailability(0.99, replicas) * year / unit, 1) == time
    assert round(availability.downtime(availability.parallel(0.99, replicas)) / unit, 1) == time


def test_figures_that_intuition_gets_wrong():
    assert round(availability.k_of_n(0.95, 97, 100), 4) == 0.2578
    assert availability.parallel(0.9995, 2) == near(0.99999975, rel=1e-15)
    assert round(availability.series(0.9995, 1250), 3) == 0.535
    assert round(100 * availability.common_cause(0.99, 2, 0.05), 3) == 99.941
    assert availability.common_cause_unavailability(0.99, 1000, 0.05) * year == near(4.38 * hour)


# Against other routes


@given(log_uniform(-3, 9), log_uniform(-3, 9))
def test_availability_is_the_balance_of_two_flows(mtbf, mttr):
    """The fixed point of the chain: as many failures as repairs, in 50 digits."""
    up = exact(availability.availability(mtbf, mttr))[0]
    failing, repairing = up / exact(mtbf)[0], (1 - up) / exact(mttr)[0]
    assert abs(failing - repairing) <= 1e-15 * (1 / exact(mtbf)[0] + 1 / exact(mttr)[0])


@given(probabilities(), st.integers(0, 6))
def test_few_replicas_by_adding_states(a, replicas):
    """Every state of the replicas, one by one; no power and no binomial coefficient."""
    (up,) = exact(a)
    by_number = [mp.mpf(0)] * (replicas + 1)
    for state in itertools.product([True, False], repeat=replicas):
        by_number[sum(state)] += mp.fprod(up if is_up else 1 - up for is_up in state)
    assert availability.series(a, replicas) == near(by_number[replicas])
    assert availability.unavailability(a, replicas) == near(by_number[0])
    assert availability.parallel(a, replicas) == near(mp.fsum(by_number[1:]))
    for enough in range(replicas + 1):
        assert availability.k_of_n(a, enough, replicas) == near(mp.fsum(by_number[enough:]))


@pytest.mark.parametrize("n", [30, 300, 3000])
def test_many_replicas_by_recursion(n):
    """Add the replicas to the pool one at a time (a convolution), which has no cancellation and no factorial."""
    for a in (0.5, 0.95, 0.999):
        pool = np.array([1.0])
        for _ in range(n):
            pool = np.convolve(pool, [1 - a, a])
        at_least = pool[::-1].cumsum()[::-1]
        enough = np.arange(n + 1)
        seen = at_least > 1e-200
        np.testing.assert_allclose(availability.k_of_n(a, enough, n)[seen], at_least[seen], rtol=1e-11)


@given(probabilities(), st.integers(1, 200), probabilities())
def test_common_cause_over_its_domain(a, k, beta):
    """In 50 digits, as the model is stated; this tests the arithmetic, the simulation below the model."""
    up, share = exact(a, beta)
    down = share * (1 - up) + ((1 - share) * (1 - up)) ** k
    assert availability.common_cause_unavailability(a, k, beta) == near(down)
    assert availability.common_cause(a, k, beta) == pytest.approx(float(1 - down), rel=1e-12, abs=1e-300)


def test_common_cause_by_drawing_states():
    """Draw whether the common cause is at work, and then each replica; Monte Carlo, so within four standard errors."""
    a, beta, trials = 0.8, 0.2, 200_000
    rng = np.random.default_rng(5)
    common = rng.random(trials) < beta * (1 - a)
    for k in (1, 2, 3):
        own = (rng.random((trials, k)) < (1 - beta) * (1 - a)).all(axis=1)
        both = beta * (1 - a) * ((1 - beta) * (1 - a)) ** k  # counted twice by the model
        stated = float(availability.common_cause_unavailability(a, k, beta)) - both
        assert (common | own).mean() == pytest.approx(stated, abs=4 * np.sqrt(stated / trials))


@given(probabilities())
def test_nines_and_time_down(a):
    (up,) = exact(a)
    assert availability.nines(a) == (np.inf if a == 1 else near(-mp.log10(1 - up)))
    assert availability.downtime(a, 7 * day) == near((1 - up) * exact(7 * day)[0], rel=1e-15)
    assert availability.downtime(a) == availability.downtime(a, year)


# How many for a target


def smallest_that_reaches(a, target, beta):
    """Try one after the other, in 50 digits, with the slack that the docstring grants."""
    up, wanted, share = exact(a, target, beta)
    allowed = (1 - wanted) * (1 + mp.mpf("1e-9")) + mp.mpf(2) ** -53
    down = (share * (1 - up) + ((1 - share) * (1 - up)) ** k for k in range(1, 400))
    return next((float(k) for k, unavailable in enumerate(down, start=1) if unavailable <= allowed), np.inf)


@given(st.floats(0.1, 0.9999), probabilities(), st.one_of(st.just(0.0), probabilities()))
def test_replicas_by_trying(a, target, beta):
    assume(target < 1 - 1e-15)
    assert availability.replicas_for(a, target, beta) == smallest_that_reaches(a, target, beta)


def decimals():
    """Pairs that fit exactly: replicas of 99 % (or 99.7 %, ...), and what so many of them reach, as decimals."""
    for places in range(1, 6):
        for last in range(1, 10):
            tenths = 10**places - last
            for k in range(1, 14 // places + 1):
                target = f"0.{10 ** (places * k) - last**k:0{places * k}d}"
                yield float(f"0.{tenths:0{places}d}"), float(target), k


def test_a_target_that_is_met_exactly_is_met():
    """Decimals are not doubles, and a bare ceiling would ask for one more in about one of four cases."""
    cases = list(decimals())
    assert len(cases) > 200
    found = availability.replicas_for([a for a, _, _ in cases], [target for _, target, _ in cases])
    np.testing.assert_array_equal(found, [k for _, _, k in cases])


def test_targets_out_of_reach():
    assert availability.replicas_for(0.99, 1) == np.inf
    assert availability.replicas_for(0, 0.5) == np.inf
    assert availability.replicas_for(0.99, 0.9999, beta=0.05) == np.inf
    assert availability.replicas_for(0.99, 0.9994, beta=0.05) == 2
    assert availability.replicas_for(1, 1) == availability.replicas_for(0, 0) == 1


# Limits and order


def test_limits_of_availability():
    assert availability.availability(np.inf, 5) == 1
    assert availability.availability(5, 0) == 1
    assert availability.availability(1e-300, 1e300) == 0


def test_none_and_all():
    assert availability.series(0.5, 0) == 1
    assert availability.parallel(0.5, 0) == 0
    assert availability.unavailability(1, 0) == 1
    assert availability.k_of_n(0.5, 0, 9) == 1
    for perfect in (availability.parallel(1, 3), availability.common_cause(1, 3, 0.1), availability.k_of_n(1, 3, 5)):
        assert perfect == 1
    for broken in (availability.parallel(0, 3), availability.k_of_n(0, 3, 5), availability.series(0, 3)):
        assert broken == 0


@given(probabilities(), st.integers(1, 50), probabilities())
def test_common_cause_lies_between_one_replica_and_independent_ones(a, k, beta):
    here = availability.common_cause_unavailability(a, k, beta)
    assert here <= availability.common_cause_unavailability(a, 1, beta) * (1 + 1e-14)
    assert here >= availability.common_cause_unavailability(a, k + 1, beta) * (1 - 1e-14)
    assert here >= beta * (1 - a) * (1 - 1e-14)
    assert availability.common_cause_unavailability(a, k, 0) == availability.unavailability(a, k)
    assert availability.common_cause(a, k, 0) == near(availability.parallel(a, k))
    assert availability.common_cause(a, k, 1) == near(a)
    assert availability.common_cause(a, 1, beta) == near(a)


@given(probabilities(), st.integers(0, 30), st.integers(0, 30))
def test_k_of_n_is_monotone_and_symmetric(a, k, spare):
    """More needed is worse, more there is better."""
    n = k + spare
    here = availability.k_of_n(a, k, n)
    assert availability.k_of_n(a, k, n + 1) >= here * (1 - 1e-13)
    assert availability.k_of_n(a, k + 1, n + 1) <= here * (1 + 1e-13)


@given(st.sampled_from([1 / 8, 1 / 4, 1 / 2, 3 / 4]), st.integers(1, 30), st.integers(0, 30))
def test_enough_up_or_too_many_down(a, k, spare):
    """At least k of n are up, or at least n - k + 1 are down; these availabilities have exact complements."""
    n = k + spare
    assert availability.k_of_n(a, k, n) + availability.k_of_n(1 - a, spare + 1, n) == near(1, rel=1e-14)


def test_more_are_needed_than_there_are():
    with pytest.raises(ValueError, match=r"n\[1\] must be at least k, which is 3\.0, but is 2\.0"):
        availability.k_of_n(0.9, 3, [3, 2])
    lazy = availability.k_of_n(0.9, 3, da.from_array(np.array([3.0, 2.0])))
    np.testing.assert_array_equal(np.isnan(lazy.compute()), [False, True])


# Strategies


def eighty_digits_of_optimum(ratio):
    """Root u of -ln(1 - u) - u = ratio by bisection, which no closed form knows."""
    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if -mp.log(1 - middle) - middle < ratio else (low, middle)
    return low


@pytest.mark.parametrize("ratio", [1e-9, 1e-3, 0.1, 1, 5, 20])
@pytest.mark.parametrize(("restart", "downtime"), [(0, 0), (0.2, 0), (0, 3), (2, 0.1)])
def test_restart_efficiency_is_that_of_checkpoints_at_their_best(ratio, restart, downtime):
    """By the exponential closed form at an optimum found by bisection, in 80 digits."""
    with mp.workdps(80):
        x, r, d = exact(ratio, restart, downtime)
        u = eighty_digits_of_optimum(x)
        expected = u * mp.exp(-r) / ((1 + d) * mp.expm1(u + x))
    job = (ratio, 1, restart, downtime)
    assert availability.restart_efficiency(*job) == near(expected)
    interval = checkpoints.optimal(ratio, 1)
    assert availability.restart_efficiency(*job) == near(checkpoints.efficiency(interval, *job), rel=1e-11)


def test_limits_of_restart_efficiency():
    assert availability.restart_efficiency(0, 100, downtime=100) == 0.5
    assert availability.restart_efficiency(5, np.inf, 3, 4) == 1
    assert availability.restart_efficiency(1e300, 1e-300, 3, 4) == 0


def interruptions_by_counting(pairs):
    """Mean number of hits until a pair is dead, state by state, from the last state back.

    A state says how many pairs have lost one member. Each hit finds one of 2 * pairs members, dead or alive: one of a
    pair that is whole, one that is dead (which changes nothing), or the partner of one that is dead, which is the end.
    """
    further = mp.mpf(0)
    for lost in range(pairs, -1, -1):
        whole, members = 2 * (pairs - lost), 2 * pairs
        further = (members + whole * further) / (members - lost)
    return further


@pytest.mark.parametrize("pairs", [1, 2, 3, 7, 15, 16, 17, 40, 625, 3000])
def test_failures_per_interruption_by_counting_states(pairs):
    assert availability.failures_per_interruption(pairs) == near(interruptions_by_counting(pairs), rel=1e-13)


@pytest.mark.parametrize("pairs", [1, 2, 5, 16, 100])
def test_failures_per_interruption_by_integrating_survival(pairs):
    """A clock in each member, and no pair that has lost both: the mean time to interruption, in lives of a member."""
    mean = mp.quad(lambda t: (1 - (1 - mp.exp(-t)) ** 2) ** pairs, [0, 0.1, 0.5, 1, 2, 5, 10, 40, 200])
    assert availability.failures_per_interruption(pairs) == near(2 * pairs * mean)


@pytest.mark.parametrize("pairs", [1e6, 1e9, 1e14])
def test_failures_per_interruption_of_very_many(pairs):
    (b,) = exact(pairs)
    expected = 1 + mp.sqrt(mp.pi) * mp.gamma(b + 1) / mp.gamma(b + mp.mpf(1) / 2)
    assert availability.failures_per_interruption(pairs) == near(expected, rel=1e-14)


def test_replication_is_half_of_a_job_that_stops_less_often():
    job = {"write_time": 100, "restart": 40, "downtime": 30}
    mtti = 5000 * interruptions_by_counting(12)
    half = availability.restart_efficiency(mtbf=float(mtti), **job) / 2
    assert availability.replication_efficiency(mtbf=5000, pairs=12, **job) == near(half)
    assert availability.replication_efficiency(10, np.inf, 3) == 0.5


def test_elastic_efficiency_by_drawing_changes():
    """Draw moments at which nodes leave and join, and measure the time that lies a pause or more behind the last."""
    mtbf, pause, horizon = 600.0, 120.0, 3e7
    rng = np.random.default_rng(9)
    changes = np.sort(rng.uniform(0, horizon, rng.poisson(2 * horizon / mtbf)))
    computing = np.maximum(np.diff(changes, append=horizon) - pause, 0).sum() / horizon
    assert availability.elastic_efficiency(mtbf, pause) == pytest.approx(computing, abs=0.003)
    assert availability.elastic_efficiency(np.inf, pause) == 1
    assert availability.elastic_efficiency(mtbf, 0) == 1
    assert availability.elastic_efficiency(1e-300, 1e300) == 0


def none_has_changed(nodes, node_mtbf, mttr, pause):
    """Nodes that fail and are repaired on their own: what is computed while none has changed for a pause, exactly."""
    node_up = node_mtbf / (node_mtbf + mttr)
    stays_up, stays_away = node_up * mp.exp(-pause / node_mtbf), (1 - node_up) * mp.exp(-pause / mttr)
    return stays_up * (stays_up + stays_away) ** (nodes - 1)


@pytest.mark.parametrize(("mtbf", "pause"), [(3600, 30), (600, 120)])
def test_elastic_efficiency_is_the_limit_of_many_nodes(mtbf, pause):
    """A million nodes and slow repairs; half the nodes' number changes the result by less than a thousandth."""
    nodes, mttr = 10**6, mp.mpf(10) ** 5
    exactly = none_has_changed(nodes, mp.mpf(nodes * mtbf), mttr, mp.mpf(pause))
    assert availability.elastic_efficiency(mtbf, pause) == near(exactly, rel=1e-3)


@given(log_uniform(-1, 3), log_uniform(1, 6), log_uniform(-1, 3), log_uniform(-1, 3))
def test_the_pause_that_breaks_even(write_time, mtbf, restart, downtime):
    job = (write_time, mtbf, restart, downtime)
    pause = availability.break_even_pause(*job)
    here = availability.restart_efficiency(*job)
    assume(here > 1e-200)
    assert availability.elastic_efficiency(mtbf, pause) == near(here, rel=1e-11)
    assert availability.elastic_efficiency(mtbf, 0.9 * pause) > here
    assert availability.elastic_efficiency(mtbf, 1.1 * pause) < here


def test_limits_of_the_pause_that_breaks_even():
    """By hand: without failures any pause is fine; with free checkpoints two pauses are a restart and its downtime."""
    assert availability.break_even_pause(1, np.inf, 2, 3) == np.inf
    assert availability.break_even_pause(0, 1e12, 2, 3) == near(2.5, rel=1e-9)
    assert availability.break_even_pause(0, 5) == 0


@given(log_uniform(-3, 4), log_uniform(0, 6), log_uniform(-3, 3), log_uniform(-3, 3), log_uniform(-3, 3))
def test_efficiencies_are_shares_and_fall_with_the_failure_rate(write_time, mtbf, restart, downtime, pause):
    for function, arguments in (
        (availability.restart_efficiency, (write_time, [mtbf, 1.5 * mtbf], restart, downtime)),
        (availability.replication_efficiency, (write_time, [mtbf, 1.5 * mtbf], 9, restart, downtime)),
        (availability.elastic_efficiency, ([mtbf, 1.5 * mtbf], pause)),
    ):
        rarely, more_rarely = function(*arguments)
        assert 0 <= rarely <= more_rarely * (1 + 1e-14)
        assert more_rarely <= (0.5 if function is availability.replication_efficiency else 1)


# The house's rules: broadcasting, bad input, lazy arrays, notation


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_broadcast(function):
    """A grid of the first and the last argument is what single calls give; scalars give a scalar."""
    first, *others = [LEGAL[name] for name in parameters_of(function)]
    three = np.array([1.0, 2.0, 3.0])
    firsts = first / three if first < 1 else first * three
    if others:
        lasts = others[-1] / three if others[-1] < 1 else others[-1] * three
        grid = function(firsts[:, None], *others[:-1], lasts)
        singles = [[function(one, *others[:-1], last) for last in lasts] for one in firsts]
    else:
        grid, singles = function(firsts[:, None]), [[function(one)] for one in firsts]
    assert type(singles[0][0]) is np.float64
    np.testing.assert_array_equal(grid, singles)
    assert function(first * np.ones((0, 3)), *others).shape == (0, 3)


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    assert (
        np.isfinite(function(**{key: LEGAL[key] for key in parameters_of(function)}))
        or function is availability.replicas_for
    )
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_lazy_arrays_stay_lazy(function):
    names = parameters_of(function)
    rng = np.random.default_rng(0)
    arrays = {name: np.full(50, LEGAL[name]) for name in names}
    for name in names:
        arrays[name] = arrays[name] * (rng.random(50) if LEGAL[name] < 1 else rng.integers(1, 3, 50))
    if "n" in names and "k" in names:
        arrays["n"] += arrays["k"]
    assert_lazy(function, arrays, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_ends_of_the_domain_pass_without_a_floating_point_event(function):
    """Of replicas there are no more than 1e15 here: SciPy's incomplete beta function has gaps at 1e300."""

    def mend(arguments):
        if "n" in arguments:
            arguments["n"] = np.minimum(arguments["n"], 1e15)
            if "k" in arguments:
                arguments["k"] = np.minimum(arguments["k"], arguments["n"])
        return arguments

    assert_defined_at_the_ends(function, LEGAL, mend)


def test_every_parameter_has_its_symbol():
    parameters = {name for function in FUNCTIONS for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
    assert parameters == set(LEGAL)
