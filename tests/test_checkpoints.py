"""Checkpoint intervals and costs: published figures, 50-digit arithmetic by other routes, limits, lazy arrays."""

import inspect
from itertools import pairwise, product

import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from relmath import checkpoints
from relmath.units import GB, hour, minute, percent
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

MTBF = 4.14 * hour
INTERVALS = (checkpoints.young, checkpoints.optimal, checkpoints.daly)
OF_TIMES = (
    *INTERVALS,
    checkpoints.daly_as_printed,
    checkpoints.async_interval,
    checkpoints.async_overhead,
    checkpoints.first_order_overhead,
    checkpoints.mean_lost_work,
    checkpoints.expected_time,
    checkpoints.efficiency,
    checkpoints.overhead,
)
OF_STATE = (
    checkpoints.checkpoint_size,
    checkpoints.write_time,
    checkpoints.sharded_write_time,
    checkpoints.incremental_write_time,
    checkpoints.incremental_overhead,
    checkpoints.longest_write,
)
FUNCTIONS = (*OF_TIMES, *OF_STATE)

# A legal value of each parameter, and one outside its domain.
LEGAL = {
    "parameters": 7e9,
    "bytes_per_parameter": 14.0,
    "size": 98e9,
    "bandwidth": 1e11,
    "interval": 850.0,
    "write_time": 24.5,
    "mtbf": 15_000.0,
    "restart": 30.0,
    "downtime": 90.0,
    "stall": 1.0,
    "persist": 24.5,
    "writers": 1200.0,
    "writer_bandwidth": 2e9,
    "changed": 0.1,
    "chain": 30.0,
    "overhead": 0.05,
}
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan)) | {
    "parameters": (-1.0, 0.5, np.nan, np.inf),
    "bandwidth": (0.0, np.nan),
    "interval": (0.0, np.nan, np.inf),
    "mtbf": (0.0, np.nan),
    "write_time": (-1.0, np.nan, np.inf),
    "writers": (0.0, 0.5, np.nan, np.inf),
    "writer_bandwidth": (0.0, np.nan),
    "changed": (-0.1, 1.5, np.nan),
    "chain": (0.0, 0.5, np.nan, np.inf),
    "overhead": (-1.0, np.nan, np.inf),
}


# Published figures


@pytest.mark.parametrize(
    ("parameters", "size", "seconds"),
    [(7e9, 98, 0.98), (13e9, 182, 1.82), (70e9, 980, 9.8), (175e9, 2450, 24.5), (1e12, 14_000, 140)],
)
def test_published_sizes_and_write_times(parameters, size, seconds):
    """The source's table: 14 bytes a parameter, 100 GB/s."""
    assert checkpoints.checkpoint_size(parameters) == size * GB
    assert checkpoints.write_time(size * GB, 100 * GB) == near(seconds, rel=1e-15)


def test_default_recipe_is_the_published_one():
    default = inspect.signature(checkpoints.checkpoint_size).parameters["bytes_per_parameter"].default
    assert checkpoints.BYTES_PER_PARAMETER["Adam in mixed precision"] == default == 14


def test_published_worked_example():
    """175B parameters on 10 000 and on 20 000 GPUs: 14.2 min, 10.1 min, and writing is 2.9 % of useful time."""
    interval = checkpoints.young(24.5, MTBF)
    assert round(interval / minute, 1) == 14.2
    assert round(checkpoints.young(24.5, MTBF / 2) / minute, 1) == 10.1
    writing_only = checkpoints.first_order_overhead(interval, 24.5, np.inf)
    assert round(writing_only / percent, 1) == 2.9


@pytest.mark.parametrize(("mtbf", "printed"), [(24 * hour, 117), (6 * hour, 57), (15 * minute, 9.1)])
def test_optima_printed_by_daly(mtbf, printed):
    """Daly (2006), for a write time of 5 min; his last optimum holds for his formula only (the exact one is 9.06)."""
    digits = 0 if isinstance(printed, int) else 1
    assert round(checkpoints.daly(5 * minute, mtbf) / minute, digits) == printed


def test_published_comparison_of_young():
    """At delta/M = 0.1: against the formula as printed, the exact optimum, and Daly; and what it costs."""
    young = checkpoints.young(0.1, 1)
    too_long = {
        checkpoints.daly_as_printed: 27.44,
        checkpoints.optimal: 16.71,
        checkpoints.daly: 16.76,
    }
    for function, share in too_long.items():
        assert round((young / function(0.1, 1) - 1) / percent, 2) == share
    best = checkpoints.efficiency(checkpoints.optimal(0.1, 1), 0.1, 1)
    assert round((best / checkpoints.efficiency(young, 0.1, 1) - 1) / percent, 2) == 0.47


