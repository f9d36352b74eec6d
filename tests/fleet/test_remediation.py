"""Remediation: published behaviours, quadrature, enumeration of ladders, chains and queues by other routes, rules."""

import inspect
from itertools import combinations, permutations

import dask
import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, optimize

from relmath import availability
from relmath.fleet import remediation
from relmath.notebook import notation
from relmath.units import day, hour, minute
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
    refuse,
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

ELEMENTWISE = [
    remediation.survives_grace,
    remediation.grace_cost,
    remediation.best_grace,
    remediation.repair_queue,
    remediation.disruption_limit,
]

# A legal value of each parameter, and some outside its domain.
LEGAL = {
    "grace": 480.0,
    "mean_heal": 120.0,
    "transient_share": 0.8,
    "drain_cost": 1800.0,
    "waiting_cost_rate": 1.0,
    "nodes": 50.0,
    "failure_rate": 1e-6,
    "repair_rate": 1e-5,
    "crews": 3.0,
    "fraction": 0.2,
}
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan, np.inf)) | {
    "mean_heal": (0.0, -1.0, np.nan),
    "transient_share": (-0.1, 1.1, np.nan),
    "fraction": (-0.1, 1.1, np.nan),
    "nodes": (-1.0, 1.5, np.nan, np.inf),
    "crews": (0.0, 1.5, np.nan, np.inf),
    "failure_rate": (0.0, -1.0, np.nan, np.inf),
    "repair_rate": (0.0, -1.0, np.nan, np.inf),
}

SHARES = st.floats(0.001, 0.999)


def ladders(least=1, most=4):
    """Times and chances of a few steps."""
    step = st.tuples(log_uniform(0, 4), SHARES)
    return st.lists(step, min_size=least, max_size=most).map(lambda steps: np.array(steps).T)


# Published behaviours


def test_a_limit_of_20_per_cent_rounds_up():
    assert remediation.disruption_limit([1, 3, 5, 6, 11, 1250], 0.2).tolist() == [1, 1, 1, 2, 3, 250]


def test_whole_shares_are_not_rounded_up():
    """Every whole number of per cent of every pool up to 300, in integers."""
    nodes, hundredths = np.meshgrid(np.arange(301), np.arange(101))
    expected = -(-nodes * hundredths // 100)
    np.testing.assert_array_equal(remediation.disruption_limit(nodes, hundredths / 100), expected)


def test_faults_that_alternate_do_not_restart_the_clock():
    turns = np.arange(8) * 4 * minute
    assert remediation.failure_time(turns, turns + 4 * minute, 10 * minute) == 10 * minute
    alone = [remediation.failure_time([turn], [turn + 4 * minute], 10 * minute) for turn in turns]
    assert alone == [np.inf] * 8


@pytest.mark.parametrize(
    ("starts", "ends", "expected"),
    [
        ([0.0], [9.0], np.inf),
        ([0.0], [10.0], 10.0),
        ([0.0, 9.5], [9.0, 30.0], 19.5),  # healthy for a moment
        ([5.0, 0.0, 3.0], [40.0, 3.0, 4.0], 15.0),  # healthy from 4 to 5
        ([0.0, 2.0], [20.0, 3.0], 10.0),  # one within the other
        ([7.0], [np.inf], 17.0),
        ([], [], np.inf),
    ],
)
def test_the_clock_runs_while_the_node_is_unhealthy(starts, ends, expected):
    assert remediation.failure_time(starts, ends, 10) == expected


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=6), st.integers(1, 10))
def test_the_clock_second_by_second(problems, grace):
    """Closed intervals of whole seconds, looked at in every half second."""
    starts = [start for start, _ in problems]
    ends = [start + length for start, length in problems]
    unhealthy_since, expected = None, np.inf
    for moment in np.arange(0, 80, 0.5):
        if any(start <= moment <= end for start, end in zip(starts, ends, strict=True)):
            unhealthy_since = moment if unhealthy_since is None else unhealthy_since
            if moment - unhealthy_since >= grace:
                expected = unhealthy_since + grace
                break
        else:
            unhealthy_since = None
    assert remediation.failure_time(starts, ends, grace) == expected


