"""Jobs that checkpoint, fail and recover, simulated failure by failure under any distribution of the time between them.

What the closed forms of :mod:`relmath.checkpoints` say of exponential failures on average, a simulation shows for any
failures and for every single run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from relmath.domain import (
    computed,
    count,
    finite,
    non_negative,
    one_number,
    positive,
    positive_finite,
    probability,
    seed_sequence,
)

Doubles = NDArray[np.float64]
Counts = NDArray[np.int64]

BLOCK = 8192
"""Trials that share a random stream and a place in the processor's cache. Another value gives other random numbers."""

MOST_FAILURES = 100_000
"""Expected failures of a job above which it is refused as hopeless instead of simulated."""

MOST_SEGMENTS = 1_000_000_000
"""Segments of a job above which rounding could hide a part of one, so that it is refused."""

MOST_TRIALS = 100_000_000
"""Trials above which their arrays, of 56 bytes a trial and as much again on the way, outgrow an ordinary memory."""
MOST_SPANS = 1_000_000
"""Checkpoints and expected failures above which a job is refused a trace, which nobody could read."""


@dataclass(frozen=True, eq=False)
class Jobs:
    """What happened to each simulated job: arrays with one element a trial, times in seconds.

    A job is always in one of five phases, so that their times add up to ``wall_time``.

    Attributes
    ----------
    useful_time : ndarray
        Phase: computation that a checkpoint saved, which is the work of the job.
    write_time : ndarray
        Phase: writing the checkpoints that were completed.
    lost_time : ndarray
        Phase: computation that a failure undid, and the writes that it cut short.
    restart_time : ndarray
        Phase: recovery, completed or cut short by a failure.
    downtime : ndarray
        Phase: waiting, after each failure, for recovery to begin.
    lost_work : ndarray
        The computation in `lost_time`: work done and not saved.
    failures : ndarray of int
        Number of failures.
    """

    useful_time: Doubles
    write_time: Doubles
    lost_time: Doubles
    restart_time: Doubles
    downtime: Doubles
    lost_work: Doubles
    failures: Counts

    @property
    def wall_time(self) -> Doubles:
        """Time from the start of the job to the end of its last write, which is the sum of the phases."""
        return self.useful_time + self.write_time + self.lost_time + self.restart_time + self.downtime

    @property
    def efficiency(self) -> Doubles:
        """Useful share of the wall time."""
        return self.useful_time / self.wall_time


