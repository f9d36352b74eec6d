"""Detection: published figures, simulations of checks one by one, enumeration of states, limits, the house's rules."""

import inspect
import itertools

import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relmath import recovery
from relmath.fleet import detection
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
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

FUNCTIONS = [
    function
    for name, function in inspect.getmembers(detection, inspect.isfunction)
    if function.__module__ == "relmath.fleet.detection" and not name.startswith("_")
]
ELEMENTWISE = [function for function in FUNCTIONS if function is not detection.escape_probability]

# A legal value of each parameter, and some outside its domain.
LEGAL = {
    "period": 30.0,
    "threshold": 3.0,
    "timeout": 10.0,
    "sensitivity": 0.5,
    "false_positive_rate": 0.01,
    "consecutive": 3.0,
    "nodes": 1250.0,
    "node_mtbf": 5000 * hour,
    "prevalence": 0.01,
    "coverages": 0.9,
    "coupling": 0.2,
    "coverage": 0.9,
    "fallback": 0.8,
    "hang": 0.1,
    "missing": 0.01,
}
ILLEGAL = dict.fromkeys(LEGAL, (-0.1, 1.1, np.nan)) | {
    "period": (0.0, -1.0, np.nan, np.inf),
    "threshold": (0.0, 1.5, np.nan, np.inf),
    "consecutive": (0.0, 1.5, np.nan, np.inf),
    "nodes": (0.0, 1.5, np.nan, np.inf),
    "timeout": (-1.0, np.nan, np.inf),
    "node_mtbf": (0.0, -1.0, np.nan),
}

SHARES = st.one_of(
    log_uniform(-12, 0), log_uniform(-12, -0.1).map(lambda small: 1 - small), st.sampled_from([0.0, 0.5, 1.0])
)
POSITIVE_SHARES = log_uniform(-6, -0.01)


# Published figures


def test_polls_of_15_s_four_in_a_row():
    """Detected in 45 to 60 s: the ends by moving the fault through a period, and their mean."""
    phases = np.linspace(0, 15, 10_001)[1:]  # of the first check after the fault
    alarms = phases + 3 * 15
    assert alarms.min() > 45
    assert alarms.max() == 60
    assert detection.detection_latency(15, 4) == 52.5
    assert alarms.mean() == pytest.approx(52.5, abs=0.01)


def test_figures_that_intuition_gets_wrong():
    assert round(detection.predictive_value(0.001, 0.99, 0.01), 3) == 0.090
    assert round(detection.false_drains(1250, 30, 1, 0.001) * day) == 3600
    assert round(detection.true_drain_share(5172.4 * hour, 30, 1, 1.611e-6), 3) == 0.5


# Against other routes


def checks_one_by_one(chance, run, nodes, rounds, seed):
    """Put checks to nodes that fail each with a chance, and count how often so many in a row failed; then from 0."""
    rng = np.random.default_rng(seed)
    state, found = np.zeros(nodes), np.zeros(nodes)
    for _ in range(rounds):
        state = np.where(rng.random(nodes) < chance, state + 1, 0)
        found += state == run
        state[state == run] = 0
    return found


@pytest.mark.parametrize(("chance", "run"), [(0.05, 1), (0.2, 2), (0.4, 3)])
def test_false_drains_by_simulation(chance, run):
    """Within four standard errors of the counted rate."""
    nodes, rounds = 2000, 1000
    found = checks_one_by_one(chance, run, nodes, rounds, seed=run)
    rate, error = found.mean() / rounds, found.std() / np.sqrt(nodes) / rounds
    assert 1 / detection.checks_to_false_drain(chance, run) == pytest.approx(rate, abs=4 * error)
    assert detection.false_drains(nodes, 30, run, chance) == pytest.approx(
        nodes * rate / 30, abs=4 * nodes * error / 30
    )


@given(POSITIVE_SHARES, st.integers(1, 6))
def test_runs_by_solving_the_chain(chance, run):
    """The mean time to absorption of the chain of failures in a row, as a linear system in 50 digits."""
    (f,) = exact(chance)
    steps = mp.zeros(run)
    for state in range(run):
        steps[state, 0] += 1 - f
        if state + 1 < run:
            steps[state, state + 1] += f
    checks = mp.lu_solve(mp.eye(run) - steps, mp.ones(run, 1))[0]
    assert detection.checks_to_false_drain(chance, run) == near(checks)
    assert detection.false_drains(7, 30, run, chance) == near(7 / (30 * checks))
    assert detection.intermittent_latency(30, run, chance, timeout=7) == near(30 * (checks - mp.mpf(1) / 2) + 7)
    life = mp.mpf(10) ** 7
    assert detection.true_drain_share(1e7, 30, run, chance) == near((1 / life) / (1 / life + 1 / (30 * checks)))


