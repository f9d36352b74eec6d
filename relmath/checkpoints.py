r"""Checkpoint intervals: how large, how slow, how often.

Throughout, a job computes for an *interval* tau, then writes a checkpoint for a time delta, and so on. Failures are a
Poisson process: the times between them are exponential with mean M, the MTBF of the whole job.

Times from 1e-150 to 1e150 s, and 0, are safe. Of others, a sum or a product on the way may leave the doubles, so that
a result is infinite or 0 although its formula is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import factorial
from types import MappingProxyType

import numpy as np
from numpy.polynomial.polynomial import polyval

from relmath.domain import (
    Array,
    checked,
    count,
    non_negative,
    not_below,
    positive,
    positive_finite,
    probability,
)
from relmath.elementwise import in_blocks, times_mtbf

BYTES_PER_PARAMETER = MappingProxyType(
    {
        "Adam in mixed precision": 2 + 4 + 4 + 4,  # BF16 weights, FP32 master weights, both moments
        "Adam in mixed precision, with gradients": 2 + 2 + 4 + 4 + 4,  # and BF16 gradients
        "8-bit Adam in mixed precision": 2 + 4 + 1 + 1,
        "Adam in FP32": 4 + 4 + 4,
        "SGD with momentum in FP32": 4 + 4,
    }
)
"""Bytes of a checkpoint per trainable parameter, by what is saved of the training state.

