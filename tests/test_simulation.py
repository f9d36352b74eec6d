"""Simulated jobs against an event-by-event reference, exact expectations, and SciPy's own distributions."""

import inspect
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain, repeat, zip_longest
from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gamma

from benchmarks import simpy_job
from relmath.simulation import BLOCK, MOST_SEGMENTS, MOST_TRIALS, Jobs, mean_interval, simulate_jobs, trace_job
from relmath.units import day, hour, minute

MTBF = 4.14 * hour
JOB = {"work": 2 * day, "interval": 14.2 * minute, "write_time": 24.5, "restart": 300.0, "downtime": 90.0}
PHASES = ("useful_time", "write_time", "lost_time", "restart_time", "downtime")
ARRAYS = (*PHASES, "lost_work", "failures", "wall_time")


def replay(*gaps: Sequence[float]) -> SimpleNamespace:
    """Pass for a frozen distribution and deal out given times, a list a trial, after which nothing fails any more."""
    rows = chain(zip_longest(*gaps, fillvalue=math.inf), repeat((math.inf,) * len(gaps)))

    def rvs(size: int, random_state: np.random.Generator) -> np.ndarray:
        block = np.full(size, math.inf)
        block[: len(gaps)] = next(rows)
        return block

    return SimpleNamespace(
        rvs=rvs,
        cdf=lambda time: 0,
        sf=lambda time: 1,
    )


def by_the_clock(
    work: float, interval: float, write_time: float, gaps: Iterator[float], restart: float, downtime: float
) -> dict[str, float]:
    """The model told event by event with an absolute clock: no division, no counting of segments."""
    clock = saved = 0.0
    spent = dict.fromkeys((*PHASES, "lost_work", "failures"), 0.0)
    next_failure = next(gaps)
    recovering = False
    while saved < work:
        segment = min(interval, work - saved)
        ends_recovery = clock + (restart if recovering else 0)
        ends_computing = ends_recovery + segment
        ends_writing = ends_computing + write_time
        if next_failure >= ends_writing:
            spent["restart_time"] += ends_recovery - clock
            spent["useful_time"] += segment
            spent["write_time"] += write_time
            clock, saved, recovering = ends_writing, saved + segment, False
            continue
        spent["restart_time"] += min(next_failure, ends_recovery) - clock
        spent["lost_time"] += max(next_failure - ends_recovery, 0)
        spent["lost_work"] += max(min(next_failure, ends_computing) - ends_recovery, 0)
        spent["downtime"] += downtime
        spent["failures"] += 1
        clock, recovering = next_failure + downtime, True
        next_failure = clock + next(gaps)
    return {**spent, "wall_time": clock}


def eighths(low: int, high: int) -> st.SearchStrategy[float]:
    """Times whose sums and differences are exact in binary, so that equal means equal, ties included."""
    return st.integers(low, high).map(lambda n: n / 8)


gap_lists = st.lists(eighths(0, 400), max_size=40)


@given(
    work=eighths(1, 1000),
    interval=eighths(1, 200),
    write_time=eighths(0, 50),
    restart=eighths(0, 100),
    downtime=eighths(0, 100),
    gaps=st.lists(gap_lists, min_size=1, max_size=4),
)
def test_every_phase_equals_the_event_driven_reference_under_the_same_failures(
    work, interval, write_time, restart, downtime, gaps
):
    jobs = simulate_jobs(work, interval, write_time, replay(*gaps), restart, downtime, trials=len(gaps))
    for trial, own in enumerate(gaps):
        reference = by_the_clock(work, interval, write_time, chain(own, repeat(math.inf)), restart, downtime)
        assert {name: getattr(jobs, name)[trial] for name in ARRAYS} == reference


@given(
    work=eighths(1, 1000),
    interval=eighths(1, 200),
    write_time=eighths(0, 50),
    restart=eighths(0, 100),
    downtime=eighths(0, 100),
    gaps=gap_lists,
)
def test_a_trace_is_the_job_told_span_by_span(work, interval, write_time, restart, downtime, gaps):
    spans = trace_job(work, interval, write_time, replay(gaps), restart, downtime)
    reference = by_the_clock(work, interval, write_time, chain(gaps, repeat(math.inf)), restart, downtime)
    for phase in PHASES:
        spent = sum(span.end - span.start for span in spans if span.phase == phase.removesuffix("_time"))
        assert spent == reference[phase]
    assert [spans[0].start, *(span.end for span in spans)] == [*(span.start for span in spans), reference["wall_time"]]
    assert all(span.end > span.start for span in spans)