# Against 50 digits, each by another route than the code's


def segment_by_renewal(interval, write_time, mtbf, restart, downtime):
    """Count the attempts: a geometric number of them fails, each after a mean time that is integrated numerically.

    Nothing of the closed form is used. The recovery after a failure is the same game, played for the restart.
    """

    def time_to_complete(length, after_failure):
        if length == 0:
            return mp.mpf(0)
        points = mp.linspace(0, length, 1 + int(mp.ceil(length / mtbf)))
        density = [lambda t: t * mp.exp(-t / mtbf) / mtbf, lambda t: mp.exp(-t / mtbf) / mtbf]
        first_moment, fails = (mp.quad(f, points) for f in density)
        failures = fails / (1 - fails)
        return length + failures * (first_moment / fails + after_failure)

    recovery = time_to_complete(restart, downtime)
    return time_to_complete(interval + write_time, downtime + recovery)


@pytest.mark.parametrize("interval", [1e-3, 0.3, 20])
@pytest.mark.parametrize("write_time", [0, 0.5])
@pytest.mark.parametrize(("restart", "downtime"), [(0, 0), (0.2, 0), (0, 3), (2, 0.1)])
def test_expected_time_by_counting_attempts(interval, write_time, restart, downtime):
    arguments = (interval, write_time, 1.7, restart, downtime)
    expected = segment_by_renewal(*exact(*arguments))
    assert checkpoints.expected_time(*arguments) == near(expected, rel=1e-13)
    assert checkpoints.efficiency(*arguments) == near(exact(interval)[0] / expected, rel=1e-13)
    assert checkpoints.overhead(*arguments) == near(expected / exact(interval)[0] - 1, rel=1e-13)


@given(*[log_uniform(-9, 9)] * 3, *[log_uniform(-9, 3)] * 2)
def test_expected_time_over_its_domain(interval, write_time, mtbf, restart, downtime):
    """Against its closed form, in 50 digits: this tests the arithmetic, the test above tests the form."""
    tau, delta, m, r, d = exact(interval, write_time, mtbf, restart, downtime)
    expected = (m + d) * mp.exp(r / m) * mp.expm1((tau + delta) / m)
    time = checkpoints.expected_time(interval, write_time, mtbf, restart, downtime)
    assert time == (near(expected, rel=1e-12) if expected < np.finfo(float).max else np.inf)
    share = checkpoints.efficiency(interval, write_time, mtbf, restart, downtime)
    assert share == pytest.approx(float(tau / expected), rel=1e-12, abs=1e-300)
    lost = checkpoints.overhead(interval, write_time, mtbf, restart, downtime)
    assert lost == (near(expected / tau - 1, rel=1e-12) if expected / tau < np.finfo(float).max else np.inf)


@pytest.mark.parametrize("interval", [1e-6, 1e-3, 0.0999, 0.1001, 1, 30])
@pytest.mark.parametrize("write_time", [0, 1e-7, 0.01, 3])
def test_mean_lost_work_by_integration(interval, write_time):
    """Integrate the work lost over the time of the failure, which is an exponential cut off at tau + delta."""
    tau, delta = exact(interval, write_time)
    computing = mp.linspace(0, tau, 1 + int(mp.ceil(tau)))
    lost = mp.quad(lambda t: t * mp.exp(-t), computing) + mp.quad(lambda t: tau * mp.exp(-t), [tau, tau + delta])
    fails = mp.quad(lambda t: mp.exp(-t), [*computing, tau + delta])
    assert checkpoints.mean_lost_work(interval, 1, write_time) == near(lost / fails, rel=1e-13)


@given(*[log_uniform(-9, 9)] * 3)
def test_mean_lost_work_over_its_domain(interval, mtbf, write_time):
    """Against its closed form, in 80 digits."""
    with mp.workdps(80):
        tau, m, delta = exact(interval, mtbf, write_time)
        survives = mp.exp(-(tau + delta) / m)
        expected = (m * (1 - mp.exp(-tau / m)) - tau * survives) / (1 - survives)
    assert checkpoints.mean_lost_work(interval, mtbf, write_time) == near(expected, rel=1e-13)


