"""Cost of failures, goodput and growing fleets: published figures, other routes in 50 digits, limits, lazy arrays."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from relmath import checkpoints, recovery, simulation
from relmath.units import day, hour, minute, percent
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

NODE_MTBF = 150_000 / 29 * hour
MTBF = NODE_MTBF / 1250  # 10 000 GPUs
INTERVAL = checkpoints.young(24.5, MTBF)
FUNCTIONS = (
    recovery.recovery_time,
    recovery.failure_cost,
    recovery.detection_time,
    recovery.false_alarm_time,
    recovery.heartbeat_overhead,
    recovery.best_heartbeat,
    recovery.spares,
    recovery.first_order_goodput,
    recovery.ettr,
    recovery.wall_time,
    recovery.fleet_efficiency,
    recovery.speedup,
    recovery.fastest_fleet,
)

# A legal value of each parameter, and some outside its domain.
LEGAL = {
    "detect": 30.0,
    "reschedule": 60.0,
    "reload": 24.5,
    "replay": 427.2,
    "interval": 850.0,
    "write_time": 24.5,
    "mtbf": 15_000.0,
    "restart": 30.0,
    "downtime": 90.0,
    "heartbeat": 10.0,
    "misses": 3.0,
    "loss": 0.001,
    "failures_in_repair_time": 1.25,
    "confidence": 0.99,
    "recovery": 541.7,
    "alarm_cost": 511.7,
    "failure_rate": 7e-5,
    "useful": 2.6e6,
    "efficiency": 0.9,
    "nodes": 1250.0,
    "baseline": 625.0,
    "node_mtbf": 1.9e7,
    "serial": 1e-6,
}
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan)) | {
    "interval": (0.0, np.nan, np.inf),
    "mtbf": (0.0, np.nan),
    "node_mtbf": (0.0, np.nan),
    "heartbeat": (0.0, np.nan, np.inf),
    "misses": (0.0, 1.5, np.nan, np.inf),
    "nodes": (0.0, 1.5, np.nan, np.inf),
    "baseline": (0.0, 1.5, np.nan, np.inf),
    "alarm_cost": (-1.0, np.nan, np.inf),
    "failures_in_repair_time": (-1.0, np.nan, np.inf),
    **dict.fromkeys(("loss", "confidence", "efficiency", "serial"), (-0.1, 1.1, np.nan)),
}


# Published figures


def test_published_table_of_phases():
    """The source's table at 10 000 GPUs: 30 + 60 + 24.5 + 427.2 = 541.7 s, and 3.6 % of useful time."""
    total = recovery.recovery_time(30, 60, 24.5, INTERVAL / 2)
    assert round(INTERVAL / 2, 1) == 427.2
    assert round(total, 1) == 541.7
    assert round(total / MTBF / percent, 1) == 3.6


def test_published_budget_against_the_exact_one():
    """The claims' figures: 6.50 % to first order, 6.11 % of wall time if converted; 6.78 and 6.35 % in truth."""
    goodput = recovery.first_order_goodput(INTERVAL, 24.5, MTBF, recovery.recovery_time(30, 60, 24.5, INTERVAL / 2))
    assert round((1 - goodput) / percent, 2) == 6.50
    assert round((1 - 1 / (2 - goodput)) / percent, 2) == 6.11
    assert round(checkpoints.overhead(INTERVAL, 24.5, MTBF, 24.5, 90) / percent, 2) == 6.78
    assert round((1 - checkpoints.efficiency(INTERVAL, 24.5, MTBF, 24.5, 90)) / percent, 2) == 6.35


@pytest.mark.parametrize(("overhead", "by_useful_time", "by_wall_time"), [(0.10, 33.0, 33.3), (0.25, 37.5, 40.0)])
def test_published_days_in_both_conventions(overhead, by_useful_time, by_wall_time):
    assert recovery.wall_time(30 * day, 1 / (1 + overhead)) / day == near(by_useful_time, rel=1e-14)
    assert round(recovery.wall_time(30 * day, 1 - overhead) / day, 1) == by_wall_time


def test_published_rates_need_four_spares():
    """Kokolis et al.: 6.50 failures per 1 000 node-days; 64 nodes, three days of repair."""
    mean = 64 * 6.5 / (1000 * day) * 72 * hour
    assert recovery.spares(mean, 0.99) == 4
    assert stats.poisson.cdf([3, 4], mean) == pytest.approx([0.962, 0.991], abs=5e-4)


