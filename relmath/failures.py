r"""Failures: how often a part fails, how rates add up to a node and a cluster, and what a job meets.

Throughout, a part fails at a constant rate, whatever its age: its life is exponential, with the MTTF as its mean.
Parts are independent, and in series: the first of them to fail stops the node, and with it the job.

Times from 1e-150 to 1e150 s, and 0, are safe, as in :mod:`relmath.checkpoints`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

import numpy as np

from relmath.domain import Array, checked, count, non_negative, positive, probability
from relmath.elementwise import in_blocks, times_mtbf
from relmath.units import hour, year

COMPONENTS: Mapping[str, float] = MappingProxyType(
    {
        "GPU": 50_000 * hour,
        "HBM": 200_000 * hour,
        "NIC": 150_000 * hour,
        "PSU": 100_000 * hour,
        "PCIe switch": 200_000 * hour,
        "optical cable": 50_000 * hour,
        "top-of-rack switch": 300_000 * hour,
    }
)
"""MTTF of a node's parts in seconds, by name, as published with *Machine Learning Systems*, in orders of magnitude.

:meta hide-value:
"""


def mttf(fit_rate: Array) -> Array:
    r"""Mean time to failure of a part whose failure rate is known.

    .. math:: \text{MTTF} = \int_0^\infty e^{-\lambda t}\,dt = \frac{1}{\lambda}

    Parameters
    ----------
    fit_rate : array_like
        Failure rate, lambda, in failures per second: a data sheet's 20 000 FIT is ``20_000 * relmath.units.FIT``. At
        least 0.

    Returns
    -------
    array_like
        Time in seconds; infinite if the part never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import FIT, hour, year
    >>> life = mttf(20_000 * FIT)
    >>> round(float(life / hour)), round(float(life / year), 1)
    (50000, 5.7)
    """
    return in_blocks(np.reciprocal, *_checked(fit_rate=fit_rate))


def fit_rate(mttf: Array) -> Array:
    r"""Failure rate of a part whose mean time to failure is known.

    .. math:: \lambda = \frac{1}{\text{MTTF}}

    Parameters
    ----------
    mttf : array_like
        Mean time to failure, in seconds. Above 0; infinite if the part never fails.

    Returns
    -------
    array_like
        Failures per second; divide by ``relmath.units.FIT`` to read it in FIT, failures in 1e9 device-hours.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import FIT, hour
    >>> round(float(fit_rate(150_000 * hour) / FIT), 1)
    6666.7
    """
    return in_blocks(np.reciprocal, *_checked(mttf=mttf))


def annual_failure_rate(mttf: Array) -> Array:
    r"""Probability that a part in use fails within a year (AFR).

    .. math:: 1 - e^{-\text{year}/\text{MTTF}}

    The other quantity of that name, the failures a year of a place whose part is replaced each time, is
    year/MTTF; it is larger, and may exceed 1.

    Parameters
    ----------
    mttf : array_like
        Mean time to failure, in seconds. Above 0; infinite if the part never fails.

    Returns
    -------
    array_like
        Probability, for a year of 8760 h.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> round(float(annual_failure_rate(50_000 * hour) / percent), 1)
    16.1
    """
    return in_blocks(partial(_probability_of_failure, year), *_checked(mttf=mttf))


def burn_in_failures(nodes: Array, mtbf: Array, multiplier: Array, period: Array) -> Array:
    r"""Expected failures of a new fleet in its early period, in total.

    .. math:: \frac{N\,h\,\theta}{M}

    The rate is a multiple h of the later one throughout the period, for nodes that have been replaced in it, too.

    Parameters
    ----------
    nodes : array_like
        Number of nodes, N. Whole, at least 1.
    mtbf : array_like
        Mean time between failures of one node after the early period, M, in seconds. Above 0; infinite if it never
        fails.
    multiplier : array_like
        Early failure rate by the later one, h. At least 0; 1 is a fleet without early failures.
    period : array_like
        Length of the early period, or of a part of it, theta, in seconds. At least 0.

    Returns
    -------
    array_like
        Number of failures.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    The first week of 1 250 nodes, at three times the usual rate and at the usual rate:

    >>> from relmath.units import hour, week
    >>> [round(float(burn_in_failures(1250, 5172.4 * hour, times, week)), 1) for times in (3, 1)]
    [121.8, 40.6]
    """
    return in_blocks(_burn_in_failures, *_checked(nodes=nodes, mtbf=mtbf, multiplier=multiplier, period=period))


def series_mtbf(counts: Array, mttfs: Array) -> Array:
    r"""Mean time between failures of parts in series: the first to fail stops all.

    .. math:: \frac{1}{M} = \sum_i \frac{n_i}{\text{MTTF}_i}

    Parameters
    ----------
    counts : array_like
        Number of parts of each kind, along the last axis. At least 0; a part that four nodes share counts as 0.25 in
        each.
    mttfs : array_like
        Mean time to failure of a part of each kind, in seconds, along the last axis. Above 0; infinite for a kind that
        never fails.

    Returns
    -------
    array_like
        Time in seconds, with the last axis gone; infinite if nothing can fail.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Eight GPUs, two network cards and two power supplies:

    >>> from relmath.units import hour
    >>> round(float(series_mtbf([8, 2, 2], [50_000 * hour, 150_000 * hour, 100_000 * hour]) / hour), 1)
    5172.4
    """
    rates = in_blocks(np.divide, *_checked(counts=counts, mttfs=mttfs))
    return in_blocks(np.reciprocal, np.sum(np.atleast_1d(rates), axis=-1))


@dataclass(frozen=True)
class Node:
    """A node as a series of parts.

    Parameters
    ----------
    parts : mapping
        Number of parts by name, as ``{"GPU": 8, "NIC": 2}``. At least 0; a part shared by four nodes counts as 0.25.
    mttfs : mapping, optional
        Mean time to failure of each kind of part, in seconds; by default :data:`COMPONENTS`.

    Raises
    ------
    ValueError
        If a part has no MTTF, or a number is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour, percent
    >>> node = Node({"GPU": 8, "NIC": 2, "PSU": 2})
    >>> round(float(node.mtbf / hour), 1)
    5172.4
    >>> {part: round(share / percent, 1) for part, share in node.share().items()}
    {'GPU': 82.8, 'NIC': 6.9, 'PSU': 10.3}
    """

    parts: Mapping[str, float]
    mttfs: Mapping[str, float] = field(default_factory=lambda: COMPONENTS)

    def __post_init__(self) -> None:
        """Check that every part is known, and every number in its domain."""
        if unknown := sorted(set(self.parts) - set(self.mttfs)):
            raise ValueError(f"parts must be among those with an MTTF, {', '.join(self.mttfs)}, but has {unknown[0]!r}")
        for name, number in self.parts.items():
            non_negative(f"parts[{name!r}]", number)
            positive(f"mttfs[{name!r}]", self.mttfs[name])

    @property
    def rates(self) -> dict[str, float]:
        """Failures per second that the parts of each kind cause together."""
        return {name: float(number * fit_rate(self.mttfs[name])) for name, number in self.parts.items()}

    @property
    def mtbf(self) -> float:
        """Mean time between failures of the node, in seconds; infinite if nothing in it can fail."""
        return float(series_mtbf(list(self.parts.values()), [self.mttfs[name] for name in self.parts]))

    def share(self) -> dict[str, float]:
        """Share of the node's failures that each kind of part causes: the chance that it is the first to fail.

        Raises
        ------
        ValueError
            If nothing in the node can fail.
        """
        rates = self.rates
        total = sum(rates.values())
        if not total:
            raise ValueError("share must divide the failures among parts, but nothing in the node can fail")
        return {name: rate / total for name, rate in rates.items()}


NODE = Node({"GPU": 8, "NIC": 2, "PSU": 2})
"""The node of *Machine Learning Systems*, with 8 GPUs, 2 network cards and 2 power supplies, all in series.