def test_mean_lost_work_of_the_worked_example():
    """The claims' figures, in seconds: with the write, without it, and half an interval."""
    mtbf = 150_000 / 29 / 1250 * hour
    interval = checkpoints.young(24.5, mtbf)
    assert round(checkpoints.mean_lost_work(interval, mtbf, 24.5), 1) == 434.8
    assert round(checkpoints.mean_lost_work(interval, mtbf), 1) == 423.1
    assert round(interval / 2, 1) == 427.2


def peak_of_efficiency(write_ratio):
    """Golden-section search on u / (e^(u + x) - 1), u = tau/M: half of the 50 digits are good at a maximum."""
    golden = (mp.sqrt(5) - 1) / 2
    low, high = mp.mpf(0), mp.mpf(1)

    def share(u):
        return u / mp.expm1(u + write_ratio)

    while high - low > high * mp.mpf(10) ** -20:
        left, right = high - golden * (high - low), low + golden * (high - low)
        if share(left) < share(right):
            low = left
        else:
            high = right
    return (low + high) / 2


@pytest.mark.parametrize("ratio", [1e-18, 1e-9, 1e-4, 0.00499, 0.00501, 0.1, 1, 1.99, 2.01, 10, 49, 51, 700])
def test_optimal_is_where_the_efficiency_peaks(ratio):
    """Independent of any formula for the optimum: bracket the maximum of the efficiency itself."""
    assert checkpoints.optimal(ratio, 1) == near(peak_of_efficiency(*exact(ratio)), rel=1e-14)


def test_optimal_is_lambert_w_over_its_domain():
    """Against mpmath's Lambert W in 60 digits, densely from 1e-18 to 700, as near 1e-15 as doubles allow."""
    ratios = np.geomspace(1e-18, 700, 1500)
    with mp.workdps(60):
        expected = np.array([float(1 + mp.lambertw(-mp.exp(-1 - mp.mpf(x))).real) for x in ratios.tolist()])
    np.testing.assert_allclose(checkpoints.optimal(ratios, 1), expected, rtol=1e-14)


def test_optimal_far_outside():
    """Where ratios leave the doubles' everyday range: Young's root below, the MTBF above."""
    assert checkpoints.optimal(1e-300, 1) == near(mp.sqrt(2 * exact(1e-300)[0]), rel=1e-15)
    assert checkpoints.optimal(1e-300, 1e300) == near(np.sqrt(2), rel=1e-15)
    assert checkpoints.optimal(1e300, 1) == 1
    assert checkpoints.optimal(1e300, 1e-300) == 1e-300


@given(log_uniform(-18, 2.8))
def test_efficiency_at_the_optimum_is_what_the_interval_leaves(ratio):
    """A property of the exact optimum alone: 1 - tau/M, at most, with nothing else to pay."""
    best = checkpoints.optimal(ratio, 1)
    at_best = checkpoints.efficiency(best, ratio, 1)
    assert at_best == pytest.approx(1 - best, rel=1e-12, abs=1e-14)


@given(log_uniform(-9, 1), log_uniform(-4, 0.5), st.booleans(), log_uniform(-4, 1), log_uniform(-4, 1))
def test_restart_and_downtime_do_not_move_the_optimum(ratio, step, longer, restart, downtime):
    best = checkpoints.optimal(ratio, 1)
    other = best * (1 + step) if longer else best / (1 + step)
    at_best, at_other = (checkpoints.efficiency(tau, ratio, 1, restart, downtime) for tau in (best, other))
    assert at_other <= at_best * (1 + 1e-14)


@pytest.mark.parametrize("s", [0.003, 0.01, 0.03])
def test_orders_of_the_approximations(s):
    """Undetermined coefficients, not the code's recurrence: what each leaves out is (2/3) s, and (8/270) s^3.

    With u = 2s (1 - 2s/3 + s^2/9 + k s^3), u + log(1 - u) = -2 s^2 holds to the fifth order if k = 8/270.
    """
    best = checkpoints.optimal(2 * s * s, 1)
    assert (checkpoints.young(2 * s * s, 1) / best - 1) / s == near(2 / 3, rel=2 * s)
    assert (checkpoints.daly(2 * s * s, 1) / best - 1) / s**3 == near(-8 / 270, rel=2 * s)


@given(log_uniform(-30, 2))
def test_daly_as_published(ratio):
    """In 50 digits, as printed in eq. 37."""
    (x,) = exact(ratio)
    published = mp.sqrt(2 * x) * (1 + mp.sqrt(x / 2) / 3 + x / 18) - x if x < 2 else 1
    assert checkpoints.daly(ratio, 1) == near(published, rel=1e-14)


