r"""Admission: which nodes may take work, how many bad ones slip through, and when a device has failed too often.

A node is *bad* if it has a fault that would show under load; *prevalence* is the share of bad ones among those that are
tested. Times from 1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from relmath.availability import _unavailability
from relmath.domain import Array, checked, count, non_negative, positive_finite, probability
from relmath.elementwise import in_blocks

SLACK = 1e-9  # relative, by which a limit may be missed and yet be reached


def admitted_bad(prevalence: Array, coverage: Array, rounds: Array) -> Array:
    r"""Share of bad nodes among those that pass so many rounds of tests.

    .. math:: \frac{p\,(1 - c_d)^{n_r}}{p\,(1 - c_d)^{n_r} + 1 - p}

    Assumes that each round sees a fault with the same probability, whatever the rounds before it saw, and that no good
    node fails.

    Parameters
    ----------
    prevalence : array_like
        Share of bad nodes among those tested, p.
    coverage : array_like
        Probability that a round sees the fault of a bad node, c_d.
    rounds : array_like
        Rounds of tests, n_r. Whole, at least 0.

    Returns
    -------
    array_like
        Share, between 0 and 1; 0 if none passes.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    One node in a hundred is bad, and two rounds see nine faults in ten each:

    >>> from relmath.units import percent
    >>> round(float(admitted_bad(1 * percent, 90 * percent, 2) / percent), 4)
    0.0101
    """
    return in_blocks(_admitted_bad, *_checked(prevalence=prevalence, coverage=coverage, rounds=rounds))


def clean_start(nodes: Array, bad: Array) -> Array:
    r"""Probability that none of the nodes of a gang is bad.

    .. math:: (1 - p_\text{bad})^N

    Assumes that nodes are bad independently of one another.

    Parameters
    ----------
    nodes : array_like
        Nodes of the gang, N. Whole, at least 1.
    bad : array_like
        Probability that a node is bad.

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
    >>> from relmath.units import percent
    >>> round(float(clean_start(64, 1 * percent) / percent), 1)
    52.6
    """
    return in_blocks(_clean_start, *_checked(nodes=nodes, bad=bad))


def pair_tests(nodes: Array) -> Array:
    r"""Fewest tests between two nodes, all set beforehand, that name the one bad node, or find that there is none.

    .. math:: N - \lfloor N/3 \rfloor

    A test fails if either node is bad. The nodes are taken in chains of three or more, in which neighbours are tested:
    then each node has tests of its own pattern. It takes two turns, since a node in two tests does one after the other.

    Parameters
    ----------
    nodes : array_like
        Number of nodes, N. Whole, at least 3: of two nodes, no test between them tells which is bad.

    Returns
    -------
    array_like
        Number of tests, whole.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> float(pair_tests(64)), 64 * 63 // 2  # all pairs
    (43.0, 2016)
    """
    return in_blocks(_pair_tests, *_checked_chains(nodes=nodes))


def group_tests(nodes: Array) -> Array:
    r"""Fewest collectives over groups of any size, all set beforehand, that name the one bad node, or find none.

    .. math:: \lceil \log_2 (N + 1) \rceil

    A collective fails if any node in it is bad. Number the nodes from 1 in binary; the collective of each digit has the
    nodes that have a 1 there, so that the failed ones spell the number.

    Parameters
    ----------
    nodes : array_like
        Number of nodes, N. Whole, at least 1.

    Returns
    -------
    array_like
        Number of collectives, whole.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> float(group_tests(64))
    7.0
    """
    return in_blocks(_group_tests, *_checked(nodes=nodes))


def healthy(runs: Array, failed: Array, needed: Array = 2) -> Array:
    """Tell whether a check may count as passed: it has run as often as is needed, and never failed.

    A check that has not run yet is not healthy, and neither is one of which nothing is known (NaN in a lazy array). A
    node may take work if all of its checks are healthy: ``healthy(runs, failed).all(axis=-1)``.

    Parameters
    ----------
    runs : array_like
        Times that the check has run to its end since the node started. Whole, at least 0.
    failed : array_like
        How many of them failed. Whole, at least 0.
    needed : array_like
        How many it takes. Whole, at least 1.

    Returns
    -------
    array_like of bool
        True if the check is healthy.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A quick check that has run twice, and a slow one that has not run yet:

    >>> healthy(runs=[2, 0], failed=[0, 0]).tolist()
    [True, False]
    """
    runs, failed, needed = _checked(runs=runs, failed=failed, needed=needed)
    return (runs >= needed) & (failed == 0)


def unsettled(window: Array, period: Array, runtime: Array = 0) -> Array:
    r"""Probability that a check has given no result yet when a node is admitted after a window.

    .. math:: 1 - \frac{w - t_\text{run}}{\theta}, \quad \text{between 0 and 1}

    Assumes that a node starts at any moment of the check's period alike.

    Parameters
    ----------
    window : array_like
        Time from the start of the node to its admission, w, in seconds. At least 0.
    period : array_like
        Time between two starts of the check, theta, in seconds. Above 0.
    runtime : array_like
        Time from a start of the check to its result, in seconds. At least 0.

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
    A check every 60 s, and a window of one cycle of 30 s:

    >>> float(unsettled(30, 60))
    0.5
    """
    return in_blocks(_unsettled, *_checked(window=window, period=period, runtime=runtime))


def exposure(window: Array, period: Array, runtime: Array = 0) -> Array:
    r"""Mean time for which a node is in service before a check first gives a result.

    .. math:: \mathrm E\,\bigl[\max(0,\; V + t_\text{run} - w)\bigr], \qquad V \text{ uniform over } (0, \theta)

    That is :math:`(\theta + t_\text{run} - w)^2 / 2\theta` while the window ends between the earliest and the latest
    result.

    Parameters
    ----------
    window : array_like
        Time from the start of the node to its admission, w, in seconds. At least 0.
    period : array_like
        Time between two starts of the check, theta, in seconds. Above 0.
    runtime : array_like
        Time from a start of the check to its result, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds, over all nodes: 0 for those whose check was in time.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> float(exposure(0, 60)), float(exposure(30, 60)), float(exposure(60, 60))
    (30.0, 7.5, 0.0)
    """
    return in_blocks(_exposure, *_checked(window=window, period=period, runtime=runtime))


def posterior_rate(failures: Array, time: Array, shape: Array, rate: Array) -> Array:
    r"""Mean failure rate of a device that has failed so often in so long.

    .. math:: \frac{\alpha_g + n_d}{\vartheta + t}

    Devices differ: their rates are gamma-distributed with mean alpha_g/vartheta over the fleet. Each fails as a Poisson
    process of its own rate.

    Parameters
    ----------
    failures : array_like
        Failures seen, n_d. Whole, at least 0.
    time : array_like
        Time in which they were seen, t, in seconds. At least 0.
    shape : array_like
        Shape of the gamma distribution, alpha_g: the smaller, the more unlike the devices are. Above 0.
    rate : array_like
        Rate of the gamma distribution, vartheta, in seconds. Above 0.

    Returns
    -------
    array_like
        Failures per second.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A fleet with 6.5 failures per 1 000 days in the mean, and a node with three in 90 days:

    >>> from relmath.units import day
    >>> shape, mean = 0.5, 6.5 / (1000 * day)
    >>> round(float(posterior_rate(3, 90 * day, shape, shape / mean) * 1000 * day), 1)
    21.0
    """
    return in_blocks(_posterior_rate, *_checked(failures=failures, time=time, shape=shape, rate=rate))


def posterior_risk(failures: Array, time: Array, shape: Array, rate: Array, duration: Array) -> Array:
    r"""Probability that a device with this history fails within a time to come.

    .. math:: 1 - \left( \frac{\vartheta + t}{\vartheta + t + T} \right)^{\alpha_g + n_d}

    Parameters
    ----------
    failures : array_like
        Failures seen, n_d. Whole, at least 0.
    time : array_like
        Time in which they were seen, t, in seconds. At least 0.
    shape : array_like
        Shape of the gamma distribution of rates, alpha_g. Above 0.
    rate : array_like
        Rate of the gamma distribution, vartheta, in seconds. Above 0.
    duration : array_like
        Time to come, T, in seconds. At least 0.

    Returns
    -------
    array_like
        Probability of at least one failure.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, percent
    >>> shape, mean = 0.5, 6.5 / (1000 * day)
    >>> round(float(posterior_risk(3, 90 * day, shape, shape / mean, 30 * day) / percent), 1)
    43.9
    """
    arguments = _checked(failures=failures, time=time, shape=shape, rate=rate, duration=duration)
    return in_blocks(_posterior_risk, *arguments)


def failures_to_retire(time: Array, shape: Array, rate: Array, limit: Array) -> Array:
    r"""Failures in so long from which on the mean rate of a device is at or above a limit.

    .. math:: \max \bigl( 0,\; \lceil \lambda_\text{max}\,(\vartheta + t) - \alpha_g \rceil \bigr)

    Parameters
    ----------
    time : array_like
        Time in which failures are counted, t, in seconds. At least 0.
    shape : array_like
        Shape of the gamma distribution of rates, alpha_g. Above 0.
    rate : array_like
        Rate of the gamma distribution, vartheta, in seconds. Above 0.
    limit : array_like
        Failures per second that are too many. Above 0.

    Returns
    -------
    array_like
        Number of failures, whole. The limit may be missed by a relative 1e-9.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day
    >>> shape, mean = 0.5, 6.5 / (1000 * day)
    >>> float(failures_to_retire(90 * day, shape, shape / mean, 20 / (1000 * day)))
    3.0
    """
    return in_blocks(_failures_to_retire, *_checked(time=time, shape=shape, rate=rate, limit=limit))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "prevalence": probability,
    "coverage": probability,
    "rounds": count,
    "nodes": partial(count, least=1),
    "bad": probability,
    "runs": count,
    "failed": count,
    "needed": partial(count, least=1),
    "window": non_negative,
    "period": positive_finite,
    "runtime": non_negative,
    "failures": count,
    "time": non_negative,
    "shape": positive_finite,
    "rate": positive_finite,
    "duration": non_negative,
    "limit": positive_finite,
}

_checked = partial(checked, _CHECKS)
_checked_chains = partial(checked, _CHECKS | {"nodes": partial(count, least=3)})


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.

_MOST = np.finfo(np.float64).max


def _admitted_bad(prevalence: Array, coverage: Array, rounds: Array) -> Array:
    missed = prevalence * _unavailability(coverage, rounds)
    admitted = missed + (1 - prevalence)
    return missed / np.where(admitted > 0, admitted, 1) + 0 * admitted


def _clean_start(nodes: Array, bad: Array) -> Array:
    return _unavailability(bad, nodes)  # none of them is bad, as none of the replicas is up


def _pair_tests(nodes: Array) -> Array:
    return nodes - np.floor(nodes / 3)


def _group_tests(nodes: Array) -> Array:
    return np.frexp(nodes)[1] + 0 * nodes  # the number of binary digits


def _left(window: Array, period: Array, runtime: Array) -> Array:
    """How much of a period the window leaves out."""
    return np.clip(period - (window - runtime), 0, period)


def _unsettled(window: Array, period: Array, runtime: Array) -> Array:
    return _left(window, period, runtime) / period


def _exposure(window: Array, period: Array, runtime: Array) -> Array:
    left = _left(window, period, runtime)
    return left * (left / period) / 2 + np.maximum(runtime - window, 0)


def _half(rate: Array, time: Array) -> Array:
    """Half their sum, which does not overflow, and never 0."""
    return np.maximum(rate / 2 + time / 2, 2.0**-1074)


def _posterior_rate(failures: Array, time: Array, shape: Array, rate: Array) -> Array:
    return (shape / 2 + failures / 2) / _half(rate, time)


def _posterior_risk(failures: Array, time: Array, shape: Array, rate: Array, duration: Array) -> Array:
    return -np.expm1(-np.minimum(shape + failures, _MOST) * np.log1p(duration / 2 / _half(rate, time)))


def _failures_to_retire(time: Array, shape: Array, rate: Array, limit: Array) -> Array:
    wanted = np.minimum(limit * _half(rate, time), _MOST / 2) * 2 * (1 - SLACK)
    return np.maximum(np.ceil(wanted - shape), 0)