def test_one_formula_with_the_heartbeats():
    assert detection.checks_to_false_drain(0.01, 3) * 20 == near(recovery.false_alarm_time(20, 3, 0.01), rel=1e-15)


@given(SHARES, SHARES, SHARES)
def test_predictive_value_by_enumeration(prevalence, sensitivity, rate):
    """All ways that two questions can be answered: is it faulty, and does it raise the alarm."""
    p, s, f = exact(prevalence, sensitivity, rate)
    alarms = {True: mp.mpf(0), False: mp.mpf(0)}
    for faulty, alarm in itertools.product((True, False), repeat=2):
        given_node = s if faulty else f
        alarms[faulty] += alarm * (p if faulty else 1 - p) * (given_node if alarm else 1 - given_node)
    expected = alarms[True] / (alarms[True] + alarms[False]) if alarms[False] else 1
    assert detection.predictive_value(prevalence, sensitivity, rate) == near(expected)


@given(SHARES, SHARES, SHARES)
def test_states_of_a_check_by_enumeration(coverage, hang, missing):
    """All ways that three questions can be answered: is something missing, does it hang, does it see the fault."""
    c, h, d = exact(coverage, hang, missing)
    unseen = {"open": mp.mpf(0), "closed": mp.mpf(0)}
    for lacks, hangs, sees in itertools.product((True, False), repeat=3):
        chance = (d if lacks else 1 - d) * (h if hangs else 1 - h) * (c if sees else 1 - c)
        runs = not lacks and not hangs
        unseen["open"] += chance * (not (runs and sees))
        unseen["closed"] += chance * (runs and not sees)
    assert detection.unseen_open(coverage, hang, missing) == near(unseen["open"])
    assert detection.unseen_closed(coverage, hang, missing) == near(unseen["closed"])


@given(st.lists(SHARES, min_size=1, max_size=5), SHARES)
def test_escape_in_50_digits(coverages, coupling):
    *misses, chi = [1 - c for c in exact(*coverages)] + exact(coupling)
    expected = (1 - chi) * mp.fprod(misses) + chi * min(misses)
    assert detection.escape_probability(coverages, coupling) == near(expected)
    if len(coverages) == 2:
        assert detection.escape_with_fallback(*coverages, coupling) == near(expected)


def test_escape_by_drawing_faults():
    """Coupled faults are as hard for one layer as for another; within four standard errors."""
    coverages, coupling, trials = np.array([0.6, 0.7, 0.5]), 0.3, 200_000
    rng = np.random.default_rng(3)
    hard = rng.random((trials, 3))
    hard = np.where(rng.random((trials, 1)) < coupling, hard[:, :1], hard)
    missed = (hard < 1 - coverages).all(axis=1).mean()
    stated = float(detection.escape_probability(coverages, coupling))
    assert stated == pytest.approx(missed, abs=4 * np.sqrt(stated / trials))


# Limits and order


def test_limits():
    assert detection.checks_to_false_drain([1, 0], 4).tolist() == [4, np.inf]
    assert detection.checks_to_false_drain(1e-300, 3) == np.inf
    assert detection.false_drains(5, 30, 2, 0) == 0
    assert detection.intermittent_latency(30, 3, [1, 0]).tolist() == [75, np.inf]
    assert detection.true_drain_share([100, np.inf, np.inf], 30, 2, [0, 0.1, 0]).tolist() == [1, 0, 1]
    assert detection.predictive_value([0, 1, 0, 0.3], [1, 1, 1, 0], [0.1, 0.1, 0, 0]).tolist() == [0, 1, 1, 1]
    assert detection.escape_probability([0.9]) == near(0.1)


@given(POSITIVE_SHARES, st.integers(1, 8), st.floats(0, 1e3))
def test_a_fault_that_flickers_is_never_found_sooner_than_one_that_lasts(chance, threshold, timeout):
    lasting = detection.detection_latency(30, threshold, timeout)
    assert detection.intermittent_latency(30, threshold, chance, timeout) >= lasting
    assert detection.intermittent_latency(30, threshold, 1, timeout) == near(lasting)