:meta hide-value:
"""


def checkpoint_size(parameters: Array, bytes_per_parameter: Array = 14) -> Array:
    r"""Size of a checkpoint of the training state.

    .. math:: S = \Psi\,\kappa

    Parameters
    ----------
    parameters : array_like
        Number of trainable parameters, Psi. Whole, at least 0.
    bytes_per_parameter : array_like
        Bytes of state saved for each, kappa. At least 0. The default is Adam in mixed precision: weights in BF16, and
        in FP32 the master weights and two moments. :data:`BYTES_PER_PARAMETER` has other recipes.

    Returns
    -------
    array_like
        Size in bytes, without the container's own metadata, which is small.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import GB
    >>> float(checkpoint_size(175e9) / GB)
    2450.0
    >>> float(checkpoint_size(175e9, BYTES_PER_PARAMETER["Adam in FP32"]) / GB)
    2100.0
    """
    return in_blocks(np.multiply, *_checked(parameters=parameters, bytes_per_parameter=bytes_per_parameter))


def write_time(size: Array, bandwidth: Array) -> Array:
    r"""Time to write a checkpoint.

    .. math:: \delta = S / B

    Assumes that the write is limited by the bandwidth of the storage, not by latency or by one slow writer.

    Parameters
    ----------
    size : array_like
        Size of the checkpoint, S, in bytes. At least 0.
    bandwidth : array_like
        Bandwidth of all writers together, B, in bytes per second. Above 0.

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
    >>> from relmath.units import GB
    >>> float(write_time(2450 * GB, 100 * GB))
    24.5
    """
    return in_blocks(np.divide, *_checked(size=size, bandwidth=bandwidth))


def async_overhead(interval: Array, stall: Array, persist: Array, mtbf: Array) -> Array:
    r"""First-order overhead of asynchronous checkpoints, of useful time.

    .. math:: \frac{b}{\tau} + \frac{\tau/2 + P}{M}

    The job stands still for b while its state is copied, and computes on while the copy is made to persist. A failure
    costs half an interval on average, and the time to persist besides: until then only the previous checkpoint counts.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0, finite, and at least `persist`: one write
        ends before the next begins.
    stall : array_like
        Time for which the job stands still at each checkpoint, b, in seconds. At least 0.
    persist : array_like
        Time until a checkpoint is safe, P, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time lost per useful time (T/tau - 1), to first order in tau/M.

    Raises
    ------
    ValueError
        If a value is outside its domain, or `interval` is below `persist`.

    Examples
    --------
    A copy that stalls for one second and persists in 24.5 s, every four minutes:

    >>> from relmath.units import hour, minute, percent
    >>> round(float(async_overhead(4 * minute, 1, 24.5, 4.14 * hour) / percent), 2)
    1.39
    """
    interval, stall, persist, mtbf = _checked(interval=interval, stall=stall, persist=persist, mtbf=mtbf)
    interval = not_below("interval", interval, "persist", persist)
    return in_blocks(_async_overhead, interval, stall, persist, mtbf)


def first_order_overhead(interval: Array, write_time: Array, mtbf: Array) -> Array:
    r"""First-order overhead of checkpoints, of useful time.

    .. math:: \frac{\delta}{\tau} + \frac{\tau}{2M}

    Neglects failures during a write and more than one failure an interval, so it is good for delta << tau << M. The
    exact overhead is :func:`overhead`.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time lost per useful time (T/tau - 1), to first order.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Young (1974), doi:10.1145/361147.361115.

    Examples
    --------
    >>> from relmath.units import hour, minute, percent
    >>> round(float(first_order_overhead(14.2 * minute, 24.5, 4.14 * hour) / percent), 2)
    5.73
    """
    return in_blocks(_first_order_overhead, *_checked(interval=interval, write_time=write_time, mtbf=mtbf))


def young(write_time: Array, mtbf: Array) -> Array:
    r"""Young's first-order optimal checkpoint interval.

    .. math:: \tau = \sqrt{2\,\delta\,M}

    Minimises the overhead :math:`\delta/\tau + \tau/2M`, which neglects failures during a write and more than one
    failure an interval: it is long by a fraction of about :math:`\tfrac{2}{3}\sqrt{\delta/2M}` (see :func:`optimal`).

    Parameters
    ----------
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time of computation between checkpoints, in seconds, not counting the write. 0 if a checkpoint is free,
        infinite if the job never fails. The same where delta M leaves the doubles, as can times outside 1e-150 to
        1e150 s.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Young (1974), doi:10.1145/361147.361115.

    Examples
    --------
    >>> from relmath.units import hour, minute
    >>> round(float(young(24.5, 4.14 * hour) / minute), 1)
    14.2
    """
    return in_blocks(_young, *_checked(write_time=write_time, mtbf=mtbf))


def mean_lost_work(interval: Array, mtbf: Array, write_time: Array = 0) -> Array:
    r"""Mean work lost to a failure, given that it strikes within an interval or its write.

    .. math:: \frac{M\,(1 - e^{-\tau/M}) - \tau\,e^{-(\tau+\delta)/M}}{1 - e^{-(\tau+\delta)/M}}

    Half an interval is its limit for rare failures and a free write. Otherwise early failures are the more frequent
    ones, which lowers it, and a failure during the write loses the whole interval, which raises it.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite gives the limit of ever rarer
        failures, :math:`\tau\,(\tau/2 + \delta)/(\tau + \delta)`.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.

    Returns
    -------
    array_like
        Work done and not saved, in seconds. The time lost has the write under way besides.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> mtbf = 4.1379 * hour
    >>> interval = young(24.5, mtbf)
    >>> round(float(interval / 2), 1), round(float(mean_lost_work(interval, mtbf, 24.5)), 1)
    (427.2, 434.8)
    """
    return in_blocks(_mean_lost_work, *_checked(interval=interval, mtbf=mtbf, write_time=write_time))


def expected_time(interval: Array, write_time: Array, mtbf: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Expected wall time to complete an interval and its write, all failures on the way included.

    .. math:: T = (M + D)\,e^{R/M}\,\bigl(e^{(\tau+\delta)/M} - 1\bigr)

    A failure costs the downtime D, in which nothing can fail, then the restart R, in which failures may strike (and
    the restart begins anew), and then the interval is computed again. The first start needs no restart.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds; infinite where it is beyond the largest double.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Daly (2006), doi:10.1016/j.future.2004.11.016; Bougeret et al. (2011), doi:10.1145/2063384.2063428, with downtime.

    Examples
    --------
    >>> from relmath.units import hour, minute
    >>> round(float(expected_time(14.2 * minute, 24.5, 4.14 * hour, restart=24.5, downtime=90) / minute), 2)
    15.16
    """
    return in_blocks(_expected_time, *_segment(interval, write_time, mtbf, restart, downtime))