@given(st.one_of(log_uniform(-30, 0.4), log_uniform(-14, 0).map(lambda short: 3 * (1 - short))))
def test_daly_as_printed_does_not_cancel(ratio):
    """In 50 digits, as printed, down to its zero at delta = 3M."""
    assume(0 < ratio < 3)
    (x,) = exact(ratio)
    printed = mp.sqrt(2 * x + x * x / 3) - x
    assert checkpoints.daly_as_printed(ratio, 1) == near(printed, rel=1e-14)


def test_daly_as_printed_ends_at_three_times_the_mtbf():
    mtbf = np.array([0.1, 1, 7, 1e9])
    assert np.isnan(checkpoints.daly_as_printed(3 * mtbf, mtbf)).all()
    assert np.isnan(checkpoints.daly_as_printed(1e300, mtbf)).all()


@pytest.mark.parametrize("ratio", [1e-8, 1e-10, 1e-12])
def test_first_order_is_the_limit_of_the_exact_overhead(ratio):
    """The exact overhead by counting attempts; the first order leaves out delta/M + tau^2/6M^2, here 2/3 tau."""
    interval = checkpoints.young(ratio, 1)
    whole = segment_by_renewal(*exact(interval, ratio, 1, 0, 0)) / exact(interval)[0] - 1
    first_order = checkpoints.first_order_overhead(interval, ratio, 1)
    assert float(whole / first_order - 1) == near(interval * 2 / 3, rel=0.01)


@pytest.mark.parametrize(("interval", "persist"), [(240, 0), (240, 24.5), (240, 200), (30, 30)])
def test_async_overhead_by_enumerating_the_moment_of_failure(interval, persist):
    """Fail at each of many evenly spaced moments: what is lost goes back to the last checkpoint that persists."""
    moment = (np.arange(24_000) + 0.5) * interval / 24_000
    lost = np.where(moment < persist, moment + interval, moment).mean()
    overhead = checkpoints.async_overhead(interval, 0.5, persist, MTBF)
    assert overhead == near(0.5 / interval + lost / MTBF, rel=1e-12)


def test_async_write_must_end_before_the_next():
    with pytest.raises(ValueError, match=r"^interval\[1\] must be at least persist, which is 30\.0, but is 29\.0"):
        checkpoints.async_overhead([30, 29], 1, 30, MTBF)
    lazy = checkpoints.async_overhead(da.from_array(np.array([30.0, 29.0])), 1, 30, MTBF)
    np.testing.assert_array_equal(np.isnan(lazy.compute()), [False, True])


@given(log_uniform(-3, 3), log_uniform(-3, 3), log_uniform(-6, 3), st.booleans())
def test_async_interval_is_where_its_overhead_is_least(stall, persist, step, longer):
    """Whatever other interval is allowed, not shorter than the time to persist, costs no less."""
    best = checkpoints.async_interval(stall, persist, 1e4)
    other = best * (1 + step) if longer else max(best / (1 + step), persist)
    at_best, at_other = checkpoints.async_overhead([best, other], stall, persist, 1e4)
    assert at_other >= at_best * (1 - 1e-14)


@pytest.mark.parametrize(("stall", "persist"), [(1, 24.5), (0.01, 24.5), (30, 200), (5, 0)])
def test_asynchronous_checkpoints_by_counting_what_has_persisted(stall, persist):
    """The persist time acts as a restart, exactly: a sum over the checkpoints that a gap between failures outlasts.

    The k-th is safe when the gap is longer than k (tau + b) + P; the mean number of those is the sum of survivals.
    """
    interval = checkpoints.async_interval(stall, persist, MTBF)
    tau, b, p, m = exact(interval, stall, persist, MTBF)
    saved = mp.nsum(lambda k: mp.exp(-(p + k * (tau + b)) / m), [1, mp.inf])
    expected = m / (tau * saved) - 1
    assert checkpoints.overhead(interval, stall, MTBF, restart=persist) == near(expected, rel=1e-12)
    first_order = checkpoints.async_overhead(interval, stall, persist, MTBF)
    assert first_order == near(expected, rel=2 * (interval + persist) / MTBF)


def test_limits_of_the_asynchronous_interval(strict):
    assert checkpoints.async_interval(0, 0, 5) == 0
    assert checkpoints.async_interval(0, 7, 5) == 7
    assert checkpoints.async_interval(0, 7, np.inf) == np.inf
    assert checkpoints.async_interval(2, 7, 9) == 7
    assert checkpoints.async_interval(2, 5, 9) == 6


