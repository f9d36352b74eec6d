r"""Availability of what is repeated, and the efficiency of three ways to live with failures.

*Availability* is the long-run share of time for which something is up; *unavailability*, its complement, the share for
which it is down. Functions take the availability of one replica, a, and assume that replicas fail and are repaired
independently, except where a share beta of their failures has a common cause.

A double near 1 holds no more than 16 digits, so that eight replicas of 99 % count as never down. What remains of their
downtime is in :func:`unavailability` and :func:`common_cause_unavailability`, which do not go through 1.

Times from 1e-150 to 1e150 s, and 0, are safe, as in :mod:`relmath.checkpoints`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from relmath import checkpoints, recovery
from relmath.domain import Array, checked, count, non_negative, not_below, positive, probability
from relmath.elementwise import in_blocks, times_mtbf
from relmath.units import year

SLACK = 1e-9
"""By which share of what is allowed :func:`replicas_for` may miss it, so that 99 % twice does reach 99.99 %."""


# One replica


def availability(mtbf: Array, mttr: Array) -> Array:
    r"""Availability of something that fails and is repaired.

    .. math:: A = \frac{M}{M + r}

    The long-run share of time up, for any distributions of the times up and of the times down that have these means,
    provided that each repair makes it as good as new.

    Parameters
    ----------
    mtbf : array_like
        Mean time from the end of a repair to the next failure, M, in seconds. Above 0; infinite if it never fails.
    mttr : array_like
        Mean time to repair, r, detection and waiting included, in seconds. At least 0.

    Returns
    -------
    array_like
        Share of time up, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> float(availability(99 * hour, 1 * hour))
    0.99
    """
    return in_blocks(_availability, *_checked(mtbf=mtbf, mttr=mttr))


def downtime(a: Array, period: Array = year) -> Array:
    r"""Expected time down in a period.

    .. math:: (1 - A)\,\theta

    Parameters
    ----------
    a : array_like
        Availability, A. Between 0 and 1.
    period : array_like
        Length of the period, theta, in seconds. At least 0; by default a year of 8760 h.

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
    >>> from relmath.units import minute
    >>> round(float(downtime(0.9999) / minute), 1)
    52.6
    """
    return in_blocks(_downtime, *_checked(a=a, period=period))


def nines(a: Array) -> Array:
    r"""Number of nines of an availability: 3 for 99.9 %.

    .. math:: -\log_{10}(1 - A)

    Parameters
    ----------
    a : array_like
        Availability, A. Between 0 and 1.

    Returns
    -------
    array_like
        Number of nines, not rounded; infinite for 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> [round(float(nines(a)), 2) for a in (0.99, 0.9995, 0.9999)]
    [2.0, 3.3, 4.0]
    """
    return in_blocks(_nines, *_checked(a=a))


# Many of them


def series(a: Array, n: Array) -> Array:
    r"""Availability of n independent things that are all needed.

    .. math:: A^n

    Parameters
    ----------
    a : array_like
        Availability of each, A. Between 0 and 1.
    n : array_like
        How many there are. Whole, at least 0.

    Returns
    -------
    array_like
        Share of time for which all are up.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A fleet of 1 250 nodes, each up for 99.95 % of the time, is whole for little more than half of it:

    >>> round(float(series(0.9995, 1250)), 3)
    0.535
    """
    return in_blocks(_power, *_checked(a=a, n=n))


def parallel(a: Array, k: Array) -> Array:
    r"""Availability of k independent replicas of which one is enough.

    .. math:: 1 - (1 - A)^k

    Parameters
    ----------
    a : array_like
        Availability of one replica, A. Between 0 and 1.
    k : array_like
        Number of replicas. Whole, at least 0.

    Returns
    -------
    array_like
        Share of time for which one replica at least is up.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    See Also
    --------
    unavailability : its complement, in full precision.
    common_cause : the same, if some failures strike all replicas at once.

    Examples
    --------
    >>> round(float(parallel(0.99, 2)), 12)
    0.9999
    >>> round(float(parallel(0.9995, 2)), 12)
    0.99999975
    """
    return in_blocks(_parallel, *_checked(a=a, k=k))


def unavailability(a: Array, k: Array = 1) -> Array:
    r"""Share of time for which all of k independent replicas are down.

    .. math:: (1 - A)^k

    Parameters
    ----------
    a : array_like
        Availability of one replica, A. Between 0 and 1.
    k : array_like
        Number of replicas. Whole, at least 0.

    Returns
    -------
    array_like
        Share of time, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> f"{unavailability(0.99, 9):.3g}", float(1 - parallel(0.99, 9))
    ('1e-18', 0.0)
    """
    return in_blocks(_unavailability, *_checked(a=a, k=k))


def k_of_n(a: Array, k: Array, n: Array) -> Array:
    r"""Availability of n independent replicas of which k are needed.

    .. math:: \sum_{j=k}^{n} \binom{n}{j} A^j (1 - A)^{n-j}

    Parameters
    ----------
    a : array_like
        Availability of one replica, A. Between 0 and 1.
    k : array_like
        How many must be up. Whole, at least 0.
    n : array_like
        How many there are. Whole, at least `k`.

    Returns
    -------
    array_like
        Probability that k or more are up, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain, or `n` is below `k`.

    Examples
    --------
    Of 100 servers, each down with probability 0.05, at most three are down:

    >>> round(float(k_of_n(0.95, 97, 100)), 4)
    0.2578
    """
    a, k, n = _checked(a=a, k=k, n=n)
    return in_blocks(_k_of_n, a, k, not_below("n", n, "k", k))


def common_cause(a: Array, k: Array, beta: Array) -> Array:
    r"""Availability of k replicas if a share of their failures has a common cause: the beta-factor model.

    .. math:: 1 - \beta U - \bigl((1 - \beta)\,U\bigr)^k, \quad U = 1 - A

    Of each replica's downtime the share beta is everybody's, at the same time; the rest is its own. However many
    replicas there are, the availability stays below :math:`1 - \beta U`.

    Parameters
    ----------
    a : array_like
        Availability of one replica, A. Between 0 and 1.
    k : array_like
        Number of replicas. Whole, at least 1.
    beta : array_like
        Share of a replica's downtime that strikes all at once. Between 0 (independent) and 1 (one replica, in effect).

    Returns
    -------
    array_like
        Share of time for which one replica at least is up.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    See Also
    --------
    common_cause_unavailability : its complement, in full precision.

    Notes
    -----
    The model adds the two ways to be down, so it counts twice the times when both hold. That is negligible where U is
    small, which is what the model is for.

    Examples
    --------
    >>> from relmath.units import percent
    >>> [round(float(common_cause(0.99, k, 0.05) / percent), 3) for k in (1, 2, 3)]
    [99.0, 99.941, 99.95]
    """
    return in_blocks(_common_cause, *_checked_replicas(a=a, k=k, beta=beta))


def common_cause_unavailability(a: Array, k: Array, beta: Array) -> Array:
    r"""Share of time for which all of k replicas are down, if a share of their failures has a common cause.

    .. math:: \beta U + \bigl((1 - \beta)\,U\bigr)^k, \quad U = 1 - A

    Parameters
    ----------
    a : array_like
        Availability of one replica, A. Between 0 and 1.
    k : array_like
        Number of replicas. Whole, at least 1.
    beta : array_like
        Share of a replica's downtime that strikes all at once. Between 0 and 1.

    Returns
    -------
    array_like
        Share of time, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> f"{common_cause_unavailability(0.99, 2, 0.05):.4g}"
    '0.0005903'
    """
    return in_blocks(_common_cause_unavailability, *_checked_replicas(a=a, k=k, beta=beta))


def replicas_for(a: Array, target: Array, beta: Array = 0) -> Array:
    r"""Smallest number of replicas that reaches a target, where one that is up is enough.

    .. math:: k = \Bigl\lceil \frac{\ln(1 - A_t - \beta U)}{\ln\bigl((1 - \beta)\,U\bigr)} \Bigr\rceil, \quad U = 1 - A

    Parameters
    ----------
    a : array_like
        Availability of one replica, A. Between 0 and 1.
    target : array_like
        Availability wanted. Between 0 and 1.
    beta : array_like
        Share of a replica's downtime that strikes all at once. Between 0 and 1; by default 0, independent replicas.

    Returns
    -------
    array_like
        Number of replicas, at least 1; infinite if no number of them reaches the target.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Notes
    -----
    The target may be missed by :data:`SLACK` of the unavailability that it allows, and by the rounding of the double
    that stands for it: 99 % twice does reach 99.99 %, and four times 99.999999 %.

    Examples
    --------
    >>> [float(replicas_for(0.99, target)) for target in (0.9, 0.9999, 0.99995)]
    [1.0, 2.0, 3.0]
    >>> float(replicas_for(0.99, 0.9999, beta=0.05))
    inf
    """
    return in_blocks(_replicas_for, *_checked(a=a, target=target, beta=beta))


# Strategies against failures: their efficiency, on the same axes


def restart_efficiency(write_time: Array, mtbf: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Efficiency of checkpoint and restart at the best interval.

    .. math:: \frac{(1 - u)\,e^{-R/M}}{1 + D/M}, \quad -\ln(1 - u) - u = \delta/M

    That is :func:`relmath.checkpoints.efficiency` at :func:`relmath.checkpoints.optimal`, with its limits: free
    checkpoints, and a job that never fails.

    Parameters
    ----------
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
        Share of wall time that becomes saved work, between 0 and 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> round(float(restart_efficiency(24.5, 4.14 * hour, restart=24.5, downtime=90) / percent), 2)
    93.65
    """
    arguments = _checked(write_time=write_time, mtbf=mtbf, restart=restart, downtime=downtime)
    return in_blocks(_restart_efficiency, *arguments)