@pytest.mark.parametrize("seed", range(5))
def test_a_trace_is_the_first_of_the_jobs_of_its_seed(seed):
    jobs = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=3, seed=seed)
    spans = trace_job(**JOB, failures=EXPONENTIAL, seed=seed)
    assert spans[-1].end == pytest.approx(jobs.wall_time[0], rel=1e-12)
    assert sum(span.phase == "downtime" for span in spans) == jobs.failures[0] > 3


def test_the_simpy_model_of_the_benchmark_is_the_same_job():
    gaps = np.random.default_rng(5).weibull(0.7, (20, 400)) * MTBF
    jobs = simulate_jobs(**JOB, failures=replay(*gaps), trials=20)
    simpy_times = [simpy_job.wall_time(**JOB, next_gap=iter(own).__next__) for own in gaps]
    assert jobs.failures.min() > 3
    np.testing.assert_allclose(jobs.wall_time, simpy_times, rtol=1e-12)


@pytest.mark.parametrize(
    ("work", "interval", "write_time", "restart", "downtime"),
    [
        (30 * hour, 14.2 * minute, 24.5, 300, 90),  # the usual case, with a shorter last segment
        (31 * hour, 3 * hour, 600, 2 * hour, hour),  # failures during recovery are common
        (5 * hour, math.inf, 2 * hour, 0, 0),  # one segment, most of whose attempts fail
    ],
)
def test_means_are_the_exact_expectations_for_exponential_failures(work, interval, write_time, restart, downtime):
    """E = (M + D) e^(R/M) (e^((segment + delta)/M) - 1) a segment.

    It charges recovery to failures only, so that it holds for the first segment, which starts without one, as for any
    other: exponential failures do not remember. Of failures, and of computing and writing that are undone, there are
    e^(R/M) (...) and M (...) minus the segment itself.
    """
    trials = 20_000
    jobs = simulate_jobs(
        work, interval, write_time, stats.expon(scale=MTBF), restart, downtime, trials=trials, seed=2026
    )
    full, last = divmod(work, interval)
    segments = np.array([interval] * int(full) + [last])
    risk = np.expm1((segments + write_time) / MTBF)
    failures = np.sum(risk) * math.exp(restart / MTBF)
    # Given a failure in an attempt, the mean computation before it: truncated at the end of computing.
    lost_work = np.sum((1 + risk) * (-MTBF * np.expm1(-segments / MTBF)) - segments)
    expected = {
        "wall_time": (MTBF + downtime) * failures,
        "failures": failures,
        "lost_time": np.sum(MTBF * risk - segments - write_time),
        "lost_work": lost_work,
        "restart_time": np.sum(risk) * MTBF * math.expm1(restart / MTBF),
        "downtime": downtime * failures,
    }
    for name, exact in expected.items():
        samples = getattr(jobs, name)
        error = np.abs(samples.mean() - exact)
        assert error <= 4 * stats.sem(samples) + 1e-9 * exact, f"{name}: {samples.mean()}, exactly {exact}"


TIMES_BETWEEN = {
    "exponential": stats.expon(scale=MTBF),
    "Weibull 0.7": stats.weibull_min(0.7, scale=MTBF / gamma(1 + 1 / 0.7)),
    "lognormal": stats.lognorm(1.5, scale=MTBF / math.exp(1.5**2 / 2)),
    "between 1 h and 3 h": stats.uniform(hour, 2 * hour),
    "from a log": stats.rv_histogram(np.histogram([1e3, 2e3, 5e3, 9e3, 4e4], bins=8))(),
}


@pytest.mark.parametrize("failures", TIMES_BETWEEN.values(), ids=TIMES_BETWEEN.keys())
def test_any_distribution_agrees_with_the_reference_in_distribution(failures):
    """Two samples of independent random numbers, one by the clock: Kolmogorov-Smirnov does not tell them apart."""
    job = {**JOB, "work": 9 * hour}
    jobs = simulate_jobs(**job, failures=failures, trials=4000, seed=3)
    rng = np.random.default_rng(4)
    reference = [by_the_clock(**job, gaps=iter(failures.rvs(500, random_state=rng))) for _ in range(1000)]
    for name in ("wall_time", "lost_work"):
        assert stats.ks_2samp(getattr(jobs, name), [times[name] for times in reference]).pvalue > 1e-4


