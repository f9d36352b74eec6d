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
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from relmath.domain import Array, checked, count, non_negative, positive, positive_finite, probability
from relmath.elementwise import in_blocks
from relmath.fleet.remediation import disruption_limit
from relmath.simulation import Span
from relmath.units import day, hour, minute, second

Doubles = NDArray[np.float64]

KILL, RESET, REBOOT, REPLACE = range(4)
"""Rungs of the ladder: kill the job, reset the GPU, reboot the machine, replace it."""

LARGEST = np.finfo(np.float64).max
MOST_FAULTS = 1_000_000
"""Expected faults of a trial above which it is refused as hopeless instead of simulated."""


_CHECKS: dict[str, Callable[..., Array]] = {
    "wait": non_negative,
    "mean_heal": positive,
    "mttr": non_negative,
    "strikes": non_negative,
    "retries": count,
    "sensitivity": probability,
    "mtbf": positive,
    "reset": non_negative,
    "transient_mtbf": positive,
    "hard_mtbf": positive,
    "slow_mtbf": positive,
    "find": non_negative,
    "kills": probability,
    "slowdown": probability,
    "seen": probability,
    "obvious": probability,
    "rung": count,
    "slots": count,
    "nodes": partial(count, least=1),
    "work": positive_finite,
    "period": non_negative,
    "threshold": partial(count, least=1),
    "timeout": non_negative,
    "grace": non_negative,
    "cap": probability,
    "release_mtbf": positive,
    "rollback": non_negative,
    "coverage": probability,
    "preflight": non_negative,
    "rounds": count,
    "admission": non_negative,
    "interval": positive_finite,
    "write_time": non_negative,
    "reload": non_negative,
    "straggler": positive,
    "specificity": probability,
    "response": non_negative,
    "loud": non_negative,
    "quiet": non_negative,
    "replacement": non_negative,
    "spares": count,
    "start": non_negative,
    "job_timeout": non_negative,
    "strike": non_negative,
    "bad": probability,
    "application": probability,
    "bug": non_negative,
}


# Two closed forms


