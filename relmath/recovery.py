r"""Recovery: what a failure costs, what is left of the wall time, and how far a fleet can grow.

A failure costs four phases: it is detected, the job is rescheduled, its state reloaded, and the work since the last
checkpoint replayed. Detect and reschedule are a downtime D, in which nothing can fail; reload is a restart R, in which
failures may strike. Failures are a Poisson process, as in :mod:`relmath.checkpoints`, and times from 1e-150 to 1e150 s,
and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from relmath import checkpoints
from relmath.domain import Array, checked, count, non_negative, positive, positive_finite, probability
from relmath.elementwise import in_blocks

STEPS = 5  # of Newton's method: enough for the last digits over 36 decades of each time, as tests show


def recovery_time(detect: Array, reschedule: Array, reload: Array, replay: Array) -> Array:
    r"""Time from a failure to full speed at the point where it struck: the sum of the four phases.

    .. math:: T_\text{detect} + T_\text{reschedule} + T_\text{reload} + T_\text{replay}

    Assumes that no second failure strikes on the way; :func:`failure_cost` allows for it.

    Parameters
    ----------
    detect : array_like
        Time until the failure is noticed, in seconds. At least 0.
    reschedule : array_like
        Time to find a replacement and to start the job on it, in seconds. At least 0.
    reload : array_like
        Time to read the last checkpoint back, in seconds. At least 0.
    replay : array_like
        Time to compute again what was not saved, in seconds. At least 0.

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
    >>> round(float(recovery_time(detect=30, reschedule=60, reload=24.5, replay=427.2)), 1)
    541.7
    """
    return in_blocks(_recovery_time, *_checked(detect=detect, reschedule=reschedule, reload=reload, replay=replay))


def failure_cost(interval: Array, write_time: Array, mtbf: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Mean wall time that a failure costs, failures during its recovery included.

    .. math:: D + M\,(1 - e^{-R/M}) + e^{-R/M} \left( M - \frac{\tau+\delta}{e^{(\tau+\delta)/M} - 1} \right)

    The downtime; the restart, cut short by some failures; and the time that is lost since the last checkpoint, unless
    the failure struck during a restart, when there was nothing to lose.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite gives the limit of ever rarer
        failures, :math:`D + R + (\tau+\delta)/2`.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds. Such a failure comes once in M + D of wall time.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> mtbf = 4.1379 * hour
    >>> round(float(failure_cost(checkpoints.young(24.5, mtbf), 24.5, mtbf, restart=24.5, downtime=90)), 1)
    548.9
    """
    arguments = _checked(interval=interval, write_time=write_time, mtbf=mtbf, restart=restart, downtime=downtime)
    return in_blocks(_failure_cost, *arguments)


def detection_time(heartbeat: Array, misses: Array) -> Array:
    r"""Mean time from a failure to the heartbeat whose absence gives it away.

    .. math:: \left(m - \tfrac12\right) t_h

    The failure strikes anywhere between two heartbeats, and is declared at the end of the m-th wait in a row in which
    none came: after more than m - 1 and at most m periods.

    Parameters
    ----------
    heartbeat : array_like
        Time between heartbeats, t_h, in seconds. Above 0 and finite.
    misses : array_like
        Heartbeats missed in a row that make a failure, m. Whole, at least 1.

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
    >>> float(detection_time(heartbeat=12, misses=3))
    30.0
    """
    return in_blocks(_detection_time, *_checked(heartbeat=heartbeat, misses=misses))