@given(st.integers(1, 5000), log_uniform(6, 10), log_uniform(9, 14))
def test_sharded_writes_take_as_long_as_the_narrower_way(writers, writer_bandwidth, bandwidth):
    """Each writer takes its part; the storage takes the whole: the longer of both times."""
    size = 1e12
    own = checkpoints.write_time(size / writers, writer_bandwidth)
    shared = checkpoints.write_time(size, bandwidth)
    both = checkpoints.sharded_write_time(size, writers, writer_bandwidth, bandwidth)
    assert both == near(max(own, shared), rel=1e-14)
    assert checkpoints.sharded_write_time(size, writers, writer_bandwidth) == near(own, rel=1e-14)


@pytest.mark.parametrize(("changed", "chain"), [(0.1, 1), (0.1, 7), (0, 3), (1, 5), (0.37, 2)])
def test_incremental_checkpoints_by_enumerating_a_chain(changed, chain):
    """Add up what is written for each checkpoint of a chain, and what must be read back after each."""
    sizes = np.array([1.0] + [changed] * (chain - 1))
    written, read = sizes.mean(), np.cumsum(sizes).mean()
    assert checkpoints.incremental_write_time(20, changed, chain) == near(20 * written, rel=1e-14)
    overhead = checkpoints.incremental_overhead(300, 20, MTBF, changed, chain, restart=30)
    expected = 20 * written / 300 + (300 / 2 + 30 * read) / MTBF
    assert overhead == near(expected, rel=1e-14)


def test_a_chain_of_one_is_a_full_checkpoint():
    full = checkpoints.first_order_overhead(850, 24.5, MTBF) + 30 / MTBF
    assert checkpoints.incremental_overhead(850, 24.5, MTBF, 0.3, 1, restart=30) == near(full, rel=1e-14)
    assert checkpoints.incremental_write_time(24.5, 0.3, 1) == 24.5


@pytest.mark.parametrize("overhead", [1e-9, 1e-3, 0.111, 0.112, 1, 30, 1000])
def test_longest_write_by_bisection(overhead):
    """Bisect the overhead at the peak of the efficiency, where Lambert's function gives it: 1/(1 - u) - 1."""
    (w,) = exact(overhead)

    def excess(x):
        u = 1 + mp.lambertw(-mp.exp(-1 - x)).real
        return u / (1 - u) - w

    low, high = (w / (1 + w)) ** 2 / 2, mp.log1p(w)
    for _ in range(60):
        middle = mp.sqrt(low * high)
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    assert checkpoints.longest_write(overhead, 1) == near(low, rel=1e-13)


@given(log_uniform(-150, 150))
def test_longest_write_over_its_domain(overhead):
    """Against its closed form, in as many digits as its cancellation takes: the test above tests the form."""
    with mp.workdps(400):
        w = mp.mpf(overhead)
        expected = mp.log1p(w) - w / (1 + w)
    assert checkpoints.longest_write(overhead, 1) == near(expected, rel=1e-13)


@given(log_uniform(-6, 2), log_uniform(-6, 6))
def test_longest_write_is_the_inverse_of_the_least_overhead(ratio, mtbf):
    """Through the two functions that ship; the overhead at its minimum does not see the interval's last digits."""
    write_time = ratio * mtbf
    least = checkpoints.overhead(checkpoints.optimal(write_time, mtbf), write_time, mtbf)
    assume(least < 1e100)
    assert checkpoints.longest_write(least, mtbf) == near(write_time, rel=1e-11)


def test_limits_of_the_longest_write(strict):
    assert checkpoints.longest_write(0, 5) == 0
    assert checkpoints.longest_write(0.1, np.inf) == np.inf
    assert checkpoints.longest_write(1e-150, 1) == near(0.5e-300, rel=1e-14)
    assert checkpoints.longest_write(1e300, 1) == near(mp.log(mp.mpf(1e300)) - 1, rel=1e-14)


def test_published_bytes_a_parameter_are_widths_of_formats():
    """The widths of NumPy's own formats; BF16 has none there, but as many bits as FP16."""
    half, single, eight_bit = np.dtype("f2").itemsize, np.dtype("f4").itemsize, np.dtype("u1").itemsize
    widths = {
        "Adam in mixed precision": half + 3 * single,
        "Adam in mixed precision, with gradients": 2 * half + 3 * single,
        "8-bit Adam in mixed precision": half + single + 2 * eight_bit,
        "Adam in FP32": 3 * single,
        "SGD with momentum in FP32": 2 * single,
    }
    assert widths == checkpoints.BYTES_PER_PARAMETER