def efficiency(interval: Array, write_time: Array, mtbf: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Share of wall time that becomes saved work: the interval by its expected time.

    .. math:: \frac{\tau}{T} = \frac{\tau\,e^{-R/M}}{(M + D)\,\bigl(e^{(\tau+\delta)/M} - 1\bigr)}

    The assumptions are those of :func:`expected_time`.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.

    Returns
    -------
    array_like
        Share of wall time, between 0 and 1. The waste is 1 minus it; the overhead of useful time 1 by it, minus 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, minute, percent
    >>> round(float(efficiency(14.2 * minute, 24.5, 4.14 * hour, restart=24.5, downtime=90) / percent), 2)
    93.65
    """
    return in_blocks(_efficiency, *_segment(interval, write_time, mtbf, restart, downtime))


def overhead(interval: Array, write_time: Array, mtbf: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Exact overhead of checkpoints and failures, of useful time: the expected time by the interval, minus 1.

    .. math:: \frac{T}{\tau} - 1

    The assumptions are those of :func:`expected_time`; :func:`first_order_overhead` is its first order, without
    restart and downtime.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from a failure to the restart (detect, reschedule), D, in seconds. At least 0.

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
    >>> from relmath.units import hour, minute, percent
    >>> round(float(overhead(14.2 * minute, 24.5, 4.14 * hour, restart=24.5, downtime=90) / percent), 2)
    6.78
    """
    return in_blocks(_overhead, *_segment(interval, write_time, mtbf, restart, downtime))


def optimal(write_time: Array, mtbf: Array) -> Array:
    r"""Exactly optimal checkpoint interval, for exponential failures.

    .. math:: \tau = M\,\bigl(1 + W_0(-e^{-1-\delta/M})\bigr)

    Maximises :func:`efficiency`, whatever the restart and the downtime. W is Lambert's function, so that
    :math:`u = \tau/M` solves :math:`-\ln(1 - u) - u = \delta/M`. The efficiency there is 1 - u, less what restart and
    downtime take.

    Parameters
    ----------
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time of computation between checkpoints, in seconds, not counting the write; never above the MTBF. 0 if a
        checkpoint is free, infinite if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    See Also
    --------
    young, daly : its first-order and its third-order approximation in sqrt(delta / 2M).

    References
    ----------
    Corless et al. (1996), doi:10.1007/BF02124750, for Lambert's function.

    Examples
    --------
    >>> from relmath.units import hour, minute
    >>> round(float(optimal(24.5, 4.14 * hour) / minute), 2)
    13.97
    """
    return in_blocks(_optimal, *_checked(write_time=write_time, mtbf=mtbf))


def daly(write_time: Array, mtbf: Array) -> Array:
    r"""Daly's higher-order optimal checkpoint interval.

    .. math::
        \tau = \sqrt{2\,\delta\,M}\,\Bigl[1 + \tfrac{1}{3}\sqrt{\tfrac{\delta}{2M}}
        + \tfrac{1}{9}\,\tfrac{\delta}{2M}\Bigr] - \delta \quad (\delta < 2M), \qquad
        \tau = M \quad (\delta \ge 2M)

    The first terms of the series of :func:`optimal` in :math:`\sqrt{\delta/2M}`, and its limit. It steps up from
    8/9 M to M at delta = 2M, and falls as M rises through delta/2.

    Parameters
    ----------
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time of computation between checkpoints, in seconds, not counting the write. 0 if a checkpoint is free,
        infinite if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Daly (2006), doi:10.1016/j.future.2004.11.016, eq. 37.

    Examples
    --------
    >>> from relmath.units import hour, minute
    >>> round(float(daly(5 * minute, 24 * hour) / minute))
    117
    """
    return in_blocks(_daly, *_checked(write_time=write_time, mtbf=mtbf))


def daly_as_printed(write_time: Array, mtbf: Array) -> Array:
    r"""Interval that a textbook prints under Daly's name; it is not his.

    .. math:: \tau = \sqrt{2\,\delta\,M + \delta^2/3} - \delta

    Kept so that the printed figures can be reproduced. Use :func:`optimal`, or :func:`daly` for Daly's own formula.

    Parameters
    ----------
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time of computation between checkpoints, in seconds. NaN where the formula is not positive, from delta = 3M
        on; 0 if a checkpoint is free, infinite if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    At delta = M/10 Young's interval is longer than this one by

    >>> from relmath.units import percent
    >>> round(float((young(0.1, 1) / daly_as_printed(0.1, 1) - 1) / percent), 2)
    27.44
    """
    return in_blocks(_daly_as_printed, *_checked(write_time=write_time, mtbf=mtbf))


def async_interval(stall: Array, persist: Array, mtbf: Array) -> Array:
    r"""First-order optimal interval of asynchronous checkpoints.

    .. math:: \tau = \max\bigl(\sqrt{2\,b\,M},\ P\bigr)

    Minimises :func:`async_overhead`: Young's interval with the stall for the write time, but not less than the time to
    persist, since one write ends before the next begins. In the exact overhead the time to persist acts as a restart,
    ``overhead(interval, stall, mtbf, restart=persist)``, and the exact interval is ``maximum(optimal(stall, mtbf),
    persist)``.

    Parameters
    ----------
    stall : array_like
        Time for which the job stands still at each checkpoint, b, in seconds. At least 0.
    persist : array_like
        Time until a checkpoint is safe, P, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time of computation between checkpoints, in seconds. Infinite if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A stall of one second leaves the choice to Young; at one of 10 ms the time to persist binds:

    >>> from relmath.units import hour
    >>> [round(float(async_interval(stall, 24.5, 4.14 * hour)), 1) for stall in (1, 0.01)]
    [172.6, 24.5]
    """
    return in_blocks(_async_interval, *_checked(stall=stall, persist=persist, mtbf=mtbf))


def sharded_write_time(size: Array, writers: Array, writer_bandwidth: Array, bandwidth: Array = np.inf) -> Array:
    r"""Time to write a checkpoint that many writers share evenly.

    .. math:: \delta = \frac{S}{\min(n B_w, B)}

    Assumes that each writes its own part, all at once and equally fast; the slowest of them sets the time otherwise.

    Parameters
    ----------
    size : array_like
        Size of the checkpoint, S, in bytes. At least 0.
    writers : array_like
        Number of writers, n. Whole, at least 1.
    writer_bandwidth : array_like
        Bandwidth of one writer, in bytes per second. Above 0.
    bandwidth : array_like
        Bandwidth of the storage that they share, B, in bytes per second. Above 0; infinite if each has its own.

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
    1 250 nodes at 2 GB/s each, into their own disks and into a storage of 100 GB/s:

    >>> from relmath.units import GB
    >>> sharded_write_time(2450 * GB, 1250, 2 * GB, [np.inf, 100 * GB]).tolist()
    [0.98, 24.5]
    """
    shared = _checked(size=size, writers=writers, writer_bandwidth=writer_bandwidth, bandwidth=bandwidth)
    return in_blocks(_sharded_write_time, *shared)


def incremental_write_time(write_time: Array, changed: Array, chain: Array) -> Array:
    r"""Mean time to write a checkpoint of a chain: one in full, then increments, which hold what has changed.

    .. math:: \delta \Bigl(\varphi + \frac{1 - \varphi}{n}\Bigr)

    Parameters
    ----------
    write_time : array_like
        Time to write a checkpoint in full, delta, in seconds. At least 0.
    changed : array_like
        Share of it that an increment holds, between 0 and 1.
    chain : array_like
        Number of checkpoints in a chain, n, the full one among them. Whole, at least 1.

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
    >>> float(incremental_write_time(24.5, changed=0.25, chain=5))
    9.8
    """
    return in_blocks(_incremental_write_time, *_checked(write_time=write_time, changed=changed, chain=chain))


def incremental_overhead(
    interval: Array, write_time: Array, mtbf: Array, changed: Array, chain: Array, restart: Array = 0
) -> Array:
    r"""First-order overhead of incremental checkpoints, of useful time, with the reading of the chain.

    .. math::
        \frac{\delta}{\tau} \Bigl(\varphi + \frac{1 - \varphi}{n}\Bigr) + \frac{\tau}{2M}
        + \frac{R}{M} \Bigl(1 + \varphi\,\frac{n - 1}{2}\Bigr)

    After a failure the last full checkpoint is read, and every increment since then: half a chain of them on average.

    Parameters
    ----------
    interval : array_like
        Time of computation between checkpoints, tau, in seconds. Above 0 and finite.
    write_time : array_like
        Time to write a checkpoint in full, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    changed : array_like
        Share of a checkpoint that an increment holds, between 0 and 1.
    chain : array_like
        Number of checkpoints in a chain, n, the full one among them. Whole, at least 1.
    restart : array_like
        Time to read a full checkpoint, R, in seconds. At least 0.

    Returns
    -------
    array_like
        Time lost per useful time (T/tau - 1), to first order.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A tenth changes; a full checkpoint every thirty-second time:

    >>> from relmath.units import hour, percent
    >>> round(float(incremental_overhead(306, 24.5, 4.14 * hour, 0.1, 32, restart=24.5) / percent), 2)
    2.47
    """
    checked = _checked(
        interval=interval, write_time=write_time, mtbf=mtbf, changed=changed, chain=chain, restart=restart
    )
    return in_blocks(_incremental_overhead, *checked)


def longest_write(overhead: Array, mtbf: Array) -> Array:
    r"""Longest write for which some interval keeps the overhead within a limit.

    .. math:: \delta = M \Bigl(\ln(1 + w) - \frac{w}{1 + w}\Bigr)

    The inverse of the exact overhead at the :func:`optimal` interval, without restart and downtime; about
    :math:`M w^2/2` for small w. A checkpoint of size S needs a bandwidth of S by this time.

    Parameters
    ----------
    overhead : array_like
        Time that may be lost per useful time, w. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Write time in seconds; infinite if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> round(float(longest_write(1 * percent, 4.14 * hour)), 3)
    0.735
    """
    return in_blocks(_longest_write, *_checked(overhead=overhead, mtbf=mtbf))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "parameters": count,
    "bytes_per_parameter": non_negative,
    "size": non_negative,
    "bandwidth": positive,
    "interval": positive_finite,
    "write_time": non_negative,
    "stall": non_negative,
    "persist": non_negative,
    "mtbf": positive,
    "restart": non_negative,
    "downtime": non_negative,
    "writers": partial(count, least=1),
    "writer_bandwidth": positive,
    "changed": probability,
    "chain": partial(count, least=1),
    "overhead": non_negative,
}