def false_alarm_time(heartbeat: Array, misses: Array, loss: Array) -> Array:
    r"""Mean time until a healthy node misses so many heartbeats in a row that it is declared dead.

    .. math:: t_h\,\frac{1 - p^m}{p^m\,(1 - p)}

    Assumes that heartbeats are lost independently of one another.

    Parameters
    ----------
    heartbeat : array_like
        Time between heartbeats, t_h, in seconds. Above 0 and finite.
    misses : array_like
        Heartbeats missed in a row that make a failure, m. Whole, at least 1.
    loss : array_like
        Probability that a heartbeat of a healthy node does not arrive in time, p.

    Returns
    -------
    array_like
        Time in seconds, of one node; of N nodes, one N-th of it. Infinite if nothing is lost.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    See Also
    --------
    relmath.fleet.detection.checks_to_false_drain : The same of health checks, as a number of them.

    Examples
    --------
    One heartbeat in a thousand is lost, on 1 250 nodes. With two misses allowed a false alarm comes as often as every

    >>> from relmath.units import hour
    >>> round(float(false_alarm_time(heartbeat=20, misses=2, loss=0.001) / 1250 / hour), 1)
    4.4

    hours; with three, and the same mean time to detection of 30 s, every 111 days.
    """
    return in_blocks(_false_alarm_time, *_checked(heartbeat=heartbeat, misses=misses, loss=loss))


def heartbeat_overhead(
    heartbeat: Array, misses: Array, loss: Array, nodes: Array, mtbf: Array, alarm_cost: Array
) -> Array:
    r"""First-order overhead of detection by heartbeats, of useful time: waiting for failures, and false alarms.

    .. math:: \frac{(m - 1/2)\,t_h}{M} + \frac{N\,C_\text{alarm}}{t_h}\,\frac{p^m (1 - p)}{1 - p^m}

    A false alarm is assumed to cost as much as a failure, detection apart: the job is stopped and replayed.

    Parameters
    ----------
    heartbeat : array_like
        Time between heartbeats, t_h, in seconds. Above 0 and finite.
    misses : array_like
        Heartbeats missed in a row that make a failure, m. Whole, at least 1.
    loss : array_like
        Probability that a heartbeat of a healthy node does not arrive in time, p.
    nodes : array_like
        Nodes of the job, N. Whole, at least 1.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    alarm_cost : array_like
        Time that a false alarm costs, in seconds. At least 0.

    Returns
    -------
    array_like
        Time lost per useful time.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> round(float(heartbeat_overhead(12, 3, 0.001, 1250, 4.1379 * hour, 511.7) / percent), 2)
    0.21
    """
    arguments = _checked(heartbeat=heartbeat, misses=misses, loss=loss, nodes=nodes, mtbf=mtbf, alarm_cost=alarm_cost)
    return in_blocks(_heartbeat_overhead, *arguments)


def best_heartbeat(misses: Array, loss: Array, nodes: Array, mtbf: Array, alarm_cost: Array) -> Array:
    r"""Heartbeat period of least :func:`heartbeat_overhead`.

    .. math:: t_h = \sqrt{\frac{N\,M\,C_\text{alarm}}{m - 1/2}\,\frac{p^m (1 - p)}{1 - p^m}}

    Parameters
    ----------
    misses : array_like
        Heartbeats missed in a row that make a failure, m. Whole, at least 1.
    loss : array_like
        Probability that a heartbeat of a healthy node does not arrive in time, p.
    nodes : array_like
        Nodes of the job, N. Whole, at least 1.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    alarm_cost : array_like
        Time that a false alarm costs, in seconds. At least 0.

    Returns
    -------
    array_like
        Time between heartbeats, in seconds. 0 if none is ever lost, or if false alarms cost nothing; else infinite if
        the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> round(float(best_heartbeat(3, 0.001, 1250, 4.1379 * hour, 511.7)), 2)
    1.95
    """
    arguments = _checked(misses=misses, loss=loss, nodes=nodes, mtbf=mtbf, alarm_cost=alarm_cost)
    return in_blocks(_best_heartbeat, *arguments)