# Limits


@pytest.mark.parametrize("interval", [*INTERVALS, checkpoints.daly_as_printed])
def test_limits_of_the_interval(interval, strict):
    """Free checkpoints: one a step. No failures: none, not even free ones."""
    assert interval(0, 5) == 0
    assert interval(5, np.inf) == np.inf
    assert interval(0, np.inf) == np.inf
    np.testing.assert_array_equal(interval([0, 0, 5], [5, np.inf, np.inf]), [0, np.inf, np.inf])


@given(*[log_uniform(-150, 150)] * 4)
def test_limits_without_failures(interval, write_time, restart, downtime):
    """By hand: every second of work or writing is paid once, and a failure strikes each moment alike."""
    tau, delta = exact(interval, write_time)
    job = (interval, write_time, np.inf, restart, downtime)
    assert checkpoints.expected_time(*job) == near(tau + delta, rel=1e-14)
    assert checkpoints.efficiency(*job) == near(tau / (tau + delta), rel=1e-14)
    assert checkpoints.overhead(*job) == near(delta / tau, rel=1e-14)
    assert checkpoints.first_order_overhead(interval, write_time, np.inf) == near(float(delta / tau), rel=1e-14)
    assert checkpoints.mean_lost_work(interval, np.inf) == near(interval / 2, rel=1e-14)
    lost = tau * (tau / 2 + delta) / (tau + delta)
    assert checkpoints.mean_lost_work(interval, np.inf, write_time) == near(lost, rel=1e-14)


def test_instant_storage():
    assert checkpoints.write_time(98e9, np.inf) == 0
    assert checkpoints.write_time(0, 1e9) == 0


def test_hopeless_segments():
    """An expected time beyond the doubles is infinite, and its efficiency 0; one just below them is not."""
    assert checkpoints.expected_time(1, 1, 1e-3) == np.inf
    assert checkpoints.efficiency(1, 1, 1e-3) == 0
    assert checkpoints.mean_lost_work(1, 1e-3) == near(1e-3, rel=1e-15)
    expected = mp.mpf(1e-300) * mp.expm1(1400)
    assert checkpoints.expected_time(1.4e-297, 0, 1e-300) == near(expected, rel=1e-12)
    assert checkpoints.efficiency(1.4e-297, 0, 1e-300) == near(exact(1.4e-297)[0] / expected, rel=1e-12)


def test_an_overhead_below_the_largest_double_is_finite():
    """E itself may be beyond it: e^715 is, e^715 / 715 is not."""
    assert checkpoints.overhead(715, 0, 1) == near(mp.expm1(715) / 715, rel=1e-12)
    assert checkpoints.overhead(717, 0, 1) == np.inf


def test_sums_of_times_may_overflow_without_a_floating_point_event(strict):
    """Of the largest finite times and the smallest: what is beyond the doubles is infinite, what is below them 0."""
    assert checkpoints.overhead(1.7e308, 1.7e308, np.inf) == 1
    assert checkpoints.efficiency(1.7e308, 1.7e308, np.inf) >= 0
    assert checkpoints.checkpoint_size(1e300, 1e300) == np.inf
    assert checkpoints.write_time(1e-300, 1e300) == 0
    assert checkpoints.first_order_overhead(1e300, 1e-300, 1e10) == near(5e289, rel=1e-15)
    assert checkpoints.async_overhead(1e300, 1e-300, 0, 1e10) == near(5e289, rel=1e-15)


def test_extremes_pass_without_a_floating_point_event(strict):
    """Every combination of tiny, everyday, huge and infinite: no NaN, no warning, and within the physical limits."""
    times = [1e-300, 1e-20, 1.0, 1e20, 1e300]
    for interval, write_time, mtbf in product(times, [0, *times], [*times, np.inf]):
        assert 0 <= checkpoints.mean_lost_work(interval, mtbf, write_time) <= interval * (1 + 1e-15)
        for restart, downtime in product([0, 1e-300, 1e300], repeat=2):
            job = (interval, write_time, mtbf, restart, downtime)
            assert checkpoints.expected_time(*job) >= interval
            assert 0 <= checkpoints.efficiency(*job) <= 1
    for write_time, mtbf in product([0, *times], [*times, np.inf]):
        for function in INTERVALS:
            assert function(write_time, mtbf) >= 0
        assert not checkpoints.optimal(write_time, mtbf) > mtbf
        assert np.isnan(checkpoints.daly_as_printed(write_time, mtbf)) == (write_time >= 3 * mp.mpf(mtbf))