def test_published_speedup():
    """From 5 000 to 10 000 GPUs, as the claims have it: 1.959 exactly, 1.957 and 1.961 by the two first orders."""
    exactly = recovery.speedup(1250, 625, NODE_MTBF, 24.5, 24.5, 90)
    assert round(exactly, 3) == 1.959
    lost = np.array([np.sqrt(2 * 24.5 / m) + 114.5 / m for m in (2 * MTBF, MTBF)])
    assert round(2 * (1 - lost[1]) / (1 - lost[0]), 3) == 1.957
    assert round(2 * (1 + lost[0]) / (1 + lost[1]), 3) == 1.961


@pytest.mark.parametrize(
    ("restart", "downtime", "gpus"), [(114.5, 0, "8.79e+05"), (24.5, 90, "1.18e+06"), (0, 0, "4.84e+06")]
)
def test_published_scale_limits(restart, downtime, gpus):
    assert f"{8 * recovery.fastest_fleet(NODE_MTBF, 24.5, restart, downtime):.3g}" == gpus


# The cost of a failure


def per_segment(interval, write_time, mtbf, restart, downtime, count_only):
    """Mean wall time of a segment, or mean number of failures in it, by counting attempts; moments by quadrature."""
    weight = (lambda t: mp.mpf(0)) if count_only else (lambda t: t)

    def to_complete(length, after_failure):
        if length == 0:
            return mp.mpf(0)
        points = mp.linspace(0, length, 1 + int(mp.ceil(length / mtbf)))
        fails = mp.quad(lambda t: mp.exp(-t / mtbf) / mtbf, points)
        spent = mp.quad(lambda t: weight(t) * mp.exp(-t / mtbf) / mtbf, points) / fails
        return weight(length) + fails / (1 - fails) * (spent + after_failure)

    each = mp.mpf(1) if count_only else downtime
    return to_complete(interval + write_time, each + to_complete(restart, each))


@pytest.mark.parametrize("interval", [1e-3, 0.3, 8])
@pytest.mark.parametrize("write_time", [0, 0.5])
@pytest.mark.parametrize(("restart", "downtime"), [(0, 0), (0.2, 0), (0, 3), (2, 0.1)])
def test_failure_cost_by_counting_attempts(interval, write_time, restart, downtime):
    """What a segment takes beyond its work and write, by the number of its failures: no closed form is used."""
    arguments = (interval, write_time, 1.7, restart, downtime)
    time, failures = (per_segment(*exact(*arguments), count_only) for count_only in (False, True))
    beyond = time - sum(exact(interval, write_time))
    assert recovery.failure_cost(*arguments) == near(beyond / failures, rel=1e-13)


@given(*[log_uniform(-9, 9)] * 3, *[log_uniform(-9, 3)] * 2)
def test_failure_cost_over_its_domain(interval, write_time, mtbf, restart, downtime):
    """Against M + D - (tau + delta)/F with F = e^(R/M) (e^((tau+delta)/M) - 1), which cancels, in 80 digits."""
    with mp.workdps(80):
        tau, delta, m, r, d = exact(interval, write_time, mtbf, restart, downtime)
        z = (tau + delta) / m
        expected = m + d - (m * z / mp.expm1(z) * mp.exp(-r / m) if z < 1e6 else 0)
    assert recovery.failure_cost(interval, write_time, mtbf, restart, downtime) == near(expected, rel=1e-12)


def test_failure_cost_by_simulation():
    """The simulation adds up what failures took; it knows no formula. 99.9 % confidence, fixed seed."""
    jobs = simulation.simulate_jobs(
        200 * INTERVAL, INTERVAL, 24.5, stats.expon(scale=MTBF), 24.5, 90, trials=20_000, seed=8
    )
    taken = jobs.lost_time + jobs.restart_time + jobs.downtime
    cost = recovery.failure_cost(INTERVAL, 24.5, MTBF, 24.5, 90)
    low, high = simulation.mean_interval(taken - cost * jobs.failures, confidence=0.999)
    assert low <= 0 <= high
    assert high - low < 0.02 * cost * jobs.failures.mean()  # so that a cost 1 % off would show