def spares(failures_in_repair_time: Array, confidence: Array) -> Array:
    r"""Spare nodes that suffice, with some confidence, while failed ones are repaired.

    .. math:: \min \{ s : P(X \le s) \ge c \}, \qquad X \sim \mathrm{Poisson}(\nu)

    The number of nodes in repair is Poisson whatever the law of the repair time, if failures are a Poisson process and
    all repairs are under way at once.

    Parameters
    ----------
    failures_in_repair_time : array_like
        Mean number of failures in a mean repair time, nu: nodes, times failures per node and second, times mean repair
        time in seconds. At least 0.
    confidence : array_like
        Share of the time, c, in which there shall be a spare for each failed node; 1 takes infinitely many, if
        anything fails at all.

    Returns
    -------
    array_like
        Number of spares, whole. The shortage that `confidence` allows is met within a relative 1e-9.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Takács (1962), *Introduction to the Theory of Queues*, for M/G/infinity.

    Examples
    --------
    64 nodes, 6.5 failures per 1 000 node-days, three days of repair:

    >>> from relmath.units import day
    >>> float(spares(64 * 6.5 / (1000 * day) * 3 * day, confidence=0.99))
    4.0
    """
    mean_and_confidence = _checked(failures_in_repair_time=failures_in_repair_time, confidence=confidence)
    return in_blocks(_spares, *mean_and_confidence)


def first_order_goodput(interval: Array, write_time: Array, mtbf: Array, recovery: Array) -> Array:
    r"""Goodput by adding up overheads: 1 minus writing, minus recovery.

    .. math:: 1 - \frac{\delta}{\tau} - \frac{T_\text{recovery}}{M}

    Both are overheads of useful time, taken from 1 as if they were shares of wall time: good while their sum is small,
    and negative where it exceeds 1. The exact goodput is :func:`relmath.checkpoints.efficiency`.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    recovery : array_like
        Time that a failure costs, replay included, in seconds (:func:`recovery_time`). At least 0.

    Returns
    -------
    array_like
        Share of wall time, to first order.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> mtbf = 4.1379 * hour
    >>> round(float(first_order_goodput(checkpoints.young(24.5, mtbf), 24.5, mtbf, 541.7) / percent), 2)
    93.5
    """
    arguments = _checked(interval=interval, write_time=write_time, mtbf=mtbf, recovery=recovery)
    return in_blocks(_first_order_goodput, *arguments)


def ettr(interval: Array, write_time: Array, failure_rate: Array, restart: Array) -> Array:
    r"""Effective training time ratio as Kokolis et al. estimate it, without time in the queue.

    .. math:: \frac{1 - \lambda\,(R + \tau/2)}{1 + \delta/\tau}

    Exact in the cost of writing, first order in the failure rate: to that order it leaves out only that a failure also
    loses the write under way, :math:`\lambda\,\delta/2`. Negative where failures come faster than recovery.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    failure_rate : array_like
        Failures of the whole job per second, lambda: nodes times failures per node and second. At least 0.
    restart : array_like
        Time from a failure until the job computes again, in seconds: detect, reschedule and reload. At least 0.

    Returns
    -------
    array_like
        Share of wall time.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Kokolis et al. (2025), doi:10.1109/HPCA61900.2025.00096.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> mtbf = 4.1379 * hour
    >>> round(float(ettr(checkpoints.young(24.5, mtbf), 24.5, 1 / mtbf, restart=114.5) / percent), 2)
    93.68
    """
    arguments = _checked(interval=interval, write_time=write_time, failure_rate=failure_rate, restart=restart)
    return in_blocks(_ettr, *arguments)


def wall_time(useful: Array, efficiency: Array) -> Array:
    r"""Wall time that a job takes at an efficiency.

    .. math:: T_\text{useful} / \eta

    Parameters
    ----------
    useful : array_like
        Useful time, in seconds: what the job would take if nothing failed and nothing were written. At least 0.
    efficiency : array_like
        Useful share of wall time, between 0 and 1. With an overhead w, of useful time, it is 1 / (1 + w).

    Returns
    -------
    array_like
        Time in seconds. Infinite at an efficiency of 0, unless there is nothing to do.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day
    >>> float(wall_time(30 * day, 0.75) / day)
    40.0
    """
    return in_blocks(_wall_time, *_checked(useful=useful, efficiency=efficiency))