# Properties


@given(log_uniform(-9, 9), log_uniform(-9, 9), log_uniform(-6, 3))
def test_intervals_grow_with_write_time_and_mtbf(write_time, mtbf, step):
    """Daly's formula does so up to its step only, which the next test shows."""
    for function in (checkpoints.young, checkpoints.optimal):
        here = function(write_time, mtbf)
        assert function(write_time * (1 + step), mtbf) >= here
        assert function(write_time, mtbf * (1 + step)) >= here
    assert checkpoints.optimal(write_time, mtbf) <= min(mtbf, checkpoints.young(write_time, mtbf))


def test_daly_falls_where_the_mtbf_passes_half_the_write_time():
    """From M itself to 8/9 of it, by the two branches of eq. 37 at delta = 2M."""
    before, after = checkpoints.daly(1, [0.5, 0.5 + 1e-12])
    assert before == 0.5
    assert after == near(4 / 9, rel=1e-9)


@given(log_uniform(-6, 6), log_uniform(-6, 6), log_uniform(-6, 3))
def test_lost_work_between_its_limits(interval, mtbf, write_time):
    """Less than half an interval if writing is free, for early failures are likelier; more the longer the write."""
    free, with_write = checkpoints.mean_lost_work(interval, mtbf, [0, write_time])
    assert free <= interval / 2 * (1 + 1e-15)
    assert free <= with_write * (1 + 1e-15)
    assert with_write <= interval * (1 + 1e-15)


@pytest.mark.parametrize("function", OF_TIMES, ids=lambda function: function.__name__)
@given(st.lists(log_uniform(-3, 3), min_size=5, max_size=5), log_uniform(-6, 6))
def test_the_unit_of_time_does_not_matter(function, values, scale):
    """All times in another unit: a time scales with them, a share stays (dimensional analysis)."""
    arguments = dict(zip(parameters_of(function), values, strict=False))
    if {"persist", "interval"} <= arguments.keys():
        arguments["persist"] *= arguments["interval"] / (arguments["persist"] + arguments["interval"])
    is_share = "overhead" in function.__name__ or function is checkpoints.efficiency
    scaled = function(**{name: scale * value for name, value in arguments.items()})
    expected = function(**arguments) * (1 if is_share else scale)
    assert scaled == pytest.approx(expected, rel=1e-11, abs=1e-280, nan_ok=True)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_broadcast(function):
    """A grid of the first two arguments is what single calls give; scalars give a scalar."""
    first, second, *others = [LEGAL[name] for name in parameters_of(function)]
    factors = np.array([1, 2, 3])
    grid = function(first * factors[:, None], second / factors, *others)
    singles = [[function(first * i, second / j, *others) for j in factors] for i in factors]
    assert type(singles[0][0]) is np.float64
    np.testing.assert_array_equal(grid, singles)
    assert function(first * np.ones((0, 3)), second, *others).shape == (0, 3)


@pytest.mark.parametrize("function", [*INTERVALS, checkpoints.mean_lost_work], ids=lambda f: f.__name__)
def test_blocks_do_not_show(function):
    """Arrays longer than a block, strided and transposed, are what single calls give, in the same layout."""
    rng = np.random.default_rng(0)
    first = 10 ** rng.uniform(-3, 3, (2, 20_001)).T[::2]
    second = 10 ** rng.uniform(-3, 3, (10_001, 2))
    result = function(first, second)
    assert result.shape == first.shape
    for index in [(0, 0), (1, 1), (8191, 0), (8192, 1), (10_000, 1)]:
        assert result[index] == near(function(first[index], second[index]), rel=1e-14)


def test_integers_are_times_too():
    assert checkpoints.young(2, 9) == 6
    assert checkpoints.young(np.int32(2), np.array([9, 100], dtype=np.int16)).tolist() == [6, 20]


# Bad input, and input that is not here yet


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    assert np.isfinite(function(**{key: LEGAL[key] for key in parameters_of(function)}))
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_lazy_arrays_stay_lazy(function):
    names = parameters_of(function)
    rng = np.random.default_rng(0)
    arrays = {name: LEGAL[name] * rng.integers(1, 9, 50).astype(float) for name in names}
    if {"persist", "interval"} <= arrays.keys():
        arrays["persist"] %= arrays["interval"]
    assert_lazy(function, arrays, ILLEGAL)