def test_problems_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"one-dimensional and of one length, .* have the shapes \(2,\) and \(1,\)"):
        remediation.failure_time([0, 1], [2], 5)
    for end in (2.0, np.nan):
        with pytest.raises(ValueError, match=rf"^ends\[1\] must be at least starts\[1\], which is 3.0, but is {end}"):
            remediation.failure_time([0.0, 3.0], [1.0, end], 5)
    with pytest.raises(ValueError, match=r"^starts\[0\] must be at least 0 and finite, but is -1"):
        remediation.failure_time(da.from_array(np.array([-1.0])), [2.0], 5)
    with pytest.raises(ValueError, match=r"^grace must be at least 0 and finite, but is -5"):
        remediation.failure_time([1.0], [2.0], -5)
    with pytest.raises(ValueError, match=r"^grace must be one number"):
        remediation.failure_time([1.0], [2.0], [5, 5])


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_problem_that_lasts_for_its_grace_is_a_failure(start, grace):
    """Whatever the sum of the two rounds to: the node is unhealthy at that moment."""
    assert remediation.failure_time([start], [start + grace], grace) == start + grace


# The grace


@settings(max_examples=15)  # each integrates in 50 digits
@given(log_uniform(-1, 4), log_uniform(0, 4), SHARES, log_uniform(0, 5), log_uniform(-2, 1))
def test_the_cost_of_a_grace_by_quadrature(grace, heal, share, drain, rate):
    g, h, q, cost, w = exact(grace, heal, share, drain, rate)
    wait = mp.quad(lambda x: mp.exp(-x / h), mp.linspace(0, g, 4))  # the mean of the smaller of healing and grace
    expected = q * (w * wait + cost * mp.exp(-g / h)) + (1 - q) * (w * g + cost)
    assert remediation.grace_cost(grace, heal, share, drain, rate) == near(expected)
    assert remediation.survives_grace(grace, heal) == near(mp.exp(-g / h))


@given(log_uniform(0, 4), SHARES, log_uniform(0, 5), log_uniform(-2, 1))
def test_the_best_grace_is_where_the_cost_is_least(heal, share, drain, rate):
    best = remediation.best_grace(heal, share, drain, rate)
    least = remediation.grace_cost(best, heal, share, drain, rate)
    graces = np.concatenate([[0.0], heal * np.geomspace(1e-3, 1e2, 200), best * np.array([0.9, 1.1])])
    assert np.all(remediation.grace_cost(graces, heal, share, drain, rate) >= least * (1 - 1e-14))
    assert (best == 0) == (share * drain <= rate * heal)


@pytest.mark.parametrize(
    ("heal", "share", "drain", "rate"), [(120, 0.8, 1800, 1), (60, 0.067, 1000, 1), (5, 0.99, 9, 0.1)]
)
def test_the_best_grace_by_a_root(heal, share, drain, rate):
    """Where a second of waiting costs what healing within it saves, bisected in 50 digits."""
    h, q, cost, w = exact(heal, share, drain, rate)

    def balance(g):
        left = q * mp.exp(-g / h)
        return left * cost / h - w * (left + 1 - q)

    low, high = mp.mpf(0), 100 * h
    for _ in range(160):
        middle = (low + high) / 2
        low, high = (middle, high) if balance(middle) > 0 else (low, middle)
    assert remediation.best_grace(heal, share, drain, rate) == near(low)


def test_limits_of_the_grace():
    assert remediation.best_grace(120, 1, 1800, 1) == np.inf
    assert remediation.best_grace(120, 0.5, 1800, 0) == np.inf
    assert remediation.best_grace(120, 0, 1800, [0, 1]).tolist() == [0, 0]
    never = remediation.best_grace(120, 0.8, [0, 150], 1)
    assert never.tolist() == [0, 0]
    assert not np.signbit(never).any()
    assert remediation.best_grace(np.inf, 0.8, 1800, 1) == 0
    assert remediation.survives_grace([0, 5, 5], [1, np.inf, 1e-300]).tolist() == [1, 1, 0]
    assert remediation.grace_cost(60, np.inf, 0.5, 100, 1) == 160
    assert remediation.grace_cost(60, 1e-9, 1, 100, 1) == near(1e-9)