def test_failures_at_equal_gaps():
    """Every 100 s, two cycles of 30 + 5 s and 30 s of a third; after a failure, 20 s of recovery leave room for two."""
    jobs = simulate_jobs(180, 30, 5, replay([100.0] * 9), restart=20, downtime=7, trials=1)
    assert jobs.failures.tolist() == [2]
    assert jobs.lost_work.tolist() == [30 + 10]
    assert jobs.restart_time.tolist() == [40]
    assert jobs.wall_time.tolist() == [2 * 107 + 20 + 2 * 35]


def test_a_failure_at_the_very_end_of_a_write_comes_too_late():
    jobs = simulate_jobs(60, 30, 5, replay([35.0], [70.0]), restart=20, downtime=7, trials=2)
    assert jobs.failures.tolist() == [1, 0]
    assert jobs.lost_time.tolist() == [0, 0]
    assert jobs.wall_time.tolist() == [70 + 7 + 20, 70]


@pytest.mark.parametrize("failures", [replay([]), stats.expon(scale=math.inf)], ids=["replay", "infinite MTBF"])
def test_without_failures_a_job_computes_and_writes(failures):
    jobs = simulate_jobs(100, 30, 5, failures, restart=20, downtime=7, trials=3)
    assert jobs.wall_time.tolist() == [100 + 4 * 5] * 3
    assert jobs.efficiency.tolist() == [100 / 120] * 3
    assert not any(getattr(jobs, name).any() for name in ("failures", "lost_time", "lost_work", "restart_time"))


def test_an_even_division_leaves_no_crumb_of_a_segment():
    """Work / (work / n) is n in arithmetic, but often a rounding error more in doubles: that is not one more write."""
    work = 0.1 * day
    pieces = [*range(1, 200), 999_999]
    written = [simulate_jobs(work, work / n, 1.0, replay([]), trials=1).write_time[0] for n in pieces]
    assert written == pieces


def test_a_job_of_the_most_segments_counts_them_all():
    jobs = simulate_jobs(MOST_SEGMENTS - 0.5, 1, 1, replay([]), trials=1)
    assert jobs.write_time[0] == MOST_SEGMENTS


def test_a_long_job_loses_no_precision():
    """Ten million segments, of which the place of the failure is a small part."""
    jobs = simulate_jobs(1e6, 0.1, 0.3, replay([4e5 + 0.05]), restart=2, downtime=1, trials=1)
    assert jobs.lost_work[0] == pytest.approx(0.05, abs=1e-9)
    assert jobs.wall_time[0] == pytest.approx(4e6 + 0.05 + 3, rel=1e-15)


def test_a_failure_a_rounding_error_before_the_end_of_a_write_loses_no_negative_time():
    interval, write_time = 0.1, 0.03
    ends = np.arange(1, 1000) * (interval + write_time)
    jobs = simulate_jobs(200, interval, write_time, replay(*([end] for end in np.nextafter(ends, 0))), trials=999)
    assert jobs.lost_time.min() >= 0
    assert jobs.lost_work.min() >= 0


def test_a_failure_a_rounding_error_before_the_end_of_the_job_costs_its_last_segment():
    interval, write_time = 0.1, 0.03
    lost = []
    for segments in range(1, 300):
        last_moment = np.nextafter((segments - 1) * (interval + write_time) + (interval + write_time), 0)
        jobs = simulate_jobs(segments * interval, interval, write_time, replay([last_moment, 0.2]), trials=1)
        lost.extend(jobs.lost_work[jobs.failures > 0])  # elsewhere the end itself is rounded to before that moment
    assert len(lost) > 100
    assert lost == pytest.approx([interval] * len(lost))


MANY = 3 * BLOCK + 100
EXPONENTIAL = TIMES_BETWEEN["exponential"]


def same(one: Jobs, other: Jobs) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


@contextmanager
def dask_executor() -> Iterator[Executor]:
    with (
        LocalCluster(n_workers=1, threads_per_worker=4, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
        client.get_executor() as executor,
    ):
        yield executor


@pytest.mark.parametrize("pool", [partial(ThreadPoolExecutor, 4), partial(ProcessPoolExecutor, 2), dask_executor])
def test_the_executor_changes_nothing(pool):
    serial = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=MANY, seed=7)
    with pool() as executor:
        assert same(serial, simulate_jobs(**JOB, failures=EXPONENTIAL, trials=MANY, seed=7, executor=executor))


def test_a_shorter_run_is_the_beginning_of_a_longer_one():
    longer = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=MANY, seed=7)
    for trials in (1, 100, BLOCK + 1):
        shorter = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=trials, seed=7)
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(shorter, name), getattr(longer, name)[:trials])