def time_away(wait: Array, mean_heal: Array, mttr: Array) -> Array:
    r"""Mean time for which a fault keeps a node from work, if it may heal while one waits.

    .. math:: h \left(1 - e^{-\ell/h}\right) + r \, e^{-\ell/h}

    A fault heals by itself after an exponential time; if it has not after a wait, to notice it and for its grace, the
    node is repaired.

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
    it shrinks. (Where each retry runs the whole job anew, another formula holds.)

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
        """Refuse values outside their domain."""
        for part in fields(self):
            if part.name in _CHECKS:
                _CHECKS[part.name](part.name, getattr(self, part.name))


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
        Share of its pace that the gang on the node loses.
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
        if len(self.ladder) != 4:
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
"""Four classes of faults: 6.4 of 1 000 nodes stop a job a day."""

GANGS = (Gang(150, 1, 4 * hour), Gang(110, 4, 12 * hour), Gang(12, 16, 3 * day), Gang(3, 64, 14 * day))
"""Jobs of 1 to 64 nodes and of 4 h to 14 days, on 974 nodes: most are small, most of the time goes to the others."""


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
        Share of replacements that are faulty when they come, of which no check of the node tells.
    application : float
        Probability that a job fails of itself.
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
        Node time from a fault to its end, by the fault; for an alarm without a fault, from draining to return.
    withdrawn_time : ndarray
        Node time out of the pool: from the finding of a fault, or the draining, to the return.
    useful_time : ndarray
        Computation that was not undone, times the nodes of its job.
    completed, application : ndarray
        Jobs that ended well, and (in the mean) those that failed of themselves.
    failed : mapping of str to ndarray
        Jobs whose failure by the platform reached their owner, by the fault that struck.
    faults : ndarray
        Faults that came, those on arrival not counted.
    found : mapping of str to ndarray
        Faults that were found, by whom: *checks* of the node, *comparison* with other nodes, *pre-flight* tests,
        *people*.
    latency : ndarray
        Mean time from a fault to its being found, in seconds; NaN if none was.
    most_drained : ndarray
        Most nodes drained at once.
    """

    node_time: Doubles
    unhealthy: Mapping[str, Doubles]
    withdrawn_time: Doubles
    useful_time: Doubles
    completed: Doubles
    application: Doubles
    failed: Mapping[str, Doubles]
    faults: Doubles
    found: Mapping[str, Doubles]
    latency: Doubles
    most_drained: Doubles

    @property
    def availability(self) -> Doubles:
        """Share of node time in which a node was sound and could be given work."""
        return 1 - sum(self.unhealthy.values()) / self.node_time

    @property
    def in_pool(self) -> Doubles:
        """Share of node time in which a node could be given work, sound or not: what a fleet without checks reports."""
        return 1 - self.withdrawn_time / self.node_time

    @property
    def ended(self) -> Doubles:
        """Jobs that ended, well or not."""
        return self.completed + self.application + sum(self.failed.values())

    @property
    def success(self) -> Doubles:
        """Share of jobs that ended without a failure by the platform that reached their owner."""
        return 1 - sum(self.failed.values()) / self.ended

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
        If a value is outside its domain, or more than `MOST_FAULTS` faults would have to be drawn in a trial.

    Notes
    -----
    Each trial has a stream of random numbers of its own, so that the first trials of a longer run are the shorter run,
    whatever the executor.

    Examples
    --------
    >>> outcome = simulate(Fleet(), duration=30 * day, seed=1)
    >>> print(f"available {outcome.availability[0]:.2%}, successful {outcome.success[0]:.2%}")
    available 99.98%, successful 99.93%
    """
    positive_finite("duration", duration)
    count("trials", trials, least=1)
    drawn = sum(1 / fault.mtbf for fault in _classes(fleet)) * duration * fleet.nodes
    if drawn > MOST_FAULTS:
        raise ValueError(
            f"faults must be at most {MOST_FAULTS:,} a trial, but are some {drawn:.2g}: take a shorter run"
        )
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    run_all = map if executor is None else executor.map
    rows = list(run_all(partial(_trial, fleet, float(duration)), root.spawn(int(trials))))
    causes = [*(fault.name for fault in _classes(fleet)), ON_ARRIVAL.name, BAD_RELEASE.name]
    keys = {"failed": causes, "unhealthy": causes, "found": FINDERS}

    def column(name: str) -> Any:
        if name in keys:
            return {key: np.array([row[name].get(key, 0.0) for row in rows], float) for key in keys[name]}
        return np.array([row[name] for row in rows], float)

    return Outcome(**{name: column(name) for name in rows[0]})


class Lives(NamedTuple):
    """The life of one node and of one place for jobs, span by span."""

    node: list[Span]
    job: list[Span]


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
        Which node: they are counted through the gangs; spares come last.
    slot : int
        Which place for jobs, counted through the gangs.

    Returns
    -------
    Lives
        The node's phases are *sound*, *faulty* (nobody knows), *problem* (known, within its grace), *repair* and
        *spare*; the job's are *starting*, *computing*, *slow*, *dead* (nobody knows) and *waiting* for a node. The
        ends of jobs are not told.

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
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    loop = _Loop(fleet, float(positive_finite("duration", duration)), root.spawn(1)[0])
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


class _Trouble:
    """A fault that is there: of which class, since when, and how far one is with it."""

    __slots__ = ("born", "draining", "fault", "kills", "known")

    def __init__(self, fault: Fault, born: float, kills: bool) -> None:
        self.fault, self.born, self.kills = fault, born, kills
        self.known = math.inf  # since when somebody knows
        self.draining = False


class _Node:
    __slots__ = ("name", "slot", "trouble")

    def __init__(self, name: int) -> None:
        self.name = name
        self.slot: _Slot | None = None  # none while it is a spare, or away
        self.trouble: _Trouble | None = None


class _Slot:
    """A place for jobs of one gang, with the job that runs on it.

    The job is at `at` seconds after its last checkpoint, in its own time: starting counts below 0, and it ends `length`
    after its beginning.
    """

    __slots__ = (
        *("at", "cycle", "dead", "gang", "last", "length", "missing", "name", "nodes", "pace", "queued", "running"),
        *("saved", "segments", "tries", "version"),
    )

    def __init__(self, name: int, gang: Gang, training: Training | None) -> None:
        interval = min(training.interval, gang.work) if training else gang.work
        write_time = training.write_time if training else 0.0
        self.name, self.gang = name, gang
        self.segments = math.ceil(gang.work / interval * (1 - 1e-12))
        self.cycle = interval + write_time
        self.length = gang.work + self.segments * write_time
        self.nodes: list[_Node] = []
        self.at, self.last, self.pace = 0.0, 0.0, 1.0
        self.saved = self.tries = self.missing = self.version = 0
        self.running = self.dead = self.queued = False


class _Loop:
    """The fleet as it stands, its clock, and what is to happen next."""

    def __init__(self, fleet: Fleet, duration: float, seed: np.random.SeedSequence) -> None:
        self.fleet, self.duration = fleet, duration
        self.random = np.random.default_rng(seed)
        self.uniforms: list[float] = []
        self.exponentials: list[float] = []
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
        wrong = 1 - look.specificity if look else 1.0  # chance that a failure of the application is retried
        tries = sum(wrong**k for k in range(self.retries + 1))
        self.buggy = fleet.application / (1 - fleet.application)  # jobs that fail of themselves, for each that does not
        self.between = self.startup + self.buggy * tries * (self.startup + fleet.bug)

        self.nodes = [_Node(name) for name in range(fleet.nodes)]
        gangs = [gang for gang in fleet.gangs for _ in range(gang.slots)]
        self.slots = [_Slot(name, gang, fleet.training) for name, gang in enumerate(gangs)]
        self.spares: deque[_Node] = deque()
        self.waiting: deque[_Slot] = deque()  # for a node
        self.pending: deque[tuple[_Node, _Trouble]] = deque()  # for others to return, lest too many be drained
        self.out = self.most_out = 0
        self.withdrawn = self.useful = self.latency = 0.0
        self.unhealthy: dict[str, float] = {}
        self.completed = self.faults = 0
        self.failed: dict[str, int] = {}
        self.found: dict[str, int] = dict.fromkeys(FINDERS, 0)

    # Random numbers, one by one, from blocks

    def uniform(self) -> float:
        if not self.uniforms:
            self.uniforms = self.random.random(1024).tolist()
        return self.uniforms.pop()

    def exponential(self, mean: float) -> float:
        if not self.exponentials:
            self.exponentials = self.random.standard_exponential(1024).tolist()
        return self.exponentials.pop() * mean

    def chance(self, probability: float) -> bool:
        return self.uniform() < probability

    # The agenda

    def at(self, time: float, what: Callable[..., None], *about: Any) -> None:
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
            self.at(self.exponential(self.fleet.hardware.release_mtbf), self.release)
        while self.agenda:
            time, _, what, about = heapq.heappop(self.agenda)
            what(time, *about)
        for slot in self.slots:
            self.advance(self.duration, slot)
            saved = slot.saved * (slot.cycle - (slot.length - slot.gang.work) / slot.segments)
            self.useful += (saved + max(0.0, slot.at if slot.running else 0.0)) * slot.gang.nodes
        for node in self.nodes:
            if node.trouble:
                self.account(self.duration, node.trouble)

    def tell(self, who: tuple[str, int], time: float, phase: str) -> None:
        if self.log is not None:
            self.log.append((who, time, phase))

    # Faults come, heal and are found

    def expect_fault(self, now: float, slot: _Slot) -> None:
        if self.rate:
            self.at(now + self.exponential(1 / (self.rate * slot.gang.nodes)), self.fault, slot)

    def fault(self, now: float, slot: _Slot) -> None:
        """One of the places of a gang is struck; where no node stands, or a faulty one, nothing comes of it."""
        self.expect_fault(now, slot)
        place = int(self.uniform() * slot.gang.nodes)
        fault = self.classes[min(bisect(self.shares, self.uniform()), len(self.classes) - 1)]
        if place >= len(slot.nodes) or slot.nodes[place].trouble:
            return
        node = slot.nodes[place]
        trouble = _Trouble(fault, now, fault.kills > 0 and self.chance(fault.kills))
        heals = self.exponential(fault.mean_heal) if fault.mean_heal < math.inf else math.inf
        if fault.harmless:
            assert self.fleet.hardware, "only checks raise false alarms"
            if heals < self.fleet.hardware.grace:
                return
        else:
            self.faults += 1
            self.tell(("node", node.name), now, "faulty")
        node.trouble = trouble
        self.at(now + heals, self.heal, node, trouble)
        told = self.expect_finding(now, node, trouble)
        if not slot.running:
            return
        if trouble.kills:
            self.stop(now, slot, fault.name, min(told, now + self.fleet.job_timeout))
        else:
            self.watch(now, slot)

    def expect_finding(self, now: float, node: _Node, trouble: _Trouble) -> float:
        """Put down who will find a fault first, and return when the node's own checks will, if they do."""
        fault, people, checks = trouble.fault, self.fleet.operators, self.fleet.hardware
        told = math.inf
        when, finder = now + self.exponential(people.loud if trouble.kills else people.quiet), "people"
        if checks and self.chance(fault.seen):
            told = now + (self.uniform() + checks.threshold - 1) * checks.period + checks.timeout
        elif not checks and self.chance(fault.obvious):
            when = min(when, now + self.exponential(people.response))
        if self.fleet.observability and fault.slowdown:
            compared = now + self.exponential(self.fleet.observability.straggler)
            when, finder = min((when, finder), (compared, "comparison"))
        when, finder = min((when, finder), (told, "checks"))
        self.at(when, self.find, node, trouble, finder)
        return told

    def heal(self, now: float, node: _Node, trouble: _Trouble) -> None:
        if node.trouble is trouble and not trouble.draining:
            self.cure(now, node)

    def cure(self, now: float, node: _Node) -> None:
        """End a fault of a node that is not drained."""
        assert node.trouble, "only what is there can end"
        self.account(now, node.trouble)
        node.trouble = None
        if node.slot:
            self.tell(("node", node.name), now, "sound")
            self.watch(now, node.slot)
        else:
            self.give(now, node)

    def account(self, now: float, trouble: _Trouble) -> None:
        name, known = trouble.fault.name, min(trouble.known, now)
        self.withdrawn += now - known
        ill = now - (known if trouble.fault.harmless else trouble.born)
        self.unhealthy[name] = self.unhealthy.get(name, 0.0) + ill

    def find(self, now: float, node: _Node, trouble: _Trouble, finder: str) -> None:
        """Somebody learns of a fault: the node gets no new job, and is drained if it does not heal in time."""
        if node.trouble is not trouble or trouble.known < math.inf:
            return
        trouble.known = now
        if not trouble.fault.harmless:
            self.found[finder] += 1
            self.latency += now - trouble.born
        self.tell(("node", node.name), now, "problem")
        slot = node.slot
        if slot and slot.dead and trouble.fault.rung == KILL:
            return  # the end of the job will end it
        if slot and not slot.running:
            self.take_out(slot, node)
        elif slot:
            self.watch(now, slot)
        if finder == "checks" and self.fleet.hardware:
            self.at(now + self.fleet.hardware.grace, self.drain, node, trouble)
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
        self.at(back, self.give_back, node, trouble, bad)
        if node.slot:
            slot = node.slot
            if slot.running:
                self.stop(now, slot, trouble.fault.name, now)
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
            if not bad or not platform or not self.chance(1 - (1 - platform.coverage) ** platform.rounds):
                return time, bad

    def give_back(self, now: float, node: _Node, trouble: _Trouble, bad: bool) -> None:
        self.account(now, trouble)
        self.out -= 1
        node.trouble = _Trouble(ON_ARRIVAL, now, kills=True) if bad else None
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
        if node.trouble:
            node.trouble.born = now  # a spare does no harm
            people = self.fleet.operators
            self.at(now + self.exponential(people.loud), self.find, node, node.trouble, "people")

    def release(self, now: float) -> None:
        """A release of the checks sees a fault in every node, until it is taken back."""
        assert self.fleet.hardware, "only checks can go wrong"
        self.at(now + self.exponential(self.fleet.hardware.release_mtbf), self.release)
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
        at = slot.at + (now - slot.last) * slot.pace
        slot.last = now
        left = slot.length - slot.saved * slot.cycle
        if at >= left or ends:
            more, at = divmod(max(0.0, at - left), self.between + slot.length)
            done = 1 + int(more)
            self.completed += done
            self.useful += done * slot.gang.work * slot.gang.nodes
            slot.tries = slot.saved = 0
            at -= self.between
        if at >= slot.cycle:
            saved = min(int(at / slot.cycle), slot.segments - 1 - slot.saved)
            slot.saved += saved
            at -= saved * slot.cycle
        slot.at = at

    def watch(self, now: float, slot: _Slot) -> None:
        """See what the state of its nodes means for a running job."""
        if not slot.running:
            return
        self.advance(now, slot)
        slot.version += 1
        sick = [node.trouble for node in slot.nodes if node.trouble]
        slot.pace = 1 - max((trouble.fault.slowdown for trouble in sick), default=0.0)
        self.tell(("job", slot.name), now + max(0.0, -slot.at), "slow" if slot.pace < 1 else "computing")
        if not sick:
            return
        if any(trouble.kills for trouble in sick):
            self.at(now + (max(0.0, -slot.at) + self.fleet.strike) / slot.pace, self.strike, slot, slot.version)
        if self.fleet.platform or any(trouble.known < math.inf for trouble in sick):
            left = slot.length - slot.saved * slot.cycle - slot.at
            self.at(now + left / slot.pace, self.end_of_job, slot, slot.version)

    def strike(self, now: float, slot: _Slot, version: int) -> None:
        """A job dies on a node whose fault no check has seen."""
        if slot.version == version and slot.running:
            sick = [node.trouble for node in slot.nodes if node.trouble and node.trouble.kills]
            if sick:
                self.stop(now, slot, sick[0].fault.name, now + self.fleet.job_timeout)

    def stop(self, now: float, slot: _Slot, cause: str, known: float) -> None:
        self.advance(now, slot)
        slot.running, slot.dead = False, True
        slot.version += 1
        self.tell(("job", slot.name), now, "dead")
        self.at(known, self.learn, slot, cause)

    def learn(self, now: float, slot: _Slot, cause: str) -> None:
        """The platform learns that a job is dead, and retries it, or its owner does."""
        slot.dead = False
        slot.tries += 1
        look = self.fleet.observability
        if slot.tries > self.retries or (look and not self.chance(look.sensitivity)):
            self.failed[cause] = self.failed.get(cause, 0) + 1
            slot.tries = 0
        for node in slot.nodes:  # with the job end the processes that hung
            if node.trouble and node.trouble.fault.rung == KILL:
                self.cure(now, node)
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
        platform = self.fleet.platform
        for node in [node for node in slot.nodes if node.trouble]:
            assert node.trouble, "only faulty nodes are looked at"
            if node.trouble.known < math.inf:
                self.take_out(slot, node)
            elif platform and not node.trouble.fault.harmless and self.chance(platform.coverage):
                slot.running = False
                self.find(now, node, node.trouble, "pre-flight")

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
        self.tell(("job", slot.name), now, "starting")
        self.watch(now, slot)

    def result(self) -> dict[str, Any]:
        return {
            "node_time": self.fleet.nodes * self.duration,
            "unhealthy": self.unhealthy,
            "withdrawn_time": self.withdrawn,
            "useful_time": self.useful,
            "completed": self.completed,
            "application": self.completed * self.buggy,
            "failed": self.failed,
            "faults": self.faults,
            "found": self.found,
            "latency": self.latency / sum(self.found.values()) if any(self.found.values()) else math.nan,
            "most_drained": self.most_out,
        }