_checked = partial(checked, _CHECKS)


def _segment(interval: Array, write_time: Array, mtbf: Array, restart: Array, downtime: Array) -> list[Array]:
    return _checked(interval=interval, write_time=write_time, mtbf=mtbf, restart=restart, downtime=downtime)


# The kernels: ufuncs only, on arguments already checked, so that the same lines serve NumPy and CuPy. Both branches of
# a `where` are evaluated, so each is kept from invalid operations where it does not count.


def _async_overhead(interval: Array, stall: Array, persist: Array, mtbf: Array) -> Array:
    return stall / interval + (interval / mtbf / 2 + persist / mtbf)


def _first_order_overhead(interval: Array, write_time: Array, mtbf: Array) -> Array:
    return write_time / interval + interval / mtbf / 2


def _young(write_time: Array, mtbf: Array) -> Array:
    # One root of the product: quick, and within the doubles for all times from 1e-153 to 1e153 s. If the job never
    # fails, a write time of 0 counts as 1, lest it make 0 times infinity.
    never_fails = mtbf == np.inf
    return np.sqrt(2 * (write_time + never_fails) * mtbf)


def _relative(write_time: Array, mtbf: Array) -> Array:
    """Young's interval by the MTBF, 0 if the job never fails."""
    return np.sqrt(np.minimum(2 * write_time, np.finfo(np.float64).max)) / np.sqrt(mtbf)


