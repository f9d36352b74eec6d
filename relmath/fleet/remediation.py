r"""Remediation: how long to wait before acting on a problem, what to try first, and how much to repair at once.

A problem stops new work on a node. If it lasts beyond its grace it is a failure, and the node is drained and mended by
the steps of a ladder, from the mildest to its replacement. A cap limits how many nodes are away at once. Times from
1e-150 to 1e150 s, and 0, are safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from relmath.domain import (
    Array,
    checked,
    computed,
    count,
    finite,
    non_negative,
    not_below,
    number,
    one_number,
    positive,
    positive_finite,
    probability,
)
from relmath.elementwise import in_blocks

_SLACK = 1e-9  # within which a share of nodes is a whole number


def survives_grace(grace: Array, mean_heal: Array) -> Array:
    r"""Probability that a transient problem outlasts its grace.

    .. math:: e^{-g/h}

    Assumes that it heals at a constant rate, whatever it is.

    Parameters
    ----------
    grace : array_like
        Time for which a problem is tolerated, g, in seconds. At least 0.
    mean_heal : array_like
        Mean time in which a transient heals, h, in seconds. Above 0; infinite if it never does.

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
    Ten minutes for what heals in two, on average:

    >>> round(float(survives_grace(600, 120)), 4)
    0.0067
    """
    return in_blocks(_survives_grace, *_checked(grace=grace, mean_heal=mean_heal))


def grace_cost(
    grace: Array, mean_heal: Array, transient_share: Array, drain_cost: Array, waiting_cost_rate: Array
) -> Array:
    r"""Mean cost of a problem: of waiting for as long as it is tolerated, and of the drain if it does not heal by then.

    .. math:: q \left[ w\,h\,(1 - e^{-g/h}) + C\,e^{-g/h} \right] + (1 - q) \left[ w\,g + C \right]

    A share q of the problems is transient and heals in an exponential time; the others never do.

    Parameters
    ----------
    grace : array_like
        Time for which a problem is tolerated, g, in seconds. At least 0.
    mean_heal : array_like
        Mean time in which a transient heals, h, in seconds. Above 0; infinite if it never does.
    transient_share : array_like
        Share of problems that heal by themselves, q.
    drain_cost : array_like
        Cost of a drain, C, in seconds of one node. At least 0.
    waiting_cost_rate : array_like
        Cost of waiting for a second, w, in seconds of one node: 1 if it stands idle, less if its old work goes on.
        At least 0.

    Returns
    -------
    array_like
        Cost in seconds of one node.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> [round(float(grace_cost(g, 120, 0.8, 1800, 1))) for g in (0, 480, 1800)]
    [1800, 577, 816]
    """
    arguments = _checked(
        grace=grace,
        mean_heal=mean_heal,
        transient_share=transient_share,
        drain_cost=drain_cost,
        waiting_cost_rate=waiting_cost_rate,
    )
    return in_blocks(_grace_cost, *arguments)


def best_grace(mean_heal: Array, transient_share: Array, drain_cost: Array, waiting_cost_rate: Array) -> Array:
    r"""Grace of least :func:`grace_cost`.

    .. math:: g = h\,\ln \frac{q\,(C - w\,h)}{(1 - q)\,w\,h}, \quad \text{or 0 where that is negative}

    There a second more of waiting costs as much as the chance that the problem heals within it saves.

    Parameters
    ----------
    mean_heal : array_like
        Mean time in which a transient heals, h, in seconds. Above 0; infinite if it never does.
    transient_share : array_like
        Share of problems that heal by themselves, q.
    drain_cost : array_like
        Cost of a drain, C, in seconds of one node. At least 0.
    waiting_cost_rate : array_like
        Cost of waiting for a second, w, in seconds of one node. At least 0.

    Returns
    -------
    array_like
        Time in seconds; 0 if waiting never pays, infinite if it always does: where all problems heal, or waiting costs
        nothing, and a drain costs more than the wait for healing.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Four problems of five heal, in two minutes on average; a drain costs half an hour of an idle node. In minutes:

    >>> round(float(best_grace(120, 0.8, 1800, 1) / 60), 2)
    8.05
    """
    arguments = _checked(
        mean_heal=mean_heal,
        transient_share=transient_share,
        drain_cost=drain_cost,
        waiting_cost_rate=waiting_cost_rate,
    )
    return in_blocks(_best_grace, *arguments)


def failure_time(starts: Array, ends: Array, grace: float) -> np.float64:
    """Moment at which a node that has problems, one beside or after the other, is declared failed.

    The clock runs from the first unhealthy moment, and only a healthy one stops it: not another problem in the place of
    the first, which would let two that alternate be tolerated for ever.

    Parameters
    ----------
    starts, ends : array_like
        When each problem begins and ends, in seconds: one-dimensional, of one length, each end after its start; an end
        may be infinite. Lazy arrays are computed.
    grace : float
        Time for which a node may be unhealthy, in seconds. At least 0.

    Returns
    -------
    float
        Time in seconds; infinite if the node is never unhealthy for so long.

    Raises
    ------
    ValueError
        If a value is outside its domain, or the arrays do not fit.

    Examples
    --------
    Two faults that take turns every four minutes, with a grace of ten. In minutes:

    >>> turns = np.arange(8)
    >>> float(failure_time(turns * 240, (turns + 1) * 240, grace=600) / 60)
    10.0
    """
    starts, ends = computed(non_negative, "starts", starts), computed(number, "ends", ends)
    grace = one_number(non_negative, "grace", grace)
    if np.ndim(starts) != 1 or np.shape(starts) != np.shape(ends):
        raise ValueError(
            "starts and ends must be one-dimensional and of one length, a pair for each problem, but have the shapes "
            f"{np.shape(starts)} and {np.shape(ends)}"
        )
    not_below("ends", ends, "starts", starts)
    order = np.argsort(starts)
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    follows = np.zeros(starts.shape, bool)  # a problem that begins before all earlier ones have ended
    follows[1:] = starts[1:] <= ends[:-1]
    deadlines = starts[~follows] + grace
    healthy = ends[~np.append(follows, False)[1:]]  # the ends after which none follows
    return np.float64(np.min(deadlines, where=healthy >= deadlines, initial=np.inf))


def ladder_time(durations: Array, success: Array) -> Array:
    r"""Mean time of a ladder of steps, to the first that succeeds or to the end.

    .. math:: \sum_i t_i \prod_{j<i} (1 - p_j)

    Each step succeeds with its own probability, whatever failed before; :func:`nested_time` is for causes that a later
    step cures with the earlier ones'.

    Parameters
    ----------
    durations : array_like
        Time that each step takes, t_i, in seconds, along the last axis in the order of the steps. At least 0.
    success : array_like
        Probability that it succeeds, p_i, along the last axis.

    Returns
    -------
    array_like
        Time in seconds, with the last axis gone.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    Kill the process, reset the GPU, reboot, replace:

    >>> round(float(ladder_time([10, 60, 300, 1800], [0.3, 0.6, 0.8, 1])), 1)
    236.8
    """
    durations, success = _along_steps(durations=durations, success=success)
    reached = np.cumprod(1 - success[..., :-1], axis=-1)
    later = np.sum(durations[..., 1:] * reached, axis=-1)
    return (durations[..., 0] + later + 0 * success[..., -1])[()]  # the last success counts for nothing, unless NaN


def best_order(durations: Array, success: Array) -> Array:
    r"""Order of independent steps of least :func:`ladder_time`: by rising t/p.

    Parameters
    ----------
    durations : array_like
        Time that each step takes, t_i, in seconds, along the last axis. At least 0.
    success : array_like
        Probability that it succeeds, p_i, along the last axis.

    Returns
    -------
    array_like
        Indices of the steps, the first to try first; of equals the earlier, and those that never succeed last. A lazy
        array is computed, since an order cannot be put off.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> best_order([60, 10, 300], [0.9, 0.1, 0.99]).tolist()
    [0, 1, 2]
    """
    durations, success = _along_steps(**_computed(durations=durations, success=success))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        by_success = np.where(success > 0, durations / success, np.inf)
    return np.argsort(by_success, axis=-1, kind="stable")


def nested_time(durations: Array, shares: Array) -> Array:
    r"""Mean time of a ladder whose steps cure all that the steps before them cure, and more.

    .. math:: \sum_i t_i\,(1 - q_1 - \dots - q_{i-1})

    Parameters
    ----------
    durations : array_like
        Time that each step takes, t_i, in seconds, along the last axis, from the weakest step up. At least 0.
    shares : array_like
        Share of failures of which it is the weakest cure, q_i, along the last axis. They add up to 1 at most; the rest
        is cured by none.

    Returns
    -------
    array_like
        Time in seconds, with the last axis gone.

    Raises
    ------
    ValueError
        If a value is outside its domain, or shares add up to more than 1.

    Examples
    --------
    >>> round(float(nested_time([10, 60, 300, 1800], [0.3, 0.45, 0.2, 0.05])))
    217
    """
    durations, left = _left_over(durations, shares)
    return np.sum(durations * left, axis=-1)[()]


def best_nested(durations: Array, shares: Array) -> Array:
    """Steps of a nested ladder that are worth taking, in their order: those of least :func:`nested_time`.

    A step that comes after a stronger one cures nothing, so that what can be chosen is only which to leave out. The
    last step that cures anything is never left out, and what comes after it is.

    Parameters
    ----------
    durations : array_like
        Time that each step takes, in seconds, one-dimensional, from the weakest step up. At least 0.
    shares : array_like
        Share of failures of which it is the weakest cure, one-dimensional. They add up to 1 at most. Lazy arrays are
        computed.

    Returns
    -------
    ndarray
        Indices of the steps to take, from the weakest up; none if none cures anything.

    Raises
    ------
    ValueError
        If a value is outside its domain, or shares add up to more than 1.

    Examples
    --------
    A kill of 20 s that cures 30 %, a reset of 50 s that cures 10 % more, and a replacement for the rest: no kill.

    >>> best_nested([20, 50, 1800], [0.3, 0.1, 0.6]).tolist()
    [1, 2]
    """
    values = _computed(durations=durations, shares=shares)
    durations, left = _left_over(**values)
    if np.ndim(durations) != 1:
        raise ValueError(f"durations and shares must be one-dimensional, but together have the shape {durations.shape}")
    cures = np.flatnonzero(np.broadcast_to(values["shares"], durations.shape))
    useful = cures[-1] + 1 if cures.size else 0
    # By step i: the least time from it on if all before it have failed or are left out, and the step to take first then
    further, first = np.zeros(useful + 1), np.zeros(useful, int)
    for i in reversed(range(useful)):
        times = left[i] * durations[i:useful] + further[i + 1 :]
        first[i] = i + np.argmin(times)
        further[i] = times.min()
    chosen, i = [], 0
    while i < useful:
        chosen.append(first[i])
        i = first[i] + 1
    return np.array(chosen, int)


def steady_state(generator: Array) -> Array:
    r"""Long-run share of time in each state of a Markov chain.

    .. math:: \pi Q = 0, \qquad \sum_i \pi_i = 1

    By elimination of states without a subtraction (Grassmann, Taksar and Heyman), so that rare states come out in all
    their digits.

    Parameters
    ----------
    generator : array_like
        Rates per second from the state of the row to that of the column, Q, along the last two axes; each diagonal
        element is minus the sum of its row's others. Every state must lead to the first, directly or through others. A
        lazy array is computed.

    Returns
    -------
    array_like
        Shares along the last axis.

    Raises
    ------
    ValueError
        If a rate is negative or not finite, a row does not add up to 0, or a state does not lead to the first.

    References
    ----------
    Grassmann, Taksar and Heyman (1985), doi:10.1287/opre.33.5.1107.

    Examples
    --------
    Up for 99 hours, down for one:

    >>> steady_state([[-1 / 99, 1 / 99], [1, -1]]).round(4).tolist()
    [0.99, 0.01]
    """
    rates = np.array(computed(finite, "generator", generator), ndmin=2)
    states = rates.shape[-1]
    if rates.shape[-2] != states:
        raise ValueError(f"generator must be square in its last two axes, but has the shape {rates.shape}")
    diagonal = np.arange(states)
    own = rates[..., diagonal, diagonal].copy()
    rates[..., diagonal, diagonal] = 0
    non_negative("generator off its diagonal", rates)
    excess = rates.sum(axis=-1) + own
    if np.any(unequal := np.abs(excess) > _SLACK * np.abs(own)):
        row = tuple(np.argwhere(unequal)[0].tolist())
        raise ValueError(
            f"generator must have rows that add up to 0, but row {list(row)} adds up to {excess[row]}: make each "
            "diagonal element minus the sum of its row's others"
        )
    for last in range(states - 1, 0, -1):
        leaves = rates[..., last, :last].sum(axis=-1)
        if np.any(leaves == 0):
            raise ValueError(f"generator must lead from every state to the first, but state {last} does not")
        rates[..., :last, last] /= leaves[..., None]  # visits on the way out of each lower state
        rates[..., :last, :last] += rates[..., :last, last, None] * rates[..., last, None, :last]
    weights = np.ones(rates.shape[:-1])
    for state in range(1, states):
        weights[..., state] = np.sum(weights[..., :state] * rates[..., :state, state], axis=-1)
    return weights / weights.sum(axis=-1, keepdims=True)


def repair_queue(nodes: Array, failure_rate: Array, repair_rate: Array, crews: Array) -> Array:
    r"""Mean number of nodes that are down, in repair or waiting for it, when only so many are repaired at once.

    .. math::
        L = \sum_j j\,\pi_j, \qquad
        \frac{\pi_{j+1}}{\pi_j} = \frac{(N - j)\,\lambda}{\min(j + 1, n_m)\,\mu}

    The machine-repair model: each node that is up fails at one rate, each in repair is mended at another. In repair
    are :math:`\lambda\,(N - L)/\mu` of them in the mean, the others wait. It goes through all N + 1 states: time and
    memory grow with the nodes, to a second or two and a gigabyte at ten million.

    Parameters
    ----------
    nodes : array_like
        Nodes of the fleet, N. Whole, at least 0.
    failure_rate : array_like
        Failures of one node per second, lambda. Above 0 and finite.
    repair_rate : array_like
        Repairs of one node per second, mu: 1 by the mean time of a repair. Above 0 and finite.
    crews : array_like
        Nodes that may be in repair at once, n_m: crews, or a cap on disruption. Whole, at least 1.

    Returns
    -------
    array_like
        Mean number of nodes.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    References
    ----------
    Takács (1962), *Introduction to the Theory of Queues*.

    Examples
    --------
    1 250 nodes that fail once in 5 172 h and take 72 h to mend: with a cap of 250 nodes, of 20 and of 10.

    >>> [round(float(repair_queue(1250, 1 / 5172, 1 / 72, cap)), 1) for cap in (250, 20, 10)]
    [17.2, 19.4, 531.7]
    """
    arguments = _checked(nodes=nodes, failure_rate=failure_rate, repair_rate=repair_rate, crews=crews)
    return in_blocks(_repair_queue, *arguments)


def disruption_limit(nodes: Array, fraction: Array) -> Array:
    r"""Nodes that may be unhealthy, or disrupted, at once: a share of all, rounded up.

    .. math:: \lceil \phi_d\,N \rceil

    Parameters
    ----------
    nodes : array_like
        Nodes of the pool, N. Whole, at least 0.
    fraction : array_like
        Share of them, phi_d.

    Returns
    -------
    array_like
        Number of nodes. What is whole within a relative 1e-9 is not rounded up: 7 % of 100 is 7.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    >>> disruption_limit([3, 11, 100], 0.2).tolist()
    [1.0, 3.0, 20.0]
    """
    return in_blocks(_disruption_limit, *_checked(nodes=nodes, fraction=fraction))


_CHECKS: dict[str, Callable[[str, Array], Array]] = {
    "grace": non_negative,
    "mean_heal": positive,
    "transient_share": probability,
    "drain_cost": non_negative,
    "waiting_cost_rate": non_negative,
    "starts": non_negative,
    "durations": non_negative,
    "success": probability,
    "shares": probability,
    "nodes": count,
    "failure_rate": positive_finite,
    "repair_rate": positive_finite,
    "crews": partial(count, least=1),
    "fraction": probability,
}


_checked = partial(checked, _CHECKS)


def _computed(**arguments: Array) -> dict[str, Array]:
    return {name: computed(_CHECKS[name], name, value) for name, value in arguments.items()}


def _along_steps(**arguments: Array) -> list[Array]:
    """Arguments of a ladder, checked and of one shape, with the steps along the last axis."""
    steps = np.broadcast_arrays(*map(np.atleast_1d, _checked(**arguments)))
    if steps[0].shape[-1] == 0:
        raise ValueError(f"{' and '.join(arguments)} must have at least one step along the last axis, but have none")
    return list(steps)


def _left_over(durations: Array, shares: Array) -> tuple[Array, Array]:
    """Durations, and the share of failures that is left when it comes to each step."""
    durations, shares = _along_steps(durations=durations, shares=shares)
    cured = np.cumsum(shares, axis=-1)
    total = cured[..., -1]
    total = probability("sum of shares", np.where(total > 1 + _SLACK, total, np.minimum(total, 1)))
    at_first = 1 + 0 * total[..., None]  # NaN where the sum of lazy shares is beyond 1
    return durations, np.concatenate([at_first, np.maximum(1 - cured[..., :-1], 0)], axis=-1)


# The kernels, as in relmath.checkpoints: on arguments already checked, with both branches of a `where` evaluated.

_LARGEST = np.finfo(np.float64).max


def _survives_grace(grace: Array, mean_heal: Array) -> Array:
    return np.exp(-grace / mean_heal)


def _grace_cost(
    grace: Array, mean_heal: Array, transient_share: Array, drain_cost: Array, waiting_cost_rate: Array
) -> Array:
    x = grace / mean_heal
    healed = -np.expm1(-x)
    # The mean wait h (1 - e^-x) as a share of g, where h may be infinite
    soon = grace * np.where(x > 0, healed / np.where(x > 0, x, 1), 1)
    wait = np.where(x < 1, soon, np.minimum(mean_heal, _LARGEST) * healed)
    transient = np.minimum(waiting_cost_rate * wait + drain_cost * np.exp(-x), _LARGEST)
    lasting = np.minimum(waiting_cost_rate * grace + drain_cost, _LARGEST)
    return transient_share * transient + (1 - transient_share) * lasting


def _best_grace(mean_heal: Array, transient_share: Array, drain_cost: Array, waiting_cost_rate: Array) -> Array:
    # With a = w h the odds in the logarithm exceed 1 by (q C - a)/((1 - q) a), which does not cancel once more.
    longest = np.minimum(mean_heal, _LARGEST)
    a = np.minimum(waiting_cost_rate * longest, _LARGEST)
    gain = transient_share * drain_cost - a
    cost = (1 - transient_share) * a
    always = (gain > 0) & (cost == 0)
    excess = np.maximum(gain, 0) / np.where(cost > 0, cost, 1 + 0 * cost)
    return np.where(always, np.inf, longest * np.log1p(excess))


def _repair_queue(nodes: Array, failure_rate: Array, repair_rate: Array, crews: Array) -> Array:
    return np.array(
        [_mean_down(*one) for one in zip(*np.broadcast_arrays(nodes, failure_rate, repair_rate, crews), strict=True)]
    )


def _mean_down(nodes: float, failure_rate: float, repair_rate: float, crews: float) -> float:
    """Weights of the states from the likeliest outwards, so that nothing overflows and nothing cancels."""
    if np.isnan(nodes + failure_rate + repair_rate + crews):
        return np.nan
    down = np.arange(nodes)
    growth = (nodes - down) * (failure_rate / repair_rate) / np.minimum(down + 1, crews)  # of the weight, to one more
    mode = np.count_nonzero(growth >= 1)  # it falls with every further node that is down
    below, above = np.cumprod(1 / growth[:mode][::-1]), np.cumprod(growth[mode:])
    weights = np.concatenate([below[::-1], [1.0], above])
    return float(np.arange(nodes + 1) @ weights / weights.sum())


def _disruption_limit(nodes: Array, fraction: Array) -> Array:
    share = nodes * fraction
    whole = np.rint(share)
    return np.where(np.abs(share - whole) <= _SLACK * share, whole, np.ceil(share))