def test_one_seed_gives_every_job_the_same_failures():
    """A longer job under the same failures takes longer in every single trial, not on average only."""
    jobs = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=1000, seed=7)
    longer = simulate_jobs(**{**JOB, "work": 3 * day}, failures=EXPONENTIAL, trials=1000, seed=7)
    assert np.all(longer.wall_time > jobs.wall_time)
    assert np.all(longer.failures >= jobs.failures)
    assert np.all(longer.lost_time >= jobs.lost_time)


def test_seeds():
    def run(seed: int | np.random.SeedSequence | None) -> Jobs:
        return simulate_jobs(**JOB, failures=EXPONENTIAL, trials=50, seed=seed)

    assert same(run(7), run(np.random.SeedSequence(7)))
    assert not same(run(7), run(8))
    assert not same(run(None), run(None))


def test_blocks_are_independent():
    wall_time = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=2 * BLOCK, seed=7).wall_time
    assert stats.pearsonr(wall_time[:BLOCK], wall_time[BLOCK:]).pvalue > 1e-4


def test_the_progress_bar_counts_trials(monkeypatch):
    class Bar(list):
        def __init__(self, total, **options):
            self.total, self.update = total, self.append

        def __enter__(self):
            bars.append(self)
            return self

        def __exit__(self, *error):
            pass

    bars = []
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))
    simulate_jobs(**JOB, failures=EXPONENTIAL, trials=1, seed=7)
    simulate_jobs(**JOB, failures=EXPONENTIAL, trials=BLOCK + 5, seed=7)
    assert [(bar.total, *bar) for bar in bars] == [(1, 1), (BLOCK + 5, BLOCK, 5)]


def test_progress_is_optional(monkeypatch):
    shown = simulate_jobs(**JOB, failures=EXPONENTIAL, trials=50, seed=7)
    monkeypatch.setitem(sys.modules, "tqdm", None)  # an import of it fails
    assert same(shown, simulate_jobs(**JOB, failures=EXPONENTIAL, trials=50, seed=7))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("work", 0),
        ("work", math.inf),
        ("interval", 0),
        ("interval", math.nan),
        ("write_time", -1),
        ("restart", -1),
        ("downtime", math.inf),
        ("trials", 0),
        ("trials", 2.5),
        ("trials", 10**12),
        ("trials", 1e300),
        ("work", [hour, day]),
        ("seed", -1),
        ("seed", 1.5),
        ("seed", "a"),
        ("seed", True),
        ("seed", [[1], [1, 2]]),
        ("work", da.from_array(np.array(-1.0))),
        ("seed", np.random.default_rng(1)),
        ("executor", 5),
        ("executor", "serial"),
        ("executor", map),
    ],
    ids=str,
)
def test_a_value_outside_its_domain_is_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        simulate_jobs(**{**JOB, "failures": EXPONENTIAL, name: value})
    if name in inspect.signature(trace_job).parameters:
        with pytest.raises(ValueError, match=f"^{name} must be"):
            trace_job(**{**JOB, "failures": EXPONENTIAL, name: value})


def test_a_trace_too_long_to_read_is_refused():
    with pytest.raises(ValueError, match=r"^work / interval must be at most 1,000,000, but is 1,000,001: lengthen"):
        trace_job(1_000_001, 1, 0, stats.expon(scale=1e30))


@pytest.mark.parametrize(("work", "interval"), [(1e20, 1), (9.3e18, 1), (1e300, 1e-300), (1.01 * MOST_SEGMENTS, 1)])
def test_too_many_segments_are_refused(work, interval):
    with pytest.raises(
        ValueError, match=r"^work / interval must be at most 1,000,000,000, but is .*: lengthen the inter"
    ):
        simulate_jobs(work, interval, 0, stats.expon(scale=1e30), trials=1)


def test_too_many_trials_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"^trials must be at most 100,000,000, but is 100,000,001: make several runs"):
        simulate_jobs(**JOB, failures=EXPONENTIAL, trials=MOST_TRIALS + 1)


@pytest.mark.parametrize(
    "failures", [stats.fisk(0.5, scale=1000), stats.burr12(0.7, 1, scale=1000), stats.invweibull(0.5)]
)
def test_an_infinite_mean_is_allowed_although_scipy_calls_it_nan(failures):
    jobs = simulate_jobs(100, 10, 1, failures, trials=2000, seed=1)
    assert not failures.mean() < math.inf
    assert np.mean(jobs.failures == 0) == pytest.approx(failures.sf(110), abs=0.05)