def _series_of_optimum(terms: int) -> list[float]:
    """Coefficients c of u = p (c0 + c1 p + c2 p^2 + ...), p = sqrt(2x), from u du/dp = p (1 - u)."""
    c = [1.0]
    for n in range(1, terms):
        c.append(-c[n - 1] / (n + 2) - sum(c[j] * c[n - j] for j in range(1, n)) / 2)
    return c


_OPTIMUM = _series_of_optimum(8)  # to the last digit below p = 0.1, within 3e-4 up to p = 2


def _optimal(write_time: Array, mtbf: Array) -> Array:
    p = np.minimum(_relative(write_time, mtbf), 2)
    series = p * polyval(p, _OPTIMUM, tensor=False)

    # From there, w = -ln(1 - u) solves w + expm1(-w) = x, which is as good near u = 1 as elsewhere. Two steps of
    # Halley's method reach the last digit. Beyond x = 50 the interval is the MTBF in every digit.
    x = np.clip(write_time / mtbf, 0.005, 50)
    w = x + series
    for _ in range(2):
        u = -np.expm1(-w)
        excess = w - u - x
        step = excess * u / (u * u - excess * (1 - u) / 2)
        w = w - step
    u = u - (1 - u) * step  # follows w; the second step is so small that its square does not matter
    return times_mtbf(np.where(p < 0.1, series, u), mtbf)