def _life(log: list[tuple[tuple[str, int], float, str]], who: tuple[str, int], duration: float) -> list[Span]:
    """Spans from what was told: what is told later of the same or an earlier time holds."""
    marks: list[tuple[float, str]] = []
    for subject, time, phase in log:
        if subject == who:
            marks = [mark for mark in marks if mark[0] < time]
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
    ratio = wait / mean_heal
    healed = -np.expm1(-ratio)
    long = ratio > 1
    waited = np.where(long, np.minimum(mean_heal, LARGEST) * healed, wait)
    # Of a short wait, a little less than all of it; the quotient tends to 1 with the ratio to 0.
    waited = np.where(long | (ratio == 0), waited, wait * (healed / np.where(ratio > 0, ratio, 1)))
    return waited + mttr * np.exp(-ratio)


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
    transient = np.minimum(_time_away(wait, mean_heal, reset), LARGEST) / transient_mtbf
    odds = wait / hard_mtbf + replacement / hard_mtbf + transient + find / slow_mtbf
    return 1 / (1 + 1 / odds)


def _reaches_owner(strikes: Array, retries: Array, sensitivity: Array) -> Array:
    missed = strikes * (1 - sensitivity)
    enough = np.minimum(retries, 1e300)  # beyond which SciPy gives NaN
    return -np.expm1(-missed) + np.exp(-missed) * special.gammainc(enough + 1, strikes * sensitivity)
