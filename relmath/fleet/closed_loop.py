"""The whole loop that keeps a fleet healthy, simulated fault by fault: nodes, gang jobs, checks, repair and retries.

A :class:`Fleet` bears its faults, its jobs and four layers of defence, any of which may be off (`None`). Events are
what strikes a node and what is done about it; checks, checkpoints and the ends of jobs are arithmetic between two
events, so that a thousand nodes take a fraction of a second for a quarter of a year. Three closed forms tell what to
expect where no two troubles meet: :func:`time_away` and :func:`unavailability` of a node, :func:`reaches_owner` of a
job.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relmath import availability
from relmath.domain import (
    Array,
    below_one,
    checked,
    count,
    non_negative,
    one_number,
    positive,
    positive_finite,
    probability,
    seed_sequence,
)
from relmath.elementwise import in_blocks
from relmath.fleet.remediation import _grace_cost, disruption_limit
from relmath.fleet.retries import _budget_exhausted, hopeless_retries
from relmath.simulation import Span
from relmath.units import day, hour, minute, second

Doubles = NDArray[np.float64]

KILL, RESET, REBOOT, REPLACE = range(4)
"""Rungs of the ladder, which kill the job, reset the GPU, reboot the machine and replace it."""

MOST_FAULTS = 1_000_000
"""Expected faults of a trial above which it is refused as hopeless instead of simulated."""

MOST_EVENTS = 5_000_000
"""Events of a trial above which it is given up, as with jobs that die without end."""


_COUNTS: dict[str, Callable[..., Array]] = {
    **dict.fromkeys(("retries", "slots", "rounds", "spares"), count),
    **dict.fromkeys(("nodes", "threshold"), partial(count, least=1)),
    "rung": partial(count, most=REPLACE),
}
_SETTINGS: dict[str, Callable[..., Array]] = {
    **_COUNTS,
    **dict.fromkeys(("mtbf", "mean_heal", "release_mtbf", "straggler"), positive),
    **dict.fromkeys(("work", "interval"), positive_finite),
    **dict.fromkeys(("period", "timeout", "grace", "rollback", "preflight", "admission"), non_negative),
    **dict.fromkeys(("write_time", "reload", "response", "loud", "quiet", "replacement"), non_negative),
    **dict.fromkeys(("start", "job_timeout", "strike", "bug"), non_negative),
    **dict.fromkeys(("kills", "seen", "obvious", "cap", "coverage", "sensitivity", "specificity"), probability),
    **dict.fromkeys(("slowdown", "bad", "application"), below_one),
}
_CHECKS: dict[str, Callable[..., Array]] = {
    **dict.fromkeys(("wait", "mttr", "strikes", "reset", "replacement", "find"), non_negative),
    **dict.fromkeys(("mean_heal", "transient_mtbf", "hard_mtbf", "slow_mtbf"), positive),
    "retries": count,
    "sensitivity": probability,
}


# Three closed forms


def time_away(wait: Array, mean_heal: Array, mttr: Array) -> Array:
    r"""Mean time for which a fault keeps a node from work, if it may heal while one waits.

    .. math:: h \left(1 - e^{-\ell/h}\right) + r \, e^{-\ell/h}

    A fault heals by itself after an exponential time; if it has not after a wait, to notice it and for its grace, the
    node is repaired. It is :func:`relmath.fleet.remediation.grace_cost` of transients alone, with time for its price.

    Parameters
    ----------
    wait : array_like
        Time from the fault to the beginning of the repair, ell, in seconds. At least 0.
    mean_heal : array_like
        Mean time to heal, h, in seconds. Above 0; infinite if it never heals.
    mttr : array_like
        Time to repair, r, in seconds. At least 0.

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
    Five minutes of grace, a reset of two minutes, transients of a minute on average, and hardware that stays broken:

    >>> [round(float(away), 1) for away in time_away(300, [60, float("inf")], 120)]
    [60.4, 420.0]
    """
    return in_blocks(_time_away, *checked(_CHECKS, wait=wait, mean_heal=mean_heal, mttr=mttr))


def reaches_owner(strikes: Array, retries: Array, sensitivity: Array = 1.0) -> Array:
    r"""Probability that a failure reaches the owner of a job that resumes after each, up to a number of retries.

    .. math:: 1 - e^{-x} \sum_{k=0}^{q} \frac{(x s)^k}{k!}

    Failures strike the job as a Poisson process, and with a checkpoint it resumes where it was, so that what is left of
    it shrinks. If all are recognised, it is :func:`relmath.fleet.retries.budget_exhausted`; where each retry runs the
    whole job anew, :func:`relmath.fleet.retries.platform_loss`.

    Parameters
    ----------
    strikes : array_like
        Mean number of failures in the time of the job, x. At least 0.
    retries : array_like
        Retries that the platform allows a job, q. A whole number, at least 0.
    sensitivity : array_like, optional
        Probability that a failure of the platform is recognised as one, without which it is not retried, s. Between 0
        and 1.

    Returns
    -------
    array_like
        Probability, accurate however small.

    Raises
    ------
    ValueError
        If a value is outside its domain.

    Examples
    --------
    A job that is struck once in five runs, without a retry and with one, two and three:

    >>> [f"{float(share):.2%}" for share in reaches_owner(0.2, [0, 1, 2, 3])]
    ['18.13%', '1.75%', '0.11%', '0.01%']
    """
    values = checked(_CHECKS, strikes=strikes, retries=retries, sensitivity=sensitivity)
    return in_blocks(_reaches_owner, *values)


def unavailability(
    wait: Array,
    mean_heal: Array,
    reset: Array,
    transient_mtbf: Array,
    replacement: Array,
    hard_mtbf: Array,
    find: Array,
    slow_mtbf: Array,
) -> Array:
    r"""Share of time for which a node is not both sound and at work, with three classes of faults.

    .. math:: \frac{o}{1 + o}, \quad o = \frac{\ell + r}{M_{hard}}
        + \frac{h (1 - e^{-\ell/h}) + r_t e^{-\ell/h}}{M_{trans}} + \frac{t_{find}}{M_{slow}}

    Faults of hardware stay, transient ones heal, slow ones are not seen by checks. Rates are those of a sound node.

    Parameters
    ----------
    wait : array_like
        Time from a fault to the beginning of the repair, detection and grace, ell, in seconds. At least 0.
    mean_heal : array_like
        Mean time in which a transient fault heals, h, in seconds. Above 0; infinite if it never heals.
    reset : array_like
        Time to repair a transient fault that has not healed, in seconds. At least 0.
    transient_mtbf, hard_mtbf, slow_mtbf : array_like
        Mean time of a sound node between faults of each class, in seconds. Above 0.
    replacement : array_like
        Time to replace a node, r, in seconds. At least 0.
    find : array_like
        Mean time until a slow node is found and repaired, in seconds. At least 0.

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
    Slow nodes that are found in half an hour, and in three days:

    >>> from relmath.units import day, hour, minute
    >>> for find in 30 * minute, 3 * day:
    ...     share = unavailability(355, 180, 130, 4000 * hour, hour, 12_000 * hour, find, 20_000 * hour)
    ...     print(f"{float(share):.3%}")
    0.013%
    0.369%
    """
    values = checked(
        _CHECKS,
        wait=wait,
        mean_heal=mean_heal,
        reset=reset,
        transient_mtbf=transient_mtbf,
        replacement=replacement,
        hard_mtbf=hard_mtbf,
        find=find,
        slow_mtbf=slow_mtbf,
    )
    return in_blocks(_unavailability, *values)


# What a fleet is made of: settings, with their units


@dataclass(frozen=True)
class _Settings:
    """Settings whose values are checked by the table of their names."""

    def __post_init__(self) -> None:
        """Refuse values outside their domain; whole numbers become integers."""
        for part in fields(self):
            if part.name in _SETTINGS:
                value = one_number(_SETTINGS[part.name], part.name, getattr(self, part.name))
                if part.name in _COUNTS:
                    object.__setattr__(self, part.name, int(value))


@dataclass(frozen=True)
class Fault(_Settings):
    """A class of faults of a node.

    Attributes
    ----------
    name : str
        What it is called in the results.
    mtbf : float
        Mean time between faults of this class of one node, in seconds.
    kills : float
        Probability that it stops the job on the node.
    slowdown : float
        Share of its pace that the gang on the node loses. Below 1.
    mean_heal : float
        Mean time until it is gone by itself, in seconds; infinite if it stays.
    seen : float
        Probability that the node's own checks see it.
    obvious : float
        Probability that a basic check sees it: whether the machine is up and its driver answers.
    rung : int
        The first rung of the ladder that cures it: `KILL`, `RESET`, `REBOOT` or `REPLACE`.
    harmless : bool
        Whether nothing is wrong with the node: a false alarm.
    """

    name: str
    mtbf: float
    kills: float = 1.0
    slowdown: float = 0.0
    mean_heal: float = math.inf
    seen: float = 0.9
    obvious: float = 0.5
    rung: int = REPLACE
    harmless: bool = False


@dataclass(frozen=True)
class Gang(_Settings):
    """Places in the fleet, each of so many nodes, on which one job after another runs.

    Attributes
    ----------
    slots : int
        Number of such places.
    nodes : int
        Nodes of each.
    work : float
        Computation of each of its jobs, in seconds.
    """

    slots: int
    nodes: int
    work: float


@dataclass(frozen=True)
class Hardware(_Settings):
    """Layer 1, health of nodes: checks that act by themselves, with patience, in steps and within a limit.

    Attributes
    ----------
    period : float
        Time between two runs of the checks, in seconds.
    threshold : int
        Failed runs in a row that make an alarm.
    timeout : float
        Time after which a check that hangs counts as failed, in seconds.
    grace : float
        How long an alarm may last before the node is drained, in seconds.
    ladder : tuple of four floats
        How long to kill, to reset, to reboot and to replace takes, in seconds. They are tried in this order.
    cap : float
        Share of the fleet that may be drained at once.
    false_alarms : Fault
        Alarms without a fault.
    release_mtbf : float
        Mean time between releases of the checks that see a fault in every node, in seconds.
    rollback : float
        Time until such a release is taken back, in seconds.
    """

    period: float = 30 * second
    threshold: int = 2
    timeout: float = 10 * second
    grace: float = 5 * minute
    ladder: tuple[float, float, float, float] = (10 * second, 2 * minute, 10 * minute, 45 * minute)
    cap: float = 0.2
    false_alarms: Fault = Fault("false alarm", 1000 * hour, 0, mean_heal=1 * minute, seen=1, rung=KILL, harmless=True)
    release_mtbf: float = math.inf
    rollback: float = 1 * hour

    def __post_init__(self) -> None:
        """Refuse values outside their domain."""
        super().__post_init__()
        if np.shape(self.ladder) != (4,):
            raise ValueError(f"ladder must be four times, one a rung, but is {self.ladder!r}")
        non_negative("ladder", self.ladder)


@dataclass(frozen=True)
class Platform(_Settings):
    """Layer 2, scheduler and platform: tests before work begins, and retries.

    Attributes
    ----------
    coverage : float
        Probability that one pre-flight test finds a faulty node.
    preflight : float
        Time of that test before each start of a job, in seconds.
    rounds : int
        Rounds of the same test that a new machine must pass.
    admission : float
        Time until a new machine is admitted, in seconds.
    retries : int
        How often a job that the platform failed is retried.
    """

    coverage: float = 0.9
    preflight: float = 1 * minute
    rounds: int = 2
    admission: float = 15 * minute
    retries: int = 3


@dataclass(frozen=True)
class Training(_Settings):
    """Layer 3, the training loop: jobs save their state and resume from it.

    Attributes
    ----------
    interval : float
        Computation between checkpoints, in seconds.
    write_time : float
        Time to write one, in seconds.
    reload : float
        Time to read it back, in seconds.
    """

    interval: float = 30 * minute
    write_time: float = 30 * second
    reload: float = 60 * second


@dataclass(frozen=True)
class Observability(_Settings):
    """Layer 4: jobs are watched as one system, and their failures told apart by cause.

    Attributes
    ----------
    straggler : float
        Mean time until a slow node is found by comparing it with the others, in seconds.
    sensitivity : float
        Probability that a failure of the platform is recognised as one.
    specificity : float
        Probability that a failure of the application is recognised as one.
    """

    straggler: float = 30 * minute
    sensitivity: float = 0.95
    specificity: float = 0.95


@dataclass(frozen=True)
class Operators(_Settings):
    """What people do about a node where no layer does.

    Attributes
    ----------
    response : float
        Mean time until somebody acts on what a basic check shows, in seconds.
    loud : float
        Mean time until somebody finds a node on which jobs die, in seconds.
    quiet : float
        Mean time until somebody finds a node on which they do not, in seconds.
    replacement : float
        Time to replace a machine by hand, in seconds.
    """

    response: float = 30 * minute
    loud: float = 3 * hour
    quiet: float = 3 * day
    replacement: float = 3 * hour


FAULTS = (
    Fault("hard", 12_000 * hour),
    Fault("transient", 4_000 * hour, kills=0.4, mean_heal=3 * minute, obvious=0.1, rung=RESET),
    Fault("software", 12_000 * hour, obvious=0.1, rung=KILL),
    Fault("slow", 20_000 * hour, kills=0, slowdown=0.3, seen=0.3, obvious=0, rung=REBOOT),
)
"""Four classes of faults, by which 6.4 of 1 000 nodes stop a job a day."""

GANGS = (Gang(150, 1, 4 * hour), Gang(110, 4, 12 * hour), Gang(12, 16, 3 * day), Gang(3, 64, 14 * day))
"""Jobs of 1 to 64 nodes and of 4 h to 14 days, on 974 nodes. Most are small, most of the time goes to the others."""


@dataclass(frozen=True)
class Fleet(_Settings):
    """A fleet, its faults, its jobs, and its four layers of defence; a layer that is off is `None`.

    Attributes
    ----------
    hardware, platform, training, observability : Hardware, Platform, Training, Observability or None
        The layers.
    operators : Operators
        Who does what no layer does.
    faults : tuple of Fault
        Classes of faults.
    gangs : tuple of Gang
        What runs.
    spares : int
        Nodes that wait to take another's place.
    start : float
        Time to place and to start a job, in seconds.
    job_timeout : float
        Time after which a job that stands still is known to be dead, in seconds, if no check tells it sooner. With
        `start` and `strike`, at least 1.
    strike : float
        Time of work after which a job dies on a faulty node that stops jobs, in seconds.
    bad : float
        Share of replacements that are faulty when they come, of which no check of the node tells. Below 1.
    application : float
        Probability that a job fails of itself. Below 1.
    bug : float
        Computation after which it does, in seconds.
    """

    hardware: Hardware | None = field(default_factory=Hardware)
    platform: Platform | None = field(default_factory=Platform)
    training: Training | None = field(default_factory=Training)
    observability: Observability | None = field(default_factory=Observability)
    operators: Operators = field(default_factory=Operators)
    faults: tuple[Fault, ...] = FAULTS
    gangs: tuple[Gang, ...] = GANGS
    spares: int = 26
    start: float = 1 * minute
    job_timeout: float = 10 * minute
    strike: float = 1 * minute
    bad: float = 0.02
    application: float = 0.05
    bug: float = 10 * minute

    def __post_init__(self) -> None:
        """Refuse values outside their domain, and jobs that could die without end in no time."""
        super().__post_init__()
        layers = {"hardware": Hardware, "platform": Platform, "training": Training, "observability": Observability}
        for name, layer in layers.items():
            if not isinstance(getattr(self, name), layer | None):
                raise ValueError(f"{name} must be {layer.__name__}(...) or None, but is {getattr(self, name)!r}")
        for name, kind in (("faults", Fault), ("gangs", Gang)):
            given = getattr(self, name)
            if not isinstance(given, (tuple, list)) or not all(isinstance(one, kind) for one in given):
                raise ValueError(f"{name} must be a tuple of {kind.__name__}(...), but is {given!r}")
        if not sum(gang.slots for gang in self.gangs):
            raise ValueError(f"gangs must have at least one place for a job, but are {self.gangs!r}")
        if self.start + self.strike + self.job_timeout < 1:
            raise ValueError(
                f"job_timeout must be at least 1 s together with start and strike, but is {self.job_timeout!r}: "
                "a job takes that long to begin, to die and to be known for dead"
            )

    @property
    def nodes(self) -> int:
        """All nodes, spares included."""
        return self.spares + sum(gang.slots * gang.nodes for gang in self.gangs)


# What comes out


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a fleet: arrays with one element a trial, times in seconds of node time unless said otherwise.

    Attributes
    ----------
    node_time : ndarray
        Nodes times duration.
    unhealthy : mapping of str to ndarray
        Node time from a fault to its end, by the fault; of an alarm without a fault, from the alarm.
    withdrawn_time : ndarray
        Node time out of the pool: from the finding of a fault, or the draining, to the return.
    useful_time : ndarray
        Computation that was not undone, times the nodes of its job.
    completed, application : ndarray
        Jobs that ended well, and (in the mean) those that failed of themselves.
    clean : ndarray
        Those of the completed of which no failure reached the owner before.
    failed : mapping of str to ndarray
        Submissions whose failure by the platform reached their owner, by the fault that struck.
    faults : mapping of str to ndarray
        Faults that came, by the fault; of machines bad on arrival, those that were put to work.
    found : mapping of (str, str) to ndarray
        Faults that were found, by the fault and by whom: *checks* of the node, *comparison* with other nodes,
        *pre-flight* tests, *people*.
    latency : mapping of str to ndarray
        Mean time from a fault to its being found, by the fault, in seconds; NaN if none was.
    most_drained : ndarray
        Most nodes drained at once.
    """

    node_time: Doubles
    unhealthy: Mapping[str, Doubles]
    withdrawn_time: Doubles
    useful_time: Doubles
    completed: Doubles
    application: Doubles
    clean: Doubles
    failed: Mapping[str, Doubles]
    faults: Mapping[str, Doubles]
    found: Mapping[tuple[str, str], Doubles]
    latency: Mapping[str, Doubles]
    most_drained: Doubles

    @property
    def availability(self) -> Doubles:
        """Share of node time in which a node was sound and could be given work."""
        return 1 - sum(self.unhealthy.values()) / self.node_time

    @property
    def in_pool(self) -> Doubles:
        """Share of node time in which a node could be given work, sound or not, as a fleet without checks reports."""
        return 1 - self.withdrawn_time / self.node_time

    @property
    def ended(self) -> Doubles:
        """Submissions that ended, well or not."""
        return self.completed + self.application + sum(self.failed.values())

    @property
    def success(self) -> Doubles:
        """Share of submissions that ended without a failure by the platform that reached their owner; NaN of none."""
        return _ratio(self.completed + self.application, self.ended)

    @property
    def clean_jobs(self) -> Doubles:
        """Share of completed jobs of which no failure reached the owner, however often sent; NaN of none."""
        return _ratio(self.clean, self.completed)

    @property
    def goodput(self) -> Doubles:
        """Useful share of node time."""
        return self.useful_time / self.node_time