# The ladder


@given(ladders())
def test_ladder_time_by_its_outcomes(ladder):
    """Each way that a ladder can end, with its chance and the time it took."""
    durations, success = ladder
    expected, failed, spent = mp.mpf(0), mp.mpf(1), mp.mpf(0)
    for t, p in zip(exact(*durations), exact(*success), strict=True):
        spent += t
        expected += failed * p * spent
        failed *= 1 - p
    assert remediation.ladder_time(durations, success) == near(expected + failed * spent)


@settings(max_examples=40)
@given(ladders())
def test_no_order_is_better_than_by_time_over_success(ladder):
    durations, success = ladder
    order = remediation.best_order(durations, success)
    least = remediation.ladder_time(durations[order], success[order])
    for other in permutations(range(len(durations))):
        assert remediation.ladder_time(durations[list(other)], success[list(other)]) >= least * (1 - 1e-13)


def test_steps_that_never_succeed_come_last():
    assert remediation.best_order([0.0, 5.0, 1.0], [0.0, 0.5, 0.0]).tolist() == [1, 0, 2]
    assert remediation.best_order([[1, 2], [2, 1]], 0.5).tolist() == [[0, 1], [1, 0]]


def time_by_causes(order, durations, shares):
    """Try the steps on each cause in turn: a step cures it if it is at least as strong as its weakest cure."""
    total = 0.0
    for cause, share in [*enumerate(shares), (len(shares), 1 - sum(shares))]:
        for step in order:
            total += share * durations[step]
            if step >= cause:
                break
    return total


@given(ladders(), st.booleans())
def test_the_best_nested_ladder_is_the_best_of_all(ladder, some_are_incurable):
    """Of all orders of all sets of steps that cure what can be cured."""
    durations, shares = ladder
    shares = shares / shares.sum() * (0.9 if some_are_incurable else 1)
    steps = range(len(durations))
    sets = [chosen for number in range(len(durations) + 1) for chosen in combinations(steps, number)]
    complete = [order for chosen in sets if steps[-1] in chosen for order in permutations(chosen)]
    best = remediation.best_nested(durations, shares)
    least = min(time_by_causes(order, durations, shares) for order in complete)
    assert time_by_causes(best, durations, shares) == pytest.approx(least, rel=1e-9)
    assert remediation.nested_time(durations, shares) == pytest.approx(
        time_by_causes(steps, durations, shares), rel=1e-9
    )


def test_a_nested_ladder_ends_with_the_last_step_that_cures():
    assert remediation.best_nested([1, 1, 1], [0.5, 0.5, 0.0]).tolist() == [1]
    assert remediation.best_nested([1, 2, 3], 0.2).tolist() == [2]
    nothing = remediation.best_nested([5, 1], [0.0, 0.0])
    assert nothing.tolist() == []
    assert nothing.dtype == int


def test_ladders_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"^success\[0\] must be"):
        remediation.ladder_time([1.0], [1.5])
    with pytest.raises(ValueError, match=r"^sum of shares must be between 0 and 1, but is 1\.2"):
        remediation.nested_time([1, 1], [0.6, 0.6])
    with pytest.raises(ValueError, match=r"^sum of shares\[1\] must be between 0 and 1, but is 1\.5"):
        remediation.nested_time([1, 1], [[0.6, 0.4], [0.75, 0.75]])
    assert remediation.nested_time([1, 1, 1], [0.9, 0.05, 0.05 + 1e-12]) == near(1.15)
    with pytest.raises(ValueError, match="one-dimensional"):
        remediation.best_nested([[1, 1]], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="at least one step"):
        remediation.ladder_time([], [])
    assert remediation.ladder_time([[1.0, 2.0], [3.0, 4.0]], 0.5).tolist() == [2.0, 5.0]


# The chain


def chain(rates):
    generator = np.array(rates, dtype=float)
    np.fill_diagonal(generator, 0)
    np.fill_diagonal(generator, -generator.sum(axis=1))
    return generator