def failures_per_interruption(pairs: Array) -> Array:
    r"""Mean number of failures until both members of some pair are dead.

    .. math:: 1 + 4^b \Big/ \binom{2b}{b}

    Hits on members that are already dead count too, so that failures come at the same rate all the time and the mean
    time to interruption is this number of MTBFs. Of members that are alive, one less is hit.

    Parameters
    ----------
    pairs : array_like
        Number of pairs, b. Whole, at least 1.

    Returns
    -------
    array_like
        Mean number of failures. Close to :math:`1 + \sqrt{\pi b}` for many pairs.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Benoit, Herault, Le Fèvre and Robert (2019), hal-02273142.

    Examples
    --------
    >>> [round(float(failures_per_interruption(pairs)), 2) for pairs in (1, 2, 625)]
    [3.0, 3.67, 45.32]
    """
    return in_blocks(_failures_per_interruption, *_checked(pairs=pairs))


def replication_efficiency(
    write_time: Array, mtbf: Array, pairs: Array, restart: Array = 0, downtime: Array = 0
) -> Array:
    r"""Efficiency of a job that runs twice, on pairs of nodes, with checkpoint and restart behind it.

    .. math:: \frac{1}{2}\,e(\delta, n_f M, R, D), \quad n_f = 1 + 4^b \Big/ \binom{2b}{b}

    where e is :func:`restart_efficiency`. The job stops only when both members of a pair are dead; then all dead
    members are replaced. Interruptions are taken as exponential. They are rarer just after a restart, which makes the
    formula a little too kind where the interval is not short against the time between interruptions.

    Parameters
    ----------
    write_time : array_like
        Time to write a checkpoint, delta, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of all the nodes together, of both copies, M, in seconds. Above 0; infinite if they
        never fail.
    pairs : array_like
        Number of pairs, b: half the nodes. Whole, at least 1.
    restart : array_like
        Time to load the last checkpoint, R, in seconds. At least 0.
    downtime : array_like
        Time from an interruption to the restart, D, in seconds. At least 0.

    Returns
    -------
    array_like
        Useful share of the time of all nodes, at most a half.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> round(float(replication_efficiency(24.5, 4.14 * hour, pairs=625, restart=24.5, downtime=90) / percent), 2)
    49.57
    """
    arguments = _checked(write_time=write_time, mtbf=mtbf, pairs=pairs, restart=restart, downtime=downtime)
    return in_blocks(_replication_efficiency, *arguments)


