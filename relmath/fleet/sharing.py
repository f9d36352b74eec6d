r"""Sharing: what one bad GPU takes with it, at the granularity of devices and of machines, and whom it hits.

Capacity is counted in devices, and lost in device-seconds. A *group* is what is taken out of service together: one
device, or all of a machine's. Times from 1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from relmath import availability
from relmath.domain import Array, checked, count, non_negative, not_below, probability
from relmath.elementwise import in_blocks


def lost_if_drained(devices: Array, wait: Array, swap: Array) -> Array:
    r"""Device-time lost to one faulty device, if its machine is drained at once.

    .. math:: n_g\,(t_q + t_x)

    Parameters
    ----------
    devices : array_like
        Devices of a machine, n_g. Whole, at least 1.
    wait : array_like
        Time until the repair begins, t_q, in seconds: for a part, a crew, the end of a job. At least 0.
    swap : array_like
        Time for which the machine must be down for the repair itself, t_x, in seconds. At least 0.

    Returns
    -------
    array_like
        Device-seconds.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    One of eight, two days of waiting, one hour of work; in device-hours:

    >>> from relmath.units import day, hour
    >>> float(lost_if_drained(8, 2 * day, hour) / hour)
    392.0
    """
    return in_blocks(_lost_if_drained, *_checked(devices=devices, wait=wait, swap=swap))


def lost_if_isolated(devices: Array, wait: Array, swap: Array) -> Array:
    r"""Device-time lost to one faulty device, if it alone is taken out until the repair begins.

    .. math:: t_q + n_g\,t_x

    The repair itself still takes the whole machine. Saved are the neighbours' hours of waiting, :math:`(n_g - 1)\,t_q`.

    Parameters
    ----------
    devices : array_like
        Devices of a machine, n_g. Whole, at least 1.
    wait : array_like
        Time until the repair begins, t_q, in seconds. At least 0.
    swap : array_like
        Time for which the machine must be down for the repair itself, t_x, in seconds. At least 0.

    Returns
    -------
    array_like
        Device-seconds.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour
    >>> float(lost_if_isolated(8, 2 * day, hour) / hour)
    56.0
    """
    return in_blocks(_lost_if_isolated, *_checked(devices=devices, wait=wait, swap=swap))


def pool_meets(a: Array, needed: Array, groups: Array, group: Array = 1) -> Array:
    r"""Probability that a pool has as many devices in service as are needed.

    .. math:: P\left(X \ge \lceil k / n_g \rceil\right), \qquad X \sim \mathrm{Bin}\left(m_g,\, A^{n_g}\right)

    A group is in service while all of its devices are up. Devices are up independently of one another.

    Parameters
    ----------
    a : array_like
        Availability of one device, A. Between 0 and 1.
    needed : array_like
        Devices needed at once, k. Whole, at least 0.
    groups : array_like
        Groups in the pool, m_g. Whole, and enough for what is needed.
    group : array_like
        Devices of a group, n_g: 1 if each is taken out alone, those of a machine if it is taken out as a whole.

    Returns
    -------
    array_like
        Share of time.

    Raises
    ------
    ValueError
        If a value is outside its domain, or the pool is smaller than what is needed.

    See Also
    --------
    relmath.availability.k_of_n : The binomial tail that it evaluates.

    Examples
    --------
    960 devices needed of 1 000, each up 99 % of the time: device by device, and by machines of eight.

    >>> [round(float(pool_meets(0.99, 960, 1000 // group, group)), 4) for group in (1, 8)]
    [1.0, 0.0731]
    """
    a, needed, groups, group = _checked(a=a, needed=needed, groups=groups, group=group)
    at_work = in_blocks(_groups_for, needed, group)
    return availability.k_of_n(
        in_blocks(_power, a, group), at_work, not_below("groups", groups, "needed / group, rounded up", at_work)
    )


def tenants_hit(tenants: Array, contained: Array) -> Array:
    r"""Mean number of tenants of a device that a fault of it hits.

    .. math:: x_c + (1 - x_c)\,n_u

    Parameters
    ----------
    tenants : array_like
        Tenants that share the device, n_u. Whole, at least 1.
    contained : array_like
        Share of faults, x_c, that stay within the partition in which they occur; the others hit everybody.

    Returns
    -------
    array_like
        Number of tenants, between 1 and n_u.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> [float(tenants_hit(7, contained)) for contained in (0, 0.5, 1)]
    [7.0, 4.0, 1.0]
    """
    return in_blocks(_tenants_hit, *_checked(tenants=tenants, contained=contained))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "devices": partial(count, least=1),
    "wait": non_negative,
    "swap": non_negative,
    "a": probability,
    "needed": count,
    "groups": count,
    "group": partial(count, least=1),
    "tenants": partial(count, least=1),
    "contained": probability,
}


_checked = partial(checked, _CHECKS)


# The kernels, as in relmath.checkpoints: on arguments already checked.


def _lost_if_drained(devices: Array, wait: Array, swap: Array) -> Array:
    return devices * (wait + swap)


def _lost_if_isolated(devices: Array, wait: Array, swap: Array) -> Array:
    return wait + devices * swap


def _power(a: Array, group: Array) -> Array:
    return a**group


def _groups_for(needed: Array, group: Array) -> Array:
    return np.ceil(needed / group)


def _tenants_hit(tenants: Array, contained: Array) -> Array:
    return contained + (1 - contained) * tenants