def fleet_efficiency(
    nodes: Array, node_mtbf: Array, write_time: Array, restart: Array = 0, downtime: Array = 0
) -> Array:
    r"""Efficiency of a job on so many nodes, each failure of which stops it, at its exactly optimal interval.

    .. math::
        \frac{M\,e^{-R/M}}{M + D}\,(1 - u), \qquad
        M = \frac{M_\text{node}}{N}, \quad -\ln(1 - u) - u = \frac{\delta}{M}

    Parameters
    ----------
    nodes : array_like
        Nodes of the job, N. Whole, at least 1.
    node_mtbf : array_like
        Mean time between failures of one node, in seconds. Above 0; infinite if it never fails.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.

    Returns
    -------
    array_like
        Share of wall time, between 0 and 1: :func:`relmath.checkpoints.efficiency` at
        :func:`relmath.checkpoints.optimal`.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> round(float(fleet_efficiency(1250, 5172.4 * hour, 24.5, restart=24.5, downtime=90) / percent), 2)
    93.65
    """
    arguments = _checked(nodes=nodes, node_mtbf=node_mtbf, write_time=write_time, restart=restart, downtime=downtime)
    return in_blocks(_fleet_efficiency, *arguments)


def speedup(
    nodes: Array,
    baseline: Array,
    node_mtbf: Array,
    write_time: Array,
    restart: Array = 0,
    downtime: Array = 0,
    serial: Array = 0,
) -> Array:
    r"""Speed of a job on so many nodes over its speed on fewer: both at their exactly optimal intervals.

    .. math:: \frac{N\,\eta(N)}{1 + f_s\,(N - 1)} \bigg/ \frac{N_0\,\eta(N_0)}{1 + f_s\,(N_0 - 1)}

    The work is divided among the nodes, but for a serial share as in Amdahl's law, and failures leave an efficiency
    eta (:func:`fleet_efficiency`).

    Parameters
    ----------
    nodes : array_like
        Nodes of the job, N. Whole, at least 1.
    baseline : array_like
        Nodes that it is compared with, N_0. Whole, at least 1.
    node_mtbf : array_like
        Mean time between failures of one node, in seconds. Above 0; infinite if it never fails.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds: the same for both. At least 0.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.
    serial : array_like
        Share of the work of a single node that cannot be divided, f_s, between 0 and 1.

    Returns
    -------
    array_like
        Ratio of speeds: below 1 where more nodes make the job slower.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Amdahl (1967), doi:10.1145/1465482.1465560, for the serial share.

    Examples
    --------
    >>> from relmath.units import hour
    >>> round(float(speedup(1250, 625, 5172.4 * hour, 24.5, restart=24.5, downtime=90)), 3)
    1.959
    """
    arguments = _checked(
        nodes=nodes,
        baseline=baseline,
        node_mtbf=node_mtbf,
        write_time=write_time,
        restart=restart,
        downtime=downtime,
        serial=serial,
    )
    return in_blocks(_speedup, *arguments)


