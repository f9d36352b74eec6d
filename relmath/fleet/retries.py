r"""Retries: what they rescue, what they waste, and when a time-out is a reason to drain a node.

A job is unsound with a probability p_a: a fault of its own fails every attempt at it. An attempt at a sound job is
failed by the platform with a probability p_p, each time anew. A classifier judges every failure: it calls one of the
platform's the platform's with its *sensitivity* s_n, and one of the job's own the job's with its *specificity* s_p.
What is called the platform's is tried again, up to n_t times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from relmath.availability import _log_down, _parallel
from relmath.domain import Array, checked, count, non_negative, positive, probability
from relmath.elementwise import in_blocks


def job_success(platform: Array, application: Array, retries: Array, sensitivity: Array, specificity: Array) -> Array:
    r"""Share of all jobs that succeed in the end.

    .. math:: (1 - p_a)\,(1 - p_p)\,\frac{1 - (p_p s_n)^{n_t+1}}{1 - p_p s_n}

    Parameters
    ----------
    platform : array_like
        Probability that the platform fails an attempt at a sound job, p_p.
    application : array_like
        Share of jobs that are unsound, p_a.
    retries : array_like
        Retries allowed, n_t: attempts after the first. Whole, at least 0.
    sensitivity : array_like
        Probability that a failure of the platform is recognised as one, s_n, each time anew.
    specificity : array_like
        Probability that a failure of the job's own is recognised as one, s_p. No job succeeds by it: what it governs
        are the :func:`hopeless_retries`.

    Returns
    -------
    array_like
        Share, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    See Also
    --------
    platform_loss : What is left to the platform, of sound jobs, in full precision.

    Examples
    --------
    >>> from relmath.units import percent
    >>> [round(float(job_success(0.02, 0, retries, 0.9, 1) / percent), 2) for retries in (0, 1, 2)]
    [98.0, 99.76, 99.8]
    """
    arguments = _checked(
        platform=platform,
        application=application,
        retries=retries,
        sensitivity=sensitivity,
        specificity=specificity,
    )
    return in_blocks(_job_success, *arguments)


def platform_loss(platform: Array, retries: Array, sensitivity: Array) -> Array:
    r"""Share of sound jobs that the platform fails for good.

    .. math:: \frac{p_p\,(1 - s_n) + (1 - p_p)\,(p_p s_n)^{n_t+1}}{1 - p_p s_n}

    The first term stays however many retries are allowed: failures that were not recognised.

    Parameters
    ----------
    platform : array_like
        Probability that the platform fails an attempt at a sound job, p_p.
    retries : array_like
        Retries allowed, n_t. Whole, at least 0.
    sensitivity : array_like
        Probability that a failure of the platform is recognised as one, s_n.

    Returns
    -------
    array_like
        Share, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import percent
    >>> [round(float(platform_loss(0.02, retries, 0.9) / percent), 3) for retries in (0, 1, 2, 100)]
    [2.0, 0.236, 0.204, 0.204]
    """
    return in_blocks(_platform_loss, *_checked(platform=platform, retries=retries, sensitivity=sensitivity))


def attempts(platform: Array, retries: Array, sensitivity: Array) -> Array:
    r"""Mean number of attempts at a sound job, the first included.

    .. math:: \frac{1 - (p_p s_n)^{n_t+1}}{1 - p_p s_n}

    Parameters
    ----------
    platform : array_like
        Probability that the platform fails an attempt at a sound job, p_p.
    retries : array_like
        Retries allowed, n_t. Whole, at least 0.
    sensitivity : array_like
        Probability that a failure of the platform is recognised as one, s_n.

    Returns
    -------
    array_like
        Number, between 1 and n_t + 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> round(float(attempts(0.5, retries=2, sensitivity=1)), 2)
    1.75
    """
    return in_blocks(_attempts, *_checked(platform=platform, retries=retries, sensitivity=sensitivity))


def hopeless_retries(application: Array, retries: Array, specificity: Array) -> Array:
    r"""Mean number of retries of unsound jobs, for each job of all.

    .. math:: p_a\,\frac{q\,(1 - q^{n_t})}{1 - q}, \quad q = 1 - s_p

    Parameters
    ----------
    application : array_like
        Share of jobs that are unsound, p_a; 1 gives the retries for each unsound job.
    retries : array_like
        Retries allowed, n_t. Whole, at least 0.
    specificity : array_like
        Probability that a failure of the job's own is recognised as one, s_p, each time anew. With 0 all of them are
        tried again, as often as is allowed.

    Returns
    -------
    array_like
        Number of attempts that cannot succeed, beyond the first.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> [round(float(hopeless_retries(1, 3, specificity)), 4) for specificity in (0, 0.9, 0.95)]
    [3.0, 0.111, 0.0526]
    """
    return in_blocks(_hopeless_retries, *_checked(application=application, retries=retries, specificity=specificity))


def budget_exhausted(failures_allowed: Array, duration: Array, mtbf: Array) -> Array:
    r"""Probability that more failures come than are allowed.

    .. math:: P(X > n_a), \qquad X \sim \mathrm{Poisson}(T_\text{job}/M)

    For a job that resumes after every failure. The budget is one number for the whole job, which is not refilled.

    Parameters
    ----------
    failures_allowed : array_like
        Failures, n_a, that the job may have; the next one ends it. Whole, at least 0.
    duration : array_like
        Time for which the job runs, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Probability.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    50 failures allowed in a week, and one every 3.093 h:

    >>> from relmath.units import day, hour
    >>> round(float(budget_exhausted(50, 7 * day, 3.093 * hour)), 2)
    0.69
    """
    arguments = _checked(failures_allowed=failures_allowed, duration=duration, mtbf=mtbf)
    return in_blocks(_budget_exhausted, *arguments)


def drain_threshold(drain_cost: Array, recurrence_cost: Array, sensitivity: Array = 1, specificity: Array = 0) -> Array:
    r"""Share of time-outs that must be the network's for draining the suspect to pay.

    .. math:: \frac{(1 - s_p)\,C_d}{s_n\,(C_r - C_d) + (1 - s_p)\,C_d}

    A test of the suspect, before it is drained, finds a faulty one with its sensitivity and acquits a healthy one with
    its specificity. Without a test (1 and 0, the defaults) every suspect is drained, and the share is C_d/C_r.

    Parameters
    ----------
    drain_cost : array_like
        What draining costs, C_d, whether or not the suspect is at fault; in any unit, such as node-seconds. At least 0.
    recurrence_cost : array_like
        What it costs, C_r, to leave one in place that is: the next time-out. In the same unit. At least 0.
    sensitivity : array_like
        Probability that the test finds a faulty suspect, s_n. Above 0.
    specificity : array_like
        Probability that it acquits a healthy one, s_p.

    Returns
    -------
    array_like
        Share; infinite if draining costs more than leaving a faulty node in place, so that it never pays.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> round(float(drain_threshold(drain_cost=1, recurrence_cost=20)), 4)
    0.05
    >>> round(float(drain_threshold(1, 20, sensitivity=0.9, specificity=0.95)), 4)
    0.0029
    """
    arguments = _checked_test(
        drain_cost=drain_cost,
        recurrence_cost=recurrence_cost,
        sensitivity=sensitivity,
        specificity=specificity,
    )
    return in_blocks(_drain_threshold, *arguments)


def _likely(name: str, value: Array) -> Array:
    """Between 0 and 1, and not 0: a NaN in a lazy array, and a refusal elsewhere."""
    return positive(name, probability(name, value))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "platform": probability,
    "application": probability,
    "retries": count,
    "sensitivity": probability,
    "specificity": probability,
    "failures_allowed": count,
    "duration": non_negative,
    "mtbf": positive,
    "drain_cost": non_negative,
    "recurrence_cost": non_negative,
}


_checked = partial(checked, _CHECKS)
_checked_test = partial(checked, _CHECKS | {"sensitivity": _likely})


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.


def _ends(platform: Array, sensitivity: Array) -> Array:
    """Probability 1 - p s that there is no retry after an attempt, as a sum in which nothing cancels."""
    return (1 - platform) + platform * (1 - sensitivity)


def _attempts(platform: Array, retries: Array, sensitivity: Array) -> Array:
    ends = _ends(platform, sensitivity)
    tries = _parallel(ends, retries + 1) / np.where(ends > 0, ends, 1)
    return np.where(ends == 0, retries + 1, tries)


def _job_success(platform: Array, application: Array, retries: Array, sensitivity: Array, specificity: Array) -> Array:
    sound = (1 - application) * (1 - platform)
    return np.minimum(sound * _attempts(platform, retries, sensitivity), 1 - application) + 0 * specificity


def _platform_loss(platform: Array, retries: Array, sensitivity: Array) -> Array:
    ends = _ends(platform, sensitivity)
    missed = platform * (1 - sensitivity)
    # Many retries magnify the rounding of a product near 1, which its distance from 1 does not have.
    again = np.where(ends < 0.5, np.exp(_log_down(ends, retries + 1)), (platform * sensitivity) ** (retries + 1))
    run_out = (1 - platform) * again
    return np.where(ends == 0, 1 + 0 * retries, (missed + run_out) / np.where(ends > 0, ends, 1))


def _hopeless_retries(application: Array, retries: Array, specificity: Array) -> Array:
    rounds = (1 - specificity) * _parallel(specificity, retries)
    tries = np.where(specificity == 0, retries, rounds / np.where(specificity > 0, specificity, 1))
    return application * tries


def _budget_exhausted(failures_allowed: Array, duration: Array, mtbf: Array) -> Array:
    # So many failures come all at the same time, by the law of large numbers: only the ratio counts, and SciPy has a
    # largest count.
    scale = np.where(failures_allowed > 1e200, 1e-100, 1)
    return special.gammainc((failures_allowed + 1) * scale, duration / mtbf * scale)


def _drain_threshold(drain_cost: Array, recurrence_cost: Array, sensitivity: Array, specificity: Array) -> Array:
    margin = np.where(recurrence_cost > drain_cost, recurrence_cost - drain_cost, 1 + 0 * recurrence_cost)
    share = 1 / (1 + sensitivity / (1 - specificity) * (margin / drain_cost))
    never = np.where(recurrence_cost < drain_cost, np.inf, 1) + 0 * share
    return np.where(recurrence_cost > drain_cost, share, never)