def elastic_efficiency(mtbf: Array, pause: Array) -> Array:
    r"""Efficiency of a job that goes on without the nodes that fail and takes them back when they are repaired.

    .. math:: e^{-2G/M}

    Each failure and each return stops the job for the pause G, and one during a pause makes it begin anew: so the job
    computes whenever the last G have seen neither. No work is lost, since each part of the state has a copy elsewhere.
    The formula is for many nodes, of which few are down, and for repairs that take longer than the pause.

    Parameters
    ----------
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.
    pause : array_like
        Time for which the job stands still when a node leaves or joins, G, in seconds. At least 0.

    Returns
    -------
    array_like
        Share of time for which the job computes, between 0 and 1, on the nodes that are up.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, minute, percent
    >>> round(float(elastic_efficiency(4.14 * hour, 3 * minute) / percent), 1)
    97.6
    """
    return in_blocks(_elastic_efficiency, *_checked(mtbf=mtbf, pause=pause))


def break_even_pause(write_time: Array, mtbf: Array, restart: Array = 0, downtime: Array = 0) -> Array:
    r"""Pause at which an elastic job is as efficient as checkpoint and restart.

    .. math:: G = \tfrac{1}{2}\,\bigl(\delta + \tau^* + R + M \ln(1 + D/M)\bigr)

    where :math:`\tau^*` is the best interval, :func:`relmath.checkpoints.optimal`. With a shorter pause
    :func:`elastic_efficiency` is above :func:`restart_efficiency`, with a longer one below.

    Parameters
    ----------
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
        Time in seconds; infinite if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, minute
    >>> round(float(break_even_pause(24.5, 4.14 * hour, restart=24.5, downtime=90) / minute), 1)
    8.1
    """
    arguments = _checked(write_time=write_time, mtbf=mtbf, restart=restart, downtime=downtime)
    return in_blocks(_break_even_pause, *arguments)


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "mtbf": positive,
    "mttr": non_negative,
    "a": probability,
    "period": non_negative,
    "n": count,
    "k": count,
    "beta": probability,
    "target": probability,
    "write_time": non_negative,
    "restart": non_negative,
    "downtime": non_negative,
    "pairs": partial(count, least=1),
    "pause": non_negative,
}