@given(*[log_uniform(-3, 3)] * 3, *[log_uniform(-3, 1)] * 2)
def test_shares_of_wall_time_add_up(interval, write_time, mtbf, restart, downtime):
    """Useful, writing, and one failure's cost in M + D: the whole wall time (by the efficiency, another function)."""
    share = checkpoints.efficiency(interval, write_time, mtbf, restart, downtime)
    cost = recovery.failure_cost(interval, write_time, mtbf, restart, downtime)
    assert share * (1 + write_time / interval) + cost / (mtbf + downtime) == pytest.approx(1, abs=1e-12)


# Heartbeats


@pytest.mark.parametrize("misses", [1, 2, 3, 7])
def test_detection_time_by_enumerating_the_moment_of_failure(misses):
    """Fail at each of many evenly spaced moments; beats come at whole numbers, and so do the decisions."""
    moment = (np.arange(1000) + 0.5) / 1000
    declared = np.floor(moment) + misses  # the first beat missed is at 1
    assert recovery.detection_time(12, misses) == near(12 * (declared - moment).mean(), rel=1e-12)


@pytest.mark.parametrize("loss", [1e-6, 0.1, 0.9, 1])
@pytest.mark.parametrize("misses", [1, 2, 5])
def test_false_alarm_time_by_a_markov_chain(misses, loss):
    """Mean beats to absorption from each number of misses in a row: a linear system, solved in 50 digits."""
    (p,) = exact(loss)
    system = mp.eye(misses)
    for run in range(misses):
        system[run, 0] -= 1 - p
        if run + 1 < misses:
            system[run, run + 1] -= p
    beats = mp.lu_solve(system, mp.ones(misses, 1))[0]
    assert recovery.false_alarm_time(10, misses, loss) == near(10 * beats, rel=1e-12)


@given(st.floats(0, 1), st.integers(1, 40))
def test_false_alarm_time_is_a_sum_of_powers(loss, misses):
    """p^-1 + p^-2 + ... + p^-m, whose terms do not cancel: in 50 digits."""
    (p,) = exact(loss)
    expected = sum(p**-k for k in range(1, misses + 1)) if loss else mp.inf
    beats = recovery.false_alarm_time(1, misses, loss)
    assert beats == near(expected, rel=1e-12)


@pytest.mark.parametrize("loss", [1e-3, 1e-103, 1e-150])
def test_losses_so_rare_that_their_power_is_below_the_doubles(loss):
    """A short period makes up for p^3, which loses its digits, and then all of itself; in 50 digits."""
    (p,) = exact(loss)
    power = p**3 * (1 - p) / (1 - p**3)
    assert recovery.false_alarm_time(10 * loss, 3, loss) == near(exact(10 * loss)[0] / power)
    expected = mp.sqrt(1250 * exact(MTBF)[0] * 60 / mp.mpf(2.5) * power)
    assert recovery.best_heartbeat(3, loss, 1250, MTBF, 60) == near(expected)


@given(st.integers(1, 6), log_uniform(-4, -0.1), st.integers(1, 10**5), log_uniform(-1, 3), st.booleans())
def test_best_heartbeat_is_the_lowest_overhead(misses, loss, nodes, step, longer):
    """No other period costs less, by the function that adds up the costs."""
    job = (misses, loss, nodes, MTBF, 511.7)
    best = recovery.best_heartbeat(*job)
    other = best * (1 + step) if longer else best / (1 + step)
    at_best, at_other = (recovery.heartbeat_overhead(period, *job) for period in (best, other))
    assert at_best <= at_other * (1 + 1e-14)
    assert at_best == near(2 * recovery.detection_time(best, misses) / MTBF, rel=1e-12)  # both costs are the same there


def test_heartbeat_overhead_by_simulation():
    """Draw every heartbeat of a healthy node, count runs of three misses, and put the count into the overhead."""
    rng = np.random.default_rng(3)
    missed = rng.random(4_000_000) < 0.1
    run = alarms = 0
    for miss in missed.tolist():
        run = run + 1 if miss else 0
        if run == 3:
            alarms, run = alarms + 1, 0
    expected = 30 / MTBF + 1250 * 511.7 * alarms / (12 * missed.size)
    assert recovery.heartbeat_overhead(12, 3, 0.1, 1250, MTBF, 511.7) == near(expected, rel=4 / np.sqrt(alarms))


# Spares


def poisson_quantile(mean, shortage):
    """Add up probabilities until what is left is no more than the shortage allowed: in 50 digits, from the start."""
    (m,) = exact(mean)
    probability = mp.exp(-m)
    left, s = 1 - probability, 0
    while left > shortage:
        s += 1
        probability *= m / s
        left -= probability
    return s


