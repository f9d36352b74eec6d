r"""Objectives: what a promise of availability or of success allows, and how many jobs show whether it is kept.

Shares are of time (availability) or of jobs (success). Times from 1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from relmath.domain import Array, checked, count, non_negative, positive, positive_finite, probability
from relmath.elementwise import in_blocks, times_mtbf

SLACK = 1e-12  # relative, by which rounding may hide that a test reaches its significance or its power exactly
CHUNK = 1024  # of numbers of failures that are tried at once
MOST = 1e15  # jobs: beyond, a double hardly tells one number from the next


def allowed_mttr(mtbf: Array, target: Array) -> Array:
    r"""Mean time to repair at which an availability is just reached.

    .. math:: r = M\,\frac{1 - A_t}{A_t}

    Parameters
    ----------
    mtbf : array_like
        Mean time between failures of what is to be available, from the end of a repair to the next failure, in seconds.
        Above 0; infinite if it never fails.
    target : array_like
        Availability wanted, A_t. Between 0 and 1.

    Returns
    -------
    array_like
        Mean time to repair, in seconds, from the failure on: until it is noticed, repaired, tested and back. Infinite
        if nothing is wanted, and if it never fails; but 0 if no time down is allowed at all.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A node of 8 GPUs, 2 network cards and 2 power supplies fails every 5 172.4 h:

    >>> from relmath.units import hour, percent
    >>> round(float(allowed_mttr(5172.4 * hour, 99.95 * percent) / hour), 2)
    2.59
    """
    return in_blocks(_allowed_mttr, *_checked(mtbf=mtbf, target=target))


def hazard_ratio(success_before: Array, success_after: Array) -> Array:
    r"""Factor by which the failure hazard of jobs fell, from their shares of success.

    .. math:: \frac{\ln S_0}{\ln S_1}

    A job that runs for a time T at a constant hazard h succeeds with probability :math:`e^{-hT}`; for the same jobs the
    ratio of the logarithms is that of the hazards. For jobs unlike each other it is an average.

    Parameters
    ----------
    success_before : array_like
        Share of jobs that succeeded before, S_0. Between 0 and 1.
    success_after : array_like
        Share that succeeds after, S_1. Between 0 and 1.

    Returns
    -------
    array_like
        Ratio, above 1 if things got better; 1 if both shares are the same.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> round(float(hazard_ratio(0.98, 0.995)), 2)
    4.03
    """
    return in_blocks(_hazard_ratio, *_checked(success_before=success_before, success_after=success_after))


def jobs_to_tell_apart(p0: Array, p1: Array, significance: Array, power: Array) -> Array:
    """Smallest number of jobs in which the exact one-sided binomial test tells two shares of success apart.

    The test finds for p1 if so few jobs fail (or, where p1 is below p0, succeed) that p0 would bring so few, or fewer,
    with a probability of at most `significance`. Its power is the probability that it does, if p1 is true.

    Parameters
    ----------
    p0 : array_like
        Share of success that is to be ruled out. Between 0 and 1.
    p1 : array_like
        Share of success that is true. Between 0 and 1.
    significance : array_like
        Probability of an error that is accepted if p0 is true.
    power : array_like
        Probability wanted of finding for p1 if it is true.

    Returns
    -------
    array_like
        Number of jobs; infinite if no number is enough, if the shares are the same, and where more than 1e15 would be
        needed. With a few jobs more the power can be a little lower again, since those that may fail are a whole
        number.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Notes
    -----
    Of all numbers of jobs for which the test allows the same number of failures, the first has the most power. So it is
    enough to try the numbers of failures, one after another, from where a test that also draws lots has the power. The
    binomial sums are good to about 1e-12: from 1e9 jobs on the last digits of the number are their rounding.

    Examples
    --------
    >>> float(jobs_to_tell_apart(0.98, 0.995, significance=0.05, power=0.9))
    456.0
    """
    return in_blocks(_jobs_to_tell_apart, *_checked(p0=p0, p1=p1, significance=significance, power=power))


def all_budgets(budgets: Array) -> Array:
    r"""Share of jobs that any of several independent causes may fail, if each may fail its own share.

    .. math:: 1 - \prod_i (1 - b_i)

    Parameters
    ----------
    budgets : array_like
        Share b of each cause, along the last axis. Between 0 and 1.

    Returns
    -------
    array_like
        Share, of one dimension less. A little less than the sum, since a job can be lost only once.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> round(float(all_budgets([0.002, 0.001, 0.0015, 0.0005])), 6)
    0.004991
    """
    (values,) = _checked(budgets=budgets)
    return in_blocks(_all_budgets, np.sum(np.atleast_1d(in_blocks(np.log1p, -values)), axis=-1))


def start_in_time(deadline: Array, settle: Array, startup: Array, nodes: Array = 1) -> Array:
    r"""Probability that a job starts within a deadline, once its capacity is there.

    .. math:: \left(1 - e^{-(t_d - t_s)/t_w}\right)^N

    Each node is held until its checks have settled, and then takes an exponential time to start: to pull an image, to
    mount its data, to join. The job starts when the last of its nodes has.

    Parameters
    ----------
    deadline : array_like
        Time from when the capacity is there within which the job shall start, t_d, in seconds. At least 0.
    settle : array_like
        Time for which the capacity is held until checks have settled, t_s, in seconds. At least 0.
    startup : array_like
        Mean time that a node then takes to start, t_w, in seconds. Above 0 and finite.
    nodes : array_like
        Nodes of the job, N. Whole, at least 1.

    Returns
    -------
    array_like
        Probability; 0 if the deadline ends before the checks do.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import minute
    >>> [round(float(start_in_time(15 * minute, 10 * minute, minute, nodes)), 3) for nodes in (1, 128)]
    [0.993, 0.421]
    """
    return in_blocks(_start_in_time, *_checked(deadline=deadline, settle=settle, startup=startup, nodes=nodes))


def deadline_for(target: Array, settle: Array, startup: Array, nodes: Array = 1) -> Array:
    r"""Deadline within which a job starts with a probability.

    .. math:: t_d = t_s - t_w \ln\left(1 - A_t^{1/N}\right)

    The inverse of :func:`start_in_time`, with its assumptions.

    Parameters
    ----------
    target : array_like
        Probability wanted, A_t. Between 0 and 1.
    settle : array_like
        Time for which the capacity is held until checks have settled, t_s, in seconds. At least 0.
    startup : array_like
        Mean time that a node then takes to start, t_w, in seconds. Above 0 and finite.
    nodes : array_like
        Nodes of the job, N. Whole, at least 1.

    Returns
    -------
    array_like
        Time in seconds; infinite for certainty.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import minute
    >>> [round(float(deadline_for(0.99, 10 * minute, minute, nodes) / minute), 1) for nodes in (1, 128)]
    [14.6, 19.5]
    """
    return in_blocks(_deadline_for, *_checked(target=target, settle=settle, startup=startup, nodes=nodes))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "mtbf": positive,
    "target": probability,
    "success_before": probability,
    "success_after": probability,
    "p0": probability,
    "p1": probability,
    "significance": probability,
    "power": probability,
    "budgets": probability,
    "deadline": non_negative,
    "settle": non_negative,
    "startup": positive_finite,
    "nodes": partial(count, least=1),
}


_checked = partial(checked, _CHECKS)


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.


def _allowed_mttr(mtbf: Array, target: Array) -> Array:
    allowed = times_mtbf((1 - target) / target, mtbf)
    return np.where((target == 1) & (mtbf > 0), 0, allowed)


def _hazard_ratio(success_before: Array, success_after: Array) -> Array:
    differ = success_before != success_after
    before = np.where(differ, success_before, 0.5)
    after = np.where(differ, success_after, 0.5 + 0 * success_after)
    return np.abs(np.log(before)) / np.abs(np.log(after))


def _all_budgets(log_success: Array) -> Array:
    return np.abs(np.expm1(log_success))  # with no budget, or only zeros, 0 and not -0


def _start_in_time(deadline: Array, settle: Array, startup: Array, nodes: Array) -> Array:
    waited = np.maximum(deadline - settle, 0) / startup
    late = np.exp(-waited)  # above a half the complement is the more exact, below it the logarithm of 1 - late
    log_on_time = np.where(late > 0.5, np.log(-np.expm1(-waited)), np.log1p(-np.minimum(late, 0.5)))
    return np.exp(nodes * log_on_time)


def _deadline_for(target: Array, settle: Array, startup: Array, nodes: Array) -> Array:
    each = np.log(target) / nodes  # logarithm of the chance of one node
    log_late = np.where(each > -0.5, np.log(-np.expm1(each)), np.log1p(-np.exp(np.minimum(each, -0.5))))
    return settle + times_mtbf(-log_late, startup)


def _jobs_to_tell_apart(p0: Array, p1: Array, significance: Array, power: Array) -> Array:
    columns = np.broadcast_arrays(p0, p1, significance, power)
    numbers = [_jobs(*map(float, row)) for row in zip(*(column.ravel() for column in columns), strict=True)]
    return np.reshape(np.array(numbers, dtype=np.float64), columns[0].shape)


def _jobs(p0: float, p1: float, significance: float, power: float) -> float:
    """For one setting; the limits first, where a share is 0 or 1 or a wish is for certainty."""
    if np.isnan([p0, p1, significance, power]).any():
        return np.nan
    if power == 0 or (significance == 1 and p0 != p1):
        return 0.0
    few0, few1 = (1 - p0, 1 - p1) if p1 > p0 else (p0, p1)  # what few jobs do if p1 is true: fail, or succeed
    if p0 == p1 or (significance == 0 and few0 < 1) or (power == 1 and few1 > 0):
        return np.inf
    if few0 == 1:  # one that does not is proof; it comes in time with a probability of 1 - few1^n
        return 1.0 if few1 == 0 else _whole(np.log1p(-power) / np.log(few1))
    if few1 == 0:  # none does, and that must be unlikely enough
        return _whole(np.log(significance) / np.log1p(-few0))
    return _by_trying(few0, few1, significance, power)


def _by_trying(few0: float, few1: float, significance: float, power: float) -> float:
    """For the settings without a formula: how many may do what few do decides how many jobs there must be."""
    wanted = power * (1 - SLACK)

    def too_few(allowed: float) -> bool:
        n = _fewest(allowed, few0, significance)
        return bool(n <= MOST and _power_at_most(allowed, n, few0, few1, significance) < wanted)

    low, high = -1.0, 0.0
    while too_few(high):
        low, high = high, 2 * high + 1
    while high - low > 1:
        middle = np.floor((low + high) / 2)
        low, high = (middle, high) if too_few(middle) else (low, middle)
    chunk = 16
    while True:
        allowed = high + np.arange(chunk)
        n = _fewest(allowed, few0, significance)
        enough = _at_most(allowed, n, few1) >= wanted
        if enough.any() or n[0] > MOST:
            return _countable(float(n[np.argmax(enough)]))
        high, chunk = high + chunk, min(2 * chunk, CHUNK)


def _whole(number: float) -> float:
    return _countable(float(max(1.0, np.ceil(number * (1 - SLACK)))))


def _countable(number: float) -> float:
    return number if number <= MOST else np.inf


def _at_most(allowed: Array, n: Array, few: float) -> Array:
    """Probability that so few of n do what few do, or fewer."""
    return special.betaincc(allowed + 1, np.maximum(n - allowed, 1e-300), few)


def _fewest(allowed: Array, few: float, significance: float) -> Array:
    """Smallest number of jobs of which so many may do what few do, and the test still finds for p1."""
    limit = significance * (1 + SLACK)
    low, high = allowed, allowed + 1
    while (short := (high <= MOST) & (_at_most(allowed, high, few) > limit)).any():
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    middle = np.floor((low + high) / 2)
    while ((low < middle) & (middle < high)).any():
        short = _at_most(allowed, middle, few) > limit
        low, high = np.where(short, middle, low), np.where(short, high, middle)
        middle = np.floor((low + high) / 2)
    return high


def _power_at_most(allowed: Array, n: Array, few0: float, few1: float, significance: float) -> Array:
    """Power where the significance is met to the full, by drawing lots between n - 1 jobs and n.

    What is known when the first job too many fails grows with how many may, so that this grows with `allowed`; the test
    without lots has no more. It serves to skip what cannot be enough.
    """
    full0, full1 = _at_most(allowed, n - 1, few0), _at_most(allowed, n - 1, few1)
    here0, here1 = _at_most(allowed, n, few0), _at_most(allowed, n, few1)
    gap = full0 - here0
    lots = np.clip((significance - here0) / np.where(gap > 0, gap, 1), 0, 1)
    return here1 + np.where(gap > 0, lots, 1) * (full1 - here1)