def simulate_jobs(
    work: float,
    interval: float,
    write_time: float,
    failures: Any,
    restart: float = 0,
    downtime: float = 0,
    trials: int = 10_000,
    seed: int | np.random.SeedSequence | None = None,
    executor: Executor | None = None,
) -> Jobs:
    r"""Simulate a job that checkpoints, many times over.

    The work is cut in segments of `interval`, the last of which may be shorter, and each ends in a write. A failure
    throws the job back to its last completed write: after a downtime, in which nothing can fail, the time to the next
    failure is drawn afresh, and the job recovers (a failure during recovery means downtime and recovery anew) and
    computes the segment again. The first start needs no recovery. A failure at the very end of a write comes too late
    to undo it.

    Parameters
    ----------
    work : float
        Useful computation of the whole job, W, in seconds. Above 0 and finite.
    interval : float
        Computation between checkpoints, tau, in seconds. Above 0; infinite to write only at the end. At least W over
        `MOST_SEGMENTS`.
    write_time : float
        Time to write a checkpoint, delta, in seconds. At least 0.
    failures : frozen distribution of scipy.stats
        Time between failures, in seconds: all its values are above 0. An infinite mean is allowed.
    restart : float, optional
        Recovery, R, in seconds. At least 0.
    downtime : float, optional
        Downtime after a failure, D, in seconds. At least 0.
    trials : int, optional
        Number of independent jobs. At least 1, at most `MOST_TRIALS`.
    seed : int, numpy.random.SeedSequence or None, optional
        Seed of the random numbers; `None` takes a new one from the operating system.
    executor : concurrent.futures.Executor, optional
        Where blocks of trials run, for example a :class:`~concurrent.futures.ProcessPoolExecutor` or the
        ``get_executor()`` of a ``dask.distributed.Client``; by default, here and now.

    Returns
    -------
    Jobs
        Wall time, failures, lost work and the time in each phase, by trial.

    Raises
    ------
    ValueError
        If a value is outside its domain, or if the job is hopeless: it would meet more than `MOST_FAILURES` failures,
        estimated as :math:`\lceil W/\tau \rceil \, P(G \le \tau + \delta) / P(G > R + \tau + \delta)`, which is exact
        for exponential gaps :math:`G` and full segments.

    Notes
    -----
    Times that add up beyond the doubles do so to infinity, with NumPy's warning of an overflow.

    The result depends on the arguments and the seed alone, not on the executor. Under one seed a trial meets the same
    times between failures whatever the job and the number of trials: the first trials of a longer run are the shorter
    run, and two intervals are best compared under the same failures. (A `SeedSequence` that has spawned counts as
    another seed, and each call makes it spawn.)

    References
    ----------
    Daly (2006), doi:10.1016/j.future.2004.11.016, for the model with exponential failures.

    Examples
    --------
    Failures that come in bursts (Weibull, shape 0.7) instead of evenly, at the same mean of 4.14 h:

    >>> from scipy import stats
    >>> from scipy.special import gamma
    >>> from relmath.units import day, hour, minute
    >>> even = stats.expon(scale=4.14 * hour)
    >>> bursts = stats.weibull_min(0.7, scale=4.14 * hour / gamma(1 + 1 / 0.7))
    >>> for failures in even, bursts:
    ...     jobs = simulate_jobs(30 * day, 14.2 * minute, 24.5, failures, downtime=90, trials=1000, seed=1)
    ...     print(f"{jobs.wall_time.mean() / day:.1f} days, of which useful {100 * jobs.efficiency.mean():.1f} %")
    32.0 days, of which useful 93.8 %
    31.9 days, of which useful 93.9 %
    """
    trials = int(one_number(partial(count, least=1), "trials", trials))
    _check_most("trials", trials, MOST_TRIALS, "make several runs, each of its own seed")
    job = _checked_job(work, interval, write_time, failures, restart, MOST_SEGMENTS, MOST_FAILURES)
    downtime = one_number(non_negative, "downtime", downtime)
    root = seed_sequence(seed)
    if not isinstance(executor, Executor | None):
        raise ValueError(f"executor must be a concurrent.futures.Executor or None, but is {executor!r}: leave it out")

    sizes = [min(BLOCK, trials - start) for start in range(0, trials, BLOCK)]
    run_all = map if executor is None else executor.map
    blocks = _with_progress(run_all(partial(_simulate_block, job, failures), root.spawn(len(sizes)), sizes), trials)
    number, lost_work, lost_time, restart_time = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Jobs(
        useful_time=np.full(trials, job.work),
        write_time=np.full(trials, job.segments * job.write_time),
        lost_time=lost_time,
        restart_time=restart_time,
        downtime=number * downtime,
        lost_work=lost_work,
        failures=number,
    )


class Span(NamedTuple):
    """A stretch of a job's life in one phase, with its start and end in seconds.

    The phases are those of :class:`Jobs`: useful, write, lost, restart and downtime. The failure is at the end of a
    *lost* span, or of a *restart* that was cut short.
    """

    phase: str
    """What the job does."""

    start: float
    """Time since the start of the job, in seconds."""

    end: float
    """Where the next span starts."""