@given(log_uniform(-12, 2.5), st.one_of(st.floats(0, 0.999), log_uniform(-15, -1).map(lambda short: 1 - short)))
def test_spares_by_adding_up_probabilities(mean, confidence):
    shortage = (1 - exact(confidence)[0]) * (1 + mp.mpf(10) ** -9)
    assert recovery.spares(mean, confidence) == poisson_quantile(mean, shortage)


def test_spares_where_the_confidence_is_a_probability_itself():
    """P(X <= s), as computed, is enough for s spares: rounding must not ask for one more."""
    s = np.arange(60)
    for mean in (0.1, 1.248, 17.4, 30):
        confidence = stats.poisson.cdf(s, mean)
        informative = confidence < 1 - 1e-6
        np.testing.assert_array_equal(recovery.spares(mean, confidence[informative]), s[informative])


@pytest.mark.parametrize("mean", [9e7, 1.1e8, 1e10, 1e12])
def test_spares_for_very_many_repairs(mean):
    """As many as SciPy's Poisson says suffice, and one fewer does not: where the normal quantile takes over, too."""
    confidence = np.random.default_rng(4).random(300)
    enough = recovery.spares(mean, confidence)
    assert (stats.poisson.sf(enough, mean) <= (1 - confidence) * (1 + 1e-9)).all()
    assert (stats.poisson.sf(enough - 1, mean) > (1 - confidence) * (1 - 1e-9)).all()


def test_spares_beyond_whole_doubles():
    """The number in repair is its mean there, in every digit; it used to be NaN."""
    assert recovery.spares([1e100, 1e300], 0.9).tolist() == [1e100, 1e300]
    assert recovery.spares(1e15, 0.5) == near(1e15, rel=1e-14)


def test_spares_by_simulation_of_repairs():
    """Failures at random, lognormal repairs as at LANL: the share of the time in which so many spares suffice."""
    rng = np.random.default_rng(72)
    sigma = np.sqrt(2 * np.log(355 / 54))  # mean 355 min, median 54 min
    horizon, rate = 4e7, 3 / 355  # minutes: three in repair on average
    start = np.sort(rng.uniform(0, horizon, rng.poisson(rate * horizon)))
    end = start + 54 * np.exp(sigma * rng.standard_normal(start.size))
    times = rng.uniform(horizon / 10, horizon, 200_000)
    in_repair = np.searchsorted(start, times) - np.searchsorted(np.sort(end), times)
    for confidence in (0.5, 0.9, 0.99):
        enough = recovery.spares(rate * 355, confidence)
        covered = [np.mean(in_repair <= s) for s in (enough - 1, enough)]
        assert covered[0] < confidence <= covered[1]


# Goodput


@pytest.mark.parametrize("rate", [1e-6, 1e-8])
def test_ettr_is_first_order_in_the_rate(rate):
    """The exact efficiency, in 50 digits, differs by lambda delta/2 / (1 + delta/tau), and by squares of the rate."""
    tau, delta, restart, lam = exact(850, 24.5, 100, rate)
    truth = tau * lam * mp.exp(-restart * lam) / mp.expm1((tau + delta) * lam)
    formula = (1 - lam * (restart + tau / 2)) / (1 + delta / tau)
    assert recovery.ettr(850, 24.5, rate, 100) == near(formula, rel=1e-14)
    assert (formula - truth) / lam == near(delta / 2 / (1 + delta / tau), rel=1e5 * rate)


@pytest.mark.parametrize("scale", [1e-3, 1e-4])
def test_first_order_goodput_is_the_limit_of_the_exact_one(scale):
    """With writes shrinking as the square of the interval, the lost shares agree ever better."""
    interval, write_time, restart = scale, scale**2, scale**2
    truth = 1 - checkpoints.efficiency(interval, write_time, 1, restart)
    lost = 1 - recovery.first_order_goodput(interval, write_time, 1, restart + interval / 2)
    assert lost / truth == near(1, rel=10 * scale)


@given(log_uniform(-9, 9), st.floats(0, 1), st.floats(0, 1))
def test_less_efficiency_takes_longer(useful, one, other):
    low, high = sorted([one, other])
    assert recovery.wall_time(useful, high) <= recovery.wall_time(useful, low)
    assert recovery.wall_time(useful, high) >= useful


# Growing fleets