:meta hide-value:
"""


def cluster_mtbf(node_mtbf: Array, nodes: Array) -> Array:
    r"""Mean time between failures of a cluster of equal nodes, any of which stops the job.

    .. math:: M = \frac{M_{node}}{N}

    Parameters
    ----------
    node_mtbf : array_like
        Mean time between failures of one node, in seconds. Above 0; infinite if it never fails.
    nodes : array_like
        Number of nodes, N. Whole, at least 1.

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
    >>> from relmath.units import hour
    >>> round(float(cluster_mtbf(NODE.mtbf, 1250) / hour), 2)
    4.14
    """
    return in_blocks(np.divide, *_checked(node_mtbf=node_mtbf, nodes=nodes))


def node_mtbf(gpu_mttf: Array, nic_mttf: Array, psu_mttf: Array) -> Array:
    r"""Mean time between failures of a node made as :data:`NODE` is, of better or worse parts.

    .. math:: \frac{1}{M_{node}} = \frac{8}{M_{gpu}} + \frac{2}{M_{nic}} + \frac{2}{M_{psu}}

    Other parts and numbers of them are for :class:`Node`, arrays of them for :func:`series_mtbf`.

    Parameters
    ----------
    gpu_mttf : array_like
        Mean time to failure of one of its eight GPUs, in seconds. Above 0; infinite if it never fails.
    nic_mttf : array_like
        Mean time to failure of one of its two network cards, in seconds. Above 0; infinite if it never fails.
    psu_mttf : array_like
        Mean time to failure of one of its two power supplies, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time in seconds; infinite if nothing can fail.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    With power supplies that never fail, and with those of the table:

    >>> from relmath.units import hour
    >>> [round(float(node_mtbf(50_000 * hour, 150_000 * hour, psu) / hour)) for psu in (float("inf"), 100_000 * hour)]
    [5769, 5172]
    """
    return in_blocks(_node_mtbf, *_checked(gpu_mttf=gpu_mttf, nic_mttf=nic_mttf, psu_mttf=psu_mttf))


def pair_mtbf(mttf: Array, mttr: Array) -> Array:
    r"""Mean time until both of two redundant parts are down, with repair.

    .. math:: \frac{M_{part}\,(M_{part} + 3r)}{2r}

    Either part can carry the load alone. A failed one is repaired, in an exponential time of mean r, while the other
    carries on; the pair fails when the second fails before that. The parts fail independently: a cause that strikes
    both at once is not in it, and limits real pairs long before this formula does.

    Parameters
    ----------
    mttf : array_like
        Mean time to failure of one part, in seconds. Above 0; infinite if it never fails.
    mttr : array_like
        Mean time to repair, r, in seconds. At least 0.

    Returns
    -------
    array_like
        Time in seconds, from the start with both parts sound; infinite if repair takes no time.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Two power supplies of 100 000 h each, one replaced within a day: some 24 thousand years.

    >>> from relmath.units import hour, year
    >>> round(float(pair_mtbf(100_000 * hour, 24 * hour) / year), -3)
    24000.0
    """
    return in_blocks(_pair_mtbf, *_checked(mttf=mttf, mttr=mttr))


def expected_failures(duration: Array, mtbf: Array) -> Array:
    r"""Expected number of failures during a job.

    .. math:: \frac{T_{job}}{M}

    The number itself is Poisson distributed, with this mean.

    Parameters
    ----------
    duration : array_like
        Duration of the job, in seconds. At least 0.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Number of failures.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import day, hour
    >>> round(float(expected_failures(30 * day, 4.14 * hour)))
    174
    """
    return in_blocks(np.divide, *_checked(duration=duration, mtbf=mtbf))


def probability_of_failure(duration: Array, mtbf: Array) -> Array:
    r"""Probability that at least one failure strikes a job.

    .. math:: 1 - e^{-T_{job}/M}

    Parameters
    ----------
    duration : array_like
        Duration of the job, in seconds. At least 0.
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
    >>> from relmath.units import day, hour, percent
    >>> round(float(probability_of_failure(1 * day, 20.2 * hour) / percent), 1)
    69.5
    """
    return in_blocks(_probability_of_failure, *_checked(duration=duration, mtbf=mtbf))


def longest_job(risk: Array, mtbf: Array) -> Array:
    r"""Longest job whose probability of a failure is no more than a risk.

    .. math:: T_{job} = -M \ln(1 - p_f)

    Parameters
    ----------
    risk : array_like
        Probability of at least one failure that is accepted. Between 0 and 1.
    mtbf : array_like
        Mean time between failures of the whole job, M, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Time in seconds. 0 for no risk at all; infinite for a risk of 1, or if the job never fails.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> from relmath.units import hour
    >>> round(float(longest_job(0.1, 20.2 * hour) / hour), 2)
    2.13
    """
    return in_blocks(_longest_job, *_checked(risk=risk, mtbf=mtbf))


def largest_fleet(risk: Array, duration: Array, node_mtbf: Array) -> Array:
    r"""Largest fleet that a job may use if its probability of a failure is to be no more than a risk.

    .. math:: N = \left\lfloor -\frac{M_{node}}{T_{job}} \ln(1 - p_f) \right\rfloor

    Parameters
    ----------
    risk : array_like
        Probability of at least one failure that is accepted. Between 0 and 1.
    duration : array_like
        Duration of the job, in seconds. At least 0.
    node_mtbf : array_like
        Mean time between failures of one node, in seconds. Above 0; infinite if it never fails.

    Returns
    -------
    array_like
        Number of nodes, whole: 0 if even one is too many, infinite for a risk of 1, a job of no time or nodes
        that never fail. What falls short of a whole number by a billionth of it counts as that number.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Nodes of eight GPUs for a day that passes without a failure every other time:

    >>> from relmath.units import day
    >>> float(largest_fleet(0.5, 1 * day, NODE.mtbf))
    149.0
    """
    return in_blocks(_largest_fleet, *_checked(risk=risk, duration=duration, node_mtbf=node_mtbf))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "fit_rate": non_negative,
    "mttf": positive,
    "mttfs": positive,
    "mttr": non_negative,
    "mtbf": positive,
    "node_mtbf": positive,
    "counts": non_negative,
    "nodes": partial(count, least=1),
    "multiplier": non_negative,
    "period": non_negative,
    "duration": non_negative,
    "risk": probability,
    "gpu_mttf": positive,
    "nic_mttf": positive,
    "psu_mttf": positive,
}


_checked = partial(checked, _CHECKS)


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.


def _burn_in_failures(nodes: Array, mtbf: Array, multiplier: Array, period: Array) -> Array:
    lives = period / mtbf
    finite = np.minimum(lives, np.finfo(np.float64).max)  # a rate of 0 is no failures, in however many lives
    return nodes * (multiplier * np.where(multiplier > 0, lives, finite))


def _node_mtbf(*mttfs: Array) -> Array:
    return 1 / sum(number / mttf for number, mttf in zip(NODE.parts.values(), mttfs, strict=True))


def _pair_mtbf(mttf: Array, mttr: Array) -> Array:
    return mttf * (1.5 + mttf / mttr / 2)


def _probability_of_failure(duration: Array, mtbf: Array) -> Array:
    return -np.expm1(-duration / mtbf)


def _longest_job(risk: Array, mtbf: Array) -> Array:
    return times_mtbf(-np.log1p(-risk), mtbf)


def _largest_fleet(risk: Array, duration: Array, node_mtbf: Array) -> Array:
    no_time = duration == 0
    failures = np.where(no_time, risk + np.inf, -np.log1p(-risk) / np.where(no_time, 1, duration))
    return np.floor(times_mtbf(failures, node_mtbf) * (1 + 1e-9))