def _daly(write_time: Array, mtbf: Array) -> Array:
    s = np.minimum(_relative(write_time, mtbf) / 2, 1)
    u = 2 * s * (1 + s / 3 + s * s / 9) - 2 * s * s  # as published, by the MTBF
    return times_mtbf(np.where(write_time / 2 >= mtbf, 1, u), mtbf)


def _daly_as_printed(write_time: Array, mtbf: Array) -> Array:
    # The printed root, rationalised and by the MTBF: 2s (1 - x/3) / (sqrt(1 + x/6) + s), s = sqrt(x/2). Its factor
    # 1 - x/3 is formed from differences that are exact near its end at x = 3.
    finite = np.minimum(mtbf, np.finfo(np.float64).max)
    rest = (finite / 4 - (write_time / 4 - finite / 2)) / (0.75 * finite)
    s = np.minimum(_relative(write_time, mtbf) / 2, 2)
    u = 2 * s * rest / (np.sqrt(1 + s * s / 3) + s)
    return np.where(write_time / 3 < mtbf, times_mtbf(u, mtbf), np.nan)


_REMAINDER = [1 / factorial(k) for k in range(2, 11)]  # of e^u - 1 - u = u^2 (1/2 + u/6 + ...)


def _mean_lost_work(interval: Array, mtbf: Array, write_time: Array) -> Array:
    # In lifetimes: u = tau/M, and the chance that a failure strikes during the write. Beyond 1e20 times both, the MTBF
    # no longer matters, and infinity is as good as that.
    longer = np.maximum(interval, write_time)
    u = np.maximum(interval / mtbf, 1e-20 * (interval / longer))
    writing = -np.expm1(-np.maximum(write_time / mtbf, 1e-20 * (write_time / longer)))

    rare = np.minimum(u, 0.1)  # below, e^u - 1 - u comes from its series, since it would cancel
    lost = rare * polyval(rare, _REMAINDER, tensor=False) + writing
    in_intervals = lost / (np.expm1(rare) + writing)

    frequent = np.clip(u, 0.1, 1000)  # e^-1000 is 0
    survives = np.exp(-frequent)
    failed = -np.expm1(-frequent)
    lost = failed - frequent * survives * (1 - writing)
    in_lifetimes = lost / (failed + survives * writing)
    return np.where(u < 0.1, interval * in_intervals, mtbf * in_lifetimes)