def trace_job(
    work: float,
    interval: float,
    write_time: float,
    failures: Any,
    restart: float = 0,
    downtime: float = 0,
    seed: int | np.random.SeedSequence | None = None,
) -> list[Span]:
    r"""Simulate one job, and tell its life span by span.

    It is the first of the jobs that :func:`simulate_jobs` runs under the same seed.

    Parameters
    ----------
    work, interval, write_time, failures, restart, downtime, seed
        As in :func:`simulate_jobs`.

    Returns
    -------
    list of Span
        What the job did, from its start to the end of its last write, without a gap. Spans of no length are left out.

    Raises
    ------
    ValueError
        If a value is outside its domain, or if the trace would have more than `MOST_SPANS` checkpoints or failures.

    Examples
    --------
    Twenty minutes of work, saved every ten, with a failure every twenty on average:

    >>> from scipy import stats
    >>> for span in trace_job(1200, 600, 30, stats.expon(scale=1200), restart=30, downtime=60, seed=5):
    ...     print(f"{span.phase:9}{span.start:6.0f}{span.end:6.0f}")
    useful        0   600
    write       600   630
    lost        630   637
    downtime    637   697
    restart     697   727
    useful      727  1327
    write      1327  1357

    """
    job = _checked_job(work, interval, write_time, failures, restart, MOST_SPANS, MOST_SPANS)
    downtime = one_number(non_negative, "downtime", downtime)
    rng = np.random.default_rng(seed_sequence(seed).spawn(1)[0])  # the stream of the first block
    spans: list[Span] = []

    def spend(phase: str, time: float) -> None:
        now = spans[-1].end if spans else 0.0
        if time > 0:
            spans.append(Span(phase, now, now + time))

    def next_gap() -> float:
        return float(failures.rvs(size=BLOCK, random_state=rng)[0])

    left, gap, recovery = job.segments, next_gap(), 0.0  # the first start needs no recovery
    while left:
        computing = job.interval if left > 1 else job.last
        if gap < recovery + computing + job.write_time:
            spend("restart", min(gap, recovery))
            spend("lost", gap - recovery)
            spend("downtime", downtime)
            gap, recovery = next_gap(), job.restart
        else:
            spend("restart", recovery)
            spend("useful", computing)
            spend("write", job.write_time)
            gap, recovery, left = gap - recovery - computing - job.write_time, 0.0, left - 1
    return spans