def simulate(
    fleet: Fleet,
    duration: float = 90 * day,
    trials: int = 1,
    seed: int | np.random.SeedSequence | None = None,
    executor: Executor | None = None,
) -> Outcome:
    """Run a fleet, so many times over.

    Parameters
    ----------
    fleet : Fleet
        What runs.
    duration : float
        For how long, in seconds. Above 0 and finite.
    trials : int
        Number of independent runs. At least 1.
    seed : int, numpy.random.SeedSequence or None, optional
        Seed of the random numbers; `None` takes a new one from the operating system.
    executor : concurrent.futures.Executor, optional
        Where trials run; by default, here and now.

    Returns
    -------
    Outcome
        Arrays by trial.

    Raises
    ------
    ValueError
        If a value is outside its domain, more than `MOST_FAULTS` faults would have to be drawn in a trial, or more than
        `MOST_EVENTS` events happen in one.

    Notes
    -----
    Each trial has a stream of random numbers of its own, so that the first trials of a longer run are the shorter run,
    whatever the executor.

    Examples
    --------
    >>> outcome = simulate(Fleet(), duration=30 * day, seed=1)
    >>> print(f"available {outcome.availability[0]:.2%}, successful {outcome.success[0]:.2%}")
    available 99.99%, successful 99.94%
    """
    duration = _checked_run(fleet, duration)
    trials = int(one_number(partial(count, least=1), "trials", trials))
    root = seed_sequence(seed)
    run_all = map if executor is None else executor.map
    rows = list(run_all(partial(_trial, fleet, duration), root.spawn(trials)))
    return Outcome(**{name: _column([row[name] for row in rows]) for name in rows[0]})