@pytest.mark.parametrize(
    "failures",
    [
        MTBF,
        stats.expon,  # not frozen
        stats.weibull_min,
        stats.norm(MTBF, hour),  # below 0 at times
        stats.expon(scale=-MTBF),
        stats.expon(scale=[MTBF, 2 * MTBF]),
        stats.poisson(0.5),  # 0 at times
        stats.expon(scale=0),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_no_distribution_of_times_is_refused_with_a_remedy(failures):
    with pytest.raises(ValueError, match=r"^failures must .* pass a frozen distribution in seconds, e.g. scipy"):
        simulate_jobs(**JOB, failures=failures)


@pytest.mark.parametrize(
    ("failures", "restart"),
    [
        (stats.expon(scale=minute), 0),
        (stats.expon(scale=MTBF), 20 * MTBF),
        (stats.uniform(0, 10 * minute), 0),  # never long enough for a segment
        (stats.uniform(hour, hour), 1.9 * hour),  # long enough for either, never for a recovery and a segment
    ],
)
def test_a_hopeless_job_is_refused_instead_of_simulated_for_ever(failures, restart):
    with pytest.raises(ValueError, match=r"hopeless: it would meet about .* Shorten them, or pass failures"):
        simulate_jobs(**{**JOB, "failures": failures, "restart": restart})


def test_mean_interval_is_students():
    samples = stats.norm(10, 2).rvs(40, random_state=1)
    assert mean_interval(samples, 0.9) == pytest.approx(stats.ttest_1samp(samples, 0).confidence_interval(0.9))
    assert mean_interval([5.0, 5.0, 5.0]) == (5, 5)
    assert mean_interval(np.array([60_000, 60_002], dtype=np.float16)) == mean_interval([60_000.0, 60_000.0])


@pytest.mark.filterwarnings("error")
def test_mean_interval_at_the_ends_of_confidence():
    assert mean_interval([1, 3], 0) == (2, 2)
    assert mean_interval([1, 3], 1) == (-math.inf, math.inf)
    assert mean_interval([1, 1, 1], 1) == (1, 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [2.0**-1000, 1.0, 2.0**1000])
def test_mean_interval_of_samples_whose_squares_leave_the_doubles(scale):
    samples = np.array([1.0, 2, 4])
    assert mean_interval(samples * scale) == tuple(end * scale for end in mean_interval(samples))


def test_mean_interval_next_to_certainty():
    """The quantile of n - 1 = 2 in closed form: t = (2p - 1) / sqrt(2p (1 - p)) with p = (1 + confidence)/2."""
    tail = 2.0**-54
    low, high = mean_interval([1, 2, 3], 1 - 2 * tail)
    assert (high - low) / 2 == pytest.approx((1 - 2 * tail) / math.sqrt(2 * tail * (1 - tail)) / math.sqrt(3), rel=1e-9)


def test_mean_interval_computes_a_lazy_array():
    assert mean_interval(da.from_array(np.array([1.0, 2, 4]), chunks=2)) == mean_interval([1, 2, 4])
    with pytest.raises(ValueError, match=r"^samples\[1\] must be finite, but is inf"):
        mean_interval(da.from_array(np.array([1.0, np.inf])))


def test_mean_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered = sum(low < 10 < high for low, high in (mean_interval(rng.normal(10, 2, 5), 0.8) for _ in range(2000)))
    assert stats.binomtest(covered, 2000, 0.8).pvalue > 1e-4


@pytest.mark.parametrize(
    ("samples", "confidence", "named"),
    [
        ([1.0], 0.95, "samples"),
        ([1, math.nan], 0.95, r"samples\[1\]"),
        ([1, math.inf], 0.95, r"samples\[1\]"),
        ([1, 2j], 0.95, "samples"),
        ([True, False], 0.95, "samples"),
        (["a", "b"], 0.95, "samples"),
        ([[1], [1, 2]], 0.95, "samples"),
        (None, 0.95, "samples"),
        ([1.0, 2.0], 95, "confidence"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_mean_interval_refuses(samples, confidence, named):
    with pytest.raises(ValueError, match=f"^{named} must be"):
        mean_interval(samples, confidence)


def test_one_number_is_asked_for_in_words_that_fit_either_function():
    with pytest.raises(ValueError, match=r"^confidence must be one number, but has shape \(2,\): pass one at a time$"):
        mean_interval([1.0, 2.0], [0.9, 0.95])