def golden(function, low, high):
    """Where a function of one variable peaks, to 20 digits."""
    ratio = (mp.sqrt(5) - 1) / 2
    while high - low > high * mp.mpf(10) ** -20:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if function(left) < function(right):
            low = left
        else:
            high = right
    return (low + high) / 2


def best_efficiency(rate, write_time, restart, downtime):
    """Efficiency at the best interval, found by searching, in units of the MTBF; closed form of a segment's time."""
    x = write_time * rate
    u = golden(lambda u: mp.log(u / mp.expm1(u + x)), mp.mpf(0), mp.mpf(1))
    return u / mp.expm1(u + x) * mp.exp(-restart * rate) / (1 + downtime * rate)


@pytest.mark.parametrize("nodes", [1, 625, 1250, 10**6])
@pytest.mark.parametrize(("restart", "downtime"), [(0, 0), (24.5, 90)])
def test_fleet_efficiency_by_searching_the_interval(nodes, restart, downtime):
    rate = nodes / exact(NODE_MTBF)[0]
    expected = best_efficiency(rate, *exact(24.5, restart, downtime))
    assert recovery.fleet_efficiency(nodes, NODE_MTBF, 24.5, restart, downtime) == near(expected, rel=1e-12)


@given(st.integers(1, 10**7), log_uniform(-6, 2.3), log_uniform(-6, 1), log_uniform(-6, 6))
def test_fleet_efficiency_over_its_domain(nodes, write_time, restart, downtime):
    """Down to 1e-90, by Lambert's W in 120 digits: 1 - u = -W(-e^(-1-x))."""
    node_mtbf = float(nodes)  # so that times are in MTBFs of the job, but rounded by a division on the way
    with mp.workdps(120):
        x, r, d = exact(write_time, restart, downtime)
        expected = -mp.lambertw(-mp.exp(-1 - x)).real * mp.exp(-r) / (1 + d)
    assert recovery.fleet_efficiency(nodes, node_mtbf, write_time, restart, downtime) == near(expected, rel=1e-12)


@given(st.integers(1, 10**6), *[log_uniform(-3, 3)] * 2, log_uniform(4, 8))
def test_fleet_efficiency_is_that_of_its_parts(nodes, write_time, restart, node_mtbf):
    """Through the functions of another module, where these do not cancel."""
    mtbf = node_mtbf / nodes
    best = checkpoints.optimal(write_time, mtbf)
    parts = checkpoints.efficiency(best, write_time, mtbf, restart, 7)
    assert recovery.fleet_efficiency(nodes, node_mtbf, write_time, restart, 7) == pytest.approx(
        parts, rel=1e-9, abs=1e-15
    )


@pytest.mark.parametrize(
    ("write_time", "restart", "downtime"),
    [(1, 0, 0), (1, 1, 0), (1, 0, 1), (1e-3, 1, 10), (0, 1, 1), (1, 1e-3, 100), (1e-3, 0, 1e3)],
)
def test_fastest_fleet_by_searching_for_the_highest_speed(write_time, restart, downtime):
    """No condition for the optimum is used: bracket the peak of n times the efficiency in 50 digits."""
    times = exact(write_time, restart, downtime)

    def log_speed(log_n):
        n = mp.exp(log_n)
        share = -mp.lambertw(-mp.exp(-1 - times[0] * n)).real if write_time else mp.mpf(1)
        return log_n + mp.log(share) - times[1] * n - mp.log1p(times[2] * n)

    start = mp.log(1 / (times[0] + times[1]))
    peak = mp.exp(start + golden(lambda offset: log_speed(start + offset - 20), mp.mpf(0), mp.mpf(40)) - 20)
    assert recovery.fastest_fleet(1, write_time, restart, downtime) == near(peak, rel=1e-12)


def test_fastest_fleet_without_restart_by_lamberts_w():
    """1 + W(-2 e^-2)/2 solves -ln(1 - u) = 2u: 0.797 node MTBFs by write times."""
    expected = 1 + mp.lambertw(-2 * mp.exp(-2)).real / 2
    assert -mp.log(1 - expected) == near(2 * expected, rel=1e-14)
    for write_time in (1e-9, 24.5, 1e9):
        assert recovery.fastest_fleet(1e9, write_time) == near(expected * 1e9 / write_time, rel=1e-14)


def test_fastest_fleet_at_which_the_interval_is_the_write_time():
    mtbf = NODE_MTBF / recovery.fastest_fleet(NODE_MTBF, 24.5)
    assert checkpoints.optimal(24.5, mtbf) == near(24.5, rel=1e-13)