def test_lazy_arguments_may_have_any_shape():
    """Chunks of one array against another array's, and both against numbers: one grid, as NumPy makes it."""
    write_time, mtbf = np.geomspace(1e-3, 1e3, 30), np.geomspace(1e2, 1e8, 40)
    lazy = checkpoints.optimal(da.from_array(write_time, chunks=7)[:, None], da.from_array(mtbf, chunks=11))
    np.testing.assert_array_equal(lazy.compute(), checkpoints.optimal(write_time[:, None], mtbf))


def test_lazy_arrays_of_unknown_shape():
    """Dask does not know how many elements a condition leaves."""
    times = da.from_array(np.arange(1.0, 9.0), chunks=3)
    some = times[times > 2]
    np.testing.assert_array_equal(checkpoints.young(some, 2).compute(), checkpoints.young(np.arange(3, 9), 2))


def test_masked_elements_of_a_lazy_array_become_nan():
    masked = da.ma.masked_greater(da.from_array(np.arange(1, 5), chunks=2), 3)
    np.testing.assert_array_equal(checkpoints.young(2, masked).compute(), [2, *np.sqrt([8, 12]), np.nan])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_lazy_extremes_are_computed_without_a_warning(function):
    """Each legal extreme of one argument against each of the others, as NumPy gives them."""
    bounds = {"parameters": (0, 1e300), "writers": (1, 1e300), "chain": (1, 1e300), "changed": (0, 1)}
    names = parameters_of(function)
    extremes = [np.array([*bounds.get(name, (1e-300, 1e300)), LEGAL[name]]) for name in names]
    if "persist" in names:  # it may not be longer than the shortest interval
        extremes[names.index("persist")][:] = 0
    grid = np.meshgrid(*extremes, sparse=True)
    lazy = [da.from_array(array, chunks=3) for array in grid]
    np.testing.assert_array_equal(function(*lazy).compute(scheduler="synchronous"), function(*grid))


class Elsewhere(np.lib.mixins.NDArrayOperatorsMixin):
    """An array on another device: NumPy's protocols work on it, but it cannot be brought here."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.dtype, self.size, self.shape = self.values.dtype, self.values.size, self.values.shape

    def __array__(self, dtype=None, copy=None):
        raise TypeError("an implicit copy to the host")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return self.apply(getattr(ufunc, method), inputs, options)

    def __array_function__(self, function, types, inputs, options):
        return self.apply(function, inputs, options)

    def apply(self, function, inputs, options):
        return Elsewhere(function(*(i.values if isinstance(i, Elsewhere) else i for i in inputs), **options))

    def astype(self, dtype, copy=True):
        return Elsewhere(self.values.astype(dtype))

    def min(self):
        return self.values.min()

    def max(self):
        return self.values.max()

    def __getitem__(self, index):
        return Elsewhere(self.values[index])

    def __bool__(self):
        return bool(self.values)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_arrays_of_other_devices_stay_there(function):
    """A stand-in for CuPy, which needs a GPU: every step goes through NumPy's protocols."""
    arrays = {name: LEGAL[name] * np.arange(1.0, 5.0) for name in parameters_of(function)}
    result = function(**{name: Elsewhere(array) for name, array in arrays.items()})
    assert isinstance(result, Elsewhere)
    np.testing.assert_array_equal(result.values, function(**arrays))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_unlike_shapes_are_named(function):
    assert_unlike_shapes_are_named(function, LEGAL)


@pytest.mark.parametrize(
    "function", [f for f in FUNCTIONS if f is not checkpoints.daly_as_printed], ids=lambda function: function.__name__
)
def test_the_ends_of_the_domain_pass_without_a_floating_point_event(function):
    """One formula apart, which has no value where it is not positive."""

    def mend(arguments):
        if function is checkpoints.async_overhead:
            arguments["interval"] = np.maximum(arguments["interval"], arguments["persist"])
        return arguments

    assert_defined_at_the_ends(function, LEGAL, mend)


def test_recipes_are_ordered_by_what_they_keep():
    """Not their sums again: gradients add, fewer bits of moments and fewer moments take away."""
    sizes = list(checkpoints.BYTES_PER_PARAMETER.values())
    with_gradients, plain, fp32_adam, sgd, eight_bit = (sizes[i] for i in (1, 0, 3, 4, 2))
    assert all(more >= less for more, less in pairwise([with_gradients, plain, fp32_adam, sgd, eight_bit]))
    assert with_gradients - plain == 2  # BF16
    assert fp32_adam - sgd == 4  # one moment in FP32