@given(st.integers(2, 6), st.integers(0, 1000))
def test_steady_state_by_its_null_space(states, seed):
    """The null vector of the balance in 50 digits, of random rates over twelve decades."""
    rates = chain(10.0 ** np.random.default_rng(seed).uniform(-6, 6, (states, states)))
    found = remediation.steady_state(rates)
    q = mp.matrix(rates.tolist())
    for i in range(states):
        q[i, i] = -mp.fsum(q[i, j] for j in range(states) if j != i)
    balance = q.T
    for j in range(states):
        balance[0, j] = 1
    expected = mp.lu_solve(balance, mp.matrix([1] + [0] * (states - 1)))
    for share, exact_share in zip(found, expected, strict=True):
        assert share == near(exact_share)


def test_steady_state_of_two_states_is_availability():
    assert remediation.steady_state([[-1 / 5000, 1 / 5000], [1 / 3, -1 / 3]])[0] == near(
        availability.availability(5000, 3)
    )


def test_steady_state_by_the_matrix_exponential():
    rates = chain([[0, 2, 1, 0], [3, 0, 0, 1], [0.5, 0, 0, 0], [1, 0, 4, 0]])
    np.testing.assert_allclose(linalg.expm(200 * rates)[2], remediation.steady_state(rates), rtol=1e-9)


def test_chains_in_a_stack_and_with_states_that_are_left_for_good():
    one, two = chain([[0, 1], [3, 0]]), chain([[0, 1], [1, 0]])
    np.testing.assert_array_equal(remediation.steady_state([one, two]), [[0.75, 0.25], [0.5, 0.5]])
    assert remediation.steady_state(chain([[0, 0], [1, 0]])).tolist() == [1, 0]
    assert remediation.steady_state([[0.0]]).tolist() == [1]


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        ([[-1, 1, 0], [1, -1, 0]], "square"),
        ([[-1, 1], [-1, 1]], r"off its diagonal\[1, 0\] must be at least 0 .*, but is -1"),
        ([[-1, 1], [1, -3]], r"add up to 0, but row \[1\] adds up to -2"),
        ([[[-1, 1], [1, -1]], [[-1, 2], [1, -1]]], r"add up to 0, but row \[1, 0\] adds up to 1"),
        ([[-1, 1], [0, 0]], "state 1 does not"),
        ([[np.nan, 1], [0, 0]], r"^generator\[0, 0\] must be finite, but is nan"),
        (da.from_array(np.array([[np.nan, 1.0], [1, -1]])), r"^generator\[0, 0\] must be finite, but is nan"),
    ],
)
def test_what_is_no_chain_is_refused(generator, message):
    with pytest.raises(ValueError, match=message):
        remediation.steady_state(generator)


# The queue


@given(st.integers(1, 40), st.integers(1, 45), log_uniform(-3, 3))
def test_the_queue_by_its_chain(nodes, crews, ratio):
    """The mean over the steady state of the chain of nodes that are down, built as a matrix."""
    rates = np.zeros((nodes + 1, nodes + 1))
    for down in range(nodes):
        rates[down, down + 1] = (nodes - down) * ratio
        rates[down + 1, down] = min(down + 1, crews)
    shares = remediation.steady_state(chain(rates))
    assert remediation.repair_queue(nodes, ratio, 1, crews) == near(np.arange(nodes + 1) @ shares)


@pytest.mark.parametrize(
    ("nodes", "ratio", "crews"), [(1250, 0.0139, 10), (1250, 0.0139, 20), (3000, 0.5, 700), (700, 3.0, 1)]
)
def test_the_queue_in_50_digits(nodes, ratio, crews):
    (rho,) = exact(ratio)
    weight = total = mp.mpf(1)
    first = mp.mpf(0)
    for j in range(nodes):
        weight *= rho * (nodes - j) / min(j + 1, crews)
        total, first = total + weight, first + (j + 1) * weight
    assert remediation.repair_queue(nodes, ratio, 1, crews) == near(first / total)


