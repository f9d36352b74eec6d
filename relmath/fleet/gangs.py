r"""Gangs: what a job of many members loses to its slowest one, and how that one is found.

All members work in step: a step ends when the last of them has finished. A *slow-down* is extra time by the time
without it: 0.05 makes a step of 10 s last 10.5 s. Times from 1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from relmath.domain import Array, checked, count, non_negative, positive_finite, positive_probability, probability
from relmath.elementwise import in_blocks

POINTS = 160  # of the trapezoidal rule over the density of the largest, which has its last digits then
POINTS_BESIDE = 600  # of the same, over the survival of one slow member
NEVER = 9.5  # deviations from its mean that a normal number never reaches, to the last digit
TAIL = 40  # natural logarithm of what is left out at either end


def slowest(nodes: Array, mean: Array, sd: Array) -> Array:
    r"""Mean time until the slowest of so many members has finished a step.

    .. math:: \mu + \sigma\,e_N, \qquad e_N = N \int x\,\varphi(x)\,\Phi(x)^{N-1}\,dx

    Assumes that members' times are normal, alike, and independent from member to member.

    Parameters
    ----------
    nodes : array_like
        Members of the gang, N. Whole, at least 1.
    mean : array_like
        Mean time of a step of one member, mu, in seconds. At least 0.
    sd : array_like
        Standard deviation of it, sigma, in seconds. At least 0.

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
    512 GPUs, each of which takes 10 s give or take 2 %:

    >>> round(float(slowest(512, 10, 0.2)), 3)
    10.609
    """
    nodes, mean, sd = _checked(nodes=nodes, mean=mean, sd=sd)
    return in_blocks(_spread, in_blocks(_deviations, nodes), mean, sd)


def slowest_extreme(nodes: Array, mean: Array, sd: Array) -> Array:
    r"""Mean time of the slowest member by extreme-value theory: the limit of large gangs.

    .. math::
        \mu + \sigma \left( L - \frac{\ln 4\pi + \ln \ln N}{2L} + \frac{\gamma}{L} \right), \qquad L = \sqrt{2 \ln N}

    Its deviations are 7 % too many at 8 members, 2 % at 64 and 1 % at 1 000; :func:`slowest` is exact.

    Parameters
    ----------
    nodes : array_like
        Members of the gang, N. Whole, at least 2.
    mean : array_like
        Mean time of a step of one member, mu, in seconds. At least 0.
    sd : array_like
        Standard deviation of it, sigma, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Leadbetter, Lindgren and Rootzén (1983), doi:10.1007/978-1-4612-5449-2, theorem 1.5.3.

    Examples
    --------
    >>> round(float(slowest_extreme(512, 10, 0.2)), 3)
    10.616
    """
    return in_blocks(_slowest_extreme, *_checked_many(nodes=nodes, mean=mean, sd=sd))


def slowest_with(nodes: Array, mean: Array, sd: Array, slowdown: Array) -> Array:
    r"""Mean time of the slowest if one of the members is slowed down.

    .. math::
        \mu + \sigma \left( e_{N-1} + \int \Phi\!\left(\tfrac{g_s\mu}{\sigma} - x\right) \Phi(x)^{N-1}\,dx \right)

    The slow member's mean is mu (1 + g_s), its standard deviation that of the others.

    Parameters
    ----------
    nodes : array_like
        Members of the gang, the slow one among them, N. Whole, at least 1.
    mean : array_like
        Mean time of a step of another member, mu, in seconds. At least 0.
    sd : array_like
        Standard deviation of the time of a step of any member, sigma, in seconds. At least 0.
    slowdown : array_like
        Slow-down of the one, g_s. At least 0.

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
    One GPU of 512 takes 5 % longer. The gang, which waits 6 % for jitter anyway, takes 0.4 % longer:

    >>> round(float(slowest_with(512, 10, 0.2, 0.05) / slowest(512, 10, 0.2) - 1), 4)
    0.0039
    """
    return in_blocks(_slowest_with, *_checked(nodes=nodes, mean=mean, sd=sd, slowdown=slowdown))


def move_pays(slowdown: Array, remaining: Array, restart: Array) -> Array:
    r"""Time saved by moving away from what slows a job down.

    .. math:: g_s\,T_\text{left} - R

    Parameters
    ----------
    slowdown : array_like
        Slow-down of the whole job, g_s. At least 0.
    remaining : array_like
        Time that the job has left at full pace, in seconds. At least 0.
    restart : array_like
        Time that the move costs, R, in seconds: to stop, to start elsewhere, to reload and to replay. At least 0.

    Returns
    -------
    array_like
        Time in seconds. Negative: stay.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Ten minutes for a move, two days left, 1 % of slow-down:

    >>> from relmath.units import day, minute
    >>> float(move_pays(0.01, 2 * day, 10 * minute))
    1128.0
    """
    return in_blocks(_move_pays, *_checked(slowdown=slowdown, remaining=remaining, restart=restart))


def break_even(slowdown: Array, restart: Array) -> Array:
    r"""Time left at full pace from which on a move pays.

    .. math:: R / g_s

    Parameters
    ----------
    slowdown : array_like
        Slow-down of the whole job, g_s. At least 0.
    restart : array_like
        Time that the move costs, R, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds; infinite if nothing is slowed down, unless a move is free.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> round(float(break_even(0.01, 548.9) / hour), 1)
    15.2
    """
    return in_blocks(_break_even, *_checked(slowdown=slowdown, restart=restart))


def bandwidth_slowdown(share: Array, ratio: Array) -> Array:
    r"""Slow-down of a step of which a share waits for transfers, if these lose bandwidth.

    .. math:: f_c \left( \frac{1}{b_r} - 1 \right)

    Assumes that what is transferred while the device computes anyway stays hidden behind it.

    Parameters
    ----------
    share : array_like
        Share of a whole step that waits for the transfers, f_c.
    ratio : array_like
        Bandwidth left, by the whole, b_r. Above 0, at most 1: k of m links give k/m.

    Returns
    -------
    array_like
        Slow-down of the step.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A fifth of the step is collectives, and half of the links are down:

    >>> float(bandwidth_slowdown(0.2, 0.5))
    0.2
    """
    return in_blocks(_bandwidth_slowdown, *_checked(share=share, ratio=ratio))


def allreduce_time(nodes: Array, message: Array, links: Array, link_bandwidth: Array, latency: Array = 0) -> Array:
    r"""Time of an all-reduce around a ring, whose slowest member has so many active links.

    .. math:: 2\,(N - 1) \left( \frac{V}{N\,n_\ell\,B_\ell} + t_\ell \right)

    Parameters
    ----------
    nodes : array_like
        Members of the ring, N. Whole, at least 1.
    message : array_like
        Size of what is reduced, V, in bytes. At least 0.
    links : array_like
        Active links of the member that has fewest. Whole, at least 1.
    link_bandwidth : array_like
        Bandwidth of a link, in bytes per second. Above 0.
    latency : array_like
        Latency of a message between neighbours, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Patarasuk and Yuan (2009), doi:10.1016/j.jpdc.2008.09.002.

    Examples
    --------
    10 GB among 64 nodes with links of 12.5 GB/s: all 32, and half of them:

    >>> from relmath.units import GB
    >>> [round(float(allreduce_time(64, 10 * GB, links, 12.5 * GB)), 4) for links in (32, 16)]
    [0.0492, 0.0984]
    """
    arguments = _checked(nodes=nodes, message=message, links=links, link_bandwidth=link_bandwidth, latency=latency)
    return in_blocks(_allreduce_time, *arguments)


def outlier_threshold(nodes: Array, false_alarm: Array) -> Array:
    r"""Deviations above which the slowest of so many healthy members lies with a given probability.

    .. math:: z = \Phi^{-1}\bigl( (1 - p_\text{fa})^{1/N} \bigr)

    Parameters
    ----------
    nodes : array_like
        Members of the gang, N. Whole, at least 1.
    false_alarm : array_like
        Probability that any of them is taken for an outlier, in one decision.

    Returns
    -------
    array_like
        Threshold in standard deviations of what is compared; infinite for no false alarms at all.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> [round(float(outlier_threshold(members, 0.001)), 2) for members in (1, 512)]
    [3.09, 4.62]
    """
    return in_blocks(_outlier_threshold, *_checked(nodes=nodes, false_alarm=false_alarm))


def steps_to_detect(nodes: Array, mean: Array, sd: Array, slowdown: Array, false_alarm: Array, miss: Array) -> Array:
    r"""Steps to average over until a slow member stands out from its gang.

    .. math:: \left( \frac{z + z_\text{miss}}{g_s\,\mu/\sigma} \right)^2, \quad \text{rounded up}

    z is :func:`outlier_threshold`. Assumes that jitter is normal, and independent from step to step.

    Parameters
    ----------
    nodes : array_like
        Members of the gang, N. Whole, at least 1.
    mean : array_like
        Mean time of a step of one member, mu, in seconds. Above 0.
    sd : array_like
        Standard deviation of it, sigma, in seconds. At least 0.
    slowdown : array_like
        Slow-down of the one, g_s. Above 0.
    false_alarm : array_like
        Probability that a healthy gang raises an alarm, in one decision. Above 0.
    miss : array_like
        Probability that the slow member raises none. Above 0.

    Returns
    -------
    array_like
        Number of steps, whole, at least 1.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> float(steps_to_detect(512, 10, 0.2, slowdown=0.05, false_alarm=0.001, miss=0.01))
    8.0
    """
    arguments = _checked_tests(nodes=nodes, mean=mean, sd=sd, slowdown=slowdown, false_alarm=false_alarm, miss=miss)
    return in_blocks(_steps_to_detect, *arguments)


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "nodes": partial(count, least=1),
    "mean": non_negative,
    "sd": non_negative,
    "slowdown": non_negative,
    "remaining": non_negative,
    "restart": non_negative,
    "share": probability,
    "ratio": positive_probability,
    "message": non_negative,
    "links": partial(count, least=1),
    "link_bandwidth": positive_finite,
    "latency": non_negative,
    "false_alarm": probability,
    "miss": positive_probability,
}

_checked = partial(checked, _CHECKS)
_checked_many = partial(checked, _CHECKS | {"nodes": partial(count, least=2)})
_checked_tests = partial(
    checked,
    _CHECKS | {"mean": positive_finite, "slowdown": positive_finite, "false_alarm": positive_probability},
)


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.

_LEAST = 2.0**-1074  # the smallest double above 0
_MOST = np.finfo(np.float64).max


def _deviations(nodes: Array) -> Array:
    """Mean of the largest of N standard normal numbers."""
    low = special.ndtri_exp(-TAIL / nodes)
    high = -special.ndtri_exp(-TAIL - np.log(nodes))
    weights = first_moments = 0 * nodes
    for point in np.linspace(0, 1, POINTS + 1):
        x = low + (high - low) * point
        weight = np.exp(np.log(nodes) + (nodes - 1) * special.log_ndtr(x) - x * x / 2)
        weights = weights + weight
        first_moments = first_moments + weight * x
    return np.where(nodes == 1, 0, first_moments / weights)


def _spread(deviations: Array, mean: Array, sd: Array) -> Array:
    return mean + sd * deviations


def _slowest_extreme(nodes: Array, mean: Array, sd: Array) -> Array:
    log = np.log(nodes)
    root = np.sqrt(2 * log)
    return mean + sd * (root + (np.euler_gamma - (np.log(4 * np.pi) + np.log(log)) / 2) / root)


def _slowest_with(nodes: Array, mean: Array, sd: Array, slowdown: Array) -> Array:
    others = np.maximum(nodes - 1, 1)
    low = special.ndtri_exp(-TAIL / others)
    always_last = NEVER - special.ndtri_exp(-TAIL - np.log(others))
    apart = np.minimum(slowdown * np.minimum(mean / np.maximum(sd, _LEAST), _MOST), always_last)
    width = np.maximum(apart + NEVER - low, 0)
    beside = 0 * nodes
    for point in np.linspace(0, 1, POINTS_BESIDE + 1):
        x = low + width * point
        beside = beside + special.ndtr(apart - x) * np.exp(others * special.log_ndtr(x))
    deviations = _deviations(others) + beside * width / POINTS_BESIDE
    alone = mean * (1 + slowdown) + 0 * sd + 0 * nodes  # undefined where any argument is
    return np.where((nodes == 1) | (apart >= always_last), alone, mean + sd * deviations)


def _move_pays(slowdown: Array, remaining: Array, restart: Array) -> Array:
    return slowdown * remaining - restart


def _break_even(slowdown: Array, restart: Array) -> Array:
    return np.where(restart == 0, 0 * slowdown, restart / np.where(restart == 0, 1, slowdown))


def _bandwidth_slowdown(share: Array, ratio: Array) -> Array:
    return share / ratio * (1 - ratio)


def _allreduce_time(nodes: Array, message: Array, links: Array, link_bandwidth: Array, latency: Array) -> Array:
    sent = 2 * (1 - 1 / nodes) * np.minimum(message / links / link_bandwidth, _MOST)
    return sent + np.minimum(2 * (nodes - 1), _MOST) * latency


def _outlier_threshold(nodes: Array, false_alarm: Array) -> Array:
    return -special.ndtri(-np.expm1(np.log1p(-false_alarm) / nodes))


def _steps_to_detect(nodes: Array, mean: Array, sd: Array, slowdown: Array, false_alarm: Array, miss: Array) -> Array:
    wanted = np.maximum(np.minimum(_outlier_threshold(nodes, false_alarm), _MOST) - special.ndtri(miss), 0)
    apart = np.maximum(slowdown * np.minimum(mean / np.maximum(sd, _LEAST), _MOST), 1e-150)
    return np.maximum(np.ceil((wanted / apart) ** 2), 1)