def fastest_fleet(node_mtbf: Array, write_time: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Nodes beyond which more make a job slower: the largest speed N times :func:`fleet_efficiency`.

    .. math:: \frac{1}{1 + D/M} = \frac{\delta}{\tau^*} + \frac{R}{M}, \qquad M = \frac{M_\text{node}}{N}

    with the exactly optimal interval :math:`\tau^*`. Without restart and downtime that is where the interval has shrunk
    to the write time, at :math:`N = \bigl(1 + \tfrac12 W_0(-2e^{-2})\bigr)\,M_\text{node}/\delta`.

    Parameters
    ----------
    node_mtbf : array_like
        Mean time between failures of one node, in seconds. Above 0; infinite if it never fails.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds: the same for fleets of all sizes. At least 0.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.

    Returns
    -------
    array_like
        Nodes, not rounded: the speed hardly changes from one to the next. Infinite if nothing ever fails, and if
        neither writes nor restarts take time, for downtime alone only bounds the speed.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    In GPUs, eight a node:

    >>> from relmath.units import hour
    >>> print(f"{8 * fastest_fleet(5172.4 * hour, 24.5, restart=24.5, downtime=90):.3g}")
    1.18e+06
    """
    arguments = _checked(node_mtbf=node_mtbf, write_time=write_time, restart=restart, downtime=downtime)
    return in_blocks(_fastest_fleet, *arguments)


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "detect": non_negative,
    "reschedule": non_negative,
    "reload": non_negative,
    "replay": non_negative,
    "interval": positive_finite,
    "write_time": non_negative,
    "mtbf": positive,
    "restart": non_negative,
    "downtime": non_negative,
    "heartbeat": positive_finite,
    "misses": partial(count, least=1),
    "loss": probability,
    "nodes": partial(count, least=1),
    "alarm_cost": non_negative,
    "failures_in_repair_time": non_negative,
    "confidence": probability,
    "recovery": non_negative,
    "failure_rate": non_negative,
    "useful": non_negative,
    "efficiency": probability,
    "baseline": partial(count, least=1),
    "node_mtbf": positive,
    "serial": probability,
}


_checked = partial(checked, _CHECKS)


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.

_MANY = 1e8  # failures in repair, above which their number is as good as normal
_MOST = 1e300  # so large that no sum of such terms overflows, and that e^-_MOST is 0


def _recovery_time(detect: Array, reschedule: Array, reload: Array, replay: Array) -> Array:
    return detect + reschedule + reload + replay


def _failure_cost(interval: Array, write_time: Array, mtbf: Array, restart: Array, downtime: Array) -> Array:
    r = restart / mtbf
    in_restart = restart * (np.where(r > 0, -np.expm1(-r), 1) / np.where(r > 0, r, 1))
    segment = np.minimum(interval + write_time, np.finfo(np.float64).max)
    lost = checkpoints._mean_lost_work(segment, mtbf, np.float64(0))
    return downtime + in_restart + np.exp(-r) * lost


def _detection_time(heartbeat: Array, misses: Array) -> Array:
    return (misses - 0.5) * heartbeat


def _beats(misses: Array, loss: Array) -> Array:
    """Beats to a false alarm, by the chance that so many in a row are lost: 1 + p + ... + p^(m-1)."""
    certain = loss == 1  # each beat is missed, and the m-th is the alarm
    return np.where(certain, misses, -np.expm1(misses * np.log(loss)) / np.where(certain, 1, 1 - loss))


def _false_alarm_time(heartbeat: Array, misses: Array, loss: Array) -> Array:
    half = loss ** (misses / 2)  # a half at a time, since the chance of all may be below the doubles
    return heartbeat / half * _beats(misses, loss) / half


def _heartbeat_overhead(
    heartbeat: Array, misses: Array, loss: Array, nodes: Array, mtbf: Array, alarm_cost: Array
) -> Array:
    alarms = nodes * (alarm_cost / _false_alarm_time(heartbeat, misses, loss))
    return _detection_time(heartbeat / mtbf, misses) + alarms


def _best_heartbeat(misses: Array, loss: Array, nodes: Array, mtbf: Array, alarm_cost: Array) -> Array:
    finite = np.minimum(mtbf, np.finfo(np.float64).max)
    alarms = np.sqrt(nodes) / np.sqrt(_beats(misses, loss)) / np.sqrt(misses - 0.5) * loss ** (misses / 2)
    return alarms * np.sqrt(alarm_cost) * np.sqrt(finite) + np.where((loss > 0) & (alarm_cost > 0), mtbf - finite, 0)


def _spares(mean: Array, confidence: Array) -> Array:
    shortage = (1 - confidence) * (1 + 1e-9)
    # Two quantiles that are within one of the answer, as tests show: the incomplete gamma function's, and of large
    # means that of the normal distribution, corrected for its skewness.
    few, many = np.minimum(mean, _MANY), np.maximum(mean, _MANY)
    z = np.clip(np.where(confidence < 0.5, special.ndtri(confidence), -special.ndtri(1 - confidence)), -40, 40)
    normal = many + z * np.sqrt(many) + (z * z - 1) / 6
    needed = np.floor(np.where(mean < _MANY, special.pdtrik(confidence, few), normal))
    for fewer in (needed - 1, needed):
        needed = np.where(special.pdtrc(np.maximum(fewer, 0), mean) <= shortage, fewer, fewer + 1)
    return np.where(confidence == 1, np.where(mean > 0, np.inf, mean), np.where(confidence == 0, 0 * mean, needed))


def _first_order_goodput(interval: Array, write_time: Array, mtbf: Array, recovery: Array) -> Array:
    return 1 - write_time / interval - recovery / mtbf


def _ettr(interval: Array, write_time: Array, failure_rate: Array, restart: Array) -> Array:
    lost = failure_rate * restart + failure_rate * (interval / 2)
    return (1 - np.minimum(lost, np.finfo(np.float64).max)) / (1 + write_time / interval)


def _wall_time(useful: Array, efficiency: Array) -> Array:
    nothing = useful == 0
    return np.where(nothing, 0 * efficiency, useful / np.where(nothing, 1, efficiency))


def _optimum(x: Array) -> Array:
    """Optimal interval by the MTBF, for a write time by the MTBF; beyond 1000 it is 1."""
    return checkpoints._optimal(np.minimum(x, 1000), np.float64(1))


def _fleet_efficiency(nodes: Array, node_mtbf: Array, write_time: Array, restart: Array, downtime: Array) -> Array:
    rate = np.minimum(nodes / node_mtbf, _MOST)
    x = np.minimum(write_time * rate, _MOST)
    restarts = np.minimum(restart * rate, _MOST) + np.log1p(np.minimum(downtime * rate, _MOST))
    return np.exp(-(_optimum(x) + x + restarts))  # at the optimum 1 - u is e^-(u + x), which does not cancel


def _speedup(
    nodes: Array,
    baseline: Array,
    node_mtbf: Array,
    write_time: Array,
    restart: Array,
    downtime: Array,
    serial: Array,
) -> Array:
    # The logarithm of both efficiencies' ratio, whose large terms are proportional to the nodes: they are subtracted
    # as nodes, so as not to cancel.
    rates = [np.minimum(n / node_mtbf, _MOST) for n in (baseline, nodes)]
    more = np.clip((nodes - baseline) / node_mtbf, -_MOST, _MOST)
    lost = more * write_time + more * restart
    for sign, rate in zip((-1, 1), rates, strict=True):
        lost = lost + sign * (_optimum(write_time * rate) + np.log1p(np.minimum(downtime * rate, _MOST)))
    # Speeds by N/(1 + f_s (N - 1)) = 1/(1/N + f_s (1 - 1/N)), which does not overflow
    times = [1 / n + serial * (1 - 1 / n) for n in (baseline, nodes)]
    return times[0] / times[1] * np.exp(-lost)


def _fastest_fleet(node_mtbf: Array, write_time: Array, restart: Array, downtime: Array) -> Array:
    unbounded = write_time + restart == 0
    write_time = np.where(unbounded, 1, write_time)
    # In units of delta + R: n = 1/M solves (1 + D n) (x/u + R n) = 1 with x = delta n. A product on the left bounds
    # n, closely where it is the largest, and so the least of the bounds is always close.
    unit = np.minimum(write_time + restart, np.finfo(np.float64).max)
    write_time, restart, downtime = write_time / unit, restart / unit, np.minimum(downtime / unit, _MOST)
    log_d = np.log(downtime)
    log_n = np.minimum(-log_d / 2, np.minimum(0, np.log(2 / write_time) / 3 - log_d * (2 / 3)))
    for _ in range(STEPS):
        n = np.exp(log_n)
        x, reload, down = write_time * n, restart * n, downtime * n
        u = np.maximum(_optimum(x), 1e-300)
        write = x / u
        # The logarithm of the left side is convex in that of n: from above, Newton's method runs down to the root.
        slope = down / (1 + down) + (write * (1 - write * (1 - u) / u) + reload) / (write + reload)
        log_n = log_n - (np.log1p(down) + np.log(write + reload)) / slope
    return np.where(unbounded, node_mtbf + downtime + np.inf, np.exp(log_n) * (node_mtbf / unit))