def test_the_queue_by_simulation():
    """Event by event, ten nodes and two crews; within four standard errors over batches."""
    rng = np.random.default_rng(11)
    nodes, crews, fails, mends = 10, 2, 0.1, 0.5
    down, batches = 0, []
    for _ in range(50):
        area = time = 0.0
        for _ in range(2000):
            up, repair = (nodes - down) * fails, min(down, crews) * mends
            step = rng.exponential(1 / (up + repair))
            area, time = area + down * step, time + step
            down += 1 if rng.random() * (up + repair) < up else -1
        batches.append(area / time)
    error = 4 * np.std(batches) / np.sqrt(len(batches))
    assert remediation.repair_queue(nodes, fails, mends, crews) == pytest.approx(np.mean(batches), abs=error)


@given(st.integers(1, 3000), log_uniform(-6, 3))
def test_without_a_limit_each_node_is_on_its_own(nodes, ratio):
    expected = nodes * (1 - availability.availability(1 / ratio, 1))
    assert remediation.repair_queue(nodes, ratio, 1, nodes) == pytest.approx(float(expected), rel=1e-9)


@given(st.integers(1, 200), st.integers(1, 50), log_uniform(-3, 1))
def test_more_crews_never_leave_more_down(nodes, crews, ratio):
    fewer, more = remediation.repair_queue(nodes, ratio, 1, [crews, crews + 1])
    assert more <= fewer * (1 + 1e-12)
    assert fewer <= nodes


def test_limits_of_the_queue():
    assert remediation.repair_queue(0, 1, 1, 1) == 0
    assert remediation.repair_queue(100, 1e9, 1e-9, 1) == near(100)
    assert remediation.repair_queue(100, 1e-300, 1e5, 1) >= 0


def test_figures_that_intuition_gets_wrong():
    found = remediation.repair_queue(1250, 29 / 150_000 / hour, 1 / (3 * day), [250, 20, 10])
    assert found.round(1).tolist() == [17.2, 19.4, 531.6]
    longest = optimize.brentq(lambda kill: remediation.nested_time([kill, 60], [0.3, 0.7]) - 60, 1, 60)
    assert longest == near(18)


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
    assert function(first * np.ones((0, 3)), *middle, last).shape == (0, 3)


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
    """Of nodes in a queue there are no more than a few thousand here: it goes through every state."""

    def mend(arguments):
        if function is remediation.repair_queue:
            arguments["nodes"] = np.minimum(arguments["nodes"], 60)
        return arguments

    assert_defined_at_the_ends(function, LEGAL, mend)


def test_lazy_ladders():
    """Their times stay lazy, and are NaN outside the domain; orders are computed."""
    durations, parts = np.arange(1.0, 13).reshape(3, 4), np.linspace(0.1, 0.3, 4)
    lazy = da.from_array(durations, chunks=(1, 4))
    for function, wrong in ((remediation.ladder_time, [0.1, 0.2, 0.3, 1.1]), (remediation.nested_time, [0.4] * 4)):
        with dask.config.set(scheduler=refuse):
            put_off = function(lazy, parts)
            outside = function(lazy, da.from_array(np.array([wrong] * 3), chunks=(1, 4)))
        assert isinstance(put_off, da.Array)
        np.testing.assert_allclose(put_off.compute(), function(durations, parts), rtol=1e-15)
        assert np.isnan(outside.compute()).all()
    np.testing.assert_array_equal(remediation.best_order(lazy, parts), remediation.best_order(durations, parts))
    np.testing.assert_array_equal(remediation.best_nested(lazy[0], parts), remediation.best_nested(durations[0], parts))
    for function in (remediation.best_order, remediation.best_nested):
        with pytest.raises(ValueError, match=r"^durations\[1\] must be at least 0 and finite, but is -2"):
            function(da.from_array(np.array([1.0, -2.0])), [0.5, 0.5])


def test_every_parameter_has_its_symbol():
    parameters = {name for function in ELEMENTWISE for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
    assert parameters == set(LEGAL)
    public = {name for name, _ in inspect.getmembers(remediation, inspect.isfunction) if not name.startswith("_")}
    assert {function.__name__ for function in ELEMENTWISE} <= public