def _attempts(interval: Array, write_time: Array, mtbf: Array, restart: Array, downtime: Array) -> tuple[Array, Array]:
    """Time t and exponent h of the expected time t e^h e^h; nothing on the way to it overflows before it does."""
    segment = interval + write_time
    z = np.minimum(interval / mtbf + write_time / mtbf, 1e5)  # beyond, the expected time is infinite
    fails = -np.expm1(-z)
    time = segment * (np.where(z > 0, fails, 1) / np.where(z > 0, z, 1)) + downtime * fails
    return time, np.minimum(z + restart / mtbf, 1e5) / 2


def _expected_time(*segment: Array) -> Array:
    time, half = _attempts(*segment)
    growth = np.exp(half)
    return time * growth * growth


def _efficiency(*segment: Array) -> Array:
    time, half = _attempts(*segment)
    decay = np.exp(-half)
    return segment[0] / time * decay * decay


def _overhead(interval: Array, write_time: Array, mtbf: Array, restart: Array, downtime: Array) -> Array:
    # The sum of what writing, rework and restarts cost: no term is a difference of nearly equal ones.
    z = np.minimum(interval / mtbf + write_time / mtbf, 1e5)  # beyond, T is infinite
    rare, frequent = np.minimum(z, 0.1), np.maximum(z, 0.1)
    grown = np.expm1(frequent / 2)  # e^z - 1 is this times itself and 2, and may overflow where it by z does not
    again = np.where(z < 0.1, rare * polyval(rare, _REMAINDER, tensor=False), grown / frequent * (grown + 2) - 1)
    writing = write_time / interval
    restarts = np.expm1(np.minimum(restart / mtbf, 1e5) + np.log1p(downtime / mtbf))
    most = np.finfo(np.float64).max  # so that neither factor is infinite where the other is 0
    return restarts + (1 + np.minimum(restarts, most)) * (writing + (1 + np.minimum(writing, most)) * again)


def _sharded_write_time(size: Array, writers: Array, writer_bandwidth: Array, bandwidth: Array) -> Array:
    return size / np.minimum(writers * writer_bandwidth, bandwidth)


def _incremental_write_time(write_time: Array, changed: Array, chain: Array) -> Array:
    return write_time * (changed + (1 - changed) / chain)


def _incremental_overhead(
    interval: Array, write_time: Array, mtbf: Array, changed: Array, chain: Array, restart: Array
) -> Array:
    read = restart / mtbf * (1 + changed * ((chain - 1) / 2))
    return _incremental_write_time(write_time, changed, chain) / interval + (interval / mtbf / 2 + read)


def _async_interval(stall: Array, persist: Array, mtbf: Array) -> Array:
    return np.maximum(_young(stall, mtbf), persist)


_BY_SHARE = [1 / k for k in range(2, 18)]  # of -ln(1 - u) - u = u^2 (1/2 + u/3 + ...)


def _longest_write(overhead: Array, mtbf: Array) -> Array:
    share = overhead / (1 + overhead)  # of wall time
    small = np.minimum(share, 0.1)  # below, the difference comes from its series, since it would cancel
    series = small * small * polyval(small, _BY_SHARE, tensor=False)
    return times_mtbf(np.where(share < 0.1, series, np.log1p(overhead) - share), mtbf)