def _column(values: list[Any]) -> Any:
    """What is counted in each trial as an array, and what is counted by name as a mapping of arrays."""
    if not isinstance(values[0], Mapping):
        return np.array(values, float)
    return {key: np.array([value[key] for value in values], float) for key in values[0]}


def _ratio(part: Doubles, whole: Doubles) -> Doubles:
    """NaN where there is nothing to share."""
    shares: Doubles = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return shares


def _checked_run(fleet: Fleet, duration: float) -> float:
    """The duration, if the fleet can be simulated for so long."""
    if not isinstance(fleet, Fleet):
        raise ValueError(f"fleet must be a Fleet, but is {fleet!r}")
    duration = one_number(positive_finite, "duration", duration)
    rates = [1 / fault.mtbf for fault in _classes(fleet)] + (
        [1 / fleet.hardware.release_mtbf] if fleet.hardware else []
    )
    drawn = sum(rates) * duration * fleet.nodes
    if drawn > MOST_FAULTS:
        raise ValueError(
            f"faults must be at most {MOST_FAULTS:,} a trial, but are some {drawn:.2g}: take a shorter run"
        )
    return duration


class Lives(NamedTuple):
    """The life of one node and of one place for jobs, span by span."""

    node: list[Span]
    """The node's spans, in order."""

    job: list[Span]
    """Those of the job on the place, one after another."""


