r"""Detection: how soon a periodic check finds a fault, what it never sees, and how many healthy nodes it accuses.

A check runs once a period theta and passes or fails. So many failures in a row, the threshold k, raise an alarm. It
fails on a faulty node with a probability, its sensitivity, and on a healthy one with another, its false-positive rate;
both are of one run, and runs are independent where nothing else is said. Times from 1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from relmath.domain import (
    Array,
    checked,
    count,
    fitting_shapes,
    non_negative,
    positive,
    positive_finite,
    probability,
)
from relmath.elementwise import in_blocks
from relmath.recovery import _detection_time, _false_alarm_time


def detection_latency(period: Array, threshold: Array = 1, timeout: Array = 0) -> Array:
    r"""Mean time from a lasting fault to the end of the check that raises the alarm.

    .. math:: \left(k - \tfrac12\right) \theta + t_\text{out}

    Checks start at a fixed rate, and the fault strikes anywhere between two of them; from then on every check fails.
    The latency is anywhere between k - 1 and k periods, and one time-out more if the last check only fails by it.

    Parameters
    ----------
    period : array_like
        Time between the starts of two checks, theta, in seconds. Above 0 and finite.
    threshold : array_like
        Failed checks in a row that raise an alarm, k. Whole, at least 1.
    timeout : array_like
        Time that a failing check takes, in seconds: its time-out, if it hangs. At least 0.

    Returns
    -------
    array_like
        Time in seconds.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Polls of 15 s, four in a row: between 45 and 60 s, and on average

    >>> float(detection_latency(15, threshold=4))
    52.5
    """
    return in_blocks(_detection_latency, *_checked(period=period, threshold=threshold, timeout=timeout))


def intermittent_latency(period: Array, threshold: Array, sensitivity: Array, timeout: Array = 0) -> Array:
    r"""Mean time to the alarm for a fault that each check sees with some probability only.

    .. math:: \theta \left( \frac{1 - s_n^k}{s_n^k\,(1 - s_n)} - \frac12 \right) + t_\text{out}

    A fault that comes and goes faster than checks are made: each check finds it anew. The same runs of k that protect
    a healthy node from noise protect a faulty one from being found.

    Parameters
    ----------
    period : array_like
        Time between the starts of two checks, theta, in seconds. Above 0 and finite.
    threshold : array_like
        Failed checks in a row that raise an alarm, k. Whole, at least 1.
    sensitivity : array_like
        Probability that a check of the faulty node fails, s_n.
    timeout : array_like
        Time that a failing check takes, in seconds: its time-out, if it hangs. At least 0.

    Returns
    -------
    array_like
        Time in seconds; :func:`detection_latency` at a sensitivity of 1, infinite at 0.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Seen by every other check, at polls of 15 s and four in a row, in minutes:

    >>> float(intermittent_latency(15, threshold=4, sensitivity=0.5) / 60)
    7.375
    """
    arguments = _checked(period=period, threshold=threshold, sensitivity=sensitivity, timeout=timeout)
    return in_blocks(_intermittent_latency, *arguments)


def checks_to_false_drain(false_positive_rate: Array, consecutive: Array) -> Array:
    r"""Mean number of checks until a healthy node fails so many in a row.

    .. math:: \frac{1 - f_p^k}{f_p^k\,(1 - f_p)}

    Parameters
    ----------
    false_positive_rate : array_like
        Probability that a check of a healthy node fails, f_p.
    consecutive : array_like
        Failed checks in a row that drain a node, k. Whole, at least 1.

    Returns
    -------
    array_like
        Number of checks, the k last ones included: k if every check fails, infinite if none does.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    See Also
    --------
    relmath.recovery.false_alarm_time : The same of heartbeats, as a time.

    Examples
    --------
    >>> [round(float(checks_to_false_drain(0.01, k))) for k in (1, 2, 3)]
    [100, 10100, 1010100]
    """
    arguments = _checked(false_positive_rate=false_positive_rate, consecutive=consecutive)
    return in_blocks(_checks_to_false_drain, *arguments)


def false_drains(nodes: Array, period: Array, threshold: Array, false_positive_rate: Array) -> Array:
    r"""Healthy nodes of a fleet that are drained by mistake, per second.

    .. math:: \frac{N}{\theta}\,\frac{f_p^k\,(1 - f_p)}{1 - f_p^k}

    A node is taken to be back at once; each counts from the beginning after its drain.

    Parameters
    ----------
    nodes : array_like
        Healthy nodes that are checked, N. Whole, at least 1.
    period : array_like
        Time between the starts of two checks, theta, in seconds. Above 0 and finite.
    threshold : array_like
        Failed checks in a row that raise an alarm, k. Whole, at least 1.
    false_positive_rate : array_like
        Probability that a check of a healthy node fails, f_p.

    Returns
    -------
    array_like
        Drains per second; 0 if no check fails without reason.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    1 250 nodes, checked every 30 s, one check in a thousand failing without reason, in drains a day:

    >>> from relmath.units import day
    >>> [float(f"{false_drains(1250, 30, k, 0.001) * day:.3g}") for k in (1, 2, 3)]
    [3600.0, 3.6, 0.0036]
    """
    arguments = _checked(nodes=nodes, period=period, threshold=threshold, false_positive_rate=false_positive_rate)
    return in_blocks(_false_drains, *arguments)


def true_drain_share(node_mtbf: Array, period: Array, threshold: Array, false_positive_rate: Array) -> Array:
    r"""Share of a check's drains that hit a node that is broken.

    .. math:: \frac{1/M_\text{node}}{1/M_\text{node} + 1/T_\text{false}}, \qquad
              T_\text{false} = \theta\,\frac{1 - f_p^k}{f_p^k\,(1 - f_p)}

    Of two streams, faults that the check finds and false drains, the share of the first. It is the predictive value of
    a drain, with the rate of faults as the base rate; the size of the fleet drops out.

    Parameters
    ----------
    node_mtbf : array_like
        Mean time between faults of one node that this check finds, in seconds. Above 0; infinite if there are none.
    period : array_like
        Time between the starts of two checks, theta, in seconds. Above 0 and finite.
    threshold : array_like
        Failed checks in a row that raise an alarm, k. Whole, at least 1.
    false_positive_rate : array_like
        Probability that a check of a healthy node fails, f_p.

    Returns
    -------
    array_like
        Share between 0 and 1; 1 if no check fails without reason.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> [round(float(true_drain_share(5172.4 * hour, 30, k, 0.001)), 4) for k in (1, 2, 3)]
    [0.0016, 0.6173, 0.9994]
    """
    arguments = _checked(
        node_mtbf=node_mtbf, period=period, threshold=threshold, false_positive_rate=false_positive_rate
    )
    return in_blocks(_true_drain_share, *arguments)


def predictive_value(prevalence: Array, sensitivity: Array, false_positive_rate: Array) -> Array:
    r"""Share of alarms that are true, by Bayes' rule.

    .. math:: \frac{p\,s_n}{p\,s_n + (1 - p)\,f_p}

    Parameters
    ----------
    prevalence : array_like
        Share of those tested that are faulty, p: the base rate.
    sensitivity : array_like
        Probability that a faulty one raises the alarm, s_n.
    false_positive_rate : array_like
        Probability that a healthy one does, f_p.

    Returns
    -------
    array_like
        Share between 0 and 1; 1 where no false alarm is possible.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A test that is right in 99 % of cases, either way, of nodes of which one in a thousand is bad:

    >>> round(float(predictive_value(0.001, 0.99, 0.01)), 3)
    0.09
    """
    arguments = _checked(prevalence=prevalence, sensitivity=sensitivity, false_positive_rate=false_positive_rate)
    return in_blocks(_predictive_value, *arguments)


def escape_probability(coverages: Array, coupling: Array = 0) -> Array:
    r"""Probability that a fault escapes every one of several layers of checks.

    .. math:: (1 - \chi) \prod_i (1 - c_i) + \chi\,\min_i (1 - c_i)

    With a share chi of the faults the layers look through one eye: what the best of them misses, all miss. With the
    others each misses on its own.

    Parameters
    ----------
    coverages : array_like
        Share of faults that each layer sees, c_i, along the last axis.
    coupling : array_like
        Share chi of faults for which the layers are not independent; it broadcasts against what is left of the shape.

    Returns
    -------
    array_like
        Probability, with the last axis gone.

    Raises
    ------
    ValueError
        If a value is outside its domain, or there is no layer.

    Examples
    --------
    Three layers of 90 %, independent and coupled for one fault in five:

    >>> [round(float(escape_probability([0.9, 0.9, 0.9], coupling)), 4) for coupling in (0, 0.2)]
    [0.001, 0.0208]
    """
    (coverages,), (coupling,) = _checked(coverages=coverages), _checked(coupling=coupling)
    misses = np.atleast_1d(1 - coverages)
    if misses.shape[-1] == 0:
        raise ValueError("coverages must have at least one layer along the last axis, but have none")
    apart, together = np.prod(misses, axis=-1), np.min(misses, axis=-1)
    fitting_shapes(coverages=apart, coupling=coupling)
    return in_blocks(_either, coupling, apart, together)


def escape_with_fallback(coverage: Array, fallback: Array, coupling: Array = 0) -> Array:
    r"""Probability that a fault escapes a tool and its fallback: :func:`escape_probability` of the two.

    .. math:: (1 - \chi)\,(1 - c_d)(1 - c_b) + \chi\,\min(1 - c_d, 1 - c_b)

    Parameters
    ----------
    coverage : array_like
        Share of faults that the tool sees, c_d.
    fallback : array_like
        Share of faults that the fallback sees, c_b, whether or not the tool does.
    coupling : array_like
        Share of faults for which the two are not independent, chi: what silences one silences the other.

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
    >>> [round(float(escape_with_fallback(0.9, 0.8, coupling)), 3) for coupling in (0, 0.5, 1)]
    [0.02, 0.06, 0.1]
    """
    return in_blocks(_escape_with_fallback, *_checked(coverage=coverage, fallback=fallback, coupling=coupling))


def unseen_open(coverage: Array, hang: Array, missing: Array) -> Array:
    r"""Probability that one run of a check that fails open leaves a fault unseen.

    .. math:: 1 - (1 - p_\text{dep})(1 - p_\text{hang})\,c_d

    What the check depends on is missing, or the check hangs, or it runs and sees the fault or not. Failing open, it
    reports a fault only if it has seen one: no news is good news.

    Parameters
    ----------
    coverage : array_like
        Share of faults that the check sees if it runs to its end, c_d.
    hang : array_like
        Probability that it hangs on a faulty node, if it can start.
    missing : array_like
        Probability that something it needs is missing.

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
    >>> round(float(unseen_open(coverage=0.95, hang=0.1, missing=0.01)), 3)
    0.154
    """
    return in_blocks(_unseen_open, *_checked(coverage=coverage, hang=hang, missing=missing))


def unseen_closed(coverage: Array, hang: Array, missing: Array) -> Array:
    r"""Probability that one run of a check that fails closed leaves a fault unseen.

    .. math:: (1 - p_\text{dep})(1 - p_\text{hang})(1 - c_d)

    Failing closed, a check that hangs into its time-out or cannot start counts as failed: only a run to the end that
    sees nothing passes. See :func:`unseen_open`.

    Parameters
    ----------
    coverage : array_like
        Share of faults that the check sees if it runs to its end, c_d.
    hang : array_like
        Probability that it hangs on a faulty node, if it can start.
    missing : array_like
        Probability that something it needs is missing.

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
    >>> round(float(unseen_closed(coverage=0.95, hang=0.1, missing=0.01)), 3)
    0.045
    """
    return in_blocks(_unseen_closed, *_checked(coverage=coverage, hang=hang, missing=missing))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "period": positive_finite,
    "threshold": partial(count, least=1),
    "timeout": non_negative,
    "sensitivity": probability,
    "false_positive_rate": probability,
    "consecutive": partial(count, least=1),
    "nodes": partial(count, least=1),
    "node_mtbf": positive,
    "prevalence": probability,
    "coverages": probability,
    "coupling": probability,
    "coverage": probability,
    "fallback": probability,
    "hang": probability,
    "missing": probability,
}


_checked = partial(checked, _CHECKS)


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.


def _detection_latency(period: Array, threshold: Array, timeout: Array) -> Array:
    return _detection_time(period, threshold) + timeout


def _intermittent_latency(period: Array, threshold: Array, sensitivity: Array, timeout: Array) -> Array:
    return _false_alarm_time(period, threshold, sensitivity) - period / 2 + timeout


def _checks_to_false_drain(false_positive_rate: Array, consecutive: Array) -> Array:
    return _false_alarm_time(np.float64(1), consecutive, false_positive_rate)


def _false_drains(nodes: Array, period: Array, threshold: Array, false_positive_rate: Array) -> Array:
    return nodes / _false_alarm_time(period, threshold, false_positive_rate)


def _true_drain_share(node_mtbf: Array, period: Array, threshold: Array, false_positive_rate: Array) -> Array:
    apart = _false_alarm_time(period, threshold, false_positive_rate)
    never = np.isinf(apart)
    # Where no drain is false, 0 false drains a fault, even if faults never come; NaN stays NaN
    return 1 / (1 + np.where(never, 0 * np.minimum(node_mtbf, 1), node_mtbf / np.where(never, 1, apart)))


def _predictive_value(prevalence: Array, sensitivity: Array, false_positive_rate: Array) -> Array:
    true, false = prevalence * sensitivity, (1 - prevalence) * false_positive_rate
    none = false == 0
    return np.where(none, 1 + 0 * true, true / np.where(none, 1, true + false))


def _either(coupling: Array, apart: Array, together: Array) -> Array:
    return (1 - coupling) * apart + coupling * together


def _escape_with_fallback(coverage: Array, fallback: Array, coupling: Array) -> Array:
    tool, other = 1 - coverage, 1 - fallback
    return _either(coupling, tool * other, np.minimum(tool, other))


def _unseen_open(coverage: Array, hang: Array, missing: Array) -> Array:
    # The sum of the ways to miss it, which does not cancel where all are rare
    return missing + (1 - missing) * (hang + (1 - hang) * (1 - coverage))


def _unseen_closed(coverage: Array, hang: Array, missing: Array) -> Array:
    return (1 - missing) * (1 - hang) * (1 - coverage)