@given(*[log_uniform(-18, 18)] * 3)
def test_fastest_fleet_solves_its_condition(write_time, restart, downtime):
    """Over 36 decades of each time: both sides of the condition, in 50 digits, by Lambert's W."""
    n, delta, r, d = exact(recovery.fastest_fleet(1, write_time, restart, downtime), write_time, restart, downtime)
    with mp.workdps(80):
        write = delta * n / (1 + mp.lambertw(-mp.exp(-1 - delta * n)).real)
    assert (1 + d * n) * (write + r * n) == near(1, rel=1e-12)


@given(st.integers(2, 10**6), st.integers(2, 10**6), log_uniform(-2, 2), log_uniform(-2, 2), log_uniform(-2, 2))
def test_speed_falls_on_both_sides_of_the_fastest_fleet(one, other, write_time, restart, downtime):
    """More nodes up to it are faster, more nodes beyond it slower."""
    fewer, more = sorted([one, other])
    fastest = recovery.fastest_fleet(1e6, write_time, restart, downtime)
    ratio = recovery.speedup(more, fewer, 1e6, write_time, restart, downtime)
    if more <= fastest:
        assert ratio >= 1
    if fewer >= fastest:
        assert ratio <= 1


@pytest.mark.parametrize("serial", [0, 1e-4, 1])
def test_speedup_is_the_ratio_of_speeds(serial):
    """Time of one unit of work by Amdahl's law, over the efficiency found by searching, in 50 digits."""

    def time(nodes):
        s = exact(serial)[0]
        return (s + (1 - s) / nodes) / best_efficiency(nodes / exact(NODE_MTBF)[0], *exact(24.5, 24.5, 90))

    assert recovery.speedup(1250, 625, NODE_MTBF, 24.5, 24.5, 90, serial) == near(time(625) / time(1250), rel=1e-12)


def test_speedup_where_both_efficiencies_are_0_in_doubles():
    """One node more, where writes take a hundred thousand MTBFs: the ratio by Lambert's W, in 50 digits."""
    fewer, more = (n / mp.mpf(10) ** 7 for n in (10**6, 10**6 + 1))
    delta, restart = exact(1e6, 1e5)

    def log_efficiency(rate):
        x = delta * rate
        u = 1 + mp.lambertw(-mp.exp(-1 - x)).real
        return -u - x - restart * rate

    expected = (mp.mpf(10**6 + 1) / 10**6) * mp.exp(log_efficiency(more) - log_efficiency(fewer))
    assert recovery.speedup(10**6 + 1, 10**6, 1e7, 1e6, 1e5) == near(expected, rel=1e-14)


def test_speedup_by_simulation():
    """Two fleets that share a fixed seed: half a month of work on half the nodes. 99.9 % confidence."""
    wall = []
    for nodes, seed in ((625, 1), (1250, 2)):
        mtbf = NODE_MTBF / nodes
        jobs = simulation.simulate_jobs(
            15 * day * 1250 / nodes,
            checkpoints.optimal(24.5, mtbf),
            24.5,
            stats.expon(scale=mtbf),
            24.5,
            90,
            4000,
            seed,
        )
        wall.append(simulation.mean_interval(jobs.wall_time, confidence=0.999))
    ratio = recovery.speedup(1250, 625, NODE_MTBF, 24.5, 24.5, 90)
    assert wall[0][0] / wall[1][1] <= ratio <= wall[0][1] / wall[1][0]


# Limits


@given(*[log_uniform(-100, 100)] * 4)
def test_limits_without_failures(interval, write_time, restart, downtime):
    """By hand: each moment of a segment is as likely as another, and nothing fails on the way back."""
    tau, delta, r, d = exact(interval, write_time, restart, downtime)
    cost = recovery.failure_cost(interval, write_time, np.inf, restart, downtime)
    assert cost == near(d + r + (tau + delta) / 2, rel=1e-14)
    assert recovery.first_order_goodput(interval, write_time, np.inf, restart) == near(1 - delta / tau, rel=1e-12)
    assert recovery.ettr(interval, write_time, 0, restart) == near(tau / (tau + delta), rel=1e-14)