def trace(
    fleet: Fleet, duration: float, node: int = 0, slot: int = 0, seed: int | np.random.SeedSequence | None = None
) -> Lives:
    """Run a fleet once, and tell what became of one node and of one place for jobs.

    It is the first of the trials that :func:`simulate` runs under the same seed.

    Parameters
    ----------
    fleet, duration, seed
        As in :func:`simulate`.
    node : int
        Which node, from 0: they are counted through the gangs; spares come last.
    slot : int
        Which place for jobs, from 0, counted through the gangs.

    Returns
    -------
    Lives
        The node's phases are *sound*, *faulty* (nobody knows), *problem* (known, within its grace), *repair* and
        *spare*; the job's are *starting*, *computing*, *slow*, *dead* (nobody knows) and *waiting* for a node. The
        ends of jobs are not told.

    Raises
    ------
    ValueError
        As by :func:`simulate`, or if there is no such node or place.

    Examples
    --------
    >>> one = Fleet(faults=(Fault("hard", 2 * hour),), gangs=(Gang(1, 1, 8 * hour),), spares=0, bad=0)
    >>> for span in trace(one, 2 * hour, seed=3).job:
    ...     print(f"{span.phase:9}{span.start:6.0f}{span.end:6.0f}")
    starting      0   160
    computing   160  1376
    dead       1376  1431
    waiting    1431  6061
    starting   6061  6181
    computing  6181  7200
    """
    duration = _checked_run(fleet, duration)
    node = int(one_number(partial(count, most=fleet.nodes - 1), "node", node))
    places = sum(gang.slots for gang in fleet.gangs)
    slot = int(one_number(partial(count, most=places - 1), "slot", slot))
    root = seed_sequence(seed)
    loop = _Loop(fleet, duration, root.spawn(1)[0])
    loop.log = []
    loop.run()
    return Lives(_life(loop.log, ("node", node), duration), _life(loop.log, ("job", slot), duration))