_checked = partial(checked, _CHECKS)
_checked_replicas = partial(checked, _CHECKS | {"k": partial(count, least=1)})  # a common cause needs one to strike


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.

_ROUNDING = 2.0**-53  # how far from a target the double may lie that stands for it
_MOST = 1 - _ROUNDING  # the largest double below 1
_LEAST = 2.0**-1074  # the smallest above 0


def _availability(mtbf: Array, mttr: Array) -> Array:
    return 1 / (1 + mttr / mtbf)


def _downtime(a: Array, period: Array) -> Array:
    return (1 - a) * period


def _nines(a: Array) -> Array:
    return -np.log1p(-a) / np.log(10)


def _power(base: Array, exponent: Array) -> Array:
    return base**exponent + 0 * (base + exponent)  # 1, if the exponent is 0, but not of what is outside the domain


def _log_down(a: Array, k: Array) -> Array:
    """Logarithm of (1 - a)^k up to a half: there 1 - a would be rounded, and above it is exact."""
    return k * np.log1p(-np.minimum(a, 0.5))


def _parallel(a: Array, k: Array) -> Array:
    return np.where(a < 0.5, -np.expm1(_log_down(a, k)), 1 - _power(1 - a, k))


def _unavailability(a: Array, k: Array) -> Array:
    return np.where(a < 0.5, np.exp(_log_down(a, k)), _power(1 - a, k))


def _k_of_n(a: Array, k: Array, n: Array) -> Array:
    at_least_one = np.maximum(k, 1)  # the binomial tail as an incomplete beta function, which starts there
    return np.where(k > 0, special.betainc(at_least_one, np.maximum(n - k, 0) + 1, a), 1 + 0 * (a + n))


def _common_cause(a: Array, k: Array, beta: Array) -> Array:
    # beta A + (1 - beta) (1 - (1 - beta)^(k-1) U^k): nothing cancels, whatever the arguments.
    own = k * np.log1p(-a) + (k - 1) * np.log1p(-np.minimum(beta, _MOST))
    return beta * a + (1 - beta) * -np.expm1(own)


def _common_cause_unavailability(a: Array, k: Array, beta: Array) -> Array:
    return beta * (1 - a) + _unavailability(a, k) * _unavailability(beta, k)


def _replicas_for(a: Array, target: Array, beta: Array) -> Array:
    allowed = (1 - target) * (1 + SLACK) + _ROUNDING - beta * (1 - a)
    wanted = -np.log(np.clip(allowed, _ROUNDING**2, 1))
    each = -np.log1p(-np.minimum(a, _MOST)) - np.log1p(-np.minimum(beta, _MOST))  # what a replica adds
    replicas = np.maximum(np.ceil(wanted / np.maximum(each, _LEAST)), 1)
    reachable = (allowed > 0) & ((target < 1) | (a == 1))
    return np.where(a == 1, 1 + 0 * wanted, np.where(reachable, replicas, replicas + np.inf))


def _restart_efficiency(write_time: Array, mtbf: Array, restart: Array, downtime: Array) -> Array:
    return recovery._fleet_efficiency(np.float64(1), mtbf, write_time, restart, downtime)


_STIRLING = [
    (1 - 0.25**j) * bernoulli / (j * (2 * j - 1)) for j, bernoulli in enumerate(special.bernoulli(10)[2::2], start=1)
]
"""Coefficients of 1/b, 1/b^3, ... in the logarithm of 4^b / binom(2b, b) / sqrt(pi b)."""


def _failures_per_interruption(pairs: Array) -> Array:
    few, many = np.minimum(pairs, 16), np.maximum(pairs, 16)  # from 16 on Stirling's series is good to the last digit
    stirling = sum(c / many ** (2 * j - 1) for j, c in enumerate(_STIRLING, start=1))
    return 1 + np.where(pairs < 16, few * special.beta(0.5, few), np.sqrt(np.pi * many) * np.exp(stirling))


def _replication_efficiency(write_time: Array, mtbf: Array, pairs: Array, restart: Array, downtime: Array) -> Array:
    return _restart_efficiency(write_time, mtbf * _failures_per_interruption(pairs), restart, downtime) / 2


def _elastic_efficiency(mtbf: Array, pause: Array) -> Array:
    return np.exp(-2 * (pause / mtbf))


def _break_even_pause(write_time: Array, mtbf: Array, restart: Array, downtime: Array) -> Array:
    down = times_mtbf(np.log1p(downtime / mtbf), mtbf)
    return (write_time + checkpoints._optimal(write_time, mtbf) + restart + down) / 2