def mean_interval(samples: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    r"""Confidence interval of the mean of independent samples, by Student's t.

    .. math:: \bar x \pm t_{n-1} \, s / \sqrt n

    Exact for normal samples; for others it relies on the central limit theorem, so on many samples.

    Parameters
    ----------
    samples : array_like
        At least two independent values of one quantity, finite.
    confidence : float, optional
        Probability that such an interval contains the true mean, between 0 and 1, both included.

    Returns
    -------
    low, high : float
        Ends of the interval, in the unit of the samples.

    Raises
    ------
    ValueError
        If there are fewer than two samples, one is not finite, or `confidence` is not a probability.

    Examples
    --------
    >>> low, high = mean_interval([9, 10, 11])
    >>> round(low, 2), round(high, 2)
    (7.52, 12.48)
    """
    values = np.ravel(computed(finite, "samples", samples))
    if values.size < 2:
        raise ValueError(f"samples must be at least 2 values to have a spread, but is {values.size}: run more trials")
    tail = (1 - one_number(probability, "confidence", confidence)) / 2
    quantile = abs(special.stdtrit(values.size - 1, tail))  # of Student's t; all of scipy.stats is slow to import
    _, magnitude = np.frexp(np.abs(values).max())  # so that no square leaves the doubles
    values = np.ldexp(values, -magnitude)
    spread = values.std(ddof=1) / math.sqrt(values.size)
    half_width = quantile * spread if spread else 0  # even at a confidence of 1, whose quantile is infinite
    with np.errstate(over="ignore", under="ignore"):
        low, high = np.ldexp(values.mean() + np.array([-half_width, half_width]), magnitude)
    return float(low), float(high)


class _Job(NamedTuple):
    work: float
    segments: int
    interval: float
    last: float  # computation in the last segment
    write_time: float
    restart: float


def _checked_job(
    work: Any,
    interval: Any,
    write_time: Any,
    failures: Any,
    restart: Any,
    most_segments: int,
    most_failures: int,
) -> _Job:
    work = one_number(positive_finite, "work", work)
    interval = min(one_number(positive, "interval", interval), work)
    write_time = one_number(non_negative, "write_time", write_time)
    restart = one_number(non_negative, "restart", restart)
    _check_most("work / interval", work / interval, most_segments, "lengthen the interval")
    _check_times_between(failures)
    # A work of three intervals in decimal may be a rounding error more than three in binary: no segment of its own.
    segments = math.ceil(work / interval * (1 - 1e-12))
    job = _Job(work, segments, interval, work - (segments - 1) * interval, write_time, restart)
    _check_hope(job, failures, most_failures)
    return job


_Block = tuple[Counts, Doubles, Doubles, Doubles]  # by trial: failures, lost work, lost time, restart time


def _simulate_block(job: _Job, failures: Any, seed: np.random.SeedSequence, trials: int) -> _Block:
    """Run up to `BLOCK` jobs at once, from failure to failure; what lies between two of them is arithmetic."""
    rng = np.random.default_rng(seed)
    number = np.zeros(trials, np.int64)
    lost_work, lost_time, restart_time = np.zeros((3, trials))
    cycle = job.interval + job.write_time

    trial = np.arange(trials)  # the jobs that still run, and how many segments each has left
    left = np.full(trials, job.segments)
    restart = 0.0  # the first start needs no recovery
    while trial.size:
        gap = failures.rvs(size=BLOCK, random_state=rng)[trial]  # a full block: a trial's gaps are its own
        restart_time[trial] += np.minimum(gap, restart)
        up = np.maximum(gap - restart, 0)

        fails = up < (left - 1) * cycle + (job.last + job.write_time)
        trial, left, up = trial[fails], left[fails], up[fails]
        number[trial] += 1
        saved = np.minimum((up / cycle).astype(np.int64), left - 1)
        left -= saved
        lost = np.maximum(up - saved * cycle, 0)  # a quotient rounded up to a whole leaves a trace below 0
        lost_time[trial] += lost
        lost_work[trial] += np.minimum(lost, np.where(left == 1, job.last, job.interval))
        restart = job.restart
    return number, lost_work, lost_time, restart_time


def _check_most(name: str, value: float, most: int, remedy: str) -> None:
    if value > most:
        raise ValueError(f"{name} must be at most {most:,}, but is {value:,.10g}: {remedy}")


def _check_times_between(failures: Any) -> None:
    remedy = "pass a frozen distribution in seconds, e.g. scipy.stats.expon(scale=mtbf)"
    # The distributions themselves, unlike frozen ones, can be called: that is what freezes them.
    if callable(failures) or not all(hasattr(failures, name) for name in ("rvs", "cdf", "sf")):
        raise ValueError(f"failures must be a distribution of the time between failures, but is {failures!r}: {remedy}")
    # Its mean tells nothing: some that are infinite come from SciPy as NaN.
    with np.errstate(all="ignore"):  # which SciPy meets on the way to a NaN
        none = np.asarray(failures.cdf(0))
    if none.ndim or none != 0:
        raise ValueError(
            f"failures must be one distribution of times above 0, but has others with probability {none}: {remedy}"
        )


def _check_hope(job: _Job, failures: Any, most: int) -> None:
    cycle = job.interval + job.write_time
    success = failures.sf(job.restart + cycle)
    expected = job.segments * failures.cdf(cycle) / success if success > 0 else math.inf
    if expected > most:
        raise ValueError(
            f"the job is hopeless: it would meet about {expected:.2g} failures, above the limit of {most}, as "
            f"restart, interval and write_time together, {job.restart + cycle:g} s, pass without a failure with "
            f"probability {success:.2g}. Shorten them, or pass failures farther apart"
        )


def _with_progress(blocks: Iterable[_Block], trials: int) -> Iterator[_Block]:
    """Show a progress bar on runs that last, where tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield from blocks
        return
    with tqdm(total=trials, unit="trial", unit_scale=True, delay=10, leave=False) as bar:
        for block in blocks:
            yield block
            bar.update(len(block[0]))