# One trial


FINDERS = ("checks", "comparison", "pre-flight", "people")
BAD_RELEASE = Fault("bad release", math.inf, kills=0, rung=KILL, harmless=True)
ON_ARRIVAL = Fault("bad on arrival", math.inf)


def _classes(fleet: Fleet) -> list[Fault]:
    """The faults of a fleet, with the alarms that its checks add."""
    return [*fleet.faults, *([fleet.hardware.false_alarms] if fleet.hardware else [])]


def _trial(fleet: Fleet, duration: float, seed: np.random.SeedSequence) -> dict[str, Any]:
    loop = _Loop(fleet, duration, seed)
    loop.run()
    return loop.result()


def _one_by_one(draw: Callable[[int], Doubles]) -> Iterator[float]:
    """Random numbers from blocks of them, which costs less than drawing each."""
    while True:
        yield from reversed(draw(1024).tolist())


class _Trouble:
    """A fault that is there: of which class, since when, and how far one is with it."""

    __slots__ = ("born", "draining", "fault", "kills", "known", "told")

    def __init__(self, fault: Fault, born: float, kills: bool) -> None:
        self.fault, self.born, self.kills = fault, born, kills
        self.known = math.inf  # since when somebody knows
        self.told = math.inf  # when the node's own checks tell of it, if they do
        self.draining = False

    @property
    def hangs(self) -> bool:
        """Whether it is a process of the job, which ends with it."""
        return self.fault.rung == KILL and not self.fault.harmless


class _Node:
    __slots__ = ("name", "slot", "trouble")

    def __init__(self, name: int) -> None:
        self.name = name
        self.slot: _Slot | None = None  # none while it is a spare, or away
        self.trouble: _Trouble | None = None


class _Slot:
    """A place for jobs of one gang, with the job that runs on it.

    The job is at `at` seconds after its last checkpoint, in its own time: starting counts below 0, and it ends `length`
    after its beginning. Own time runs at the `pace` of the slowest node.
    """

    __slots__ = (
        *("at", "cycle", "dead", "fuse", "gang", "interval", "last", "length", "missing", "name", "nodes", "pace"),
        *("queued", "running", "saved", "segments", "spoilt", "tries", "version"),
    )

    def __init__(self, name: int, gang: Gang, training: Training | None) -> None:
        self.interval = min(training.interval, gang.work) if training else gang.work
        write_time = training.write_time if training else 0.0
        self.name, self.gang = name, gang
        self.segments = math.ceil(gang.work / self.interval * (1 - 1e-12))
        self.cycle = self.interval + write_time
        self.length = gang.work + self.segments * write_time
        self.nodes: list[_Node] = []
        self.at, self.last, self.pace = 0.0, 0.0, 1.0
        self.fuse = 0.0  # own time in which this attempt dies, if a node is such that jobs die on it
        self.saved = self.tries = self.missing = self.version = 0
        self.running = self.dead = self.queued = self.spoilt = False

    @property
    def left(self) -> float:
        """Own time to the end of the job."""
        return self.length - self.saved * self.cycle - self.at

    @property
    def done(self) -> float:
        """Work of the job so far: what is saved, and what came since if it runs."""
        since = min(max(0.0, self.at), self.interval) if self.running else 0.0
        return min(self.saved * self.interval + since, self.gang.work)


