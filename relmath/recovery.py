r"""Recovery: what a failure costs, what is left of the wall time, and how far a fleet can grow.

A failure costs four phases: it is detected, the job is rescheduled, its state reloaded, and the work since the last
checkpoint replayed. Detect and reschedule are a downtime D, in which nothing can fail; reload is a restart R, in which
failures may strike. Failures are a Poisson process, as in :mod:`relmath.checkpoints`.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from relmath import checkpoints
from relmath.domain import Array, count, non_negative, positive, positive_finite, probability

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
    return (
        non_negative("detect", detect)
        + non_negative("reschedule", reschedule)
        + non_negative("reload", reload)
        + non_negative("replay", replay)
    )


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
    interval = positive_finite("interval", interval)
    write_time = non_negative("write_time", write_time)
    mtbf = positive("mtbf", mtbf)
    restart = non_negative("restart", restart)
    downtime = non_negative("downtime", downtime)
    lost = checkpoints.mean_lost_work(interval + write_time, mtbf)
    with np.errstate(over="ignore", under="ignore"):  # what overflows is infinite, what underflows 0
        r = restart / mtbf
        fails = -np.expm1(-r)
        in_restart = restart * (np.where(r > 0, fails, 1) / np.where(r > 0, r, 1))
        return downtime + in_restart + np.exp(-r) * lost


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
    heartbeat = positive_finite("heartbeat", heartbeat)
    misses = count("misses", misses, least=1)
    with np.errstate(over="ignore"):
        return (misses - 0.5) * heartbeat


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

    Examples
    --------
    One heartbeat in a thousand is lost, on 1 250 nodes. With two misses allowed a false alarm comes as often as every

    >>> from relmath.units import hour
    >>> round(float(false_alarm_time(heartbeat=20, misses=2, loss=0.001) / 1250 / hour), 1)
    4.4

    hours; with three, and the same mean time to detection of 30 s, every 111 days.
    """
    heartbeat = positive_finite("heartbeat", heartbeat)
    misses = count("misses", misses, least=1)
    loss = probability("loss", loss)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        certain = loss == 1  # each beat is missed, and the m-th is the alarm
        beats = np.where(certain, misses, -np.expm1(misses * np.log(loss)) / np.where(certain, 1, 1 - loss))
        return heartbeat * beats / loss**misses


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
    waiting = detection_time(heartbeat, misses) / positive("mtbf", mtbf)
    nodes = count("nodes", nodes, least=1)
    alarm_cost = non_negative("alarm_cost", alarm_cost)
    with np.errstate(over="ignore", under="ignore"):
        return waiting + nodes * alarm_cost / false_alarm_time(heartbeat, misses, loss)


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
        Time that a false alarm costs, in seconds. Above 0 and finite.

    Returns
    -------
    array_like
        Time between heartbeats, in seconds. 0 if none is ever lost; infinite if the job never fails and some are.

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
    beats = false_alarm_time(1, misses, loss)
    mtbf = positive("mtbf", mtbf)
    cost = count("nodes", nodes, least=1) * positive_finite("alarm_cost", alarm_cost)
    with np.errstate(over="ignore", under="ignore"):
        never = beats == np.inf
        finite = np.where(never, 1, beats)
        return np.where(never, 0, np.sqrt(cost / finite / detection_time(1, misses)) * np.sqrt(mtbf))[()]


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
    mean = non_negative("failures_in_repair_time", failures_in_repair_time)
    confidence = probability("confidence", confidence)
    with np.errstate(all="ignore"):
        shortage = (1 - confidence) * (1 + 1e-9)
        needed = np.floor(special.pdtrik(confidence, mean))  # within one of the answer, as tests show
        for fewer in (needed - 1, needed):
            needed = np.where(special.pdtrc(np.maximum(fewer, 0), mean) <= shortage, fewer, fewer + 1)
        return np.where(confidence == 1, np.where(mean == 0, 0, mean * np.inf), needed)[()]


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
    interval = positive_finite("interval", interval)
    write_time = non_negative("write_time", write_time)
    mtbf = positive("mtbf", mtbf)
    recovery = non_negative("recovery", recovery)
    with np.errstate(over="ignore", under="ignore"):
        return 1 - write_time / interval - recovery / mtbf


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
    interval = positive_finite("interval", interval)
    write_time = non_negative("write_time", write_time)
    failure_rate = non_negative("failure_rate", failure_rate)
    restart = non_negative("restart", restart)
    with np.errstate(over="ignore", under="ignore"):
        return (1 - failure_rate * (restart + interval / 2)) / (1 + write_time / interval)


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
    useful = non_negative("useful", useful)
    efficiency = probability("efficiency", efficiency)
    with np.errstate(over="ignore", divide="ignore"):
        nothing = useful == 0
        return np.where(nothing, 0, useful / np.where(nothing, 1, efficiency))[()]


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
    fleet = _fleet(node_mtbf, write_time, restart, downtime)
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(-_loss_exponent(count("nodes", nodes, least=1), *fleet))


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
    nodes = count("nodes", nodes, least=1)
    baseline = count("baseline", baseline, least=1)
    fleet = _fleet(node_mtbf, write_time, restart, downtime)
    serial = probability("serial", serial)
    with np.errstate(over="ignore", under="ignore"):
        lost = _loss_exponent(nodes, *fleet) - _loss_exponent(baseline, *fleet)
        # Speeds by N/(1 + f_s (N - 1)) = 1/(1/N + f_s (1 - 1/N)), which does not overflow
        times = [1 / n + serial * (1 - 1 / n) for n in (baseline, nodes)]
        return times[0] / times[1] * np.exp(-lost)


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
    node_mtbf, write_time, restart, downtime = _fleet(node_mtbf, write_time, restart, downtime)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        unbounded = write_time + restart == 0
        write_time = np.where(unbounded, 1, write_time)
        # In units of delta + R: n = 1/M solves (1 + D n) (x/u + R n) = 1 with x = delta n. A product on the left bounds
        # n, closely where it is the largest, and so the least of the bounds is always close.
        unit = write_time + restart
        write_time, restart, downtime = write_time / unit, restart / unit, np.minimum(downtime / unit, 1e300)
        log_n = np.minimum(
            -np.log(downtime) / 2, np.minimum(0, np.log(2 / write_time) / 3 - np.log(downtime) * (2 / 3))
        )
        for _ in range(STEPS):
            n = np.exp(log_n)
            x, reload, down = write_time * n, restart * n, downtime * n
            u = np.maximum(_optimum(x), 1e-300)
            write = x / u
            # The logarithm of the left side is convex in that of n: from above, Newton's method runs down to the root.
            slope = down / (1 + down) + (write * (1 - write * (1 - u) / u) + reload) / (write + reload)
            log_n = log_n - (np.log1p(down) + np.log(write + reload)) / slope
        return np.where(unbounded, np.inf, np.exp(log_n) * (node_mtbf / unit))[()]


def _fleet(node_mtbf: Array, write_time: Array, restart: Array, downtime: Array) -> tuple[Array, ...]:
    return (
        positive("node_mtbf", node_mtbf),
        non_negative("write_time", write_time),
        non_negative("restart", restart),
        non_negative("downtime", downtime),
    )


def _optimum(x: Array) -> Array:
    """Optimal interval by the MTBF, for a write time by the MTBF; beyond 1000 it is 1."""
    return checkpoints.optimal(np.minimum(x, 1000), 1)


def _loss_exponent(nodes: Array, node_mtbf: Array, write_time: Array, restart: Array, downtime: Array) -> Array:
    """Minus the logarithm of the efficiency. At the optimum 1 - u is e^-(u + x), which does not cancel."""
    most = 1e300  # so large that no sum of such terms overflows, and that e^-most is 0
    rate = np.minimum(nodes / node_mtbf, most)
    x = np.minimum(write_time * rate, most)
    restarts = np.minimum(restart * rate, most) + np.log1p(np.minimum(downtime * rate, most))
    return _optimum(x) + x + restarts