@given(POSITIVE_SHARES, st.integers(1, 8))
def test_a_higher_threshold_is_slower_and_safer(chance, threshold):
    lower, higher = [threshold, threshold + 1]
    assert detection.detection_latency(30, higher) == detection.detection_latency(30, lower) + 30
    assert detection.intermittent_latency(30, higher, chance) > detection.intermittent_latency(30, lower, chance)
    assert detection.false_drains(9, 30, higher, chance) < detection.false_drains(9, 30, lower, chance)
    shares = detection.true_drain_share(1e7, 30, [lower, higher], chance)
    assert shares[0] <= shares[1]


@given(st.lists(SHARES, min_size=1, max_size=4), SHARES)
def test_layers_help_and_coupling_hurts(coverages, another):
    apart, together = detection.escape_probability(coverages, [0, 1])
    assert apart <= together
    assert together == 1 - max(coverages)
    assert detection.escape_probability([*coverages, another]) <= apart
    assert detection.escape_probability(coverages[::-1], 0.3) == near(detection.escape_probability(coverages, 0.3))


@given(SHARES, SHARES, SHARES)
def test_failing_closed_hides_less(coverage, hang, missing):
    assert detection.unseen_closed(coverage, hang, missing) <= detection.unseen_open(coverage, hang, missing) + 1e-15


def test_layers_along_the_last_axis():
    grid = np.linspace(0, 0.9, 12).reshape(2, 3, 2)
    escapes = detection.escape_probability(grid, [0, 0.5, 1])
    assert escapes.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert escapes[i, j] == detection.escape_probability(grid[i, j], [0, 0.5, 1][j])
    assert type(detection.escape_probability([0.5, 0.5])) is np.float64
    assert type(detection.escape_probability(0.5)) is np.float64
    lazy = detection.escape_probability(da.from_array(grid, chunks=1), [0, 0.5, 1])
    assert isinstance(lazy, da.Array)
    np.testing.assert_array_equal(lazy.compute(), escapes)


def test_layers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"^coverages\[1\] must be between 0 and 1, but is 1\.1"):
        detection.escape_probability([0.5, 1.1])
    with pytest.raises(ValueError, match=r"^coupling must be between 0 and 1"):
        detection.escape_probability([0.5], -0.1)
    with pytest.raises(ValueError, match="at least one layer"):
        detection.escape_probability([])
    with pytest.raises(ValueError, match=r"^shapes must broadcast"):
        detection.escape_probability(np.full((3, 2), 0.5), [0.1, 0.2])


# The house's rules: broadcasting, bad input, lazy arrays, notation


@pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)
def test_functions_broadcast(function):
    """A grid of the first and the last argument is what single calls give; scalars give a scalar."""
    first, *middle, last = [LEGAL[name] for name in parameters_of(function)]
    grids = [
        value / np.array([1.0, 2.0, 4.0]) if value < 1 else value * np.array([1.0, 2.0, 3.0]) for value in (first, last)
    ]
    grid = function(grids[0][:, None], *middle, grids[1])
    singles = [[function(one, *middle, other) for other in grids[1]] for one in grids[0]]
    assert type(singles[0][0]) is np.float64
    np.testing.assert_array_equal(grid, singles)


@by_parameter(ELEMENTWISE)
def test_bad_input_is_refused_by_name(function, name):
    assert np.isfinite(function(**{key: LEGAL[key] for key in parameters_of(function)}))
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)
def test_lazy_arrays_stay_lazy(function):
    rng = np.random.default_rng(0)
    arrays = {}
    for name in parameters_of(function):
        arrays[name] = LEGAL[name] * (rng.random(50) if LEGAL[name] < 1 else rng.integers(1, 4, 50))
    assert_lazy(function, arrays, ILLEGAL)


@pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


@pytest.mark.parametrize("function", ELEMENTWISE, ids=lambda function: function.__name__)
def test_the_ends_of_the_domain_pass_without_a_floating_point_event(function):
    assert_defined_at_the_ends(function, LEGAL)


def test_every_parameter_has_its_symbol():
    parameters = {name for function in ELEMENTWISE for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
    assert parameters | {"coverages"} == set(LEGAL)