class _Loop:
    """The fleet as it stands, its clock, and what is to happen next.

    The life of a fault is `strike`, then `find` or `heal`, `drain`, `give_back`; that of a job is `begin`, then
    `end_of_job`, or `stop`, `learn` and `begin` again.
    """

    def __init__(self, fleet: Fleet, duration: float, seed: np.random.SeedSequence) -> None:
        self.fleet, self.duration = fleet, duration
        self.random = np.random.default_rng(seed)
        self.uniform: Callable[[], float] = partial(next, _one_by_one(self.random.random))
        self.standard_exponential: Callable[[], float] = partial(next, _one_by_one(self.random.standard_exponential))
        self.agenda: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.number = 0
        self.log: list[tuple[tuple[str, int], float, str]] | None = None

        self.classes = _classes(fleet)
        rates = list(accumulate(1 / fault.mtbf for fault in self.classes))
        self.rate = rates[-1] if rates else 0.0
        self.shares = [rate / self.rate for rate in rates] if self.rate else []
        self.cap = float(disruption_limit(fleet.nodes, fleet.hardware.cap)) if fleet.hardware else math.inf
        platform, look = fleet.platform, fleet.observability
        self.startup = fleet.start + (platform.preflight if platform else 0)
        self.retries = platform.retries if platform else 0
        attempts = 1 + float(hopeless_retries(1, self.retries, look.specificity if look else 0))
        self.buggy = fleet.application / (1 - fleet.application)  # jobs that fail of themselves, for each that does not
        # That no round of tests sees a fault is like that all replicas are down.
        self.missed = float(availability.unavailability(platform.coverage, platform.rounds)) if platform else 1.0
        self.between = self.startup + self.buggy * attempts * (self.startup + fleet.bug)

        self.nodes = [_Node(name) for name in range(fleet.nodes)]
        gangs = [gang for gang in fleet.gangs for _ in range(gang.slots)]
        self.slots = [_Slot(name, gang, fleet.training) for name, gang in enumerate(gangs)]
        self.spares: deque[_Node] = deque()
        self.waiting: deque[_Slot] = deque()  # for a node
        self.pending: deque[tuple[_Node, _Trouble]] = deque()  # for others to return, lest too many be drained
        self.out = self.most_out = self.completed = self.clean = 0
        self.withdrawn = self.useful = 0.0
        names = [fault.name for fault in (*self.classes, ON_ARRIVAL, BAD_RELEASE)]
        self.unhealthy = dict.fromkeys(names, 0.0)
        self.latency = dict.fromkeys(names, 0.0)
        self.failed = dict.fromkeys(names, 0)
        self.faults = dict.fromkeys(names, 0)
        self.found = {(name, finder): 0 for name in names for finder in FINDERS}

    def exponential(self, mean: float) -> float:
        return self.standard_exponential() * mean

    def chance(self, probability: float) -> bool:
        return self.uniform() < probability

    # The agenda

    def schedule(self, time: float, what: Callable[..., None], *about: Any) -> None:
        if time < self.duration:
            self.number += 1
            heapq.heappush(self.agenda, (time, self.number, what, about))

    def run(self) -> None:
        nodes = iter(self.nodes)
        for slot in self.slots:
            for _ in range(slot.gang.nodes):
                self.install(0.0, next(nodes), slot)
            self.begin(0.0, slot, fresh=True)
            self.expect_fault(0.0, slot)
        for node in nodes:
            self.spares.append(node)
            self.tell(("node", node.name), 0.0, "spare")
        if self.fleet.hardware and self.fleet.hardware.release_mtbf < math.inf:
            self.schedule(self.exponential(self.fleet.hardware.release_mtbf), self.release)
        while self.agenda:
            time, number, what, about = heapq.heappop(self.agenda)
            if number > MOST_EVENTS:
                raise ValueError(f"events must be at most {MOST_EVENTS:,} a trial: take a shorter run, or rarer events")
            what(time, *about)
        for slot in self.slots:
            self.advance(self.duration, slot)
            self.useful += slot.done * slot.gang.nodes
        for node in self.nodes:
            if node.trouble:
                self.account(self.duration, node.trouble)

    def tell(self, who: tuple[str, int], time: float, phase: str) -> None:
        if self.log is not None:
            self.log.append((who, time, phase))

    # Faults come, heal and are found

    def expect_fault(self, now: float, slot: _Slot) -> None:
        if self.rate:
            self.schedule(now + self.exponential(1 / (self.rate * slot.gang.nodes)), self.strike, slot)

    def strike(self, now: float, slot: _Slot) -> None:
        """One of the places of a gang is struck; where no node stands, or a faulty one, nothing comes of it."""
        self.expect_fault(now, slot)
        place = int(self.uniform() * slot.gang.nodes)
        fault = self.classes[min(bisect(self.shares, self.uniform()), len(self.classes) - 1)]
        if place >= len(slot.nodes) or slot.nodes[place].trouble:
            return
        node = slot.nodes[place]
        trouble = _Trouble(fault, now, self.chance(fault.kills))
        heals = now + self.exponential(fault.mean_heal) if fault.mean_heal < math.inf else math.inf
        found, finder = self.finding(now, trouble, heals)
        if fault.harmless and heals < found:
            return  # an alarm that nobody heard
        node.trouble = trouble
        self.faults[fault.name] += 1
        if not fault.harmless:
            self.tell(("node", node.name), now, "faulty")
        self.schedule(heals, self.heal, node, trouble)
        self.schedule(found, self.find, node, trouble, finder)
        if trouble.kills and slot.running:
            self.stop(now, slot, trouble)
        elif not fault.harmless:
            self.watch(now, slot)

    def finding(self, now: float, trouble: _Trouble, heals: float) -> tuple[float, str]:
        """When a fault is found first, if it does not heal, and by whom."""
        fault, people, checks = trouble.fault, self.fleet.operators, self.fleet.hardware
        when, finder = now + self.exponential(people.loud if trouble.kills else people.quiet), "people"
        if checks and self.chance(fault.seen):
            told = now + (self.uniform() + checks.threshold - 1) * checks.period + checks.timeout
            if told < heals:
                trouble.told = told
        elif not checks and self.chance(fault.obvious):
            when = min(when, now + self.exponential(people.response))
        if self.fleet.observability and fault.slowdown:
            compared = now + self.exponential(self.fleet.observability.straggler)
            when, finder = min((when, finder), (compared, "comparison"))
        return min((when, finder), (trouble.told, "checks"))

    def heal(self, now: float, node: _Node, trouble: _Trouble) -> None:
        if node.trouble is trouble and not trouble.draining:
            self.cure(now, node, trouble)

    def cure(self, now: float, node: _Node, trouble: _Trouble) -> None:
        """End a fault of a node that is not drained."""
        self.account(now, trouble)
        node.trouble = None
        if node.slot:
            self.tell(("node", node.name), now, "sound")
            self.watch(now, node.slot)
        else:
            self.give(now, node)

    def account(self, now: float, trouble: _Trouble) -> None:
        """Count the time of a fault that ends; what was put to no work did no harm, and what is harmless but alarms."""
        known = min(trouble.known, now)
        self.withdrawn += now - known
        self.unhealthy[trouble.fault.name] += now - (known if trouble.fault.harmless else min(trouble.born, now))

    def find(self, now: float, node: _Node, trouble: _Trouble, finder: str) -> None:
        """Somebody learns of a fault: the node gets no new job, and is drained if it does not heal in time."""
        if node.trouble is not trouble or trouble.known < math.inf:
            return
        trouble.known = now
        self.found[trouble.fault.name, finder] += 1
        self.latency[trouble.fault.name] += now - trouble.born
        self.tell(("node", node.name), now, "problem")
        slot = node.slot
        if slot and slot.dead and trouble.hangs:
            return  # the end of the job will end it
        if slot and not slot.running:
            self.take_out(slot, node)
        elif slot:
            self.watch(now, slot)
        if finder == "checks" and self.fleet.hardware:
            self.schedule(now + self.fleet.hardware.grace, self.drain, node, trouble)
        else:
            self.drain(now, node, trouble)

    def take_out(self, slot: _Slot, node: _Node) -> None:
        slot.nodes.remove(node)
        slot.missing += 1
        node.slot = None

    # Nodes are drained, repaired and given back

    def drain(self, now: float, node: _Node, trouble: _Trouble) -> None:
        if node.trouble is not trouble or trouble.draining:
            return
        if self.out >= self.cap:
            self.pending.append((node, trouble))
            return
        repair, bad = self.repair(trouble.fault)
        self.send_away(now, node, trouble, now + repair, bad)

    def send_away(self, now: float, node: _Node, trouble: _Trouble, back: float, bad: bool = False) -> None:
        """Take a node out of service, whatever runs on it, until a time."""
        trouble.draining = True
        trouble.known = min(trouble.known, now)
        self.out += 1
        self.most_out = max(self.out, self.most_out)
        self.tell(("node", node.name), now, "repair")
        self.schedule(back, self.give_back, node, trouble, bad)
        if node.slot:
            slot = node.slot
            if slot.running:
                self.stop(now, slot, trouble, known=now)
            self.take_out(slot, node)

    def repair(self, fault: Fault) -> tuple[float, bool]:
        """Time to repair a node, and whether it comes back faulty."""
        checks, platform = self.fleet.hardware, self.fleet.platform
        if checks and fault.rung < REPLACE:
            return sum(checks.ladder[: fault.rung + 1]), False
        time = sum(checks.ladder[:REPLACE]) if checks else 0.0
        replacement = checks.ladder[REPLACE] if checks else self.fleet.operators.replacement
        while True:
            time += replacement + (platform.admission if platform else 0)
            bad = self.chance(self.fleet.bad)
            if not bad or not platform or not self.chance(1 - self.missed):
                return time, bad

    def give_back(self, now: float, node: _Node, trouble: _Trouble, bad: bool) -> None:
        self.account(now, trouble)
        self.out -= 1
        node.trouble = _Trouble(ON_ARRIVAL, math.inf, kills=True) if bad else None
        self.give(now, node)
        while self.pending and self.out < self.cap:
            self.drain(now, *self.pending.popleft())

    def give(self, now: float, node: _Node) -> None:
        """Give a node to whoever waits, or keep it as a spare."""
        if not self.waiting:
            self.spares.append(node)
            self.tell(("node", node.name), now, "spare")
            return
        slot = self.waiting[0]
        self.install(now, node, slot)
        slot.missing -= 1
        if not slot.missing:
            self.waiting.popleft()
            slot.queued = False
            self.begin(now, slot)

    def install(self, now: float, node: _Node, slot: _Slot) -> None:
        node.slot = slot
        slot.nodes.append(node)
        self.tell(("node", node.name), now, "faulty" if node.trouble else "sound")
        if node.trouble:  # bad on arrival, and put to work for the first time
            node.trouble.born = now
            self.faults[node.trouble.fault.name] += 1
            found = now + self.exponential(self.fleet.operators.loud)
            self.schedule(found, self.find, node, node.trouble, "people")

    def release(self, now: float) -> None:
        """A release of the checks sees a fault in every node, until it is taken back."""
        assert self.fleet.hardware, "only checks can go wrong"
        self.schedule(now + self.exponential(self.fleet.hardware.release_mtbf), self.release)
        sound = [node for slot in self.slots for node in slot.nodes if not node.trouble]
        allowed = max(0, min(len(sound), self.cap - self.out))
        for place in self.random.permutation(len(sound))[: int(allowed)]:
            node = sound[place]
            node.trouble = _Trouble(BAD_RELEASE, now, kills=False)
            self.send_away(now, node, node.trouble, now + self.fleet.hardware.rollback)

    # Jobs run, stop and begin again

    def advance(self, now: float, slot: _Slot, ends: bool = False) -> None:
        """Bring a job to the present; if the place is at the very end of one, past it."""
        if not slot.running:
            return
        own = (now - slot.last) * slot.pace
        slot.last = now
        left = max(0.0, slot.left)
        slot.at += own
        slot.fuse = max(0.0, slot.fuse - own)
        if own >= left or ends:
            more, since = divmod(max(0.0, own - left), self.between + slot.length)
            done = 1 + int(more)
            self.completed += done
            self.clean += done - slot.spoilt
            self.useful += done * slot.gang.work * slot.gang.nodes
            slot.tries, slot.saved, slot.spoilt = 0, 0, False
            slot.at = since - self.between
            slot.fuse = max(0.0, self.between + self.fleet.strike - since)
        if slot.at >= slot.cycle:
            saved = min(int(slot.at / slot.cycle), slot.segments - 1 - slot.saved)
            slot.saved += saved
            slot.at -= saved * slot.cycle

    def watch(self, now: float, slot: _Slot) -> None:
        """See what the state of its nodes means for a running job."""
        if not slot.running:
            return
        self.advance(now, slot)
        slot.version += 1
        sick = [node.trouble for node in slot.nodes if node.trouble]
        slot.pace = 1 - max([trouble.fault.slowdown for trouble in sick]) if sick else 1.0
        if self.log is not None:
            starting = max(0.0, -slot.at) / slot.pace
            self.tell(("job", slot.name), now + starting, "slow" if slot.pace < 1 else "computing")
        if not sick:
            return
        if any(trouble.kills for trouble in sick):
            self.schedule(now + slot.fuse / slot.pace, self.crash, slot, slot.version)
        if self.fleet.platform or any(trouble.known < math.inf for trouble in sick):
            self.schedule(now + slot.left / slot.pace, self.end_of_job, slot, slot.version)

    def crash(self, now: float, slot: _Slot, version: int) -> None:
        """A job dies on a node whose fault no check has seen."""
        if slot.version == version and slot.running:
            self.stop(now, slot, next(node.trouble for node in slot.nodes if node.trouble and node.trouble.kills))

    def stop(self, now: float, slot: _Slot, cause: _Trouble, known: float = math.inf) -> None:
        """A job dies, which is known when a check tells of the cause, or else after the time-out."""
        self.advance(now, slot)
        slot.running, slot.dead = False, True
        slot.version += 1
        self.tell(("job", slot.name), now, "dead")
        known = min(known, max(now, cause.told), now + self.fleet.job_timeout)
        self.schedule(known, self.learn, slot, cause.fault.name)

    def learn(self, now: float, slot: _Slot, cause: str) -> None:
        """The platform learns that a job is dead, and retries it, or its owner does."""
        slot.dead = False
        slot.tries += 1
        look = self.fleet.observability
        if slot.tries > self.retries or (look and not self.chance(look.sensitivity)):
            self.failed[cause] += 1
            slot.tries, slot.spoilt = 0, True
        for node in slot.nodes:
            if node.trouble and node.trouble.hangs:
                self.cure(now, node, node.trouble)
        self.begin(now, slot)

    def end_of_job(self, now: float, slot: _Slot, version: int) -> None:
        """Between two jobs, nodes of which one knows are exchanged, and the others tested."""
        if slot.version == version and slot.running:
            self.advance(now, slot, ends=True)
            self.test(now, slot)
            if slot.missing:
                self.begin(now, slot, fresh=True)
            else:
                self.watch(now, slot)

    def test(self, now: float, slot: _Slot) -> None:
        """Take out the nodes of which one knows, and those that a pre-flight test finds."""
        slot.running, running = False, slot.running
        platform = self.fleet.platform
        for node, trouble in [(node, node.trouble) for node in slot.nodes if node.trouble]:
            if trouble.known < math.inf:
                self.take_out(slot, node)
            elif platform and not trouble.fault.harmless and self.chance(platform.coverage):
                self.find(now, node, trouble, "pre-flight")
        slot.running = running and not slot.missing

    def begin(self, now: float, slot: _Slot, fresh: bool = False) -> None:
        """Begin a job, fresh or again, as soon as all nodes are there."""
        slot.running = False
        self.test(now, slot)
        while slot.missing and self.spares:
            self.install(now, self.spares.popleft(), slot)
            slot.missing -= 1
            self.test(now, slot)
        if slot.missing:
            self.tell(("job", slot.name), now, "waiting")
            if not slot.queued:
                slot.queued = True
                self.waiting.append(slot)
            return
        slot.running = True
        slot.last = now
        reload = self.fleet.training.reload if self.fleet.training and slot.saved else 0.0
        slot.at = -(self.between if fresh else self.startup + reload)
        slot.fuse = self.fleet.strike - slot.at
        self.tell(("job", slot.name), now, "starting")
        self.watch(now, slot)

    def result(self) -> dict[str, Any]:
        """Fields of an :class:`Outcome`, of one trial."""
        found = {name: sum(self.found[name, finder] for finder in FINDERS) for name in self.latency}
        return {
            "node_time": self.fleet.nodes * self.duration,
            "unhealthy": self.unhealthy,
            "withdrawn_time": self.withdrawn,
            "useful_time": self.useful,
            "completed": self.completed,
            "application": self.completed * self.buggy,
            "clean": self.clean,
            "failed": self.failed,
            "faults": self.faults,
            "found": self.found,
            "latency": {name: time / found[name] if found[name] else math.nan for name, time in self.latency.items()},
            "most_drained": self.most_out,
        }