def test_limits_of_a_fleet(strict):
    """Nodes that never fail; writes and restarts that take no time."""
    assert recovery.fleet_efficiency(10**6, np.inf, 24.5, 24.5, 90) == 1
    assert recovery.fastest_fleet(np.inf, 24.5, 24.5, 90) == np.inf
    assert recovery.speedup(2000, 1000, np.inf, 24.5, 24.5, 90) == 2
    assert recovery.fleet_efficiency(1000, 1e6, 0, 0, 1000) == 0.5  # downtime alone: M = D
    assert recovery.fastest_fleet(1e6, 0, 0, 1000) == np.inf
    assert recovery.fastest_fleet(1e6, 0, 100) == near(1e4, rel=1e-14)  # n e^(-Rn) peaks at 1/R
    assert recovery.speedup(1000, 1000, 1e6, 5, 5, 5, 0.5) == 1
    assert recovery.speedup(1000, 1, np.inf, 0, serial=1) == 1


def test_limits_of_heartbeats_and_spares(strict):
    assert recovery.false_alarm_time(10, 3, 0) == np.inf
    assert recovery.false_alarm_time(10, 3, 1) == 30
    assert recovery.best_heartbeat(3, 0, 10, MTBF, 60) == 0
    assert recovery.best_heartbeat(3, 0, 10, np.inf, 60) == 0
    assert recovery.best_heartbeat(3, 0.1, 10, np.inf, 0) == 0
    assert recovery.best_heartbeat(3, 0.1, 10, np.inf, 60) == np.inf
    assert recovery.spares(0, 0.99) == 0
    assert recovery.spares(0, 1) == 0
    assert recovery.spares(1e-9, 1) == np.inf
    assert recovery.spares(5, 0) == 0
    assert recovery.wall_time(0, 0) == 0
    assert recovery.wall_time(1, 0) == np.inf


def test_extremes_pass_without_a_floating_point_event(strict):
    """Every combination of tiny, everyday and huge: no NaN, no warning, and within the physical limits."""
    times = np.array([0, 1e-300, 1e-20, 1.0, 1e20, 1e300])
    write_time, restart, downtime, mtbf = np.meshgrid(times, times, times, [*times[1:], np.inf])
    cost = recovery.failure_cost(1.0, write_time, mtbf, restart, downtime)
    assert (cost >= downtime).all()
    assert (cost <= downtime + restart + 1 + write_time).all()
    for nodes in (1, 10**6):
        share = recovery.fleet_efficiency(nodes, mtbf, write_time, restart, downtime)
        assert ((share >= 0) & (share <= 1)).all()
    assert (recovery.speedup(100, 10, mtbf, write_time, restart, downtime) <= 10 * (1 + 1e-12)).all()
    assert (recovery.fastest_fleet(mtbf, write_time, restart, downtime) >= 0).all()


# Properties that all share


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_broadcast(function):
    """A grid of two arguments is what single calls give; scalars give a scalar."""
    first, *others = parameters_of(function)
    last = others[-1]
    steps = np.array([1.0, 2.0, 5.0])

    def call(i, j):
        rest = {name: LEGAL[name] for name in others[:-1]}
        return function(
            **rest, **{first: LEGAL[first] * i, last: LEGAL[last] * j if last == "misses" else LEGAL[last] / j}
        )

    grid = call(steps[:, None], steps)
    singles = [[call(i, j) for j in steps] for i in steps]
    assert type(singles[0][0]) is np.float64
    np.testing.assert_array_equal(grid, singles)
    assert call(np.ones((0, 3)), 1.0).shape == (0, 3)


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    assert np.isfinite(function(**{key: LEGAL[key] for key in parameters_of(function)}))
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_lazy_arrays_stay_lazy(function):
    rng = np.random.default_rng(0)
    probabilities = {"loss", "confidence", "efficiency", "serial"}
    steps = {name: rng.integers(1, 9, 50).astype(float) for name in parameters_of(function)}
    arrays = {n: LEGAL[n] / step if n in probabilities else LEGAL[n] * step for n, step in steps.items()}
    assert_lazy(function, arrays, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_ends_of_the_domain_pass_without_a_floating_point_event(function):
    assert_defined_at_the_ends(function, LEGAL)


def test_minutes_and_hours_are_only_seconds():
    """All times in another unit: a cost scales with them (dimensional analysis)."""
    in_seconds = recovery.failure_cost(14 * minute, 24.5, 4 * hour, 24.5, 90)
    assert recovery.failure_cost(14, 24.5 / 60, 240, 24.5 / 60, 1.5) == near(in_seconds / 60, rel=1e-14)