def _life(log: list[tuple[tuple[str, int], float, str]], who: tuple[str, int], duration: float) -> list[Span]:
    """Spans from what was told: what is told later of the same or a later time holds."""
    marks: list[tuple[float, str]] = []
    for subject, time, phase in log:
        if subject == who:
            while marks and marks[-1][0] >= time:
                marks.pop()
            marks.append((time, phase))
    spans: list[Span] = []
    for (start, phase), end in zip(marks, [*(time for time, _ in marks[1:]), duration], strict=True):
        if spans and spans[-1].phase == phase:
            spans[-1] = Span(phase, spans[-1].start, min(end, duration))
        elif start < duration:
            spans.append(Span(phase, start, min(end, duration)))
    return spans


# Formulas


def _time_away(wait: Array, mean_heal: Array, mttr: Array) -> Array:
    return _grace_cost(wait, mean_heal, 1.0, mttr, 1.0)


def _unavailability(
    wait: Array,
    mean_heal: Array,
    reset: Array,
    transient_mtbf: Array,
    replacement: Array,
    hard_mtbf: Array,
    find: Array,
    slow_mtbf: Array,
) -> Array:
    transient = _time_away(wait, mean_heal, reset) / transient_mtbf
    odds = wait / hard_mtbf + replacement / hard_mtbf + transient + find / slow_mtbf
    return 1 / (1 + 1 / odds)


def _reaches_owner(strikes: Array, retries: Array, sensitivity: Array) -> Array:
    missed = strikes * (1 - sensitivity)
    return -np.expm1(-missed) + np.exp(-missed) * _budget_exhausted(retries, strikes * sensitivity, 1.0)
